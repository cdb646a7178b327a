"""Whether the parts of a file agree."""

from __future__ import annotations

from collections.abc import Callable

from kohaku.errors import DamagedStore
from kohaku.sqlite import sqlite3
from kohaku.store.file import File

_SINCE = {"documents without words": 3, "kinds whose nodes are miscounted": 7}  # by the schema's version
_CHECKS = {
    "kinds whose nodes are miscounted": (
        "select count(*) from (select kind, count(*) as nodes from node group by kind) as n "
        "full join tally as t on t.kind = n.kind where coalesce(n.nodes, 0) <> coalesce(t.nodes, 0)"
    ),
    "nodes without a document": "select count(*) from node where document not in (select key from document)",
    "vectors without a node": (
        "select count(*) from vector where iif(number < 0, -number, number / 2) not in (select key from node)"
    ),
    "paragraphs without full text": (
        "select count(*) from node where tier = 'paragraph' and text <> '' "
        "and key not in (select rowid from paragraph_words)"
    ),
    "sentences without full text": (
        "select count(*) from node where tier = 'sentence' and key not in (select rowid from sentence_words)"
    ),
    "documents without words": ("select count(*) from document where key not in (select rowid from document_words)"),
    "documents without a source": "select count(*) from document where key not in (select document from source)",
}


class Integrity(File):
    """A file that can be checked."""

    def check(self, tell: Callable[[str], None] = lambda stage: None) -> list[str]:
        """What is wrong with the file, one line each; empty where all is well. `tell` is told what is looked for."""
        faults: list[str] = []
        try:
            tell("damaged pages")
            faults += [line for (line,) in self._rows("pragma integrity_check") if line != "ok"]
            checks = {what: query for what, query in _CHECKS.items() if _SINCE.get(what, 0) <= self._version}
            for what, query in checks.items():
                tell(what)
                if count := self._rows(query)[0][0]:
                    faults.append(f"{count} {what}")
        except (sqlite3.DatabaseError, DamagedStore) as error:
            faults.append(str(error))
        return faults

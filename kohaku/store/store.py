"""The store: everything that one open file offers, and how documents enter and leave it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from kohaku.errors import StoreError
from kohaku.sqlite import sqlite3
from kohaku.store.documents import Documents
from kohaku.store.figures import Figures
from kohaku.store.full_text import FullText
from kohaku.store.integrity import Integrity
from kohaku.store.node_rows import INSERT_NODE, row_of
from kohaku.store.vector_table import IMAGE, VectorTable
from kohaku.text import storable
from kohaku.tree import Document, Kind, Node, Tree, Vectors


class Store(Documents, Figures, FullText, VectorTable, Integrity):
    """An open index file; use it as a context manager."""

    def close(self) -> None:
        """Closes the file; a store that wrote leaves everything in the one file."""
        with self._turn:
            if self.writable:
                with suppress(StoreError, sqlite3.OperationalError):
                    self._correct_totals()
            super().close()

    def put(
        self,
        tree: Tree,
        vectors: Vectors,
        direct: Mapping[int, NDArray[np.float32]] | None = None,
        pictures: Mapping[int, NDArray[np.float32]] | None = None,
    ) -> None:
        """Stores a document in place of what had its id, with one vector a node (a zero row: none).

        `direct` are paragraphs' own vectors by position, kept beside their means, `pictures` those of figures.
        Sources are added to those known.
        """
        document = tree.document
        with self._change():
            former = self.document(document.id)
            self._remove(document.id)
            self._has_changed()
            key = self._insert_document(document)
            for path in sorted({*document.sources, *(former.sources if former else ())}):
                self._db.execute("insert or replace into source values (:path, :key)", {"path": path, "key": key})
            self._insert_nodes(key, document, tree.nodes, vectors, direct or {}, pictures or {})
            self._insert_names(key, document, tree.nodes)
            self._db.executemany("insert or ignore into image values (?, ?)", tree.images.items())
            self._db.executemany(
                "insert or ignore into mention values (?, ?, ?)", [(key, *mention) for mention in tree.mentions]
            )
            self._db.executemany(
                "insert or ignore into acronym values (?, ?, ?)",
                [(short, long, key) for short, long in tree.acronyms.items()],
            )
            self._forget_images()

    def remove(self, id: str) -> bool:
        """Removes a document with everything of it; false where there is none of that id."""
        with self._change():
            is_removed = self._remove(id)
            if is_removed:
                self._has_changed()
                self._forget_images()
            return is_removed

    def add_source(self, id: str, source: str) -> None:
        """One more path that holds a document's content."""
        with self._change():
            self._db.execute(
                "insert or replace into source select :path, key from document where id = :id",
                {"path": source, "id": id},
            )

    def drop_source(self, source: str) -> bool:
        """Forgets a path; its document goes with its last one. True where a document went."""
        with self._change():
            document = self.document_of(source)
            self._db.execute("delete from source where path = :path", {"path": source})
            return bool(document and len(document.sources) == 1 and self.remove(document.id))

    def tree(self, id: str) -> Tree | None:
        """A document as it was put, without the bytes of its images, which stay as long as it shows them."""
        document = self.document(id)
        if document is None:
            return None
        of = {"id": storable(id)}
        acronyms = self._rows(
            "select short, long from acronym where document = (select key from document where id = :id)", of
        )
        mentions = self._rows(
            "select figure, sentence from mention where document = (select key from document where id = :id)", of
        )
        nodes = self._nodes("where n.document = (select key from document where id = :id) order by n.position", of)
        return Tree(document, tuple(nodes), {}, dict(acronyms), tuple(mentions))

    def _insert_nodes(
        self,
        key: int,
        document: Document,
        nodes: Sequence[Node],
        vectors: Vectors,
        direct: Mapping[int, NDArray[np.float32]],
        pictures: Mapping[int, NDArray[np.float32]],
    ) -> None:
        if len(nodes) != len(vectors):
            raise ValueError(f"{len(nodes)} nodes, {len(vectors)} vectors")
        base = self._next_key()
        sections = _innermost(nodes)
        self._db.executemany(
            INSERT_NODE, (row_of(base + node.position, key, sections[node.position], node) for node in nodes)
        )
        self._insert_vectors(
            (number, part, key, vector)
            for node, row in zip(nodes, vectors, strict=True)
            for number, part, vector in (
                (2 * (base + node.position), node.tier.value, row),
                (2 * (base + node.position) + 1, "direct", direct.get(node.position)),
                (-(base + node.position), IMAGE, pictures.get(node.position)),
            )
            if vector is not None
        )
        self._insert_words(base, document.title, nodes)
        self._tally(+1, Counter(node.kind.value for node in nodes))

    def settle(self, exact_below: int) -> None:
        """Makes the files beside the index of every part with so many nodes or more, of what they do not hold yet.

        Until then what changed is searched exactly by meaning, and all by FTS5 for words.
        """
        self._settle_vectors(exact_below)
        self._settle_words(exact_below)
        self._sweep(self._ivf, self._word_files)

    def _remove(self, id: str) -> bool:
        rows = self._rows("select key from document where id = :id", {"id": storable(id)})
        for (key,) in rows:
            of = {"key": key}
            self._note_removal(key)
            self._remove_words(key)
            self._remove_vectors(key)
            self._tally(-1, dict(self._rows("select kind, count(*) from node where document = :key group by kind", of)))
            for table in ("node", "acronym", "source", "mention"):
                self._db.execute(f"delete from {table} where document = :key", of)
            self._db.execute("delete from document where key = :key", of)
        return bool(rows)


def _innermost(nodes: Sequence[Node]) -> list[int | None]:
    """The position of the innermost section around each node, which for a section is itself."""
    ends: list[tuple[int, int]] = []  # the sections that are open: (last, position)
    found: list[int | None] = []
    for node in nodes:
        while ends and node.position > ends[-1][0]:
            ends.pop()
        if node.kind is Kind.SECTION:
            ends.append((node.last, node.position))
        found.append(ends[-1][1] if ends else None)
    return found

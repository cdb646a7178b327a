"""The store: everything that one open file offers, and how documents enter and leave it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from kohaku.errors import StoreError
from kohaku.sqlite import sqlite3
from kohaku.store import schema
from kohaku.store.documents import Documents
from kohaku.store.entries import Entry, Sections
from kohaku.store.figures import Figures
from kohaku.store.full_text import FullText
from kohaku.store.integrity import Integrity
from kohaku.store.node_rows import AT_ONCE, INSERT_NODE, row_of
from kohaku.store.vector_table import VectorTable
from kohaku.text import storable
from kohaku.tree import Document, Tier, Tree, Vectors


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
        """Stores a document's tree with one vector a node, as `enter` does.

        `direct` are paragraphs' own vectors by position, kept beside their means, `pictures` those of figures.
        """
        if len(tree.nodes) != len(vectors):
            raise ValueError(f"{len(tree.nodes)} nodes, {len(vectors)} vectors")
        entries = (
            Entry(node, row, (direct or {}).get(node.position), (pictures or {}).get(node.position))
            for node, row in zip(tree.nodes, vectors, strict=True)
        )
        self.enter(tree.document, entries, tree.images, tree.acronyms, tree.mentions)

    def enter(
        self,
        document: Document,
        entries: Iterable[Entry],
        images: Mapping[str, bytes],
        acronyms: Mapping[str, str],
        mentions: Iterable[tuple[int, int]],
    ) -> None:
        """Stores a document in place of what had its id; its sources are added to those known.

        The entries, which come one by one, have each paragraph right before its sentences.
        """
        with self._change():
            former = self.document(document.id)
            self._remove(document.id)
            self._has_changed()
            key = self._insert_document(document)
            for path in sorted({*document.sources, *(former.sources if former else ())}):
                self._db.execute("insert or replace into source values (:path, :key)", {"path": path, "key": key})
            self._insert_entries(key, document, entries)
            self._db.executemany("insert or ignore into image values (?, ?)", images.items())
            self._db.executemany(
                "insert or ignore into mention values (?, ?, ?)", ((key, *mention) for mention in mentions)
            )
            self._db.executemany(
                "insert or ignore into acronym values (?, ?, ?)",
                [(short, long, key) for short, long in acronyms.items()],
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

    def _insert_entries(self, key: int, document: Document, entries: Iterable[Entry]) -> None:
        base = self._next_key()
        count, words = Counter[str](), dict[str, None]()
        sections = Sections()
        rest = iter(entries)
        while some := list(islice(rest, AT_ONCE)):
            nodes = [entry.node for entry in some]
            self._db.executemany(
                INSERT_NODE, (row_of(base + node.position, key, sections.around(node), node) for node in nodes)
            )
            self._insert_vectors(row for entry in some for row in entry.rows(base, key))
            self._insert_words(base, document.title, nodes)
            count.update(node.kind.value for node in nodes)
            words |= schema.words_of(node.text for node in nodes if node.tier is Tier.PARAGRAPH)
        self._insert_names(key, document, words)
        self._tally(+1, count)

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

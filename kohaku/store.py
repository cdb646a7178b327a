"""The index: one SQLite file with documents, nodes, vectors, full text and images. All SQL is here and in schema.

A document enters whole or not at all. Readers never block: the file is in WAL mode. A store may be used from several
threads, which take turns.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import secrets
import socket
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kohaku import ivf, schema
from kohaku.errors import DamagedStore, NewerStore, NoSuchStore, NotAStore, StoreBusy, StoreError, WrongEmbedder
from kohaku.sqlite import connect, sqlite3
from kohaku.text import storable
from kohaku.tree import Box, Document, Kind, Node, Tier, Tree, Vectors
from kohaku.words import expression, fold

log = logging.getLogger("kohaku")

WAIT = 60.0  # seconds for another writer's document to end
MAGIC = b"SQLite format 3\x00"
MOST = 4096  # sqlite-vec's largest k
TOKENS = "tokenize='porter unicode61 remove_diacritics 2'"
IVF = ".ivf"
BLOCK = 16_384  # vectors read at once
DAMAGED = ("malformed", "not a database", "blob read error", "Could not decode to UTF-8")
UNWRITABLE = ("disk is full", "disk I/O error", "readonly database", "unable to open", "Internal sqlite-vec error")

# To score a passage costs as much as to find it, and most passages hold the commonest words. In a large index only as
# many as the rarest words of a question bring are scored, and the best of these by all its words: measured on a million
# made sentences, .98 of the ten best are the same in an eighth of the time.
LARGE = 100_000  # nodes of a tier
POSTINGS = 60_000  # passages that are scored
CANDIDATES = 4  # times as many as are wanted are scored by all words
SLICES, SLICED = 8, 25  # one row in SLICED, in so many places, tells how many passages hold a word

# A document's title and a paragraph's headings steer a search, but its own words decide.
TEXT_WEIGHT, HEADINGS_WEIGHT, TITLE_WEIGHT = 1.0, 0.4, 0.2


@dataclass(frozen=True, slots=True)
class Hit:
    """A node (by key) that a search found; the greater the score the better."""

    key: int
    score: float


_NODE = """
    select n.key, d.id, n.position, n.last, n.parent, n.kind, n.id, n.tokens, n.title, n.level,
           n.first_page, n.last_page, n.boxes, s.headings, n.image, n.shown_tokens,
           coalesce(n.text, (
               select group_concat(part, char(10) || char(10)) from (
                   select case m.tier when 'section' then nullif(m.title, '') else nullif(m.text, '') end as part
                   from node m
                   where m.document = n.document and m.position > n.position and m.position <= n.last
                     and m.tier in ('section', 'paragraph')
                   order by m.position)
           ), '')
    from node n
    join document d on d.key = n.document
    left join node s on s.document = n.document and s.position = n.section
"""


class Store:
    """An open index file; use it as a context manager."""

    def __init__(self, db: Any, path: Path, *, writable: bool) -> None:
        self._db, self.path, self.writable = db, path, writable
        self._turn = threading.RLock()
        self._version, self._node = schema.VERSION, _NODE
        self._ivf: dict[str, tuple[str, ivf.InvertedFile]] = {}

    # ---- opening

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Opens for reading; never creates, never changes the file."""
        path = Path(path)
        _inspect(path)
        name = path.resolve().as_uri()
        # A WAL file needs its index beside it; where none can be made the file can't change either.
        mode = "mode=ro" if os.access(path.resolve().parent, os.W_OK) else "mode=ro&immutable=1"
        return cls._checked(path, f"{name}?{mode}", writable=False)

    @classmethod
    def edit(cls, path: str | Path) -> Self:
        """Opens an existing index for changes; never creates."""
        path = Path(path)
        _inspect(path)
        return cls._checked(path, f"{path.resolve().as_uri()}?mode=rw", writable=True)

    @classmethod
    def create(cls, path: str | Path, *, fingerprint: str, dimensions: int) -> Self:
        """Opens for writing, making the file where there is none; raises WrongEmbedder where another one filled it."""
        path = Path(path)
        if not path.exists() or path.stat().st_size == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
            _make(path, fingerprint=fingerprint, dimensions=dimensions)
        store = cls.edit(path)
        found = store.fingerprint
        if found != fingerprint:
            store.close()
            raise WrongEmbedder(found, fingerprint)
        return store

    @classmethod
    def _checked(cls, path: Path, uri: str, *, writable: bool) -> Self:
        try:
            with _told(path):
                db = connect(uri, wait=WAIT)
                application = db.execute("pragma application_id").fetchone()[0]
                version = db.execute("pragma user_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise DamagedStore(path, str(error)) from error
        if application != schema.APPLICATION:
            db.close()
            raise NotAStore(path)
        if version > schema.VERSION:
            db.close()
            raise NewerStore(path, version, schema.VERSION)
        store = cls(db, path, writable=writable)
        if version < schema.VERSION and writable:
            with store._change():
                schema.migrate(db, version=version, dimensions=store.dimensions)
        else:  # an older one that is only read stays as it is
            store._version = version
            store._node = _NODE if version >= 2 else _NODE.replace("n.shown_tokens", "null")
        if writable:
            with _told(path):
                db.execute("pragma synchronous = normal")
                db.execute("pragma foreign_keys = on")
        return store

    def close(self) -> None:
        """Closes the file; a store that wrote leaves everything in the one file."""
        with self._turn:
            if self.writable:
                with suppress(StoreError, sqlite3.OperationalError):
                    self._correct_totals()
                # A reader may still be there: then SQLite does it when the last one leaves.
                with suppress(sqlite3.OperationalError):
                    self._db.execute("pragma wal_checkpoint(truncate)")
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- facts of the file

    @property
    def fingerprint(self) -> str:
        """Which embedder the vectors came from."""
        return self._meta("fingerprint")

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self._meta("dimensions"))

    def setting(self, name: str) -> str | None:
        """A remembered fact by name, such as the embedder's name."""
        rows = self._rows("select value from meta where name = :name", {"name": name})
        return rows[0][0] if rows else None

    def remember(self, name: str, value: str) -> None:
        """Keeps a fact with the index."""
        with self._change():
            self._db.execute("insert or replace into meta values (:name, :value)", {"name": name, "value": value})

    def _meta(self, name: str) -> str:
        value = self.setting(name)
        if value is None:
            raise DamagedStore(self.path, f"it does not say its {name}")
        return value

    def counts(self) -> dict[str, int]:
        """How many nodes there are of each kind."""
        return dict(self._rows("select kind, count(*) from node group by kind order by kind"))

    def size(self, tier: Tier) -> int:
        """How many nodes stand on a tier."""
        query = "select nodes from tally where tier = :tier"
        if self._version < 5:
            query = "select count(*) from node where tier = :tier"
        rows = self._rows(query, {"tier": tier.value})
        return int(rows[0][0]) if rows else 0

    def check(self) -> list[str]:
        """What is wrong with the file, one line each; empty where all is well."""
        faults: list[str] = []
        try:
            faults += [line for (line,) in self._rows("pragma integrity_check") if line != "ok"]
            checks = {what: query for what, query in _CHECKS.items() if _SINCE.get(what, 0) <= self._version}
            faults += [f"{count} {what}" for what, query in checks.items() if (count := self._rows(query)[0][0])]
        except (sqlite3.DatabaseError, DamagedStore) as error:
            faults.append(str(error))
        return faults

    # ---- writing

    def put(self, tree: Tree, vectors: Vectors, direct: Mapping[int, NDArray[np.float32]] | None = None) -> None:
        """Stores a document in place of what had its id, with one vector a node (a zero row: none).

        `direct` are paragraphs' own vectors by position, kept beside their means. Sources are added to those known.
        """
        document = tree.document
        with self._change():
            former = self.document(document.id)
            self._remove(document.id)
            self._has_changed()
            key = self._insert_document(document)
            for path in sorted({*document.sources, *(former.sources if former else ())}):
                self._db.execute("insert or replace into source values (:path, :key)", {"path": path, "key": key})
            self._insert_nodes(key, document, tree.nodes, vectors, direct or {})
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

    def _insert_document(self, document: Document) -> int:
        cursor = self._db.execute(
            """
            insert into document (id, title, content, fingerprint, pages, metadata)
            values (:id, :title, :content, :fingerprint, :pages, :metadata)
            """,
            {
                "id": storable(document.id),
                "title": storable(document.title),
                "content": document.content,
                "fingerprint": document.fingerprint,
                "pages": document.pages,
                "metadata": json.dumps(dict(document.metadata), ensure_ascii=True),
            },
        )
        return int(cursor.lastrowid)

    def _insert_nodes(
        self,
        key: int,
        document: Document,
        nodes: Sequence[Node],
        vectors: Vectors,
        direct: Mapping[int, NDArray[np.float32]],
    ) -> None:
        if len(nodes) != len(vectors):
            raise ValueError(f"{len(nodes)} nodes, {len(vectors)} vectors")
        base = self._rows("select coalesce(max(key), 0) + 1 from node")[0][0]
        ends: list[tuple[int, int]] = []  # the sections that are open: (last, position)
        for node, vector in zip(nodes, vectors, strict=True):
            while ends and node.position > ends[-1][0]:
                ends.pop()
            if node.kind is Kind.SECTION:
                ends.append((node.last, node.position))
            section = ends[-1][1] if ends else None
            number = base + node.position
            self._db.execute(_INSERT_NODE, _row(number, key, section, node))
            self._insert_vector(2 * number, node.tier.value, key, vector)
            if node.position in direct:
                self._insert_vector(2 * number + 1, "direct", key, direct[node.position])
            self._insert_words(number, document.title, node)
        self._tally(+1, Counter(node.tier.value for node in nodes))

    def _tally(self, sign: int, counted: Mapping[str, int]) -> None:
        """Keeps count of the nodes of each tier: to count them takes long in a large file."""
        self._db.executemany(
            "insert into tally values (?, ?) on conflict (tier) do update set nodes = nodes + excluded.nodes",
            [(tier, sign * nodes) for tier, nodes in counted.items()],
        )

    def _has_changed(self) -> None:
        """What was made from the vectors before is out of date."""
        self._db.execute("insert or replace into meta values ('state', ?)", (secrets.token_hex(8),))

    def _insert_vector(self, number: int, tier: str, document: int, vector: NDArray[np.float32]) -> None:
        if vector.any():
            self._db.execute(
                "insert into vector (number, tier, document, embedding) values (?, ?, ?, ?)",
                (number, tier, document, np.asarray(vector, np.float32).tobytes()),
            )

    def _insert_words(self, number: int, title: str, node: Node) -> None:
        if node.tier is Tier.PARAGRAPH and node.text:
            self._db.execute(
                "insert into paragraph_words (rowid, text, headings, title) values (?, ?, ?, ?)",
                (number, *(fold(storable(text)) for text in (node.text, " ".join(node.headings), title))),
            )
        elif node.tier is Tier.SENTENCE:
            self._db.execute(
                "insert into sentence_words (rowid, text) values (?, ?)", (number, fold(storable(node.text)))
            )

    def _insert_names(self, key: int, document: Document, nodes: Sequence[Node]) -> None:
        name = schema.name_words(document.id, document.title, document.metadata)
        text = schema.text_words(node.text for node in nodes if node.tier is Tier.PARAGRAPH)
        self._db.execute(
            "insert into document_words (rowid, name, text) values (?, ?, ?)", (key, storable(name), storable(text))
        )

    def _remove(self, id: str) -> bool:
        rows = self._rows("select key from document where id = :id", {"id": storable(id)})
        for (key,) in rows:
            of = {"key": key}
            for tier in ("paragraph", "sentence"):
                self._db.execute(
                    f"delete from {tier}_words where rowid in (select key from node where document = :key "
                    f"and tier = '{tier}' and (tier = 'sentence' or text <> ''))",
                    of,
                )
            self._db.execute(
                "delete from vector where number in (select 2 * key from node where document = :key "
                "union all select 2 * key + 1 from node where document = :key)",
                of,
            )
            self._db.execute("delete from document_words where rowid = :key", of)
            self._tally(-1, dict(self._rows("select tier, count(*) from node where document = :key group by tier", of)))
            for table in ("node", "acronym", "source", "mention"):
                self._db.execute(f"delete from {table} where document = :key", of)
            self._db.execute("delete from document where key = :key", of)
        return bool(rows)

    def _forget_images(self) -> None:
        """Drops the images that no figure shows; after a document came in, since it may show them again."""
        self._db.execute("delete from image where hash not in (select image from node where image is not null)")

    def add_caption(self, hash: str, text: str, model: str) -> None:
        """Keeps what a model says of an image ("" for nothing worth it), also when no document shows that any more."""
        with self._change():
            self._db.execute(
                "insert or replace into caption values (:hash, :text, :model)",
                {"hash": hash, "text": storable(text), "model": storable(model)},
            )

    @contextmanager
    def _change(self) -> Iterator[None]:
        """All that happens inside is one transaction; changes may nest."""
        with self._turn, _told(self.path):
            if self._db.in_transaction:
                yield
                return
            try:
                self._db.execute("begin immediate")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
                raise StoreBusy(self.path, self.setting("writer") or "") from error
            try:
                self._db.execute("insert or replace into meta values ('writer', ?)", (_me(),))
                yield
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:  # a full disk has already ended it
                    self._db.execute("rollback")
                raise

    def _correct_totals(self) -> None:
        """Makes FTS5's count of passages and of their words true, by which BM25 weighs.

        FTS5 does not take what is deleted from a table without content out of these totals: a document that was indexed
        again and again would weigh more each time (SQLite 3.53; fts5.html, "Contentless-Delete Tables").
        """
        for tier in _COLUMNS:
            table = f"{tier.value}_words"
            [(written,)] = self._rows(f"select block from {table}_data where id = 1")
            [(count,)] = self._rows(f"select count(*) from {table}_docsize")
            if _varints(written)[:1] not in ([], [count]):
                with self._change():
                    sizes = [_varints(size) for (size,) in self._rows(f"select sz from {table}_docsize")]
                    totals = [len(sizes), *(map(sum, zip(*sizes, strict=True)) if sizes else [0] * len(_COLUMNS[tier]))]
                    block = b"".join(map(_varint, totals))
                    self._db.execute(f"update {table}_data set block = :block where id = 1", {"block": block})

    # ---- inverted files: approximate indexes beside the file, made from it

    def settle(self, exact_below: int) -> None:
        """Makes an inverted file of every part with so many vectors or more, where the store has changed since.

        Those of another state go: until the next ones are made, search is exact.
        """
        state = self.setting("state") or ""
        wanted: set[Path] = set()
        large = [tier for tier in (Tier.SENTENCE, Tier.PARAGRAPH) if state and self.size(tier) >= exact_below]
        for part in (part for tier in large for part in _PARTS[tier]):
            [(count,)] = self._rows("select count(*) from vector where tier = :part", {"part": part})
            if count >= exact_below:
                path = self._ivf_path(part, state)
                wanted.add(path)
                if ivf.opened(path) is None:
                    try:
                        ivf.build(path, partial(self._blocks, part), count, self.dimensions)
                    except OSError as error:
                        log.warning("search by meaning stays exact, and slower: %s", error)
        ours = re.compile(rf"{re.escape(self.path.name)}-[0-9a-f]{{16}}-[a-z]+{re.escape(IVF)}(\.part\d*)?")
        for path in self.path.parent.iterdir():
            if ours.fullmatch(path.name) and path not in wanted:
                path.unlink(missing_ok=True)

    def _blocks(self, part: str) -> Iterator[tuple[ivf.Numbers, Vectors]]:
        """All vectors of a part with their numbers."""
        rows = self._db.execute("select number, embedding from vector where tier = ?", (part,))
        while block := rows.fetchmany(BLOCK):
            data = np.frombuffer(b"".join(embedding for _, embedding in block), np.float32)
            yield np.array([number for number, _ in block], np.int64), data.reshape(len(block), -1)

    def _ivf_path(self, part: str, state: str) -> Path:
        return self.path.with_name(f"{self.path.name}-{state}-{part}{IVF}")

    def _ivf_of(self, part: str) -> ivf.InvertedFile | None:
        """The inverted file of a part as the store is now; None where there is none."""
        state = self.setting("state") or ""
        known = self._ivf.get(part)
        if state and (known is None or known[0] != state) and (found := ivf.opened(self._ivf_path(part, state))):
            known = self._ivf[part] = state, found
        return known[1] if known and known[0] == state else None

    # ---- documents and nodes

    def documents(self) -> list[Document]:
        """All documents, by id."""
        return self._documents("order by d.id", {})

    def document(self, id: str) -> Document | None:
        """The document of that id."""
        return next(iter(self._documents("where d.id = :id", {"id": storable(id)})), None)

    def beginnings(self, ids: Collection[str], paragraphs: int) -> dict[str, str]:
        """The text of the first paragraphs of documents, by id."""
        rows = self._rows(
            """
            select id, group_concat(text, char(10)) from (
                select d.id, n.text, row_number() over (partition by n.document order by n.position) as place
                from node n join document d on d.key = n.document
                where d.id in (select value from json_each(:ids)) and n.tier = 'paragraph' and n.text <> ''
            ) where place <= :paragraphs group by id
            """,
            {"ids": json.dumps([storable(id) for id in ids]), "paragraphs": paragraphs},
        )
        return dict(rows)

    def document_of(self, source: str) -> Document | None:
        """The document that was read from a path."""
        query = "where d.key = (select document from source where path = :path)"
        return next(iter(self._documents(query, {"path": source})), None)

    def _documents(self, where: str, values: Mapping[str, object]) -> list[Document]:
        rows = self._rows(
            f"""
            select d.id, d.title, d.content, d.fingerprint, d.pages, d.metadata,
                   (select json_group_array(path) from (select path from source where document = d.key order by path))
            from document d {where}
            """,
            values,
        )
        with _sound_rows(self.path):
            return [
                Document(id, title, tuple(json.loads(sources)), content, fingerprint, pages, json.loads(metadata))
                for id, title, content, fingerprint, pages, metadata, sources in rows
            ]

    def nodes(self, keys: Iterable[int]) -> dict[int, Node]:
        """Nodes by key, read at once."""
        found = self._nodes("where n.key in (select value from json_each(:keys))", {"keys": json.dumps(list(keys))})
        return {node.key: node for node in found}

    def node(self, id: str) -> Node | None:
        """The node of that id."""
        return next(iter(self._nodes("where n.id = :id order by n.key", {"id": storable(id)})), None)

    def subtree(self, id: str) -> list[Node]:
        """A node and all below it, in reading order."""
        return self._nodes(
            """
            where exists (
                select 1 from node a where a.id = :id and a.document = n.document
                and n.position between a.position and a.last
            ) and n.document in (select document from node where id = :id) order by n.document, n.position
            """,
            {"id": storable(id)},
        )

    def parents(self, nodes: Collection[Node]) -> dict[int, Node]:
        """The parent of each node, by the node's key, read at once."""
        above = self._at((node.document, node.parent) for node in nodes if node.parent is not None)
        return {
            node.key: above[node.document, node.parent]
            for node in nodes
            if node.parent is not None and (node.document, node.parent) in above
        }

    def homes(self, sentences: Collection[int]) -> dict[int, int]:
        """The paragraph that each sentence stands in, both by key."""
        rows = self._rows(
            """
            select n.key, above.key from json_each(:keys) as wanted
            join node n on n.key = wanted.value
            join node above on above.document = n.document and above.position = n.parent
            """,
            {"keys": json.dumps(list(sentences))},
        )
        return dict(rows)

    def sentences(self, paragraphs: Collection[Node]) -> dict[int, list[Node]]:
        """The sentences of paragraphs in reading order, by the paragraph's key."""
        keys = {(node.document, node.position): node.key for node in paragraphs}
        found = self._nodes(
            """
            where n.tier = 'sentence' and n.key in (
                select c.key from json_each(:keys) as wanted
                join node p on p.key = wanted.value
                join node c on c.document = p.document and c.parent = p.position
            ) order by n.key
            """,
            {"keys": json.dumps(sorted(keys.values()))},
        )
        sentences: dict[int, list[Node]] = {}
        for node in found:
            if node.parent is not None:
                sentences.setdefault(keys[node.document, node.parent], []).append(node)
        return sentences

    def ancestors(self, node: Node) -> list[Node]:
        """The nodes that cover a node, document first."""
        above: list[Node] = []
        while node.key in (parent := self.parents([node])):
            node = parent[node.key]
            above.append(node)
        return above[::-1]

    def siblings(self, node: Node) -> list[Node]:
        """The children of the node's parent, itself among them, in reading order."""
        return self._nodes(
            """
            where n.document = (select key from document where id = :document)
              and n.parent is :parent order by n.position
            """,
            {"document": storable(node.document), "parent": node.parent},
        )

    def neighbours(self, nodes: Collection[Node]) -> dict[int, list[Node]]:
        """The nodes of the same tier before and after each one under one parent, by the node's key, read at once."""
        pairs = self._rows(
            """
            select n.key, beside.key from json_each(:keys) as wanted
            join node n on n.key = wanted.value
            join node beside on beside.document = n.document and beside.parent = n.parent
                and beside.tier = n.tier and beside.position in (
                (select max(b.position) from node b
                 where b.document = n.document and b.parent = n.parent and b.position < n.position),
                n.last + 1)
            order by n.key, beside.position
            """,
            {"keys": json.dumps([node.key for node in nodes])},
        )
        found = self.nodes({beside for _, beside in pairs})
        neighbours: dict[int, list[Node]] = {node.key: [] for node in nodes}
        for key, beside in pairs:
            neighbours[key].append(found[beside])
        return neighbours

    # ---- figures

    def image(self, hash: str) -> bytes | None:
        """The bytes of an image."""
        rows = self._rows("select bytes from image where hash = :hash", {"hash": hash})
        return rows[0][0] if rows else None

    def captions(self, hashes: Collection[str]) -> dict[str, str]:
        """What a model said of images, by hash."""
        rows = self._rows(
            "select hash, text from caption where hash in (select value from json_each(:hashes))",
            {"hashes": json.dumps(list(hashes))},
        )
        return dict(rows)

    def uncaptioned(self) -> list[Node]:
        """For each image that no model has said anything of, the first figure that shows it."""
        return self._nodes(
            """
            where n.key in (
                select min(key) from node
                where image in (select hash from image) and image not in (select hash from caption) group by image)
            order by n.key
            """,
            {},
        )

    def untold(self) -> list[str]:
        """The ids of the documents with a figure whose image has a caption that its text lacks."""
        rows = self._rows(
            """
            select distinct d.id from caption c
            join node n on n.image = c.hash
            join document d on d.key = n.document
            where c.text <> '' and not exists (
                select 1 from node m where m.image = c.hash and m.document = n.document and instr(m.text, c.text))
            order by d.id
            """
        )
        return [id for (id,) in rows]

    def mentions(self, figure: Node) -> list[Node]:
        """The sentences that speak of a figure; none in an index of an older version."""
        return self._linked(figure, "sentence", "figure")

    def mentioned(self, sentence: Node) -> list[Node]:
        """The figures that a sentence or a paragraph speaks of; none in an index of an older version."""
        return self._linked(sentence, "figure", "sentence")

    def _linked(self, node: Node, wanted: str, given: str) -> list[Node]:
        if self._version < 4:
            return []
        return self._nodes(
            f"""
            where (n.document, n.position) in (
                select document, {wanted} from mention
                where document = (select key from document where id = :document)
                  and {given} between :position and :last)
            order by n.position
            """,
            {"document": storable(node.document), "position": node.position, "last": node.last},
        )

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

    def _at(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Node]:
        keys = self._rows(
            """
            select n.key from json_each(:places) as place
            join document d on d.id = json_extract(place.value, '$[0]')
            join node n on n.document = d.key and n.position = json_extract(place.value, '$[1]')
            """,
            {"places": json.dumps([(storable(document), position) for document, position in set(places)])},
        )
        return {(node.document, node.position): node for node in self.nodes(key for (key,) in keys).values()}

    def _nodes(self, where: str, values: Mapping[str, object]) -> list[Node]:
        rows = self._rows(f"{self._node} {where}", values)
        with _sound_rows(self.path):
            return [_node(row) for row in rows]

    # ---- searching

    def nearest(
        self,
        vectors: Vectors,
        tier: Tier,
        limit: int,
        *,
        documents: Collection[str] | None = None,
        kinds: Collection[Kind] | None = None,
    ) -> list[list[Hit]]:
        """For each question's vector the nodes of a tier nearest in meaning, best first; scores are cosines.

        Paragraphs are also found by their direct vectors where the index has such, each once by its better one. With
        `documents` (ids) or `kinds` (of paragraphs, and of those that sentences stand in) nothing else is searched.
        """
        if documents is None and kinds is None:
            parts = [self._near(part, vectors, limit) for part in _PARTS[tier]]
        else:
            within = [] if documents is None else ["and document in (select value from json_each(:documents))"]
            if kinds is not None:
                within.append(f"and number in (select 2 * key + (:tier = 'direct') from ({_OF_KINDS[tier]}))")
            bound = self._bound(documents, kinds)
            parts = [self._nearest(part, vectors, limit, " ".join(within), bound) for part in _PARTS[tier]]
        results: list[list[Hit]] = []
        for found in zip(*parts, strict=True):
            best: dict[int, float] = {}
            for number, score in (pair for scores in found for pair in scores.items()):
                best[number // 2] = max(best.get(number // 2, -1.0), score)
            results.append(_best(best, limit))
        return results

    def _near(self, part: str, vectors: Vectors, limit: int) -> list[dict[int, float]]:
        """The vectors' neighbours by number with their cosines: by inverted file where there is one, else exactly."""
        found = self._ivf_of(part)
        if found is None:
            return self._nearest(part, vectors, limit, "", {})
        rows = np.asarray(vectors, np.float32)
        return [scores if row.any() else {} for row, scores in zip(rows, found.search(rows, limit), strict=True)]

    def _nearest(
        self, part: str, vectors: Vectors, limit: int, within: str, bound: Mapping[str, object]
    ) -> list[dict[int, float]]:
        query = f"""
            select number, distance from vector
            where embedding match :vector and k = :limit and tier = :tier {within}
            order by distance
        """
        values = {"limit": min(limit, MOST), "tier": part, **bound}
        return [
            {number: 1.0 - distance for number, distance in self._rows(query, {**values, "vector": vector.tobytes()})}
            if vector.any()
            else {}
            for vector in np.asarray(vectors, np.float32)
        ]

    def matching(
        self,
        terms: Sequence[str],
        tier: Tier,
        limit: int,
        *,
        documents: Collection[str] | None = None,
        kinds: Collection[Kind] | None = None,
    ) -> list[Hit]:
        """The paragraphs or sentences that hold any of the words, best first by BM25 (Robertson & Zaragoza 2009).

        Any text is a legal term. Greater scores are better, as everywhere here (FTS5's own are negative). `documents`
        and `kinds` keep the search as in `nearest`.
        """
        if not any(term.strip() for term in terms):
            return []
        if documents is None and kinds is None and self.size(tier) >= LARGE:
            return self._matching_rare(terms, tier, limit)
        within = []
        if documents is not None:  # the + keeps SQLite from asking the index once for each node
            within.append(
                "and +rowid in (select key from node where tier = :tier"
                " and document in (select value from json_each(:documents)))"
            )
        if kinds is not None:
            within.append(f"and exists (select 1 from ({_OF_KINDS[tier]}) as n where n.key = {tier.value}_words.rowid)")
        return self._matching(terms, tier, limit, " ".join(within), self._bound(documents, kinds))

    def _matching(
        self,
        terms: Sequence[str],
        tier: Tier,
        limit: int,
        within: str = "",
        bound: Mapping[str, object] | None = None,
        *,
        table: str = "",
    ) -> list[Hit]:
        table = table or f"{tier.value}_words"
        rows = self._rows(
            f"""
            select rowid, -bm25({table}{_WEIGHTS[tier]}) as score from {table}
            where {table} match :expression {within}
            order by score desc, rowid limit :limit
            """,
            {"expression": storable(expression(list(terms))), "limit": limit, "tier": tier.value, **(bound or {})},
        )
        return [Hit(key, score) for key, score in rows]

    def _matching_rare(self, terms: Sequence[str], tier: Tier, limit: int) -> list[Hit]:
        """What holds the rarest of the words, and of these the best by all."""
        with self._turn:
            held = self._held(terms, tier)
            rare, common = _parted(held, POSTINGS)
            if not common:
                return self._matching(rare, tier, limit)
            found = self._matching(rare, tier, CANDIDATES * limit)
            scores = {hit.key: hit.score for hit in found}
            copy = self._copy_words(scores, tier)
            total = self.size(tier)
            for term in common:
                local = self._matching([term], tier, len(scores), table=copy)
                scale = _rarity(total, held[term]) / _rarity(len(scores), len(local))
                for hit in local:
                    scores[hit.key] += scale * hit.score
            return _best(scores, limit)

    def _held(self, terms: Sequence[str], tier: Tier) -> dict[str, int]:
        """About how many passages of a tier hold each word."""
        [(last,)] = self._rows("select max(key) from node")
        width = -(-last // (SLICES * SLICED))
        starts = [slice * last // SLICES + 1 for slice in range(SLICES)]
        query = f"""
            select count(*) from {tier.value}_words
            where {tier.value}_words match :expression and rowid between :first and :last
        """
        return {
            term: SLICED
            * sum(
                self._rows(
                    query, {"expression": storable(expression([term])), "first": start, "last": start + width - 1}
                )[0][0]
                for start in starts
            )
            for term in terms
            if term.strip()
        }

    def _copy_words(self, keys: Collection[int], tier: Tier) -> str:
        """The full text of some nodes alone, in a table of its own; its name."""
        table = f"some_{tier.value}_words"  # the name of the whole one would hide that
        columns = _COLUMNS[tier]
        with _told(self.path):
            declared = f"{', '.join(columns)}, content='', {TOKENS}"
            self._db.execute(f"create virtual table if not exists temp.{table} using fts5({declared})")
            self._db.execute(f"insert into temp.{table} ({table}) values ('delete-all')")
        rows = self._rows(
            """
            select n.key, n.text, s.headings, d.title from node n
            join document d on d.key = n.document
            left join node s on s.document = n.document and s.position = n.section
            where n.key in (select value from json_each(:keys))
            """,
            {"keys": json.dumps(list(keys))},
        )
        for key, text, headings, title in rows:
            texts = (text, " ".join(json.loads(headings or "[]")), title)[: len(columns)]
            self._db.execute(
                f"insert into temp.{table} (rowid, {', '.join(columns)}) values (?{', ?' * len(columns)})",
                (key, *(fold(storable(one)) for one in texts)),
            )
        return table

    def vectors(self, keys: Collection[int]) -> dict[int, NDArray[np.float32]]:
        """The vectors of nodes, by key."""
        rows = self._rows(
            "select number / 2, embedding from vector where number in (select 2 * value from json_each(:keys))",
            {"keys": json.dumps(list(keys))},
        )
        return {key: np.frombuffer(data, np.float32) for key, data in rows}

    def frequency(self, terms: Collection[str]) -> dict[str, int]:
        """How many paragraphs hold each word."""
        return {
            term: self._rows(
                "select count(*) from paragraph_words where paragraph_words match :expression",
                {"expression": storable(expression([term]))},
            )[0][0]
            for term in terms
            if term.strip()
        }

    def naming(self, terms: Collection[str]) -> dict[str, tuple[frozenset[str], int]]:
        """For each word that names documents: their ids, and how many documents hold it at all (name or text).

        A word is one of `kohaku.words.parts`. Empty for an index of an older version.
        """
        found: dict[str, tuple[frozenset[str], int]] = {}
        for term in terms if self._version >= 3 else ():
            try:
                named = self._rows(
                    "select id from document where key in (select rowid from document_words "
                    "where document_words match :expression)",
                    {"expression": f"name : {expression([term])}"},
                )
                if named:
                    [(held,)] = self._rows(
                        "select count(*) from document_words where document_words match :expression",
                        {"expression": expression([term])},
                    )
                    found[term] = frozenset(id for (id,) in named), held
            except sqlite3.OperationalError as error:
                if "phrase" not in str(error):  # a letter younger than SQLite's tables parts a word
                    raise
        return found

    def spelt(self, terms: Collection[str]) -> dict[str, str]:
        """Each acronym among the terms with its most common long form in the corpus."""
        rows = self._rows(
            """
            select short, long from acronym where short in (select value from json_each(:terms))
            group by short, long order by count(*), long desc
            """,
            {"terms": json.dumps(list(terms))},
        )
        return dict(rows)

    def shortened(self, text: str) -> dict[str, str]:
        """Each long form that stands in the text, with its most common acronym in the corpus."""
        rows = self._rows(
            """
            select long, short from acronym where instr(lower(:text), lower(long)) > 0
            group by long, short order by count(*), short desc
            """,
            {"text": storable(text)},
        )
        return dict(rows)

    def _bound(self, documents: Collection[str] | None, kinds: Collection[Kind] | None) -> dict[str, str]:
        """The values that keep a search to documents and kinds."""
        values: dict[str, str] = {}
        if documents is not None:
            values["documents"] = json.dumps(self._keys(documents))
        if kinds is not None:
            values["kinds"] = json.dumps([kind.value for kind in kinds])
        return values

    def _keys(self, documents: Collection[str]) -> list[int]:
        rows = self._rows(
            "select key from document where id in (select value from json_each(:ids)) order by key",
            {"ids": json.dumps([storable(id) for id in documents])},
        )
        return [key for (key,) in rows]

    def _rows(self, query: str, values: Mapping[str, object] | None = None) -> list[Any]:
        with self._turn, _told(self.path):
            return list(self._db.execute(query, values or {}))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What SQLite says of a damaged file or a disk that takes no more, as an error of ours."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        said = str(error)
        if any(words in said for words in DAMAGED):
            raise DamagedStore(path, said) from error
        if any(words in said for words in UNWRITABLE):
            raise StoreError(f"{path} can't be written ({said}): make room, or give another path to --db") from error
        raise


@contextmanager
def _sound_rows(path: Path) -> Iterator[None]:
    """What a row holds that we never wrote is damage."""
    try:
        yield
    except ValueError as error:
        raise DamagedStore(path, f"a row can't be read: {error}") from error


# The nodes of a tier that are paragraphs of some kinds, or sentences of such.
_OF_KINDS = {
    Tier.PARAGRAPH: """
        select key from node where tier = 'paragraph' and kind in (select value from json_each(:kinds))
    """,
    Tier.SENTENCE: """
        select s.key from node s join node p on p.document = s.document and p.position = s.parent
        where s.tier = 'sentence' and p.kind in (select value from json_each(:kinds))
    """,
}

_PARTS: dict[Tier, tuple[str, ...]] = {tier: (tier.value,) for tier in Tier} | {Tier.PARAGRAPH: ("paragraph", "direct")}
_COLUMNS = {Tier.PARAGRAPH: ("text", "headings", "title"), Tier.SENTENCE: ("text",)}
_WEIGHTS = {Tier.PARAGRAPH: f", {TEXT_WEIGHT}, {HEADINGS_WEIGHT}, {TITLE_WEIGHT}", Tier.SENTENCE: ""}

_INSERT_NODE = """
    insert into node values (
        :key, :document, :position, :last, :parent, :section, :kind, :tier, :id, :title, :text, :tokens, :level,
        :first_page, :last_page, :boxes, :headings, :image, :shown_tokens)
"""

_SINCE = {"documents without words": 3, "tiers whose nodes are miscounted": 5}  # by the schema's version
_CHECKS = {
    "tiers whose nodes are miscounted": (
        "select count(*) from (select tier, count(*) as nodes from node group by tier) as n "
        "full join tally as t on t.tier = n.tier where coalesce(n.nodes, 0) <> coalesce(t.nodes, 0)"
    ),
    "nodes without a document": "select count(*) from node where document not in (select key from document)",
    "vectors without a node": "select count(*) from vector where number / 2 not in (select key from node)",
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


def _row(key: int, document: int, section: int | None, node: Node) -> dict[str, object]:
    inner = node.tier in (Tier.DOCUMENT, Tier.SECTION)
    return {
        "key": key,
        "document": document,
        "position": node.position,
        "last": node.last,
        "parent": node.parent,
        "section": section,
        "kind": node.kind.value,
        "tier": node.tier.value,
        "id": storable(node.id),
        "title": storable(node.title),
        "text": None if inner else storable(node.text),
        "tokens": node.tokens,
        "level": node.level,
        "first_page": node.pages[0] if node.pages else None,
        "last_page": node.pages[1] if node.pages else None,
        "boxes": json.dumps([[b.page, b.x0, b.y0, b.x1, b.y1] for b in node.boxes]) if node.boxes else None,
        "headings": json.dumps(node.headings) if node.kind is Kind.SECTION else None,
        "image": node.image,
        "shown_tokens": node.shown_tokens,
    }


def _node(row: Sequence[Any]) -> Node:
    (key, document, position, last, parent, kind, id, tokens, title, level) = row[:10]
    (first, last_page, boxes, headings, image, shown_tokens, text) = row[10:]
    return Node(
        document=document,
        position=position,
        last=last,
        parent=parent,
        kind=Kind(kind),
        id=id,
        text=text,
        tokens=tokens,
        title=title,
        level=level,
        pages=None if first is None else (first, last_page),
        boxes=tuple(Box(*box) for box in json.loads(boxes)) if boxes else (),
        headings=_headings(headings) if headings else (),
        image=image,
        key=key,
        shown_tokens=shown_tokens,
    )


@lru_cache(maxsize=1024)  # the nodes of a section all come with its headings
def _headings(written: str) -> tuple[str, ...]:
    return tuple(json.loads(written))


def _parted(held: Mapping[str, int], most: int) -> tuple[list[str], list[str]]:
    """The rarest words, of which together no more passages hold one than `most`, at least one word; the others."""
    rare: list[str] = []
    rest = most
    for term in sorted(held, key=lambda term: (held[term], term)):
        rest -= held[term]
        if rare and rest < 0:
            break
        rare.append(term)
    return rare, [term for term in held if term not in rare]


def _rarity(total: int, holding: int) -> float:
    """A word's weight as FTS5's bm25 has it (Robertson & Spärck Jones 1976), never below a millionth."""
    return max(math.log((max(total - holding, 0) + 0.5) / (holding + 0.5)), 1e-6)


def _varints(data: bytes) -> list[int]:
    """Numbers in SQLite's variable length, as FTS5 keeps its counts.

    >>> _varints(_varint(5) + _varint(300))
    [5, 300]
    """
    numbers, number = [], 0
    for byte in data:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    return numbers


def _varint(number: int) -> bytes:
    digits = [number & 0x7F]
    while number := number >> 7:
        digits.append(number & 0x7F | 0x80)
    return bytes(digits[::-1])


def _best(scores: Mapping[int, float], limit: int) -> list[Hit]:
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Hit(key, score) for key, score in ranked[:limit]]


def _me() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _inspect(path: Path) -> None:
    """Raises the error that fits a file that SQLite could not open as ours, by its first bytes and its length."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
        size = path.stat().st_size
    except FileNotFoundError:
        raise NoSuchStore(path) from None
    except IsADirectoryError:
        raise NotAStore(path) from None
    except OSError as error:
        raise DamagedStore(path, error.strerror or str(error)) from error
    if len(head) < 100 or not head.startswith(MAGIC):
        raise NotAStore(path)
    page = int.from_bytes(head[16:18], "big")
    expected = (65536 if page == 1 else page) * int.from_bytes(head[28:32], "big")
    if size < expected:
        raise DamagedStore(path, f"{size:,} of {expected:,} bytes are there")


def _make(path: Path, *, fingerprint: str, dimensions: int) -> None:
    with _told(path), closing(connect(f"{path.resolve().as_uri()}?mode=rwc", wait=WAIT)) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("begin immediate")
        if db.execute("pragma user_version").fetchone()[0] == 0:  # else another process was first
            schema.migrate(db, version=0, dimensions=dimensions)
            facts = {"fingerprint": fingerprint, "dimensions": str(dimensions), "writer": _me()}
            db.executemany("insert into meta values (?, ?)", facts.items())
        db.execute("commit")
        db.execute("pragma wal_checkpoint(truncate)")

"""Vectors: one a node, searched exactly, or through an inverted file beside the index where there are many."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kohaku.store import inverted_file as ivf
from kohaku.store.beside import Beside
from kohaku.store.blocks import Block, nearest
from kohaku.store.damage import told
from kohaku.store.file import MEMORY_MB
from kohaku.store.hits import Bounded, Hit, Numbers, Within, best_of
from kohaku.store.node_rows import NodeRows
from kohaku.store.segments import Segment, Segments, Spans
from kohaku.text import storable
from kohaku.tree import Kind, Tier, Vectors

log = logging.getLogger("kohaku")

IMAGE = "image"  # the partition of pictures' vectors, whose numbers are their figures' keys below zero
Chunk = tuple[int, Numbers, NDArray[np.intp] | None]
"""A chunk of sqlite-vec's by its number: the numbers of its vectors, and their places in it where it has gaps."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """The chunks of a part, and the least and the most node's key in each."""

    each: list[Chunk]
    least: Numbers
    most: Numbers


# sqlite-vec 0.1.9, vec0's shadow tables: `validity` has a bit for each place that is taken, `rowids` its number. What
# comes goes into the last chunk of its part.
_CHUNKS = "select chunk_id, size, validity, rowids from vector_chunks where partition00 = :part order by chunk_id desc"
_CHUNK_VECTORS = "select vectors from vector_vector_chunks00 where rowid = :chunk"
_PARTS: dict[Tier, tuple[str, ...]] = {tier: (tier.value,) for tier in Tier} | {Tier.PARAGRAPH: ("paragraph", "direct")}


class Held:
    """Chunks of vectors in memory, for one state of the file.

    A chunk is held from its second reading on: to touch fresh memory costs five times what reading it does, which a
    process that searches once would pay for nothing.
    """

    def __init__(self, most: int) -> None:
        self._most, self._bytes, self._state = most, 0, ""
        self.chunks: dict[tuple[str, int], Chunks] = {}
        self.rows: dict[tuple[int, int], Vectors] = {}
        self._met: set[tuple[int, int]] = set()

    def keep(self, state: str) -> None:
        """Forgets what is of another state."""
        if state != self._state:
            self._state, self._bytes = state, 0
            self.chunks.clear()
            self.rows.clear()
            self._met.clear()

    def hold(self, chunk: tuple[int, int], rows: Vectors) -> None:
        """Takes a chunk, or what is after a key in it, that was read before, as far as the bytes held may grow."""
        if chunk not in self._met:
            self._met.add(chunk)
        elif self._bytes + rows.nbytes <= self._most:
            self._bytes += rows.nbytes
            self.rows[chunk] = rows


class VectorTable(NodeRows, Bounded, Segments):
    """A file's vectors."""

    def __init__(self, db: Any, path: Path, *, writable: bool, memory_mb: int = MEMORY_MB) -> None:
        super().__init__(db, path, writable=writable, memory_mb=memory_mb)
        self._held = Held(memory_mb << 20)
        self._ivf = Beside(path, ".ivf", ivf.opened)

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
        bounded = documents is not None or kinds is not None
        rows = np.asarray(vectors, np.float32)
        with self._snapshot():
            within = self._within(tier, documents, kinds) if bounded else None
            parts = [self._nearest(part, rows, limit, within) for part in _PARTS[tier]]
        results: list[list[Hit]] = []
        for found in zip(*parts, strict=True):
            best: dict[int, float] = {}
            for number, score in (pair for scores in found for pair in scores.items()):
                best[number // 2] = max(best.get(number // 2, -1.0), score)
            results.append(best_of(best, limit))
        return results

    def _nearest(self, part: str, rows: Vectors, limit: int, within: Within | None) -> list[dict[int, float]]:
        """The vectors' neighbours by number with their cosines: by inverted files where there are such, else exactly.

        What came after these is searched exactly too.
        """
        segments = self._segments(part, self._ivf.suffix) if within is None else []
        files = self._ivf.of(part, [segment.token for segment in segments])
        if not files:
            return nearest(self._blocks(part, within), rows, limit)
        lists = [
            file.search(rows, limit, _there(segment, self._gone(segment)))
            for file, segment in zip(files, segments, strict=True)
        ]
        if self._last_key() > segments[-1].last:
            lists.append(nearest(self._blocks(part, after=segments[-1].last), rows, limit))
        return [
            {hit.key: hit.score for hit in best_of({n: s for one in found for n, s in one.items()}, limit)}
            if row.any()
            else {}
            for row, found in zip(rows, zip(*lists, strict=True), strict=True)
        ]

    def nearest_pictures(
        self, vectors: Vectors, limit: int, *, documents: Collection[str] | None = None
    ) -> list[list[Hit]]:
        """For each question's vector the figures whose pictures are nearest to it, best first; scores are cosines."""
        with self._snapshot():
            within = None if documents is None else self._within(Tier.PARAGRAPH, documents, None)
            found = nearest(self._blocks(IMAGE, within), np.asarray(vectors, np.float32), limit)
        return [best_of({-number: score for number, score in scores.items()}, limit) for scores in found]

    def picture_vectors(self, document: str, hashes: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors that a document has of some pictures, by the picture's hash."""
        return self._vectors_by("image", "-n.key", document, hashes)

    def text_vectors(self, document: str, texts: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors that a document has of some texts: those of its sentences and of what has none."""
        return self._vectors_by("text", "2 * n.key", document, texts, "and n.last = n.position")

    def _vectors_by(
        self, column: str, number: str, document: str, values: Collection[str], which: str = ""
    ) -> dict[str, NDArray[np.float32]]:
        rows = self._rows(
            f"""
            select n.{column}, v.embedding from node n cross join vector v on v.number = {number}
            where n.document = (select key from document where id = :id)
              and n.{column} in (select value from json_each(:values)) {which}
            order by n.position
            """,
            {"id": storable(document), "values": json.dumps([storable(value) for value in values])},
        )
        return {value: np.frombuffer(data, np.float32) for value, data in rows}

    def vectors(self, keys: Collection[int]) -> dict[int, NDArray[np.float32]]:
        """The vectors of nodes, by key."""
        rows = self._rows(
            "select value, embedding from json_each(:keys) cross join vector on number = 2 * value",  # `in` reads all
            {"keys": json.dumps(list(keys))},
        )
        return {key: np.frombuffer(data, np.float32) for key, data in rows}

    def _insert_vectors(self, rows: Iterable[tuple[int, str, int, NDArray[np.float32]]]) -> None:
        """Adds vectors, each with its number, its part and its document's key; zeros stand for none."""
        self._db.executemany(
            "insert into vector (number, tier, document, embedding) values (?, ?, ?, ?)",
            (
                (number, part, document, np.asarray(vector, np.float32).tobytes())
                for number, part, document, vector in rows
                if vector.any()
            ),
        )

    def _remove_vectors(self, document: int) -> None:
        """Removes a document's vectors, one by one: to delete what is `in` some numbers reads the whole table."""
        for page in self._pages(document, "key, tier, image"):
            numbers = [2 * key for _, key, _, _ in page]
            numbers += [2 * key + 1 for _, key, tier, _ in page if tier == Tier.PARAGRAPH]
            numbers += [-key for _, key, _, image in page if image is not None]
            self._db.executemany("delete from vector where number = ?", [(number,) for number in numbers])

    def _settle_vectors(self, exact_below: int) -> None:
        """Makes inverted files of every part with so many vectors or more."""
        for tier in (Tier.SENTENCE, Tier.PARAGRAPH):
            for part in _PARTS[tier]:
                if self.size(tier) < exact_below:
                    self._unlist(part, self._ivf.suffix)
                    continue
                try:
                    self._settle(
                        self._ivf,
                        part,
                        least=exact_below,
                        count=partial(self._count, part),
                        make=partial(self._build_vectors, part),
                    )
                except OSError as error:
                    log.warning("search by meaning stays exact, and slower: %s", error)

    def _build_vectors(self, part: str, path: Path, first: int) -> None:
        """Writes an inverted file of a part's vectors from a node's key on."""
        blocks = partial(self._blocks, part, after=first - 1)
        ivf.build(path, blocks, self._count(part, first), self.dimensions)

    def _blocks(self, part: str, within: Within | None = None, *, after: int = 0) -> Iterator[Block]:
        """The vectors of a part, by sqlite-vec's own chunks: to ask it row by row or question by question takes longer.

        Those that were read are held, as far as the memory goes and until the file changes. `after`: only those of
        nodes with greater keys.
        """
        chunks = self._chunks(part, after)
        some = range(len(chunks.each)) if within is None else np.flatnonzero(within.meets(chunks.least, chunks.most))
        for chunk, numbers, places in (chunks.each[place] for place in some):
            chosen = slice(None) if within is None else within.of(_keys(part, numbers))
            if not isinstance(chosen, slice) and not chosen.any():
                continue
            rows = self._held.rows.get((chunk, after))
            if rows is None:
                [(data,)] = self._rows(_CHUNK_VECTORS, {"chunk": chunk})
                rows = np.frombuffer(data, np.float32).reshape(-1, self.dimensions)
                rows = rows if places is None else rows[places]
                self._held.hold((chunk, after), rows)
            yield numbers[chosen], rows[chosen]

    def _count(self, part: str, first: int = 0) -> int:
        """How many vectors a part has of nodes from a key on: to count rows takes sqlite-vec long."""
        return sum(len(numbers) for _, numbers, _ in self._chunks(part, first - 1).each)

    def _chunks(self, part: str, after: int = 0) -> Chunks:
        """Which vectors of nodes after a key stand in which chunk of sqlite-vec's tables, and where in it."""
        self._held.keep(f"{self.setting('state')} {self._rows('pragma data_version')[0][0]}")
        after = max(after, 0) if part != IMAGE else 0
        if (part, after) not in self._held.chunks:
            self._held.chunks[part, after] = self._found_chunks(part, after)
        return self._held.chunks[part, after]

    def _found_chunks(self, part: str, after: int) -> Chunks:
        found: list[Chunk] = []
        with self._turn, told(self.path), closing(self._db.execute(_CHUNKS, {"part": part})) as rows:
            for chunk, size, taken, numbers in rows:
                known = np.frombuffer(numbers, np.int64)
                is_there = np.unpackbits(np.frombuffer(taken, np.uint8), bitorder="little")[:size].astype(np.bool_)
                places = np.flatnonzero(is_there & (_keys(part, known) > after))
                if len(places) == len(known):
                    found.append((chunk, known, None))
                elif len(places):
                    found.append((chunk, known[places], places))
                if after and len(places) < np.count_nonzero(is_there):
                    break  # the chunks before it have lesser keys
        found.reverse()
        keys = [_keys(part, numbers) for _, numbers, _ in found]
        least, most = (np.array([limit(own) for own in keys], np.int64) for limit in (np.min, np.max))
        return Chunks(found, least, most)


def _there(segment: Segment, gone: Spans) -> NDArray[np.uint8] | None:
    """A bit for each number of a vector up to the last of a segment, 0 for what is gone; None where nothing is."""
    if not len(gone):
        return None
    there = np.full(segment.last // 4 + 1, 255, np.uint8)  # a byte has the bits of four keys
    for first, last in gone:
        some = slice(first // 4, last // 4 + 1)
        bits = np.unpackbits(there[some], bitorder="little")
        bits[2 * (first % 4) : 2 * (last - first // 4 * 4 + 1)] = 0
        there[some] = np.packbits(bits, bitorder="little")
    return there


def _keys(part: str, numbers: Numbers) -> Numbers:
    """The keys of the nodes that some vectors are of."""
    return -numbers if part == IMAGE else numbers // 2

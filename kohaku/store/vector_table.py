"""Vectors: one a node, searched exactly, or through an inverted file beside the index where there are many."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kohaku.store import inverted_file as ivf
from kohaku.store.beside import Beside
from kohaku.store.blocks import Block, nearest
from kohaku.store.file import MEMORY_MB
from kohaku.store.hits import Bounded, Hit, Numbers, Within, best_of
from kohaku.store.node_rows import NodeRows
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


# sqlite-vec 0.1.9, vec0's shadow tables: `validity` has a bit for each place that is taken, `rowids` its number.
_CHUNKS = "select chunk_id, size, validity, rowids from vector_chunks where partition00 = :part order by chunk_id"
_CHUNK_VECTORS = "select vectors from vector_vector_chunks00 where rowid = :chunk"
_PARTS: dict[Tier, tuple[str, ...]] = {tier: (tier.value,) for tier in Tier} | {Tier.PARAGRAPH: ("paragraph", "direct")}


class Held:
    """Chunks of vectors in memory, for one state of the file.

    A chunk is held from its second reading on: to touch fresh memory costs five times what reading it does, which a
    process that searches once would pay for nothing.
    """

    def __init__(self, most: int) -> None:
        self._most, self._bytes, self._state = most, 0, ""
        self.chunks: dict[str, Chunks] = {}
        self.rows: dict[int, Vectors] = {}
        self._met: set[int] = set()

    def keep(self, state: str) -> None:
        """Forgets what is of another state."""
        if state != self._state:
            self._state, self._bytes = state, 0
            self.chunks.clear()
            self.rows.clear()
            self._met.clear()

    def hold(self, chunk: int, rows: Vectors) -> None:
        """Takes a chunk that was read before, if no more bytes are held then than may be."""
        if chunk not in self._met:
            self._met.add(chunk)
        elif self._bytes + rows.nbytes <= self._most:
            self._bytes += rows.nbytes
            self.rows[chunk] = rows


class VectorTable(NodeRows, Bounded):
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
        """The vectors' neighbours by number with their cosines: by inverted file where there is one, else exactly."""
        found = self._ivf.of(part, self.setting("state") or "") if within is None else None
        if found is None:
            return nearest(self._blocks(part, within), rows, limit)
        return [scores if row.any() else {} for row, scores in zip(rows, found.search(rows, limit), strict=True)]

    def nearest_pictures(
        self, vectors: Vectors, limit: int, *, documents: Collection[str] | None = None
    ) -> list[list[Hit]]:
        """For each question's vector the figures whose pictures are nearest to it, best first; scores are cosines."""
        with self._snapshot():
            within = None if documents is None else self._within(Tier.PARAGRAPH, documents, None)
            found = nearest(self._blocks(IMAGE, within), np.asarray(vectors, np.float32), limit)
        return [best_of({-number: score for number, score in scores.items()}, limit) for scores in found]

    def picture_vectors(self, document: str) -> dict[str, NDArray[np.float32]]:
        """The vectors of a document's pictures, by the picture's hash."""
        rows = self._rows(
            """
            select n.image, v.embedding from node n join vector v on v.number = -n.key
            where n.document = (select key from document where id = :id) and n.image is not null
            """,
            {"id": storable(document)},
        )
        return {hash: np.frombuffer(data, np.float32) for hash, data in rows}

    def vectors(self, keys: Collection[int]) -> dict[int, NDArray[np.float32]]:
        """The vectors of nodes, by key."""
        rows = self._rows(
            "select number / 2, embedding from vector where number in (select 2 * value from json_each(:keys))",
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

    def _settle_vectors(self, state: str, exact_below: int) -> set[Path]:
        """Makes an inverted file of every part with so many vectors or more; the paths of those there are then."""
        wanted: set[Path] = set()
        large = [tier for tier in (Tier.SENTENCE, Tier.PARAGRAPH) if self.size(tier) >= exact_below]
        for part in (part for tier in large for part in _PARTS[tier]):
            count = self._count(part)
            if count >= exact_below:
                path = self._ivf.path(part, state)
                wanted.add(path)
                if ivf.opened(path) is None:
                    try:
                        with self._snapshot():
                            ivf.build(path, partial(self._blocks, part), count, self.dimensions)
                    except OSError as error:
                        log.warning("search by meaning stays exact, and slower: %s", error)
        return wanted

    def _blocks(self, part: str, within: Within | None = None) -> Iterator[Block]:
        """The vectors of a part, by sqlite-vec's own chunks: to ask it row by row or question by question takes longer.

        Those that were read are held, as far as the memory goes and until the file changes.
        """
        chunks = self._chunks(part)
        some = range(len(chunks.each)) if within is None else np.flatnonzero(within.meets(chunks.least, chunks.most))
        for chunk, numbers, places in (chunks.each[place] for place in some):
            chosen = slice(None) if within is None else within.of(_keys(part, numbers))
            if not isinstance(chosen, slice) and not chosen.any():
                continue
            rows = self._held.rows.get(chunk)
            if rows is None:
                [(data,)] = self._rows(_CHUNK_VECTORS, {"chunk": chunk})
                rows = np.frombuffer(data, np.float32).reshape(-1, self.dimensions)
                rows = rows if places is None else rows[places]
                self._held.hold(chunk, rows)
            yield numbers[chosen], rows[chosen]

    def _count(self, part: str) -> int:
        """How many vectors a part has: to count rows takes sqlite-vec long."""
        return sum(len(numbers) for _, numbers, _ in self._chunks(part).each)

    def _chunks(self, part: str) -> Chunks:
        """Which vectors stand in which chunk of sqlite-vec's tables, and where in it."""
        self._held.keep(f"{self.setting('state')} {self._rows('pragma data_version')[0][0]}")
        if part not in self._held.chunks:
            found: list[Chunk] = []
            for chunk, size, taken, numbers in self._rows(_CHUNKS, {"part": part}):
                known = np.frombuffer(numbers, np.int64)
                places = np.flatnonzero(np.unpackbits(np.frombuffer(taken, np.uint8), bitorder="little")[:size])
                if len(places) == len(known):
                    found.append((chunk, known, None))
                elif len(places):
                    found.append((chunk, known[places], places))
            keys = [_keys(part, numbers) for _, numbers, _ in found]
            least, most = (np.array([limit(own) for own in keys], np.int64) for limit in (np.min, np.max))
            self._held.chunks[part] = Chunks(found, least, most)
        return self._held.chunks[part]


def _keys(part: str, numbers: Numbers) -> Numbers:
    """The keys of the nodes that some vectors are of."""
    return -numbers if part == IMAGE else numbers // 2

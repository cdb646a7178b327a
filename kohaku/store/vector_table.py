"""Vectors: one a node, searched exactly, or through an inverted file beside the index where there are many."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kohaku.store import inverted_file as ivf
from kohaku.store.hits import OF_KINDS, Bounded, Hit, best_of
from kohaku.store.node_rows import NodeRows
from kohaku.tree import Kind, Tier, Vectors

log = logging.getLogger("kohaku")

MOST = 4096  # sqlite-vec's largest k
IVF = ".ivf"
BLOCK = 16_384  # vectors read at once
_PARTS: dict[Tier, tuple[str, ...]] = {tier: (tier.value,) for tier in Tier} | {Tier.PARAGRAPH: ("paragraph", "direct")}


class VectorTable(NodeRows, Bounded):
    """A file's vectors."""

    def __init__(self, db: Any, path: Path, *, writable: bool) -> None:
        super().__init__(db, path, writable=writable)
        self._ivf: dict[str, tuple[str, ivf.InvertedFile]] = {}

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
                within.append(f"and number in (select 2 * key + (:tier = 'direct') from ({OF_KINDS[tier]}))")
            bound = self._bound(documents, kinds)
            parts = [self._nearest(part, vectors, limit, " ".join(within), bound) for part in _PARTS[tier]]
        results: list[list[Hit]] = []
        for found in zip(*parts, strict=True):
            best: dict[int, float] = {}
            for number, score in (pair for scores in found for pair in scores.items()):
                best[number // 2] = max(best.get(number // 2, -1.0), score)
            results.append(best_of(best, limit))
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

    def vectors(self, keys: Collection[int]) -> dict[int, NDArray[np.float32]]:
        """The vectors of nodes, by key."""
        rows = self._rows(
            "select number / 2, embedding from vector where number in (select 2 * value from json_each(:keys))",
            {"keys": json.dumps(list(keys))},
        )
        return {key: np.frombuffer(data, np.float32) for key, data in rows}

    def _insert_vector(self, number: int, tier: str, document: int, vector: NDArray[np.float32]) -> None:
        if vector.any():
            self._db.execute(
                "insert into vector (number, tier, document, embedding) values (?, ?, ?, ?)",
                (number, tier, document, np.asarray(vector, np.float32).tobytes()),
            )

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

"""What a search finds, and what it is kept to."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kohaku.store.file import File
from kohaku.text import storable
from kohaku.tree import Kind, Tier

Numbers = NDArray[np.int64]
Within = Callable[[Numbers], NDArray[np.bool_]]
"""Tells which of some keys are searched."""

# The nodes of a tier that are paragraphs of some kinds, or sentences of such.
OF_KINDS = {
    Tier.PARAGRAPH: """
        select key from node where tier = 'paragraph' and kind in (select value from json_each(:kinds))
    """,
    Tier.SENTENCE: """
        select s.key from node s join node p on p.document = s.document and p.position = s.parent
        where s.tier = 'sentence' and p.kind in (select value from json_each(:kinds))
    """,
}


@dataclass(frozen=True, slots=True)
class Hit:
    """A node (by key) that a search found; the greater the score the better."""

    key: int
    score: float


def best_of(scores: Mapping[int, float], limit: int) -> list[Hit]:
    """The best of scores by key, best first, equal ones by key."""
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Hit(key, score) for key, score in ranked[:limit]]


class Bounded(File):
    """A file whose searches can be kept to documents and kinds of paragraphs."""

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

    def _within(self, tier: Tier, documents: Collection[str] | None, kinds: Collection[Kind] | None) -> Within:
        """Tells which of a tier's keys a search may find."""
        bound = self._bound(documents, kinds)
        tests: list[Within] = []
        if documents is not None:
            spans = self._rows(
                """
                select key, key + last from node
                where position = 0 and document in (select value from json_each(:documents)) order by key
                """,
                bound,
            )
            firsts, lasts = np.array(spans, np.int64).reshape(-1, 2).T
            tests.append(lambda keys: np.searchsorted(firsts, keys, "right") > np.searchsorted(lasts, keys, "left"))
        if kinds is not None:
            wanted = np.array([key for (key,) in self._rows(OF_KINDS[tier], bound)], np.int64)
            tests.append(lambda keys: np.isin(keys, wanted))
        return lambda keys: np.logical_and.reduce([test(keys) for test in tests])

"""What a search finds, and what it is kept to."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kohaku.store.file import File
from kohaku.text import storable
from kohaku.tree import Kind, Tier

Numbers = NDArray[np.int64]

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
class Within:
    """Which keys are searched: those in a span from `firsts` to `lasts` (rising), of these the `wanted`; None: all."""

    firsts: Numbers
    lasts: Numbers
    wanted: Numbers | None = None

    def of(self, keys: Numbers) -> NDArray[np.bool_]:
        """Which of some keys are searched."""
        spanned = np.searchsorted(self.firsts, keys, "right") > np.searchsorted(self.lasts, keys, "left")
        return spanned if self.wanted is None else spanned & np.isin(keys, self.wanted)

    def of_rising(self, keys: Numbers) -> NDArray[np.bool_]:
        """The same of keys that rise: of millions, a few spans take no time."""
        steps = np.zeros(len(keys) + 1, np.int32)
        np.add.at(steps, np.searchsorted(keys, self.firsts, "left"), 1)
        np.add.at(steps, np.searchsorted(keys, self.lasts, "right"), -1)
        spanned = np.cumsum(steps[:-1]).astype(np.bool_)
        return spanned if self.wanted is None else spanned & np.isin(keys, self.wanted)

    def meets(self, least: Numbers, most: Numbers) -> NDArray[np.bool_]:
        """Which ranges of keys, each from its least to its most, may hold one that is searched."""
        return np.searchsorted(self.lasts, least, "left") < np.searchsorted(self.firsts, most, "right")


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
        """Which of a tier's keys a search may find."""
        bound = self._bound(documents, kinds)
        spans: list[tuple[int, int]] = [(0, np.iinfo(np.int64).max)]
        if documents is not None:
            spans = self._rows(
                """
                select key, key + last from node
                where position = 0 and document in (select value from json_each(:documents)) order by key
                """,
                bound,
            )
        firsts, lasts = np.array(spans, np.int64).reshape(-1, 2).T
        wanted = [key for (key,) in self._rows(OF_KINDS[tier], bound)] if kinds is not None else None
        return Within(firsts, lasts, None if wanted is None else np.array(wanted, np.int64))

"""Texts that say the same: a paragraph in two versions of a paper, an abstract that is printed twice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from kohaku.words import fold

ALIKE = 0.92  # of two texts' words, in order: what line breaks, hyphens and reviewers change in a paragraph
FEWEST = 8  # words; shorter texts must be the same, since each of their words may be what they say

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?|[〇零一二三四五六七八九十百千万億亿兆]+")
_NEGATION = frozenset({"no", "non", "not", "never", "neither", "nor", "none", "without", "t", "nicht", "kein", "pas"})


@dataclass(frozen=True, slots=True)
class _Profile:
    """What texts are compared by: their words in order, and what two texts that say the same never differ in."""

    words: tuple[str, ...]
    facts: tuple[tuple[str, ...], ...]


def alike(one: str, other: str) -> bool:
    """Whether two texts say the same in the same words: no number, no name and no "not" may differ.

    >>> alike("In May we trained it for 30 days on the cluster.", "In May we trained it for 30 days on  the cluster")
    True
    >>> alike("In May we trained it for 30 days on the cluster.", "In May we trained it for 31 days on the cluster.")
    False
    """
    mine, theirs = _profile(one), _profile(other)
    if mine.words == theirs.words:
        return bool(mine.words)
    if min(len(mine.words), len(theirs.words)) < FEWEST or mine.facts != theirs.facts:
        return False
    from rapidfuzz.distance import Indel

    return Indel.normalized_similarity(mine.words, theirs.words, score_cutoff=ALIKE) > 0


def facts(text: str) -> tuple[tuple[str, ...], ...]:
    """What texts that are alike share: their numbers, and how often each says "not"."""
    return _profile(text).facts[:2]


@lru_cache(maxsize=4096)
def _profile(text: str) -> _Profile:
    folded = fold(text)
    written = _WORD.findall(folded)
    words = tuple(word.casefold() for word in written)
    names = tuple(sorted({word for word in written if word[0].isupper()}))
    numbers = tuple(sorted(_NUMBER.findall(folded.casefold())))
    return _Profile(words, (numbers, tuple(sorted(word for word in words if word in _NEGATION)), names))

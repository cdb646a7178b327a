"""The numbers of a text as they may be meant: with their table's scale, and in brackets for less than nothing."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from answerer.cells import Scale, is_unscaled, scale_of
from answerer.grid import LONGEST_LINE, Place, is_row, place_at
from answerer.quantities import SPELLED, Quantity, quantities, spelled, without_pointers
from answerer.units import Unit, plain, unit, unit_at
from kohaku.words import is_year

FRACTIONS = {"half": "0.5", "twice": "2", "double": "2", "doubled": "2", "triple": "3"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text, where its line stands, and the scale of its table, None where there is none.

    `place` is where it stands in a table; its unit is then the quantity's, where it has none of its own. `beside` are
    the words after it that may be a unit; `falls`: whether brackets, as in accounts, or words of its line may make it
    negative.
    """

    quantity: Quantity
    line: tuple[int, int]
    scale: Scale | None = None
    place: Place | None = None
    beside: tuple[str, ...] = ()
    falls: bool = False


_LINE = re.compile(r"(?<=[.!?])\s+(?=[\"“(\[]?[^\Wa-z_])|\n+|(?<=[。！？])")
_IN_BRACKETS = re.compile(r"(?:[$€£¥]\s?)?\(\s?[$€£¥]?\s?[\d,.]+\s?%?\s?\)")
_UNIT_BESIDE = re.compile(r"\s?([°A-Za-zµ][\w°]*(?:/[A-Za-z]\w*)?[²³]?)(?:[\s-]([A-Za-z]\w*))?")
_UNIT_WORD = re.compile(r"(?<![\w.])[^\W\d_][\w²³°%/]*")
_BARE = re.compile(r"(?<!\S)[$€£¥(]?[\d,]*\.?\d+%?\)?(?!\S)")
MANY = 4  # numbers in a line that stand there without words between most of them
_FALLS = re.compile(
    r"\b(?:fell|fall\w*|los[ts]\w*|declin\w*|decreas\w*|reduc\w*|drop\w*|negative|below|minus|less|lower\w*|deficit)\b",
    re.I,
)
_FRACTION = re.compile(
    r"\b(?:(?P<many>one|two|three|a)[\s-])?(?P<name>third|quarter)s?\b|\b(?P<alone>half|twice|double|doubled|triple)\b",
    re.I,
)


@lru_cache(maxsize=512)
def numbers(text: str, over: str = "") -> tuple[Number, ...]:
    """All numbers of a text in digits or words, tables' with their scale, but no marks of notes and figures.

    `over` is what stands over all of the text and may name the scale of its tables.

    >>> found = numbers("(in millions)\\n| | 2023 |\\n| --- | --- |\\n| Sales | 5 |")
    >>> [(str(one.quantity.low), one.scale.factor) for one in found if one.scale]
    [('5', 1000000)]
    """
    masked = without_pointers(text)
    shares = list(_shares(masked))
    rest = _blanked(masked, shares)
    found = [*shares, *quantities(rest), *spelled(rest), *_fractions(rest)]
    over_rows = _Over(text, over)
    about = {line: _about(text, line, over_rows) for line in lines(text)}
    return tuple(_number(text, one, over, about) for one in sorted(found, key=lambda one: one.start))


def amounts(text: str) -> frozenset[Decimal]:
    """The numbers of a text, however they are spelt; of a range both ends.

    >>> amounts("1.5 thousand") == amounts("1,500"), amounts("10-20") == amounts("10-30")
    (True, False)
    """
    return frozenset(end for one in numbers(text) for end in (one.quantity.low, one.quantity.high))


class _About(NamedTuple):
    """What a line says of all its numbers: their scale, where it is a table's row, and whether they may be negative."""

    scale: Scale | None
    falls: bool


def _about(text: str, line: tuple[int, int], over: _Over) -> _About:
    words = text[slice(*line)]
    scale = (scale_of(words) or over.scale(line[0])) if _is_tabular(words) else None
    return _About(scale, _FALLS.search(words) is not None)


def _number(text: str, one: Quantity, over: str, about: Mapping[tuple[int, int], _About]) -> Number:
    line = line_at(text, one.start) or (one.start, one.end)
    said = about.get(line) or _About(None, falls=False)
    place = place_at(text, one.start)
    scale = said.scale
    if place is not None:
        scale = place.scale() or (None if is_unscaled(place.label, place.head) else scale_of(over))
        named = place.unit() if one.unit is None and not _is_year(text, one) else None
        one = replace(one, unit=named) if named else one
    if one.scale != 1 or _is_year(text, one) or (one.unit is not None and one.unit.dimension == "share"):
        scale = None
    bracketed = _IN_BRACKETS.search(text, max(0, one.start - 4), one.end + 4) is not None
    unit = _UNIT_BESIDE.match(text, one.end) if one.unit is None else None
    beside = (f"{unit[1]} {unit[2]}", unit[1]) if unit and unit[2] else (unit[1],) if unit else ()
    return Number(one, line, scale, place, beside, bracketed or said.falls)


def _is_tabular(line: str) -> bool:
    """Whether a line is a table's row, also one that was read as text: names and many numbers."""
    return is_row(line) or len(_BARE.findall(line)) >= MANY


@lru_cache(maxsize=1024)
def row_unit(line: str, dimension: str) -> Unit | None:
    """The one unit of a dimension that the labels of a table's row name, for its bare numbers; None for other lines.

    >>> row_unit("Net tCO 2 e 96.4 4.3 46.7 59.1", "mass") == unit_at("t", 0)[0]
    True
    """
    if not _is_tabular(line):
        return None
    found = {named for match in _UNIT_WORD.finditer(line) if (named := unit_at(line, match.start()))}
    units = {named for named, _ in found if named.dimension == dimension}
    return units.pop() if len(units) == 1 else None


def _is_year(text: str, one: Quantity) -> bool:
    return is_year(text[one.start : one.end]) and one.unit is None


@lru_cache(maxsize=512)
def lines(text: str) -> tuple[tuple[int, int], ...]:
    """Where sentences and lines stand; what no writer ends is cut, so that all that is said of a line is soon said.

    >>> lines("It rose.  Then it fell.")
    ((0, 8), (10, 23))
    """
    cuts = [match.span() for match in _LINE.finditer(text)]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)]
    return tuple(piece for start, end in zip(starts, ends, strict=True) for piece in pieces(text, start, end))


LONGEST_SENTENCE = 2000  # characters: none is as long


def pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A line in pieces that are no longer than any sentence is, cut at blanks where it has some."""
    while end - start > LONGEST_SENTENCE:
        cut = text.rfind(" ", start + LONGEST_SENTENCE // 2, start + LONGEST_SENTENCE) + 1 or start + LONGEST_SENTENCE
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def line_at(text: str, place: int) -> tuple[int, int] | None:
    """The line that covers a place in a text, None between two."""
    found = lines(text)
    at = bisect_right(found, (place, len(text))) - 1
    return found[at] if at >= 0 and place < found[at][1] else None


class _Over:
    """The scales that lines over the rows of plain text name, those that are no sentences about something."""

    def __init__(self, text: str, over: str) -> None:
        self._text, self._all = text, scale_of(over)
        self._starts: list[int] = []
        self._scales: list[Scale] = []
        start = 0
        for line in text.split("\n"):
            scale = scale_of(line) if line.strip() and len(line) <= LONGEST_LINE else None
            if scale is not None:
                self._starts.append(start + len(line))
                self._scales.append(scale)
            start += len(line) + 1

    def scale(self, place: int) -> Scale | None:
        """The scale for a row that begins at a place: of the nearest line over it, else of what is over all."""
        begins = self._text.rfind("\n", 0, place) + 1
        own = scale_of(self._text[begins:place]) if place - begins <= LONGEST_LINE else None
        at = bisect_left(self._starts, place) - 1
        return own or (self._scales[at] if at >= 0 else None) or self._all


def _fractions(text: str) -> Iterator[Quantity]:
    """Fractions and multiples in words: "a quarter", "two thirds", "twice"."""
    many = {"one": 1, "a": 1, "two": 2, "three": 3}
    for match in _FRACTION.finditer(text):
        if match["alone"]:
            yield _plain(match, Decimal(FRACTIONS[match["alone"].lower()]))
        elif match["many"]:
            part = Decimal("0.25") if match["name"].lower() == "quarter" else Decimal(1) / 3
            yield _plain(match, part * many[match["many"].lower()])


def _blanked(text: str, found: Sequence[Quantity]) -> str:
    """The text of the same length without some quantities."""
    edges = [0, *(edge for one in found for edge in (one.start, one.end)), len(text)]
    return "".join(
        text[start:end] if at % 2 == 0 else " " * (end - start) for at, (start, end) in enumerate(pairwise(edges))
    )


def _shares(text: str) -> Iterator[Quantity]:
    """Shares as so many of so many, in percent: "three in five households", "2/3 of the members"."""
    for match in _SHARE.finditer(text):
        words = match["some"].lower(), match["all"].lower()
        some, all_of = (SPELLED[word] if word in SPELLED else int(word) for word in words)
        if some < all_of:
            part = plain(Decimal(100 * some) / all_of)
            yield Quantity(match.start(), match.end(), part, part, unit=unit("percent"))


_COUNT = rf"(?:\d{{1,3}}|{'|'.join(SPELLED)})"
_SHARE = re.compile(
    rf"(?<![\w.,/])(?P<some>{_COUNT})(?:\s(?:in|out\sof)\s(?:every\s)?|/)(?P<all>{_COUNT})"
    r"(?=\s[a-z])(?!\s(?:years?|months?|days?|hours?)\b)",
    re.IGNORECASE,
)


def _plain(match: re.Match[str], value: Decimal) -> Quantity:
    return Quantity(match.start(), match.end(), value, value)

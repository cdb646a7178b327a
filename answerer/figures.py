"""The numbers of a text as they may be meant: with their table's scale, and in brackets for less than nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from answerer.cells import Scale, is_unscaled, scale_of
from answerer.grid import LONGEST_LINE, Place, place_at
from answerer.quantities import Quantity, quantities, spelled, without_pointers
from answerer.units import Unit, unit_at
from kohaku import rows
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
    all_lines = lines(text)
    found = [*quantities(masked), *spelled(masked), *_fractions(masked)]
    return tuple(_number(text, one, all_lines, over) for one in sorted(found, key=lambda one: one.start))


def amounts(text: str) -> frozenset[Decimal]:
    """The numbers of a text, however they are spelt; of a range both ends.

    >>> amounts("1.5 thousand") == amounts("1,500"), amounts("10-20") == amounts("10-30")
    (True, False)
    """
    return frozenset(end for one in numbers(text) for end in (one.quantity.low, one.quantity.high))


def _number(text: str, one: Quantity, all_lines: Sequence[tuple[int, int]], over: str) -> Number:
    line = next((line for line in all_lines if line[0] <= one.start < line[1]), (one.start, one.end))
    words = text[slice(*line)]
    place = place_at(text, one.start)
    scale = None
    if place is not None:
        scale = place.scale() or (None if is_unscaled(place.label, place.head) else scale_of(over))
        named = place.unit() if one.unit is None and not _is_year(text, one) else None
        one = replace(one, unit=named) if named else one
    elif _is_tabular(words):
        scale = scale_of(words) or _scale_over(text, line[0]) or scale_of(over)
    if one.scale != 1 or _is_year(text, one) or (one.unit is not None and one.unit.dimension == "share"):
        scale = None
    bracketed = _IN_BRACKETS.search(text, max(0, one.start - 4), one.end + 4) is not None
    unit = _UNIT_BESIDE.match(text, one.end) if one.unit is None else None
    beside = (f"{unit[1]} {unit[2]}", unit[1]) if unit and unit[2] else (unit[1],) if unit else ()
    return Number(one, line, scale, place, beside, bracketed or _FALLS.search(words) is not None)


def _is_tabular(line: str) -> bool:
    """Whether a line is a table's row, also one that was read as text: names and many numbers."""
    return line.startswith("|") or rows.is_row(line) or len(_BARE.findall(line)) >= MANY


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


def lines(text: str) -> list[tuple[int, int]]:
    """Where sentences and lines stand."""
    cuts = [match.span() for match in _LINE.finditer(text)]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def _scale_over(text: str, start: int) -> Scale | None:
    """The scale that the nearest line over a row of plain text names, which is no sentence about something."""
    over = [line for line in text[:start].split("\n") if line.strip()]
    return next((scale for line in reversed(over) if len(line) <= LONGEST_LINE and (scale := scale_of(line))), None)


def _fractions(text: str) -> Iterator[Quantity]:
    """Fractions and multiples in words: "a quarter", "two thirds", "twice"."""
    many = {"one": 1, "a": 1, "two": 2, "three": 3}
    for match in _FRACTION.finditer(text):
        if match["alone"]:
            yield _plain(match, Decimal(FRACTIONS[match["alone"].lower()]))
        elif match["many"]:
            part = Decimal("0.25") if match["name"].lower() == "quarter" else Decimal(1) / 3
            yield _plain(match, part * many[match["many"].lower()])


def _plain(match: re.Match[str], value: Decimal) -> Quantity:
    return Quantity(match.start(), match.end(), value, value)

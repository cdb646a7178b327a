"""The periods that a text speaks of: a quarter is not a year, and what is compared with is not what is told."""

from __future__ import annotations

import re
from enum import StrEnum

from kohaku.words import stem


class Period(StrEnum):
    """How long the time is that a figure is of."""

    QUARTER = "quarter"
    HALF = "half"
    NINE_MONTHS = "nine months"
    YEAR = "year"


_LENGTHS = {
    Period.QUARTER: r"\b(?:three|3)[\s-]months?\b|\b1[2-4][\s-]weeks?\b|\bquarter(?:s|ly)?\b|\bQ[1-4]\b|\b[1-4]Q\b",
    Period.HALF: r"\b(?:six|6)[\s-]months?\b|\b2[4-7][\s-]weeks?\b|\bhalf[\s-]year|\b(?:first|second) half\b|\bH[12]\b",
    Period.NINE_MONTHS: r"\b(?:nine|9)[\s-]months?\b|\b(?:36|39|40)[\s-]weeks?\b",
    Period.YEAR: r"\b(?:twelve|12)[\s-]months?\b|\b5[23][\s-]weeks?\b|\byears? ended\b|\bfull[\s-]year\b|\bannual\b",
}
_PATTERNS = {period: re.compile(pattern, re.IGNORECASE) for period, pattern in _LENGTHS.items()}
ORDINALS = ("first", "second", "third", "fourth")
_QUARTER = re.compile(rf"\b(?P<word>{'|'.join(ORDINALS)})[\s-]quarter\b|\bQ(?P<after>[1-4])|\b(?P<before>[1-4])Q", re.I)
_COMPARED = re.compile(
    r",?\s(?:as )?compar(?:ed|ing) (?:to|with)\b|,?\s(?:versus|vs\.?|as against)\s|,?\s(?:up|down) from\b",
    re.IGNORECASE,
)
MONTHS = tuple(
    re.findall(r"\w+", "january february march april may june july august september october november december")
)
MONTH = "|".join(map(str.capitalize, MONTHS))
"""A pattern for the name of a month."""
WORDS = frozenset(
    map(
        stem,
        [
            "fiscal",
            "quarter",
            "year",
            "month",
            "week",
            "end",
            "ended",
            "annual",
            "half",
            "first",
            "second",
            "third",
            "fourth",
        ],
    )
)
"""Stems of words that name periods, not things."""


def periods(text: str) -> frozenset[Period]:
    """The lengths of the periods that a text names.

    >>> sorted(periods("Three Months Ended › July 29, 2023")), sorted(periods("52 weeks"))
    ([<Period.QUARTER: 'quarter'>], [<Period.YEAR: 'year'>])
    """
    return frozenset(period for period, pattern in _PATTERNS.items() if pattern.search(text))


def quarters(text: str) -> frozenset[int]:
    """The quarters of a year that a text names by number.

    >>> sorted(quarters("Q2 and the third quarter"))
    [2, 3]
    """
    return frozenset(
        ORDINALS.index(found["word"].lower()) + 1 if found["word"] else int(found["after"] or found["before"])
        for found in _QUARTER.finditer(text)
    )


def halves(text: str) -> frozenset[int]:
    """The halves of a year that a text names by number.

    >>> sorted(halves("H1 and the second half")), sorted(halves("the first quarter"))
    ([1, 2], [])
    """
    return frozenset(
        int(found[1]) if found[1] else ORDINALS.index(found[2].lower()) + 1 for found in _HALF.finditer(text)
    )


_HALF = re.compile(r"\bH([12])\b|\b(first|second)[\s-]half\b", re.IGNORECASE)


def is_of_another(question: str, text: str, *, of_years: bool) -> bool:
    """Whether a text names periods, and none that the question means; one that names a year alone means all of it."""
    held = periods(text)
    asked = periods(question) or (frozenset({Period.YEAR}) if of_years else frozenset())
    if asked and held and not asked & held:
        return True
    numbered, named = quarters(question), quarters(text)
    return bool(numbered and named and not numbered & named)


def compared(text: str) -> tuple[int, int]:
    """Where what a sentence only compares with begins and ends; an empty span at its end where it compares nothing.

    >>> text = "Sales were 5 in 2022, compared to 4 in 2021, as prices rose."
    >>> text[slice(*compared(text))]
    ', compared to 4 in 2021'
    """
    found = _COMPARED.search(text)
    if found is None:
        return len(text), len(text)
    stop = re.compile(r"[,;](?!\d)(?!\s(?:19|20)\d\d)").search(text, found.end())
    return found.start(), stop.start() if stop else len(text)


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_VALUES = re.compile(r"(?:[$€£¥(]\s?)?\d[\d.,]*\)?\s?(?:%|[a-z]+illion)?(?:,? and |, )(?=[$€£¥(]?\s?\d)", re.IGNORECASE)
_ONE_VALUE = re.compile(r"\d[\d.,]*\d|\d")


def is_paired_with_another(text: str, place: int, question: str) -> bool:
    """Whether "respectively" gives the value at a place to another year or period than the question's.

    >>> text = "In 2022 and 2021, sales were $7 million and $5 million, respectively."
    >>> [is_paired_with_another(text, text.index(sum), "What were sales in 2022?") for sum in ("$7", "$5")]
    [False, True]
    """
    end = text.find("respectively", place)
    if end < 0:
        return False
    listed = _list_around(text, place)
    for found in (_years_listed(text, listed), _periods_listed(text)):
        meant = [at for at, pattern in enumerate(found) if pattern.search(question)]
        if len(found) == len(listed) > 1 and len(meant) == 1:
            return not any(start <= place < stop for start, stop in listed[meant[0] : meant[0] + 1])
    return False


def _list_around(text: str, place: int) -> list[tuple[int, int]]:
    """The spans of the values of the list that a place stands in, each up to the next."""
    chains: list[list[tuple[int, int]]] = []
    for match in _VALUES.finditer(text):
        if chains and chains[-1][-1][1] == match.start():
            chains[-1].append(match.span())
        else:
            chains.append([match.span()])
    for chain in chains:
        last = _ONE_VALUE.search(text, chain[-1][1])
        spans = [*chain, (chain[-1][1], last.end() if last else len(text))]
        if spans[0][0] <= place < spans[-1][1]:
            return spans
    return []


def _years_listed(text: str, but: list[tuple[int, int]]) -> list[re.Pattern[str]]:
    found = dict.fromkeys(
        match[0] for match in _YEAR.finditer(text) if not any(start <= match.start() < end for start, end in but)
    )
    return [re.compile(rf"\b{year}\b") for year in found]


def _periods_listed(text: str) -> list[re.Pattern[str]]:
    places = {
        found.start(): pattern
        for period, pattern in _PATTERNS.items()
        if period is not Period.YEAR and (found := pattern.search(text))
    }
    return [pattern for _, pattern in sorted(places.items())]

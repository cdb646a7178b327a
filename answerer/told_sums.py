"""Arithmetic that an explanation tells in words: "the difference between 75 and 20"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise, permutations

from answerer.arithmetic import Sum
from answerer.quantities import Quantity, ends, quantities

MOST_TOLD = 6
"""Numbers among which an operation told in words is tried: of more, some pair gives nearly any value."""
_DIFFERENCE = re.compile(
    r"\b(?:differen\w+|subtract\w*|minus|more than|less than|fewer|higher|lower|rose|fell|gap|increas\w*|decreas\w*|"
    r"reduc\w*|drop\w*|sav\w+)\b",
    re.I,
)
_RATIO = re.compile(
    r"\b(?:ratio|divid\w+|times|factor|fold|per|out of|relative to|compared|multiple|average)\b|/|÷", re.I
)
_PERCENT = re.compile(r"%|\bper\s?cent\w*\b|\bshare\b|\bfraction\b|\bproportion\b", re.I)
_SUM = re.compile(r"\b(?:sum\w*|total\w*|add\w*|together|combin\w+|plus|altogether)\b", re.I)
_PRODUCT = re.compile(r"\b(?:product|multipl\w+|times)\b|×", re.I)
_MEAN = re.compile(r"\b(?:average\w*|mean|midpoint)\b", re.I)


def told(text: str) -> list[Sum]:
    """The sums that a text may tell in words: each pair of its numbers under the operations that its words name.

    >>> [str(found.results[0]) for found in told("The difference between 75 and 20 trees.") if found.text == "75 - 20"]
    ['55']
    """
    numbers = [part for one in quantities(text) for part in (ends(text, one) if one.is_range else (one,))]
    distinct = list({one.low: one for one in numbers}.values())
    if not 2 <= len(distinct) <= MOST_TOLD:
        return []
    found = [one for pair in permutations(distinct, 2) for one in _pairs(text, *pair)]
    whole = sum((one.low for one in distinct), Decimal(0))
    if _SUM.search(text):
        found.append(Sum(" + ".join(str(one.low) for one in distinct), tuple(distinct), (whole,)))
        found += [
            Sum(f"{one.low} + {other.low}", (one, other), (one.low + other.low,)) for one, other in pairwise(distinct)
        ]
    if _MEAN.search(text):
        found.append(Sum(f"mean of {len(distinct)}", tuple(distinct), (whole / len(distinct),)))
    return found


def _pairs(text: str, one: Quantity, other: Quantity) -> Iterator[Sum]:
    a, b = one.low, other.low
    if _DIFFERENCE.search(text) and a > b:
        yield Sum(f"{a} - {b}", (one, other), (a - b,))
    if _PRODUCT.search(text) and a > b:
        yield Sum(f"{a} × {b}", (one, other), (a * b,))
    if b and _RATIO.search(text):
        yield Sum(f"{a} / {b}", (one, other), (a / b,))
    if b and _PERCENT.search(text):
        yield Sum(f"{a} / {b} × 100", (one, other), (a / b * 100,))
        if _DIFFERENCE.search(text) or "→" in text:
            yield Sum(f"({a} - {b}) / {b} × 100", (one, other), ((a - b) / b * 100, (b - a) / b * 100))

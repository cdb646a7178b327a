"""Whether a number or a range follows from numbers of the cited text by the arithmetic that an answer shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from answerer.aim import aim
from answerer.amounts import over
from answerer.answer import Grounding, How, Span
from answerer.arithmetic import Sum, agree, sums
from answerer.attached.counted import counted
from answerer.attached.said import clause, said
from answerer.attached.tables import of_other_column, of_other_row
from answerer.changes import State
from answerer.figures import Number, numbers
from answerer.grid import Place
from answerer.quantities import Quantity, quantities, spelled
from answerer.readings import bare
from answerer.told_sums import told
from answerer.units import is_money
from answerer.values import Value
from answerer.where import Where, held


@dataclass(frozen=True, slots=True)
class _Operand:
    """Where a number of a sum stands, and the scale of its table where the sum leaves it out."""

    spans: tuple[Span, ...]
    scale: int = 1
    text: str = ""
    number: Number | None = None

    @property
    def place(self) -> Place | None:
        """Where it stands in a table."""
        return self.number.place if self.number is not None else None


def computed(where: Where, wanted: Value, shown: str) -> Grounding | None:
    """The value as the result of arithmetic that the answer shows, each of its numbers found; None where it is none."""
    if wanted.low is None or wanted.high is None:
        return None
    spans: list[Span] = []
    notes: list[str] = []
    derived: list[tuple[Decimal, _Operand]] = []
    ends = dict.fromkeys((wanted.low, wanted.high))
    for one in (*sums(shown), *told(shown)):
        held = _operands(where, one, derived)
        if held is None or _is_no_share(where, one, shown) or one.is_wrong(where.unit()):
            continue
        fits = _is_asked(where, one)
        derived += [(result, held) for result in one.results] + [
            (stated.low, held) for stated in one.stated if any(agree(result, stated.low) for result in one.results)
        ]
        for end in ends:
            if not fits or end in {operand.low for operand in one.operands} or not _gives(where, one, end, held.scale):
                continue
            notes.append(f"{one.text} = {end:f}")
            spans += held.spans
            ends = {other: None for other in ends if other != end}
        if not ends:
            return Grounding(How.COMPUTED, tuple(dict.fromkeys(spans)), "; ".join(notes))
    return None


def _gives(where: Where, one: Sum, value: Decimal, scale: int) -> bool:
    """Whether a value comes out of a sum: times its table's scale, where that is left out and nothing is divided."""
    unit = where.unit()
    factor = Decimal(1)
    if unit is not None:
        factor = Decimal(scale) / (unit.factor if is_money(unit) or not unit.known else 1)
    if one.scales or "/" in one.text or factor == 1:
        return one.gives(value, unit)
    return any(agree(result * factor, value) for result in one.results) or any(
        agree(end, value) for stated in one.stated if stated.scale > 1 and unit for end in stated.amounts(unit) or ()
    )


def _is_no_share(where: Where, one: Sum, shown: str) -> bool:
    """Whether a share is asked for, and counts are only added or subtracted."""
    return _asks_share(where) and not (one.scales or "/" in one.text or _PERCENT.search(shown))


def _asks_share(where: Where) -> bool:
    unit = where.unit()
    return unit is not None and unit.dimension == "share"


def _is_asked(where: Where, one: Sum) -> bool:
    """Whether what a sum does may be what is asked: numbers that are but added are no difference, unless one of them
    is less than nothing, and those that are but added or subtracted no ratio and no average.
    """
    question = where.question.text
    is_change = aim(where.question).states == {State.DIFFERENCE}
    if one.scales or "/" in one.text:
        return not (is_change and _asks_share(where) and _is_no_change(one, question)) and not (
            one.is_mean and _OF_BOTH.search(question) and not _DIVIDED.search(question)
        )
    if is_change:
        return not one.is_addition or any(_falls_below(where, operand) for operand in one.operands)
    if one.is_subtraction and _WHOLE.search(question) and not _LESS.search(question):
        return any(_falls_below(where, operand) for operand in one.operands)
    return _OF_BOTH.search(question) is not None or _DIVIDED.search(question) is None or "mean" in one.text


def _is_no_change(one: Sum, question: str) -> bool:
    """Whether a quotient is not by what share something changed: nothing is subtracted, or it is of the other side.

    A rise is a share of the smaller number, a fall one of the larger.
    """
    rises, falls = _RISES.search(question) is not None, _FALLS.search(question) is not None
    if one.change is None:
        return not one.is_subtraction and len(one.operands) == 2
    first, last, base = one.change
    other = min(first, last) if falls else max(first, last)
    return rises is not falls and first != last and base == other


_RISES = re.compile(r"\b(?:ris(?:e|en|ing)|rose|increas\w*|gr[eo]w\w*|higher|larger|greater|more)\b", re.IGNORECASE)
_FALLS = re.compile(
    r"\b(?:fall\w*|fell|drop\w*|declin\w*|decreas\w*|reduc\w*|lower\w*|smaller|less|fewer|cut|shr[aiu]nk\w*)\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\b(?:sum|together|combined|altogether|in all|both)\b|\btotal\b[^?]*\band\b", re.IGNORECASE)
_LESS = re.compile(
    r"\b(?:net|remain\w*|left|without|exclud\w*|less|except|other than|rest|not|differen\w+|minus|after)\b",
    re.IGNORECASE,
)
_OF_BOTH = re.compile(r"\b(?:total|sum|together|combined|altogether|in all)\b", re.IGNORECASE)
_DIVIDED = re.compile(
    r"\b(?:average|ratio)\b|\bthe mean\b|\bhow many times (?:as|more|less|\w+er)\b|\bby (?:what|which) factor\b", re.I
)


def _falls_below(where: Where, operand: Quantity) -> bool:
    """Whether the number of a sum stands in the evidence as one less than nothing."""
    return any(one.quantity.low == -operand.low for context in where.contexts for one in numbers(context.text))


_PERCENT = re.compile(r"%|\bper\s?cent|\bpoints?\b|\bpp\b", re.IGNORECASE)


def _operands(where: Where, one: Sum, derived: Sequence[tuple[Decimal, _Operand]]) -> _Operand | None:
    """Where the numbers of a sum stand; None where one of them stands nowhere, or all of them in the question."""
    given = {found.low for found in (*quantities(where.question.text), *spelled(where.question.text))}
    found: list[_Operand] = []
    for operand in one.needed():
        held = _operand(where, operand) or next((held for result, held in derived if result == operand.low), None)
        if held is not None:
            found.append(held)
        elif operand.low not in given:
            return None
    if _are_of_other(where, found) or (not one.scales and _are_unlike(found)) or _is_turned(where, one):
        return None
    spans = tuple(dict.fromkeys(span for held in found for span in held.spans))
    return _Operand(spans, min(held.scale for held in found)) if spans else None


def _are_of_other(where: Where, found: Sequence[_Operand]) -> bool:
    """Whether the numbers of a sum stand in one row, or column, of a table, and another one is asked for."""
    places = [(held.text, held.place) for held in found if held.place is not None]
    if len(places) < max(2, len(found)) or len({(text, place.table) for text, place in places}) > 1:
        return False
    text, first = places[0]
    wanted = aim(where.question)
    in_row = all(place.row == first.row for _, place in places)
    in_column = all(place.column == first.column for _, place in places)
    return bool((in_row and of_other_row(wanted, text, first)) or (in_column and of_other_column(wanted, text, first)))


def _are_unlike(found: Sequence[_Operand]) -> bool:
    """Whether numbers that are added or subtracted measure different things: 30 cows and 12 hectares."""
    kinds = set()
    for operand in found:
        number = operand.number
        if number is not None and number.quantity.unit is not None:
            kinds.add(number.quantity.unit.dimension)
        elif number is not None and counted(operand.text, number.quantity):
            kinds.add("")
    return len(kinds) > 1


def _is_turned(where: Where, one: Sum) -> bool:
    """Whether a ratio is the wrong way round: its first number is of what is to be divided by, its second of the other.

    >>> _RATIO.search("How many times as many cows as goats are there?").groups()
    ('cows', 'goats are there')
    """
    asked = _RATIO.search(where.question.text)
    if asked is None or len(one.operands) != 2 or "/" not in one.text:
        return False
    over, under = (held(words) for words in asked.groups())
    over, under = over - under, under - over
    first, last = (_about(_operand(where, operand), over | under) for operand in one.operands)
    first, last = first - last, last - first
    return bool(first and last and first <= under and last <= over)


_RATIO = re.compile(
    r"\b(?:ratio of|how many times (?:as many|as much|larger|higher|greater|longer))\s"
    r"([^?]+?)\s(?:to|as|than)\s([^?]+)",
    re.IGNORECASE,
)


def _about(operand: _Operand | None, wanted: frozenset[str]) -> frozenset[str]:
    """Which of some words are said of the number of a sum: of its cell, by what it counts, or in its clause."""
    if operand is None or operand.number is None:
        return frozenset()
    if operand.place is not None:
        return held(f"{operand.place.label} {operand.place.head}") & wanted
    one = said(operand.text, operand.number)
    return counted(one.text, one.number) & wanted or held(clause(one.text, one.number)) & wanted


def _operand(where: Where, operand: Quantity) -> _Operand | None:
    best: list[tuple[tuple[bool, int], int, _Operand]] = []
    for rank, context in enumerate(where.contexts):
        for number in numbers(context.text, over(context)):
            if any(one.says(operand.low, number) for one in bare(number, operand.unit, context.text)):
                own = number.quantity
                scale = number.scale.factor if number.scale and own.low == operand.low else 1
                if own.scale > 1 and operand.low * own.scale in (own.low, own.high):
                    scale = own.scale
                held = _Operand((where.span(context, number.line),), scale, context.text, number)
                best.append((where.weight(context, *number.line), -rank, held))
    return max(best, key=lambda one: one[:2])[2] if best else None

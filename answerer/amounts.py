"""Whether a number or a range stands in the text that is cited for it, or follows from numbers that do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from answerer.aim import aim
from answerer.answer import Grounding, How, Span
from answerer.arithmetic import Sum, agree, sums, told
from answerer.attached.checks import is_of_other
from answerer.attached.counted import counted
from answerer.attached.said import clause, said
from answerer.attached.tables import of_other_column, of_other_row
from answerer.changes import State
from answerer.figures import Number, numbers
from answerer.grid import Place
from answerer.quantities import Quantity, quantities, spelled
from answerer.readings import Reading, bare, readings
from answerer.units import is_money
from answerer.values import Form, Value
from answerer.where import Where, held
from retriever.evidence import Context

Line = tuple[int, int]


def numeric(where: Where, wanted: Value, shown: str) -> Grounding:
    """A number or a range as it is stated or converted, else as it is computed.

    Where it stands only in places that speak of something else, the grounding says so in its note.
    """
    found = _amount(where, wanted)
    return found if found.how is not How.UNGROUNDED else _computed(where, wanted, shown) or found


@dataclass(frozen=True, slots=True)
class _Match:
    """A number that is the one wanted: how, in which lines, by what conversion, and why it is another thing's.

    `is_of_range`: whether it is an end of a range.
    """

    how: How
    lines: tuple[Line, ...]
    note: str = ""
    other: str = ""
    is_of_range: bool = False


class _Found(NamedTuple):
    """A match with what speaks for its place, as `Where.weight` has it, how far in front that is, and its words."""

    match: _Match
    quoted: bool
    words: int
    rank: int
    span: Span


def _amount(where: Where, wanted: Value) -> Grounding:
    """A number or a range as the contexts state it, or as it is converted."""
    found = [
        _Found(match, *where.weight(context, *match.lines[0]), -rank, where.span(context, *match.lines))
        for rank, context in enumerate(where.contexts)
        for match in _matches(where, wanted, context)
    ]
    own = [one for one in found if not one.match.other]
    if not own:
        best = max(found, key=lambda one: (one.quoted, one.words, one.rank), default=None)
        return Grounding(How.UNGROUNDED, (), f"{wanted.text}: {best.match.other}" if best else "")
    own.sort(key=lambda one: (one.quoted, one.match.how is How.STATED, one.words, one.rank), reverse=True)
    kept: dict[str, _Found] = {}
    for one in own:
        kept.setdefault(one.span.document, one)
    spans = tuple(one.span for one in kept.values())
    if any(one.match.how is How.STATED for one in kept.values()):
        return Grounding(How.STATED, spans)
    return Grounding(How.CONVERTED, spans, own[0].match.note)


MOST_PLACES = 200
"""Places in the prose of a piece of evidence in which a value is looked at: more of them say no more of it."""


def _matches(where: Where, wanted: Value, context: Context) -> Iterator[_Match]:
    """The places of a context that have the number, or both ends of the range."""
    low, high = wanted.low, wanted.high
    if low is None or high is None:
        return
    ends: list[list[_Match]] = [[], []]
    looked_at = 0
    for number, held in _read(where, wanted, context):
        looked_at += number.place is None and any(one.says(low, number) or one.says(high, number) for one in held)
        if number.place is None and looked_at > MOST_PLACES:
            continue
        if wanted.form is Form.RANGE:
            whole = [
                one for one in held if number.quantity.is_range and one.begins(low, number) and one.ends(high, number)
            ]
            yield from (_Match(one.how, (number.line,), one.note, _why(where, context, number)) for one in whole[:1])
            if whole:
                continue
        for end, amount in enumerate((low, high)):
            match = next((one for one in held if one.says(amount, number)), None)
            if match:
                alone, is_range = wanted.form is Form.NUMBER, number.quantity.is_range
                side = (-1 if match.begins(amount, number) else 1) if is_range else 0
                if not alone and side == 1 - 2 * end:
                    continue  # the high end of one range and the low end of another are no range of anything
                why = _why(where, context, number, side if alone else 0, positive=alone and amount > 0)
                ends[end].append(_Match(match.how, (number.line,), match.note, why, is_range))
    if wanted.form is Form.NUMBER:
        yield from ends[0]
    elif ends[0] and ends[1]:
        # both ends in one line, if there is such a line, and of what is asked
        pairs = [(not _of_other(*pair), pair[0].lines == pair[1].lines, pair) for pair in _pairs(*ends)]
        first, last = max(pairs, key=lambda one: one[:2])[2]
        how = How.CONVERTED if How.CONVERTED in (first.how, last.how) else How.STATED
        yield _Match(how, (*first.lines, *last.lines), first.note or last.note, _of_other(first, last))


def _pairs(lows: Sequence[_Match], highs: Sequence[_Match]) -> Iterator[tuple[_Match, _Match]]:
    """Each low end with the best high end of its line; then the best of each, wherever they stand."""
    by_line: dict[tuple[Line, ...], _Match] = {}
    for one in sorted(highs, key=lambda one: one.other != ""):
        by_line.setdefault(one.lines, one)
    yield from ((one, by_line[one.lines]) for one in lows if one.lines in by_line)
    first, last = (min(side, key=lambda one: one.other != "") for side in (lows, highs))
    yield first, last


def _of_other(first: _Match, last: _Match) -> str:
    """Why two ends are of something else: one of them is, where it is a range's, else both: "over 5 but under 7"."""
    if first.is_of_range or last.is_of_range:
        return first.other or last.other
    return first.other and last.other


def _read(where: Where, wanted: Value, context: Context) -> Iterator[tuple[Number, list[Reading]]]:
    """The numbers of a context that may be meant, and what each may be."""
    unit = where.unit(wanted)
    for number in numbers(context.text, _over(context)):
        names_unit = unit is not None and number.quantity.names(unit)
        if not _by_chance(wanted) or names_unit or where.bears(context, *number.line):
            yield number, list(readings(number, unit, where.question, context.text))


def _over(context: Context) -> str:
    """The nearest heading over a context that says in brackets, or after "in", what its tables' values are in."""
    return next((heading for heading in reversed(context.headings) if _SCALED.search(heading)), "")


_SCALED = re.compile(r"\([^()]*\b(?:thousand|million|billion)s?\b|\bin (?:thousand|million|billion)s\b", re.IGNORECASE)


def _why(where: Where, context: Context, number: Number, end: int = 0, *, positive: bool = False) -> str:
    return is_of_other(aim(where.question), context.text, number, end, positive=positive)


def _by_chance(wanted: Value) -> bool:
    """Whether a number is so short that some other thing's may be the same: of one or two digits."""
    ends = (wanted.low, wanted.high)
    return wanted.form is Form.NUMBER and all(end is not None and len(end.as_tuple().digits) < 3 for end in ends)


# --- arithmetic


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


def _computed(where: Where, wanted: Value, shown: str) -> Grounding | None:
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
    for held in found:
        if held.number is not None and held.number.quantity.unit is not None:
            kinds.add(held.number.quantity.unit.dimension)
        elif held.number is not None and counted(held.text, held.number.quantity):
            kinds.add("")
    return len(kinds) > 1


def _is_turned(where: Where, one: Sum) -> bool:
    """Whether a ratio is the wrong way round: its first number is of what is to be divided by, its second of the other.

    >>> _RATIO.search("How many times as many cows as goats are there?").groups()
    ('as many cows', 'goats are there')
    """
    asked = _RATIO.search(where.question.text)
    if asked is None or len(one.operands) != 2 or "/" not in one.text:
        return False
    over, under = (held(words) for words in asked.groups())
    over, under = over - under, under - over
    first, last = (_about(_operand(where, operand), over | under) for operand in one.operands)
    first, last = first - last, last - first
    return bool(first and last and first <= under and last <= over)


_RATIO = re.compile(r"\b(?:ratio of|how many times)\s([^?]+?)\s(?:to|as|than)\s([^?]+)", re.IGNORECASE)


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
        for number in numbers(context.text, _over(context)):
            if any(one.says(operand.low, number) for one in bare(number, operand.unit, context.text)):
                own = number.quantity
                scale = number.scale.factor if number.scale and own.low == operand.low else 1
                if own.scale > 1 and operand.low * own.scale in (own.low, own.high):
                    scale = own.scale
                held = _Operand((where.span(context, number.line),), scale, context.text, number)
                best.append((where.weight(context, *number.line), -rank, held))
    return max(best, key=lambda one: one[:2])[2] if best else None

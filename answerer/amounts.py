"""Whether a number or a range stands in the text that is cited for it, or follows from numbers that do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from answerer.aim import aim
from answerer.answer import Grounding, How, Span
from answerer.attached.checks import is_of_other
from answerer.figures import Number, numbers
from answerer.readings import Reading, readings
from answerer.values import Form, Value
from answerer.where import Where
from retriever.evidence import Context

Line = tuple[int, int]


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


def amount(where: Where, wanted: Value) -> Grounding:
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
    for number in numbers(context.text, over(context)):
        names_unit = unit is not None and number.quantity.names(unit)
        if not _by_chance(wanted) or names_unit or where.bears(context, *number.line):
            yield number, list(readings(number, unit, where.question, context.text))


def over(context: Context) -> str:
    """The nearest heading over a context that says in brackets, or after "in", what its tables' values are in."""
    return next((heading for heading in reversed(context.headings) if _SCALED.search(heading)), "")


_SCALED = re.compile(r"\([^()]*\b(?:thousand|million|billion)s?\b|\bin (?:thousand|million|billion)s\b", re.IGNORECASE)


def _why(where: Where, context: Context, number: Number, end: int = 0, *, positive: bool = False) -> str:
    return is_of_other(aim(where.question), context.text, number, end, positive=positive)


def _by_chance(wanted: Value) -> bool:
    """Whether a number is so short that some other thing's may be the same: of one or two digits."""
    ends = (wanted.low, wanted.high)
    return wanted.form is Form.NUMBER and all(end is not None and len(end.as_tuple().digits) < 3 for end in ends)

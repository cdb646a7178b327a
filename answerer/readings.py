"""What a number of a text may be in the unit asked for: as it stands, by its table's scale, converted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from answerer.answer import How, Question
from answerer.arithmetic import agree
from answerer.cells import scale_of
from answerer.figures import Number, row_unit
from answerer.measures import converted
from answerer.quantities import Quantity
from answerer.units import SCALES, Unit, is_money
from answerer.units import unit as named_unit
from kohaku.words import stem

CLOSE = Decimal("1e-6")  # two spellings of one number; far below the difference of two years
LONGEST = 25  # digits of a number that a text may write out: a third, which is worked out, has more
PERCENT = Decimal(100)
FRACTIONS = frozenset(map(stem, ("fraction", "decimal", "proportion", "ratio")))
"""Stems of units of which 62 % is 0.62."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A number as it may be meant: both ends, how that follows from the text, and what was done to it."""

    low: Decimal
    high: Decimal
    how: How
    note: str = ""

    def says(self, amount: Decimal, number: Number) -> bool:
        """Whether either end is this amount."""
        return self.begins(amount, number) or self.ends(amount, number)

    def begins(self, amount: Decimal, number: Number) -> bool:
        """Whether the low end is this amount."""
        return _same(self.low, amount, number, self.how)

    def ends(self, amount: Decimal, number: Number) -> bool:
        """Whether the high end is this amount."""
        return _same(self.high, amount, number, self.how)


def _same(held: Decimal, amount: Decimal, number: Number, how: How) -> bool:
    """Whether two spellings are of one number, which a conversion may round; a negative one must be told as such."""
    is_rounded = how is How.CONVERTED or len(held.as_tuple().digits) > LONGEST
    if is_rounded and not agree(abs(held), abs(amount)):
        return False
    if not is_rounded and abs(abs(held) - abs(amount)) > CLOSE * abs(amount):
        return False
    return amount >= 0 or held < 0 or number.falls


def readings(number: Number, unit: Unit | None, question: Question, text: str) -> Iterator[Reading]:
    """What a number of a text may be in the unit that is asked for, None where none is.

    A scale that its table names holds, unless the question names it too: 3,500 "in millions of euros" is no 3,500
    euros. It may hold or not where it says itself that it has exceptions, or names a currency and a count is asked for.
    """
    number = _in_row_unit(number, unit, text)
    unit = _each(number, unit, question)
    rates = _rates(number, question, text)
    if rates is not None and rates[0] != rates[1]:
        yield from _of_so_many(number, *rates)
        return
    scale = number.scale
    if scale is not None and not _may_hold(number, unit):
        scale = None
    if scale is not None:
        scaled = _scaled(number, scale.factor, scale.currency)
        note = f"{_own(number.quantity)} × {scale.factor} ({scale.words})"
        for found in _plain(scaled, unit):
            told = found.how is How.STATED and unit is not None and unit.factor == scale.factor
            yield found if told else replace(found, how=How.CONVERTED, note=note)
    measured = list(_measured(number, unit, question.unit))
    yield from measured
    if not measured and (scale is None or _may_be_left_out(number, unit) or named_in(question.text) == scale.factor):
        yield from _plain(number, unit)
    if number.quantity.scale > 1 and named_in(question.text) == number.quantity.scale:
        one = number.quantity
        yield Reading(one.low / one.scale, one.high / one.scale, How.STATED)
    yield from _in_the_question_s_scale(number, question)


def _each(number: Number, unit: Unit | None, question: Question) -> Unit | None:
    """The unit asked for, with what the question says it is for each of, where the number is of so much for each.

    "How many kWh does it use a year?" asks for kWh, and 4.2 MWh per year are 4,200.
    """
    own = number.quantity.rate or number.quantity.unit
    if unit is None or own is None or not own.dimension.startswith(f"{unit.dimension}/"):
        return unit
    of_each = (
        named_unit(f"{question.unit} per {_SPANS.get(one.lower(), one)}") for one in _EACH.findall(question.text)
    )
    return next((one for one in of_each if one.dimension == own.dimension), unit)


_SPANS = {"annual": "year", "annually": "year", "yearly": "year", "monthly": "month", "daily": "day", "hourly": "hour"}
_EACH = re.compile(
    rf"\b(?:(?:per|an?|each|every|for each)\s(?=[a-z])|(?={'|'.join(_SPANS)}))((?:(?:cubic|square)\s)?\w+)",
    re.IGNORECASE,
)


def _rates(number: Number, question: Question, text: str) -> tuple[int, int] | None:
    """Of how many a number tells, and for how many it is asked: "3.5 per 1,000", per 100,000; None where either says
    nothing of it.
    """
    place = number.place
    said = (place.head, place.label, place.over, *place.about) if place else (text[slice(*number.line)],)
    own = next(filter(None, map(_per, said)), 0)
    asked = _per(question.unit) or _per(question.text)
    return (own, asked) if own and asked else None


def _per(text: str) -> int:
    found = _PER.search(text)
    return (SCALES.get(found[2].lower()) if found[2] else int(found[1].replace(",", ""))) or 0 if found else 0


_PER = re.compile(r"\bper\s(?:(\d{1,3}(?:,\d{3})+|\d{2,9})|(hundred|thousand|million))\b", re.IGNORECASE)


def _of_so_many(number: Number, own: int, asked: int) -> Iterator[Reading]:
    one = number.quantity
    note = f"{_own(one)} per {own} × {asked} / {own}"
    yield Reading(one.low * asked / own, one.high * asked / own, How.CONVERTED, note)


def bare(number: Number, unit: Unit | None, text: str) -> Iterator[Reading]:
    """What a number may be as part of a sum, where a table's scale is mostly left out."""
    number = _in_row_unit(number, unit, text)
    yield from _plain(number, unit)
    if number.scale is not None:
        yield from _plain(_scaled(number, number.scale.factor, number.scale.currency), unit)
    if number.quantity.scale > 1:
        one = number.quantity
        yield Reading(one.low / one.scale, one.high / one.scale, How.STATED)


def named_in(question: str) -> int:
    """The scale that a question asks for: "in millions", "how many thousand"; 1 where it names none."""
    found = _SCALE_WORD.search(question)
    return SCALES[found[1].lower()] if found else 1


_SCALE_WORD = re.compile(r"\b(thousand|million|billion|trillion)s?\b", re.IGNORECASE)


def _scaled(number: Number, factor: int, currency: Unit | None) -> Number:
    one = number.quantity
    unit = one.unit if one.unit is not None else currency
    whole = replace(one, low=one.low * factor, high=one.high * factor, scale=factor, unit=unit, digits="")
    return replace(number, quantity=whole)


def _may_hold(number: Number, unit: Unit | None) -> bool:
    """Whether a table's scale is one for what is asked: one that names a currency is for no kilowatt-hours."""
    scale = number.scale
    money = unit is None or is_money(unit) or not unit.known
    return scale is not None and (money or scale.currency is None)


def _may_be_left_out(number: Number, unit: Unit | None) -> bool:
    scale = number.scale
    counts = unit is not None and not unit.known
    return scale is not None and counts and (scale.excepts or scale.currency is not None)


def _in_row_unit(number: Number, unit: Unit | None, text: str) -> Number:
    """A table's bare number in the unit that its row names: 4.3 under "Net tCO2e" is no 4.3 kg."""
    if unit is None or not unit.known or number.quantity.unit is not None:
        return number
    named = row_unit(text[slice(*number.line)], unit.dimension)
    return replace(number, quantity=replace(number.quantity, unit=named)) if named else number


def _own(one: Quantity) -> str:
    return f"{one.low.normalize():f}" + (f"-{one.high.normalize():f}" if one.is_range else "")


def _plain(number: Number, unit: Unit | None) -> Iterator[Reading]:
    """A number as it stands there, or converted."""
    one, own = number.quantity, _own(number.quantity)
    share = one.unit is not None and one.unit.dimension == "share"
    of_one = unit is not None and not unit.known and unit.dimension in FRACTIONS
    per_cent = unit is not None and unit.dimension == "share"
    if share and (unit is None or not unit.known or unit.dimension == "times"):
        yield Reading(one.low / PERCENT, one.high / PERCENT, How.CONVERTED, f"{own} % as a fraction")
    if per_cent and one.unit is None and abs(one.high) <= 1:
        yield Reading(one.low * PERCENT, one.high * PERCENT, How.CONVERTED, f"{own} in percent")
        if number.place is not None:
            return  # no column of shares that are all below 1 %
    if (share and of_one) or not (
        unit is None or not unit.known or one.unit is None or unit.dimension in _dimensions(one)
    ):
        return
    amounts = one.amounts(unit) if unit is not None else (one.low, one.high)
    if amounts is not None:
        written = amounts in ((one.low, one.high), (one.low / one.scale, one.high / one.scale))
        stated = unit is None or one.unit is None or not unit.known or written
        yield Reading(*amounts, How.STATED if stated else How.CONVERTED, "" if stated else f"{own} converted")


def _in_the_question_s_scale(number: Number, question: Question) -> Iterator[Reading]:
    """A bare number where the question names the scale: "in million litres" for a value in litres."""
    one, scale = number.quantity, scale_of(question.text)
    if scale is not None and one.scale == 1 and number.scale is None:
        low, high = one.low * scale.factor, one.high * scale.factor
        yield Reading(low, high, How.CONVERTED, f"{_own(one)} ({scale.words})")


def _measured(number: Number, unit: Unit | None, name: str) -> Iterator[Reading]:
    """The number in units that only pint knows."""
    one = number.quantity
    for beside in number.beside if unit is not None and name else ():
        low, high = converted(one.low, beside, name), converted(one.high, beside, name)
        if low is not None and high is not None:
            yield Reading(low, high, How.CONVERTED, f"{_own(one)} {beside} converted")
            return


def _dimensions(one: Quantity) -> set[str]:
    return {own.dimension for own in (one.unit, one.rate) if own is not None}

"""A number in its sentence, with the other numbers that may answer the same question."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from answerer.figures import Number, lines, numbers
from answerer.quantities import Quantity
from kohaku.words import is_year

Span = tuple[int, int]
Told = tuple[str, Quantity]
LEAD = 80  # characters before a number that the word, the sign or the label before it stands in
PRONOUN = re.compile(r"(?:It|They)\b")
"""How a sentence begins that goes on with what the one before it speaks of."""
NEAR = 24
"""Numbers before one and behind it that are looked at beside it: in any text as many, however long that is."""


@dataclass(frozen=True, slots=True)
class Said:
    """A number in its sentence: the sentence, where the number stands in it, and the others of its kind there.

    `elsewhere` are the sentences around that have one of its kind, each with that, `beside` those of them that are
    the next before and behind. `end` is which end of the number was meant: -1 the low one of a range, 1 the high one, 0
    where it has one alone. `passage` is the whole text, `place` where the number stands in that.
    """

    text: str
    number: Quantity
    others: tuple[Quantity, ...]
    elsewhere: tuple[Told, ...]
    beside: tuple[Told, ...]
    end: int
    passage: str
    place: Span

    @property
    def before(self) -> str:
        """What stands before the number."""
        return self.text[: self.number.start]

    @property
    def after(self) -> str:
        """What stands behind it."""
        return self.text[self.number.end :]

    @property
    def around(self) -> tuple[Told, ...]:
        """The others of its kind in its sentence and in those beside."""
        return (*((self.text, one) for one in self.others), *self.beside)

    @property
    def shown(self) -> str:
        """The number with the words behind it, for a note."""
        return " ".join(self.text[self.number.start : self.number.end + 15].split())


def said(text: str, number: Number, end: int = 0) -> Said:
    """A number of a text with what stands beside it."""
    own, (start, stop) = number.quantity, number.line
    found = numbers(text)
    at = bisect_left(found, own.start, key=lambda one: one.quantity.start)
    near = found[max(0, at - NEAR) : at + NEAR + 1]
    alike = [one for one in near if one.quantity.start != own.start and _is_alike(one.quantity, own)]
    away = [one for one in alike if one.line != number.line]
    beside = set(neighbours(text, number.line))
    return Said(
        text[start:stop],
        _moved(own, -start),
        tuple(_moved(one.quantity, -start) for one in alike if one.line == number.line),
        tuple(_told(text, one) for one in away),
        tuple(_told(text, one) for one in away if one.line in beside),
        end,
        text,
        (own.start, own.end),
    )


def neighbours(text: str, line: Span) -> Iterator[Span]:
    """The lines before and behind one."""
    at = bisect_left(lines(text), line)
    yield from (lines(text)[place] for place in (at - 1, at + 1) if 0 <= place < len(lines(text)))


def _told(text: str, one: Number) -> Told:
    return text[slice(*one.line)], _moved(one.quantity, -one.line[0])


def _moved(one: Quantity, by: int) -> Quantity:
    return replace(one, start=one.start + by, end=one.end + by)


def _is_alike(one: Quantity, other: Quantity) -> bool:
    """Whether two numbers may answer one question: neither is a year, and they measure the same."""
    if _is_year(one) != _is_year(other):
        return False
    dimensions = {found.unit.dimension for found in (one, other) if found.unit is not None}
    return len(dimensions) <= 1


def _is_year(one: Quantity) -> bool:
    return one.unit is None and is_year(one.digits)


def clause(text: str, one: Quantity) -> str:
    """What stands around a number up to the next semicolon, or joint that begins a clause of its own."""
    cuts = [0, *(match.end() for match in _CLAUSES.finditer(text)), len(text)]
    return next((text[start:end] for start, end in pairwise(cuts) if start <= one.start < end), text)


_CLAUSES = re.compile(r"[;；]|,?\s(?:while|but|whereas|although)\s|,\sand\s")

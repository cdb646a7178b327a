"""Which values say the same: numbers within 0.1 %, ranges by both ends, lists in any order, texts by their words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from answerer.references import read_references
from answerer.score import TOLERANCE
from answerer.units import convert, unit_asked
from answerer.values import BLANK, Form, normalise, number, pair, parse
from kohaku.words import is_year


@dataclass(frozen=True, slots=True)
class Reading:
    """A value as it is compared: a number by its ends (a range's differ), any other by its items' words, sorted.

    Years are numbers of no unit that are near only to themselves.
    """

    ends: tuple[Decimal, Decimal] | None = None
    items: tuple[str, ...] = ()
    is_years: bool = False

    def says_what(self, other: Reading) -> bool:
        """Whether both say the same: texts by their words, numbers within the tolerance, both ends held to it."""
        if self.ends is None or other.ends is None or (self.is_years and other.is_years):
            return self == other
        return all(
            abs(one - another) <= TOLERANCE * max(abs(one), abs(another))
            for one, another in zip(self.ends, other.ends, strict=True)
        )

    @property
    def order(self) -> tuple[bool, tuple[Decimal, ...], tuple[str, ...]]:
        """Where it stands among others, numbers first, so that an order never hangs on who said what first."""
        return self.ends is None, self.ends or (), self.items


def reading(value: str, unit: str = "", question: str = "", *, wanted: str = "") -> Reading | None:
    """A value as it is compared, None for a blank; in the `wanted` unit where its own is another of the same kind.

    >>> reading("80–90%", "percent") == reading("[80, 90]", "percent"), reading("n/a")
    (True, None)
    >>> reading("1,300", "kWh", wanted="MWh") == reading("1.3", "MWh"), reading("b and the A") == reading("['a', 'b']")
    (True, True)
    """
    own = unit if unit_asked(unit) is not None else wanted
    text = normalise(value, own, question)
    if text == BLANK:
        return None
    ends = _ends(text)
    if ends is None:
        return Reading(items=_items(text))
    is_years = (unit_asked(own) is None or "year" in own.casefold()) and all(is_year(f"{end:f}") for end in ends)
    return Reading(_converted(ends, own, wanted), is_years=is_years)


def classes(readings: Sequence[Reading]) -> list[int]:
    """For each reading the number of its class; 0 is the class whose centre most readings share.

    A class is a centre and what says the same as it: the commonest value takes in what is near it, then the next. So
    no chain of small steps ever leads from one value to another that is further off than the tolerance.
    """
    counts = Counter(readings)
    centres: list[Reading] = []
    for found in sorted(counts, key=lambda one: (-counts[one], one.order)):
        if not any(found.says_what(centre) for centre in centres):
            centres.append(found)
    return [next(n for n, centre in enumerate(centres) if found.says_what(centre)) for found in readings]


def _ends(text: str) -> tuple[Decimal, Decimal] | None:
    alone = number(text)
    if alone is not None:
        return alone, alone
    found = pair(text)
    if found is not None:
        return found
    value = parse(text)
    truth = value.low if value.form is Form.BOOLEAN else None  # one run's "True" is another's 1
    return None if truth is None else (truth, truth)


def _converted(ends: tuple[Decimal, Decimal], own: str, wanted: str) -> tuple[Decimal, Decimal]:
    have, want = unit_asked(own), unit_asked(wanted)
    if have is None or want is None:
        return ends
    low, high = convert(ends[0], have, want), convert(ends[1], have, want)
    return ends if low is None or high is None else (low, high)


# Signs such as + and # tell names apart (C++, C#) and stay.
_BETWEEN_WORDS = re.compile(r"[\s\-‐‑‒–—−_'\"“”‘’`´.,;:!?()\[\]{}*]+")
_BETWEEN_ITEMS = re.compile(r";|\n|,(?!\d)|(?<!\d),|\s(?:and|&)\s")
_ARTICLE = re.compile(r"^(?:the|an?) (?=.)")


def _items(text: str) -> tuple[str, ...]:
    parts = read_references(text) if text.startswith("[") else _BETWEEN_ITEMS.split(unicodedata.normalize("NFKC", text))
    words = (_ARTICLE.sub("", _BETWEEN_WORDS.sub(" ", _folded(part)).strip()) for part in parts)
    return tuple(sorted({word for word in words if word})) or (_folded(text).strip(),)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()

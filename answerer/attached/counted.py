"""What a number counts, by the words beside it."""

from __future__ import annotations

import re

from answerer.aim import is_plural
from answerer.asking import terms
from answerer.attached.said import LEAD
from answerer.quantities import Quantity
from kohaku.words import stem

_PHRASE = re.compile(r"(?:[\s-](?!(?:and|or|of|in|on|at|to|for|with|by|per|und|et|y)\b)[^\W\d_][\w’'-]*){1,3}")
_LABEL = re.compile(r"(?<![\w-])([^\W\d_][\w-]*)\s?[:=(]\s?$")


def counted(text: str, one: Quantity) -> frozenset[str]:
    """The stems of what a number counts: the words behind it up to a noun, or the label before it."""
    label = _LABEL.search(text, max(0, one.start - LEAD), one.start)
    if label:
        return frozenset(terms(label[1]))
    phrase = _PHRASE.match(text, one.end)
    if phrase is None:
        return frozenset()
    words = re.findall(r"[^\W\d_][\w’'-]*", phrase[0])
    last = next((at for at, word in enumerate(words) if is_plural(word)), None)
    things = words[: last + 1] if last is not None else []
    return frozenset(map(stem, things)).union(*map(terms, things))


def may_be_alike(text: str, one: Quantity, other_text: str, other: Quantity) -> bool:
    """Whether nothing says that two numbers are of different things: no unit and no noun of theirs.

    >>> from answerer.quantities import quantities
    >>> text = "It carries up to 2000 kg or 20 people."
    >>> may_be_alike(text, *quantities(text)[:1], text, *quantities(text)[1:])
    False
    """
    mine, theirs = (
        {found.unit.dimension} if found.unit is not None else counted(where, found)
        for where, found in ((text, one), (other_text, other))
    )
    return not mine or not theirs or not mine.isdisjoint(theirs)

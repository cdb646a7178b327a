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

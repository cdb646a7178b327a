"""What a sentence says of a change: "restated from 5 to 7" has a state before and one after."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum

from answerer.quantities import Quantity, ends

_VERB = (
    r"\b(?:restat|revis|correct|chang|rais|ris|rose|lower|reduc|cut|fall|fell|drop|declin|decreas|increas|grew|grow|"
    r"mov|improv|shr[aiu]nk|extend|shorten|adjust|updat|upgrad|went|go(?:es)?|climb|jump|doubl|halv|expand|bring|brought)"
    r"\w*\b"
)
_HEDGE = r"\s+(?:an?\s|about\s|around\s|some\s|approximately\s|roughly\s|nearly\s|over\s|just\s|up\sto\s)*$"
_CHANGED = re.compile(rf"{_VERB}[^.;]*\bfrom{_HEDGE}", re.IGNORECASE)
_BY = re.compile(rf"{_VERB}(?:\s[\w-]+){{0,4}}?\s+by{_HEDGE}", re.IGNORECASE)
_BEFORE = re.compile(
    r"\b(?:before|previous(?:ly)?|original(?:ly)?|initial(?:ly)?|earlier|former(?:ly)?|prior|at first|old|used to|"
    r"first (?:published|reported|stated|given))\b",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(
    r"\bby (?:how much|how many|what|which)\b|\bdifference\b"
    r"|\bhow (?:much|many)(?: \w+)? (?:more|less|fewer|further|worse|better|(?:low|high|larg|small|great|fast|slow|"
    r"long|short|cheap|old|young|warm|cold|wid|deep|light|heavi|bigg|strong|weak|near|quiet|loud|clos|dear|rich|poor)er)\b",
    re.IGNORECASE,
)


_CHANGE = re.compile(
    r"\b(?:increas|decreas|declin|reduc|rise|rose|fall|fell|drop|grow|grew|chang|improv|sav|gain|lower|shr[aiu]nk)\w*\b",
    re.IGNORECASE,
)


_UP_FROM = re.compile(rf"\b(?:up|down)\sfrom{_HEDGE}", re.IGNORECASE)
_TO = re.compile(rf"{_VERB}[^.;]*\bto{_HEDGE}", re.IGNORECASE)


class State(StrEnum):
    """Which side of a change a number is on, or how large that is."""

    BEFORE = "before"
    AFTER = "after"
    DIFFERENCE = "difference"


def tells_change(text: str) -> bool:
    """Whether a text says that something changed or differs, or has a sign of it.

    >>> tells_change("Sales rose 3%."), tells_change("Sales; 2022: 100%")
    (True, False)
    """
    return any(pattern.search(text) for pattern in (_CHANGE, _DIFFERENCE, _CHANGED, _BY))


def asked_states(question: str) -> frozenset[State]:
    """What of a change may answer a question.

    >>> [state.value for state in asked_states("What was the fee before the reform?")]
    ['before']
    """
    if _DIFFERENCE.search(question):
        return frozenset({State.DIFFERENCE})
    side = State.BEFORE if _BEFORE.search(question) else State.AFTER
    return frozenset({side, State.DIFFERENCE} if _CHANGE.search(question) else {side})


def parted(text: str, found: Iterable[Quantity]) -> Iterator[tuple[Quantity, State | None]]:
    """The quantities of a sentence with their part in a change; what looks like a range but is one, as two states."""
    for quantity in found:
        before = text[: quantity.start]
        pair = ends(text, quantity) if quantity.is_range and _CHANGED.search(before) else ()
        if len(pair) == 2:
            first, last = pair
            yield (first if first.unit is not None else replace(first, unit=last.unit)), State.BEFORE
            yield last, State.AFTER
        else:
            yield quantity, State.DIFFERENCE if _BY.search(before) else None


def state(text: str, found: Quantity, end: int = 0) -> State | None:
    """Which side of a change a number of a sentence is on; of two that look like a range the low (-1) or the high (1).

    >>> from answerer.quantities import quantities
    >>> text = "Output fell by 30 % to 410 MWh, down from 586 MWh."
    >>> [state(text, one).value for one in quantities(text)]
    ['difference', 'after', 'before']
    """
    before = text[: found.start]
    opening = State.DIFFERENCE if _BY.search(before) else None
    opening = State.BEFORE if opening is None and (_CHANGED.search(before) or _UP_FROM.search(before)) else opening
    if opening is None:
        return State.AFTER if _TO.search(before) and not found.is_range else None
    pair = ends(text, found) if found.is_range else ()
    if len(pair) == 2 and re.search(r"\bto\b", text[pair[0].end : pair[1].start]):
        is_first = (pair[0].low <= pair[1].low) is (end <= 0)
        return opening if is_first else State.AFTER
    return opening

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
_CHANGES = re.compile(_VERB, re.IGNORECASE)
_FROM = re.compile(rf"\bfrom{_HEDGE}", re.IGNORECASE)
_TO = re.compile(rf"\bto{_HEDGE}", re.IGNORECASE)
_BY = re.compile(rf"{_VERB}(?:\s[\w-]+){{0,4}}?\s+by{_HEDGE}", re.IGNORECASE)
_AT_ONCE = re.compile(rf"{_VERB}(?:\s\w+ly)?{_HEDGE}", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[.;](?!\d)")
CLAUSE, LEAD = 600, 160
"""Characters before a number in which its clause, and the words that lead to it, are looked for: any text is short."""
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
    return any(pattern.search(text) for pattern in (_CHANGE, _DIFFERENCE)) or _leads(text, _FROM) or _is_by(text)


def _leads(before: str, joint: re.Pattern[str]) -> bool:
    """Whether a text ends with a joint, "from" or "to", after a verb of change in its clause."""
    found = joint.search(before, max(0, len(before) - LEAD))
    if found is None:
        return False
    clause = _CLAUSE_ENDS.split(before[max(0, found.start() - CLAUSE) : found.start()])[-1]
    return _CHANGES.search(clause) is not None


def _is_by(before: str) -> bool:
    return _BY.search(before, max(0, len(before) - LEAD)) is not None


def grows(text: str, found: Quantity) -> bool:
    """Whether a number of a text is how much something changed, by words before it or behind.

    >>> from answerer.quantities import quantities
    >>> [grows(text, quantities(text)[0]) for text in ("It grew 12%.", "a rise of 5%", "5% growth", "5% of sales")]
    [True, True, True, False]
    """
    before = text[max(0, found.start - LEAD) : found.start]
    return bool(_is_by(before) or _AT_ONCE.search(before) or _RISE_OF.search(before) or _BEHIND.match(text, found.end))


_RISE = r"(?:growth|rise|increase|gain|improvement|decline|decrease|reduction|drop|fall|cut|change|saving)s?"
_RISE_OF = re.compile(rf"\b{_RISE}\s(?:of|by){_HEDGE}", re.IGNORECASE)
_BEHIND = re.compile(rf"\s?(?:\w+\s)?{_RISE}\b", re.IGNORECASE)


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
        before = text[max(0, quantity.start - CLAUSE - LEAD) : quantity.start]
        pair = ends(text, quantity) if quantity.is_range and _leads(before, _FROM) else ()
        if len(pair) == 2:
            first, last = pair
            yield (first if first.unit is not None else replace(first, unit=last.unit)), State.BEFORE
            yield last, State.AFTER
        else:
            yield quantity, State.DIFFERENCE if _is_by(before) else None


def state(text: str, found: Quantity, end: int = 0) -> State | None:
    """Which side of a change a number of a sentence is on; of two that look like a range the low (-1) or the high (1).

    >>> from answerer.quantities import quantities
    >>> text = "Output fell by 30 % to 410 MWh, down from 586 MWh."
    >>> [state(text, one).value for one in quantities(text)]
    ['difference', 'after', 'before']
    """
    before = text[max(0, found.start - CLAUSE - LEAD) : found.start]
    pair = ends(text, found) if found.is_range else ()
    is_pair = len(pair) == 2 and re.search(r"\bto\b", text[pair[0].end : pair[1].start]) is not None
    opening = State.DIFFERENCE if _is_by(before) or (is_pair and _is_share(found) and _AT_ONCE.search(before)) else None
    if opening is None and (_leads(before, _FROM) or _UP_FROM.search(before, max(0, len(before) - LEAD))):
        opening = State.BEFORE
    if opening is None:
        return State.AFTER if not found.is_range and _leads(before, _TO) else None
    if is_pair:
        is_first = (pair[0].low <= pair[1].low) is (end <= 0)
        return opening if is_first else State.AFTER
    return opening


def _is_share(found: Quantity) -> bool:
    return found.unit is not None and found.unit.dimension == "share"

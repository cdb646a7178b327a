"""Whether a number is of another kind than the one asked for: a loss, a share, an end of a range or of a change."""

from __future__ import annotations

import re

from answerer.aim import LEAST, MOST, Aim, is_plural, sign
from answerer.attached.clauses import clause_terms
from answerer.attached.counted import may_be_alike
from answerer.attached.said import LEAD, Said
from answerer.changes import State, grows, state
from answerer.figures import Number
from answerer.quantities import Quantity
from answerer.units import unit

_NEGATIVE = re.compile(r"(?:[-−–]|\b(?:negative|minus)\s)\s?$", re.IGNORECASE)


def other_sign(aim: Aim, text: str, number: Number) -> str:
    """Why more than nothing is none of it: a loss where a profit is asked for, or the reverse, or in brackets."""
    one = number.quantity
    line = text[slice(*number.line)] if number.place is None else number.place.label
    led, behind = text[max(0, one.start - LEAD) : one.start], text[one.end : one.end + LEAD]
    bracketed = led.rstrip("$€£¥ ").endswith("(") and behind.lstrip().startswith(")")
    if not aim.sign or one.low < 0 or _NEGATIVE.search(led):
        return ""
    if sign(line) == -aim.sign and not bracketed:
        return f"it is of a {'loss' if aim.sign > 0 else 'profit'}"
    before = led.rstrip("$€£¥( ")
    is_value = number.place is not None or before.endswith((" was", " were", " is", " of", " to"))
    return "it stands in brackets, as less than nothing" if aim.sign > 0 and bracketed and is_value else ""


def other_unit(aim: Aim, said: Said) -> str | None:
    """A bare number that counts something, where another unit is asked for: "20 pumps" are no 20 percent."""
    if aim.unit is None or not aim.unit.known or said.number.unit is not None:
        return None
    counted = _COUNTS.match(said.text, said.number.end)
    words = counted[0].split() if counted else []
    if not words or not is_plural(words[-1]) or any(unit(word).known for word in words):
        return None
    return f"it counts “{words[-1]}”"


_COUNTS = re.compile(r"\s[a-z]{3,}\b")
_POINT = re.compile(r"[\s-]?(?:percentage[\s-])?points?\b|\s?pp\b", re.IGNORECASE)


def other_points(aim: Aim, said: Said) -> str | None:
    """Percent where percentage points are asked for, and the reverse, beside a number of the other kind."""
    if said.number.unit is None or said.number.unit.dimension != "share":
        return None
    own, others = _is_of_points(said, said.number), [_is_of_points(said, one) for one in said.others]
    if own is aim.points or aim.points not in others:
        return None
    return "it is in percentage points" if own else "it is in percent, not in percentage points"


def _is_of_points(said: Said, one: Quantity) -> bool:
    return _POINT.search(said.text, one.start, one.end + 20) is not None and (
        _POINT.match(said.text, one.end) is not None or "point" in said.text[one.start : one.end].lower()
    )


def only_share(aim: Aim, said: Said) -> str | None:
    """A share of something, where a change is asked for and another number of the place is one."""
    one = said.number
    is_share = one.unit is not None and one.unit.dimension == "share" and _OF.match(said.text, one.end)
    if State.DIFFERENCE not in aim.states or not is_share or grows(said.text, one):
        return None
    has_rival = any(other.unit == one.unit and grows(text, other) for text, other in said.around)
    return f"it is a share, not a change: “{said.shown}”" if has_rival else None


_OF = re.compile(r"\s(?:of|in)\s(?!(?:19|20)\d\d)")


def one_end(aim: Aim, said: Said) -> str | None:
    """One end of a range where the other one or both are asked for."""
    if not said.end or not said.number.is_range or state(said.text, said.number) is not None:
        return None
    is_meant = (aim.wants_most and said.end > 0) or (aim.wants_least and said.end < 0 and not aim.wants_most)
    return None if is_meant else f"it is one end of a range: {said.shown}"


def other_limit(aim: Aim, said: Said) -> str | None:
    """A number that is not the limit asked for, where a number beside it, said of the same, goes further as one."""
    if aim.wants_most is aim.wants_least:
        return None
    limits, sign = (MOST, 1) if aim.wants_most else (LEAST, -1)
    further = [
        one
        for one in said.others
        if sign * one.low > sign * said.number.low
        and _is_led(said.text, one, limits)
        and may_be_alike(said.text, said.number, said.text, one)
    ]
    spans = sorted((one.start, one.end) for one in (said.number, *said.others))
    told = dict(zip(spans, clause_terms(aim.terms, said.text, spans) or [], strict=False))
    own = told.get((said.number.start, said.number.end), frozenset())
    rival = next((one for one in further if own <= told.get((one.start, one.end), frozenset())), None)
    return f"“{said.text[rival.start : rival.end]}” is the limit" if rival else None


def _is_led(text: str, one: Quantity, limits: re.Pattern[str]) -> bool:
    """Whether a number is led by a word of a limit: "up to", "at least"."""
    led = text[max(0, one.start - LEAD) : one.start]
    return any(len(led[match.end() :].split()) <= 1 for match in limits.finditer(led))


def other_side(aim: Aim, said: Said) -> str | None:
    """Why a number is another side of a change than the one asked for."""
    own = state(said.text, said.number, said.end)
    if own is None or own in aim.states or aim.negates:
        return None
    has_rival = said.number.is_range or any(
        (other := state(said.text, one)) is not None and other in aim.states for one in said.others
    )
    return f"it is {_SIDES[own]}" if has_rival or own is State.DIFFERENCE else None


_SIDES = {
    State.BEFORE: "what it was before the change",
    State.AFTER: "what it was after the change",
    State.DIFFERENCE: "by how much it changed",
}

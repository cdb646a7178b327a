"""Whether a date is of another event than the one asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from answerer.aim import Aim
from answerer.asking import terms
from answerer.attached.said import LEAD, Said
from answerer.periods import MONTH, MONTHS


def other_event(aim: Aim, said: Said) -> str | None:
    """Why a year is of another event than the one asked for."""
    if not aim.wants_date:
        return None
    rivals = (match.start() for match in _ANY_YEAR.finditer(said.text))
    return (
        _event_of_other(aim, said.text, [said.number.start, *(one for one in rivals if one != said.number.start)])
        or None
    )


_ANY_YEAR = re.compile(r"(?<![\w.,])(?:1\d|20)\d\d(?![\d%]|[.,]\d)")  # of any century, where years are asked for


def date_of_other_event(aim: Aim, sentence: str, start: int, end: int) -> str:
    """Why a day is of another event than the one asked for, where the sentence tells the day of that."""
    days = [date.start() for date in _DATES.finditer(sentence)]
    own = [day for day in days if start <= day < end]
    return _event_of_other(aim, sentence, [own[0], *(day for day in days if day not in own)]) if own else ""


_DATES = re.compile(rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?(?:{MONTH})|(?:{MONTH})\s\d{{1,2}})\b")


def _event_of_other(aim: Aim, text: str, places: Sequence[int]) -> str:
    """Why the first of some dates is of another event: the last word before it is none of the question's, one before
    another of them is.
    """
    own, *others = (last_term(text[max(0, place - LEAD) : place]) for place in places)
    wanted = set(map(_root, aim.terms))
    rival = next((word for word in others if _root(word) in wanted), "")
    return f"it is of what was “{own}”" if rival and own and _root(own) not in wanted else ""


def _root(word: str) -> str:
    """A stem without what is left of a verb's ending: "die" and "died", "marry" and "marri"."""
    return word.removesuffix("d").removesuffix("e").removesuffix("i").removesuffix("y") or word


def last_term(text: str) -> str:
    """The last content word of a text as a stem, "" where that is a month."""
    words = [term for word in re.findall(r"[^\W\d_]+", text.lower()) for term in terms(word)]
    return words[-1] if words and words[-1] not in MONTHS else ""

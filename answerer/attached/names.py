"""Whether a name in a sentence is said of something else than what is asked."""

from __future__ import annotations

import re

from answerer.aim import Aim
from answerer.asking import terms
from answerer.attached.clauses import rival_clause
from answerer.attached.events import date_of_other_event
from answerer.attached.facts import denial
from answerer.grid import is_row

NAMES = re.compile(r"[^\W\d_a-zà-ÿ][\w&’'-]*(?:\s(?:(?:de|van|von|der|of|the|&)\s)*[^\W\d_a-zà-ÿ][\w&’'-]*)*")


def other_in_sentence(aim: Aim, sentence: str, start: int, end: int) -> str:
    """Why a name is denied, is the day of another event, or stands in another clause than what is asked."""
    if is_row(sentence):
        return ""
    own = frozenset(terms(sentence[start:end]))
    others = [
        match.span()
        for match in NAMES.finditer(sentence)
        if not (match.start() < end and start < match.end())
        and (found := frozenset(terms(match[0])))
        and not (found & aim.terms or found <= own or own <= found)
        and (match.start() > 0 or " " in match[0])
    ]
    return (
        denial(aim, sentence[:start], sentence[start:end])
        or date_of_other_event(aim, sentence, start, end)
        or rival_clause(aim.terms, sentence, (start, end), others)
    )

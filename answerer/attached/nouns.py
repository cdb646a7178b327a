"""Whether a number counts other things than those asked for, or a part of them, or one of two."""

from __future__ import annotations

import re

from answerer.aim import Aim
from answerer.asking import terms
from answerer.attached.clauses import clause_terms
from answerer.attached.counted import counted
from answerer.attached.said import LEAD, PRONOUN, Said
from answerer.changes import State, grows
from answerer.where import held


def other_noun(aim: Aim, said: Said) -> str | None:
    """Why a number counts other things than those asked for."""
    if not aim.nouns:
        return None
    own = counted(said.text, said.number) or frozenset(terms(_LETTERS_ONLY.sub(" ", _written(said))))
    rival = next((one for one in said.others if counted(said.text, one) & aim.nouns), None)
    if not own or own & aim.nouns:
        return None
    if rival is None:
        return _counted_elsewhere(aim, said)
    return f"{said.shown} are counted beside “{said.text[rival.start : rival.end + 20].strip()}”"


def other_part(aim: Aim, said: Said) -> str | None:
    """Why a number is of a whole where a part is asked for, or of the part: "1,200 paintings, 340 of them on show"."""
    found = _PART_OF.search(said.text)
    if found is None or aim.negates:
        return None
    head, part = (
        frozenset(terms(words)) & aim.terms for words in (said.text[: found.start()], said.text[found.start() :])
    )
    is_part = said.number.start >= found.start()
    inside = [one for one in said.others if (one.start >= found.start()) is not is_part]
    if is_part and not part and head:
        return f"it is a part: “{said.text[found.start() :].strip(' ,.')}”"
    return f"it is the whole, not the part: “{said.shown}”" if inside and not is_part and part - head else None


_PART_OF = re.compile(
    r",\s(?:and\s)?(?:of\s(?:which|whom|these|those)\b|"
    r"[$€£¥]?\d[\d.,]*\s?(?:%|\w{1,12}\s)?\s?of\s(?:which|whom|them|these|those|it)\b)"
)
"""Where what is said of a part begins."""


def one_of_two(aim: Aim, said: Said) -> str | None:
    """Why a number is no difference between two counts: it is the one of them, and the other is beside it."""
    if aim.states != {State.DIFFERENCE} or grows(said.text, said.number):
        return None
    mine = counted(said.text, said.number) & aim.terms
    for one in said.others:
        theirs = counted(said.text, one) & aim.terms
        if mine - theirs and theirs - mine:
            return f"{said.shown} are counted, not how many more or less there are"
    spans = sorted((one.start, one.end) for one in (said.number, *said.others))
    told = clause_terms(aim.terms, said.text, spans) or []
    of_own = next((words for span, words in zip(spans, told, strict=False) if span[0] == said.number.start), None)
    if of_own and any(of_own - theirs and theirs - of_own for theirs in told):
        return f"{said.shown} is said of the one of two, not by how much they differ"
    return None


def _written(said: Said) -> str:
    return said.text[said.number.start : said.number.end] if said.number.unit is not None else ""


_LETTERS_ONLY = re.compile(r"[\W\d_]+")


def _counted_elsewhere(aim: Aim, said: Said) -> str | None:
    """Why a number counts other things: another sentence, of the same verb and more of what is asked, has those."""
    told = held(said.text) & aim.terms
    verb = said.before[-LEAD:].split()[-1:]
    for text, one in said.elsewhere:
        theirs = held(text) | (told if PRONOUN.match(text) else frozenset())
        is_like = told < theirs & aim.terms and verb == text[max(0, one.start - LEAD) : one.start].split()[-1:]
        if verb and is_like and counted(text, one) & aim.nouns:
            return f"{said.shown} are counted beside “{text.strip()}”"
    return None

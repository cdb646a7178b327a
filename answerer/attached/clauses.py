"""Whether a value stands in another clause of its sentence than the one that says what is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from answerer.aim import Aim
from answerer.asking import terms
from answerer.attached.counted import counted
from answerer.attached.events import last_term
from answerer.attached.said import Said, Span


def listed_elsewhere(aim: Aim, said: Said) -> str | None:
    """Why "respectively" gives a number to another of the things listed before."""
    if "respectively" not in said.after:
        return None
    places = sorted([said.number, *said.others], key=lambda one: one.start)
    head = said.text[: places[0].start]
    items = [part for part in re.split(r",\s*(?:and\s)?|\sand\s", head) if part.strip()][-len(places) :]
    meant = [at for at, item in enumerate(items) if set(terms(item)) & aim.terms]
    if len(items) != len(places) or len(places) < 2 or len(meant) != 1 or places[meant[0]] is said.number:
        return None
    return f"“respectively” gives it to “{items[places.index(said.number)].strip()}”"


_CUTS = (
    re.compile(r"[;；]"),
    re.compile(r",?\s(?:while|but|whereas|although)\s"),
    re.compile(r":\s"),
    re.compile(r",\s(?:and|or)\s|，"),
    re.compile(r"\s(?:and|or|und|et|y)\s|、"),
    re.compile(r",\s"),
)


def other_clause(aim: Aim, said: Said) -> str | None:
    """Why another number's clause is the one that speaks of what is asked; no matter what all of them count."""
    own, *others = (counted(said.text, one) for one in (said.number, *said.others))
    shared = own if all(theirs <= own for theirs in others) else frozenset()
    if own & aim.nouns and not shared and not any(theirs & aim.nouns for theirs in others):
        return None  # it alone counts what is asked for
    spans = [(one.start, one.end) for one in (said.number, *said.others)]
    return rival_clause(aim.terms - shared, said.text, spans[0], spans[1:]) or None


def rival_clause(wanted: frozenset[str], text: str, own: Span, others: Sequence[Span]) -> str:
    """Why another clause of a sentence, with a value of its own, is the one that speaks of what is asked.

    A clause is what stands between the last joint before its value and the first one after; what stands before the
    first value is said of all. One that has more of the question's words than the value's, and all of those, is meant.
    """
    spans = sorted([own, *others])
    told = clause_terms(wanted, text, spans)
    if told is None:
        return ""
    mine = told[spans.index(own)]
    rival = next((at for at, theirs in enumerate(told) if mine < theirs), None)
    return f"“{text[slice(*spans[rival])]}” is what is said of that" if rival is not None else ""


def clause_terms(wanted: frozenset[str], text: str, spans: Sequence[Span]) -> list[frozenset[str]] | None:
    """The question's words in the clause of each value, but for those said of all; None where nothing parts them.

    "It" and "they" stand for what the first clause ends with.
    """
    cuts = [_cut(text, one[1], other[0]) for one, other in pairwise(spans)]
    if not spans[1:] or None in cuts or "respectively" in text:
        return None
    edges = [spans[0][1], *(cut for cut in cuts if cut is not None), len(text)]
    edges[0] = _opening(text, spans, edges)
    shared = frozenset(terms(text[: edges[0]]))
    told: list[frozenset[str]] = []
    for first, last in pairwise(edges):
        own = frozenset(terms(text[first:last])) & wanted - shared
        named = {last_term(text[edges[0] : edges[1]])} & wanted if told else frozenset()
        told.append(own | named if _STANDS_FOR.search(text, first, last) else own)
    return told


_STANDS_FOR = re.compile(r"\s(?:it|they|them)\b")


def _opening(text: str, spans: Sequence[Span], edges: Sequence[int]) -> int:
    """Up to where a sentence is said of all its values: to the first, or, where each has a subject of its own, less.

    That is to the last colon before the first value, or to nothing.

    >>> text = "Heights: the mill 12 m, the barn 9 m."
    >>> _opening(text, [(18, 22), (33, 36)], [22, 22, 37]), _opening("It has 3 and 4.", [(7, 8), (13, 14)], [8, 8, 15])
    (8, 7)
    """
    first = spans[0][0]
    colon = text.rfind(":", 0, first) + 1
    if colon and text[colon:first].strip():
        return colon
    leads = [text[cut:start] for cut, (start, _) in zip(edges[1:], spans[1:], strict=False)]
    return 0 if leads and all(_SUBJECT.match(lead) for lead in leads) else first


_SUBJECT = re.compile(
    r"(?:[;,，]?\s(?:and|while|but|whereas|although)\s|[;；,]\s)"
    r"(?:the|its|their|our|his|her)\s(?!(?:number|figure|total|rest|amount|value|sum|average|other|same|former|latter)\b)"
    r"[^\W\d_]\w+",
    re.IGNORECASE,
)
"""How a clause begins that has a subject of its own."""


def _cut(text: str, start: int, end: int) -> int | None:
    """Where the clause of one value ends and that of the next begins; None where nothing parts them."""
    for pattern in _CUTS:
        found = list(pattern.finditer(text, start, end))
        if found:
            return found[-1].start()
    return None

"""Whether other documents contradict an answer: the same is said of the same thing there, with another value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from answerer.answer import Answer, Citation, Conflict
from answerer.asking import Asked, Kind, asked
from answerer.candidates import Candidate
from answerer.extract import best, considered
from answerer.score import same_value
from answerer.values import Form, parse
from kohaku.words import is_year
from retriever.evidence import Evidence

NEAR = 0.25
"""How much less than the answer's own place may speak for a contrary one."""
LEAST = 0.6
"""How much must speak for either at least: with less it is hardly known what is spoken of."""
ROUNDED = Decimal("0.05")
"""How far numbers may lie apart of which one is the other, rounded."""
KINDS = frozenset({Kind.NUMBER, Kind.YEAR, Kind.PERSON, Kind.PLACE, Kind.FIRM})
"""Questions that have one answer: other names in like sentences contradict nothing."""
MOST = 3  # that an explanation names: `conflicts` has all


def contested(answer: Answer, evidence: Evidence) -> Answer:
    """The answer with what other documents of the evidence say against it, told in its explanation, and less sure.

    A document contradicts an answer where its own best place, by the built-in reader's measure, has another value and
    speaks for that nearly as much as the answer's best place does. The confidence falls to the share of the documents
    that say what the answer does among all that say something.
    """
    wanted = asked(answer.question)
    if answer.is_blank or wanted.kind not in KINDS:
        return answer
    found = considered(answer.question, wanted, evidence)
    place = best([one for one in found if same_value(answer.value, one.value) and agrees(answer.value, one.value)])
    if place is None or place.score < LEAST:
        return answer
    told = [one for one in _best_of_each(found) if _is_as_sure(one, place, wanted)]
    agreeing = [one for one in told if agrees(answer.value, one.value)]
    bearing = {*answer.references, *(one.sentence.context.document for one in agreeing)}
    conflicts = tuple(_conflict(one) for one in told if one.sentence.context.document not in bearing)
    if not conflicts:
        return answer
    share = len(bearing) / (len(bearing) + len(conflicts))
    said = " ".join(f"But {one.citation.document} says {one.value}: “{one.citation.quote}”" for one in conflicts[:MOST])
    return replace(
        answer,
        conflicts=conflicts,
        confidence=round(answer.confidence * share, 4),
        explanation=f"{answer.explanation} {said}".strip(),
    )


def agrees(one: str, other: str) -> bool:
    """Whether two values may both be true: they are the same, one is rounded, or one lies in the other's range.

    >>> agrees("1098000", "1100000"), agrees("1.18", "1.19"), agrees("85", "[80,90]"), agrees("2019", "2020")
    (True, False, True, False)
    """
    if is_year(one) and is_year(other):
        return one == other
    first, second = parse(one), parse(other)
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return same_value(one, other) or one.casefold() in other.casefold() or other.casefold() in one.casefold()
    if Form.RANGE in (first.form, second.form):
        return first.low <= second.high and second.low <= first.high
    return same_value(one, other) or _is_rounded(first.low, second.low)


def _is_rounded(one: Decimal, other: Decimal) -> bool:
    digits = min(len(number.normalize().as_tuple().digits) for number in (one, other))
    near = abs(one - other) <= ROUNDED * max(abs(one), abs(other))
    return near and f"{one:.{digits - 1}e}" == f"{other:.{digits - 1}e}"


def _best_of_each(found: Sequence[Candidate]) -> Iterable[Candidate]:
    documents = dict.fromkeys(one.sentence.context.document for one in found)
    return [
        max((one for one in found if one.sentence.context.document == document), key=lambda one: one.score)
        for document in documents
    ]


def _is_as_sure(one: Candidate, place: Candidate, wanted: Asked) -> bool:
    """Whether a place speaks of what is asked as plainly as the answer's: it has as many of the question's words."""
    said, asked_there = (len(wanted.terms & (which.sentence.words | which.sentence.named)) for which in (one, place))
    return one.score >= max(LEAST, place.score - NEAR) and said >= asked_there


def _conflict(one: Candidate) -> Conflict:
    context = one.sentence.context
    return Conflict(
        one.value, Citation(context.document, context.node, context.pages, one.sentence.text, context.boxes)
    )

"""What of the evidence speaks of what is asked, and what could hold it: by this it is read on after an abstention."""

from __future__ import annotations

from collections.abc import Sequence

from answerer.answer import Question
from answerer.asking import Kind, asked
from answerer.candidates import candidates
from answerer.match import beside_the_point, coverage, weights
from answerer.passages import sentences
from retriever.evidence import Context

SPOKEN_OF = 0.4
"""How much of a question, weighed by rarity, its best sentence must hold (see `answerer.match.coverage`)."""


def is_spoken_of(question: Question, contexts: Sequence[Context]) -> bool:
    """Whether a sentence of the contexts speaks of what is asked: what a wider search brings does so less.

    A question in other words than the documents' finds none, nor one whose names or years they do not have.
    """
    return foremost(question, contexts) is not None


def foremost(question: Question, contexts: Sequence[Context]) -> Context | None:
    """The context with the sentence that speaks most of what is asked, where it does so enough."""
    wanted, held = asked(question), sentences(contexts)
    weighed = weights(wanted.terms, held)
    scored = ((coverage(one, wanted, weighed) + beside_the_point(one, wanted), one.context) for one in held)
    score, context = max(scored, key=lambda one: one[0], default=(0.0, None))
    return context if score >= SPOKEN_OF else None


def able(question: Question, contexts: Sequence[Context]) -> list[Context]:
    """The contexts that could hold the answer: where a number or a year is asked for, those that have such a one."""
    wanted = asked(question)
    if wanted.kind not in (Kind.NUMBER, Kind.YEAR):
        return list(contexts)
    held = sentences(contexts)
    found = candidates(question, wanted, [(one, 0.0) for one in held], weights(wanted.terms, held))
    nodes = {one.sentence.context.node for one in found}
    return [context for context in contexts if context.node in nodes]

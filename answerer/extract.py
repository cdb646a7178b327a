"""The built-in reader: no model, the best sentence and the value in it, or an abstention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answerer.about import is_labelled, unsaid
from answerer.answer import Answer, Citation, Question, abstention
from answerer.asking import Asked, asked
from answerer.candidates import Candidate, agreeing, candidates
from answerer.ground import ground
from answerer.hostile import gives_orders
from answerer.match import beside_the_point, coverage, weights
from answerer.passages import sentences
from retriever.evidence import Evidence

THRESHOLD = 0.1
"""The score that a place must have at least (hardly any has 2.5): below it nearly nothing was right. What is above it
is rated (`answerer.confidence`), and given where that says at least `LEAST`.
"""
LEAST = 0.28
"""Confidence below which the reader abstains. On the sample's questions 0.25 to 0.3 earned the most; on questions over
filings hardly an answer below it was right.
"""
FOREIGN = (
    "The built-in reader knows questions in English: a model (--model) reads other languages, `kohaku retrieve` shows "
    "the evidence."
)
POOL = 40
"""Sentences that are looked into for values; the answer was never found further down."""


def read(question: Question, evidence: Evidence) -> Answer:
    """The best sentence of the evidence with the value in it, by what is asked and its unit; else an abstention."""
    wanted = asked(question)
    if wanted.foreign:
        return abstention(question, FOREIGN)
    chosen = None if wanted.impossible else best(considered(question, wanted, evidence))
    if chosen is None or chosen.score < THRESHOLD:
        return abstention(question, "No sentence of the evidence answers this.")
    return answered(question, chosen)


def considered(question: Question, wanted: Asked, evidence: Evidence) -> list[Candidate]:
    """Every value of the best sentences that may be the answer."""
    held = sentences([context for context in evidence.contexts if not gives_orders(context.text)])
    weighed = weights(wanted.terms, held)
    ranked = sorted(
        (
            (is_labelled(sentence, wanted), coverage(sentence, wanted, weighed), -sentence.rank, number)
            for number, sentence in enumerate(held)
        ),
        reverse=True,
    )[:POOL]
    pool = [
        (held[number], covered + beside_the_point(held[number], wanted))
        for _, covered, _, number in ranked
        if covered > 0
    ]
    found = agreeing(candidates(question, wanted, pool, weighed))
    return [replace(one, unsaid=unsaid(one.sentence, wanted)) for one in found]


def answered(question: Question, chosen: Candidate) -> Answer:
    """A candidate as the answer, with the sentence that it stands in as its citation."""
    context = chosen.sentence.context
    citation = Citation(context.document, context.node, context.pages, chosen.sentence.text, context.boxes)
    grounding = ground(question, chosen.value, "", [context], [citation])
    return Answer(
        question,
        chosen.sentence.text,
        chosen.value,
        f"Found without a model: the sentence in {context.document} that best matches the question.{chosen.note}",
        (context.document,),
        (citation,),
        grounding=grounding,
    )


def best(found: Sequence[Candidate]) -> Candidate | None:
    """The candidate with the highest score, the first among equals."""
    return max(found, key=lambda candidate: candidate.score, default=None)

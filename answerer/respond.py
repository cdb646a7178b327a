"""Answers with more evidence after an abstention, and many questions at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace

from answerer.answer import Answer, Question
from answerer.values import BLANK
from kohaku.errors import KohakuError
from kohaku.threads import each
from retriever.evidence import Evidence


def respond(
    question: Question,
    retrieve: Callable[[int], Evidence],
    read: Callable[[Question, Evidence], Answer],
    *,
    retries: int,
    strict: bool = False,
) -> Answer:
    """The first answer that is none of abstaining, or the last abstention.

    Where it is `strict`, an answer whose value does not follow from what is cited counts as an abstention.

    `retrieve(n)` gives n times the evidence of `retrieve(1)`; the caller has planned the queries, once for all of it.
    Reading stops where there is nothing more to find, or nothing new came.
    """
    evidence = retrieve(1)
    answer = held_to(read(question, evidence), strict=strict)
    attempts = 1
    while answer.is_blank and attempts <= retries and not evidence.complete:
        wider = retrieve(attempts + 1)
        if _nodes(wider) <= _nodes(evidence):
            break
        evidence, attempts = wider, attempts + 1
        answer = held_to(read(question, evidence), strict=strict)
    explained = evidence if evidence.ledger is not None else None
    return replace(answer, attempts=attempts, queries=evidence.queries, evidence=explained)


def held_to(answer: Answer, *, strict: bool) -> Answer:
    """The answer; where it is strict and the value does not follow from what is cited, an abstention that says so."""
    if not strict or answer.is_blank or answer.is_grounded:
        return answer
    said = f"The value {answer.value!r} that was given does not follow from what was cited for it."
    return Answer(answer.question, BLANK, BLANK, said, is_blank=True, dropped=answer.dropped)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question: its answer, or the error that left it without one, for the next run."""

    question: Question
    answer: Answer | None = None
    error: KohakuError | None = None

    @property
    def reason(self) -> str:
        """Why there is no answer, "" where there is one."""
        return str(self.error) if self.error else ""


def respond_all(
    questions: Iterable[Question],
    respond_one: Callable[[Question], Answer],
    *,
    concurrency: int,
    on_done: Callable[[Outcome], None],
) -> None:
    """Answers questions by a bounded pool of threads; `on_done` is called in this thread, as each is finished.

    A KohakuError is one question's outcome and stops no other, but for NoAccess, which would meet them all. That, any
    other error, an interrupt, or an error of `on_done` starts no further question and comes out at once.
    """
    with closing(each(questions, respond_one, concurrency=concurrency)) as outcomes:
        for question, result in outcomes:
            if isinstance(result, KohakuError):
                on_done(Outcome(question, error=result))
            else:
                on_done(Outcome(question, answer=result))


def _nodes(evidence: Evidence) -> set[str]:
    return {context.node for context in evidence.contexts}

"""Answers with more evidence after an abstention, and many questions at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from answerer.answer import Answer, Question
from answerer.values import BLANK
from kohaku.errors import KohakuError
from kohaku.threads import each
from retriever.evidence import Evidence

Planned = TypeVar("Planned")


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
    """What became of a question: its answer, or the error that left it without one, for the next run.

    `take` is which of several readings it was, None where there is but one.
    """

    question: Question
    answer: Answer | None = None
    error: KohakuError | None = None
    take: int | None = None

    @property
    def reason(self) -> str:
        """Why there is no answer, "" where there is one."""
        reading = "" if self.take is None else f"reading {self.take + 1}: "
        return f"{reading}{self.error}" if self.error else ""


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


def respond_several(
    questions: Iterable[Question],
    due: Callable[[Question], Iterable[int]],
    respond_one: Callable[[Question, int], Answer],
    *,
    concurrency: int,
    on_done: Callable[[Outcome], None],
) -> None:
    """Reads each question as often as is `due`, in rounds: which reading is due next hangs on what the last ones said.

    Otherwise like `respond_all`.
    """
    waiting = list(questions)
    while round := [(question, number) for question in waiting for number in due(question)]:
        round.sort(key=lambda what: what[1])  # else readings of one question would wait for its evidence together
        read_now = partial(_read_now, respond_one)
        with closing(each(round, read_now, concurrency=concurrency)) as outcomes:
            for (question, number), result in outcomes:
                if isinstance(result, KohakuError):
                    on_done(Outcome(question, error=result, take=number))
                else:
                    on_done(Outcome(question, answer=result, take=number))
        waiting = [question for question in waiting if question.id in {asked.id for asked, _ in round}]


def _read_now(respond_one: Callable[[Question, int], Answer], what: tuple[Question, int]) -> Answer:
    return respond_one(*what)


class Sought(Generic[Planned]):
    """What is found for one question, planned and sought once however many readings want it."""

    def __init__(self, plan: Callable[[], Planned], retrieve: Callable[[Planned, int], Evidence]) -> None:
        self._plan, self._retrieve = plan, retrieve
        self._planned: Planned | None = None
        self._found: dict[int, Evidence] = {}
        self._turn = threading.Lock()

    def __call__(self, times: int) -> Evidence:
        """So many times the evidence."""
        with self._turn:
            if self._planned is None:
                self._planned = self._plan()
            if times not in self._found:
                self._found[times] = self._retrieve(self._planned, times)
            return self._found[times]


def _nodes(evidence: Evidence) -> set[str]:
    return {context.node for context in evidence.contexts}

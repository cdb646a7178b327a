"""Answers with more evidence after an abstention, and many questions at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from answerer.answer import Answer, Question, abstention
from answerer.retry import Servings
from kohaku.errors import KohakuError
from kohaku.threads import each
from retriever.evidence import Evidence

Planned = TypeVar("Planned")
Better = Callable[[Answer, Evidence, Callable[[Evidence], Answer]], Answer]
"""What may better an answer: from its evidence, and by a function that reads other evidence in the same way."""


def respond(
    question: Question,
    retrieve: Callable[[int, Sequence[str]], Evidence],
    read: Callable[[Question, Evidence], Answer],
    *,
    retries: int,
    strict: bool = False,
    rate: Callable[[Answer, Evidence], Answer] = lambda answer, evidence: answer,
    doubt: Callable[[Answer, Evidence], Answer] = lambda answer, evidence: answer,
    least: float = 0.0,
    room: int = 0,
    share: float = 1.0,
    better: Better = lambda answer, evidence, read: answer,
) -> Answer:
    """The first answer that is none of abstaining, or the last abstention, rated.

    `retrieve(n, queries)` gives n times the evidence of `retrieve(1, ())`, searched for by these queries too; the
    caller has planned its own, once for all of it. Which of it is read, `Servings` says. What is rated below `least`,
    or where it is `strict` follows from nothing that is cited, counts as an abstention. `doubt` sees all that was found
    for the question, read or not. What `better` makes of it is returned.
    """

    servings = Servings(question, retrieve, retries=retries, room=room, share=share)

    def given(found: Evidence) -> Answer:
        return doubt(rate(read(question, found), found), servings.known)

    def held(found: Evidence) -> Answer:
        return held_to(given(found), strict=strict, least=least)

    evidence: Evidence | None = servings.first()
    attempts = 0
    while evidence is not None:
        read_last = evidence
        said = given(evidence)
        answer = held_to(said, strict=strict, least=least)
        attempts += 1
        evidence = servings.after(said, answer)
    answer = better(answer, read_last, held)
    attempts += answer.check is not None and answer.check.read_again
    explained = read_last if read_last.ledger is not None else None
    return replace(answer, attempts=attempts, queries=tuple(servings.queries), evidence=explained)


def held_to(answer: Answer, *, strict: bool, least: float = 0.0) -> Answer:
    """The answer, or an abstention that says why it is not given: it is bare of evidence, or too unlikely."""
    if answer.is_blank or ((answer.is_grounded or not strict) and answer.confidence >= least):
        return answer
    why = (
        "does not follow from what was cited for it"
        if strict and not answer.is_grounded
        else f"is too uncertain: a confidence of {answer.confidence:.4f}, where {least:g} is asked for"
    )
    said = f"The value {answer.value!r} that was given {why}."
    return replace(abstention(answer.question, said), dropped=answer.dropped)


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
            on_done(_outcome(question, result))


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
        with closing(each(round, lambda what: respond_one(*what), concurrency=concurrency)) as outcomes:
            for (question, number), result in outcomes:
                on_done(_outcome(question, result, take=number))
        waiting = [question for question in waiting if question.id in {asked.id for asked, _ in round}]


def _outcome(question: Question, result: Answer | KohakuError, take: int | None = None) -> Outcome:
    if isinstance(result, KohakuError):
        return Outcome(question, error=result, take=take)
    return Outcome(question, answer=result, take=take)


class Sought(Generic[Planned]):
    """What is found for one question, planned and sought once however many readings want it."""

    def __init__(
        self,
        plan: Callable[[], Planned],
        retrieve: Callable[[Planned, int, Sequence[str]], Evidence],
        narrow: Callable[[Sequence[str]], Evidence] | None = None,
    ) -> None:
        self._plan, self._retrieve, self._narrow = plan, retrieve, narrow
        self._planned: Planned | None = None
        self._found: dict[tuple[int, tuple[str, ...]], Evidence] = {}
        self._turn = threading.Lock()

    def __call__(self, times: int, more: Sequence[str] = ()) -> Evidence:
        """So many times the evidence, searched for by more queries too."""
        wanted = times, tuple(more)
        with self._turn:
            if self._planned is None:
                self._planned = self._plan()
            if wanted not in self._found:
                self._found[wanted] = self._retrieve(self._planned, times, more)
            return self._found[wanted]

    def narrowly(self, queries: Sequence[str]) -> Evidence:
        """What is found by these queries alone; nothing where no such search was given."""
        if self._narrow is None:
            return Evidence("", tuple(queries), ())
        with self._turn:
            wanted = 0, tuple(queries)
            if wanted not in self._found:
                self._found[wanted] = self._narrow(queries)
            return self._found[wanted]

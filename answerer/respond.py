"""Answers with more evidence after an abstention, and many questions at once."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from answerer.answer import Answer, Question
from kohaku.errors import KohakuError, NoAccess
from retriever.evidence import Evidence


def respond(
    question: Question,
    retrieve: Callable[[int], Evidence],
    read: Callable[[Question, Evidence], Answer],
    *,
    retries: int,
) -> Answer:
    """The first answer that is none of abstaining, or the last abstention.

    `retrieve(n)` gives n times the evidence of `retrieve(1)`; the caller has planned the queries, once for all of it.
    Reading stops where there is nothing more to find, or nothing new came.
    """
    evidence = retrieve(1)
    answer = read(question, evidence)
    attempts = 1
    while answer.is_blank and attempts <= retries and not evidence.complete:
        wider = retrieve(attempts + 1)
        if _nodes(wider) <= _nodes(evidence):
            break
        evidence, attempts = wider, attempts + 1
        answer = read(question, evidence)
    return replace(answer, attempts=attempts, queries=evidence.queries)


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
    waiting = list(questions)
    todo: queue.SimpleQueue[Question] = queue.SimpleQueue()
    done: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()
    for question in waiting:
        todo.put(question)
    stopped = threading.Event()
    try:
        # daemons: a pool's threads would hold an interrupted program until the calls in flight came back
        for _ in range(min(concurrency, len(waiting))):
            threading.Thread(target=_work, args=(todo, done, respond_one, stopped), daemon=True).start()
        for _ in waiting:
            outcome = done.get()
            if isinstance(outcome, BaseException):
                raise outcome
            on_done(outcome)
    finally:
        stopped.set()


def _work(
    todo: queue.SimpleQueue[Question],
    done: queue.SimpleQueue[Outcome | BaseException],
    respond_one: Callable[[Question], Answer],
    stopped: threading.Event,
) -> None:
    """Takes questions until there are no more."""
    while not stopped.is_set():
        try:
            question = todo.get_nowait()
        except queue.Empty:
            return
        try:
            done.put(Outcome(question, answer=respond_one(question)))
        except NoAccess as error:
            done.put(error)
            return
        except KohakuError as error:
            done.put(Outcome(question, error=error))
        except BaseException as error:  # comes out in the thread that waits for it
            done.put(error)
            return


def _nodes(evidence: Evidence) -> set[str]:
    return {context.node for context in evidence.contexts}

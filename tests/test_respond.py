from __future__ import annotations

import _thread
import threading
from collections.abc import Callable

import pytest

from answerer.answer import Answer, Question
from answerer.respond import Outcome, respond, respond_all
from kohaku.errors import ContextTooLong, ModelError
from kohaku.tree import Kind
from retriever.evidence import Context, Evidence

QUESTION = Question("q1", "Why?")


def evidence(size: int, *, complete: bool = False) -> Evidence:
    nodes = (Context("d", "D", f"d:p{n}", Kind.PARAGRAPH, None, (), 1.0, "text", 1) for n in range(size))
    return Evidence("Why?", ("Why?", "How?"), tuple(nodes), complete)


def answer(question: Question, value: str = "4") -> Answer:
    return Answer(question, value, value, "", ("d",), is_blank=value == "is_blank")


def reads_from(size: int) -> Callable[[Question, Evidence], Answer]:
    """A reader that finds the answer where there are so many contexts."""
    return lambda question, found: answer(question, "4" if len(found.contexts) >= size else "is_blank")


def test_an_abstention_is_met_with_ever_more_evidence_and_attempts_are_counted() -> None:
    asked: list[int] = []

    def retrieve(times: int) -> Evidence:
        asked.append(times)
        return evidence(10 * times)

    found = respond(QUESTION, retrieve, reads_from(30), retries=5)
    assert (asked, found.attempts, found.value, found.queries) == ([1, 2, 3], 3, "4", ("Why?", "How?"))


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_retries_are_bounded(retries: int) -> None:
    found = respond(QUESTION, lambda times: evidence(times), reads_from(99), retries=retries)
    assert (found.attempts, found.is_blank) == (1 + retries, True)


def test_reading_stops_where_nothing_more_can_be_found_or_nothing_new_came() -> None:
    assert respond(QUESTION, lambda times: evidence(1, complete=True), reads_from(9), retries=5).attempts == 1
    assert respond(QUESTION, lambda times: evidence(min(times, 2)), reads_from(9), retries=5).attempts == 2


def test_a_failed_call_comes_out_and_is_no_abstention() -> None:
    def read(question: Question, found: Evidence) -> Answer:
        raise ContextTooLong("long")

    with pytest.raises(ContextTooLong):
        respond(QUESTION, evidence, read, retries=2)


def test_questions_answered_at_once_do_not_touch_each_others_evidence() -> None:
    together = threading.Barrier(4, timeout=10)

    def one(question: Question) -> Answer:
        size, seen = int(question.id), []

        def retrieve(times: int) -> Evidence:
            together.wait()
            seen.append(times)
            return evidence(times * size)

        found = respond(question, retrieve, reads_from(3 * size), retries=2)
        assert seen == [1, 2, 3]
        return found

    outcomes = everything([Question(str(n), "?") for n in (1, 2, 5, 9)], one, concurrency=4)
    assert [outcome.answer.attempts for outcome in outcomes if outcome.answer] == [3, 3, 3, 3]


def everything(questions: list[Question], one: Callable[[Question], Answer], *, concurrency: int = 2) -> list[Outcome]:
    outcomes: list[Outcome] = []
    respond_all(questions, one, concurrency=concurrency, on_done=outcomes.append)
    return outcomes


QUESTIONS = [Question(f"q{n}", "?") for n in range(20)]


def test_every_question_gets_one_outcome() -> None:
    outcomes = everything(QUESTIONS, answer, concurrency=3)
    assert sorted(outcome.question.id for outcome in outcomes) == sorted(question.id for question in QUESTIONS)
    assert all(outcome.answer and not outcome.reason for outcome in outcomes)
    assert everything([], answer) == []


def test_one_failed_call_is_that_rows_failure_and_stops_no_other() -> None:
    def one(question: Question) -> Answer:
        if question.id == "q3":
            raise ModelError("the server is gone: run again later")
        return answer(question)

    outcomes = everything(QUESTIONS, one)
    [failed] = [outcome for outcome in outcomes if outcome.answer is None]
    assert (failed.question.id, failed.reason) == ("q3", "the server is gone: run again later")
    assert len(outcomes) == 20


def test_no_more_questions_are_answered_at_once_than_asked_for() -> None:
    pair, lock, busy, most = threading.Barrier(2, timeout=10), threading.Lock(), 0, 0

    def one(question: Question) -> Answer:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        pair.wait()
        with lock:
            busy -= 1
        return answer(question)

    everything(QUESTIONS, one, concurrency=2)
    assert most == 2


def test_each_outcome_is_told_as_soon_as_it_is_there_and_in_the_callers_thread() -> None:
    gate, threads = threading.Event(), set[int]()

    def one(question: Question) -> Answer:
        if question.id == "q1":
            assert gate.wait(10)  # opened only by the outcome of q0
        return answer(question)

    def on_done(outcome: Outcome) -> None:
        threads.add(threading.get_ident())
        gate.set()

    respond_all(QUESTIONS[:2], one, concurrency=2, on_done=on_done)
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_an_interrupt_comes_out_at_once_and_starts_no_further_question(error: type[BaseException]) -> None:
    hold, started = threading.Event(), list[str]()

    def one(question: Question) -> Answer:
        started.append(question.id)
        if question.id != "q0":
            hold.wait(10)  # a call that hangs must not hold the program
        return answer(question)

    def on_done(outcome: Outcome) -> None:
        raise error

    with pytest.raises(error):
        respond_all(QUESTIONS, one, concurrency=2, on_done=on_done)
    count = len(started)
    hold.set()
    assert count <= 3


def test_an_interrupt_while_calls_hang_comes_out_at_once() -> None:
    hold = threading.Event()

    def one(question: Question) -> Answer:
        _thread.interrupt_main()
        hold.wait(10)
        return answer(question)

    with pytest.raises(KeyboardInterrupt):
        everything(QUESTIONS, one, concurrency=1)
    hold.set()


def test_a_fault_of_our_own_is_not_hidden_as_a_failed_row() -> None:
    def one(question: Question) -> Answer:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        everything(QUESTIONS, one)

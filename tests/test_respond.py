from __future__ import annotations

import _thread
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from answerer.answer import Answer, Grounding, How, Question
from answerer.respond import Outcome, respond, respond_all
from answerer.retry import further
from kohaku.errors import ContextTooLong, ModelError
from kohaku.tree import Kind
from retriever.decompose import Part
from retriever.evidence import Context, Evidence, Filtered

QUESTION = Question("q1", "Why?")


def evidence(size: int, *, complete: bool = False) -> Evidence:
    nodes = (Context("d", "D", f"d:p{n}", Kind.PARAGRAPH, None, (), 1.0, f"text {n}", 1) for n in range(size))
    return Evidence("Why?", ("Why?", "How?"), tuple(nodes), complete)


def answer(question: Question, value: str = "4") -> Answer:
    return Answer(question, value, value, "", ("d",), is_blank=value == "is_blank")


def reads(wanted: int) -> Callable[[Question, Evidence], Answer]:
    """A reader that finds the answer in the context of that number."""
    return lambda question, found: answer(
        question, "4" if f"d:p{wanted}" in {context.node for context in found.contexts} else "is_blank"
    )


def widening(step: int) -> Callable[[int, Sequence[str]], Evidence]:
    return lambda times, queries: evidence(step * times)


def test_an_abstention_is_met_with_more_evidence_and_other_queries_and_attempts_are_counted() -> None:
    asked: list[tuple[int, list[str]]] = []

    def retrieve(times: int, queries: Sequence[str]) -> Evidence:
        asked.append((times, list(queries)))
        return evidence(10 * times)

    question = Question("q1", "How much water did the Oslo site use?")
    found = respond(question, retrieve, reads(15), retries=5)
    assert asked == [(1, []), (2, ["water Oslo site", "Oslo"])]
    assert (found.attempts, found.value) == (2, "4")
    assert found.queries == ("Why?", "How?", "water Oslo site", "Oslo")


def test_a_later_reading_is_of_new_evidence_in_the_room_of_the_first_with_the_best_of_the_old() -> None:
    read: list[list[str]] = []

    def abstain(question: Question, found: Evidence) -> Answer:
        read.append([context.node for context in found.contexts])
        return answer(question, "is_blank")

    respond(QUESTION, widening(10), abstain, retries=2)
    assert [len(nodes) for nodes in read] == [10, 10, 10]
    assert read[1] == ["d:p0", *(f"d:p{n}" for n in range(10, 19))]
    new = [set(nodes) - {"d:p0"} for nodes in read[1:]]
    assert not new[0] & new[1]


def shared(
    wanted: int, *, grounded: bool = True, parts: bool = False, retries: int = 1, strict: bool = False
) -> tuple[Answer, list[list[int]]]:
    """What comes of a question whose answer stands in one of ten contexts, the half of which is read first."""
    read: list[list[int]] = []

    def reading(question: Question, found: Evidence) -> Answer:
        numbers = [int(context.node.removeprefix("d:p")) for context in found.contexts]
        read.append(numbers)
        how = Grounding(How.STATED if grounded or len(numbers) == 10 else How.UNGROUNDED)
        return replace(answer(question, "4" if wanted in numbers else "is_blank"), grounding=how)

    def retrieve(times: int, queries: Sequence[str]) -> Evidence:
        split = (Part(1, "a"), Part(2, "b")) if parts and times == 1 else ()
        return replace(evidence(10 * times), parts=split)

    return respond(QUESTION, retrieve, reading, retries=retries, share=0.5, strict=strict), read


def test_the_best_half_is_read_first_and_where_it_has_the_answer_nothing_else() -> None:
    assert shared(3)[1] == [[0, 1, 2, 3, 4]]


def test_the_rest_is_read_where_the_best_half_has_no_answer_then_what_a_wider_search_brings() -> None:
    found, read = shared(7)
    assert (found.value, read[1:]) == ("4", [[0, 5, 6, 7, 8, 9]])
    found, read = shared(15)
    assert (found.value, found.attempts) == ("4", 3)
    assert read[2] == [0, *range(10, 19)]
    assert len(shared(99, retries=0)[1]) == 2


@pytest.mark.parametrize("strict", [False, True])
def test_an_answer_that_is_not_grounded_is_read_for_in_the_whole(strict: bool) -> None:
    found, read = shared(3, grounded=False, strict=strict)
    assert read == [[0, 1, 2, 3, 4], list(range(10))]
    assert found.is_grounded


def test_the_evidence_of_parts_is_read_together() -> None:
    assert shared(7, parts=True)[1] == [list(range(10))]


WATER = Question("q", "How many litres of water did Lake Site draw in 2023?", "litres")


def speaking(*texts: str, tokens: int = 1000) -> tuple[Context, ...]:
    return tuple(Context("d", "D", f"d:{text}", Kind.PARAGRAPH, None, (), 1.0, text, tokens) for text in texts)


def searched(first: Evidence, wider: Evidence, question: Question = WATER) -> list[list[str]]:
    """What is read for a question that is never answered."""
    read: list[list[str]] = []

    def abstain(question: Question, found: Evidence) -> Answer:
        read.append([context.text for context in found.contexts])
        return answer(question, "is_blank")

    respond(question, lambda times, more: first if times == 1 else wider, abstain, retries=1, share=0.1)
    return read


DRAWN = "Lake Site drew 5 million litres of water in 2023."
OTHERS = ("Hill Site burnt 4 tonnes of wood.", "North Hall drew 3 litres.", "It has 2 litres.")


def test_no_wider_search_is_made_where_enough_of_the_very_thing_was_read() -> None:
    whole = Evidence("", (), speaking(DRAWN, *OTHERS))
    wider = Evidence("", (), speaking("The lake holds 7 litres."))
    assert [DRAWN] in searched(whole, wider) and wider.contexts[0].text not in searched(whole, wider)[-1]
    for found in (
        replace(whole, contexts=speaking(*OTHERS)),
        replace(whole, contexts=speaking(DRAWN, *OTHERS, tokens=100)),
        replace(whole, parts=(Part(1, "a"), Part(2, "b"))),
        replace(whole, filters=(Filtered("sections", 8, 4),)),
    ):
        assert wider.contexts[0].text in searched(found, wider)[-1]


def test_what_could_not_hold_a_number_is_not_read_after_an_abstention() -> None:
    told = ("The site is dry.", OTHERS[1], "It weighs 9 tonnes.")
    first = Evidence("", (), speaking("Nobody lives there.", *told, tokens=10))
    wider = Evidence("", (), speaking("The lake is deep.", "A tank holds 8 litres.", tokens=10))
    assert searched(first, wider) == [
        ["Nobody lives there."],
        [OTHERS[1]],
        ["A tank holds 8 litres."],
    ]
    named = replace(WATER, text="Who owns Lake Site?", unit="")
    assert searched(first, wider, named)[1:] == [list(told), [one.text for one in wider.contexts]]


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_retries_are_bounded(retries: int) -> None:
    found = respond(QUESTION, widening(4), reads(99), retries=retries)
    assert (found.attempts, found.is_blank) == (1 + retries, True)


def test_reading_stops_where_nothing_more_can_be_found_or_nothing_new_came() -> None:
    assert respond(QUESTION, lambda times, more: evidence(1, complete=True), reads(9), retries=5).attempts == 1
    assert respond(QUESTION, lambda times, more: evidence(min(times, 2)), reads(9), retries=5).attempts == 2


def test_what_a_failed_answer_says_is_missing_is_looked_for_and_nothing_twice() -> None:
    failed = Answer(QUESTION, "", "is_blank", "The reservoir of Tveit is not mentioned.", is_blank=True)
    question = Question("q", "How deep is the Isbrook lake?")
    queries = further(question, failed, [])
    assert queries == ["deep Isbrook lake", "Isbrook", "Isbrook reservoir Tveit mentioned"]
    assert further(question, failed, queries) == []


def test_an_answer_rated_too_low_is_an_abstention_that_says_so() -> None:
    def rate(given: Answer, found: Evidence) -> Answer:
        return replace(given, confidence=0.3)

    found = respond(QUESTION, widening(1), reads(0), retries=0, rate=rate, least=0.4)
    assert found.is_blank and "0.30" in found.explanation
    assert respond(QUESTION, widening(1), reads(0), retries=0, rate=rate, least=0.3).value == "4"


def test_what_is_withheld_is_never_said_to_be_as_sure_as_asked_for() -> None:
    def rate(given: Answer, found: Evidence) -> Answer:
        return replace(given, confidence=0.2786)

    found = respond(QUESTION, widening(1), reads(0), retries=0, rate=rate, least=0.28)
    assert "a confidence of 0.2786, where 0.28 is asked for" in found.explanation


def test_a_failed_call_comes_out_and_is_no_abstention() -> None:
    def read(question: Question, found: Evidence) -> Answer:
        raise ContextTooLong("long")

    with pytest.raises(ContextTooLong):
        respond(QUESTION, widening(1), read, retries=2)


def test_questions_answered_at_once_do_not_touch_each_others_evidence() -> None:
    together = threading.Barrier(4, timeout=10)

    def one(question: Question) -> Answer:
        size, seen = int(question.id), []

        def retrieve(times: int, more: Sequence[str]) -> Evidence:
            together.wait()
            seen.append(times)
            return evidence(times * size)

        found = respond(question, retrieve, reads(3 * size - 1), retries=2)
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

"""An answer says how sure it is, and how sure answers are can be held against the truth."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from answerer.answer import Answer, Grounding, How, Question
from answerer.calibration import Judged, calibration, calibration_of_files
from answerer.confidence import rated
from answerer.extract import read
from answerer.prompts import AnswerReply
from answerer.reader import checked
from answerer.submission import COLUMNS, Submission, row, sure
from kohaku.doors.cli import app
from kohaku.errors import TableError
from kohaku.tree import Kind
from retriever.evidence import Context, Evidence

QUESTION = Question("q1", "How much water did the mill draw a day?", "litres")


def context(text: str, document: str) -> Context:
    return Context(document, "", f"{document}:p1", Kind.PARAGRAPH, (1, 1), (), 1.0, text, 50)


MILL = Evidence("", (), (context("The mill drew 552 litres of water a day.", "mill"), context("It rained.", "pond")))
ANSWER = read(QUESTION, MILL)


def confidence(answer: Answer, evidence: Evidence = MILL) -> float:
    return rated(answer, evidence).confidence


def test_what_speaks_against_an_answer_lowers_its_confidence() -> None:
    bare = replace(ANSWER, value="77", grounding=Grounding(How.UNGROUNDED), citations=())
    late = Evidence("", (), (*(context(f"It rained {n} times.", f"d{n}") for n in range(9)), MILL.contexts[0]))
    rival = Evidence("", (), (*MILL.contexts, context("The mill drew 431 litres of water a day.", "other")))
    second = Evidence("", (), (*MILL.contexts, context("The mill drew 552 litres of water a day, they say.", "other")))
    both = read(QUESTION, second)
    assert confidence(ANSWER) > confidence(replace(ANSWER, dropped=3)) > confidence(bare)
    assert confidence(ANSWER) > confidence(ANSWER, late)
    assert confidence(ANSWER) > confidence(ANSWER, rival)
    assert 0 < confidence(bare) < 0.5 < confidence(both) < 1


def replied(
    value: str, *, quotes: tuple[str, ...] = (), evidence: Evidence = MILL, question: Question = QUESTION
) -> Answer:
    """A model's answer, checked and rated."""
    reply = AnswerReply(
        explanation="", answer=value, answer_value=value, ref_id=["mill"], quotes=list(quotes), is_blank=False
    )
    return rated(checked(question, evidence.contexts, reply), evidence, by_model=True)


def test_a_models_answer_that_stands_in_other_words_than_the_questions_is_as_sure() -> None:
    other = Question("q1", "By what did a wheel of that works deplete the stream from dawn to dawn?", "litres")
    assert replied("552").confidence > 0.9
    answer = replied("552", question=other)
    assert answer.confidence > 0.9 > 0.5 > confidence(answer)


def test_what_speaks_against_a_models_answer_lowers_its_confidence() -> None:
    good = replied("552", quotes=("The mill drew 552 litres of water a day.",)).confidence
    misquoted = replied("552", quotes=("It was said to have drunk the river dry.",)).confidence
    two = Evidence("", (), (context("The mill drew 552 litres of water a day. Of 40 men it had none.", "mill"),))
    late = Evidence("", (), (*(context(f"It rained {n} times.", f"d{n}") for n in range(9)), MILL.contexts[0]))
    assert good > misquoted > replied("77").confidence
    assert good > replied("40", evidence=two).confidence
    assert good > replied("552", evidence=late).confidence


def test_a_verdict_is_no_unlikelier_for_standing_nowhere_but_what_is_none_is() -> None:
    statement = Question("q1", "True or False: a mill may need a stream.")
    assert replied("1", question=statement).confidence > 0.5 > replied("39", question=statement).confidence


def test_an_abstention_is_surer_the_less_the_evidence_has() -> None:
    blank = Answer(QUESTION, "", "is_blank", "", is_blank=True)
    assert confidence(blank, Evidence("", (), ())) == 1.0
    assert confidence(blank) < 1.0


def test_risk_and_calibration_are_as_defined() -> None:
    given = [Judged("a", 0.95, True), Judged("b", 0.65, True), Judged("c", 0.65, False), Judged("d", 0.15, False)]
    found = calibration(given, 6)
    assert [(point.coverage, round(point.risk, 3)) for point in found.curve] == [(0.25, 0), (0.75, 0.333), (1, 0.5)]
    assert found.aurc == pytest.approx((0 + 1 / 4 + 1 / 3 + 1 / 2) / 4)  # the second is as likely one as the other
    assert found.best == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)
    assert found.auroc == pytest.approx((1 + 1 + 1 / 2 + 1) / 4)
    assert found.ece == pytest.approx((0.05 + 2 * 0.15 + 0.15) / 4)
    assert (found.answered, found.asked, found.right) == (4, 6, 2)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=30))
def test_the_best_order_is_never_worse_than_the_one_that_is(answers: list[tuple[float, bool]]) -> None:
    found = calibration([Judged(str(n), sureness, right) for n, (sureness, right) in enumerate(answers)], 30)
    assert 0 <= found.best <= found.aurc + 1e-12 <= 1 + 1e-9
    assert 0 <= found.ece <= 1


def write(path: str, header: str, *lines: str) -> None:
    Path(path).write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")


def test_the_command_reports_what_confidences_were_worth() -> None:
    write("truth.csv", "id,answer_value,ref_id", "a,5,['x']", "b,7,['x']", "c,is_blank,is_blank")
    write("pred.csv", "id,answer_value,ref_id", "a,5,['x']", "b,8,['x']", "c,is_blank,is_blank")
    write("sure.csv", "id,confidence,agree", "a,0.9,3", "b,0.2,1", "c,1,3")
    words = ["score", "--truth", "truth.csv", "--pred", "pred.csv", "--calibration", "--confidence", "sure.csv"]
    found = json.loads(CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False).stdout)["calibration"]
    assert (found["answered"], found["right"], round(found["ece"], 2)) == (2, 1, 0.15)
    shown = CliRunner().invoke(app, words, catch_exceptions=False).stdout
    assert "aurc\t0.2500 (at best 0.2500)" in shown and "0.50\t0.000\t0.90" in shown
    assert CliRunner().invoke(app, words[:-2]).exit_code == 2


def test_the_page_draws_risk_against_coverage_and_what_was_right_of_like_confidences() -> None:
    write("truth.csv", "id,answer_value,ref_id", "a,5,['x']", "b,7,['x']", "c,9,['x']")
    write("pred.csv", "id,answer_value,ref_id", "a,5,['x']", "b,8,['x']", "c,9,['x']")
    write("sure.csv", "id,confidence", "a,0.9", "b,0.5", "c,0.25")
    words = ["score", "--truth", "truth.csv", "--pred", "pred.csv", "--html", "page.html"]
    CliRunner().invoke(app, [*words, "--calibration", "--confidence", "sure.csv"], catch_exceptions=False)
    page = BeautifulSoup(Path("page.html").read_text(encoding="utf-8"), "html.parser")
    [curve] = page.select("polyline")
    assert curve["points"] == "0.00,100.00 33.33,100.00 66.67,50.00 100.00,66.67"
    assert [(dot["cx"], dot["cy"]) for dot in page.select("circle")] == [
        ("25.00", "0.00"),
        ("50.00", "100.00"),
        ("90.00", "0.00"),
    ]
    CliRunner().invoke(app, words, catch_exceptions=False)
    assert "<svg" not in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("row", ["a,2", "a,-1", "a,nan", "a,sure", "z,0.5"])
def test_confidences_that_are_none_are_an_error_that_says_so(row: str) -> None:
    write("truth.csv", "id,answer_value", "a,5")
    write("pred.csv", "id,answer_value", "a,5")
    write("sure.csv", "id,confidence", row)
    with pytest.raises(TableError):
        calibration_of_files("truth.csv", "pred.csv", "sure.csv")


def test_how_sure_answers_are_outlasts_a_kill_and_goes_with_the_rows_that_are_kept() -> None:
    answer = rated(ANSWER, MILL)
    questions = [QUESTION, Question("q2", "What?")]
    killed = Submission("out.csv", questions, confidence="sure.csv")
    killed.add(row(answer, {}), sure(answer))  # never closed
    with Submission("out.csv", questions, confidence="sure.csv") as again:
        assert [question.id for question in again.waiting] == ["q2"]
    text = Path("sure.csv").read_text(encoding="utf-8")
    assert text.splitlines() == ["id,confidence,grounding,answer_value", f"q1,{answer.confidence:.4f},stated,552"]
    with Submission("out.csv", questions, confidence="sure.csv") as third:
        third.add({**dict.fromkeys(COLUMNS, "x"), "id": "q2"})
    assert Path("sure.csv").read_text(encoding="utf-8") == text + "q2,is_blank,is_blank,x\n"
    with Submission("out.csv", questions, restart=True, confidence="sure.csv"):
        assert not Path("sure.csv").exists()


def test_the_built_in_reader_is_not_sure_that_there_is_nothing_where_a_question_may_have_other_words() -> None:
    mill = Evidence("", (), (context("The mill at Lund drew 552 litres of water a day.", "mill"),))

    def sure(text: str) -> float:
        question = Question("q1", text, "litres")
        return rated(Answer(question, "", "is_blank", "", is_blank=True), mill).confidence

    other = sure("How deeply did the works at Lund deplete the stream from dawn to dawn?")
    assert other < 0.6
    assert other < sure("How much water did the mill at Oslo draw?")

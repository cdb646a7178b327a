"""Which of seven errors a row has, and what kind of question it answers."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerer.diagnosis import RULES, Error, Form, Source, by_error, by_type, diagnose, error_of, form_of, sources_of

TEXTS = st.text(max_size=12) | st.sampled_from(["is_blank", "", "[1,2]", "5", "50", "0", "['a']", "['a','b']", "5 %"])


def row(value: str, refs: str = "['a']", unit: str = "", question: str = "How much?", **more: str) -> dict[str, str]:
    return {"id": "1", "question": question, "answer_value": value, "answer_unit": unit, "ref_id": refs, **more}


@pytest.mark.parametrize(
    ("truth", "predicted", "error"),
    [
        (row("5"), row("5"), None),
        (row("5"), row("6"), Error.VALUE),
        (row("5"), row("6", "['b','A']"), Error.VALUE),
        (row("5"), row("6", "['b']"), Error.DOCUMENT),
        (row("5"), row("6", "is_blank"), Error.DOCUMENT),
        (row("5"), row("5", "['b']"), Error.DOCUMENT),
        (row("5"), row("5", "['a','b']"), Error.DOCUMENT),
        (row("5"), row("5000000"), Error.UNIT),
        (row("5"), row("0.05", "['b']"), Error.UNIT),
        (row("[80,90]"), row("[0.8,0.9]"), Error.UNIT),
        (row("[80,90]"), row("[0.8,90]"), Error.VALUE),
        (row("3", unit="days"), row("72"), Error.UNIT),
        (row("3", unit="MJ"), row("0.8333"), Error.UNIT),
        (row("3"), row("72"), Error.VALUE),
        (row("0"), row("10"), Error.VALUE),
        (row("1", question="True or False: water is wet."), row("10"), Error.VALUE),
        (row("5"), row("is_blank", "is_blank"), Error.BLANK),
        (row("5"), row("", "['b']"), Error.BLANK),
        (row("5"), row("is_blank", "['A']"), Error.MISSED),
        (row("is_blank", "is_blank"), row("5", "['a']"), Error.ANSWERED),
        (row("is_blank", "is_blank"), row("is_blank", "['a']"), Error.ANSWERED),
        (row("is_blank", "is_blank"), row("5", "is_blank"), Error.ANSWERED),
        (row("is_blank", "is_blank"), row("N/A", "['is_blank']"), Error.FORMAT),
        (row("[80,90]", unit="percent"), row("80-90%"), Error.FORMAT),
        (row("5439000", unit="liters"), row("5.439 million liters"), Error.FORMAT),
        (row("1", question="True or False: water is wet."), row("TRUE"), Error.FORMAT),
        (row("GPT-3", question="Which model?"), row("gpt 3."), Error.FORMAT),
        (row("5"), row("5", "['[ref_id=a]']"), Error.FORMAT),
        (row("5"), row("6", "['[ref_id=a]']"), Error.DOCUMENT),
        (row("5"), None, Error.FORMAT),
    ],
)
def test_a_row_has_the_first_error_that_holds_of_it(
    truth: dict[str, str], predicted: dict[str, str] | None, error: Error | None
) -> None:
    assert error_of(truth, predicted) is error


def test_the_evidence_tells_what_was_missed_from_what_was_not_found() -> None:
    predicted = row("is_blank", "is_blank")
    assert error_of(row("5"), predicted, {"b"}) is Error.BLANK
    assert error_of(row("5"), predicted, {"b", "A"}) is Error.MISSED
    [one] = diagnose([row("5")], [predicted], {"1": ["a"]})
    assert one.error is Error.MISSED


@given(TEXTS, TEXTS, TEXTS, TEXTS, st.sampled_from(["", "percent", "kWh", "is_blank"]))
def test_any_row_has_one_error_just_where_it_lost_points(
    value: str, refs: str, other: str, others: str, unit: str
) -> None:
    [one] = diagnose([row(value, refs, unit)], [row(other, others, unit)])
    assert (one.error is None) == (one.score.score >= 1)
    assert set(RULES) == set(Error) and len(Error) == 7


@pytest.mark.parametrize(
    ("truth", "form"),
    [
        (row("5"), Form.NUMBER),
        (row("1,234.5"), Form.NUMBER),
        (row("[1,2]"), Form.RANGE),
        (row("1", question="True or False: it rains."), Form.BOOLEAN),
        (row("False"), Form.BOOLEAN),
        (row("GPT-3"), Form.NAME),
        (row(""), Form.BLANK),
    ],
)
def test_the_form_of_a_question_is_that_of_its_right_answer(truth: dict[str, str], form: Form) -> None:
    assert form_of(truth) is form


@pytest.mark.parametrize(
    ("materials", "explanation", "sources"),
    [
        ("“It used 5 kWh a day.” (a, p. 3)", "is_blank", [Source.QUOTE]),
        ("Table 3", "Table", [Source.TABLE]),
        ("see Figures 2 and 3", "", [Source.FIGURE]),
        ("", "Figure, Quote", [Source.QUOTE, Source.FIGURE]),
        ("“The table was laid for two.”", "", [Source.QUOTE]),
        ("Table 1", "1438 lbs / 99.8 lbs/day = 14.4", [Source.TABLE, Source.MATHS]),
        ("", "48.66/5.58", [Source.MATHS]),
        ("", "Requires a calculation.", [Source.MATHS]),
        ("", "13.8 MWh ÷ 10.7 MWh/yr ≈ 1.3", [Source.MATHS]),
        ("pp. 3-4", "https://x.org/2304.1/3 on 1/2/2023, pages 3-4", []),
        ("is_blank", "is_blank", []),
    ],
)
def test_the_sources_of_an_answer_are_those_that_the_truth_names(
    materials: str, explanation: str, sources: list[Source]
) -> None:
    assert list(sources_of(row("5", supporting_materials=materials, explanation=explanation))) == sources


def test_a_truth_without_further_columns_can_be_diagnosed() -> None:
    [one] = diagnose([{"id": "1", "answer_value": "5", "ref_id": "a"}], [{"id": "1", "answer_value": "", "ref_id": ""}])
    assert (one.form, one.sources, one.error) == (Form.NUMBER, (), Error.BLANK)


def test_rows_come_worst_first_and_what_they_cost_is_summed_by_error_and_by_type() -> None:
    truth = [{**row("5"), "id": id} for id in "abc"]
    found = diagnose(truth, [{**row("5"), "id": "a"}, {**row("6"), "id": "b"}])
    assert [one.score.id for one in found] == ["c", "b", "a"]
    assert by_error(found) == {Error.FORMAT: (1, 1.0), Error.VALUE: (1, pytest.approx(0.75))}
    assert by_type(found)["number"]["n"] == 3 and list(by_type(found)) == ["number"]


def test_the_rules_in_the_documents_are_those_of_the_code() -> None:
    text = (Path(__file__).parent.parent / "docs" / "contest.md").read_text(encoding="utf-8")
    assert [error for error, rule in RULES.items() if f"| {error.value} | {rule} |" not in text] == []


@pytest.mark.parametrize("like", ["1,", ",", "1 ", "1.", "a 1,"])
def test_any_explanation_is_looked_through_in_linear_time(like: str) -> None:
    started = time.process_time()
    sources_of({"explanation": like * 20_000})
    assert time.process_time() - started < 1

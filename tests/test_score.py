from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerer.references import clean, read_references, write_references
from answerer.score import Score, jaccard, same_value, score, score_files
from kohaku.errors import TableError


def row(id: str, value: str, refs: str = "is_blank") -> dict[str, str]:
    return {"id": id, "answer_value": value, "ref_id": refs}


def one(truth: dict[str, str], predicted: dict[str, str]) -> tuple[float, float, float]:
    [question] = score([truth], [predicted]).questions
    return question.value, question.ref, question.na


@pytest.mark.parametrize(
    ("truth", "predicted"),
    [
        ("1000", "1001"),
        ("1000", "999"),
        ("-1000", "-1001"),
        ("1234", "1,234"),
        ("0.001", "1e-3"),
        ("12", "12.0"),
        ("0", "0.0"),
        ("[80,90]", "[80, 90]"),
        ("[80,90]", "[80.08,89.91]"),
        ("[0.06,3426]", "[0.06,3,426]"),
        ("Water Consumption", " water   consumption"),
        ("is_blank", ""),
        ("is_blank", "IS_BLANK"),
    ],
)
def test_values_that_are_the_same(truth: str, predicted: str) -> None:
    assert same_value(truth, predicted)


@pytest.mark.parametrize(
    ("truth", "predicted"),
    [
        ("1000", "1001.1"),
        ("1000", "998.9"),
        ("0", "0.0001"),
        ("5", "-5"),
        ("1", "TRUE"),
        ("55", "55%"),
        ("5", "five"),
        ("[80,90]", "80-90"),
        ("[80,90]", "80"),
        ("80", "[80,90]"),
        ("[80,90]", "[80,91]"),
        ("[80,90]", "[81,90]"),
        ("GPT-3", "GPT 3"),
        ("is_blank", "0"),
        ("0", "is_blank"),
        ("GPT-3", ""),
    ],
)
def test_values_that_differ(truth: str, predicted: str) -> None:
    assert not same_value(truth, predicted)


def test_a_right_answer_earns_everything_and_half_the_references_half() -> None:
    assert one(row("1", "5", "['a','b']"), row("1", "5", "['A']")) == (1, 0.5, 1)
    assert score([row("1", "5", "['a','b']")], [row("1", "5", "['A']")]).summary()["score"] == pytest.approx(0.925)


def test_a_wrong_answer_with_the_right_reference_earns_a_quarter() -> None:
    assert score([row("1", "5", "['a']")], [row("1", "6", '["a"]')]).summary()["score"] == pytest.approx(0.25)


def test_an_abstention_where_there_is_an_answer_earns_blank_handling_only() -> None:
    assert one(row("1", "5", "['a']"), row("1", "is_blank")) == (0, 0, 1)


def test_a_blank_is_right_where_nothing_can_be_known() -> None:
    assert one(row("1", "is_blank"), row("1", "", "[]")) == (1, 1, 1)


def test_an_answer_or_a_reference_where_nothing_can_be_known_loses_blank_handling() -> None:
    assert one(row("1", "is_blank"), row("1", "5", "['a']")) == (0, 0, 0)
    assert one(row("1", "is_blank"), row("1", "is_blank", "['a']")) == (1, 0, 0)
    assert one(row("1", "is_blank"), row("1", "5")) == (0, 1, 0)


def test_a_made_up_answer_to_an_unanswerable_question_gets_no_credit_for_its_value() -> None:
    assert one(row("1", "is_blank"), row("1", "is_blank 5"))[0] == 0


def test_the_word_is_blank_inside_a_list_counts_as_a_reference() -> None:
    assert one(row("1", "is_blank"), row("1", "is_blank", "['is_blank']")) == (1, 0, 0)


@pytest.mark.parametrize("truth", [row("1", "is_blank"), row("1", "5", "['a']")])
def test_a_missing_row_earns_nothing_even_where_nothing_can_be_known(truth: dict[str, str]) -> None:
    found = score([truth], [])
    assert found.summary() == {"score": 0, "value": 0, "ref": 0, "na": 0, "n": 1, "missing": 1}


def test_the_score_is_the_mean_over_the_truths_rows_and_others_are_named() -> None:
    found = score([row("1", "5", "a"), row("2", "6", "b")], [row("3", "6", "b"), row(" 1 ", "5", "['a']")])
    assert found.summary() == {"score": 0.5, "value": 0.5, "ref": 0.5, "na": 0.5, "n": 2, "missing": 1}
    assert found.unknown == ("3",)


def test_no_questions_score_zero() -> None:
    assert score([], []) == Score(())
    assert Score(()).summary()["score"] == 0


def test_files_are_scored_and_an_id_twice_is_an_error(tmp_path: Path) -> None:
    truth, twice = tmp_path / "truth.csv", tmp_path / "twice.csv"
    truth.write_text("id,answer_value,ref_id\n1,5,\"['a']\"\n", encoding="utf-8")
    twice.write_text("id,answer_value,ref_id\n1,5,a\n1,6,a\n", encoding="utf-8")
    assert score_files(truth, truth).summary()["score"] == 1
    with pytest.raises(TableError, match="two rows"):
        score_files(truth, twice)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("['a','b']", ("a", "b")),
        ('["a", "b"]', ("a", "b")),
        ("a", ("a",)),
        ("a, b; c", ("a", "b", "c")),
        ("[a, b]", ("a", "b")),
        ("['a', 'b", ("a",)),
        ("['it''s']", ("its",)),
        (r"['a\'b']", ("a'b",)),
        ("['a','a']", ("a",)),
        ("[1, 2]", ("1", "2")),
        ("[]", ()),
        ("is_blank", ()),
        ("", ()),
        (r"['\d']", (r"\d",)),
        ("[" * 5000, ()),
    ],
)
def test_references_are_read_from_python_lists_json_lists_and_bare_ids(text: str, ids: tuple[str, ...]) -> None:
    assert read_references(text) == ids


def test_the_order_and_the_spelling_of_a_list_do_not_matter() -> None:
    assert jaccard(read_references("['a','b']"), read_references('["B", "A"]')) == 1


def test_clean_drops_what_only_says_blank() -> None:
    assert clean([" a", "is_blank", "", "N/A", "a"]) == ("a",)


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1).map(str.strip).filter(bool), min_size=1, unique=True))
def test_any_ids_written_are_read_back(ids: list[str]) -> None:
    assert read_references(write_references(ids)) == tuple(ids)


@given(st.text(), st.text())
def test_any_texts_can_be_compared(one: str, other: str) -> None:
    assert same_value(one, one)
    assert same_value(one, other) == same_value(other, one) or any(text.strip(" -+") for text in (one, other))
    json.dumps(score([row("1", one, other)], [row("1", other, one)]).summary())

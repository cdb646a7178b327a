from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerer.answer import Answer, Citation, Question
from answerer.references import read_references
from answerer.submission import (
    COLUMNS,
    JOURNAL,
    UNANSWERED,
    Submission,
    harmless,
    harmless_value,
    read_questions,
    row,
    unsure,
)
from kohaku.errors import TableError
from kohaku.tables import read_rows
from kohaku.text import storable

QUESTIONS = [Question("q1", "How much?", "kWh"), Question("q2", "Who?"), Question("q3", "When?")]
DOCUMENTS = {"plant": {"url": "https://example.org/plant"}, "o'hara": {"url": "https://example.org/o"}, "bare": {}}


def answer(question: Question, value: str = "5", text: str = "Five.") -> Answer:
    quote = Citation("plant", "plant:p1", (3, 4), "It used\n5 kWh.")
    return Answer(question, text, value, "It is said.", ("plant",), (quote,))


def finished(question: Question, value: str = "5") -> dict[str, str]:
    return row(answer(question, value), DOCUMENTS)


def values(path: Path) -> dict[str, str]:
    return {found["id"]: found["answer_value"] for found in read_rows(path, COLUMNS)}


def test_questions_carry_their_unit_and_ids_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("id,question,answer_unit,level\n007,How much?,kWh,3\n1e5,Who?,is_blank,\n", encoding="utf-8")
    assert read_questions(path) == [
        Question("007", "How much?", "kWh"),
        Question("1e5", "Who?"),
    ]


def test_an_id_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("id,question\n1,a\n1,b\n", encoding="utf-8")
    with pytest.raises(TableError, match="two rows"):
        read_questions(path)


def test_an_answer_becomes_exactly_the_submissions_columns() -> None:
    assert row(answer(QUESTIONS[0]), DOCUMENTS) == {
        "id": "q1",
        "question": "How much?",
        "answer": "Five.",
        "answer_value": "5",
        "answer_unit": "kWh",
        "ref_id": "['plant']",
        "ref_url": "['https://example.org/plant']",
        "supporting_materials": "“It used 5 kWh.” (plant, p. 3-4)",
        "explanation": "It is said.",
    }


def test_an_abstention_is_blank_in_value_and_references() -> None:
    found = row(Answer(QUESTIONS[1], "", "", "Nothing was found.", ("plant",), is_blank=True), DOCUMENTS)
    assert (found["answer"], found["explanation"]) == (UNANSWERED, "Nothing was found.")
    assert {found[name] for name in ("answer_value", "answer_unit", "ref_id", "ref_url", "supporting_materials")} == {
        "is_blank"
    }


def test_references_are_python_lists_whatever_letters_ids_have() -> None:
    found = row(Answer(QUESTIONS[1], "x", "x", "", ("o'hara", "bare")), DOCUMENTS)
    assert read_references(found["ref_id"]) == ("o'hara", "bare")
    assert found["ref_url"] == "['https://example.org/o']"


@pytest.mark.parametrize(
    "text", ["=1+1", "+1+1", "@SUM(A1)", "-2+3+cmd|' /C calc'!A0", "\t=1+1", "\ufeff=1+1", "\0=1+1", "\n=1"]
)
def test_no_text_is_left_that_a_spreadsheet_would_run(text: str) -> None:
    assert harmless(text).startswith("'")


@pytest.mark.parametrize("text", ["-5", "+5", "-1e-3", "5 - 3", "a=b", ""])
def test_numbers_and_plain_texts_are_left_alone(text: str) -> None:
    assert harmless(text) == harmless_value(text) == text


def test_a_value_is_changed_only_where_it_could_run() -> None:
    assert [harmless_value(text) for text in ("[-5,3]", "-O2", "@home", "GPT-3")] == ["[-5,3]", "-O2", "@home", "GPT-3"]
    assert harmless_value("=cmd|' /C calc'!A0") == "'=cmd|' /C calc'!A0"


def test_the_csv_has_the_questions_order_whatever_order_they_finished_in(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with Submission(out, QUESTIONS) as submission:
        for question in reversed(QUESTIONS):
            submission.add(finished(question))
    assert list(values(out)) == ["q1", "q2", "q3"]
    assert list(tmp_path.iterdir()) == [out]


def test_a_question_without_a_finished_row_is_left_to_the_next_run(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with Submission(out, QUESTIONS) as submission:
        submission.add(finished(QUESTIONS[1]))
    assert values(out) == {"q2": "5"}
    again = Submission(out, QUESTIONS)
    assert [question.id for question in again.waiting] == ["q1", "q3"]


def test_an_interrupt_leaves_the_finished_rows_in_the_csv(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Submission(tmp_path / "out.csv", QUESTIONS) as submission:
        submission.add(finished(QUESTIONS[0]))
        raise KeyboardInterrupt
    assert values(tmp_path / "out.csv") == {"q1": "5"}


def test_a_killed_run_goes_on_and_no_row_is_there_twice(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with Submission(out, QUESTIONS) as first:
        first.add(finished(QUESTIONS[0]))
    killed = Submission(out, QUESTIONS)
    killed.add(finished(QUESTIONS[2], "7"))
    with (tmp_path / ("out.csv" + JOURNAL)).open("a", encoding="utf-8") as journal:
        journal.write('{"id": "q2", "question": "Wh')  # a kill in the middle of a line
    with Submission(out, QUESTIONS) as resumed:
        assert [question.id for question in resumed.waiting] == ["q2"]
        resumed.add(finished(QUESTIONS[1], "6"))
    assert values(out) == {"q1": "5", "q2": "6", "q3": "7"}
    assert len(read_rows(out)) == 3


def test_a_row_added_after_a_half_written_line_survives_the_next_kill(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    (tmp_path / ("out.csv" + JOURNAL)).write_text('{"id": "q', encoding="utf-8")
    Submission(out, QUESTIONS).add(finished(QUESTIONS[0]))
    assert [question.id for question in Submission(out, QUESTIONS).waiting] == ["q2", "q3"]


def test_a_second_run_into_one_file_is_refused_and_takes_nothing_from_the_first(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with Submission(out, QUESTIONS) as first:
        first.add(finished(QUESTIONS[0]))
        for restart in (False, True):
            with pytest.raises(TableError, match=r"another run is writing .*out\.csv: wait for it"):
                Submission(out, QUESTIONS, restart=restart)
        assert "q1" in (tmp_path / ("out.csv" + JOURNAL)).read_text(encoding="utf-8")
    assert values(out) == {"q1": "5"}
    with Submission(out, QUESTIONS) as second:
        second.add(finished(QUESTIONS[1]))
    assert values(out) == {"q1": "5", "q2": "5"}


def test_a_question_asked_in_other_words_or_another_unit_is_asked_again(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with Submission(out, QUESTIONS) as submission:
        for question in QUESTIONS:
            submission.add(finished(question))
    changed = [Question("q1", "How much?", "MWh"), Question("q2", "Who else?"), QUESTIONS[2]]
    assert [question.id for question in Submission(out, changed).waiting] == ["q1", "q2"]


def test_restart_asks_everything_again(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with Submission(out, QUESTIONS) as submission:
        submission.add(finished(QUESTIONS[0]))
    Submission(out, QUESTIONS).add(finished(QUESTIONS[1]))
    assert len(Submission(out, QUESTIONS, restart=True).waiting) == 3


def test_a_file_that_is_no_submission_is_not_written_over(tmp_path: Path) -> None:
    out = tmp_path / "questions.csv"
    out.write_text("id,question\n1,a\n", encoding="utf-8")
    with pytest.raises(TableError, match="no column"):
        Submission(out, QUESTIONS)
    assert out.read_text(encoding="utf-8") == "id,question\n1,a\n"


def test_a_folder_that_is_not_there_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="can't be written"):
        Submission(tmp_path / "none" / "out.csv", QUESTIONS)


@given(st.text(st.characters()).filter(storable), st.text(st.characters()))  # read_questions admits no empty ones
def test_any_text_of_a_model_is_written_as_utf8_and_taken_up_again(
    tmp_path_factory: pytest.TempPathFactory, text: str, quote: str
) -> None:
    out = tmp_path_factory.mktemp("out") / "out.csv"
    question = Question("q", text)
    said = Answer(question, text, text, quote, (text,), (Citation(text, text, None, quote),))
    with Submission(out, [question]) as submission:
        submission.add(row(said, {}))
    with out.open(encoding="utf-8", newline="") as file:
        [header, cells] = csv.reader(file)
    assert header == list(COLUMNS) and all(cells) and "\0" not in "".join(cells)
    assert Submission(out, [question]).waiting == []


def test_a_row_whose_writing_is_interrupted_stands_in_the_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "out.csv"
    with pytest.raises(KeyboardInterrupt), Submission(path, QUESTIONS) as submission, monkeypatch.context() as patch:
        patch.setattr("os.fsync", interrupted)
        submission.add(finished(QUESTIONS[0]))
    assert values(path) == {"q1": "5"}


def test_the_second_csv_has_a_row_for_each_answer_also_of_runs_that_did_not_ask_for_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    questions = [Question("a", "A?"), Question("b", "B?")]
    with Submission(tmp_path / "out.csv", questions) as first:
        first.add(row(Answer(questions[0], "5", "5", "", ("d",)), {}))
    sure = tmp_path / "sure.csv"
    with Submission(tmp_path / "out.csv", questions, confidence=sure) as second:
        second.add(
            row(Answer(questions[1], "6", "6", "", ("d",)), {}),
            {**unsure({"id": "b", "answer_value": "6"}), "confidence": "0.5"},
        )
    assert [(one["id"], one["confidence"]) for one in read_rows(sure)] == [("a", "is_blank"), ("b", "0.5")]
    assert "how sure 1 rows of an earlier run are is not known" in caplog.text
    with Submission(tmp_path / "out.csv", questions, confidence=sure):
        pass
    assert [(one["id"], one["confidence"]) for one in read_rows(sure)] == [("a", "is_blank"), ("b", "0.5")]


def cut_csv(path: Path) -> bytes:
    """A submission of three rows, the last with letters of several bytes, a quoted comma and a line end in a cell."""
    with Submission(path, QUESTIONS) as submission:
        for question in QUESTIONS[:2]:
            submission.add(finished(question))
        submission.add(row(answer(QUESTIONS[2], text='Five – or “6”, or\n"more".'), DOCUMENTS))
    return path.read_bytes()


def test_a_row_that_is_cut_anywhere_is_asked_again_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    out = tmp_path / "out.csv"
    whole = cut_csv(out)
    last = whole.index(b"\r\nq3,") + 2
    for end in range(last + 1, len(whole) - 1):
        caplog.clear()
        out.write_bytes(whole[:end])
        assert [question.id for question in Submission(out, QUESTIONS).waiting] == ["q3"], whole[last:end]
        assert "1 rows are cut off" in caplog.text, whole[last:end]
    out.write_bytes(whole)
    caplog.clear()
    assert Submission(out, QUESTIONS).waiting == [] and not caplog.text


def test_a_row_in_the_middle_that_lacks_cells_is_asked_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    out = tmp_path / "out.csv"
    lines = cut_csv(out).splitlines(keepends=True)
    out.write_bytes(b"".join([lines[0], lines[1].rpartition(b",")[0] + b"\r\n", *lines[2:]]))
    with Submission(out, QUESTIONS) as again:
        assert [question.id for question in again.waiting] == ["q1"]
        again.add(finished(QUESTIONS[0], "8"))
    assert values(out) == {"q1": "8", "q2": "5", "q3": "5"}
    assert "line 2: 1 rows are cut off" in caplog.text


def test_a_quote_that_somebody_left_open_takes_no_rows_along(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with Submission(out, QUESTIONS) as submission:
        for question in QUESTIONS:
            submission.add(finished(question))
    opened = out.read_bytes().replace(b",Five.,", b',"Five.,', 1).replace(b'"It is', b"It is")
    out.write_bytes(opened)
    with pytest.raises(TableError, match="broken quotes"):
        Submission(out, QUESTIONS)
    assert out.read_bytes() == opened

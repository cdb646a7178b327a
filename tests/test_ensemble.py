"""Runs as files: what `kohaku vote` reads and writes, and what it says of files that it can't use."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from test_vote import blank, row

import kohaku
from answerer.submission import COLUMNS
from kohaku.doors.cli import main

Ran = tuple[int, str, str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs `kohaku vote`: its exit status, what it printed, and what it said on stderr."""

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["kohaku", "vote", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


def written(name: str, *rows: dict[str, str], encoding: str = "utf-8", columns: tuple[str, ...] = COLUMNS) -> Path:
    with Path(name).open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return Path(name)


def rows(path: str | Path) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def three() -> list[Path]:
    said = (("5", "8"), ("5.0", "7"), ("4", "7"))
    return [
        written(f"{name}.csv", row(one, "a", id="q1"), row(other, "b", id="q2", explanation=f"by {name}"))
        for name, (one, other) in zip("xyz", said, strict=True)
    ]


def test_runs_become_one_submission_with_its_columns_and_no_other(run: Callable[..., Ran]) -> None:
    code, out, err = run(*three(), "--out", "voted.csv", "--confidence", "sure.csv")
    assert (code, out) == (0, "")
    assert "wrote voted.csv" in err and "x: 2 rows, trusted 0." in err
    found = rows("voted.csv")
    assert list(found[0]) == list(COLUMNS)
    assert [(one["id"], one["answer_value"], one["ref_id"]) for one in found] == [
        ("q1", "5", "['a']"),
        ("q2", "7", "['b']"),
    ]


def test_how_far_they_agree_stands_in_a_file_of_its_own_and_in_json(run: Callable[..., Ran]) -> None:
    _, out, _ = run(*three(), "--out", "voted.csv", "--confidence", "sure.csv", "--json")
    [first, _] = rows("sure.csv")
    assert first["id"] == "q1" and 0.5 < float(first["confidence"]) < 1
    assert (first["agree"], first["of"], first["runs"], first["values"]) == ("2", "3", "x, y", "5 (x, y); 4 (z)")
    objects = [json.loads(line) for line in out.splitlines()]
    assert [one["id"] for one in objects] == ["q1", "q2"]
    assert objects[0]["runs"] == ["x", "y"] and objects[0]["references"] == {"a": 1.0}
    assert objects[1]["row_of"] in ("y", "z")


def test_python_makes_the_same_vote(run: Callable[..., Ran]) -> None:
    run(*three(), "--out", "voted.csv", "--vote", "union", "--blanks", "filter")
    found = kohaku.vote(three(), "again.csv", vote="union", blanks="filter")
    assert Path("voted.csv").read_bytes() == Path("again.csv").read_bytes()
    assert [one.runs for one in found] == [(0, 1), (1, 2)]


def test_the_mode_may_stand_in_the_settings_and_a_flag_is_stronger(run: Callable[..., Ran]) -> None:
    runs = (written("1.csv", row("5", "a")), written("2.csv", row("5", "b")), written("3.csv", row("5", "b")))
    Path("kohaku.toml").write_text('vote = "union"\n')
    run(*runs, "--out", "voted.csv")
    assert rows("voted.csv")[0]["ref_id"] == "['a','b']"
    run(*runs, "--out", "voted.csv", "--vote", "weighted")
    assert rows("voted.csv")[0]["ref_id"] == "['b']"


def test_a_run_given_twice_votes_once(run: Callable[..., Ran], caplog: pytest.LogCaptureFixture) -> None:
    one, other = written("1.csv", row("5", "a")), written("2.csv", row("6", "a"))
    code, _, _ = run(one, other, Path("..") / Path.cwd().name / other, "--out", "voted.csv", "--tiebreak", "first")
    assert (code, rows("voted.csv")[0]["answer_value"]) == (0, "5")
    assert "is named twice: it votes once" in caplog.text


def test_a_copy_under_another_name_votes_too_with_a_warning(
    run: Callable[..., Ran], caplog: pytest.LogCaptureFixture
) -> None:
    run(*(written(f"{n}.csv", row(said)) for n, said in enumerate("566")), "--out", "voted.csv")
    assert rows("voted.csv")[0]["answer_value"] == "6"
    assert "2 has the same rows as 1: a copy? both vote" in caplog.text


def test_one_run_is_written_in_a_submission_s_form_with_a_warning(
    run: Callable[..., Ran], caplog: pytest.LogCaptureFixture
) -> None:
    code, _, _ = run(
        written("1.csv", row("80–90%", unit="percent", ref_id='["a"]', explanation="")), "--out", "voted.csv"
    )
    [found] = rows("voted.csv")
    assert (code, found["answer_value"], found["ref_id"], found["explanation"]) == (0, "[80,90]", "['a']", "is_blank")
    assert "one run is no vote" in caplog.text


def test_rows_that_a_run_lacks_and_other_orders_are_no_fault(
    run: Callable[..., Ran], caplog: pytest.LogCaptureFixture
) -> None:
    one = written("1.csv", row("1", id="a"), row("2", id="b"), row("3", id="c"))
    other = written("2.csv", row("3", id="c"), row("1", id="a"), row("4", id="d"))
    code, _, _ = run(other, one, "--out", "voted.csv")
    assert (code, [found["id"] for found in rows("voted.csv")]) == (0, ["c", "a", "b", "d"])
    assert "2 of 4 questions are not in every run" in caplog.text


def test_rows_stand_in_the_order_of_the_run_named_first_also_where_it_is_the_shorter(run: Callable[..., Ran]) -> None:
    one = written("1.csv", row("1", id="c"), row("2", id="a"))
    other = written("2.csv", row("2", id="a"), row("3", id="b"), row("1", id="c"))
    run(one, other, "--out", "voted.csv")
    assert [found["id"] for found in rows("voted.csv")] == ["c", "a", "b"]


def test_files_in_cp1252_and_with_other_columns_are_read(
    run: Callable[..., Ran], caplog: pytest.LogCaptureFixture
) -> None:
    one = written("1.csv", row("Café", "a"), encoding="cp1252")
    other = written("2.csv", row("café", "a"), columns=("ref_id", "id", "note", "answer_value", "question"))
    code, _, _ = run(one, other, "--out", "voted.csv")
    [found] = rows("voted.csv")
    assert (code, found["answer_value"].casefold(), list(found)) == (0, "café", list(COLUMNS))
    assert "read as cp1252" in caplog.text


def test_no_text_is_written_that_a_spreadsheet_would_run(run: Callable[..., Ran]) -> None:
    run(written("1.csv", row("=cmd|' /C calc'!A0", answer="=1+1", explanation="@SUM(A1)")), "--out", "voted.csv")
    assert not [cell for cell in rows("voted.csv")[0].values() if cell.startswith(("=", "@"))]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (lambda: [Path("none.csv")], "no file at none.csv"),
        (lambda: [written("1.csv", row("1"), row("2"))], "id 'q' stands in two rows"),
        (lambda: [written("1.csv", row("1"), columns=("id", "answer_value"))], "has no column question, ref_id"),
        (lambda: [written("1.csv")], "no rows to vote on"),
        (
            lambda: [written("1.csv", row("1")), written("2.csv", row("1", question="When did the other one end?"))],
            "ask different questions under id q",
        ),
        (lambda: [Path(".")], "can't be read"),
    ],
)
def test_a_file_that_can_t_be_used_is_one_line_and_nothing_is_written(
    run: Callable[..., Ran], said: Callable[[], list[Path]], words: str
) -> None:
    code, _, err = run(*said(), "--out", "voted.csv")
    assert code == 1 and words in err
    assert len([line for line in err.splitlines() if line.startswith("error: ")]) == 1
    assert not Path("voted.csv").exists()


def test_no_run_is_written_over(run: Callable[..., Ran]) -> None:
    runs = three()
    before = runs[0].read_bytes()
    for options in (("--out", "x.csv"), ("--out", "voted.csv", "--confidence", "x.csv")):
        code, _, err = run(*runs, *options)
        assert code == 1 and "would be overwritten" in err
    code, _, err = run(*runs, "--out", "voted.csv", "--confidence", "voted.csv")
    assert code == 2
    assert runs[0].read_bytes() == before and not Path("voted.csv").exists()


def test_a_mode_that_is_none_is_wrong_usage(run: Callable[..., Ran]) -> None:
    assert run(*three(), "--out", "voted.csv", "--vote", "best")[0] == 2
    assert run(*three())[0] == 2


def test_abstentions_are_written_as_such(run: Callable[..., Ran]) -> None:
    runs = [written(f"{n}.csv", one) for n, one in enumerate((blank(), blank("a"), row("5", "a"), blank()))]
    run(*runs, "--out", "voted.csv")
    [found] = rows("voted.csv")
    assert (found["answer_value"], found["ref_id"]) == ("is_blank", "is_blank")


def test_a_run_without_a_row_is_said_to_have_none(run: Callable[..., Ran]) -> None:
    code, _, err = run(*three(), written("empty.csv"), "--out", "voted.csv")
    assert code == 0
    assert "empty: 0 rows; 0 of the 2 rows written are its own" in err

"""`kohaku retrieve`, `answer`, `score`."""

# ruff: noqa: F811

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commanding import QUESTION, Run, db, error, finished, plainly, process, questions, rows, run, server  # noqa: F401
from fake_server import FakeServer, fails
from test_engine import answers, asked_for


def test_evidence_is_shown_best_first(run: Run, db: Path) -> None:
    ran = run("retrieve", QUESTION)
    assert (ran.code, ran.err) == (0, "")
    assert "drew 5.5 million litres" in ran.out.split("\n\n")[0]


def test_evidence_as_json_has_the_fields_others_rely_on(run: Run, db: Path) -> None:
    [found] = run("retrieve", QUESTION, "--json").objects
    assert list(found) == ["id", "question", "queries", "contexts"]
    for context in found["contexts"]:
        assert list(context) == ["doc", "node", "kind", "pages", "headings", "score", "text"]
    assert run("retrieve", QUESTION, "--json").objects == [found]
    [less] = run("retrieve", QUESTION, "--json", "--budget", 60, "--queries", 1).objects
    assert less["queries"] == [QUESTION, "water Site draw 2023"]  # what is asked of the document that "Lake" names
    assert len(less["contexts"]) < len(found["contexts"])


def test_the_evidence_for_many_questions_is_a_line_each(run: Run, db: Path) -> None:
    ran = run("retrieve", "--questions", questions(), "--out", "out.jsonl", "--budget", 200)
    assert (ran.code, ran.out) == (0, "")
    found = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [one["id"] for one in found] == ["q0", "q1", "q2"]
    assert {tuple(one) for one in found} == {("id", "question", "queries", "contexts")}


def test_evidence_is_explained_for_people_and_in_json(run: Run, db: Path) -> None:
    lines = run("retrieve", QUESTION, "--explain").out.splitlines()
    assert lines[0].startswith("[") and "How this was found" in lines
    [found] = run("retrieve", QUESTION, "--explain", "--json").objects
    assert found["contexts"][0]["why"]["fused"] == 1
    assert "weight" in found["explanation"]["lists"][0]
    assert "How this was found" in run("answer", QUESTION, "--explain").out
    [answer] = run("answer", QUESTION, "--explain", "--json").objects
    assert answer["evidence"]["contexts"][0]["why"] == found["contexts"][0]["why"]
    assert "evidence" not in run("answer", QUESTION, "--json").objects[0]


def test_that_nothing_was_found_is_said(run: Run, db: Path) -> None:
    ran = run("retrieve", "?")
    assert (ran.code, ran.out, ran.err) == (0, "", "nothing was found\n")
    assert run("retrieve", "water", "--kind", "code").err == "nothing was found within kind code\n"
    narrow = run("retrieve", QUESTION, "--budget", "1")
    assert (narrow.out, narrow.err) == ("", "nothing of what was found fits in 1 tokens: give a larger --budget\n")


SCOPES = (
    ["--doc", "north"],
    ["--doc", "n*"],
    ["--not-doc", "lake", "--not-doc", "song*"],
    ["--where", "id=NORTH"],
    ["--where", "title~north", "--where", "id!=lake"],
)


def test_a_search_is_kept_to_documents_from_the_command_line(run: Run, db: Path) -> None:
    found = [run("retrieve", QUESTION, "--json", *scope).objects[0]["contexts"] for scope in SCOPES]
    assert [{context["doc"] for context in contexts} for contexts in found] == [{"north"}] * len(SCOPES)
    assert "  lake:" not in run("answer", QUESTION, "--doc", "north").out
    ran = run("answer", "--questions", questions(), "--out", "out.csv", "--doc", "x*")
    assert (ran.code, ran.err.splitlines()[-1][:44]) == (1, "error: no document of 3 is within x*: `kohak")
    run("retrieve", "--questions", questions(), "--out", "out.jsonl", "--doc", "north")
    assert "lake:" not in Path("out.jsonl").read_text(encoding="utf-8")


def test_what_many_questions_came_to_is_told_as_json_too(run: Run, db: Path) -> None:
    [found] = run("retrieve", "--questions", questions(), "--out", "found.jsonl", "--json").objects
    assert found == {"out": "found.jsonl", "questions": 3}
    [told] = run("answer", "--questions", questions(), "--out", "made.csv", "--json").objects
    blank = sum(row["answer_value"] == "is_blank" for row in rows("made.csv"))
    assert told == {"out": "made.csv", "rows": 3, "blank": blank, "kept": 0, "failed": {}, "usage": {}}
    assert run("answer", "--questions", questions(), "--out", "made.csv", "--json").objects[0]["kept"] == 3


@pytest.mark.parametrize("command", ["retrieve", "answer"])
@pytest.mark.parametrize("out", ["questions.csv", "./questions.csv", "kohaku.db", "link"])
def test_what_is_read_is_never_written_over(run: Run, db: Path, command: str, out: str) -> None:
    before = questions().read_bytes(), db.read_bytes()
    Path("link").symlink_to("questions.csv")
    assert "would be overwritten" in run(command, "--questions", "questions.csv", "--out", out).err
    assert (Path("questions.csv").read_bytes(), db.read_bytes()) == before


def test_a_picture_is_not_written_over_the_index(run: Run, db: Path) -> None:
    assert "would be overwritten" in error(run("show", "lake", "--picture", db))


def test_without_a_model_the_built_in_reader_answers_and_says_so(run: Run, db: Path) -> None:
    ran = run("answer", QUESTION, "--unit", "litres")
    assert ran.code == 0
    assert "value: 5500000 litres" in ran.out
    assert "“Lake Site drew 5.5 million litres of water in 2023.”" in ran.out
    assert ran.err == "no model is configured: the built-in extractive reader answers\n"
    [found] = run("answer", QUESTION, "--unit", "litres", "--json").objects
    assert (found["value"], found["references"]) == ("5500000", ["lake"])


def test_that_there_is_no_answer_is_said(run: Run, db: Path) -> None:
    ran = run("answer", "Who painted the opera house of Sydney?")
    assert ran.code == 0
    assert "hold no answer" in ran.out


def test_a_submission_is_written_and_scored(run: Run, db: Path) -> None:
    Path("questions.csv").write_text(f"id,question,answer_unit\n1,{QUESTION},litres\n2,Who painted the opera house?,\n")
    Path("truth.csv").write_text("id,answer_value,ref_id\n1,5500000,['lake']\n2,is_blank,is_blank\n")
    assert run("answer", "--questions", "questions.csv", "--out", "out.csv").code == 0
    assert [row["id"] for row in rows("out.csv")] == ["1", "2"]
    [score] = run("score", "--truth", "truth.csv", "--pred", "out.csv", "--json").objects
    assert {"score", "value", "ref", "na", "n"} <= set(score)
    assert (score["score"], score["n"]) == (1.0, 2)
    assert "score\t1.0000" in run("score", "--truth", "truth.csv", "--pred", "out.csv").out
    Path("truth.csv").write_text("".join(Path("truth.csv").read_text().splitlines(keepends=True)[:-1]))
    assert "not in the truth" in run("score", "--truth", "truth.csv", "--pred", "out.csv").out


def test_a_score_is_explained_on_a_page_and_compared_with_another(run: Run) -> None:
    head = "id,question,answer_value,ref_id,supporting_materials"
    for name, value in (("truth", "5"), ("one", "6"), ("two", "5")):
        Path(f"{name}.csv").write_text(f"{head}\n1,How much?,{value},a,Table 3\n", encoding="utf-8")
    assert run("retrieve", "--questions", "one.csv", "--db", "none.db", "--out", "evidence.jsonl").code == 1
    Path("evidence.jsonl").write_text('{"id": "1", "contexts": [{"doc": "a"}]}\n', encoding="utf-8")
    files = ("--truth", "truth.csv", "--pred", "one.csv", "--against", "two.csv", "--evidence", "evidence.jsonl")
    ran = run("score", *files, "--html", "why.html")
    assert ran.code == 0 and "against two.csv: 1.0000 → 0.2500" in ran.out and "wrote why.html" in ran.err
    assert "wrong value" in Path("why.html").read_text(encoding="utf-8")
    [found] = run("score", *files, "--json").objects
    assert found["types"]["table"]["n"] == 1 and found["against"]["lost"][0]["id"] == "1"
    assert "would be overwritten" in run("score", *files, "--html", "truth.csv").err
    assert run("score", *files, "--layer", 3).code == 2


def test_a_row_that_fails_is_said_and_the_same_command_adds_it(run: Run, db: Path, server: FakeServer) -> None:
    server.otherwise = lambda body: fails(400, "not this one") if "hall 1" in str(body) else answers(body)
    ran = run("answer", "--questions", questions(), "--out", "out.csv")
    assert (ran.code, ran.out) == (1, "")
    assert "q1: " in ran.err
    assert "1 rows are missing in out.csv: run the same command again" in ran.err
    assert [row["id"] for row in rows("out.csv")] == ["q0", "q2"]
    server.otherwise = answers
    assert run("answer", "--questions", "questions.csv", "--out", "out.csv").code == 0
    assert [row["id"] for row in rows("out.csv")] == ["q0", "q1", "q2"]


def test_a_wrong_key_is_one_line_however_many_questions(db: Path, server: FakeServer) -> None:
    server.otherwise = lambda body: fails(401, "Incorrect API key provided: sk-12345678")
    line = error(finished(process("answer", "--questions", questions(100), "--out", "out.csv")))
    assert "set OPENAI_API_KEY" in line
    assert "12345678" not in line
    assert len(server.requests) < 40


def test_a_restart_asks_all_again(run: Run, db: Path, server: FakeServer) -> None:
    for flag, asked in (("--resume", 3), ("--resume", 3), ("--restart", 6)):
        assert run("answer", "--questions", questions(), "--out", "out.csv", flag).code == 0
        assert sum(asked_for(body) == "answer" for body in server.requests) == asked

# ruff: noqa: F811
"""Several readings a question: by a scripted model, kept one by one, put to a vote."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commanding import PROGRAM, Run, plainly, run  # noqa: F401
from fake_server import FakeServer, Step, fails, says
from test_engine import QUESTIONS, asked_for, calls, db, opened, questions, rows, server, text  # noqa: F401

from answerer.submission import COLUMNS
from kohaku.doors.engine import Engine
from kohaku.errors import NoAccess, TableError
from kohaku.locks import held

Open = Callable[..., Engine]


def number_of(body: dict[str, Any]) -> str:
    """Which question a request is about."""
    return str(re.findall(r"take (\d)", text(body))[-1])


def reading_of(body: dict[str, Any]) -> int:
    """Which reading a request is, by its seed."""
    return int(body.get("seed") or 0) // 1000


def answering(said: Callable[[str, int], str]) -> Callable[[dict[str, Any]], Step]:
    """A model whose value hangs on the question and the reading; "fail" is an error."""

    def step(body: dict[str, Any]) -> Step:
        if asked_for(body) == "query_plan":
            return says(json.dumps({"queries": ["water drawn"]}))
        value = said(number_of(body), reading_of(body))
        if value == "fail":
            return fails(400, "I won't")
        documents = sorted(set(re.findall(r"\[ref_id=(\S+) node", text(body))))
        reply = {"explanation": f"reading {reading_of(body)}", "answer": f"It is {value}.", "answer_value": value}
        return says(json.dumps({**reply, "ref_id": documents[:1], "quotes": [], "is_blank": value == "is_blank"}))

    return step


def differing(question: str, reading: int) -> str:
    """Readings agree on even questions; on odd ones the third decides for the second."""
    return "7" if int(question) % 2 == 0 or reading else "8"


def values(path: str | Path = "out.csv") -> list[str]:
    return [row["answer_value"] for row in rows(path)]


def reads(server: FakeServer) -> list[dict[str, Any]]:
    return [body for body in server.requests if asked_for(body) == "answer"]


# ---- what readings are


def test_readings_differ_in_model_temperature_seed_and_order_of_the_evidence(opened: Open, server: FakeServer) -> None:
    server.otherwise = answering(lambda question, reading: str(reading))
    opened(runs=3, models="one, two", concurrency=1).ask(QUESTIONS["q0"])
    said = [(body["model"], body["temperature"], body.get("seed")) for body in reads(server)]
    assert said == [("one", 0.0, None), ("two", 0.7, 1000), ("one", 0.7, 2000)]
    orders = [re.findall(r"node=(\S+)", text(body)) for body in reads(server)]
    assert orders[1] == orders[0][::-1] and sorted(orders[2]) == sorted(orders[0]) and len(orders[0]) > 2


def test_a_question_is_planned_and_searched_once(opened: Open, server: FakeServer, monkeypatch: Any) -> None:
    server.otherwise = answering(lambda question, reading: str(reading))
    engine = opened(runs=4)
    sought = Counter[str]()
    seek = engine._retrieve

    def counted(question: str, *rest: Any, **options: Any) -> Any:
        sought[question] += 1
        return seek(question, *rest, **options)

    monkeypatch.setattr(engine, "_retrieve", counted)
    engine.submit(questions(), "out.csv")
    assert calls(server, "query_plan") == 6
    assert set(sought.values()) == {1}
    assert len(reads(server)) == 24


def test_readings_are_made_until_they_decide(opened: Open, server: FakeServer) -> None:
    server.otherwise = answering(differing)
    assert opened(runs=3).submit(questions(), "out.csv") == []
    assert values() == ["7"] * 6
    assert Counter(number_of(body) for body in reads(server)) == {"0": 2, "2": 2, "4": 2, "1": 3, "3": 3, "5": 3}


def test_one_limit_holds_for_all_calls_of_all_models(opened: Open, server: FakeServer) -> None:
    whole = answering(lambda question, reading: str(reading))

    def slowly(body: dict[str, Any]) -> Step:
        time.sleep(0.02)
        return whole(body)

    server.otherwise = slowly
    opened(runs=5, models=("one", "two", "three"), concurrency=3).submit(questions(), "out.csv")
    assert 1 < server.most_in_flight <= 3


def test_as_many_readings_as_models_where_no_number_is_named(opened: Open, server: FakeServer) -> None:
    server.otherwise = answering(lambda question, reading: str(reading))
    opened(model=None, models=["one", "two"], concurrency=1).ask(QUESTIONS["q0"])
    assert [body["model"] for body in server.requests if asked_for(body) == "answer"] == ["one", "two"]
    assert server.requests[0]["model"] == "one"  # which plans too


def test_the_built_in_reader_makes_one_reading_and_says_so(
    db: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    import kohaku

    with kohaku.open(db, runs=3) as engine:
        engine.submit(questions(), "out.csv")
        found = engine.ask("How much water did Lake Site draw in 2023?", unit="litres")
    assert found.value == "5500000"
    assert len(rows("out.csv")) == 6 and not Path("out.csv.runs").exists()
    assert caplog.text.count("by the built-in reader would be the same") == 1


# ---- the submission that they make


def test_each_reading_is_kept_and_the_vote_is_written(opened: Open, server: FakeServer) -> None:
    server.otherwise = answering(differing)
    opened(runs=3).submit(questions(), "out.csv", confidence="sure.csv")
    assert [values(f"out.csv.runs/{number}.csv") for number in (1, 2, 3)] == [
        ["7", "8", "7", "8", "7", "8"],
        ["7"] * 6,
        ["7"] * 3,
    ]
    found = rows("out.csv")
    assert list(found[0]) == list(COLUMNS) and [row["id"] for row in found] == list(QUESTIONS)
    assert [row["explanation"] for row in found] == ["reading 0", "reading 1"] * 3
    assert [row["confidence"] for row in rows("sure.csv")] == ["1.0000", "0.6667"] * 3
    assert sorted(path.name for path in Path().iterdir() if path.name.startswith("out")) == ["out.csv", "out.csv.runs"]


@pytest.mark.parametrize("mode", ["independent", "ref_priority", "answer_priority", "union"])
def test_kohaku_vote_makes_the_same_of_the_kept_readings(
    opened: Open,
    server: FakeServer,
    mode: str,
) -> None:
    import kohaku

    server.otherwise = answering(differing)
    opened(runs=3, vote=mode).submit(questions(), "out.csv")
    kohaku.vote([f"out.csv.runs/{n}.csv" for n in (1, 2, 3)], "again.csv", vote=mode, tiebreak="first")
    assert Path("out.csv").read_bytes() == Path("again.csv").read_bytes()


def test_the_same_replies_give_the_same_bytes_whatever_the_order_they_come_in(
    opened: Open,
    server: FakeServer,
) -> None:
    server.otherwise = answering(lambda question, reading: str((int(question) * 3 + reading) % 4))
    for out, concurrency in (("a.csv", 1), ("b.csv", 8)):
        opened(runs=5, concurrency=concurrency, reply_cache=False).submit(questions(), out, confidence=f"{out}.c")
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    assert Path("a.csv.c").read_bytes() == Path("b.csv.c").read_bytes()


def test_a_second_run_asks_nothing_and_another_vote_costs_nothing(opened: Open, server: FakeServer) -> None:
    server.otherwise = answering(differing)
    opened(runs=3).submit(questions(), "out.csv")
    before, first = len(server.requests), Path("out.csv").read_bytes()
    opened(runs=3).submit(questions(), "out.csv")
    assert (len(server.requests), Path("out.csv").read_bytes()) == (before, first)
    opened(runs=3, vote="union").submit(questions(), "out.csv")
    assert len(server.requests) == before


def test_more_readings_go_on_from_those_that_are_there(opened: Open, server: FakeServer) -> None:
    server.otherwise = answering(differing)
    opened(runs=3, reply_cache=False).submit(questions(), "out.csv")
    before = len(reads(server))
    opened(runs=5, reply_cache=False).submit(questions(), "out.csv")
    assert Counter(reading_of(body) for body in reads(server)[before:]) == {2: 3, 3: 3}
    opened(runs=5, reply_cache=False).submit(questions(), "out.csv", restart=True)
    assert len(reads(server)) == before + 6 + 3 * 3 + 3 * 4
    opened(runs=2).submit(questions(), "out.csv", restart=True)
    assert sorted(path.name for path in Path("out.csv.runs").iterdir()) == ["1.csv", "2.csv"]


def test_a_reading_that_fails_is_named_and_the_others_vote(opened: Open, server: FakeServer) -> None:
    server.otherwise = answering(lambda question, reading: "fail" if (question, reading) == ("2", 0) else str(reading))
    [failed] = opened(runs=3).submit(questions(), "out.csv")
    assert failed.question.id == "q2" and failed.reason.startswith("reading 1: ") and "I won't" in failed.reason
    assert values() == ["0", "0", "1", "0", "0", "0"]
    server.otherwise = answering(lambda question, reading: str(reading))
    before = len(reads(server))
    assert opened(runs=3).submit(questions(), "out.csv") == []
    assert values() == ["0"] * 6 and len(reads(server)) == before + 1


def test_a_reading_that_failed_is_not_missed_where_the_others_decide(opened: Open, server: FakeServer) -> None:
    server.otherwise = answering(lambda question, reading: "fail" if reading == 1 else "7")
    assert opened(runs=3).submit(questions(), "out.csv") == []
    assert values() == ["7"] * 6


def test_what_was_read_before_the_key_ran_out_is_kept(opened: Open, server: FakeServer) -> None:
    whole = answering(lambda question, reading: "7")
    server.otherwise = lambda body: fails(401, "expired") if len(server.requests) > 12 else whole(body)
    with pytest.raises(NoAccess):
        opened(runs=3, concurrency=1).submit(questions(), "out.csv")
    server.otherwise = whole
    kept = len(rows("out.csv.runs/1.csv")) + len(rows("out.csv.runs/2.csv"))
    before = len(reads(server))
    assert opened(runs=3, reply_cache=False).submit(questions(), "out.csv") == []
    assert kept > 0 and len(reads(server)) - before == 12 - kept


def test_a_second_run_of_several_readings_into_one_file_is_refused(opened: Open, server: FakeServer) -> None:
    server.otherwise = answering(differing)
    engine = opened(runs=3)
    Path("out.csv.runs").mkdir()
    with held(Path("out.csv.runs"), wait=False), pytest.raises(TableError, match=r"another run is writing out\.csv"):
        engine.submit(questions(), "out.csv", restart=True)
    assert engine.submit(questions(), "out.csv") == []


def test_a_file_that_is_no_submission_is_not_written_over(opened: Open, server: FakeServer) -> None:
    Path("out.csv").write_text("id,note\n1,keep\n")
    with pytest.raises(TableError):
        opened(runs=3).submit(questions(), "out.csv")
    assert Path("out.csv").read_text() == "id,note\n1,keep\n" and server.requests == []


def test_one_question_is_answered_by_a_vote_too(opened: Open, server: FakeServer) -> None:
    server.otherwise = answering(differing)
    found = opened(runs=3).ask(QUESTIONS["q1"])
    assert (found.value, found.explanation, found.confidence) == ("7", "reading 1", 0.6667)
    server.otherwise = answering(lambda question, reading: "fail")
    from kohaku.errors import ModelError

    with pytest.raises(ModelError, match="I won't"):
        opened(runs=3).ask(QUESTIONS["q2"])


# ---- the command


def test_the_command_reads_as_often_as_asked_and_says_what_it_did(
    run: Run,
    db: Path,
    server: FakeServer,
) -> None:
    server.otherwise = answering(differing)
    model = ("--model", "m", "--base-url", server.url, "--db", db)
    done = run("answer", "--questions", questions(), "--out", "out.csv", "--runs", 3, "--confidence", "c.csv", *model)
    assert (done.code, values()) == (0, ["7"] * 6)
    assert "15 readings of 6 questions" in done.err and len(rows("c.csv")) == 6
    assert run("answer", QUESTIONS["q1"], "--runs", 3, "--vote", "union", *model).out.startswith("It is 7.")
    assert run("answer", QUESTIONS["q1"], "--runs", 0, *model).code == 2
    assert run("answer", QUESTIONS["q1"], "--confidence", "c.csv", *model).code == 2
    twice = run("answer", "--questions", questions(), "--out", "o.csv", "--confidence", "o.csv", "--runs", 2, *model)
    assert twice.code == 2


def test_a_killed_run_goes_on_and_no_call_is_paid_twice(db: Path, server: FakeServer) -> None:
    whole = answering(differing)

    def slowly(body: dict[str, Any]) -> Step:
        time.sleep(0.05)
        return whole(body)

    server.otherwise = slowly
    command = [*PROGRAM, "answer", "--questions", str(questions()), "--out", "out.csv", "--db", str(db), "--runs", "3"]
    command += ["--model", "m", "--base-url", server.url, "--no-cache", "--concurrency", "2"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    journals = [Path(f"out.csv.runs/{number}.csv.partial.jsonl") for number in (1, 2, 3)]
    while sum(path.read_text().count("\n{") for path in journals if path.exists()) < 5 and killed.poll() is None:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    kept = sum(path.read_text().count("answer_value") for path in journals if path.exists())
    before = len(reads(server))
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert values() == ["7"] * 6
    assert kept >= 5 and len(reads(server)) - before == 15 - kept

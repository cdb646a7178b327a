"""Sweeps run for real: what is run, kept, shared, told and drawn."""

# ruff: noqa: F811
from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from commanding import PROGRAM, Run, plainly, run  # noqa: F401
from corpus import write
from fake_server import FakeServer, Step, fails, says
from test_engine import calls, db, questions, server, text  # noqa: F401

import kohaku
from answerer.submission import COLUMNS
from kohaku.doors.sweep import sweep
from kohaku.doors.sweep.report import Story, command, compared, lines, markdown, why_table
from kohaku.doors.sweep.sharing import READING, Once, Turn
from kohaku.doors.sweep.spec import spec_of
from kohaku.errors import Abandoned, SettingsError, TableError
from kohaku.locks import held
from kohaku.settings import Settings, load
from kohaku.tables import read_rows, write_rows
from retriever.retrieve import retrieve

Sweeping = Callable[..., Story]
HOSTILE = "</style><script>alert(1)</script>| $x$ {{ 7 }} \x1b"
GRID = {"order": ["best_first", "ends"], "budget": [500, 6000]}


def truth() -> Path:
    asked = read_rows(questions())
    rows = [{**row, "answer_value": "7" if row["id"] != "q5" else "8", "ref_id": "['lake']"} for row in asked]
    write_rows("truth.csv", COLUMNS, rows)
    return Path("truth.csv")


@pytest.fixture
def sweeping(db: Path, server: FakeServer) -> Sweeping:
    """Runs a sweep on the small corpus with a model that says 7, but with seed 2 nothing to the first question."""
    server.otherwise = replying

    def sweeping(out: str = "out", settings: dict[str, Any] | None = None, **spec: Any) -> Story:
        known = load({"db": db, "model": "scripted", "base_url": server.url, "tries": 1, **(settings or {})})
        return sweep(spec_of({"truth": truth(), **spec}, "s.toml"), out, known, where="s.toml")

    return sweeping


def replying(body: dict[str, Any]) -> Step:
    if body["response_format"]["json_schema"]["name"] == "query_plan":
        return says(json.dumps({"queries": ["water drawn"]}))
    blank = body.get("seed") == 2 and "take 0" in text(body)
    reply = {"explanation": "", "answer": "It is 7.", "answer_value": "is_blank" if blank else "7"}
    return says(json.dumps({**reply, "ref_id": [] if blank else ["lake"], "quotes": [], "is_blank": blank}))


def reads(server: FakeServer) -> int:
    return calls(server, "answer")


# ---- what is run, and what is kept


def test_every_run_keeps_its_settings_answers_score_and_cost(sweeping: Sweeping) -> None:
    story = sweeping(grid=GRID, seeds=[1, 2], settings={"prices": {"scripted": (1, 2)}})
    folders = sorted(Path("out/runs").iterdir())
    assert len(folders) == 8 and story.runs == 8
    for folder in folders:
        state = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        assert state["finished"] and state["settings"]["budget" if "500" in folder.name else "model"]
        assert state["spent"]["models"]["scripted"]["calls"] >= 12 and state["spent"]["cost"] > 0
        assert state["spent"]["seconds"] > 0
        assert json.loads((folder / "score.json").read_text(encoding="utf-8"))["n"] == 6
        assert len(read_rows(folder / "submission.csv", COLUMNS)) == 6
    table = read_rows("out/results.csv")
    assert len(table) == 8 and {row["seed"] for row in table} == {"1", "2"}
    assert all(Path("out", row["folder"]).is_dir() and float(row["score"]) > 0 for row in table)


def test_a_second_sweep_runs_nothing_again_and_a_changed_one_only_what_is_new(
    sweeping: Sweeping,
    server: FakeServer,
) -> None:
    sweeping(grid={"order": ["best_first"]})
    before = len(server.requests)
    assert sweeping(grid={"order": ["best_first"]}).runs == 1 and len(server.requests) == before
    story = sweeping(grid={"order": ["best_first", "ends"]}, title="Called otherwise")
    assert story.runs == 2 and reads(server) == 12 and len(list(Path("out/runs").iterdir())) == 2
    assert sweeping(run=[{"name": "a"}, {"name": "b", "order": "ends"}]).runs == 2 and reads(server) == 12


@pytest.mark.parametrize("left", [b"", b"\xff\x00" * 50, b'id,"que', "its first half"])
def test_a_finished_run_that_is_damaged_since_is_made_whole(
    sweeping: Sweeping, server: FakeServer, left: bytes | str
) -> None:
    sweeping()
    [folder] = Path("out/runs").iterdir()
    before = (folder / "submission.csv").read_bytes()
    lines = before.splitlines(keepends=True)
    (folder / "submission.csv").write_bytes(b"".join(lines[:4]) if isinstance(left, str) else left)
    again = sweeping()
    assert (folder / "submission.csv").read_bytes() == before
    assert again.runs == 1 and not again.unfinished
    assert reads(server) == (9 if isinstance(left, str) else 12)


def test_two_sweeps_in_one_folder_take_turns(sweeping: Sweeping) -> None:
    Path("out/runs").mkdir(parents=True)
    with (
        held(Path("out/runs"), wait=False),
        pytest.raises(SettingsError, match="another sweep is at work in out: wait"),
    ):
        sweeping()
    assert sweeping().runs == 1
    Path("file").touch()
    with pytest.raises(SettingsError, match=r"file can't be a sweep's folder .*: give another --out"):
        sweeping(out="file")


def test_another_truth_scores_anew_and_asks_nothing(sweeping: Sweeping, server: FakeServer) -> None:
    first = sweeping(questions=questions())
    before = len(server.requests)
    rows = read_rows("truth.csv")
    write_rows("other.csv", COLUMNS, [{**row, "answer_value": "9"} for row in rows])
    second = sweeping(questions=questions(), truth=Path("other.csv"))
    assert len(server.requests) == before
    assert first.found.standings[0].mean("value") > second.found.standings[0].mean("value") == 0


def test_another_content_of_the_index_is_another_run(
    sweeping: Sweeping,
    server: FakeServer,
    db: Path,
) -> None:
    sweeping()
    kohaku.index([write(Path("more"), {"new.md": "# New\n\nNothing of that."})], db)
    sweeping()
    assert reads(server) == 12


def test_a_run_whose_calls_fail_is_named_left_out_and_gone_on_with(
    sweeping: Sweeping,
    server: FakeServer,
) -> None:
    broken = threading.Event()
    broken.set()

    def failing(body: dict[str, Any]) -> Step:
        return fails(400, "I won't") if broken.is_set() and "take 3" in text(body) else replying(body)

    server.otherwise = failing
    story = sweeping(grid={"order": ["best_first", "ends"]})
    assert story.runs == 0 and ["I won't" in one.problem for one in story.unfinished] == [True, True]
    assert "Not finished" in markdown(story) and "No run is finished yet" in Path("out/report.html").read_text("utf-8")
    broken.clear()
    before = reads(server)
    story = sweeping(grid={"order": ["best_first", "ends"]})
    assert story.runs == 2 and not story.unfinished and reads(server) - before == 2
    assert story.spent.total("calls") >= 24  # those of the first attempt too


def test_a_run_that_can_t_begin_stops_no_other(sweeping: Sweeping) -> None:
    with pytest.raises(TableError, match="no file at none"):
        sweeping(questions="none.csv")
    with pytest.raises(SettingsError, match="which truth"):
        sweeping(truth=None)
    with pytest.raises(SettingsError, match="'localhost:8000' is no base URL"):
        sweeping(settings={"base_url": "localhost:8000"})
    story = sweeping(run=[{"name": "good"}, {"name": "bad", "passes": 2, "examples": "none.csv"}])
    assert story.runs == 1 and "none.csv" in story.unfinished[0].problem


def test_a_killed_sweep_goes_on_and_no_answer_is_paid_twice(
    run: Run,
    db: Path,
    server: FakeServer,
) -> None:
    def slowly(body: dict[str, Any]) -> Step:
        time.sleep(0.03)
        return replying(body)

    server.otherwise = slowly
    Path("s.toml").write_text("[grid]\norder = ['best_first', 'ends']\n", encoding="utf-8")
    asked = ["--truth", str(truth()), "--db", str(db), "--model", "m", "--base-url", server.url, "--concurrency", "2"]
    command = ["sweep", "s.toml", "--out", "out", "--no-cache", *asked]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.Popen(
        [*PROGRAM, *command], env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )

    def kept() -> int:
        return sum(path.read_text("utf-8").count("\n{") for path in Path("out/runs").glob("*/*.jsonl"))

    while kept() < 4 and killed.poll() is None:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    there, before = kept(), reads(server)
    assert there >= 4
    assert run(*command).code == 0
    assert reads(server) - before == 12 - there
    assert Path("out/report.html").is_file()


def test_more_readings_come_from_the_cache(sweeping: Sweeping, tmp_path: Path) -> None:
    cached = {"reply_cache": True, "cache": tmp_path / "cache"}
    story = sweeping(grid={"runs": [1, 3], "vote": ["weighted", "union"]}, settings={**cached, "concurrency": 1})
    spent = story.spent
    assert story.runs == 4 and spent.total("calls") < spent.total("cached")


def test_an_index_is_made_for_each_way_to_index(sweeping: Sweeping) -> None:
    documents = [write(Path("papers"))]
    story = sweeping(grid={"paragraph_vectors": ["mean", "direct"], "budget": [500, 900]}, documents=documents)
    assert story.runs == 4 and len(list(Path("out/indexes").glob("*.db"))) == 2


def test_runs_that_search_alike_search_once(sweeping: Sweeping, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def counting(question: str, *arguments: Any, **named: Any) -> Any:
        searched.append(question)
        return retrieve(question, *arguments, **named)

    monkeypatch.setattr("kohaku.doors.searcher.retrieve", counting)
    grid = {"order": ["best_first", "ends"], "retries": [0, 1]}
    sweeping(grid=grid, seeds=[1, 3])
    assert len(searched) == 6  # once a question, for eight runs
    sweeping("other", grid={"budget": [500, 6000]})
    assert len(searched) == 6 + 12
    sweeping("third", grid={"reranker": ["llm", "llm:other"]})
    assert len(searched) == 18 + 12  # a model's word is asked for each


def test_one_limit_holds_for_the_calls_of_all_runs(sweeping: Sweeping, server: FakeServer) -> None:
    def slowly(body: dict[str, Any]) -> Step:
        time.sleep(0.01)
        return replying(body)

    server.otherwise = slowly
    sweeping(grid=GRID, seeds=[1, 2], settings={"concurrency": 3})
    assert server.most_in_flight == 3


# ---- what is shared


def test_what_evidence_does_not_hang_on_are_settings() -> None:
    assert set(Settings.model_fields) >= READING


def test_what_several_runs_want_is_made_once_and_the_oldest_goes() -> None:
    once, made = Once(2), []

    def make(key: str) -> str:
        made.append(key)
        time.sleep(0.01)
        return key

    threads = [threading.Thread(target=lambda: once.get("a", lambda: make("a"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["a"]
    for key in "bcb":
        once.get(key, lambda key=key: make(key))  # type: ignore[misc]
    assert made == ["a", "b", "c"] and once.values() == ["c", "b"]


def test_what_can_t_be_made_is_tried_again() -> None:
    once = Once()
    with pytest.raises(ZeroDivisionError):
        once.get("a", lambda: 1 / 0)
    assert once.get("a", lambda: 1) == 1


def test_nobody_gets_a_turn_after_the_end() -> None:
    turn = Turn(1)
    with turn:
        turn.end()
    with pytest.raises(Abandoned), turn:
        pass


# ---- what is told


def test_points_are_compared_with_the_best_or_with_the_baseline(sweeping: Sweeping) -> None:
    grid = {"retries": [0, 1], "strict": [False, True]}
    story = sweeping(grid=grid, seeds=[1, 2, 3])
    best, *others = story.found.standings
    assert best.p is None and best.difference is None and all(one.p is not None for one in others)
    assert best.interval.low <= best.interval.mean <= best.interval.high
    assert best.spread("score") > 0  # the run with seed 2 abstains once
    assert "Differences are to the best" in compared(story)
    named = sweeping(grid=grid, seeds=[1, 2, 3], baseline={"retries": 1, "strict": False})
    base = next(one for one in named.found.standings if one.p is None)
    assert base.point.name == "retries 1, strict no" and "the baseline (retries 1, strict no)" in compared(named)
    assert "--against" in command(named) and command(named).count("submission.csv") == 2


def test_a_report_says_where_the_best_and_the_one_beside_it_lost_points(sweeping: Sweeping) -> None:
    story = sweeping(grid={"strict": [False, True]}, seeds=[1, 2])
    head, *rows = why_table(story.found)
    assert head == ["", "n", "strict no", "strict yes"]
    assert rows == [
        ["number", "6", "0.800", "0.100"],
        ["lost by: wrong value", "", "−0.75", "0"],
        ["lost by: blank wrongly", "", "−0.45", "−5.40"],
    ]
    assert "Where points were lost" in Path("out/report.html").read_text("utf-8")
    assert "lost by: " in markdown(story)


def test_long_answers_are_compared_where_the_truth_has_no_values(sweeping: Sweeping) -> None:
    rows = read_rows(questions())
    write_rows("long.csv", ("id", "question", "answer"), [{**row, "answer": "It is 7 litres."} for row in rows])
    grid = {"order": ["best_first", "ends"]}
    story = sweeping(truth="long.csv", grid=grid, metrics=["rouge_l"])
    assert story.found.best is not None and story.found.best.mean("rouge_l") == pytest.approx(6 / 7)
    assert json.loads(next(Path("out/runs").glob("*/score.json")).read_text("utf-8"))["long_n"] == 6
    with pytest.raises(TableError, match="no column answer_value"):
        sweeping("none", truth="long.csv", grid=grid)
    assert not Path("none").exists()


def test_a_pair_of_settings_is_a_picture_and_one_is_too(sweeping: Sweeping) -> None:
    pair = sweeping(grid=GRID, metrics=["score", "value"])
    assert [one.title for one in pair.pictures] == ["score by budget and order", "value score by budget and order"]
    numbers = sweeping(grid={"budget": [500, 6000], "retries": [0, 1]})
    names = sweeping(run=[{"name": "a"}, {"name": "b " * 40, "order": "ends"}])
    single = sweeping(grid={"budget": [500, 6000]})
    for story in (pair, numbers, names, single):
        assert story.pictures and all(one.png.startswith(b"\x89PNG") for one in story.pictures)
        assert max(len(one.png) for one in story.pictures) < 100_000
    assert sweeping().pictures == ()
    assert {path.name for path in Path("out/plots").iterdir()} >= {"score-budget-order.png", "score-run.png"}


def test_a_report_is_one_file_in_which_no_name_becomes_markup(sweeping: Sweeping) -> None:
    story = sweeping(title=HOSTILE, run=[{"name": HOSTILE}, {"name": "b", "order": "ends"}])
    html = Path("out/report.html").read_text(encoding="utf-8")
    page = BeautifulSoup(html, "html.parser")
    assert not page.select("script, link, iframe, [onerror]")
    assert [str(one["src"])[:22] for one in page.select("img")] == ["data:image/png;base64,"]
    assert "{{ 7 }}" in page.text and "\x1b" not in html
    assert "script-src" not in str(page.select_one("meta[http-equiv]"))
    told = markdown(story)
    tables = [part.splitlines() for part in told.split("\n\n") if part.startswith("|")]
    assert len(tables) == 2 and "<script>" not in told
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table}) == 1 and any("alert" in row for row in table)
    assert all("\x1b" not in line and "\n" not in line for line in lines(story))


def test_a_sweep_is_one_call_in_python(db: Path, server: FakeServer) -> None:
    server.otherwise = replying
    settings: dict[str, Any] = {"db": db, "model": "m", "base_url": server.url}
    told = kohaku.sweep({"truth": truth(), "grid": {"order": ["best_first", "ends"]}}, "out", **settings)
    Path("s.toml").write_text('truth = "truth.csv"\n[grid]\norder = ["ends"]\n', encoding="utf-8")
    again = kohaku.sweep("s.toml", "out", **settings)
    assert (told.runs, again.runs, reads(server)) == (2, 1, 12) and again.found.best is not None
    assert again.found.best.mean("value") == pytest.approx(5 / 6)  # the truth says 8 to the last question


def test_the_command_lists_runs_makes_them_and_prints_them(
    run: Run,
    db: Path,
    server: FakeServer,
) -> None:
    server.otherwise = replying
    Path("s.toml").write_text("[grid]\norder = ['best_first', 'ends']\n", encoding="utf-8")
    model = ("--db", db, "--model", "m", "--base-url", server.url)
    files = ("--truth", truth(), *model)
    listed = run("sweep", "s.toml", "--list", "--repeats", 2, *model)
    assert listed.out.splitlines()[1] == "order best_first, seed 2" and not server.requests
    told = run("sweep", "s.toml", "--list", "--json", *model).objects
    assert (told[0]["run"], told[0]["settings"]["order"]) == ("order best_first", "best_first")
    done = run("sweep", "s.toml", "--out", "out", *files)
    assert done.code == 0 and "order ends" in done.out and "wrote out/report.html" in done.err
    again = run("sweep", "s.toml", "--out", "out", "--json", *files)
    objects = again.objects
    assert "2 of 2 runs were finished before" in again.err and "finished before" not in done.err
    assert [one["place"]["order"] for one in objects] == ["best_first", "ends"] and objects[0]["calls"] >= 12
    assert run("sweep", "s.toml", *files).code == 2
    assert "which truth?" in run("sweep", "s.toml", "--out", "out", *model).err
    server.otherwise = lambda body: fails(401, "wrong key")
    failed = run("sweep", "s.toml", "--out", "out2", *files)
    assert failed.code == 1 and "2 runs are not finished" in failed.err

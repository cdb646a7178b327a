"""Commands that are killed or interrupted."""

# ruff: noqa: F811

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from commanding import Halting, Run, db, finished, plainly, process, questions, rows, run, server, wait_for  # noqa: F401
from fake_server import FakeServer
from test_engine import asked_for


def kept(path: str) -> int:
    """The rows of a journal."""
    journal = Path(f"{path}.partial.jsonl")
    return len(journal.read_text().split()) and sum(line.endswith("}") for line in journal.read_text().splitlines())


def started_and_halted(server: FakeServer) -> tuple[subprocess.Popen[str], Halting]:
    """A submission of eight questions that is held after three."""
    server.otherwise = halting = Halting(3)
    started = process("answer", "--questions", questions(8), "--out", "out.csv", "--concurrency", 2)
    wait_for(lambda: Path("out.csv.partial.jsonl").exists() and kept("out.csv") == 3)
    return started, halting


def test_a_killed_run_goes_on_where_it_was(run: Run, db: Path, server: FakeServer) -> None:
    started, halting = started_and_halted(server)
    started.kill()
    finished(started)
    halting.go.set()
    asked = len(server.requests)
    assert run("answer", "--questions", "questions.csv", "--out", "out.csv").code == 0
    assert [row["id"] for row in rows("out.csv")] == [f"q{number}" for number in range(8)]
    assert sum(asked_for(body) == "answer" for body in server.requests[asked:]) == 5
    assert not Path("out.csv.partial.jsonl").exists()


def test_an_interrupted_run_ends_at_once_with_what_it_has(run: Run, db: Path, server: FakeServer) -> None:
    started, halting = started_and_halted(server)
    started.send_signal(signal.SIGINT)
    ran = finished(started)
    halting.go.set()
    assert ran.code == 130
    assert "Traceback" not in ran.err
    assert "stopped: what is finished is kept" in ran.err
    assert len(rows("out.csv")) == 3

"""Commands as tests give them: in this process, or as one of their own, with an embedder that needs no model."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from corpus import use_letters, write
from fake_server import FakeServer, Step
from test_engine import answers, asked_for

from kohaku.doors.cli import main

PROGRAM = [sys.executable, str(Path(__file__).parent / "letters_cli.py")]
SAMPLE = Path(__file__).parent.parent / "data" / "sample"
TRUTH = str(SAMPLE / "truth.csv")
QUESTION = "How much water did Lake Site draw in 2023?"
HOSTILE = "An [bold]bold[/bold] text, [/x] and [red] stay."


@dataclass(frozen=True)
class Ran:
    """What a command gave back."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]


@pytest.fixture
def run(plainly: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process, with an embedder that needs no model."""
    use_letters(monkeypatch)
    return plainly


@pytest.fixture
def plainly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["kohaku", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Ran(int(ended.value.code or 0), printed.out, printed.err)

    return run


@pytest.fixture
def db(run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index at the place where commands look for it."""
    assert run("index", write(Path("files"))).code == 0
    return Path("kohaku.db")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    fake = FakeServer()
    fake.otherwise = answers
    monkeypatch.setenv("KOHAKU_BASE_URL", fake.url)
    monkeypatch.setenv("KOHAKU_MODEL", "scripted")
    monkeypatch.setenv("KOHAKU_TRIES", "1")
    yield fake
    fake.close()


def process(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """A command as a process of its own."""
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8", **options},
    )


def finished(started: subprocess.Popen[str]) -> Ran:
    out, err = started.communicate(timeout=120)
    return Ran(started.returncode, out, err)


def questions(count: int = 3) -> Path:
    path = Path("questions.csv")
    path.write_text("id,question\n" + "".join(f"q{n},How much water did hall {n} draw?\n" for n in range(count)))
    return path


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def error(ran: Ran) -> str:
    """The one line that a failed command leaves."""
    assert ran.code == 1
    assert ran.out == ""
    [line] = ran.err.splitlines()
    return line.removeprefix("error: ")


class Halting:
    """Answers some questions, then holds every further one until it is let go."""

    def __init__(self, answered: int, what: str = "answer", by: Callable[[dict[str, Any]], Step] = answers) -> None:
        self.left, self.go, self.lock = answered, threading.Event(), threading.Lock()
        self.what, self.by = what, by

    def __call__(self, body: dict[str, Any]) -> Step:
        if asked_for(body) == self.what:
            with self.lock:
                self.left -= 1
                wait = self.left < 0
            if wait:
                self.go.wait(60)
        return self.by(body)


def wait_for(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not done() and time.monotonic() < end:
        time.sleep(0.02)
    assert done()

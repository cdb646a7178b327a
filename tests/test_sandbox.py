"""Files read in processes of their own, which are ended at their limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from indexer.kept import Kept, keep
from indexer.pool import prepare_all
from indexer.prepare import Prepared, attempt, shelf
from indexer.reading import AS_EVER, FileLimits, Reading
from kohaku.errors import ReadError
from kohaku.tree import Kind, Node

TESTS = Path(__file__).parent


def work(max_tokens: int, path: Path, reading: Reading) -> Prepared | ReadError:
    """Stands in for reading; some names kill the process, hang, take memory or time."""
    if path.name.startswith("kill"):
        os._exit(1)
    if path.name.startswith("crash"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if path.name.startswith("hang"):
        time.sleep(60)
    if path.name.startswith("slow"):
        time.sleep(0.2)
    if path.name.startswith("granted"):
        reading.grant(5)
        time.sleep(1.5)
    if path.name.startswith("prints"):
        os.write(1, b"what a library prints")
    if path.name.startswith("greedy"):
        bytearray(2_000_000_000)
    name = f"{path.name} {os.getpid()}"
    if path.name.startswith("large"):
        return Prepared(None, name, 0, {}, (), images=large_pictures(), nodes=shelf(large_nodes()))
    return Prepared(None, name, 0, {}, ())


def large_nodes() -> list[Node]:
    """So many that they leave their process in pieces."""
    return [Node("", place, place, None, Kind.SENTENCE, f":s{place}", f"Text {place}.", 3) for place in range(2500)]


def large_pictures() -> dict[str, Kept]:
    return {name: keep(name.encode()) for name in ("one", "two")}


def outcomes(*names: str, workers: int = 1, limits: FileLimits = AS_EVER.limits) -> list[str]:
    """The outcomes, of files that were read with the process that did so."""
    found = prepare_all([Path(name) for name in names], 9, Reading(limits), workers=workers, work=work)
    return [str(outcome) if isinstance(outcome, ReadError) else outcome.title for _, outcome in found]


def names(outcomes: list[str]) -> list[str]:
    return [outcome.split()[0] for outcome in outcomes]


def test_outcomes_come_in_the_order_of_the_files() -> None:
    files = ("slow1", "a", "b", "slow2", "c", "d", "e")
    assert names(outcomes(*files, workers=2)) == list(files)


def test_a_large_tree_comes_whole() -> None:
    found = [outcome for _, outcome in prepare_all([Path("large"), Path("small")], 9, AS_EVER, workers=1, work=work)]
    [large, small] = [outcome for outcome in found if isinstance(outcome, Prepared)]
    assert [node for nodes in large.nodes for node in nodes] == large_nodes()
    assert {name: picture.read() for name, picture in large.images.items()} == {"one": b"one", "two": b"two"}
    assert (len(small.nodes), small.images) == (0, {})


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("kill", "process that read it died (status 1)"),
        ("crash", "process that read it died (SIGSEGV)"),
        ("hang", "took more than 1.5 s"),
        ("greedy", "took more than 512 MB"),
    ],
)
def test_a_file_that_breaks_its_process_fails_alone(bad: str, words: str) -> None:
    if bad == "greedy" and sys.platform != "linux":
        pytest.skip("only Linux limits memory")
    first, broken, *others = outcomes("a", bad, "slow", "b", "c", workers=2, limits=FileLimits(1.5, 512))
    assert names([first, *others]) == ["a", "slow", "b", "c"]
    assert words in broken


def test_files_follow_one_another_in_one_process_until_it_breaks() -> None:
    before, same, _, after = outcomes("a", "prints", "kill", "b")
    assert before.split()[1] == same.split()[1] != after.split()[1] != str(os.getpid())


def test_a_file_may_take_what_time_it_was_granted() -> None:
    assert names(outcomes("granted", limits=FileLimits(seconds=1))) == ["granted"]


def test_a_run_that_is_left_ends_its_processes_at_once() -> None:
    found = prepare_all([Path("a"), Path("hang")], 9, Reading(), workers=2, work=work)
    _, first = next(found)
    started = time.monotonic()
    assert isinstance(found, Generator)
    found.close()
    assert time.monotonic() - started < 30
    assert isinstance(first, Prepared) and not _is_alive(int(first.title.split()[1]))


RUN = """
import sys
sys.path[:0] = {places!r}
from pathlib import Path
from indexer.pool import prepare_all
from indexer.reading import Reading
from test_sandbox import work
for _, outcome in prepare_all([Path("a"), Path("hang")], 9, Reading(), workers=1, work=work):
    print(outcome.title, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize("end", ["SIGKILL", "SIGINT"])
def test_however_a_run_ends_no_process_of_its_stays(end: str) -> None:
    code = RUN.format(places=[str(TESTS), str(TESTS.parent)])
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdout is not None
        worker = int(run.stdout.readline().split()[1])
        assert _is_alive(worker)
        run.send_signal(signal.Signals[end])
        run.wait()
    for _ in range(100):
        if not _is_alive(worker):
            return
        time.sleep(0.1)
    pytest.fail("it is still there")


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")
    return not (status.is_file() and status.read_text().split()[2] == "Z")  # dead, and nobody has asked


def test_a_password_stands_in_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(path: Path, reading: Reading) -> None:
        raise ValueError(f"bad {reading.passwords}")

    monkeypatch.setattr("indexer.prepare.read", fails)
    reading = Reading(passwords=("hunter2",))
    outcome = attempt(9, Path("a.pdf"), reading)
    assert str(outcome) == "its reader failed: ValueError: bad ('***',)"
    assert "hunter2" not in repr(reading)

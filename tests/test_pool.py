"""Files read in several processes."""

from __future__ import annotations

import os
import time
from pathlib import Path

from indexer.pool import prepare_all
from indexer.prepare import Prepared
from kohaku.errors import ReadError
from kohaku.tree import Document, Tree


def work(path: Path, max_tokens: int) -> Prepared:
    """Stands in for reading; some names kill the process, raise, or take their time."""
    if path.name.startswith("kill"):
        os._exit(1)
    if path.name.startswith("bug"):
        raise IndexError("list index out of range")
    if path.name.startswith("slow"):
        time.sleep(0.2)
    return Prepared(Tree(Document("", path.name, (), "", ""), ()), None, path.name, 0, {}, ())


def outcomes(*names: str, workers: int) -> list[str]:
    found = prepare_all([Path(name) for name in names], 9, workers=workers, work=work)
    return [str(outcome) if isinstance(outcome, ReadError) else outcome.title for _, outcome in found]


def test_outcomes_come_in_the_order_of_the_files() -> None:
    names = ("slow1", "a", "b", "slow2", "c", "d", "e")
    assert outcomes(*names, workers=2) == list(names)


def test_a_file_that_kills_its_process_fails_alone() -> None:
    first, killed, *others = outcomes("a", "kill", "slow", "b", "c", "d", "e", "f", workers=2)
    assert [first, *others] == ["a", "slow", "b", "c", "d", "e", "f"]
    assert "process that read it died" in killed


def test_a_readers_bug_is_one_files_failure() -> None:
    assert outcomes("a", "bug", "b", workers=1) == ["a", "its reader failed: IndexError: list index out of range", "b"]

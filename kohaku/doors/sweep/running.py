"""Runs a sweep's trials at once, each into a folder of its own that says what it did, and goes on where it was."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from answerer.respond import Outcome
from answerer.submission import earlier_rows, read_questions
from indexer.metadata import read_metadata
from kohaku.doors.display import Advance, json_line
from kohaku.doors.sweep.sharing import RunEngine, Shared
from kohaku.doors.sweep.trials import Trial
from kohaku.errors import KohakuError, TableError
from kohaku.spending import Usage
from kohaku.tables import write_lines
from kohaku.threads import each

log = logging.getLogger("kohaku")

AT_ONCE = 4  # runs: enough that one's last questions keep no thread idle
SUBMISSION, STATE = "submission.csv", "run.json"
Documents = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has cost so far: seconds of work on its questions, and by model what it was asked.

    `cost` is None where a model's price is not known.
    """

    seconds: float = 0.0
    models: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    cost: float | None = 0.0

    def total(self, name: str) -> float:
        """One count over all models: calls, cached, prompt_tokens, completion_tokens, failures."""
        return sum(counts.get(name, 0) for counts in self.models.values())

    def plus(self, other: Spent) -> Spent:
        """Both together."""
        names = dict.fromkeys((*self.models, *other.models))
        models = {name: _added(self.models.get(name, {}), other.models.get(name, {})) for name in names}
        costs = (self.cost, other.cost)
        known = None if None in costs else sum(cost or 0.0 for cost in costs)
        return Spent(self.seconds + other.seconds, models, known)


@dataclass(frozen=True, slots=True)
class Run:
    """What a folder says of its run: `problem` is why it is not finished, "" where it is.

    `was_there` is so of a run that an earlier sweep had finished.
    """

    trial: Trial
    folder: Path
    spent: Spent
    problem: str = ""
    was_there: bool = False

    @property
    def submission(self) -> Path:
        """Its answers."""
        return self.folder / SUBMISSION


def run_all(
    wanted: Sequence[tuple[Trial, Path]],
    shared: Shared,
    questions: Path,
    *,
    metadata: Path | None,
    concurrency: int,
    progress: Advance | None = None,
) -> list[Run]:
    """All runs, those that were finished before as they are; one that fails stops no other, and says why.

    An interrupt leaves what is finished, and goes on from there next time.
    """
    asked = frozenset(question.id for question in read_questions(questions))
    documents = None if metadata is None else read_metadata(metadata)
    for _, folder in wanted:
        _drop_damaged(folder / SUBMISSION)
    known = {folder: finished(trial, folder, asked) for trial, folder in wanted}
    waiting = [one for one in wanted if known[one[1]] is None]
    tally = _Tally(len(asked) * len(waiting), progress)

    def work(one: tuple[Trial, Path]) -> Run:
        return _run(*one, shared, questions, documents, tally)

    try:
        with closing(each(waiting, work, concurrency=min(AT_ONCE, concurrency))) as done:
            for (trial, folder), outcome in done:
                known[folder] = outcome if isinstance(outcome, Run) else Run(trial, folder, Spent(), str(outcome))
    finally:
        shared.turn.end()  # after an interrupt runs are still in hand, and would go on asking
    return [run for _, folder in wanted if (run := known[folder]) is not None]


def finished(trial: Trial, folder: Path, asked: Collection[str]) -> Run | None:
    """The run of a folder, None where it is not finished or lacks an answer to what is asked, by the questions' ids."""
    state = _state(folder)
    there = state.get("finished") is True and {*asked} <= {row["id"] for row in earlier_rows(folder / SUBMISSION)}
    return Run(trial, folder, _spent(state), was_there=True) if there else None


def _drop_damaged(submission: Path) -> None:
    """Takes away a file that can't be read, so that all of it is asked again."""
    if not submission.is_file():
        return
    try:
        earlier_rows(submission)
    except TableError as error:
        log.warning("a damaged run begins anew: %s", error)
        submission.unlink()


def _run(
    trial: Trial, folder: Path, shared: Shared, questions: Path, documents: Documents | None, tally: _Tally
) -> Run:
    folder.mkdir(parents=True, exist_ok=True)
    before = _spent(_state(folder))
    try:
        engine = RunEngine(trial.settings, shared)
    except KohakuError as error:
        return Run(trial, folder, before, str(error))
    with closing(engine):

        def keep(*, is_finished: bool = False) -> Spent:
            now = before.plus(_so_far(engine))
            _write_state(folder, trial, now, is_finished=is_finished)
            return now

        def done(outcome: Outcome) -> None:
            keep()
            tally.add(trial.name, outcome)

        try:
            failed = engine.submit(questions, folder / SUBMISSION, metadata=documents, scope=trial.scope, on_done=done)
        except KohakuError as error:
            return Run(trial, folder, keep(), str(error))
        spent = keep(is_finished=not failed)
    problem = f"{len(failed)} answers failed, the last: {failed[-1].reason}" if failed else ""
    return Run(trial, folder, spent, problem)


class _Tally:
    """How far all runs are together, for a bar."""

    def __init__(self, total: int, progress: Advance | None) -> None:
        self._total, self._progress = total, progress
        self._done: set[tuple[str, str]] = set()
        self._turn = threading.Lock()

    def add(self, name: str, outcome: Outcome) -> None:
        with self._turn:
            self._done.add((name, outcome.question.id))
            if self._progress:
                self._progress(len(self._done), self._total, name)


def _so_far(engine: RunEngine) -> Spent:
    usage = engine.usage()
    prices = engine.settings.known_prices
    costs = [spent.cost(prices.get(name)) for name, spent in usage.items()]
    cost = None if None in costs else sum(cost or 0.0 for cost in costs)
    return Spent(engine.seconds, {name: _counts(spent) for name, spent in usage.items()}, cost)


def _counts(usage: Usage) -> Mapping[str, float]:
    return dict(usage.counts)


def _added(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in {**one, **other}}


def _write_state(folder: Path, trial: Trial, spent: Spent, *, is_finished: bool) -> None:
    """Writes all at once what a run is and has spent."""
    state = {
        "name": trial.name,
        "place": dict(trial.point.place),
        "repeat": dict(trial.repeat),
        "settings": trial.told,
        "finished": is_finished,
        "spent": asdict(spent),
    }
    write_lines(folder / STATE, [json_line(state)])


def _state(folder: Path) -> dict[str, Any]:
    try:
        found: Any = json.loads((folder / STATE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        log.warning("%s can't be read, its run begins with no count of what it spent: %s", folder / STATE, error)
        return {}
    return found if isinstance(found, dict) else {}


def _spent(state: Mapping[str, Any]) -> Spent:
    try:
        found = state["spent"]
        cost = found["cost"]
        models = {
            str(name): {str(key): float(n) for key, n in counts.items()} for name, counts in found["models"].items()
        }
        return Spent(float(found["seconds"]), models, None if cost is None else float(cost))
    except (KeyError, TypeError, ValueError, AttributeError):
        return Spent()

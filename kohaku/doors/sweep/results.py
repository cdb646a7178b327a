"""What a sweep's runs earned: each point's mean and spread, and how surely it differs from another."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerer.bootstrap import Difference, Interval, difference, draws, holm, interval
from answerer.diagnosis import by_error, by_type
from answerer.long_answers import LongScore, Meanings
from answerer.score import read_answers
from kohaku.doors.display import json_line
from kohaku.doors.scoring import Scoring, has_only_long, long_scored, scored, scoring_object
from kohaku.doors.sweep.running import Run, Spent
from kohaku.doors.sweep.spec import Point
from kohaku.errors import TableError
from kohaku.tables import write_lines, write_rows

SCORE = "score.json"
LONG = ("rouge_l", "bert_score")
SPENT = ("calls", "cached", "prompt_tokens", "completion_tokens", "failures")

Measures = Mapping[str, NDArray[np.float64]]
"""By metric, what each question earned."""


@dataclass(frozen=True, slots=True)
class Why:
    """Where points were lost: by type of question how many there are and their mean score, by error the points lost."""

    types: Mapping[str, tuple[int, float]]
    errors: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Measured:
    """A run with what its questions earned, and why no more; None where only long answers were scored."""

    run: Run
    measures: Measures
    why: Why | None = None

    def mean(self, metric: str) -> float:
        """The mean over the questions."""
        return float(self.measures[metric].mean())


@dataclass(frozen=True, slots=True)
class Standing:
    """How a point stands: `interval` is of its first metric, `difference` to the point that others are compared with.

    `p` is the difference's, held to the number of comparisons (Holm); both are None at the point itself.
    """

    point: Point
    runs: tuple[Measured, ...]
    interval: Interval
    difference: Difference | None = None
    p: float | None = None

    def mean(self, metric: str) -> float:
        """The mean over runs and questions."""
        return statistics.fmean(run.mean(metric) for run in self.runs)

    def spread(self, metric: str) -> float:
        """The standard deviation over the runs, 0 of one."""
        return statistics.stdev(run.mean(metric) for run in self.runs) if len(self.runs) > 1 else 0.0

    @property
    def why(self) -> Why | None:
        """Where points were lost, on average over its runs."""
        told = [run.why for run in self.runs if run.why is not None]
        if not told:
            return None
        types = {
            name: (count, statistics.fmean(one.types[name][1] for one in told))
            for name, (count, _) in told[0].types.items()
        }
        errors = dict.fromkeys(name for one in told for name in one.errors)
        return Why(types, {name: statistics.fmean(one.errors.get(name, 0.0) for one in told) for name in errors})

    @property
    def spent(self) -> Spent:
        """What its runs have cost together."""
        return reduce(Spent.plus, (one.run.spent for one in self.runs), Spent())


@dataclass(frozen=True, slots=True)
class Results:
    """A sweep's points, the best first; `base` is the one that the others are compared with."""

    standings: tuple[Standing, ...]
    base: Point | None
    metrics: tuple[str, ...]

    @property
    def best(self) -> Standing | None:
        """The point with the highest mean."""
        return self.standings[0] if self.standings else None

    @property
    def other(self) -> Standing | None:
        """What the best is looked at beside: the baseline, or the second best where the best is the base."""
        others = [one for one in self.standings if one is not self.best]
        return next((one for one in others if one.point is self.base), others[0] if others else None)


def check_truth(truth: Path, metrics: Sequence[str]) -> None:
    """Raises TableError where a truth does not hold what the metrics compare; before anything is paid for."""
    columns = {name for metric in metrics for name in (("answer",) if metric in LONG else ("answer_value", "ref_id"))}
    if not read_answers(truth, sorted(columns)):
        raise TableError(f"{truth} has no rows: give a file with right answers")


def measure(run: Run, truth: Path, metrics: Sequence[str], meanings: Meanings | None) -> Measured:
    """What a run's questions earned, written into its folder too."""
    if has_only_long(truth):
        long = long_scored(truth, run.submission, meanings)
        told = {**long.summary(), "questions": [asdict(one) for one in long.answers]}
        found = Measured(run, _long_measures(long))
    else:
        whole = scored(truth, run.submission, has_long=any(name in LONG for name in metrics), meanings=meanings)
        told = scoring_object(whole)
        found = Measured(run, _measures(whole), _why(whole))
    write_lines(run.folder / SCORE, [json_line(told)])
    return found


def results(measured: Sequence[Measured], metrics: Sequence[str], base: Point | None = None) -> Results:
    """How the points of runs stand, compared with `base`, else with the best, by the first of the metrics."""
    grouped: dict[str, list[Measured]] = {}
    for one in measured:
        grouped.setdefault(one.run.trial.point.name, []).append(one)
    if not grouped:
        return Results((), base, tuple(metrics))
    first = metrics[0]
    tables = [np.stack([one.measures[first] for one in runs]) for runs in grouped.values()]
    drawn = draws(tables)
    standings = [
        Standing(runs[0].run.trial.point, tuple(runs), interval(table, row))
        for runs, table, row in zip(grouped.values(), tables, drawn, strict=True)
    ]
    means = [standing.interval.mean for standing in standings]
    names = list(grouped)
    chosen = names.index(base.name) if base is not None and base.name in names else means.index(max(means))
    apart = [
        None if at == chosen else difference(tables[at], tables[chosen], drawn[at], drawn[chosen])
        for at in range(len(tables))
    ]
    adjusted = iter(holm([one.p for one in apart if one is not None]))
    compared = [
        replace(standing, difference=one, p=None if one is None else next(adjusted))
        for standing, one in zip(standings, apart, strict=True)
    ]
    compared.sort(key=lambda standing: -standing.interval.mean)
    return Results(tuple(compared), standings[chosen].point, tuple(metrics))


def write_table(path: Path, found: Results, folder: Path) -> None:
    """Writes a CSV of all finished runs: their places, what they earned and what they cost."""
    runs = [one for standing in found.standings for one in standing.runs]
    places = list(dict.fromkeys(name for one in runs for name in one.run.trial.point.place))
    repeats = list(dict.fromkeys(name for one in runs for name in one.run.trial.repeat))
    measures = list(dict.fromkeys(name for one in runs for name in one.measures))
    columns = dict.fromkeys([*places, *repeats, *measures, *SPENT, "cost", "seconds", "folder"])
    write_rows(path, list(columns), (_table_row(one, folder) for one in runs))


def _table_row(one: Measured, folder: Path) -> dict[str, str]:
    spent = one.run.spent
    return {
        **{name: str(value) for name, value in one.run.trial.repeat.items()},
        **one.run.trial.point.place,
        **{name: f"{one.mean(name):.6f}" for name in one.measures},
        **{name: f"{spent.total(name):.0f}" for name in SPENT},
        "cost": "" if spent.cost is None else f"{spent.cost:.6f}",
        "seconds": f"{spent.seconds:.1f}",
        "folder": str(one.run.folder.relative_to(folder)),
    }


def _measures(found: Scoring) -> Measures:
    measures = {
        name: np.array([float(getattr(question, name)) for question in found.score.questions])
        for name in ("score", "value", "ref", "na")
    }
    return {**measures, **(_long_measures(found.long) if found.long else {})}


def _why(found: Scoring) -> Why:
    types = {name: (int(mean["n"]), float(mean["score"])) for name, mean in by_type(found.diagnoses).items()}
    return Why(types, {error.value: lost for error, (_, lost) in by_error(found.diagnoses).items()})


def _long_measures(found: LongScore) -> Measures:
    by_name = {name: [getattr(answer, name) for answer in found.answers] for name in LONG}
    return {name: np.array(values, dtype=np.float64) for name, values in by_name.items() if None not in values}

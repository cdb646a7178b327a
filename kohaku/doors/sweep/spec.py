"""What a sweep tries, as its TOML file says it: settings that all runs share, and those that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kohaku.complaint import complaint
from kohaku.errors import SettingsError
from kohaku.settings import Settings
from kohaku.text import nearest
from kohaku.toml import read_toml

SCOPE = ("where", "doc", "not_doc", "kind")
"""What keeps a search to a part of the index, as `kohaku answer` has it, in the order that `Scope.of` takes them."""

SECRET = tuple(name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation))
WHOLE = ("concurrency", "max_cost", "prices", "endpoints", "cache", "reply_cache", "workers", "search_memory_mb")
"""What holds for a whole sweep: runs share threads, purse, prices and caches."""

RUN = "run"  # the axis of named runs
MOST_RUNS = 10_000
METRICS = ("score", "value", "ref", "na", "rouge_l", "bert_score")
Values = dict[str, Any]


class Spec(BaseModel):
    """A sweep's file.

    The runs are all combinations of the lists in `grid`, each combined with each table of `run`, where there are such,
    and all of them repeated once a `seeds` or once a table of `repeat`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    questions: Path | None = None
    truth: Path | None = None
    metadata: Path | None = None
    documents: tuple[Path, ...] = ()
    settings: Values = {}
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = {}
    run: tuple[Values, ...] = ()
    seeds: tuple[int, ...] = ()
    repeat: tuple[Values, ...] = ()
    baseline: str | Values | None = None
    metrics: Annotated[tuple[str, ...], Field(min_length=1)] = ("score",)
    bert_score: str | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """One combination of what is varied: its place on each axis, as it is labelled, and the settings that it sets."""

    place: Mapping[str, str]
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What it is called: its place on all axes, without the axis of named runs' own name."""
        named = (label if axis == RUN else f"{axis} {label}" for axis, label in self.place.items())
        return ", ".join(named) or "all"


@dataclass(frozen=True, slots=True)
class Axis:
    """Something that is varied, with its values in the order of the file; `numbers` where all of them are numbers."""

    name: str
    labels: tuple[str, ...]
    numbers: tuple[float, ...] | None


def read_spec(path: Path) -> Spec:
    """The spec in a TOML file; raises SettingsError that says what is wrong, and the nearest name to an unknown one."""
    missing = f"no sweep at {path}: scripts/sweeps/ has some to begin with"
    return spec_of(read_toml(path, SettingsError, missing=missing), path.name)


def spec_of(read: Mapping[str, Any], where: str) -> Spec:
    """The spec of what a file holds; `where` names it in errors."""
    try:
        spec = Spec(**read)
    except ValidationError as error:
        place, said = complaint(error, Spec)
        raise SettingsError(f"{'.'.join(place)!r} in {where}: {said}") from None
    _check_names(spec, where)
    return spec


def axes(spec: Spec) -> tuple[Axis, ...]:
    """What a sweep varies: named runs first, then the settings of its grid; what has one value only is no axis."""
    runs = [Axis(RUN, tuple(_run_name(run) for run in spec.run), None)] if len(spec.run) > 1 else []
    grid = [
        Axis(name, tuple(label(value) for value in values), _numbers(values))
        for name, values in spec.grid.items()
        if len(values) > 1
    ]
    return (*runs, *grid)


def points(spec: Spec) -> tuple[Point, ...]:
    """All combinations, in the order of the file."""
    varied = {axis.name for axis in axes(spec)}
    found = []
    for run in spec.run or ({},):
        own = {name: value for name, value in run.items() if name != "name"}
        for values in product(*spec.grid.values()):
            chosen = dict(zip(spec.grid, values, strict=True))
            place = {RUN: _run_name(run)} if RUN in varied else {}
            place |= {name: label(value) for name, value in chosen.items() if name in varied}
            found.append(Point(place, own | chosen))
    return tuple(found)


def repeats(spec: Spec) -> tuple[Values, ...]:
    """What each repeat sets, one that sets nothing where none is named."""
    return spec.repeat or tuple({"seed": seed} for seed in spec.seeds) or ({},)


def baseline_of(spec: Spec, points: Sequence[Point]) -> Point | None:
    """The point that others are compared with, None for the best; SettingsError where the spec means no point."""
    wanted = spec.baseline
    if wanted is None:
        return None
    if isinstance(wanted, str):
        found = [point for point in points if wanted in (point.name, point.place.get(RUN))]
    else:
        labels = {name: label(value) for name, value in wanted.items()}
        found = [point for point in points if labels.items() <= point.place.items()]
    if len(found) != 1:
        names = "; ".join(point.name for point in points[:5]) + ("; …" if len(points) > 5 else "")
        raise SettingsError(f"baseline: {len(found)} settings are so called: name one of {names}")
    return found[0]


def label(value: Any) -> str:
    """A setting's value in a few words.

    >>> label(True), label(0.5), label(["a", "b"])
    ('yes', '0.5', 'a+b')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return "+".join(map(label, value)) or "none"
    return str(value) or "none"


def _numbers(values: Sequence[Any]) -> tuple[float, ...] | None:
    plain = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return tuple(map(float, values)) if plain else None


def _run_name(run: Mapping[str, Any]) -> str:
    named = run.get("name")
    return str(named) if named else ", ".join(f"{name} {label(value)}" for name, value in run.items()) or "as it is"


def _check_names(spec: Spec, where: str) -> None:
    known = (*Settings.model_fields, *SCOPE)
    shared = [(name, "[settings]") for name in spec.settings]
    varied = [(name, "[grid]") for name in spec.grid]
    varied += [(name, "[[run]]") for run in spec.run for name in run if name != "name"]
    varied += [(name, "[[repeat]]") for repeat in spec.repeat for name in repeat]
    for name, table in (*shared, *varied):
        if name not in known:
            raise SettingsError(
                f"unknown setting {name!r} in {table} of {where}: did you mean {nearest(name, known)!r}?"
            )
        if name in SECRET:
            raise SettingsError(f"{name} has no place in {where}: put it into kohaku.toml or the environment")
    for name, table in varied:
        if name in WHOLE:
            raise SettingsError(f"{name} holds for the whole sweep: move it from {table} to [settings] in {where}")
    _check_twice(spec, where)
    for metric in spec.metrics:
        if metric not in METRICS:
            raise SettingsError(f"unknown metric {metric!r} in {where}: did you mean {nearest(metric, METRICS)!r}?")
    if "bert_score" in spec.metrics and spec.bert_score is None:
        raise SettingsError(f"the metric bert_score in {where} needs a model: add bert_score = its name or folder")


def _check_twice(spec: Spec, where: str) -> None:
    """Raises SettingsError where one setting is varied in two ways, or one run stands there twice."""
    in_runs, in_repeats = ({name for one in tables for name in one} for tables in (spec.run, spec.repeat))
    if spec.seeds:
        if spec.repeat:
            raise SettingsError(f"{where} has seeds and [[repeat]]: keep one of them")
        in_repeats = {"seed"}
    for twice in sorted((in_runs & spec.grid.keys()) | (in_repeats & (in_runs | spec.grid.keys()))):
        raise SettingsError(f"{twice} is varied in two places of {where}: keep one of them")
    names = [_run_name(run) for run in spec.run]
    lists = {"[[run]]": names, "seeds": spec.seeds, **{name: list(map(label, all)) for name, all in spec.grid.items()}}
    for name, values in lists.items():
        if len(set(values)) < len(values):
            raise SettingsError(f"{name} in {where} has the same twice: keep one, or give names")
    count = max(1, len(spec.run)) * max(1, len(repeats(spec)))
    for values in spec.grid.values():
        count *= len(values)
    if count > MOST_RUNS:
        raise SettingsError(f"{where} makes {count:,} runs, {MOST_RUNS:,} at most are possible: name fewer values")

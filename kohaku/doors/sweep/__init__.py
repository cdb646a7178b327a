"""Experiments: many settings on the same questions, repeated, scored, compared and drawn."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from answerer.answer import Question
from answerer.long_answers import Meanings
from answerer.submission import read_questions
from kohaku.doors.display import Advance, step_by_step
from kohaku.doors.sweep.plots import pictures
from kohaku.doors.sweep.report import Story, file_of, html, markdown
from kohaku.doors.sweep.results import check_truth, measure, results, write_table
from kohaku.doors.sweep.running import run_all
from kohaku.doors.sweep.sharing import Shared
from kohaku.doors.sweep.spec import SCOPE, Spec, axes, baseline_of, points
from kohaku.doors.sweep.trials import Trial, content_of, indexed_by, trials
from kohaku.errors import SettingsError
from kohaku.locks import hold
from kohaku.settings import Settings, changed
from kohaku.tables import write_lines
from kohaku.text import few

log = logging.getLogger("kohaku")


def sweep(
    spec: Spec, out: str | Path, settings: Settings, *, where: str = "the sweep", progress: Advance | None = None
) -> Story:
    """Runs what a spec asks for and is not finished in the folder yet, then scores, compares and draws all of it.

    `settings` are those in force but for what the spec says; `where` names the spec in errors. In the folder are then
    report.html and report.md, results.csv, plots/, and for each run runs/NAME/ with its answers, settings, score and
    what it cost. Raises SettingsError for a spec that can't be run, TableError for files that can't be read.
    """
    truth = spec.truth
    if truth is None:
        raise SettingsError(f"which truth? Give --truth CSV, or truth = in {where}")
    questions, folder = spec.questions or truth, Path(out)
    shared_values = {name: value for name, value in spec.settings.items() if name not in SCOPE}
    settings = changed(settings, shared_values, where)
    found = trials(spec, settings, where)
    base = baseline_of(spec, points(spec))
    asked = read_questions(questions)
    check_truth(truth, spec.metrics)
    with _alone(folder):
        ready = _indexed(spec, found, folder, where, progress)
        with closing(Shared(settings)) as shared:
            keys = _keys(ready, shared, asked)
            # what would be the same run is made once, whatever it is called
            folders = {key: (trial, trial.folder(folder / "runs", key)) for key, trial in zip(keys, ready, strict=True)}
            made = run_all(
                list(folders.values()),
                shared,
                questions,
                metadata=spec.metadata,
                concurrency=settings.concurrency,
                progress=progress,
            )
        by_key = dict(zip(folders, made, strict=True))
        runs = [replace(by_key[key], trial=trial) for key, trial in zip(keys, ready, strict=True)]
        done = [measure(run, truth, spec.metrics, _meanings(spec)) for run in runs if not run.problem]
        standings = results(done, spec.metrics, base)
        drawn = tuple(pictures(standings, axes(spec))) if done else ()
        unfinished = tuple(run for run in runs if run.problem)
        story = Story(spec.title or where, standings, drawn, unfinished, len(asked), truth, folder)
        _write(story)
    return story


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """The folder for one sweep alone, made where it is missing; SettingsError where another is at work in it."""
    runs = folder / "runs"
    try:
        runs.mkdir(parents=True, exist_ok=True)
        lock = hold(runs, wait=False)
    except BlockingIOError:
        raise SettingsError(f"another sweep is at work in {folder}: wait for it, or give another --out") from None
    except OSError as error:
        raise SettingsError(f"{folder} can't be a sweep's folder ({error.strerror}): give another --out") from None
    try:
        yield
    finally:
        os.close(lock)


def _indexed(spec: Spec, found: Sequence[Trial], folder: Path, where: str, progress: Advance | None) -> Sequence[Trial]:
    """The runs with the indexes that they search: where there are documents, one is made for each way to index them."""
    if not spec.documents:
        return found
    from kohaku.doors.indexing import index

    made: dict[str, Path] = {}
    ready = []
    for trial in found:
        way = json.dumps(indexed_by(trial.settings), sort_keys=True)
        settings = trial.settings
        if way not in made:
            name = hashlib.sha256(way.encode()).hexdigest()[:10]
            made[way] = folder / "indexes" / f"{name}.db"
            made[way].parent.mkdir(exist_ok=True)
            report = index(
                spec.documents,
                changed(settings, {"db": made[way]}, where),
                metadata=spec.metadata,
                progress=step_by_step(progress),
            )
            if report.failed:
                log.warning("not indexed: %s", few([path for path, _ in report.failed]))
        ready.append(replace(trial, settings=changed(settings, {"db": made[way]}, where)))
    return ready


def _keys(found: Sequence[Trial], shared: Shared, asked: Sequence[Question]) -> list[str]:
    """What each run is known by."""
    digest = hashlib.sha256(json.dumps([(one.id, one.text, one.unit) for one in asked]).encode()).hexdigest()
    contents: dict[Path, str] = {}
    for settings in (trial.settings for trial in found):
        if settings.db not in contents:
            contents[settings.db] = content_of(shared.store(settings.db, settings.search_memory_mb))
    return [trial.key(digest, contents[trial.settings.db]) for trial in found]


@lru_cache(maxsize=1)
def _vectors(model: str) -> Meanings:
    from kohaku.token_vectors import TokenVectors

    return TokenVectors(model).of


def _meanings(spec: Spec) -> Meanings | None:
    return None if spec.bert_score is None else _vectors(spec.bert_score)


def _write(story: Story) -> None:
    plots = story.folder / "plots"
    plots.mkdir(exist_ok=True)
    for picture in story.pictures:
        (plots / file_of(picture)).write_bytes(picture.png)
    write_table(story.folder / "results.csv", story.found, story.folder)
    write_lines(story.folder / "report.md", [markdown(story).rstrip("\n")])
    write_lines(story.folder / "report.html", [html(story).rstrip("\n")])

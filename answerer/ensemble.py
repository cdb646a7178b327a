"""Runs as files: submission CSVs of any origin, checked against each other, voted on, written as one."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

from answerer.ballots import Row, ballots_of
from answerer.submission import COLUMNS, harmless
from answerer.values import BLANK
from answerer.vote import Rules, Voted, elect, trust
from kohaku.errors import TableError
from kohaku.tables import check_target, check_unique, read_rows, write_rows
from kohaku.text import storable

NEEDED = ("id", "question", "answer_value", "ref_id")
CONFIDENCE_COLUMNS = ("id", "confidence", "agree", "of", "answer_value", "runs", "values")
ALIKE = 80.0
"""How alike (0 to 100) two wordings under one id must be: a mended typo passes, another question does not."""

_log = logging.getLogger("kohaku")


@dataclass(frozen=True, slots=True)
class Run:
    """One run's rows by question id, and what it is called."""

    name: str
    rows: Mapping[str, Row]


@dataclass(frozen=True, slots=True)
class Ensemble:
    """The runs that voted, how far each was trusted (None where all weigh alike), and the outcome a question."""

    runs: tuple[Run, ...]
    trusted: Mapping[int, float] | None
    voted: tuple[Voted, ...]

    @property
    def names(self) -> list[str]:
        """What the runs are called."""
        return [run.name for run in self.runs]


def ensemble(runs: Sequence[Run], rules: Rules, kinds: Mapping[int, object] | None = None) -> Ensemble:
    """The outcome of a vote by runs; those of one kind are trusted alike."""
    cast = ballots_of([run.rows for run in runs])
    trusted = trust(cast, kinds)
    return Ensemble(tuple(runs), trusted if rules.weighted else None, tuple(elect(cast, rules, trusted)))


def read_runs(paths: Sequence[str | Path]) -> list[Run]:
    """The runs of some CSVs; a file that is named twice counts once, which is a warning.

    Raises TableError where a file can't be used, has an id twice, or asks something else under an id of another's.
    """
    files = _distinct(paths)
    runs: list[Run] = []
    for path, name in zip(files, _names(files), strict=True):
        rows = read_rows(path, NEEDED, COLUMNS)
        check_unique(rows, "id", path)
        run = Run(name, {row["id"].strip(): {**row, "id": row["id"].strip()} for row in rows})
        _check_questions(run, runs)
        if twin := next((other for other in runs if rows and other.rows == run.rows), None):
            _log.warning("%s has the same rows as %s: a copy? both vote", name, twin.name)
        runs.append(run)
    return runs


def vote_files(
    paths: Sequence[str | Path], out: str | Path, rules: Rules, *, confidence: str | Path | None = None
) -> Ensemble:
    """Writes the submission that the runs of some CSVs make together; `confidence` is a CSV of how far they agree."""
    for target in (out, confidence):
        if target is not None:
            check_target(target)
    runs = read_runs(paths)
    made = ensemble(runs, rules)
    if not made.voted:
        raise TableError(f"{', '.join(map(str, paths))}: no rows to vote on: give submissions that have some")
    if len(runs) == 1:
        _log.warning("one run is no vote: its rows are written as they are, in a submission's form")
    partial = sum(any(one.row["id"] not in run.rows for run in runs) for one in made.voted)
    if partial:
        _log.warning("%d of %d questions are not in every run: those vote that have them", partial, len(made.voted))
    write_rows(out, COLUMNS, [one.row for one in made.voted])
    if confidence is not None:
        write_confidence(confidence, made)
    return made


def write_confidence(path: str | Path, made: Ensemble) -> None:
    """Writes a CSV with a row a question: how far the runs agree on its value, who they are, what else was said."""
    write_rows(path, CONFIDENCE_COLUMNS, [_confidence_row(one, made.names) for one in made.voted])


def _confidence_row(one: Voted, names: Sequence[str]) -> dict[str, str]:
    said = ((value, _listed(runs, names)) for value, runs in one.values)
    return {
        "id": one.row["id"],
        "confidence": f"{one.confidence:.4f}",
        "agree": str(len(one.runs)),
        "of": str(sum(len(runs) for _, runs in one.values)),
        "answer_value": one.row["answer_value"],
        "runs": harmless(_listed(one.runs, names)) or BLANK,
        "values": harmless("; ".join(f"{value} ({runs})" for value, runs in said)),
    }


def _listed(runs: Iterable[int], names: Sequence[str]) -> str:
    return ", ".join(names[run] for run in runs)


def _distinct(paths: Sequence[str | Path]) -> list[str | Path]:
    found: dict[str, str | Path] = {}
    for path in paths:
        real = os.path.realpath(path)
        if real in found:
            _log.warning("%s is named twice: it votes once", path)
        found.setdefault(real, path)
    return list(found.values())


def _names(paths: Sequence[str | Path]) -> list[str]:
    """What the runs are called: the files' names, with their folders where two are named alike."""
    stems = [Path(path).stem for path in paths]
    return [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths, strict=True)]


def _check_questions(run: Run, others: Iterable[Run]) -> None:
    for other in others:
        for id in run.rows.keys() & other.rows.keys():
            if not _alike(run.rows[id]["question"], other.rows[id]["question"]):
                raise TableError(
                    f"{run.name} and {other.name} ask different questions under id {storable(id)}: "
                    "give runs of the same questions"
                )


def _alike(one: str, other: str) -> bool:
    """Whether two texts ask the same; nothing speaks against it where one is left out."""
    words, others = (" ".join(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return not words or not others or words == others or fuzz.token_sort_ratio(words, others) >= ALIKE

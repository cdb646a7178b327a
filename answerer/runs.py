"""Several runs over a CSV's questions in the making, and the submission that they make together.

Each run is a submission of its own, in a folder beside the CSV (`OUT.csv.runs/1.csv`, …) with a journal of its own:
what is paid for outlasts a kill, later runs go on from it, and `kohaku vote` can make other votes of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from answerer.answer import Question
from answerer.ballots import ballots
from answerer.ensemble import Ensemble, Run, ensemble, write_confidence
from answerer.submission import COLUMNS, Row, Submission, earlier_rows, taken
from answerer.takes import Take, next_takes
from answerer.vote import Rules
from kohaku.errors import TableError
from kohaku.tables import check_target, write_rows


class Runs:
    """Runs in the making; use it as a context manager, which writes all CSVs whatever ends it."""

    def __init__(
        self,
        out: str | Path,
        questions: Sequence[Question],
        takes: Sequence[Take],
        rules: Rules,
        *,
        restart: bool = False,
        confidence: str | Path | None = None,
    ) -> None:
        """Takes up the rows of earlier runs, or with `restart` discards them.

        Raises TableError where a path can't be written to, or holds a CSV that is no submission.
        """
        self.out, self.questions, self.takes, self.rules = Path(out), tuple(questions), tuple(takes), rules
        self.confidence = confidence
        self.failed: set[tuple[str, int]] = set()
        earlier_rows(out)
        if confidence is not None:
            check_target(confidence)
        folder = folder_of(out)
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise TableError(f"{folder} can't be made ({error.strerror or error}): give --out another path") from None
        os.close(taken(folder, self.out))
        self._lock: int | None = None
        if restart:  # those of further readings too, which this run may not make
            for old in folder.glob("[0-9]*.csv*"):
                old.unlink(missing_ok=True)
        self._runs = [Submission(folder / f"{take.number + 1}.csv", questions, restart=restart) for take in takes]

    def rows(self, question: Question) -> dict[int, Row]:
        """What the runs have on a question, by the reading's number."""
        return {n: dict(run.rows[question.id]) for n, run in enumerate(self._runs) if question.id in run.rows}

    def due(self, question: Question) -> list[int]:
        """The readings of a question that are to be made now; what failed is not, until `forgive`."""
        rows = self.rows(question)
        tried = rows.keys() | {number for id, number in self.failed if id == question.id}
        return next_takes(ballots(rows), tried, len(self.takes), self.rules)

    def add(self, number: int, row: Row) -> None:
        """Takes a reading's row; when this returns, it outlasts a kill."""
        self._runs[number].add(row)

    def fail(self, question: Question, number: int) -> None:
        """Notes that a reading failed."""
        self.failed.add((question.id, number))

    def forgive(self) -> None:
        """Lets what failed be tried again."""
        self.failed.clear()

    def together(self) -> Ensemble:
        """The vote on all questions that have a reading, in order; runs of one model are trusted alike."""
        named = [
            Run(str(take.number + 1), self._ordered(run)) for take, run in zip(self.takes, self._runs, strict=True)
        ]
        made = ensemble(named, self.rules, {take.number: take.model for take in self.takes})
        place = {question.id: n for n, question in enumerate(self.questions)}
        voted = tuple(sorted(made.voted, key=lambda one: place[one.row["id"]]))
        return Ensemble(made.runs, made.trusted, voted)

    def write(self) -> None:
        """Writes the submission, and how far the readings agree where a file is named for that."""
        made = self.together()
        write_rows(self.out, COLUMNS, [one.row for one in made.voted])
        if self.confidence is not None:
            write_confidence(self.confidence, made)

    def __enter__(self) -> Self:
        self._lock = taken(folder_of(self.out), self.out)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with ExitStack() as stack:  # each is written whatever becomes of the others
            if self._lock is not None:
                stack.callback(os.close, self._lock)
            stack.callback(self.write)
            for run in self._runs:
                stack.callback(run.close)

    def _ordered(self, run: Submission) -> Mapping[str, Row]:
        return {question.id: run.rows[question.id] for question in self.questions if question.id in run.rows}


def folder_of(out: str | Path) -> Path:
    """Where the runs behind a submission lie.

    >>> str(folder_of("a/out.csv"))
    'a/out.csv.runs'
    """
    return Path(out).with_name(Path(out).name + ".runs")

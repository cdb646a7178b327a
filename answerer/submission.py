"""Questions in, a submission out, and a run that goes on where it was killed.

Every finished row is at once appended to a journal beside the CSV (`OUT.partial.jsonl`); the CSV itself is written
whole, in the questions' order, when the run ends, is interrupted or fails, and the journal goes.

The next run keeps the whole rows of both whose id, question and unit are those of a question asked now; a row that a
full disk or a broken transfer cut is asked again. What answered them does not matter: a run that failed on a few rows
may go on with another model. Restart to ask all again.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from answerer.answer import Answer, Citation, Question
from answerer.references import write_references
from answerer.units import unit_asked
from answerer.values import BLANK, number, pair
from kohaku.errors import TableError
from kohaku.locks import hold
from kohaku.tables import check_target, check_unique, read_rows, read_whole_rows, write_rows
from kohaku.text import storable

log = logging.getLogger("kohaku")

COLUMNS = (
    "id",
    "question",
    "answer",
    "answer_value",
    "answer_unit",
    "ref_id",
    "ref_url",
    "supporting_materials",
    "explanation",
)
UNANSWERED = "Unable to answer with confidence based on the provided documents."
SURE_COLUMNS = ("id", "confidence", "grounding", "answer_value")
SURE = "sure"  # in the journal, beside the row's columns
JOURNAL = ".partial.jsonl"

Row = dict[str, str]


def read_questions(path: str | Path) -> list[Question]:
    """The questions of a CSV with at least id and question; raises TableError where an id is empty or stands twice."""
    rows = read_rows(path, ("id", "question"), COLUMNS)
    check_unique(rows, "id", path)
    asked = [_question(row) for row in rows]
    if empty := [question.id for question in asked if not question.text]:
        log.warning("%d of %d questions in %s ask nothing: %s", len(empty), len(asked), path, ", ".join(empty[:5]))
    return asked


def row(answer: Answer, documents: Mapping[str, Mapping[str, str]]) -> Row:
    """An answer as the submission's columns; `documents` holds the metadata of each by id."""
    question = answer.question
    fields = {"id": question.id, "question": question.text, "answer_unit": question.unit or BLANK}
    if answer.is_blank:
        fields |= {"answer": UNANSWERED, "explanation": harmless(answer.explanation)}
    else:
        urls = [documents.get(id, {}).get("url", "") for id in answer.references]
        fields |= {
            "answer": harmless(answer.text),
            "answer_value": harmless_value(answer.value),
            "ref_id": write_references(answer.references),
            "ref_url": write_references([url for url in urls if url not in ("", BLANK)]),
            "supporting_materials": harmless(" ".join(map(_quoted, answer.citations))),
            "explanation": harmless(answer.explanation),
        }
    return {column: fields.get(column) or BLANK for column in COLUMNS}


def sure(answer: Answer) -> Row:
    """How sure an answer is, as the columns of the second CSV."""
    how = answer.grounding.how.value if answer.grounding else BLANK
    value = BLANK if answer.is_blank else harmless_value(answer.value)
    return {"id": answer.question.id, "confidence": f"{answer.confidence:.4f}", "grounding": how, "answer_value": value}


def unsure(row: Row) -> Row:
    """The same of a row that an earlier run wrote without saying how sure it was."""
    return {"id": row["id"], "confidence": BLANK, "grounding": BLANK, "answer_value": row["answer_value"]}


def harmless(text: str) -> str:
    """A text that no spreadsheet runs as a formula: an apostrophe before = + - @, unless it is a number.

    >>> harmless("=1+1"), harmless("-5"), harmless("5 - 3")
    ("'=1+1", '-5', '5 - 3')
    """
    text = storable(text).strip()
    starts = text.lstrip("\ufeff \t\r\n")[:1]
    return f"'{text}" if starts and starts in "=+-@" and number(text) is None else text


def harmless_value(text: str) -> str:
    """A value likewise, but one that could run nothing is left as it is, since it is compared letter by letter.

    >>> harmless_value("-5"), harmless_value("@home"), harmless_value("=HYPERLINK(1)")
    ('-5', '@home', "'=HYPERLINK(1)")
    """
    text = storable(text).strip()
    runs = any(sign in text for sign in "(|!") or text.lstrip("\ufeff").startswith("=")
    return harmless(text) if runs and pair(text) is None else text


def earlier_rows(path: str | Path) -> list[Row]:
    """The whole rows of a submission that is to be written anew, none where there is no file.

    Raises TableError where the path can't be written to, or holds a CSV that is no submission.
    """
    check_target(path)
    path = Path(path)
    return read_whole_rows(path, COLUMNS) if path.is_file() and path.stat().st_size else []


def taken(place: Path, out: Path) -> int:
    """The lock on what a run into `out` writes meanwhile, until it is closed; TableError where another run has it."""
    try:
        return hold(place, wait=False)
    except BlockingIOError:
        raise TableError(f"another run is writing {out}: wait for it, or give another --out") from None


class Submission:
    """A submission CSV in the making; use it as a context manager, which writes the CSV whatever ends the run."""

    def __init__(
        self,
        path: str | Path,
        questions: Sequence[Question],
        *,
        restart: bool = False,
        confidence: str | Path | None = None,
    ) -> None:
        """Takes up the finished rows of earlier runs, or with `restart` discards them.

        `confidence` is a second CSV, of how sure each answer is. Raises TableError where a path can't be written, or
        holds a CSV of another kind.
        """
        self.path = Path(path)
        self.confidence = Path(confidence) if confidence is not None else None
        self._sure: dict[str, Row] = {}
        self.questions = tuple(questions)
        self._rows: dict[str, Row] = {}
        if confidence is not None:
            check_target(confidence)
        earlier = earlier_rows(path)
        self._append("")  # a place that can't be written is known before any question is asked
        os.close(taken(self._journal_path, self.path))
        self._lock: int | None = None
        if restart:  # the old rows go now: a run that restarts and is killed must not take them up again
            self.path.unlink(missing_ok=True)
            os.truncate(self._journal_path, 0)
            if self.confidence is not None:
                self.confidence.unlink(missing_ok=True)
        else:
            self._take_up(earlier)
        self._append("\n")  # whatever a kill left half written ends here: empty lines are passed over

    @property
    def rows(self) -> Mapping[str, Row]:
        """The finished rows by question id."""
        return self._rows

    @property
    def waiting(self) -> list[Question]:
        """The questions that have no finished row yet, in order."""
        return [question for question in self.questions if question.id not in self._rows]

    def add(self, row: Row, sure: Row | None = None) -> None:
        """Takes a finished row, and how sure it is; when this returns, it outlasts a kill of the process or machine."""
        row = {column: storable(row[column]) for column in COLUMNS}
        self._rows[row["id"]] = row  # first: an interrupt between the two would leave the row out of the CSV
        self._sure.pop(row["id"], None)
        if sure is not None:
            self._sure[row["id"]] = sure
        self._append(json.dumps({**row, SURE: sure} if sure else row) + "\n")

    def write(self) -> None:
        """Writes the CSV: the finished rows in the questions' order, each once; and how sure they are."""
        finished = [question.id for question in self.questions if question.id in self._rows]
        write_rows(self.path, COLUMNS, [self._rows[id] for id in finished])
        if self.confidence is not None:
            write_rows(self.confidence, SURE_COLUMNS, [self._sure.get(id) or unsure(self._rows[id]) for id in finished])

    def close(self) -> None:
        """Writes the CSV, after which the journal has nothing more to tell."""
        try:
            self.write()
            self._journal_path.unlink(missing_ok=True)
        finally:
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    def __enter__(self) -> Self:
        self._lock = taken(self._journal_path, self.path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _journal_path(self) -> Path:
        return self.path.with_name(self.path.name + JOURNAL)

    def _earlier_sure(self) -> list[Row]:
        path = self.confidence
        there = path is not None and path.is_file() and path.stat().st_size
        return read_whole_rows(path, SURE_COLUMNS) if path is not None and there else []

    def _take_up(self, earlier: Sequence[Row]) -> None:
        asked = {question.id: _asked(question.text, question.unit) for question in self.questions}
        known = {row["id"]: {name: row[name] for name in SURE_COLUMNS} for row in self._earlier_sure()}
        for row in (*earlier, *_journal_rows(self._journal_path)):
            if asked.get(row["id"]) == _asked(row["question"], row["answer_unit"]):
                self._rows[row["id"]] = {column: row[column] for column in COLUMNS}
                sure = row.get(SURE) or known.get(row["id"])
                if isinstance(sure, dict) and sure.keys() == set(SURE_COLUMNS) and sure["confidence"] != BLANK:
                    self._sure[row["id"]] = {name: str(text) for name, text in sure.items()}
        unknown = len(self._rows.keys() - self._sure.keys())
        if self.confidence is not None and unknown:
            log.warning(
                "how sure %d rows of an earlier run are is not known, since it was not asked for: "
                "--restart asks all anew",
                unknown,
            )

    def _append(self, line: str) -> None:
        try:
            with self._journal_path.open("a", encoding="utf-8", newline="\n") as journal:
                journal.write(line)
                journal.flush()
                os.fsync(journal.fileno())
        except (OSError, ValueError) as error:
            raise TableError(
                f"{self.path} can't be written ({getattr(error, 'strerror', None) or error}): "
                "make room, or give another path"
            ) from None


def _question(row: Mapping[str, str]) -> Question:
    row = {name: storable(text) for name, text in row.items()}
    unit = row.get("answer_unit", "").strip()
    return Question(row["id"].strip(), row["question"].strip(), "" if unit_asked(unit) is None else unit)


def _quoted(citation: Citation) -> str:
    """A quote with its document and pages: “…” (paper, p. 3-4)."""
    first, last = citation.pages or (0, 0)
    pages = f", p. {first}" if first == last else f", p. {first}-{last}"
    words = " ".join(citation.quote.split())
    return f"“{words}” ({citation.document}{pages if citation.pages else ''})"


def _asked(question: str, unit: str) -> tuple[str, str]:
    """What makes a question the same as that of an earlier run, as a file can hold it."""
    return " ".join(storable(question).split()), "" if unit == BLANK else storable(unit)


def _journal_rows(path: Path) -> list[Row]:
    """The whole rows of a journal; a line that a kill cut off is passed over."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TableError(
            f"{path} can't be read ({error.strerror or error}): make it readable, or give --restart"
        ) from None
    found = (_line(line) for line in lines)
    return [row for row in found if row is not None]


def _line(line: str) -> Row | None:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(row, dict) and all(isinstance(row.get(column), str) for column in COLUMNS)
    return row if whole else None

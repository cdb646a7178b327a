"""The contest's metric: 0.75 × value + 0.15 × references + 0.10 × blank handling, a question, then the mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from answerer.references import read_references
from answerer.submission import COLUMNS
from answerer.values import BLANK, number, pair
from kohaku.tables import check_unique, read_rows

VALUE_WEIGHT, REFERENCE_WEIGHT, BLANK_WEIGHT = 0.75, 0.15, 0.10
TOLERANCE = Decimal("0.001")
"""How far a number may be from the truth, as a share of the truth."""

Row = Mapping[str, str]
Figures = dict[str, float | int]


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """What a prediction earned on one question, each part from 0 to 1."""

    id: str
    value: float
    ref: float
    na: float
    missing: bool = False

    @property
    def score(self) -> float:
        """The three parts in their weights."""
        return VALUE_WEIGHT * self.value + REFERENCE_WEIGHT * self.ref + BLANK_WEIGHT * self.na


@dataclass(frozen=True, slots=True)
class Score:
    """What a submission earned; `unknown` are its ids that the truth does not have, which earn nothing."""

    questions: tuple[QuestionScore, ...]
    unknown: tuple[str, ...] = ()

    def summary(self) -> Figures:
        """The means: score, value, ref, na, with n, the number of questions, and how many were missing."""
        return figures(self.questions)


def figures(questions: Collection[QuestionScore]) -> Figures:
    """The means over questions: score, value, ref, na, with n, their number, and how many were missing."""
    return {
        "score": _mean(question.score for question in questions),
        "value": _mean(question.value for question in questions),
        "ref": _mean(question.ref for question in questions),
        "na": _mean(question.na for question in questions),
        "n": len(questions),
        "missing": sum(question.missing for question in questions),
    }


def score(truth: Iterable[Row], predicted: Iterable[Row]) -> Score:
    """The score of predicted rows, matched to the truth's by id; a row that is missing earns 0 in all three parts."""
    rows = {row["id"].strip(): row for row in predicted}
    truths = list(truth)
    known = {row["id"].strip() for row in truths}
    return Score(
        tuple(question_score(row, rows.get(row["id"].strip())) for row in truths),
        tuple(id for id in rows if id not in known),
    )


def score_files(truth: str | Path, predicted: str | Path) -> Score:
    """The score of a submission CSV; raises TableError where a file can't be used or has an id twice."""
    return score(read_answers(truth), read_answers(predicted))


def read_answers(path: str | Path, columns: Sequence[str] = ("answer_value", "ref_id")) -> list[dict[str, str]]:
    """The rows of a truth or a submission; raises TableError where a column is lacking or an id stands twice."""
    rows = read_rows(path, ("id", *columns), COLUMNS)
    check_unique(rows, "id", path)
    return rows


def same_value(truth: str, predicted: str) -> bool:
    """Whether a value is the true one: numbers and both ends of ranges within 0.1 % of the truth, texts by letters.

    A number never equals a text, so "True" is not 1; a blank equals only a blank.
    """
    if no_value(truth) or no_value(predicted):
        return no_value(truth) and no_value(predicted)
    one, other = number(truth), number(predicted)
    if one is not None or other is not None:
        return one is not None and other is not None and is_near(one, other)
    ends, others = pair(truth), pair(predicted)
    if ends is not None or others is not None:
        return ends is not None and others is not None and all(map(is_near, ends, others))
    return _folded(truth) == _folded(predicted)


def is_near(truth: Decimal, predicted: Decimal) -> bool:
    """Whether a number is the true one as far as the contest can tell."""
    return abs(predicted - truth) <= TOLERANCE * abs(truth)


def jaccard(truth: Iterable[str], predicted: Iterable[str]) -> float:
    """The share of ids in common among all ids, by letters whatever their case; 1 where both have none."""
    one, other = {id.casefold() for id in truth}, {id.casefold() for id in predicted}
    return len(one & other) / len(one | other) if one | other else 1.0


def no_value(text: str) -> bool:
    """Whether a field holds nothing, or the word for it."""
    return _folded(text) in ("", BLANK)


def question_score(truth: Row, predicted: Row | None) -> QuestionScore:
    """What a row earns on its question; nothing where it is missing."""
    if predicted is None:
        return QuestionScore(truth["id"], 0.0, 0.0, 0.0, missing=True)
    references = read_references(predicted["ref_id"])
    answerable = not no_value(truth["answer_value"])
    return QuestionScore(
        truth["id"],
        float(same_value(truth["answer_value"], predicted["answer_value"])),
        jaccard(read_references(truth["ref_id"]), references),
        float(answerable or (no_value(predicted["answer_value"]) and not references)),
    )


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _mean(parts: Iterable[float]) -> float:
    values = list(parts)
    return sum(values) / len(values) if values else 0.0

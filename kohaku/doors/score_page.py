"""A scoring as one HTML file: every question with its evidence and the truth side by side, sorted by kind of error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from answerer.calibration import Calibration
from answerer.diagnosis import RULES, by_error, by_type
from answerer.references import read_references
from answerer.score import Row, no_value
from kohaku.doors.page import page
from kohaku.doors.scoring import Scoring, brief

RIGHT = "right"  # the kind of the rows that lost nothing


@dataclass(frozen=True, slots=True)
class Said:
    """What a row says, field by field; "" where it says nothing."""

    value: str
    answer: str
    references: tuple[str, ...]
    evidence: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Card:
    """A question as it is shown: `kind` is its error's name in lower case, or `right`; `figures` are name and score."""

    id: str
    question: str
    kind: str
    error: str
    tags: tuple[str, ...]
    figures: tuple[tuple[str, float], ...]
    score: float
    truth: Said
    predicted: Said | None


def score_page(scoring: Scoring) -> str:
    """The HTML of a scoring; what the files say is shown as text whatever it holds."""
    errors = by_error(scoring.diagnoses)
    return page(
        "score_page",
        names=scoring.names,
        figures=_figures(scoring),
        types=by_type(scoring.diagnoses),
        errors=[(error.name.lower(), error.value, count, lost) for error, (count, lost) in errors.items()],
        rules=[(error.value, rule) for error, rule in RULES.items()],
        wrong=sum(one.error is not None for one in scoring.diagnoses),
        total=len(scoring.diagnoses),
        cards=_cards(scoring),
        unknown=scoring.score.unknown,
        comparison=scoring.comparison,
        changes=_changes(scoring),
        worth=scoring.calibration,
        curve=_curve(scoring.calibration) if scoring.calibration else "",
    )


def _curve(worth: Calibration) -> str:
    """Risk against coverage as the corners of a line in a square of 100, its origin below on the left.

    Up to the first corner the risk is that of the surest answers.
    """
    points = [(point.coverage, point.risk) for point in worth.curve]
    corners = [(0.0, points[0][1]), *points] if points else []
    return " ".join(f"{100 * coverage:.2f},{100 - 100 * risk:.2f}" for coverage, risk in corners)


def _figures(scoring: Scoring) -> list[tuple[str, str]]:
    names = {"score": "score", "value": "value", "ref": "references", "na": "blanks", "missing": "rows missing"}
    found = scoring.score.summary()
    told = [(label, _figure(found[name])) for name, label in names.items() if name != "missing" or found[name]]
    long = scoring.long.summary() if scoring.long else {}
    names = {"rouge_l": "ROUGE-L", "bert_score": "BERTScore"}
    return told + [(label, _figure(long[name])) for name, label in names.items() if name in long]


def _figure(value: float | int) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _cards(scoring: Scoring) -> list[Card]:
    long = {one.id: one for one in scoring.long.answers} if scoring.long else {}
    cards = []
    for one in scoring.diagnoses:
        earned = one.score
        figures = [("value", earned.value), ("references", earned.ref), ("blank", earned.na)]
        if earned.id in long:
            figures.append(("ROUGE-L", long[earned.id].rouge_l))
            like = long[earned.id].bert_score
            figures += [] if like is None else [("BERTScore", like)]
        cards.append(
            Card(
                earned.id,
                one.truth.get("question", ""),
                one.error.name.lower() if one.error else RIGHT,
                one.error.value if one.error else RIGHT,
                (one.form.value, *(source.value for source in one.sources)),
                tuple(figures),
                earned.score,
                _said(one.truth),
                None if one.predicted is None else _said(one.predicted),
            )
        )
    return cards


def _said(row: Row) -> Said:
    fields = {name: "" if no_value(row.get(name, "")) else row.get(name, "") for name in _FIELDS}
    unit = fields["answer_unit"]
    value = fields["answer_value"]
    return Said(
        f"{value} {unit}".strip() if value else "",
        fields["answer"],
        read_references(row["ref_id"]),
        fields["supporting_materials"],
        fields["explanation"],
    )


_FIELDS = ("answer_value", "answer_unit", "answer", "supporting_materials", "explanation")


def _changes(scoring: Scoring) -> list[tuple[str, list[dict[str, Any]]]]:
    """The kinds of changes against the other file, each with its questions."""
    if scoring.comparison is None:
        return []
    kinds = {
        "gained": scoring.comparison.gained,
        "lost": scoring.comparison.lost,
        "otherwise, for the same points": scoring.comparison.changed,
    }
    asked = {one.score.id: one.truth.get("question", "") for one in scoring.diagnoses}
    return [
        (
            kind,
            [
                {
                    "id": change.id,
                    "question": asked.get(change.id, ""),
                    "was": brief(change.was) if change.was else "(no row)",
                    "now": brief(change.now) if change.now else "(no row)",
                    "gain": change.gain,
                }
                for change in changes
            ],
        )
        for kind, changes in kinds.items()
        if changes
    ]

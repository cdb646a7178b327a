"""Two submissions on the same questions: which rows changed, and whether the difference is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from answerer.bootstrap import Difference, difference, draws
from answerer.references import read_references
from answerer.score import QuestionScore, Row, no_value, same_value, score


@dataclass(frozen=True, slots=True)
class Change:
    """A question on which two submissions differ: what the second said and earned, and what the first does."""

    id: str
    before: QuestionScore
    after: QuestionScore
    was: Row | None
    now: Row | None

    @property
    def gain(self) -> float:
        """By how much the first earns more than the second."""
        return self.after.score - self.before.score


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a submission stands against another; each kind of change the greatest first.

    `changed` are questions answered otherwise that earn the same.
    """

    before: float
    after: float
    difference: Difference
    gained: tuple[Change, ...]
    lost: tuple[Change, ...]
    changed: tuple[Change, ...]
    same: int


def compare(truth: Sequence[Row], predicted: Sequence[Row], against: Sequence[Row]) -> Comparison:
    """How predicted rows stand against others, question by question of the truth, of which there is one at least."""
    now, was = ({row["id"].strip(): row for row in rows} for rows in (predicted, against))
    scored, earlier = score(truth, predicted), score(truth, against)
    after, before = scored.questions, earlier.questions
    changes = [
        Change(one.id, other, one, was.get(one.id.strip()), now.get(one.id.strip()))
        for one, other in zip(after, before, strict=True)
    ]
    one, other = (np.array([[question.score for question in questions]]) for questions in (after, before))
    drawn, drawn_other = draws([one, other])
    moved = sorted((change for change in changes if change.gain), key=lambda change: -abs(change.gain))
    return Comparison(
        float(earlier.summary()["score"]),  # not NumPy's mean: the last digit must be that which is told elsewhere
        float(scored.summary()["score"]),
        difference(one, other, drawn, drawn_other),
        tuple(change for change in moved if change.gain > 0),
        tuple(change for change in moved if change.gain < 0),
        tuple(change for change in changes if not change.gain and not _is_same(change.was, change.now)),
        sum(not change.gain and _is_same(change.was, change.now) for change in changes),
    )


def _is_same(one: Row | None, other: Row | None) -> bool:
    """Whether two rows say the same: their values and what they refer to."""
    if one is None or other is None:
        return one is other
    values = one["answer_value"], other["answer_value"]
    return (same_value(*values) or all(map(no_value, values))) and (
        {id.casefold() for id in read_references(one["ref_id"])}
        == {id.casefold() for id in read_references(other["ref_id"])}
    )

"""How well confidences tell right answers from wrong ones: risk against coverage, and calibration error.

The risk-coverage curve is El-Yaniv & Wiener's (2010, JMLR 11), for confidences as in Geifman & El-Yaniv (2017).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from answerer.score import Row, no_value, same_value
from answerer.values import BLANK
from kohaku.errors import TableError
from kohaku.tables import check_unique, read_rows

BINS = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer that was given: how sure it was, and whether it is right."""

    id: str
    confidence: float
    right: bool


@dataclass(frozen=True, slots=True)
class Point:
    """Where only answers of at least a confidence are given: the share given, and the share of these that is wrong."""

    confidence: float
    coverage: float
    risk: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of like confidence: how many, how sure they were on average, how many of them are right."""

    low: float
    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """What confidences were worth.

    `curve` is risk against coverage, the surest answers first; `aurc` the area under it, the mean risk over all
    coverages (Geifman, Uziel & El-Yaniv 2019); `best` what it would be were all right answers the surest. `auroc` is
    how often a right answer is surer than a wrong one, equals counting half, None without both. `ece` is the expected
    calibration error over ten bins of equal width (Naeini et al. 2015).
    """

    answered: int
    asked: int
    right: int
    curve: tuple[Point, ...]
    bins: tuple[Bin, ...]
    aurc: float
    best: float
    auroc: float | None
    ece: float


def calibration(judged: Iterable[Judged], asked: int) -> Calibration:
    """The worth of the confidences of some answers among so many questions; the unanswered count in no risk.

    >>> found = calibration([Judged("a", 0.9, True), Judged("b", 0.4, False)], 3)
    >>> [(point.coverage, point.risk) for point in found.curve], found.aurc, found.auroc, round(found.ece, 2)
    ([(0.5, 0.0), (1.0, 0.5)], 0.25, 1.0, 0.25)
    """
    ordered = sorted(judged, key=lambda one: (-one.confidence, one.id))
    right = sum(one.right for one in ordered)
    bins = _bins(ordered)
    ece = sum(part.count * abs(part.confidence - part.accuracy) for part in bins) / len(ordered) if ordered else 0.0
    return Calibration(
        answered=len(ordered),
        asked=asked,
        right=right,
        curve=_curve(ordered),
        bins=bins,
        aurc=_area([(one.confidence, one.right) for one in ordered]),
        best=_area([(float(number < right), number < right) for number in range(len(ordered))]),
        auroc=_auroc(ordered),
        ece=ece,
    )


def judged(truth: Iterable[Row], predicted: Iterable[Row], confidences: Mapping[str, float]) -> list[Judged]:
    """The answers of a submission that are no abstentions, each with its confidence, 0 where it has none."""
    truths = {row["id"].strip(): row["answer_value"] for row in truth}
    return [
        Judged(id, confidences.get(id, 0.0), same_value(truths[id], row["answer_value"]))
        for row in predicted
        if (id := row["id"].strip()) in truths and not no_value(row["answer_value"])
    ]


def calibration_of_files(truth: str | Path, predicted: str | Path, confidence: str | Path) -> Calibration:
    """The same from CSVs; raises TableError where one can't be used, or a confidence is no number from 0 to 1."""
    rows = read_rows(truth, ("id", "answer_value"))
    sure = read_rows(confidence, ("id", "confidence"))
    check_unique(sure, "id", confidence)
    known = [row for row in sure if row["confidence"].strip() != BLANK]  # else an earlier run did not tell
    confidences = {row["id"].strip(): _number(row["confidence"], confidence) for row in known}
    given = judged(rows, read_rows(predicted, ("id", "answer_value")), confidences)
    if not confidences.keys() & {one.id for one in given}:
        raise TableError(f"{confidence} has no row for any answer of {predicted}: give the file of the same run")
    return calibration(given, len(rows))


def _number(text: str, path: str | Path) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise TableError(f"{path}: the confidence {text!r} is no number from 0 to 1: give what --confidence wrote")
    return value


def _curve(ordered: Sequence[Judged]) -> tuple[Point, ...]:
    """A point for each distinct confidence: those who are equally sure answer together."""
    points: list[Point] = []
    wrong = 0
    for number, one in enumerate(ordered, start=1):
        wrong += not one.right
        if number == len(ordered) or ordered[number].confidence != one.confidence:
            points.append(Point(one.confidence, number / len(ordered), wrong / number))
    return tuple(points)


def _area(ordered: Sequence[tuple[float, bool]]) -> float:
    """The mean risk over all coverages; those who are equally sure come in any order, so their errors are shared."""
    wrong, number, total = 0.0, 0, 0.0
    for _, group in groupby(ordered, key=lambda one: one[0]):
        right = [one[1] for one in group]
        share = right.count(False) / len(right)
        total += sum((wrong + share * nth) / (number + nth) for nth in range(1, len(right) + 1))
        wrong += right.count(False)
        number += len(right)
    return total / number if number else 0.0


def _auroc(ordered: Sequence[Judged]) -> float | None:
    sure = [one.confidence for one in ordered if one.right]
    unsure = [one.confidence for one in ordered if not one.right]
    if not sure or not unsure:
        return None
    return sum((one > other) + (one == other) / 2 for one in sure for other in unsure) / (len(sure) * len(unsure))


def _bins(ordered: Sequence[Judged]) -> tuple[Bin, ...]:
    found = []
    for number in range(BINS):
        held = [one for one in ordered if min(int(one.confidence * BINS), BINS - 1) == number]
        if held:
            mean = sum(one.confidence for one in held) / len(held)
            found.append(Bin(number / BINS, len(held), mean, sum(one.right for one in held) / len(held)))
    return tuple(found)

"""Intervals and differences of means over questions and runs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from answerer.bootstrap import difference, draws, holm, interval
from answerer.comparison import compare
from answerer.score import score


def table(*runs: list[float]) -> NDArray[np.float64]:
    return np.array(runs, dtype=np.float64)


def test_an_interval_is_as_wide_as_the_mean_of_so_many_questions_is_uncertain() -> None:
    scores = np.random.default_rng(1).random((1, 400))
    found = interval(scores, draws([scores])[0])
    error = scores.std() / 400**0.5
    assert found.mean == pytest.approx(scores.mean())
    assert (found.low, found.high) == pytest.approx((found.mean - 1.96 * error, found.mean + 1.96 * error), abs=0.004)


def test_questions_are_drawn_in_pairs_so_that_a_steady_gain_is_sure() -> None:
    other = np.random.default_rng(1).random((1, 50)) * 0.9
    one = other + 0.05
    found = difference(one, other, *draws([one, other]))
    assert (found.low, found.high) == pytest.approx((0.05, 0.05))
    assert found.p < 0.001


def test_what_is_the_same_differs_by_nothing_for_sure() -> None:
    scores = table([0, 1, 0.5])
    found = difference(scores, scores, *draws([scores, scores]))
    assert (found.mean, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_runs_that_differ_widen_the_interval_beyond_that_of_their_mean() -> None:
    apart, alike = table([1.0] * 50, [0.0] * 50, [0.5] * 50), table([0.5] * 50)
    found = interval(apart, draws([apart, alike])[0])
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, 0.0, 1.0))
    assert interval(alike, draws([alike])[0]).low == pytest.approx(0.5)


def test_a_true_null_is_rarely_called_a_difference() -> None:
    random = np.random.default_rng(3)
    called = 0
    for _ in range(40):
        one, other = (random.integers(0, 2, (3, 60)).astype(np.float64) for _ in range(2))
        called += difference(one, other, *draws([one, other])).p < 0.05
    assert called <= 5


def test_many_comparisons_are_held_to_more() -> None:
    assert holm([0.5, 0.01, 0.02]) == [0.5, 0.03, 0.04]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def row(id: str, value: str, refs: str = "['a']") -> dict[str, str]:
    return {"id": id, "answer_value": value, "ref_id": refs}


def test_two_submissions_are_compared_question_by_question() -> None:
    truth = [row("1", "5"), row("2", "6"), row("3", "7"), row("4", "8"), row("5", "9")]
    before = [row("1", "4"), row("2", "6"), row("3", "1"), row("4", "8.0", "['A']"), row("5", "9", "a")]
    after = [row("1", "5"), row("2", "6", "['b']"), row("3", "2"), row("4", "8"), row("5", "9")]
    found = compare(truth, after, before)
    assert [(one.id, round(one.gain, 6)) for one in (*found.gained, *found.lost)] == [("1", 0.75), ("2", -0.15)]
    assert [one.id for one in found.changed] == ["3"]
    assert found.same == 2
    assert found.after - found.before == pytest.approx(found.difference.mean) == pytest.approx(0.12)
    assert found.difference.low < 0 < found.difference.high and found.difference.p > 0.05


def test_a_row_that_is_missing_in_one_submission_is_a_change() -> None:
    found = compare([row("1", "5"), row("2", "6")], [row("1", "5")], [row("2", "6")])
    assert [one.now for one in found.lost] == [None] and [one.was for one in found.gained] == [None]
    assert found.same == 0


def test_a_comparison_tells_the_scores_to_the_digit_as_they_are_told_alone() -> None:
    truth = [row(str(number), "1", "['a','b','c']") for number in range(40)]
    right = ["['a']" if number % 3 else "['a','b','c']" for number in range(40)]
    made = [row(str(number), "1" if number < 19 else "2", refs) for number, refs in enumerate(right)]
    found = compare(truth, made, truth)
    assert (found.after, found.before) == (score(truth, made).summary()["score"], 1.0)

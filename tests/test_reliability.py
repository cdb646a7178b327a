from __future__ import annotations

import random

import pytest

from answerer.reliability import LEAST, SUREST, reliabilities, weight


def answered(rates: list[float], questions: int, wrong: int = 20, seed: int = 1) -> list[dict[int, int]]:
    """What runs that are right so often say: class 0 is right."""
    dice = random.Random(seed)
    return [
        {run: 0 if dice.random() < rate else dice.randint(1, wrong) for run, rate in enumerate(rates)}
        for _ in range(questions)
    ]


def test_the_better_run_is_trusted_more_without_any_right_answer() -> None:
    rates = [0.9, 0.8, 0.6, 0.4, 0.2]
    found = reliabilities(answered(rates, 300))
    assert [found[run] for run in range(5)] == pytest.approx(rates, abs=0.07)


def test_the_order_of_runs_and_questions_changes_no_digit() -> None:
    questions = answered([0.9, 0.7, 0.5], 40)
    turned = [dict(reversed(one.items())) for one in reversed(questions)]
    assert reliabilities(questions) == reliabilities(turned)


def test_runs_that_share_no_answered_question_teach_nothing() -> None:
    assert reliabilities([]) == reliabilities([{0: 1}, {1: 1}, {}]) == {}


def test_trust_stays_within_bounds_and_a_run_with_few_answers_near_the_mean() -> None:
    found = reliabilities([{0: 1, 1: 1}] * 50 + [{0: 1, 1: 1, 2: 2}])
    assert found[0] == found[1] == SUREST
    assert 0.5 < found[2] < SUREST


def test_a_vote_weighs_more_among_more_values_and_never_nothing() -> None:
    assert weight(0.8, 5) > weight(0.8, 3) > weight(0.8, 2) == weight(0.8, 1) > 0
    assert weight(0.01, 2) == LEAST

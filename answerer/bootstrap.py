"""How sure a mean over questions is, and a difference of two: by drawing questions and runs again, many times.

Every draw takes as many questions as there are, with replacement and the same for all that is compared, and of each
setting as many of its runs as it has: the pigeonhole bootstrap (Owen 2007, https://doi.org/10.1214/07-AOAS122), which
errs on the side of caution where both vary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DRAWS = 10_000
BLOCK = 1_000  # draws at once: a thousand questions would fill gigabytes otherwise
SHARE = 0.95  # of the draws that an interval holds
SEED = 7  # the same figures whenever they are asked for

Scores = NDArray[np.float64]
"""What was earned: a row a run, a column a question."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and between what 95 % of the draws lie."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more one earned than another, between what 95 % of the draws lie, and how likely that is by chance.

    `p` is two-sided: twice the share of draws on the rarer side of no difference, which counts to both.
    """

    mean: float
    low: float
    high: float
    p: float


def draws(tables: Sequence[Scores]) -> NDArray[np.float64]:
    """The means of each table over the same draws of questions, and over draws of its own runs: a row a table.

    All tables have the same questions in the same order.
    """
    random = np.random.default_rng(SEED)
    count = tables[0].shape[1]
    blocks = [_block(random, tables, count) for _ in range(DRAWS // BLOCK)]
    return np.concatenate(blocks, axis=1)


def interval(scores: Scores, drawn: NDArray[np.float64]) -> Interval:
    """The mean of a table, with the spread of its draws."""
    low, high = _ends(drawn)
    return Interval(float(scores.mean()), low, high)


def difference(one: Scores, other: Scores, drawn: NDArray[np.float64], drawn_other: NDArray[np.float64]) -> Difference:
    """How much more the first table has than the second, by draws of the same questions."""
    apart = np.round(drawn - drawn_other, 12)  # means of the same numbers differ by the order of the sum
    rarer = min((apart <= 0).sum(), (apart >= 0).sum())
    low, high = _ends(apart)
    p = min(1.0, 2 * float(rarer + 1) / (len(apart) + 1))
    return Difference(float(one.mean() - other.mean()), low, high, p)


def holm(values: Sequence[float]) -> list[float]:
    """P-values for so many comparisons at once (Holm 1979), in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(values)
    least = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        least = max(least, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = least
    return adjusted


def _block(random: np.random.Generator, tables: Sequence[Scores], count: int) -> NDArray[np.float64]:
    questions = random.multinomial(count, np.full(count, 1 / count), size=BLOCK) / count
    return np.stack([_means(random, scores, questions) for scores in tables])


def _means(random: np.random.Generator, scores: Scores, questions: NDArray[np.float64]) -> NDArray[np.float64]:
    runs = len(scores)
    weights = random.multinomial(runs, np.full(runs, 1 / runs), size=BLOCK) / runs
    means: NDArray[np.float64] = ((questions @ scores.T) * weights).sum(axis=1)
    return means


def _ends(drawn: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1 - SHARE) / 2, (1 + SHARE) / 2])
    return float(low), float(high)

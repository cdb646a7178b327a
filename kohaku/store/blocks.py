"""Exact search by meaning: blocks of vectors, each multiplied with all questions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from kohaku.store.hits import Numbers
from kohaku.tree import Vectors

Block = tuple[Numbers, Vectors]
"""Vectors of length 1, each with its number."""

DIGITS = 6  # of a cosine; further ones differ with a vector's place in its block


def nearest(blocks: Iterable[Block], questions: Vectors, limit: int) -> list[dict[int, float]]:
    """For each question the numbers of the vectors nearest to it with their cosines; of equal ones the first numbers.

    A question of zeros is near to nothing.
    """
    numbers: list[Numbers] = []
    scores: list[list[NDArray[np.float32]]] = [[] for _ in questions]
    for known, rows in blocks:
        numbers.append(known)
        for own, question in zip(scores, questions, strict=True):
            own.append(rows @ question)  # a block stays in the processor's cache: faster than one product of matrices
    if not numbers:
        return [{} for _ in questions]
    everyone = np.concatenate(numbers)
    return [
        _best(everyone, np.concatenate(own), limit) if question.any() else {}
        for own, question in zip(scores, questions, strict=True)
    ]


def _best(numbers: Numbers, scores: NDArray[np.float32], limit: int) -> dict[int, float]:
    if len(scores) > limit:
        least = np.partition(scores, -limit)[-limit] - 10.0**-DIGITS
        some = np.flatnonzero(scores >= least)
        numbers, scores = numbers[some], scores[some]
    rounded = np.round(scores.astype(np.float64), DIGITS)
    order = np.lexsort((numbers, -rounded))[:limit]
    return dict(zip(numbers[order].tolist(), rounded[order].tolist(), strict=True))

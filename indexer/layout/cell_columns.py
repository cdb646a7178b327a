"""The columns that the cells of lines below each other make, and which column a cell is in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from indexer.layout.cells import Cell
from indexer.layout.page import Rect
from indexer.layout.values import is_datum, is_value


def columns_of(rows: Sequence[Sequence[Cell]]) -> list[tuple[float, float]]:
    """The columns' left and right ends; cells over several columns don't count, narrow ones come first."""
    ends = [(rect[0], rect[2]) for row in rows if len(row) > 1 for _, rect in row]
    ends.sort(key=lambda end: end[1] - end[0])
    spans: list[list[float]] = []
    for left, right in ends:
        touched = [span for span in spans if left < span[1] + 1 and span[0] - 1 < right]
        if not touched:
            spans.append([left, right])
        elif len(touched) == 1:
            [span] = touched
            span[:] = min(span[0], left), max(span[1], right)
    return _without_twins(sorted((left, right) for left, right in spans), rows)


def _without_twins(columns: list[tuple[float, float]], rows: Sequence[Sequence[Cell]]) -> list[tuple[float, float]]:
    """Neighbours that no row fills both are one column, set to the left here and to the right there."""
    result: list[tuple[float, float]] = []
    for left, right in columns:
        if (
            result
            and left - result[-1][1] < 25
            and not any(hits(row, result[-1]) and hits(row, (left, right)) for row in rows)
        ):
            result[-1] = (result[-1][0], max(right, result[-1][1]))
        else:
            result.append((left, right))
    return result


def one_of_labels(columns: Sequence[tuple[float, float]], rows: Sequence[Sequence[Cell]]) -> list[tuple[float, float]]:
    """The columns, those of labels that are indented differently as one."""
    result = list(columns)
    while len(result) > 2:
        first, second = result[:2]
        texts = [cell.text for row in rows for cell in row if hits([cell], second)]
        if any(_fills_both(row, first, second) for row in rows if len(row) > 1) or any(map(is_datum, texts)):
            break
        result[:2] = [(first[0], max(first[1], second[1]))]
    return result


def _fills_both(row: Sequence[Cell], first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Whether a cell of the row is in the one column and another in the other: one over both is a long label."""
    return any(hits([cell], first) and hits([other], second) for cell, other in permutations(row, 2))


def hits(row: Sequence[Cell], column: tuple[float, float]) -> bool:
    """Whether a cell of the row reaches into the column."""
    left, right = column
    for _, (x0, _, x1, _) in row:  # noqa: SIM110 (any takes thrice as long)
        if x0 < right and left < x1:
            return True
    return False


def in_columns(row: Sequence[Cell], columns: Sequence[tuple[float, float]]) -> list[str]:
    """The row's texts by column: each in the column that it shares most with, else in the nearest."""
    texts = [""] * len(columns)
    for text, rect in row:
        best = nearest(rect, columns)
        if len(row) == 1 and not is_value(text):
            best = next((place for place, column in enumerate(columns) if rect.x0 < column[1]), best)
            best = 0 if rect.x0 < columns[min(1, len(columns) - 1)][0] else best
        texts[best] = f"{texts[best]} {text}" if texts[best] else text
    return texts


def nearest(rect: Rect, columns: Sequence[tuple[float, float]]) -> int:
    """The column that shares most of its width with the rectangle, else the one with the smallest gap to it."""
    x0, _, x1, _ = rect
    best, most = 0, float("-inf")
    for place, (left, right) in enumerate(columns):
        if left <= x0 and x1 <= right:
            return place
        shared = (x1 if x1 < right else right) - (x0 if x0 > left else left)  # min and max cost thrice as much
        if shared > most:
            best, most = place, shared
    return best

"""Two columns that rules of their own head, as on a journal's first page: history and keywords beside the abstract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from indexer.layout.columns import LEAST_GUTTER, PROSE, columns
from indexer.layout.lines import are_right_to_left, rows
from indexer.layout.page import Fragment, Rect, around

NARROWEST = 60.0  # points of a rule that heads a column
WIDEST_GUTTER = 60.0  # points
SAME_HEIGHT = 1.5  # points that two rules of one height may differ
HEADS = 40.0  # points above the first rules in which what names the columns may stand
LEAST_LINES = 3
CLOSE = 1.7  # times the letters' size from a line to the next of one text
FILLED = 0.85  # of the column's width


def in_columns(fragments: Sequence[Fragment], walls: Sequence[Rect], rulings: Sequence[Rect]) -> list[list[Fragment]]:
    """The fragments in groups as `columns` gives them, those of columns that rules head each by itself."""
    beside = headed_columns(fragments, rulings)
    if beside is None:
        return columns(fragments, walls)
    above, left, right, below = beside
    sides = [right, left] if are_right_to_left([part.text for part in fragments]) else [left, right]
    return [*columns(above, walls), *sides, *columns(below, walls)]


class Beside(NamedTuple):
    """What stands above two columns, in the left one, in the right one, and below them."""

    above: list[Fragment]
    left: list[Fragment]
    right: list[Fragment]
    below: list[Fragment]


def headed_columns(fragments: Sequence[Fragment], rulings: Sequence[Rect]) -> Beside | None:
    """The fragments around and in two columns, where two rules with a gap between them stand at one height over both.

    They end at the next such rules, or at a rule as wide as they together.
    """
    pairs = list(_pairs(rulings))
    for left, right in pairs:
        start, end = left.x1, right.x0
        alike = [one.y0 for one, other in pairs if one.x1 < end and other.x0 > start and one.y0 > left.y0]
        across = [rule.y0 for rule in rulings if rule.x0 < start - NARROWEST and rule.x1 > end + NARROWEST]
        ends = [*alike, *(edge for edge in across if edge > left.y0)]
        if len(alike) > 1 or not ends:  # more are the rows of a table
            continue
        crossing = [part.rect.y1 for part in fragments if part.rect.x0 < start and part.rect.x1 > end]
        top = max([left.y0 - HEADS, *(edge for edge in (*across, *crossing) if edge < left.y0)])
        foot = min(ends)
        inside = [part for part in fragments if top < part.base < foot]
        sides = [part for part in inside if part.rect.x1 <= end], [part for part in inside if part.rect.x0 >= start]
        if len(sides[0]) + len(sides[1]) == len(inside) and _are_columns(*sides, left.y0):
            above = [part for part in fragments if part.base <= top]
            return Beside(above, *sides, [part for part in fragments if part.base >= foot])
    return None


def _pairs(rulings: Sequence[Rect]) -> Iterator[tuple[Rect, Rect]]:
    """Rules of one height, two and no more, with a gap between them as wide as a gutter; from the top."""
    level = sorted((rule for rule in rulings if rule.width > rule.height), key=lambda rule: rule.y0)
    heights: list[list[Rect]] = []
    for rule in level:
        if not heights or rule.y0 - heights[-1][0].y0 > SAME_HEIGHT:
            heights.append([])
        heights[-1].append(rule)
    for alike in heights:
        if len(alike) == 2:
            left, right = sorted(alike)
            if min(left.width, right.width) >= NARROWEST and LEAST_GUTTER <= right.x0 - left.x1 <= WIDEST_GUTTER:
                yield left, right


def _are_columns(left: Sequence[Fragment], right: Sequence[Fragment], head: float) -> bool:
    """Whether text runs on in both of them, and fills the lines of the wider one: no cells of a table."""
    sides = [[part for part in side if part.base > head] for side in (left, right)]
    if not all(sides):
        return False
    narrow, wide = sorted(sides, key=lambda side: around(part.rect for part in side).width)
    return _runs_on(narrow) and _runs_on(wide) and _is_filled(wide)


def _runs_on(side: Sequence[Fragment]) -> bool:
    """Whether most lines stand close below the one before."""
    lines = rows(side)
    close = sum(line[0].base - above[0].base < CLOSE * line[0].style.size for above, line in pairwise(lines))
    return len(lines) >= LEAST_LINES and 2 * close >= len(lines) - 1


def _is_filled(side: Sequence[Fragment]) -> bool:
    """Whether most lines are of prose, from one edge of the column to the other."""
    width = around(part.rect for part in side).width
    whole = [part for part in side if part.rect.width > FILLED * width and len(part.text) >= 2 * PROSE]
    held, characters = (sum(len(part.text) for part in parts) for parts in (whole, side))
    return len(whole) >= LEAST_LINES and 2 * held > characters

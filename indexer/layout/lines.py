"""Fragments to lines: what stands on one baseline of one column."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby, pairwise
from statistics import median

from indexer.layout.inks import RAISED, raised
from indexer.layout.page import Fragment, Line, Rect, around, main_style

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
SAME_BASELINE = 0.35  # of the smaller fragment's height; superscripts stay with their line


def lines(fragments: Sequence[Fragment], page: int) -> list[Line]:
    """The lines that the fragments of a column make, top down."""
    if not fragments:
        return []
    column = around(fragment.rect for fragment in fragments)
    return [_line(row, page, column) for row in rows(fragments)]


def rows(fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    """Fragments in groups that stand on one baseline, top down; a group is in reading direction."""
    result: list[list[Fragment]] = []
    for fragment in sorted(fragments, key=lambda fragment: (fragment.base, fragment.rect.x0)):
        if result and _beside(result[-1], fragment):
            result[-1].append(fragment)
        else:
            result.append([fragment])
    return [_in_direction(row) for row in result]


def leadings(lines: Sequence[Line]) -> dict[float, float]:
    """The usual distance from baseline to baseline for each size of text."""
    distances: dict[float, list[float]] = defaultdict(list)
    for above, below in pairwise(lines):
        if above.page == below.page and above.column == below.column and above.style.size == below.style.size:
            distance = below.base - above.base
            if 0.5 * below.style.size < distance < 3 * below.style.size:
                distances[below.style.size].append(distance)
    return {size: median(found) for size, found in distances.items()}


def is_right_to_left(text: str) -> bool:
    """Whether most letters are of a script that runs from right to left."""
    if text.isascii() or not RIGHT_TO_LEFT.search(text):
        return False
    marks = len(RIGHT_TO_LEFT.findall(text))
    return marks * 2 > sum(map(str.isalpha, text))


def _beside(row: Sequence[Fragment], fragment: Fragment) -> bool:
    last = row[-1]
    small, large = sorted((last.rect.height, fragment.rect.height))
    if abs(fragment.base - last.base) <= SAME_BASELINE * small:
        return True
    # A superscript or subscript: smaller, and within the height of the text that it touches.
    shared = min(last.rect.y1, fragment.rect.y1) - max(last.rect.y0, fragment.rect.y0)
    gap = max(fragment.rect.x0 - last.rect.x1, last.rect.x0 - fragment.rect.x1)
    return small < 0.85 * large and shared > 0.5 * small and gap < small and len(min(last.text, fragment.text)) < 12


def _in_direction(row: list[Fragment]) -> list[Fragment]:
    if len(row) < 2:
        return row
    row.sort(key=lambda fragment: fragment.rect.x0)
    if is_right_to_left("".join(fragment.text for fragment in row)):
        row.reverse()
        return [part for _, run in groupby(row, _runs_leftwards) for part in _as_read(list(run))]
    return row


def _runs_leftwards(fragment: Fragment) -> bool:
    return RIGHT_TO_LEFT.search(fragment.text) is not None


def _as_read(run: list[Fragment]) -> list[Fragment]:
    """Fragments from right to left in their own direction: dates and names in other letters run rightwards."""
    return run if _runs_leftwards(run[0]) else run[::-1]


def _line(row: Sequence[Fragment], page: int, column: Rect) -> Line:
    if len(row) == 1:
        [only] = row
        return Line(page, (only,), only.rect, only.base, only.style, only.text, column)
    style = main_style(row)
    base = median(fragment.base for fragment in row if fragment.style == style)
    parts = [row[0].text]
    for before, fragment in pairwise(row):
        if not _touches(before, fragment):
            parts.append(f" {fragment.text}")
        elif before.text[-1].isdigit() and _is_raised(before, fragment):
            parts.append(raised(fragment.text))
        else:
            parts.append(fragment.text)
    text = "".join(parts)
    return Line(page, tuple(row), around(fragment.rect for fragment in row), base, style, text, column)


def _is_raised(before: Fragment, fragment: Fragment) -> bool:
    size = before.style.size
    return fragment.style.size < RAISED * size and fragment.base < before.base - 0.1 * size


def _touches(before: Fragment, fragment: Fragment) -> bool:
    gap = max(fragment.rect.x0 - before.rect.x1, before.rect.x0 - fragment.rect.x1)
    return gap < 0.12 * max(before.style.size, fragment.style.size)

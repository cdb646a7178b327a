"""Fragments to lines: what stands on one baseline of one column."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median

from indexer.layout.inks import RAISED, raised
from indexer.layout.page import Fragment, Line, Rect, around, main_style

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
SCRIPT_SIZE, SCRIPT_HEIGHT = 0.9, 0.85  # of the text's that a superscript or subscript belongs to, at most
RAISED_BY = 0.5  # of the text's size that a mark on its line stands above its foot, at most
LONGEST_SCRIPT = 12  # characters of a superscript or subscript
LONGEST_SIGN = 2  # characters of a sum's sign or the like, which is of the text's size in another font
SAME_BASELINE = 0.35  # of the smaller fragment's height; superscripts stay with their line


def lines(fragments: Sequence[Fragment], page: int) -> list[Line]:
    """The lines that the fragments of a column make, top down."""
    if not fragments:
        return []
    column = around(fragment.rect for fragment in fragments)
    return [_line(row, page, column) for row in rows(fragments)]


def rows(fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    """Fragments in groups that stand on one baseline, top down; a group is in reading direction."""
    if len(fragments) < 2:
        return [list(fragments)] if fragments else []
    return list(rows_down(sorted(fragments, key=top_down)))


def rows_down(ordered: Iterable[Fragment]) -> Iterator[list[Fragment]]:
    """The same of fragments that are in their order (`top_down`) already, one by one."""
    row: list[Fragment] = []
    for fragment in ordered:
        if row and not (
            (len(row) < 2 or _goes_on(row, fragment))
            if _beside(row[-1], fragment)
            else (len(row) > 1 and _is_script_of(row, fragment)) or _are_scripts(row, fragment)
        ):
            yield from (row,) if len(row) < 2 else _without_strays(row)
            row = []
        row.append(fragment)
    if row:
        yield from (row,) if len(row) < 2 else _without_strays(row)


def top_down(fragment: Fragment) -> tuple[float, float]:
    """What fragments are put in order by: their baselines, and from left to right on one."""
    return fragment[2], fragment[1][0]  # by number, which takes half as long as by name


def left_edge(fragment: Fragment) -> float:
    """What fragments of a line are put in order by."""
    return fragment[1][0]


def leadings(lines: Iterable[Line]) -> dict[float, float]:
    """The usual distance from baseline to baseline for each size of text."""
    distances: dict[float, array[float]] = defaultdict(lambda: array("d"))
    for (page, _, _, foot, style, _, column, *_), (own_page, _, _, base, own_style, _, own_column, *_) in pairwise(
        lines
    ):
        size = own_style[0]
        if 0.5 * size < base - foot < 3 * size and style[0] == size and page == own_page and column == own_column:
            distances[size].append(base - foot)
    return {size: median(found) for size, found in distances.items()}


def is_right_to_left(text: str) -> bool:
    """Whether most letters are of a script that runs from right to left."""
    if text.isascii() or not RIGHT_TO_LEFT.search(text):
        return False
    marks = len(RIGHT_TO_LEFT.findall(text))
    return marks * 2 > sum(map(str.isalpha, text))


def are_right_to_left(texts: Sequence[str]) -> bool:
    """The same of texts together; only those that can hold such letters are searched for them."""
    found = [text for text in texts if not text.isascii()]
    return any(RIGHT_TO_LEFT.search(text) for text in found) and is_right_to_left("".join(texts)) if found else False


def _beside(last: Fragment, fragment: Fragment) -> bool:
    """Whether a fragment stands on the baseline of the one before it."""
    _, (left, top, right, bottom), base, *_ = last
    _, (x0, y0, x1, y1), own_base, *_ = fragment
    small, large = bottom - top, y1 - y0
    if large < small:
        small, large = large, small
    if abs(own_base - base) <= SAME_BASELINE * small:
        return True
    if small >= SCRIPT_HEIGHT * large:
        return False
    # A superscript or subscript: smaller, and within the height of the text that it touches. Boxes alone don't tell:
    # they are as high as their fonts say.
    shared = min(bottom, y1) - max(top, y0)
    gap = max(x0 - right, left - x1)
    length = min(len(last.text), len(fragment.text))
    if shared <= 0.5 * small or gap >= small or length >= LONGEST_SCRIPT:
        return False
    sizes = (last.style.size, fragment.style.size)
    return length <= LONGEST_SIGN or min(sizes) < SCRIPT_SIZE * max(sizes)


def _goes_on(row: Sequence[Fragment], fragment: Fragment) -> bool:
    """Whether text beside a row's last piece is on its line, not on the next one, which a subscript may reach."""
    least = SCRIPT_SIZE * fragment[3][0]
    if row[-1][3][0] >= least:
        return True
    level = SAME_BASELINE * fragment.rect.height
    bases = [part.base for part in row if part.style.size >= least]
    return not bases or any(abs(fragment.base - base) <= level for base in bases)


def _is_script_of(row: Sequence[Fragment], fragment: Fragment) -> bool:
    """Whether a short fragment is a superscript or subscript of one that stands farther back in the row."""
    if len(fragment[0]) >= LONGEST_SCRIPT:
        return False
    least = fragment[3][0] / SCRIPT_SIZE
    return any(part[3][0] > least and _beside(part, fragment) for part in row[:-1])


def _without_strays(row: list[Fragment]) -> Iterator[list[Fragment]]:
    """The row, small numbers that stand above it and at none of its text, as pages' do, before it."""
    if row[0][3][0] < SCRIPT_SIZE * row[-1][3][0] and row[0].text.isdigit():
        strays = [part for part in row if part.text.isdigit() and not any(_are_close(part, other) for other in row)]
        if strays and len(strays) < len(row):
            yield _in_direction(strays)
            row = [part for part in row if part not in strays]
    yield _in_direction(row)


def _are_close(small: Fragment, other: Fragment) -> bool:
    size = other.style.size
    return other is not small and other.rect.x0 - size < small.rect.x1 and small.rect.x0 < other.rect.x1 + size


def _are_scripts(row: Sequence[Fragment], fragment: Fragment) -> bool:
    """Whether all that a row holds so far is raised marks, somewhere on the line that the fragment begins."""
    size, base = fragment[3][0], fragment[2]
    if row[0][3][0] >= SCRIPT_SIZE * size:
        return False  # as nearly always
    return all(
        part.style.size < SCRIPT_SIZE * size
        and len(part.text) < LONGEST_SCRIPT
        and 0 <= base - part.base < RAISED_BY * size
        and (part.rect.x1 <= fragment.rect.x0 or part.rect.x0 >= fragment.rect.x1)
        for part in row
    )


def _in_direction(row: list[Fragment]) -> list[Fragment]:
    row.sort(key=left_edge)
    if are_right_to_left([fragment.text for fragment in row]):
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
        text, rect, base, style, *_ = row[0]
        return tuple.__new__(
            Line, (page, (row[0],), rect, base, style, text, column, False, False)
        )  # saves a call a line
    style = main_style(row)
    bases = [fragment[2] for fragment in row if fragment[3] == style]
    base = median(bases) if len(set(bases)) > 1 else bases[0]
    parts = [row[0].text]
    for before, fragment in pairwise(row):
        if not _touches(before, fragment) or _is_stacked(before, fragment):
            parts.append(f" {fragment.text}")
        elif before.text[-1].isdigit() and _is_raised(before, fragment):
            parts.append(raised(fragment.text))
        else:
            parts.append(fragment.text)
    text = "".join(parts)
    return Line(page, tuple(row), around([fragment[1] for fragment in row]), base, style, text, column)


def _is_stacked(before: Fragment, fragment: Fragment) -> bool:
    """Whether numbers stand one above the other, as a fraction's do: they are no number of more digits."""
    apart = abs(before.base - fragment.base) > SAME_BASELINE * min(before.style.size, fragment.style.size)
    over = before.rect.x1 - fragment.rect.x0 > 0.3 * min(before.rect.width, fragment.rect.width)
    return over and apart and before.text[-1].isdigit() and fragment.text[0].isdigit()


def _is_raised(before: Fragment, fragment: Fragment) -> bool:
    size = before.style.size
    return fragment.style.size < RAISED * size and fragment.base < before.base - 0.1 * size


def _touches(before: Fragment, fragment: Fragment) -> bool:
    (left, _, right, _), size = before[1], before[3][0]
    (x0, _, x1, _), own_size = fragment[1], fragment[3][0]
    most = 0.12 * (size if size > own_size else own_size)
    return x0 - right < most and left - x1 < most

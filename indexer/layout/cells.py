"""The cells of a line: fragments that touch are one, signs go to their numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from indexer.layout.lines import left_edge
from indexer.layout.page import Fragment, Line, Rect, around
from indexer.layout.values import is_datum

CELL_GAP = 0.9  # of the letter size between the cells of a row, at least
HEAD_GAP = 0.4  # the same between heads whose columns are told apart by their values, and from a value to words
LEAST_WORDS = 8  # characters: what is shorter behind a value may be its unit
TINY = 0.78  # of the usual letter size
CURRENCIES = "$€£¥"
CURRENCY = re.compile(r"[$€£¥]|US\$|C\$|A\$")
TAIL = re.compile(r"[)%]+|\)\s?%|pts|bps|pp")
TAIL_ENDS = ")%sp"  # few cells end so
TRAILING_CURRENCY = re.compile(r"^(.*\S)\s+([$€£¥])$")
ENDS_OF_VALUES = "0123456789)%$€£¥"
# A value that stands for itself, whatever is beside it: with thousands, a currency or a percent sign. "0.85 (0.03)" is
# one cell, and "1 234" one number.
WHOLE_VALUE = re.compile(
    r"[$€£¥]\s?\(?\d[\d,]*(?:\.\d+)?\)?|\(?\d{1,3}(?:,\d{3})+(?:\.\d+)?\)?%?|\(?\d+(?:\.\d+)?\s?(?:%\)|\)?%)"
    r"|\(?\d+(?:\.\d+)?\)?(?=\s[$€£¥])|[$€£¥]$"
)
# A day by its month's name: two beside each other are the heads of two columns.
DAY = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2},?"
    r"(?: (?:19|20)\d\d)?"
)
SHARE = re.compile(r"(?<!%)(?<!%\)) \([\d.]+\s?%\)")  # of the count before it: "1,234 (5.6%)"


class Cell(NamedTuple):
    """A cell before its column is known: its text and its place."""

    text: str
    rect: Rect

    @property
    def middle(self) -> float:
        """Its middle from left to right."""
        return (self.rect.x0 + self.rect.x1) / 2


def row_cells(line: Line, usual: float) -> list[Cell]:
    """The line's cells; exponents and footnote marks that stand so high that they make a line are no cells of a row."""
    cells = _cells(line)
    if len(cells) > 1 and line.style.size < TINY * usual and all(len(cell.text) <= 3 for cell in cells):
        return [Cell(line.text, line.rect)]
    return cells


def parted(line: Line, cells: Sequence[Cell], columns: Sequence[tuple[float, float]]) -> list[Cell]:
    """The cells of a line of heads, those of neighbouring columns apart that stand closer than cells do."""
    result: list[Cell] = []
    for cell in cells:
        x0, _, x1, _ = cell.rect
        parts = [part for part in sorted(line.cells, key=left_edge) if x0 <= part.rect.x0 and part.rect.x1 <= x1]
        cuts = [
            place
            for place, (before, after) in enumerate(pairwise(parts), start=1)
            if after.rect.x0 - before.rect.x1 > HEAD_GAP * line.style.size
            and _has_own(before.rect, columns)
            and _has_own(after.rect, columns)
            and _column(before.rect, columns) != _column(after.rect, columns)
        ]
        ends = [0, *cuts, len(parts)]
        result += [_cell(parts[start:end]) for start, end in pairwise(ends)] if cuts else _days_of(cell)
    return result


def _column(rect: Rect, columns: Sequence[tuple[float, float]]) -> int:
    """The column whose middle is nearest."""
    middle = (rect.x0 + rect.x1) / 2
    return min(range(len(columns)), key=lambda place: abs(sum(columns[place]) / 2 - middle))


def _has_own(rect: Rect, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether it stands over one column at most."""
    return sum(left < rect.x1 and rect.x0 < right for left, right in columns) <= 1


def _cells(line: Line) -> list[Cell]:
    """The line's cells: fragments that touch are one, a currency sign goes to its number, a percent sign too."""
    groups: list[list[Fragment]] = []
    gap, near, end = CELL_GAP * line.style.size, HEAD_GAP * line.style.size, 0.0
    for fragment in sorted(line.cells, key=left_edge):
        x0, _, x1, _ = fragment.rect
        if groups and x0 - end < gap and not (x0 - end > near and _begins_words(groups[-1][-1], fragment)):
            groups[-1].append(fragment)
        else:
            groups.append([fragment])
        end = x1
    return _with_signs(_apart([_cell(group) for group in groups]))


def _apart(cells: list[Cell]) -> list[Cell]:
    """The cells, values of neighbouring columns apart that are set so close that they came as one text."""
    if not any(" " in text and text[-1] in ENDS_OF_VALUES for text, _ in cells):
        return cells
    return [part for cell in cells for part in _values_of(cell)]


def _values_of(cell: Cell) -> list[Cell]:
    """The values that are all of a cell's text, each with its share of the place; else the cell.

    >>> [part.text for part in _values_of(Cell("1,603,451 $ 1,499,218 $", Rect(0, 0, 230, 10)))]
    ['1,603,451', '$1,499,218', '$']
    """
    text = cell.text
    found = list(WHOLE_VALUE.finditer(text)) if " " in text and text[-1] in ENDS_OF_VALUES else []
    if len(found) < 2 or WHOLE_VALUE.sub("", text).strip() or SHARE.search(text):
        return [cell]
    return [Cell("".join(part[0].split()), _place_in(cell, part)) for part in found]


def _days_of(cell: Cell) -> list[Cell]:
    """The days that are all of a cell's text, each with its share of the place; else the cell.

    >>> [part.text for part in _days_of(Cell("May 28, May 29,", Rect(0, 0, 150, 10)))]
    ['May 28,', 'May 29,']
    """
    found = list(DAY.finditer(cell.text))
    if len(found) < 2 or DAY.sub("", cell.text).strip():
        return [cell]
    return [Cell(part[0], _place_in(cell, part)) for part in found]


def _place_in(cell: Cell, part: re.Match[str]) -> Rect:
    """Where a part of a cell's text stands, as if all its characters were as wide."""
    rect, share = cell.rect, cell.rect.width / len(cell.text)
    return Rect(rect.x0 + share * part.start(), rect.y0, rect.x0 + share * part.end(), rect.y1)


def _begins_words(before: Fragment, fragment: Fragment) -> bool:
    """Whether words, not a unit, stand behind a value."""
    text = fragment.text
    return len(text) >= LEAST_WORDS and text[0].isalpha() and is_datum(before.text)


def _cell(group: Sequence[Fragment]) -> Cell:
    if len(group) == 1:
        return tuple.__new__(Cell, group[0][:2])
    return Cell(joined(group), around(fragment.rect for fragment in group))


def joined(fragments: Sequence[Fragment]) -> str:
    """The texts of a line, apart where they do not touch."""
    parts = [fragments[0].text]
    for before, fragment in pairwise(fragments):
        touching = fragment.rect.x0 - before.rect.x1 < 0.12 * fragment.style.size
        parts.append(fragment.text if touching else f" {fragment.text}")
    return "".join(parts)


def _with_signs(cells: Sequence[Cell]) -> list[Cell]:
    result: list[Cell] = []
    sign: Cell | None = None
    for cell in cells:
        text, rect = cell
        end = text[-1]
        if end in CURRENCIES and CURRENCY.fullmatch(text):
            sign = cell
            continue
        if end in TAIL_ENDS and result and TAIL.fullmatch(text) and is_datum(result[-1].text):
            result[-1] = Cell(result[-1].text + text, result[-1].rect.spanned(rect))
            continue
        if sign:
            text = sign.text + text
            sign = None
        trailing = TRAILING_CURRENCY.match(text) if end in CURRENCIES else None
        if trailing:
            text = trailing[1]
            share = rect.width * len(text) / len(cell.text)
            sign = Cell(trailing[2], Rect(rect.x1 - 1, rect.y0, rect.x1, rect.y1))
            rect = Rect(rect.x0, rect.y0, rect.x0 + share, rect.y1)
        result.append(Cell(text, rect))
    if sign and result:
        result[-1] = Cell(f"{result[-1].text} {sign.text}", result[-1].rect.spanned(sign.rect))
    elif sign:
        result.append(sign)
    return result

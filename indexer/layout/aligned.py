"""Tables told by the alignment of their cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from indexer.layout.candidates import JOINING, JOINS
from indexer.layout.cell_columns import columns_of, hits, in_columns, one_of_labels
from indexer.layout.cells import Cell, parted, row_cells
from indexer.layout.column_heads import has_data, head_lines, header_over, is_scale, with_shares
from indexer.layout.numbering import LABELLED
from indexer.layout.page import Line, Rect, around
from indexer.layout.plausible import plausible
from indexer.layout.tables import Row, Table, without_scale
from indexer.layout.values import LONGEST_CELL, MARK, PERIOD, YEAR, is_datum, is_value
from kohaku import rows as written

BLANK_ROWS = 4  # rows of one cell that may stand between rows of more
ROW_GAP = 3.2  # times the letter size between rows, at most
MOST_BLANK_ROWS, WIDEST_ROW_GAP = 8, 6.0  # the same, where the row below is set under the columns of those above
SHORT_NOTE = 15  # characters: what follows a mark and is longer is a note
LONG_LABELS = 2  # labels as wide as prose between rows, at most
DRAWN = re.compile(r"[-=_~.·<>*+|–—\s]{3,}")  # a rule that is typed


def aligned(lines: Sequence[Line], drawing: Rect | None = None) -> list[tuple[int, int, Table]]:
    """Tables among a column's lines, by the alignment of their cells: (first line, last line, table)."""
    if all(len(line[1]) == 1 for line in lines):
        return []
    usual = median([line.style.size for line in lines])
    cells = [
        [tuple.__new__(Cell, (line[5], line[2]))]  # as Cell(line.text, line.rect), in half the time
        if len(line[1]) == 1 or (drawing and drawing.holds(line.rect))
        else row_cells(line, usual)
        for line in lines
    ]
    found: list[tuple[int, int, Table]] = []
    typed = sum(line.style.mono for line in lines) * 5 > len(lines) * 4  # else what is typed is code
    start = 0
    while start < len(lines):
        if len(cells[start]) < 2 or (lines[start].style.mono and not typed) or _is_note(cells[start]):
            start += 1
            continue
        end = _run_end(lines, cells, start)
        made = _table(lines, cells, start, end, found[-1][1] + 1 if found else 0)
        if made:
            found.append((made[0], end, made[1]))
        start = end + 1
    return found


def _run_end(lines: Sequence[Line], cells: Sequence[Sequence[Cell]], start: int) -> int:
    """The last line of the run of rows that starts here; single cells (labels) may lie between."""
    end, data, wide = start, int(has_data(cells[start])), 0
    for place in range(start + 1, len(lines)):
        line, row = lines[place], cells[place]
        if data > 1 and (_heads_anew(row, cells[start]) or _is_note(row)):
            break
        gap = (line.base - lines[place - 1].base) / max(line.style.size, lines[place - 1].style.size)
        if gap > WIDEST_ROW_GAP or place - end > MOST_BLANK_ROWS or wide > LONG_LABELS:
            break
        if len(row) == 1:
            is_wide = (len(row[0].text) > LONGEST_CELL or _fills(line)) and not DRAWN.fullmatch(row[0].text)
            if is_wide and (data < 1 or row[0].text.endswith(".")):
                break
            wide += is_wide
        far = gap > ROW_GAP or place - end > BLANK_ROWS or wide
        if far and (data < 1 or not _resumes(lines, cells, place, start, end)):
            break
        if len(row) > 1:
            end, wide = place, 0
        data += has_data(row)
    return end


def _resumes(lines: Sequence[Line], cells: Sequence[Sequence[Cell]], place: int, start: int, end: int) -> bool:
    """Whether the next row, here or a few lines on, is one of values under the columns of the rows before."""
    following = range(place, min(place + MOST_BLANK_ROWS, len(lines)))
    found = next((at for at in following if len(cells[at]) > 1), None)
    if found is None or not has_data(cells[found]):
        return False
    row = cells[found]
    values = [cell.rect for cell in row if is_value(cell.text)]
    known = [cell.rect for above in cells[start : end + 1] for cell in above[1:] if is_value(cell.text)]
    labelled = not is_value(row[0].text)
    return labelled and all(any(rect.x0 < old.x1 and old.x0 < rect.x1 for old in known) for rect in values)


def _heads_anew(row: Sequence[Cell], first: Sequence[Cell]) -> bool:
    """Whether a row after rows of values heads another table, words and years over the values, or a section."""
    if len(row) < 2 or any(is_datum(cell.text) for cell in row):
        return False
    if len(row) == 2 and LABELLED.match(row[0].text):  # "Item 5.", and its title
        return True
    return len(row) > 2 or row[0].rect.x0 > first[0].rect.x1


def _is_note(row: Sequence[Cell]) -> bool:
    """Whether a row under values is a note to them: its mark, then words."""
    return len(row) == 2 and MARK.fullmatch(row[0].text) is not None and len(row[1].text) > SHORT_NOTE


def _fills(line: Line) -> bool:
    return line.rect.width > 0.75 * line.column.width and len(line.text) > 40


def _table(
    lines: Sequence[Line], cells: Sequence[Sequence[Cell]], start: int, end: int, lowest: int
) -> tuple[int, Table] | None:
    """The rows as a table with the line where its head begins, None where they make no plausible one."""
    several = [cells[place] for place in range(start, end + 1) if len(cells[place]) > 1]
    if len(several) < 2 or len(several) * 3 < end - start + 1:
        return None
    first = next((place for place, row in enumerate(several) if _is_data_row(row)), 0)  # words above are heads
    values = [is_value(cell.text) for row in several[first:] for cell in row[1:]]
    if sum(values) * 2 >= len(values):
        return _of_values(lines, cells, start, end, lowest)
    made = _of_words(lines, cells, start, end)
    return (start, made) if made else None


def _of_values(
    lines: Sequence[Line], cells: Sequence[Sequence[Cell]], start: int, end: int, lowest: int
) -> tuple[int, Table] | None:
    """A table most of whose cells are values: heads are the lines over the values of its first row."""
    first = next((at for at in range(start, end + 1) if _is_data_row(cells[at]) or _is_row_of_years(cells, at)), None)
    if first is None:
        return None
    columns = one_of_labels(columns_of([cells[place] for place in range(first, end + 1)]), cells[first : end + 1])
    if len(columns) < 2:
        return None
    top, under, scale = head_lines(lines, cells, columns, first, lowest)
    head = [
        parted(lines[place], cells[place], columns)
        for place in range(top, under)
        if not is_scale(cells[place]) and not _is_drawn(cells[place])
    ]
    rows = [cells[place] for place in range(under, end + 1) if not _is_drawn(cells[place])]
    placed = [in_columns(row, columns) for row in rows]
    header, widths = header_over(head, columns)
    if under <= start and top > start:  # words beside each other that head nothing
        return None
    body = _body(placed, rows, lines[start].page, numeric=True)
    if not plausible(placed, header, True):
        return None
    header, scale = without_scale(with_shares(header, placed), scale)
    head_rect = around(cell.rect for place in range(top, under) for cell in cells[place]) if top < under else None
    rect = around(cell.rect for place in range(top, end + 1) for cell in cells[place])
    page = lines[start].page
    return top, Table(page, rect, header, tuple(body), head_rect, "", scale, tuple(widths))


def _is_data_row(row: Sequence[Cell]) -> bool:
    data = [is_datum(text) for text, _ in row]
    if len(row) < 2 or not any(data):
        return False
    if not data[0] and not written.says_scale(row[0].text):
        return True  # labelled
    return sum(data) * 2 > len(row) and not all(MARK.fullmatch(cell.text) for cell in row)


def _is_row_of_years(cells: Sequence[Sequence[Cell]], place: int) -> bool:
    """Whether a row's values are years: "Year of release", under heads of words."""
    label, *values = cells[place]
    if not values or place == 0 or is_value(label.text) or PERIOD.fullmatch(label.text):
        return False
    above = [cell.text for cell in cells[place - 1] if cell.rect.x1 > values[0].rect.x0]
    words = [text for text in above if not is_value(text) and not PERIOD.fullmatch(text)]
    years = all(YEAR.fullmatch(cell.text.strip()) for cell in values)
    return years and len(values) > 1 and len(words) >= len(values) and not written.says_scale(label.text)


def _is_drawn(row: Sequence[Cell]) -> bool:
    return not row[0].text[0].isalnum() and all(DRAWN.fullmatch(cell.text) for cell in row)


def _of_words(lines: Sequence[Line], cells: Sequence[Sequence[Cell]], start: int, end: int) -> Table | None:
    """A table of words: its first row of several cells is its head."""
    rows = [cells[place] for place in range(start, end + 1)]
    columns = columns_of(rows)
    if len(columns) < 2:
        return None
    heads = 1
    columns = [column for column in columns if any(hits(row, column) for row in rows[heads:])]
    if len(columns) < 2:
        return None
    placed = [in_columns(row, columns) for row in rows]
    header, widths = header_over(rows[:heads], columns)
    if not plausible(placed[heads:], header, False):
        return None
    page = lines[start].page
    body = _body(placed[heads:], rows[heads:], page, numeric=False)
    rects = [around(cell.rect for cell in row) for row in rows]
    header, scale = without_scale(header, "")
    return Table(page, around(rects), header, tuple(body), around(rects[:heads]), "", scale, tuple(widths))


def _body(placed: Sequence[Sequence[str]], rows: Sequence[Sequence[Cell]], page: int, *, numeric: bool) -> list[Row]:
    """Rows, lines that only go on with a cell joined to the row they belong to."""
    result: list[Row] = []
    waiting = ""  # a label alone, which may go on in the next line
    for texts, cells in zip(placed, rows, strict=True):
        row, rect = list(texts), around(cell.rect for cell in cells)
        indent = cells[0].rect.x0 if row[0] else result[-1].indent if result else rect.x0
        filled = [text for text in row if text]
        if waiting and (row[0][:1].islower() or JOINS.search(waiting[-JOINING:])):
            row[0] = f"{waiting} {row[0]}"
            before = result.pop()
            rect, indent = before.rect.spanned(rect), before.indent
        waiting = ""
        goes_on = not row[0] or (numeric and len(filled) == 1 and row[0][:1].islower())
        if result and goes_on and not any(map(is_value, filled)):
            before = result[-1]
            cells_joined = tuple(f"{a} {b}".strip() for a, b in zip(before.cells, row, strict=True))
            result[-1] = replace(before, cells=cells_joined, rect=before.rect.spanned(rect))
            continue
        if numeric and row[0] and len(filled) == 1:
            waiting = row[0]
        result.append(Row(tuple(row), rect, page, indent))
    return result

"""Tables, by the lines drawn around their cells or by the alignment of their text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from indexer import tables
from indexer.blocks import Block, Mark
from indexer.layout.lines import is_right_to_left, left_edge
from indexer.layout.lines import rows as baseline_rows
from indexer.layout.page import Fragment, Line, Rect, Style, around
from indexer.tables import CAPTION
from kohaku import rows as written

THIN = 3.0  # points: a drawn rectangle no thicker is a line
TOUCH = 3.0  # points between lines that meet
MOST_COLUMNS = 18  # of a table: lines at more places, from left to right and from top to bottom, are a drawing
MOST_PIECED = 200  # lines of grids drawn in pieces, once these are joined
MOST_RULINGS = 3000  # a page with more is a drawing
CELL_GAP = 0.9  # of the letter size between the cells of a row, at least
LONGEST_CELL = 90  # characters on average: longer ones are columns of prose
BLANK_ROWS = 4  # rows of one cell that may stand between rows of more
ROW_GAP = 3.2  # times the letter size between rows, at most
MOST_BLANK_ROWS, WIDEST_ROW_GAP = 8, 6.0  # the same, where the row below is set under the columns of those above
LONG_LABELS = 2  # labels as wide as prose between rows, at most
HEAD_GAP = 2.6  # times the letter size between lines of a head, at most
HEAD_LINES = 6
LONGEST_HEAD = 60  # characters of a line of a head
SPARSE = 0.34  # of a row's cells: tables fill more than drawings do
OPERATORS = frozenset("=≤≥≈∑∏∫∥√∂∇∈∉⊂⊆∪∩∀∃→←↔⇒⊤⊥⊗⊕×·∘≡≜∼∝")
HEAD_REACH = 40.0  # points that a head may stand left of its values
TINY = 0.78  # of the usual letter size
TIGHT = 1.1  # times a line's height to the next line of the same head, at most
LINES_BETWEEN = 6  # of text between two parts of a table, at most
LINES_ABOVE = 5  # that may tell a table's caption, scale or period

NUMBER = re.compile(
    r"[\s($€£¥~<>≈≤≥±+\-−–—]*\d[\d,.\s]*(?:[eE×]\s?[-−]?\d+)?\s*(?:%|[xX]|bps|pp|[KMBT])?[\s)%*†‡]*(?:\([a-z0-9]\))?"
    r"|[-–—−*]+|n\.?[/.]?[am]\.?|nm|–\s?%|[-—–]\s*%",
    re.IGNORECASE,
)
YEAR = re.compile(r"(?:FY\s?|Q[1-4]\s?)?(?:19|20)\d\d[A-Z]?\*?(?:\s?\([a-z0-9]\))?")
CURRENCIES = "$€£¥"
CURRENCY = re.compile(r"[$€£¥]|US\$|C\$|A\$")
TAIL = re.compile(r"[)%]+|\)\s?%|pts|bps|pp")
TAIL_ENDS = ")%sp"  # few cells end so
TRAILING_CURRENCY = re.compile(r"^(.*\S)\s+([$€£¥])$")
MARK = re.compile(r"(?:\(?[a-z0-9]{1,2}\)|\[\d+\]|[*†‡§¶]+)(?:[,\s]*(?:\(?[a-z0-9]{1,2}\)|[*†‡§¶]+))*")
# What heads of bare years are years of: "Years ended December 31", "As of June 30,".
PERIOD = re.compile(
    r"(?:for )?(?:the )?(?:"
    r"(?:three|six|nine|twelve|thirteen|twenty-six|thirty-nine|fifty-two|\d+)[\s-](?:months?|weeks?)"
    r"|(?:fiscal |calendar )?years?(?= end)|quarters?(?= end)"
    r"|(?:quarterly |annual |interim |transition )?periods?(?= end)|as of|as at|at (?=[a-z]+ \d|year)"
    r")\b.{0,50}",
    re.IGNORECASE,
)
NUMBERED = re.compile(r"\(\d{1,2}(?:\.\d{1,2})?[a-z]?\)")
DRAWN = re.compile(r"[-=_~.·<>*+|–—\s]{3,}")  # a rule that is typed
LEADER = re.compile(r"[.·…⋅_]{4,}|(?:[.·…⋅]\s){4,}")
MARKER = re.compile(r"[•▪◦●○■□‣–—*·]|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]+)[.)]|\[\d+\]")


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells, one a column (empty where there is none), its place, and how far its label is indented."""

    cells: tuple[str, ...]
    rect: Rect
    page: int
    indent: float = 0.0


@dataclass(frozen=True, slots=True)
class Table:
    """A table: header cells (one a column), rows, the lines above that say what and in which unit.

    `columns` are the columns' left and right ends, where rows are told by alignment; `told_rect` is where the caption
    and the scale stand.
    """

    page: int
    rect: Rect
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    header_rect: Rect | None = None
    caption: str = ""
    scale: str = ""
    columns: tuple[tuple[float, float], ...] = ()
    is_drawn: bool = False
    told_rect: Rect | None = None

    @property
    def is_headed(self) -> bool:
        """Whether its columns have heads."""
        return any(self.header[1:])


class Cell(NamedTuple):
    """A cell before its column is known: its text and its place."""

    text: str
    rect: Rect


def block(table: Table) -> Block:
    """The table as a block: scale and Markdown as its text, a sentence a row with its headers."""
    placed = tables.labelled([row.cells for row in table.rows], [row.indent for row in table.rows])
    boxes = [table.header_rect.on(table.page) if table.header_rect else None]
    boxes += [row.rect.on(row.page) for row in table.rows]
    made = tables.block(table.header, placed, caption=table.caption, scale=table.scale, boxes=boxes)
    if table.told_rect and made.text:  # the first letter brings the caption's place with it
        made = replace(made, marks=(Mark(0, 1, table.told_rect.on(table.page)), *made.marks))
    return replace(made, page=table.page)


def grids(fragments: Sequence[Fragment], rulings: Sequence[Rect], page: int) -> list[tuple[Table, set[int]]]:
    """Tables drawn as grids, each with the ids of the fragments that it holds."""
    if not 4 <= len(rulings) <= MOST_RULINGS:
        return []
    found: list[tuple[Table, set[int]]] = []
    for mesh in _meshes(rulings):
        inside = [fragment for fragment in fragments if mesh.area.holds(fragment.rect)]
        table = _gridded(inside, mesh, page) if len(inside) >= 4 else None
        if table:
            found.append((table, set(map(id, inside))))
        elif len(inside) >= 4 and not _are_mostly_values(inside) and (within := _within_frame(mesh)):
            found += grids(inside, within, page)
    return found


def pieced(fragments: Sequence[Fragment], rulings: Sequence[Rect], page: int) -> list[tuple[Table, set[int]]]:
    """Tables of words drawn as grids whose lines are pieces, one a cell, and may end open at a page's end."""
    if not 8 <= len(rulings) <= MOST_RULINGS:
        return []
    standing = [rect for rect in rulings if rect[2] - rect[0] <= THIN < rect[3] - rect[1]]
    if len(standing) < 3:
        return []
    uprights = _whole_lines(standing, upright=True)
    levels = _whole_lines([rect for rect in rulings if rect[3] - rect[1] <= THIN < rect[2] - rect[0]], upright=False)
    if len(uprights) < 3 or len(levels) < 3 or len(uprights) + len(levels) > MOST_PIECED:
        return []
    found: list[tuple[Table, set[int]]] = []
    for mesh in _meshes([*uprights, *levels]):
        if not _is_full(mesh):
            continue
        mesh = replace(mesh, ys=tuple(_with_open_ends(list(mesh.ys), mesh.xs, mesh.uprights)))
        inside = [fragment for fragment in fragments if mesh.area.holds(fragment.rect)]
        table = _gridded(inside, mesh, page) if len(inside) >= 4 and not _are_mostly_values(inside) else None
        if table:
            found.append((table, set(map(id, inside))))
    return found


def _are_mostly_values(fragments: Sequence[Fragment]) -> bool:
    """Whether so many are values that alignment tells their columns better than lines do."""
    return sum(_is_value(fragment.text) for fragment in fragments) * 4 >= len(fragments)


def _is_full(mesh: Mesh) -> bool:
    """Whether every line runs from side to side."""
    width, height = mesh.area.width - 2 * TOUCH, mesh.area.height - 2 * TOUCH
    return all(rect.height >= height for rect in mesh.uprights) and all(rect.width >= width for rect in mesh.levels)


def _within_frame(mesh: Mesh) -> list[Rect]:
    """The lines of a mesh without the frame around all of them; none where it has no frame."""
    area = mesh.area
    left = [rect for rect in mesh.uprights if rect.x0 - area.x0 <= TOUCH and rect.height > 0.95 * area.height]
    right = [rect for rect in mesh.uprights if area.x1 - rect.x1 <= TOUCH and rect.height > 0.95 * area.height]
    top = [rect for rect in mesh.levels if rect.y0 - area.y0 <= TOUCH and rect.width > 0.95 * area.width]
    foot = [rect for rect in mesh.levels if area.y1 - rect.y1 <= TOUCH and rect.width > 0.95 * area.width]
    if not (left and right and top and foot):
        return []
    frame = {*left, *right, *top, *foot}
    return [rect for rect in (*mesh.uprights, *mesh.levels) if rect not in frame]


def drawing(rulings: Sequence[Rect]) -> Rect | None:
    """Where a page's lines make a drawing, such as a plot or a circuit, whose labels are no table."""
    if len(rulings) <= 2 * MOST_COLUMNS:
        return None
    uprights = _standing(rulings)
    columns = {round(rect.x0 / 2) for rect in uprights}
    if len(columns) <= MOST_COLUMNS:
        return None
    rows = {round(rect.y0 / 2) for rect in _lying(rulings)}
    return around(uprights) if len(rows) > MOST_COLUMNS else None


def aligned(lines: Sequence[Line], drawing: Rect | None = None) -> list[tuple[int, int, Table]]:
    """Tables among a column's lines, by the alignment of their cells: (first line, last line, table)."""
    if all(len(line[1]) == 1 for line in lines):
        return []
    usual = median([line.style.size for line in lines])
    cells = [
        [tuple.__new__(Cell, (line[5], line[2]))]  # as Cell(line.text, line.rect), in half the time
        if len(line[1]) == 1 or (drawing and drawing.holds(line.rect))
        else _row_cells(line, usual)
        for line in lines
    ]
    found: list[tuple[int, int, Table]] = []
    typed = sum(line.style.mono for line in lines) * 5 > len(lines) * 4  # else what is typed is code
    start = 0
    while start < len(lines):
        if len(cells[start]) < 2 or (lines[start].style.mono and not typed):
            start += 1
            continue
        end = _run_end(lines, cells, start)
        made = _table(lines, cells, start, end, found[-1][1] + 1 if found else 0)
        if made:
            found.append((made[0], end, made[1]))
        start = end + 1
    return found


def told(table: Table, above: Sequence[Line], below: Sequence[Line]) -> tuple[Table, int, int]:
    """The table with the caption, scale and period that lines close above or below say, and how many of each it takes.

    Lines that say more than that stay where they are.
    """
    above = list(above[-LINES_ABOVE:])
    every = list(above)
    caption, scale, header = table.caption, table.scale, table.header
    taken = after = 0
    if above and not scale and written.says_scale(above[-1].text):
        scale, taken = above.pop().text, 1
    if not scale:
        near = " ".join(line.text for line in above[-2:])
        scale = (written.SCALE_PART.findall(near) or [""])[-1]
    heads = [head for head in header[1:] if head]
    if heads and all(YEAR.fullmatch(head) for head in heads):
        period = next((line.text for line in reversed(above) if PERIOD.fullmatch(line.text.split("(")[0].strip())), "")
        header = _under_period(header, period.split("(")[0].strip(" ,"))
    start = next((n for n in range(len(above)) if CAPTION.match(above[n].text)), None)
    if start is not None and all(abs(line.style.size - above[start].style.size) < 1.1 for line in above[start:]):
        caption = " ".join(line.text for line in above[start:])
        taken += len(above) - start
    elif below and CAPTION.match(below[0].text):
        caption = " ".join(line.text for line in below)
        after = len(below)
    said = [line.rect for line in (*every[len(every) - taken :], *below[:after])]
    told_rect = around(said) if said else None
    return replace(table, caption=caption, scale=scale, header=header, told_rect=told_rect), taken, after


def bears(table: Table, mark: str) -> bool:
    """Whether a note's mark stands anywhere in the table."""
    told = (table.caption, table.scale, *table.header)
    return any(mark in text for text in told) or any(mark in cell for row in table.rows for cell in row.cells)


def is_chart(table: Table) -> bool:
    """Whether what stands in rows within a figure is its labels and numbers: it has no heads, or hardly a value."""
    cells = [cell for row in table.rows for cell in row.cells[1:] if cell]
    return not table.is_headed or sum(map(_is_value, cells)) * 2 < len(cells)


def row_lines(table: Table) -> list[Line]:
    """The rows as lines of text again."""
    plain = Style(round(2 * min((row.rect.height for row in table.rows), default=10.0)) / 2)
    return [
        Line(row.page, (), row.rect, row.rect.y1, plain, " ".join(filter(None, row.cells)), table.rect)
        for row in ((_head_row(table),) if table.is_headed else ()) + table.rows
    ]


def _head_row(table: Table) -> Row:
    return Row(table.header, table.header_rect or table.rect, table.page)


def joined(before: Table, after: Table) -> Table | None:
    """Two tables as one, where the second goes on the first over the end of a page; None where it does not."""
    if not _same_columns(before, after) or after.caption:
        return None
    if after.is_headed and after.header != before.header:
        if not (before.is_drawn and after.is_drawn and after.header_rect):
            return None
        first = Row(after.header, after.header_rect, after.page)  # a grid's first row was taken for its head
        return replace(before, rows=(*before.rows, first, *after.rows))
    return replace(before, rows=before.rows + after.rows)


def headed(before: Table, after: Table) -> Table:
    """A table without heads, with those of the one right before it, where their columns stand in the same places."""
    if after.is_headed or not before.is_headed or not _same_columns(before, after):
        return after
    return replace(
        after, header=before.header, scale=after.scale or before.scale, caption=after.caption or before.caption
    )


def _same_columns(one: Table, other: Table) -> bool:
    if len(one.header) != len(other.header) or not one.columns or not other.columns:
        return False
    if one.is_drawn or other.is_drawn:
        both = zip(one.columns, other.columns, strict=True)
        return one.is_drawn == other.is_drawn and all(abs(a[0] - b[0]) < 3 and abs(a[1] - b[1]) < 3 for a, b in both)
    values = zip(one.columns[1:], other.columns[1:], strict=True)
    return all(a[0] < b[1] + 3 and b[0] < a[1] + 3 for a, b in values)


def _under_period(header: Sequence[str], period: str) -> tuple[str, ...]:
    if not period:
        return tuple(header)
    return (header[0], *(f"{period}{written.LEVEL}{head}" if head else "" for head in header[1:]))


# Cells of a line


def _cells(line: Line) -> list[Cell]:
    """The line's cells: fragments that touch are one, a currency sign goes to its number, a percent sign too."""
    groups: list[list[Fragment]] = []
    gap, end = CELL_GAP * line.style.size, 0.0
    for fragment in sorted(line.cells, key=left_edge):
        x0, _, x1, _ = fragment.rect
        if groups and x0 - end < gap:
            groups[-1].append(fragment)
        else:
            groups.append([fragment])
        end = x1
    return _with_signs([_cell(group) for group in groups])


def _cell(group: Sequence[Fragment]) -> Cell:
    if len(group) == 1:
        return tuple.__new__(Cell, group[0][:2])
    return Cell(_joined(group), around(fragment.rect for fragment in group))


def _row_cells(line: Line, usual: float) -> list[Cell]:
    """The line's cells; exponents and footnote marks that stand so high that they make a line are no cells of a row."""
    cells = _cells(line)
    if len(cells) > 1 and line.style.size < TINY * usual and all(len(cell.text) <= 3 for cell in cells):
        return [Cell(line.text, line.rect)]
    return cells


def _joined(fragments: Sequence[Fragment]) -> str:
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
        if end in TAIL_ENDS and result and TAIL.fullmatch(text) and _is_datum(result[-1].text):
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


@lru_cache(maxsize=4096)  # a cell's text is looked at some ten times
def _is_value(text: str) -> bool:
    return NUMBER.fullmatch(text.strip()) is not None


# Tables by alignment


def _run_end(lines: Sequence[Line], cells: Sequence[Sequence[Cell]], start: int) -> int:
    """The last line of the run of rows that starts here; single cells (labels) may lie between."""
    end, data, wide = start, int(_has_data(cells[start])), 0
    for place in range(start + 1, len(lines)):
        line, row = lines[place], cells[place]
        if data > 1 and _heads_anew(row, cells[start]):
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
        data += _has_data(row)
    return end


def _resumes(lines: Sequence[Line], cells: Sequence[Sequence[Cell]], place: int, start: int, end: int) -> bool:
    """Whether the next row, here or a few lines on, is one of values under the columns of the rows before."""
    following = range(place, min(place + MOST_BLANK_ROWS, len(lines)))
    found = next((at for at in following if len(cells[at]) > 1), None)
    if found is None or not _has_data(cells[found]):
        return False
    row = cells[found]
    values = [cell.rect for cell in row if _is_value(cell.text)]
    known = [cell.rect for above in cells[start : end + 1] for cell in above[1:] if _is_value(cell.text)]
    labelled = not _is_value(row[0].text)
    return labelled and all(any(rect.x0 < old.x1 and old.x0 < rect.x1 for old in known) for rect in values)


def _has_data(row: Sequence[Cell]) -> bool:
    return any(_is_datum(text) for text, _ in row[1:])


@lru_cache(maxsize=4096)
def _is_datum(text: str) -> bool:
    """Whether a cell holds a value that is no year: years are heads as a rule."""
    return _is_value(text) and not YEAR.fullmatch(text.strip())


def _heads_anew(row: Sequence[Cell], first: Sequence[Cell]) -> bool:
    """Whether a row after rows of values heads another table: nothing but words and years, over the values."""
    if len(row) < 2 or any(_is_datum(cell.text) for cell in row):
        return False
    return len(row) > 2 or row[0].rect.x0 > first[0].rect.x1


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
    values = [_is_value(cell.text) for row in several[first:] for cell in row[1:]]
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
    columns = _one_of_labels(_columns([cells[place] for place in range(first, end + 1)]), cells[first : end + 1])
    if len(columns) < 2:
        return None
    top, under, scale = _head_lines(lines, cells, columns, first, lowest)
    head = [cells[place] for place in range(top, under) if not _is_scale(cells[place]) and not _is_drawn(cells[place])]
    rows = [cells[place] for place in range(under, end + 1) if not _is_drawn(cells[place])]
    placed = [_placed(row, columns) for row in rows]
    header, widths = _header(head, columns)
    if under <= start and top > start:  # words beside each other that head nothing
        return None
    body = _body(placed, rows, lines[start].page, numeric=True)
    if not _plausible(placed, header, True, lines[start : end + 1]):
        return None
    header, scale = _without_scale(header, scale)
    head_rect = around(cell.rect for place in range(top, under) for cell in cells[place]) if top < under else None
    rect = around(cell.rect for place in range(top, end + 1) for cell in cells[place])
    page = lines[start].page
    return min(top, start), Table(page, rect, header, tuple(body), head_rect, "", scale, tuple(widths))


def _is_data_row(row: Sequence[Cell]) -> bool:
    data = [_is_datum(text) for text, _ in row]
    if len(row) < 2 or not any(data):
        return False
    if not data[0] and not written.says_scale(row[0].text):
        return True  # labelled
    return sum(data) * 2 > len(row) and not all(MARK.fullmatch(cell.text) for cell in row)


def _is_row_of_years(cells: Sequence[Sequence[Cell]], place: int) -> bool:
    """Whether a row's values are years: "Year of release", under heads of words."""
    label, *values = cells[place]
    if not values or place == 0 or _is_value(label.text) or PERIOD.fullmatch(label.text):
        return False
    above = [cell.text for cell in cells[place - 1] if cell.rect.x1 > values[0].rect.x0]
    words = [text for text in above if not _is_value(text) and not PERIOD.fullmatch(text)]
    years = all(YEAR.fullmatch(cell.text.strip()) for cell in values)
    return years and len(values) > 1 and len(words) >= len(values) and not written.says_scale(label.text)


def _is_drawn(row: Sequence[Cell]) -> bool:
    return all(DRAWN.fullmatch(cell.text) for cell in row)


def _is_scale(row: Sequence[Cell]) -> bool:
    return all(written.says_scale(cell.text) for cell in row)


def _head_lines(
    lines: Sequence[Line],
    cells: Sequence[Sequence[Cell]],
    columns: Sequence[tuple[float, float]],
    first: int,
    lowest: int,
) -> tuple[int, int, str]:
    """The first line of the head, the line after its last (labels lie between it and the values), and the scale."""
    left, right = columns[0][0], columns[-1][1]
    values = columns[1][0]
    top = under = first
    scale = ""
    for place in range(first - 1, max(lowest, first - MOST_BLANK_ROWS) - 1, -1):
        row, line = cells[place], lines[place]
        if lines[place + 1].base - line.base > HEAD_GAP * max(line.style.size, lines[place + 1].style.size):
            break
        over = [cell for cell in row if _stands_over_values(cell, columns)]
        middle = (row[0].rect.x0 + row[0].rect.x1) / 2
        is_title = len(row) == 1 and abs(middle - (left + right) / 2) < 8 < abs(middle - (values + right) / 2)
        long = any(len(cell.text) > (LONGEST_HEAD if cell in over else LONGEST_CELL) for cell in row)
        if long or CAPTION.match(line.text) or top <= first - HEAD_LINES:
            break
        if _is_scale(row):
            scale = scale or line.text
            top, under = place, under if top < first else place + 1
        elif over and not is_title and not _has_data(row):
            under = under if top < first else place + 1
            top = place
        elif top < first or len(row) > 1:
            break
    return top, under, scale


def _stands_over_values(cell: Cell, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a cell of a head stands over values, not over their labels (the first column)."""
    (left, labels), (values, _) = columns[0], columns[1]
    near = values - cell.rect.x1 < HEAD_REACH and cell.rect.x0 > (left + values) / 2
    return cell.rect.x0 > labels - 4 or _middle(cell) > values - 6 or near


def _one_of_labels(columns: Sequence[tuple[float, float]], rows: Sequence[Sequence[Cell]]) -> list[tuple[float, float]]:
    """The columns, those of labels that are indented differently as one."""
    result = list(columns)
    while len(result) > 2:
        first, second = result[:2]
        texts = [cell.text for row in rows for cell in row if _hits([cell], second)]
        if any(_hits(row, first) and _hits(row, second) for row in rows if len(row) > 1) or any(map(_is_datum, texts)):
            break
        result[:2] = [(first[0], max(first[1], second[1]))]
    return result


def _without_scale(header: Sequence[str], scale: str) -> tuple[tuple[str, ...], str]:
    """Heads without the scale that stands over the labels: it is the whole table's."""
    stub, *heads = header
    if written.says_scale(stub):
        return ("", *heads), scale or stub
    part = written.SCALE_PART.search(stub)
    if part:
        stub, scale = " ".join(stub.replace(part[0], "").split()), scale or part[0]
    if stub and PERIOD.fullmatch(stub):
        return ("", *_under_period(header, stub.strip(" ,:"))[1:]), scale
    return (stub, *heads), scale


def _of_words(lines: Sequence[Line], cells: Sequence[Sequence[Cell]], start: int, end: int) -> Table | None:
    """A table of words: its first row of several cells is its head."""
    rows = [cells[place] for place in range(start, end + 1)]
    columns = _columns(rows)
    if len(columns) < 2:
        return None
    heads = 1
    columns = [column for column in columns if any(_hits(row, column) for row in rows[heads:])]
    if len(columns) < 2:
        return None
    placed = [_placed(row, columns) for row in rows]
    header, widths = _header(rows[:heads], columns)
    if not _plausible(placed[heads:], header, False, lines[start : end + 1]):
        return None
    page = lines[start].page
    body = _body(placed[heads:], rows[heads:], page, numeric=False)
    rects = [around(cell.rect for cell in row) for row in rows]
    header, scale = _without_scale(header, "")
    return Table(page, around(rects), header, tuple(body), around(rects[:heads]), "", scale, tuple(widths))


def _columns(rows: Sequence[Sequence[Cell]]) -> list[tuple[float, float]]:
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
            and not any(_hits(row, result[-1]) and _hits(row, (left, right)) for row in rows)
        ):
            result[-1] = (result[-1][0], max(right, result[-1][1]))
        else:
            result.append((left, right))
    return result


def _hits(row: Sequence[Cell], column: tuple[float, float]) -> bool:
    left, right = column
    for _, (x0, _, x1, _) in row:  # noqa: SIM110 (any takes thrice as long)
        if x0 < right and left < x1:
            return True
    return False


def _placed(row: Sequence[Cell], columns: Sequence[tuple[float, float]]) -> list[str]:
    """The row's texts by column: each in the column that it shares most with, else in the nearest."""
    texts = [""] * len(columns)
    for cell in row:
        best = _nearest(cell.rect, columns)
        if len(row) == 1 and not _is_value(cell.text):
            best = next((place for place, column in enumerate(columns) if cell.rect.x0 < column[1]), best)
            best = 0 if cell.rect.x0 < columns[min(1, len(columns) - 1)][0] else best
        texts[best] = f"{texts[best]} {cell.text}".strip()
    return texts


def _nearest(rect: Rect, columns: Sequence[tuple[float, float]]) -> int:
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


def _header(
    rows: Sequence[Sequence[Cell]], columns: Sequence[tuple[float, float]]
) -> tuple[tuple[str, ...], list[tuple[float, float]]]:
    """A head for each column, and the columns as wide as their heads.

    Lines of one head are joined, a head over several columns stands before each of theirs.
    """
    heads: list[list[tuple[str, bool]]] = [[] for _ in columns]
    widths = list(columns)
    below: Rect | None = None
    for row in reversed(rows):  # from the values up: a head is as wide as what it stands over
        rect = around(cell.rect for cell in row)
        is_tight = below is not None and below.y0 - rect.y0 < TIGHT * rect.height
        spread = _over_years(row, heads, widths) or _spread(row, widths, is_lowest=below is None, is_tight=is_tight)
        below = rect
        for cell, over in spread:
            for place in over:
                heads[place].insert(0, (cell.text, len(over) > 1))
            if len(over) == 1 and over[0] > 0:
                left, right = widths[over[0]]
                before = widths[over[0] - 1][1]
                after = widths[over[0] + 1][0] if over[0] + 1 < len(widths) else cell.rect.x1
                left, right = min(left, cell.rect.x0), max(right, cell.rect.x1)
                widths[over[0]] = (
                    max(left, min(before, widths[over[0]][0])),
                    min(right, max(after, widths[over[0]][1])),
                )
    return tuple(map(_head, heads)), widths


def _over_years(
    row: Sequence[Cell], heads: Sequence[Sequence[tuple[str, bool]]], columns: Sequence[tuple[float, float]]
) -> list[tuple[Cell, list[int]]]:
    """A period alone in its line with all columns of bare years below it, wherever it is set; else nothing."""
    over = [cell for cell in row if _stands_over_values(cell, columns)]
    years = [place for place, parts in enumerate(heads) if place and parts and YEAR.fullmatch(parts[0][0])]
    if len(row) != 1 or len(over) != 1 or len(years) < 2 or not PERIOD.fullmatch(over[0].text):
        return []
    return [(over[0], years)]


def _head(parts: Sequence[tuple[str, bool]]) -> str:
    text = ""
    for place, (part, _) in enumerate(parts):
        wide_above = place > 0 and parts[place - 1][1]
        text = f"{text.rstrip(' ,:')}{written.LEVEL}{part}" if wide_above else f"{text} {part}".strip()
    return text


def _spread(
    row: Sequence[Cell], columns: Sequence[tuple[float, float]], *, is_lowest: bool, is_tight: bool
) -> list[tuple[Cell, list[int]]]:
    """The cells of a line of a head, each with the columns that it stands over."""
    row = [cell for cell in row if not MARK.fullmatch(cell.text)]
    over = [cell for cell in row if _stands_over_values(cell, columns)]
    stub = [cell for cell in row if cell not in over]
    result: list[tuple[Cell, list[int]]] = [(cell, [0]) for cell in stub]
    places = range(1, len(columns))
    if over and len(over) < len(places) and not is_lowest:
        groups: list[list[int]] = [[] for _ in over]
        for place in places:
            middle = sum(columns[place]) / 2
            groups[min(range(len(over)), key=lambda n: abs(_middle(over[n]) - middle))].append(place)
        groups = [_trimmed(cell, group, columns) for cell, group in zip(over, groups, strict=True)]
        if all(group and _is_over(cell, group, columns, is_tight) for cell, group in zip(over, groups, strict=True)):
            return result + list(zip(over, groups, strict=True))
    return result + [(cell, _under(cell, columns)) for cell in over]


def _trimmed(cell: Cell, group: list[int], columns: Sequence[tuple[float, float]]) -> list[int]:
    """The columns next to each other that a head is set over the middle of, where it is not over that of them all."""

    def off(some: Sequence[int]) -> float:
        return abs(_middle(cell) - (columns[some[0]][0] + columns[some[-1]][1]) / 2)

    parts = [group[a:b] for a in range(len(group)) for b in range(a + 1, len(group) + 1)] if len(group) < 9 else []
    best = min(parts, key=lambda part: (off(part), -len(part)), default=group)
    return best if group and off(best) < off(group) - 10 else group


def _is_over(cell: Cell, group: Sequence[int], columns: Sequence[tuple[float, float]], is_tight: bool) -> bool:
    """Whether a head is that of a group of columns: set over their middle, and no line of the middle one's own head."""
    left, right = columns[group[0]][0], columns[group[-1]][1]
    own = [place for place in group if abs(_middle(cell) - sum(columns[place]) / 2) < 6]
    if is_tight and len(group) > 1 and own and len(_under(cell, columns)) < 2:
        return False
    return abs(_middle(cell) - (left + right) / 2) < 8 + 0.15 * (right - left)


def _middle(cell: Cell) -> float:
    return (cell.rect.x0 + cell.rect.x1) / 2


def _under(cell: Cell, columns: Sequence[tuple[float, float]]) -> list[int]:
    """The columns that a head stands over, at least the nearest; the first is the labels' own."""
    x0, _, x1, _ = cell.rect
    over = [
        place
        for place, (left, right) in enumerate(columns)
        if place and left < x1 and x0 < right and min(x1, right) - max(x0, left) > 0.3 * min(x1 - x0, right - left)
    ]
    return over or [min(range(1, len(columns)), key=lambda place: abs(sum(columns[place]) / 2 - _middle(cell)))]


def _body(placed: Sequence[Sequence[str]], rows: Sequence[Sequence[Cell]], page: int, *, numeric: bool) -> list[Row]:
    """Rows, lines that only go on with a cell joined to the row they belong to."""
    result: list[Row] = []
    waiting = ""  # a label alone, which may go on in the next line
    for texts, cells in zip(placed, rows, strict=True):
        row, rect = list(texts), around(cell.rect for cell in cells)
        indent = cells[0].rect.x0 if row[0] else result[-1].indent if result else rect.x0
        filled = [text for text in row if text]
        if waiting and row[0][:1].islower():
            row[0] = f"{waiting} {row[0]}"
            before = result.pop()
            rect, indent = before.rect.spanned(rect), before.indent
        waiting = ""
        goes_on = not row[0] or (numeric and len(filled) == 1 and row[0][:1].islower())
        if result and goes_on and not any(map(_is_value, filled)):
            before = result[-1]
            cells_joined = tuple(f"{a} {b}".strip() for a, b in zip(before.cells, row, strict=True))
            result[-1] = replace(before, cells=cells_joined, rect=before.rect.spanned(rect))
            continue
        if numeric and row[0] and len(filled) == 1:
            waiting = row[0]
        result.append(Row(tuple(row), rect, page, indent))
    return result


def _plausible(placed: Sequence[Sequence[str]], header: Sequence[str], numeric: bool, lines: Sequence[Line]) -> bool:
    texts = [text for row in placed for text in row if text]
    several = [row for row in placed if sum(map(bool, row)) > 1]
    if not texts or _mean_length(texts) > LONGEST_CELL or any("@" in text for text in texts[:12]):
        return False
    firsts = [row[0] for row in several if row[0]]
    if firsts and sum(MARKER.fullmatch(text) is not None for text in firsts) * 2 > len(firsts):
        return False  # a list: markers and text
    if _are_formulas([*texts, *filter(None, header)]) or _are_contents(several):
        return False
    filled = sum(sum(map(bool, row)) for row in several) / len(several) / len(header) if several else 0.0
    if numeric:
        return _are_values(several, header) and (filled > SPARSE or len(header) < 5)
    words = sum(len(text.split()) for text in texts)
    return len(several) >= 3 and len(header) > 2 and filled > 0.7 and words < 6 * len(texts)


def _mean_length(texts: Sequence[str]) -> float:
    return sum(map(len, texts)) / len(texts)


def _are_values(rows: Sequence[Sequence[str]], header: Sequence[str]) -> bool:
    """Whether rows of values are a table: enough of them, and labels or heads that say what they are."""
    values = sum(_is_value(text) for row in rows for text in row[1:])
    labels = sum(bool(row[0]) and not _is_datum(row[0]) for row in rows)
    headed = sum(map(bool, header[1:]))
    if labels * 2 < len(rows) and headed * 2 < len(header) - 1:
        return False  # the marks of a drawing's axis
    numbers = [text for row in rows for text in row[1:] if text]
    if not headed and all(NUMBERED.fullmatch(text) for text in numbers):
        return False  # formulas and their numbers
    return (len(rows) > 1 and values > 2) or (len(rows) == 1 and values > 1 and headed == len(header) - 1)


def _are_contents(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows are titles and their pages, a line of dots between."""
    if not LEADER.search("|".join(text for row in rows for text in row)):
        return False  # as nearly always, at a tenth of the cost
    led = [row for row in rows if any(LEADER.search(text) for text in row)]
    pages = [int(row[-1]) for row in led if row[-1].isdecimal() and len(row[-1]) < 5]
    return len(led) > 2 and len(led) * 2 > len(rows) and len(pages) == len(led) and pages == sorted(pages)


def _are_formulas(texts: Sequence[str]) -> bool:
    """Whether cells are pieces of formulas: several hold an operator, and most others are scraps of them."""
    formulas = sum(map(_is_formula, texts))
    scraps = sum(len(text) < 3 for text in texts)
    return formulas * 4 > len(texts) or (formulas > 1 and (formulas + scraps) * 5 > len(texts) * 2)


def _is_formula(text: str) -> bool:
    """Whether a cell is part of a formula: it holds an operator, and is no value.

    >>> [_is_formula(text) for text in ("(1 − ǫ)∥x∥2 ≤ 1", "=", "Sales", "<0.01", "A + B")]
    [True, True, False, False, False]
    """
    if text.isascii():
        return text == "="
    return not _is_value(text) and any(character in OPERATORS for character in text)


# Tables by rulings


@dataclass(frozen=True, slots=True)
class Mesh:
    """The grid that touching lines make: the places of its vertical and horizontal lines, and the lines themselves."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    uprights: tuple[Rect, ...]
    levels: tuple[Rect, ...]

    @property
    def area(self) -> Rect:
        """All that the grid holds."""
        return Rect(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def is_parted(self, row: int, column: int) -> bool:
        """Whether a line is drawn between a cell and the one to its right."""
        x, y = self.xs[column + 1], (self.ys[row] + self.ys[row + 1]) / 2
        return any(abs((rect.x0 + rect.x1) / 2 - x) <= TOUCH and rect.y0 <= y <= rect.y1 for rect in self.uprights)

    def is_closed(self, row: int, column: int) -> bool:
        """Whether a line is drawn between a cell and the one below it."""
        x, y = (self.xs[column] + self.xs[column + 1]) / 2, self.ys[row + 1]
        return any(abs((rect.y0 + rect.y1) / 2 - y) <= TOUCH and rect.x0 <= x <= rect.x1 for rect in self.levels)


def _meshes(rulings: Sequence[Rect]) -> list[Mesh]:
    """The grids that touching lines make."""
    uprights = _standing(rulings)
    levels = _lying(rulings) if len(uprights) > 2 else []
    if len(levels) < 3:
        return []
    groups: list[list[Rect]] = []
    reached: list[list[Rect]] = []  # groups that end no higher than the line at hand: no later one touches the others
    for rect in sorted(uprights + levels, key=lambda rect: (rect[1], rect[0])):
        left, top, right, bottom = rect[0] - TOUCH, rect[1] - TOUCH, rect[2] + TOUCH, rect[3] + TOUCH
        reached = [group for group in reached if group[0][3] > top]
        touching = [group for group in reached if (hull := group[0])[0] < right and left < hull[2] and hull[1] < bottom]
        if not touching:
            groups.append([rect, rect])
            reached.append(groups[-1])
            continue
        home = touching[0]
        home.append(rect)
        home[0] = home[0].spanned(rect)
        for group in touching[1:]:
            home[0] = home[0].spanned(group[0])
            home += group[1:]
            groups.remove(group)
            reached.remove(group)
    meshes: list[Mesh] = []
    for hull, *group in groups:
        standing, lying = tuple(_standing(group)), tuple(_lying(group))
        xs = _places([(rect.x0 + rect.x1) / 2 for rect in standing])
        ys = _places([(rect.y0 + rect.y1) / 2 for rect in lying])
        if len(xs) > 2 and len(ys) > 2 and hull.width > 60:
            meshes.append(Mesh(tuple(xs), tuple(ys), standing, lying))
    return meshes


def _standing(rulings: Sequence[Rect]) -> list[Rect]:
    """The lines that run from top to bottom."""
    return [rect for rect in rulings if rect[2] - rect[0] <= THIN and rect[3] - rect[1] > 6]


def _lying(rulings: Sequence[Rect]) -> list[Rect]:
    """The lines that run from left to right."""
    return [rect for rect in rulings if rect[3] - rect[1] <= THIN and rect[2] - rect[0] > 6]


def _whole_lines(lines: Sequence[Rect], *, upright: bool) -> list[Rect]:
    """Lines drawn in pieces, one a cell, as one each; dots and dashes alone are left out."""
    along, across = (1, 0) if upright else (0, 1)
    result: list[Rect] = []
    for line in sorted(lines, key=lambda rect: (round(rect[across]), rect[along])):
        last = result[-1] if result else None
        if last and abs(last[across] - line[across]) <= 1.5 and line[along] <= last[along + 2] + TOUCH:
            result[-1] = last.spanned(line)
        else:
            result.append(line)
    return [line for line in result if max(line.width, line.height) > 6]


def _with_open_ends(ys: list[float], xs: Sequence[float], uprights: Sequence[Rect]) -> list[float]:
    """The places of horizontal lines, and the ends of the vertical ones where they all reach beyond: a page's end."""
    if not ys or len(xs) < 3:
        return ys
    columns = [[rect for rect in uprights if abs((rect.x0 + rect.x1) / 2 - x) <= TOUCH] for x in xs]
    if not all(columns):
        return ys
    tops = [min(rect.y0 for rect in column) for column in columns]
    feet = [max(rect.y1 for rect in column) for column in columns]
    above = [min(tops)] if max(tops) - min(tops) <= TOUCH and min(tops) < ys[0] - 6 else []
    below = [max(feet)] if max(feet) - min(feet) <= TOUCH and max(feet) > ys[-1] + 6 else []
    return [*above, *ys, *below]


def _places(values: Sequence[float]) -> list[float]:
    result: list[float] = []
    for value in sorted(values):
        if not result or value - result[-1] > TOUCH:
            result.append(value)
    return result


def _gridded(fragments: Sequence[Fragment], mesh: Mesh, page: int) -> Table | None:
    mesh = _with_rows(mesh, fragments)
    xs, ys = mesh.xs, mesh.ys
    slots: dict[tuple[int, int], list[Fragment]] = {}
    for fragment in fragments:
        x, y = (fragment.rect.x0 + fragment.rect.x1) / 2, (fragment.rect.y0 + fragment.rect.y1) / 2
        column = max(0, bisect_right(xs, x) - 1)
        # A fragment over several columns starts where its left edge is.
        if fragment.rect.width > 1.1 * (xs[min(column + 1, len(xs) - 1)] - xs[column]):
            column = max(0, bisect_right(xs, fragment.rect.x0 + 2) - 1)
        row = max(0, bisect_right(ys, y) - 1)
        slots.setdefault((row, column), []).append(fragment)
    width, height = len(xs) - 1, len(ys) - 1
    if len(slots) < 4 or len(slots) * 4 < width * height:
        return None
    if sum(_holds_rows(held) for held in slots.values()) > 1:
        return None  # lines around blocks of rows, not around cells
    texts = [[_slot_text(slots.get((row, column), ())) for column in range(width)] for row in range(height)]
    if _mean_length([text for row in texts for text in row if text]) > 3 * LONGEST_CELL:
        return None
    kept = [row for row in range(height) if any(texts[row])]
    used = [column for column in range(width) if any(texts[row][column] for row in kept)]
    if is_right_to_left("".join(map("".join, texts))):
        used.reverse()
    if len(kept) < 2 or len(used) < 2:
        return None
    heads = _grid_heads(texts, kept, mesh)
    filled = _spread_cells(texts, kept[heads], mesh)
    rows = [
        Row(tuple(filled[row][column] for column in used), Rect(xs[0], ys[row], xs[-1], ys[row + 1]), page)
        for row in kept
    ]
    whole = mesh.area
    columns = tuple((xs[column], xs[column + 1]) for column in used)
    if not heads:
        return Table(page, whole, ("",) * len(used), tuple(rows), columns=columns, is_drawn=True)
    head = tables.merged([row.cells for row in rows[:heads]], len(used))
    header, scale = _without_scale(head, "")
    rect = around(row.rect for row in rows[:heads])
    return Table(page, whole, header, tuple(rows[heads:]), rect, "", scale, columns, is_drawn=True)


def _with_rows(mesh: Mesh, fragments: Sequence[Fragment]) -> Mesh:
    """The mesh with its rows parted where every column has text on the same lines, a rule under the last only."""
    ys = list(mesh.ys)
    ordered = sorted(fragments, key=_middle_height)
    heights = list(map(_middle_height, ordered))
    for top, bottom in pairwise(mesh.ys):
        inside = ordered[bisect_left(heights, top) : bisect_left(heights, bottom)]
        if len(inside) < 3:
            continue
        lines = baseline_rows(inside)
        full = [line for line in lines if _columns_filled(line, mesh.xs) == len(mesh.xs) - 1]
        if len(lines) > 2 and len(full) == len(lines):
            ys += [(around(p.rect for p in a).y1 + around(p.rect for p in b).y0) / 2 for a, b in pairwise(lines)]
    return replace(mesh, ys=tuple(sorted(ys)))


def _columns_filled(line: Sequence[Fragment], xs: Sequence[float]) -> int:
    return len({bisect_right(xs, (part.rect.x0 + part.rect.x1) / 2) for part in line})


def _middle_height(fragment: Fragment) -> float:
    return (fragment.rect.y0 + fragment.rect.y1) / 2


def _grid_heads(texts: Sequence[Sequence[str]], kept: Sequence[int], mesh: Mesh) -> int:
    """How many rows head the grid: the first, and those below as long as a cell above spans several of theirs."""
    first = [cell for cell in texts[kept[0]] if cell]
    if sum(map(_is_datum, first)) * 2 > len(first):
        return 0
    heads = 1
    while heads < min(3, len(kept) - 1):
        above, row = kept[heads - 1], kept[heads]
        spans = any(
            not mesh.is_parted(above, column) and mesh.is_parted(row, column) and texts[row][column + 1]
            for column in range(len(mesh.xs) - 2)
        )
        if not spans or any(map(_is_datum, texts[row])):
            break
        heads += 1
    return heads


def _spread_cells(texts: Sequence[Sequence[str]], body: int, mesh: Mesh) -> list[list[str]]:
    """The cells, one that spans columns of the head or rows from `body` on (as a label) repeated in each."""
    filled = [list(row) for row in texts]
    for row in range(body):
        for column in range(1, len(filled[row])):
            if not filled[row][column] and not mesh.is_parted(row, column - 1):
                filled[row][column] = filled[row][column - 1]
    first = body
    for row in range(body, len(filled)):
        if row + 1 < len(filled) and not mesh.is_closed(row, 0):
            continue
        labels = [texts[place][0] for place in range(first, row + 1) if texts[place][0]]
        if len(labels) == 1:  # it may stand in the middle of its rows
            for place in range(first, row + 1):
                filled[place][0] = labels[0]
        first = row + 1
    return filled


def _holds_rows(fragments: Sequence[Fragment]) -> bool:
    """Whether values stand below each other in a cell."""
    lines = baseline_rows(fragments)
    return len(lines) > 1 and sum(all(_is_value(part.text) for part in line) for line in lines) > 1


def _slot_text(fragments: Sequence[Fragment]) -> str:
    return " ".join(fragment.text for row in baseline_rows(fragments) for fragment in row)

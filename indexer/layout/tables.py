"""Tables, by the lines drawn around their cells or by the alignment of their text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean

from indexer.blocks import Block, Mark
from indexer.layout.lines import rows as baseline_rows
from indexer.layout.page import Fragment, Line, Rect, around
from indexer.tables import markdown_line
from kohaku.tree import Kind

THIN = 3.0  # points: a drawn rectangle no thicker is a line
TOUCH = 3.0  # points between lines that meet
MOST_RULINGS = 3000  # a page with more is a drawing
CELL_GAP = 0.9  # of the letter size between the cells of a row, at least
LONGEST_CELL = 90  # characters on average: longer ones are columns of prose
BLANK_ROWS = 4  # rows of one cell that may stand between rows of more
ROW_GAP = 3.2  # times the letter size between rows, at most

NUMBER = re.compile(
    r"[\s($€£¥~<>≈≤≥±+\-−–—]*\d[\d,.\s]*(?:[eE×]\s?[-−]?\d+)?\s*(?:%|[xX]|bps|pp|[KMBT])?[\s)%*†‡]*(?:\([a-z0-9]\))?"
    r"|[-–—−*]+|n\.?[/.]?[am]\.?|nm|–\s?%|[-—–]\s*%",
    re.IGNORECASE,
)
YEAR = re.compile(r"(?:FY\s?|Q[1-4]\s?)?(?:19|20)\d\d[A-Z]?\*?")
CURRENCY = re.compile(r"[$€£¥]|US\$|C\$|A\$")
TAIL = re.compile(r"[)%]+|\)\s?%|pts|bps|pp")
TRAILING_CURRENCY = re.compile(r"^(.*\S)\s+([$€£¥])$")
SCALE = re.compile(r"\b(?:millions?|thousands?|billions?)\b", re.IGNORECASE)
SCALE_PART = re.compile(r"\([^()]*\b(?:millions?|thousands?|billions?)\b[^()]*\)", re.IGNORECASE)
CAPTION = re.compile(r"(?:table|tab\.|tableau|tabelle|tabla|表)\s*[A-Z]?[\dIVX]+", re.IGNORECASE)
MARKER = re.compile(r"[•▪◦●○■□‣–—*·]|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]+)[.)]|\[\d+\]")


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells, one a column (empty where there is none), and its place."""

    cells: tuple[str, ...]
    rect: Rect


@dataclass(frozen=True, slots=True)
class Table:
    """A table: header cells (one a column), rows, the lines above that say what and in which unit."""

    page: int
    rect: Rect
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    header_rect: Rect | None = None
    caption: str = ""
    scale: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell before its column is known: its text and its place."""

    text: str
    rect: Rect


def block(table: Table) -> Block:
    """The table as a block: caption, scale and Markdown as its text, a sentence a row with its headers."""
    text = "\n".join(part for part in (table.caption, table.scale) if part)
    marks: list[Mark] = []
    rows = [(table.header, table.header_rect), *((row.cells, row.rect) for row in table.rows)]
    for place, (cells, rect) in enumerate(rows):
        text += "\n" if text else ""
        start = len(text)
        text += markdown_line(cells)
        if rect:
            marks.append(Mark(start, len(text), rect.on(table.page)))
        if place == 0:
            text += "\n" + markdown_line(["---"] * len(cells))
    sentences = tuple(sentence(row.cells, table.header, table.scale) for row in table.rows)
    return Block(
        Kind.TABLE,
        text,
        title=table.caption,
        marks=tuple(marks),
        page=table.page,
        sentences=tuple(filter(None, sentences)),
    )


def sentence(cells: Sequence[str], header: Sequence[str], scale: str = "") -> str:
    """A row that can be read alone.

    >>> sentence(["LLaMA-33B", "64.7"], ["Model", "Size (GB)"])
    'Model: LLaMA-33B; Size (GB): 64.7'
    """
    parts = [f"{head}: {cell}" if head else cell for head, cell in zip(header, cells, strict=True) if cell]
    if not parts:
        return ""
    valued = sum(bool(cell) for cell in cells) > 1
    return "; ".join(parts) + (f" {scale}" if scale and valued and scale not in "".join(header) else "")


def grids(fragments: Sequence[Fragment], rulings: Sequence[Rect], page: int) -> list[tuple[Table, set[int]]]:
    """Tables drawn as grids, each with the ids of the fragments that it holds."""
    if not 4 <= len(rulings) <= MOST_RULINGS:
        return []
    found: list[tuple[Table, set[int]]] = []
    for xs, ys in _meshes(rulings):
        area = Rect(xs[0], ys[0], xs[-1], ys[-1])
        inside = [fragment for fragment in fragments if area.holds(fragment.rect)]
        table = _gridded(inside, xs, ys, page) if len(inside) >= 4 else None
        if table:
            found.append((table, set(map(id, inside))))
    return found


def aligned(lines: Sequence[Line]) -> list[tuple[int, int, Table]]:
    """Tables among a column's lines, by the alignment of their cells: (first line, last line, table)."""
    cells = [_cells(line) for line in lines]
    found: list[tuple[int, int, Table]] = []
    start = 0
    while start < len(lines):
        if len(cells[start]) < 2:
            start += 1
            continue
        end = _run_end(lines, cells, start)
        table = _table(lines, cells, start, end)
        if table is None:
            start = end + 1
            continue
        first = _headed_from(lines, cells, start, found[-1][1] + 1 if found else 0, table)
        table = _table(lines, cells, first, end) or table if first < start else table
        found.append((first, end, table))
        start = end + 1
    return found


# Cells of a line


def _cells(line: Line) -> list[Cell]:
    """The line's cells: fragments that touch are one, a currency sign goes to its number, a percent sign too."""
    groups: list[list[Fragment]] = []
    for fragment in sorted(line.cells, key=lambda fragment: fragment.rect.x0):
        if groups and fragment.rect.x0 - groups[-1][-1].rect.x1 < CELL_GAP * line.style.size:
            groups[-1].append(fragment)
        else:
            groups.append([fragment])
    return _with_signs([Cell(_joined(group), around(fragment.rect for fragment in group)) for group in groups])


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
        text, rect = cell.text, cell.rect
        if CURRENCY.fullmatch(text):
            sign = cell
            continue
        if TAIL.fullmatch(text) and result:
            result[-1] = Cell(result[-1].text + text, around((result[-1].rect, rect)))
            continue
        if sign:
            text = sign.text + text
            sign = None
        trailing = TRAILING_CURRENCY.match(text)
        if trailing:
            text = trailing[1]
            share = rect.width * len(text) / len(cell.text)
            sign = Cell(trailing[2], Rect(rect.x1 - 1, rect.y0, rect.x1, rect.y1))
            rect = Rect(rect.x0, rect.y0, rect.x0 + share, rect.y1)
        result.append(Cell(text, rect))
    if sign and result:
        result[-1] = Cell(f"{result[-1].text} {sign.text}", around((result[-1].rect, sign.rect)))
    elif sign:
        result.append(sign)
    return result


def _is_value(text: str) -> bool:
    return NUMBER.fullmatch(text.strip()) is not None


# Tables by alignment


def _run_end(lines: Sequence[Line], cells: Sequence[Sequence[Cell]], start: int) -> int:
    """The last line of the run of rows that starts here; single cells (labels) may lie between."""
    end, data = start, int(_has_data(cells[start]))
    for place in range(start + 1, len(lines)):
        line = lines[place]
        if data > 1 and _heads_anew(cells[place], cells[start]):
            break
        data += _has_data(cells[place])
        if line.base - lines[place - 1].base > ROW_GAP * max(line.style.size, lines[place - 1].style.size):
            break
        if place - end > BLANK_ROWS:
            break
        if len(cells[place]) > 1:
            end = place
        elif len(cells[place][0].text) > LONGEST_CELL or _fills(line):
            break
    return end


def _has_data(row: Sequence[Cell]) -> bool:
    return any(_is_value(cell.text) and not YEAR.fullmatch(cell.text.strip()) for cell in row[1:])


def _heads_anew(row: Sequence[Cell], first: Sequence[Cell]) -> bool:
    """Whether a row after rows of values heads another table: nothing but words and years, over the values."""
    if len(row) < 2 or any(_is_value(cell.text) and not YEAR.fullmatch(cell.text.strip()) for cell in row):
        return False
    return len(row) > 2 or row[0].rect.x0 > first[0].rect.x1


def _fills(line: Line) -> bool:
    return line.rect.width > 0.75 * line.column.width and len(line.text) > 40


def _headed_from(lines: Sequence[Line], cells: Sequence[Sequence[Cell]], start: int, lowest: int, table: Table) -> int:
    """The first of the lines right above that head the table's columns: over the values, not over the labels."""
    first = start
    for place in range(start - 1, max(lowest, start - 4) - 1, -1):
        line, below = lines[place], lines[place + 1]
        if below.base - line.base > 2.0 * max(line.style.size, below.style.size) or len(cells[place]) > 1:
            break
        cell = cells[place][0]
        if cell.rect.x0 < table.rect.x0 + 0.25 * table.rect.width or len(cell.text) > LONGEST_CELL:
            break
        first = place
    return first


def _table(lines: Sequence[Line], cells: Sequence[Sequence[Cell]], start: int, end: int) -> Table | None:
    """The rows as a table, None where they make no plausible one."""
    rows = [list(cells[place]) for place in range(start, end + 1)]
    several = [row for row in rows if len(row) > 1]
    if len(several) < 2 or len(several) * 3 < len(rows):
        return None
    columns = _columns(rows)
    if len(columns) < 2:
        return None
    placed = [_placed(row, columns) for row in rows]
    rects = [around(cell.rect for cell in row) for row in rows]
    numeric = _numeric(placed)
    heads = _header_rows(placed, lines[start : end + 1], numeric)
    columns = [column for place, column in enumerate(columns) if any(row[place] for row in placed[heads:])]
    if len(columns) < 2:
        return None
    placed = [_placed(row, columns) for row in rows]
    header = _header(rows[:heads], columns)
    body = _body(placed[heads:], rects[heads:], numeric)
    if not _plausible(placed[heads:], header, numeric, lines[start : end + 1]):
        return None
    whole = around(rects)
    scale = next((part[0] for head in header if (part := SCALE_PART.search(head))), "")
    header = [" ".join(head.replace(scale, "").split()) if scale else head for head in header]
    head_rect = around(rects[:heads]) if heads else None
    return Table(lines[start].page, whole, tuple(header), tuple(body), head_rect, "", scale)


def _columns(rows: Sequence[Sequence[Cell]]) -> list[tuple[float, float]]:
    """The columns' left and right ends; cells over several columns don't count, narrow ones come first."""
    cells = sorted((cell for row in rows if len(row) > 1 for cell in row), key=lambda cell: cell.rect.width)
    spans: list[list[float]] = []
    for cell in cells:
        touched = [span for span in spans if cell.rect.x0 < span[1] + 1 and span[0] - 1 < cell.rect.x1]
        if not touched:
            spans.append([cell.rect.x0, cell.rect.x1])
        elif len(touched) == 1:
            touched[0][0] = min(touched[0][0], cell.rect.x0)
            touched[0][1] = max(touched[0][1], cell.rect.x1)
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
    return any(cell.rect.x0 < column[1] and column[0] < cell.rect.x1 for cell in row)


def _placed(row: Sequence[Cell], columns: Sequence[tuple[float, float]]) -> list[str]:
    """The row's texts by column: each in the column that it shares most with, else in the nearest."""
    texts = [""] * len(columns)
    for cell in row:
        best = max(
            range(len(columns)),
            key=lambda place: min(cell.rect.x1, columns[place][1]) - max(cell.rect.x0, columns[place][0]),
        )
        if cell.rect.x0 < columns[best][0] - 1 and len(row) == 1:
            best = next(place for place, column in enumerate(columns) if cell.rect.x0 < column[1])
        texts[best] = f"{texts[best]} {cell.text}".strip()
    return texts


def _numeric(placed: Sequence[Sequence[str]]) -> bool:
    values = [text for row in placed for text in row[1:] if text]
    return bool(values) and sum(map(_is_value, values)) * 2 >= len(values)


def _header_rows(placed: Sequence[Sequence[str]], lines: Sequence[Line], numeric: bool) -> int:
    """How many of the first rows head the columns."""
    if not numeric:
        several = [place for place, row in enumerate(placed) if sum(map(bool, row)) > 1]
        first = several[0] if several else 0
        return first + 1
    count = 0
    for row in placed:
        values = [text for text in row[1:] if text]
        data = [text for text in values if _is_value(text) and not YEAR.fullmatch(text.strip())]
        labelled = bool(row[0]) and not SCALE.search(row[0])
        years = values and all(YEAR.fullmatch(text.strip()) for text in values)
        if data and (labelled or len(data) * 2 > len(values)):
            break
        if labelled and not values:
            break
        if labelled and years and count:
            break
        count += 1
    return count if count < len(placed) else 0


def _header(rows: Sequence[Sequence[Cell]], columns: Sequence[tuple[float, float]]) -> list[str]:
    """A head for each column: the cells above it from the top, those over several columns for each of them."""
    heads: list[list[str]] = [[] for _ in columns]
    for number, row in enumerate(rows, start=1):
        over_values = [cell for cell in row if cell.rect.x1 > columns[1][0]]
        if number < len(rows) and over_values and len(over_values) < len(columns) - 1:
            for cell in row:
                if cell not in over_values:
                    heads[0].append(cell.text)
            for place, column in enumerate(columns[1:], start=1):
                nearest = min((abs(_middle(cell) - sum(column) / 2), cell.text) for cell in over_values)
                heads[place].append(nearest[1])
            continue
        for cell in row:
            for place in _under(cell, columns):
                heads[place].append(cell.text)
    return [" ".join(parts) for parts in heads]


def _middle(cell: Cell) -> float:
    return (cell.rect.x0 + cell.rect.x1) / 2


def _under(cell: Cell, columns: Sequence[tuple[float, float]]) -> list[int]:
    """The columns that a head stands over, at least the nearest."""
    over = [
        place
        for place, (left, right) in enumerate(columns)
        if min(cell.rect.x1, right) - max(cell.rect.x0, left) > 0.3 * min(cell.rect.width, right - left)
    ]
    return over or [min(range(len(columns)), key=lambda place: abs(sum(columns[place]) / 2 - _middle(cell)))]


def _body(placed: Sequence[Sequence[str]], rects: Sequence[Rect], numeric: bool) -> list[Row]:
    """Rows, lines that only go on with a cell joined to the row they belong to."""
    result: list[Row] = []
    waiting: tuple[str, Rect] | None = None
    for texts, rect in zip(placed, rects, strict=True):
        filled = [text for text in texts if text]
        row = list(texts)
        if waiting and row[0][:1].islower() and len(filled) > 1:
            row[0] = f"{waiting[0]} {row[0]}"
            rect = around((waiting[1], rect))
            result.pop()
        waiting = None
        if result and not row[0] and not any(map(_is_value, filled)):
            before = result[-1]
            joined = tuple(f"{a} {b}".strip() for a, b in zip(before.cells, row, strict=True))
            result[-1] = Row(joined, around((before.rect, rect)))
            continue
        if numeric and row[0] and len(filled) == 1:
            waiting = (row[0], rect)
        result.append(Row(tuple(row), rect))
    return result


def _plausible(placed: Sequence[Sequence[str]], header: Sequence[str], numeric: bool, lines: Sequence[Line]) -> bool:
    texts = [text for row in placed for text in row if text]
    several = [row for row in placed if sum(map(bool, row)) > 1]
    if not texts or mean(map(len, texts)) > LONGEST_CELL or any("@" in text for text in texts[:12]):
        return False
    firsts = [row[0] for row in several if row[0]]
    if firsts and sum(MARKER.fullmatch(text) is not None for text in firsts) * 2 > len(firsts):
        return False  # a list: markers and text
    if numeric:
        values = sum(_is_value(text) for row in several for text in row[1:])
        return len(several) >= 2 and values >= 3
    filled = mean(sum(map(bool, row)) for row in several) / len(header) if several else 0.0
    words = mean(len(text.split()) for text in texts)
    return len(several) >= 3 and len(header) > 2 and filled > 0.7 and words < 6 and not lines[0].style.mono


# Tables by rulings


def _meshes(rulings: Sequence[Rect]) -> list[tuple[list[float], list[float]]]:
    """The grids that touching lines make: the places of their vertical and horizontal lines."""
    uprights = [rect for rect in rulings if rect.width <= THIN and rect.height > 6]
    levels = [rect for rect in rulings if rect.height <= THIN and rect.width > 6]
    if len(uprights) < 3 or len(levels) < 3:
        return []
    groups: list[list[Rect]] = []
    for rect in sorted(uprights + levels, key=lambda rect: (rect.y0, rect.x0)):
        grown = Rect(rect.x0 - TOUCH, rect.y0 - TOUCH, rect.x1 + TOUCH, rect.y1 + TOUCH)
        touching = [group for group in groups if group[0].overlaps(grown)]
        if not touching:
            groups.append([around((rect,)), rect])
            continue
        home = touching[0]
        home.append(rect)
        home[0] = around((home[0], rect, *(group[0] for group in touching[1:])))
        for group in touching[1:]:
            home += group[1:]
            groups.remove(group)
    meshes: list[tuple[list[float], list[float]]] = []
    for hull, *group in groups:
        xs = _places([(rect.x0 + rect.x1) / 2 for rect in group if rect.width <= THIN and rect.height > 6])
        ys = _places([(rect.y0 + rect.y1) / 2 for rect in group if rect.height <= THIN and rect.width > 6])
        if len(xs) > 2 and len(ys) > 2 and hull.width > 60:
            meshes.append((xs, ys))
    return meshes


def _places(values: Sequence[float]) -> list[float]:
    result: list[float] = []
    for value in sorted(values):
        if not result or value - result[-1] > TOUCH:
            result.append(value)
    return result


def _gridded(fragments: Sequence[Fragment], xs: Sequence[float], ys: Sequence[float], page: int) -> Table | None:
    slots: dict[tuple[int, int], list[Fragment]] = {}
    for fragment in fragments:
        x, y = (fragment.rect.x0 + fragment.rect.x1) / 2, (fragment.rect.y0 + fragment.rect.y1) / 2
        column = max(0, sum(place <= x for place in xs) - 1)
        # A fragment over several columns starts where its left edge is.
        if fragment.rect.width > 1.1 * (xs[min(column + 1, len(xs) - 1)] - xs[column]):
            column = max(0, sum(place <= fragment.rect.x0 + 2 for place in xs) - 1)
        row = max(0, sum(place <= y for place in ys) - 1)
        slots.setdefault((row, column), []).append(fragment)
    width, height = len(xs) - 1, len(ys) - 1
    if len(slots) < 4 or len(slots) * 4 < width * height:
        return None
    texts = [[_slot_text(slots.get((row, column), ())) for column in range(width)] for row in range(height)]
    kept = [row for row in range(height) if any(texts[row])]
    used = [column for column in range(width) if any(texts[row][column] for row in kept)]
    if len(kept) < 2 or len(used) < 2 or mean(len(text) for row in texts for text in row if text) > 3 * LONGEST_CELL:
        return None
    rows = [
        Row(tuple(texts[row][column] for column in used), Rect(xs[0], ys[row], xs[-1], ys[row + 1])) for row in kept
    ]
    whole = Rect(xs[0], ys[0], xs[-1], ys[-1])
    values = [_is_value(cell) for cell in rows[0].cells if cell]
    if values and sum(values) * 2 > len(values):
        return Table(page, whole, ("",) * len(used), tuple(rows))
    return Table(page, whole, rows[0].cells, tuple(rows[1:]), rows[0].rect)


def _slot_text(fragments: Sequence[Fragment]) -> str:
    return " ".join(fragment.text for row in baseline_rows(fragments) for fragment in row)

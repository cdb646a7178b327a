"""A table, however it was found: its rows and heads, what is said of it above and below, and its block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indexer import tables
from indexer.blocks import Block, Mark
from indexer.layout.page import Line, Rect, Style, around
from indexer.layout.values import PERIOD, YEAR, is_value
from indexer.tables import CAPTION
from kohaku import rows as written

LINES_ABOVE = 5  # that may tell a table's caption, scale or period
LINES_BETWEEN = 6  # of text between two parts of a table, at most


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


def block(table: Table) -> Block:
    """The table as a block: scale and Markdown as its text, a sentence a row with its headers."""
    placed = tables.labelled([row.cells for row in table.rows], [row.indent for row in table.rows])
    boxes = [table.header_rect.on(table.page) if table.header_rect else None]
    boxes += [row.rect.on(row.page) for row in table.rows]
    made = tables.block(table.header, placed, caption=table.caption, scale=table.scale, boxes=boxes)
    if table.told_rect and made.text:  # the first letter brings the caption's place with it
        made = replace(made, marks=(Mark(0, 1, table.told_rect.on(table.page)), *made.marks))
    return replace(made, page=table.page)


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
    return not table.is_headed or sum(map(is_value, cells)) * 2 < len(cells)


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


def without_scale(header: Sequence[str], scale: str) -> tuple[tuple[str, ...], str]:
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


def _under_period(header: Sequence[str], period: str) -> tuple[str, ...]:
    if not period:
        return tuple(header)
    return (header[0], *(f"{period}{written.LEVEL}{head}" if head else "" for head in header[1:]))

"""Tables as text: Markdown for the eye, one sentence a row for the search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexer.blocks import Block
from indexer.clean import clean
from kohaku.tree import Kind

Row = Sequence[str]

MOST_REPEATED = 2_000_000  # characters that cells which span may add: some kilobytes of a file can ask for billions
YEAR = re.compile(r"(?:FY\s?|[QH][1-4]\s?)?(?:19|20)\d\d(?:\s?[/–-]\s?\d{2,4})?[EeAaFf]?")


@dataclass(slots=True)
class Room:
    """How many characters the cells of a table that span several may still add to it by being repeated."""

    left: int = MOST_REPEATED

    def holds(self, text: str, times: int) -> bool:
        """Whether there is room for that many repetitions; it is then taken."""
        needed = (len(text) + 1) * times
        if needed > self.left:
            return False
        self.left -= needed
        return True


def names_columns(cells: Row) -> bool:
    """Whether a first row reads as a head: words or years in every column but perhaps the first.

    >>> names_columns(["", "2022", "2023"]), names_columns(["Model", "kWh"]), names_columns(["T5", "86"])
    (True, True, False)
    """
    return (
        len(cells) > 1 and all(cells[1:]) and all(YEAR.fullmatch(cell) or not re.search(r"\d", cell) for cell in cells)
    )


def table(rows: Sequence[Row], *, headers: int = 1, title: str = "") -> Block:
    """A table block of a grid of cells, the first `headers` rows being its head (0: it has none)."""
    width = max((len(row) for row in rows), default=0)
    grid = [[clean(cell) for cell in row] + [""] * (width - len(row)) for row in rows]
    head = merged(grid[:headers], width)
    body = [row for row in grid[headers:] if any(row)]
    return Block(
        kind=Kind.TABLE,
        text=markdown(head, body),
        title=clean(title),
        sentences=tuple(filter(None, (sentence(head, row) for row in body))),
    )


def merged(head: Sequence[Row], width: int) -> list[str]:
    """Several header rows as one, each name once: a cell that spans columns stands above all of them.

    >>> merged([["Water", "Water", "PUE"], ["On-site", "Off-site", "PUE"]], 3)
    ['Water On-site', 'Water Off-site', 'PUE']
    """
    return [" ".join(dict.fromkeys(row[column] for row in head if row[column])) for column in range(width)]


def sentence(head: Row, row: Row) -> str:
    """A row that makes sense read alone: every cell after its column's name.

    >>> sentence(["Model", "kWh", ""], ["GPT-3", "1287", "yes"])
    'Model: GPT-3; kWh: 1287; yes'
    >>> sentence(["", "", ""], ["2020", "5", "5"])
    '2020; 5; 5'
    """
    said: set[tuple[str, str]] = set()
    parts: list[str] = []
    for name, cell in zip(head, row, strict=True):
        if cell and (not name or (name, cell) not in said):  # a cell that spans columns of one name is said once
            parts.append(f"{name}: {cell}" if name else cell)
        said.add((name, cell))
    return "; ".join(parts)


def markdown(head: Row, body: Sequence[Row]) -> str:
    """The table in Markdown: head, rule, and a line a row."""
    lines = [markdown_line(head), markdown_line(["---"] * len(head)), *map(markdown_line, body)]
    return "\n".join(lines) if head else ""


def markdown_line(cells: Row) -> str:
    """Cells as a line of a Markdown table.

    >>> markdown_line(["a|b", ""])
    '| a\\\\|b |  |'
    """
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

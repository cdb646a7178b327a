"""Tables as blocks: Markdown for the eye, one sentence a row for the search."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexer.blocks import Block, Mark
from indexer.clean import clean
from kohaku import rows as written
from kohaku.tree import Box, Kind

SAME_INDENT = 1.5  # points
LONGEST_LABEL = 140  # characters: a longer line above rows is no label of theirs
CAPTION = re.compile(r"(?:table|tab\.|tableau|tabelle|tabla|表)\s*[A-Z]?[\dIVX]+", re.IGNORECASE)
BEFORE_NUMBER = re.compile(r"(?:US|[ACS]|HK|NT|R)?[$€£¥₩₹]|\(|[$€£¥]\s?\(")
AFTER_NUMBER = re.compile(r"\)\s?%?|%\s?\)?|bps|pp")
STARTS_NUMBER = re.compile(r"[\d(.–—-]")
ENDS_NUMBER = re.compile(r"[\d–—-]\)?$")
TOTAL = re.compile(r"(?:sub-?)?total\b", re.IGNORECASE)

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


@dataclass(frozen=True, slots=True)
class Placed:
    """A row of a table's body: its cells, the labels that stand over it, whether it is one for those below."""

    cells: tuple[str, ...]
    labels: tuple[str, ...] = ()
    is_label: bool = False

    @property
    def line(self) -> str:
        """The row as a line of Markdown."""
        return written.line(self.cells, len(self.labels))


def table(rows: Sequence[Row], *, headers: int = 1, title: str = "") -> Block:
    """A table block of a grid of cells, the first `headers` rows being its head (0: it has none)."""
    width = max((len(row) for row in rows), default=0)
    grid = [[clean(cell) for cell in row] + [""] * (width - len(row)) for row in rows]
    head = merged(grid[:headers], width)
    body = [_with_signs(_without_repeats(row)) for row in grid[headers:] if any(row)]
    head, body = _without_blank_columns(head, body)
    scale = ""
    if head and written.says_scale(head[0]):
        scale, head[0] = head[0], ""
    return block(head, labelled(body), caption=clean(title), scale=scale)


def block(
    header: Row,
    rows: Sequence[Placed],
    *,
    caption: str = "",
    scale: str = "",
    boxes: Sequence[Box | None] = (),
) -> Block:
    """A table block: scale and Markdown as its text, each row's sentence with head, labels, scale and caption.

    `boxes` are those of the head and of each row, where the format knows them.
    """
    lines = [written.line(header), written.line(["---"] * len(header)), *(row.line for row in rows)] if header else []
    start = len(scale) + 1 if scale else 0
    marks: list[Mark] = []
    for number, line in enumerate(lines):
        place = 0 if number == 0 else number - 1  # of the box: the rule has none
        if number != 1 and place < len(boxes) and (box := boxes[place]):
            marks.append(Mark(start, start + len(line), box))
        start += len(line) + 1
    return Block(
        kind=Kind.TABLE,
        text="\n".join(filter(None, [scale, *lines])),
        title=caption,
        marks=tuple(marks),
        sentences=tuple(
            "" if row.is_label else written.sentence(header, row.cells, row.labels, scale, caption) for row in rows
        ),
    )


def told(table: Block, *, scale: str = "", caption: str = "") -> Block:
    """A table with a scale and a caption that stand apart from it; what it had of them stays."""
    title = f"{caption} {table.title}".strip()
    head = table.text.split("\n", 1)[0]
    text = f"{scale}\n{table.text}" if scale else table.text
    shift = len(text) - len(table.text)
    marks = tuple(mark._replace(start=mark.start + shift, end=mark.end + shift) for mark in table.marks)
    sentences = tuple(written.told(row, scale, title, head) if row else row for row in table.sentences)
    return replace(table, text=text, title=title, sentences=sentences, marks=marks)


# ---- labels over rows


@dataclass(slots=True)
class _Label:
    """A label that holds for rows below it: how far it is indented, and whether they are indented as it is."""

    text: str
    indent: float
    is_flat: bool = False


def labelled(rows: Sequence[Row], indents: Sequence[float] = ()) -> tuple[Placed, ...]:
    """The rows with the labels that stand over each; `indents`, in points, tell whose they are where they differ.

    >>> [row.labels for row in labelled([["Costs:", ""], ["Rent", "5"], ["Total", "5"], ["Tax", "1"]])]
    [(), ('Costs:',), ('Costs:',), ()]
    """
    places = list(indents) or [0.0] * len(rows)
    kinds = [_is_label(row) for row in rows]
    last = max((number for number, is_label in enumerate(kinds) if not is_label), default=0)
    held: list[_Label] = []
    result: list[Placed] = []
    used = False
    for number, (row, indent) in enumerate(zip(rows, places, strict=True)):
        if kinds[number] and number < last:
            below = places[number + 1]
            if below < indent - SAME_INDENT:  # set in the middle: over all that follows
                held, indent = [], -1.0
            held = _above(held, indent, below > indent + SAME_INDENT, used)
            result.append(Placed(tuple(row), tuple(label.text for label in held), is_label=True))
            held.append(_Label(row[0], indent, below <= indent + SAME_INDENT))
            used = False
            continue
        used = True
        held = [
            label
            for label in held
            if label.indent < indent - SAME_INDENT or (label.is_flat and label.indent <= indent + SAME_INDENT)
        ]
        result.append(Placed(tuple(row), tuple(label.text for label in held)))
        if TOTAL.match(row[0]):
            held = [label for label in held if label.indent < indent - SAME_INDENT]
    return tuple(_only_over_rows(result))


def _above(held: Sequence[_Label], indent: float, is_over_deeper: bool, used: bool) -> list[_Label]:
    """The labels that hold for a label as far indented as that."""
    result = [label for label in held if label.indent <= indent + SAME_INDENT]
    while result and result[-1].indent > indent - SAME_INDENT:
        if not used or (is_over_deeper and result[-1].is_flat):
            break  # right under the other label, or one row with parts among that one's rows
        result.pop()
    return result[:3]


def _is_label(row: Row) -> bool:
    says = any(map(str.isalpha, row[0])) or YEAR.fullmatch(row[0]) is not None
    return says and written.is_label(row) and len(row[0]) <= LONGEST_LABEL


def _only_over_rows(rows: Sequence[Placed]) -> Iterator[Placed]:
    """The rows, labels that nothing stands under being rows as any other."""
    for number, row in enumerate(rows):
        depth = len(row.labels) + 1
        after = rows[number + 1] if number + 1 < len(rows) else None
        if row.is_label and (after is None or len(after.labels) < depth or after.labels[depth - 1] != row.cells[0]):
            yield replace(row, is_label=False)
        else:
            yield row


# ---- heads


def merged(head: Sequence[Row], width: int) -> list[str]:
    """Several header rows as one, each name once: a cell that spans columns stands above all of them.

    >>> merged([["Water", "Water", "PUE"], ["On-site", "Off-site", "PUE"]], 3)
    ['Water › On-site', 'Water › Off-site', 'PUE']
    """
    names = (dict.fromkeys(row[column] for row in head if row[column]) for column in range(width))
    return [written.LEVEL.join(name) for name in names]


def _without_repeats(row: Row) -> Row:
    """A row that one cell spans as a label: said once.

    >>> _without_repeats(["Costs", "Costs", "Costs"])
    ['Costs', '', '']
    """
    spans = len(row) > 1 and len(set(row)) == 1 and any(map(str.isalpha, row[0]))
    return [row[0], *[""] * (len(row) - 1)] if spans else row


def _with_signs(row: Row) -> list[str]:
    """A row whose currency signs, brackets and percent signs stand with their numbers, not in cells of their own.

    >>> _with_signs(["Sales", "$", "(5", ")%", "$", "", "6", "%"])
    ['Sales', '', '$(5)%', '', '', '', '$6%', '']
    """
    cells = list(row)
    for place, cell in enumerate(cells):
        if BEFORE_NUMBER.fullmatch(cell):
            following = next((at for at in range(place + 1, len(cells)) if cells[at]), None)
            if following is not None and STARTS_NUMBER.match(cells[following]):
                cells[following], cells[place] = cell + cells[following], ""
        elif place and AFTER_NUMBER.fullmatch(cell):
            before = next((at for at in range(place - 1, -1, -1) if cells[at]), None)
            if before is not None and ENDS_NUMBER.search(cells[before]):
                cells[before], cells[place] = cells[before] + cell, ""
    return cells


def _without_blank_columns(head: Row, body: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """The columns that hold something: pages set signs, and air, in columns of their own, under the head of others."""
    width = max(len(head), *(len(row) for row in body), 0) if body else len(head)
    kept = [
        place
        for place in range(width)
        if any(row[place] for row in body)
        or not body
        or (head and head[place] and head[place] not in _beside(head, place))
    ]
    return [head[place] for place in kept] if head else [], [[row[place] for place in kept] for row in body]


def _beside(head: Row, place: int) -> tuple[str, ...]:
    return (*head[max(place - 1, 0) : place], *head[place + 1 : place + 2])

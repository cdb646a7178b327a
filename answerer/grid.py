"""The values in the tables of a text, each with what is over it and beside it: Markdown, and rows told as sentences."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from answerer import cells
from answerer.cells import Scale, is_unscaled, scale_of, unit_in
from answerer.units import Unit, is_money
from kohaku import rows
from kohaku.rows import LEVEL, UNDER

LINES_OVER = 3
"""Lines over a table that may name its scale or its unit: a caption, and one or two that say nothing else."""
LONGEST_LINE = 240  # characters of such a line: what is longer is a paragraph about something


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands in a text, and what says what it is.

    `head` is over it and `label` names its row, both as far as the table has them, `over` are the labels above that
    one; `about` are the table's corner and the lines over it, the nearest first. Two values are of one table, row or
    column where the numbers say so.
    """

    start: int
    end: int
    table: int
    row: int
    column: int
    head: str
    label: str
    over: str = ""
    about: tuple[str, ...] = ()

    def scale(self) -> Scale | None:
        """What the value is to be multiplied by, None where that is not said or holds for no share, ratio or rate."""
        own = (self.head, self.label)
        named = next(filter(None, map(scale_of, own)), None)
        if named is not None or is_unscaled(self.label, self.head):
            return named
        named = next(filter(None, map(scale_of, (self.over, *self.about))), None)
        units = [found for found in map(unit_in, own) if found is not None and not is_money(found)]
        return None if units else named

    def unit(self) -> Unit | None:
        """The unit that the head, the label or a line over the table names, without a scale that goes with it."""
        said = (self.head, self.label, self.over, *self.about)
        own = said[:2] if is_unscaled(self.label, self.head) else said
        for text in own:
            if (named := unit_in(text)) is not None:
                scale = scale_of(text)
                goes_with = scale is not None and named.factor % scale.factor == 0 and named.factor >= scale.factor
                return Unit(named.dimension, named.factor / scale.factor) if scale and goes_with else named
        scale = self.scale()
        return scale.currency if scale is not None else None


def is_row(line: str) -> bool:
    """Whether a line is a table's row, in Markdown or told as a sentence."""
    return line.startswith("|") or rows.is_row(line)


@lru_cache(maxsize=512)
def places(text: str) -> tuple[Place, ...]:
    """Every value of the tables in a text, in order.

    >>> [(one.head, one.label, one.about) for one in places("Sales ($m)\\n| | 2023 |\\n| --- | --- |\\n| Oslo | 5 |")]
    [('2023', 'Oslo', ('', 'Sales ($m)'))]
    """
    return tuple(_places(text))


def place_at(text: str, position: int) -> Place | None:
    """The value of a table that covers a place in the text."""
    found = places(text)
    at = bisect_right(found, position, key=lambda one: one.start) - 1
    return found[at] if at >= 0 and position < found[at].end else None


def _places(text: str) -> Iterator[Place]:
    start = table = 0
    over: list[str] = []
    block: list[tuple[int, str]] = []
    for line in (*text.split("\n"), ""):
        if line.startswith("|"):
            block.append((start, line))
        else:
            if block:
                yield from _in_markdown(block, table, over)
                block, over, table = [], [], table + 1
            if rows.is_row(line):
                yield from _in_sentence(start, line, table, over)
                table += 1
            elif line.strip():
                over = [line.strip()[:LONGEST_LINE], *over][:LINES_OVER]
        start += len(line) + 1


def _in_markdown(block: Sequence[tuple[int, str]], table: int, over: Sequence[str]) -> Iterator[Place]:
    heads: list[str] = []
    labels: list[str] = []
    for row, (start, line) in enumerate(block):
        found = list(_cells(start, line))
        texts = [text for text, _ in found]
        if not texts or all(re.fullmatch(r":?-+:?", text) for text in texts):
            continue
        if not heads:
            heads = texts
            continue
        depth = texts[0].count(UNDER.strip())
        label = texts[0].replace(UNDER.strip(), "").strip()
        labels = labels[:depth]
        if rows.is_label([label, *texts[1:]]):
            labels.append(label)
            continue
        for column, (_, (first, last)) in enumerate(found[1:], start=1):
            head = heads[column] if column < len(heads) else ""
            yield Place(first, last, table, row, column, head, label, LEVEL.join(labels), (heads[0], *over))


def _cells(start: int, line: str) -> Iterator[tuple[str, tuple[int, int]]]:
    bars = [match.start() for match in re.finditer(r"(?<!\\)\|", line)]
    for first, last in pairwise(bars):
        yield line[first + 1 : last].strip().replace("\\|", "|"), (start + first + 1, start + last)


def _in_sentence(start: int, line: str, table: int, over: Sequence[str]) -> Iterator[Place]:
    row = cells.row(line)
    labels = line[slice(*row.label)].strip()
    tail = line[row.end() :].strip()
    for column, cell in enumerate(row.cells, start=1):
        first, last = cell.value
        head = cells.text_of(row, cell.head)
        above, _, label = labels.rpartition(LEVEL)
        yield Place(start + first, start + last, table, 0, column, head, label, above, (tail, *over))

"""What running text looks like in a document, and where it begins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from indexer.layout.page import Line, Style
from indexer.letters import has_letters

SAME_SIZE = 0.6  # points within which two sizes are the same
RUNNING = 0.15  # of a document's characters stand in lines of running text, at least
LEAST_PROSE = 25  # characters of a line of it
FRONT_PAGES = 6  # title page, declarations and the like come before the text


def body_style(lines: Iterable[Line]) -> Style:
    """The style of the running text: the median size of its characters, and its commonest weight.

    Where no text runs on (a poster, a page of headlines), that of what is not bold.
    """
    everything: dict[Style, int] = {}
    running: dict[Style, int] = {}
    before: Line | None = None
    for line in lines:
        style, length = line[4], len(line[5])
        everything[style] = everything.get(style, 0) + length  # a Counter's own way takes twice as long
        if before and style == before[4] and _runs_on(before, line):
            running[style] = running.get(style, 0) + length
        before = line
    if not everything:
        return Style(10.0)
    whole = sum(everything.values())
    plain = {style: weight for style, weight in everything.items() if not style.bold}
    if sum(running.values()) > RUNNING * whole:
        weights = running
    else:
        weights = plain if sum(plain.values()) > RUNNING * whole else everything
    half, held = sum(weights.values()) / 2, 0
    size = 10.0
    for style, weight in sorted(weights.items(), key=lambda item: item[0].size):
        held += weight
        size = style.size
        if held >= half:
            break
    near = [style for style in weights if abs(style.size - size) <= SAME_SIZE]
    return max(near, key=lambda style: weights[style])


def first_prose(lines: Sequence[Line], body: Style) -> int:
    """The place of the first three lines of text in a row; the end of page 1 where the first pages have none."""
    first_page = lines[0].page if lines else 0
    run = 0
    for place, line in enumerate(lines):
        if line.page >= first_page + FRONT_PAGES:
            break
        width = sum(2 if character > "\u2e7f" else 1 for character in line.text[:60])
        like = -2.1 <= line.style.size - body.size <= 1.1  # an abstract may be smaller
        run = run + 1 if width >= 40 and like and not parted(line) else 0
        if run == 3:
            return place - 2
    return sum(line.page == first_page for line in lines)


def is_text(line: Line) -> bool:
    """Whether a line holds several words in a row, or as many letters of a script that writes no spaces."""
    text = line.text
    if len(line.cells) > 3 and len(text) < 15 * len(line.cells):
        return False
    if text.count(" ") > 2 and has_letters(text[:40], 12):
        return True
    if text.isascii():
        return False
    return has_letters(text[:40], 25) or sum("\u2e80" < c < "\uffef" for c in text[:40]) > 7


def parted(line: Line) -> bool:
    """Whether parts of the line stand apart, as names beside each other do."""
    cells = sorted(line.cells, key=lambda cell: cell.rect.x0)
    return any(after.rect.x0 - before.rect.x1 > 2 * line.style.size for before, after in pairwise(cells))


def _runs_on(line: Line, following: Line) -> bool:
    """Whether a line of the same style is the next of one text."""
    return (
        len(line.text) > LEAST_PROSE
        and 0 < following.base - line.base < 2.5 * line.style.size
        and line.column == following.column
    )

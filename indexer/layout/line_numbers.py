"""Numbers of lines, set beside a listing or along a draft's margin: they belong to no text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from indexer.layout.inks import Ink
from indexer.layout.page import Style

LONGEST = 4  # digits
LEAST_LISTED, LEAST_PROSE, LEAST_OF_TEXTS_SIZE = 3, 6, 12  # numbers on a page
STEPS = (1, 5)  # every line's number, or every fifth's
MOST_UNCOUNTED = 0.25  # of the steps down a column that neither count on nor begin anew
SAME_EDGE = 1.0  # points
SAME_LINE = 1.5  # points; a raised number is a note's mark or a verse's
SMALLER = 0.9  # of the size of the text beside
LEAST_GAP = 0.3  # of the size of the text beside
LISTED = 0.8  # of the lines beside that are code
BEGUN_SMALL = 0.4  # of prose's lines that begin with a small letter: of a table's or a list's rows few do
LEAST_LETTERS = 25  # of a line of prose

_base, _begin, _end = attrgetter("base"), attrgetter("rect.x0"), attrgetter("rect.x1")


def without_line_numbers(inks: Sequence[Ink]) -> Sequence[Ink]:
    """A page's text without columns of numbers that count the lines beside them."""
    numbers = [ink for ink in inks if ink[0].isdecimal() and len(ink[0]) <= LONGEST]
    if len(numbers) < LEAST_LISTED:
        return inks
    gone = {id(number) for column in _columns(numbers) if _counts(column, inks) for number in column}
    return [ink for ink in inks if id(ink) not in gone] if gone else inks


def _columns(numbers: Iterable[Ink]) -> Iterator[list[Ink]]:
    """Numbers of one look that end at one place, from the top."""
    looks: dict[Style, list[Ink]] = defaultdict(list)
    for number in numbers:
        looks[number.style].append(number)
    for alike in looks.values():
        column: list[Ink] = []
        for number in sorted(alike, key=_end):
            if column and number.rect.x1 - column[-1].rect.x1 > SAME_EDGE:
                yield sorted(column, key=_base)
                column = []
            column.append(number)
        yield sorted(column, key=_base)


def _counts(column: Sequence[Ink], inks: Sequence[Ink]) -> bool:
    """Whether a column counts the lines beside it: those of a listing, or of prose."""
    if len(column) < LEAST_LISTED or not _counts_up([int(number.text) for number in column]):
        return False
    found = [line for line in (_beside(number, inks) for number in column) if line]
    if len(found) * 2 < len(column) or len(found) < LEAST_LISTED:
        return False
    size, count = column[0].style.size, len(found)
    is_smaller = sum(size <= SMALLER * first.style.size for first, *_ in found) >= LISTED * count
    if is_smaller and sum(first.style.mono for first, *_ in found) >= LISTED * count:
        return True
    long = sum(sum(len(ink.text) for ink in line) >= LEAST_LETTERS for line in found)
    small = sum(first.text.lstrip()[:1].islower() for first, *_ in found)
    least = LEAST_PROSE if is_smaller else LEAST_OF_TEXTS_SIZE
    return count >= least and long * 2 > count and small >= BEGUN_SMALL * count


def _counts_up(values: Sequence[int]) -> bool:
    steps = [after - before for before, after in pairwise(values)]
    step = max(STEPS, key=steps.count)
    anew = sum(before >= after <= step for before, after in pairwise(values))
    counted = steps.count(step)
    return counted >= LEAST_LISTED - 1 and counted + anew >= (1 - MOST_UNCOUNTED) * len(steps)


def _beside(number: Ink, inks: Iterable[Ink]) -> list[Ink]:
    """The text that stands on the number's line, to the right of it and apart from it."""
    right = number.rect.x1
    line = [ink for ink in inks if -SAME_LINE < ink.base - number.base < SAME_LINE and ink.rect.x0 >= right]
    line = sorted((ink for ink in line if not ink.text.isspace()), key=_begin)
    is_apart = bool(line) and (line[0].text[0].isspace() or line[0].rect.x0 - right >= LEAST_GAP * line[0].style.size)
    return line if is_apart else []

"""Slides: each page is a section, its title the large text at its top."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from types import MappingProxyType
from typing import NamedTuple

from indexer.layout.candidates import LONGEST
from indexer.layout.headings import Heading
from indexer.layout.outline import places_by_page
from indexer.layout.page import Line

LEAST_PAGES = 3
WIDE = 0.8  # of the pages at least are wider than high
MOST_LETTERS = 900  # on the middle page: more are a report set sideways
TOP = 0.4  # of the page's height in which a title begins
AS_LARGE = 0.75  # of a title's size have its further lines
LARGER = 1.1  # times the usual size of the page's other text


class Shape(NamedTuple):
    """A page's size, and how many characters stand on it."""

    width: float
    height: float
    characters: int


def is_deck(pages: Iterable[Shape]) -> bool:
    """Whether the pages are slides: wide, and with few words on them."""
    written = [page for page in pages if page.characters]
    if len(written) < LEAST_PAGES or sum(page.width > page.height for page in written) < WIDE * len(written):
        return False
    return median(page.characters for page in written) <= MOST_LETTERS


def titles(
    lines: Sequence[Line], pages: Mapping[int, Shape], known: Mapping[int, tuple[int, int]] = MappingProxyType({})
) -> list[Heading]:
    """The slides' titles, all of one level but for those `known` from outline or tags: first place → (last, level).

    `pages` are these by number.
    """
    usual = Counter(level for _, level in known.values()).most_common(1)[0][0] if known else 1
    found: list[Heading] = []
    for page, on_page in places_by_page(lines).items():
        vouched = [
            Heading(place, known[place][0], known[place][1], _text(lines, place, known[place][0]))
            for place in on_page
            if place in known
        ]
        title = None if vouched else _title(lines, on_page, pages[page].height, usual)
        found += [title] if title else vouched
    return found


def _text(lines: Sequence[Line], first: int, last: int) -> str:
    return " ".join(line.text for line in lines[first : last + 1])


def _title(lines: Sequence[Line], places: Sequence[int], height: float, level: int) -> Heading | None:
    high = [place for place in places if lines[place].rect.y0 < TOP * height and _has_letters(lines[place])]
    if not high:
        return None
    first = min(high, key=lambda place: (-lines[place].style.size, lines[place].rect.y0))
    last = first
    size = lines[first].style.size
    while last + 1 in places and _goes_on(lines[last], lines[last + 1], size):
        last += 1
    text = _text(lines, first, last)
    others = [lines[place].style.size for place in places if not first <= place <= last]
    if len(text) > LONGEST or (others and size < LARGER * median(others)):
        return None
    return Heading(first, last, level, text)


def _goes_on(line: Line, following: Line, size: float) -> bool:
    return (
        following.style.size >= AS_LARGE * size
        and following.style.color == line.style.color
        and 0 < following.base - line.base < 1.6 * size
    )


def _has_letters(line: Line) -> bool:
    return sum(map(str.isalpha, line.text)) > 1

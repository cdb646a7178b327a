"""A PDF's outline, believed only where its titles stand on the pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from indexer.layout.numbering import numbering_depth
from indexer.layout.page import Line

TRUSTED = 0.5  # of the entries must stand on the pages, else the outline belongs to another file
MOST_LINES = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an outline; its page may be wrong."""

    level: int
    title: str
    page: int


def placed(entries: Sequence[Entry], lines: Sequence[Line]) -> dict[int, tuple[int, int]]:
    """Where the entries' titles stand: place of the first line → (place of the last, level). Empty where few do.

    A page that is wrong by one is forgiven; levels are renumbered so that none is skipped.
    """
    by_page = places_by_page(lines)
    found: dict[int, tuple[int, int]] = {}
    for entry in entries:
        wanted = letters(entry.title)
        if len(wanted) < 2:
            continue
        for page in (entry.page, entry.page + 1, entry.page - 1):
            spot = _find(wanted, lines, by_page.get(page, ()), found)
            if spot:
                found[spot[0]] = (spot[1], entry.level)
                break
    if len(found) < max(2, TRUSTED * len(entries)):
        return {}
    ranks = {level: rank for rank, level in enumerate(sorted({level for _, level in found.values()}), start=1)}
    return {first: (last, ranks[level]) for first, (last, level) in sorted(found.items())}


def places_by_page(lines: Iterable[Line]) -> dict[int, range]:
    """The places of each page's lines."""
    found: dict[int, range] = {}
    end = 0
    for page, on_page in groupby(lines, itemgetter(Line._fields.index("page"))):
        start, end = end, end + sum(1 for _ in on_page)
        found[page] = range(start, end)
    return found


def letters(title: str) -> str:
    """A title's letters alone, for comparing: no numbering, case or marks."""
    return re.sub(r"[\W\d_]+", "", title.casefold())


def _find(
    wanted: str, lines: Sequence[Line], places: Sequence[int], taken: dict[int, tuple[int, int]]
) -> tuple[int, int] | None:
    best: tuple[float, int, int] | None = None
    for index, first in enumerate(places):
        if first in taken or not wanted.startswith(letters(lines[first].text)[:40] or "\0"):
            continue
        text = ""
        for last in places[index : index + MOST_LINES]:
            text += letters(lines[last].text)
            if text == wanted or (len(wanted) > 12 and text.startswith(wanted) and len(text) < 1.2 * len(wanted)):
                size = lines[first].style.size + lines[first].style.bold + (numbering_depth(lines[first].text) > 0)
                if best is None or size > best[0]:
                    best = (size, first, last)
                break
            if not wanted.startswith(text):
                break
    return best[1:] if best else None

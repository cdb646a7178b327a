"""Tables of contents: lines that name headings and are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from indexer.layout.page import Line

DOTTED = 3  # entries with dots to their page number that make a page one of contents
NUMBERED = 6  # entries without dots that do
DENSE = 0.4  # of the lines between a page's first entry and its last: the others are entries that wrap
DENSER = 0.7  # the same where no dots tell entries from rows of numbers
PAGE = re.compile(r"\d{1,4}|[ivxl]{1,7}")
PAGE_AT_END = re.compile(r"\w\W*\s(?:\d{1,4}|[ivxl]{1,7})$")
DOTS = re.compile(r"(?:[.·⋅․]\s?){4,}|…{2,}")
RARE_DOTS = "·⋅․…"
NUMBER_AT_END = re.compile(r"\d{1,4}$")
RAISED = 0.8  # of an entry's size that its page's number is set above it, at most
FALLS = 0.1  # of a contents' page numbers are lower than the one before
TITLE = re.compile(
    r"\W*(?:(?:table of |list of )?contents|(?:list|table) of \w+|sommaire|table des mati[eè]res"
    r"|inhalt(?:sverzeichnis)?|[ií]ndice|index|목차|目\s*[录次錄]|فهرست.*)\W*",
    re.IGNORECASE,
)

_page = itemgetter(Line._fields.index("page"))


def contents(lines: Iterable[Line]) -> set[int]:
    """The places of the lines of tables of contents: entries on pages that hold several, and what wraps among them."""
    found: set[int] = set()
    before = False
    end = 0
    for _, on_page in groupby(lines, _page):
        listed = list(on_page)
        texts = [line.text for line in listed]
        start, end = end, end + len(texts)
        entries = [place for place, text in enumerate(texts, start) if is_entry(text)]
        if len(entries) < NUMBERED:
            entries = sorted({*entries, *(start + place for place in _parted(listed))})
        dotted = [place for place in entries if DOTS.search(texts[place - start])]
        now = len(dotted) >= DOTTED or len(entries) >= NUMBERED
        if now:
            sure, dense = (dotted, DENSE) if len(dotted) >= DOTTED else (entries, DENSER)
            between = range(sure[0], sure[-1] + 1)
            now = sure is dotted or len(sure) >= DENSE * len(between)  # else lines that end in a number by chance
        if now:
            found.update(entries)
            if len(sure) >= dense * len(between) and (
                sure is dotted or _ascend(texts[place - start] for place in sure)
            ):
                # What stands above the first entry may have begun on the page before.
                first = start if before else sure[0]
                found.update(place for place in range(first, sure[-1] + 1) if not TITLE.fullmatch(texts[place - start]))
        before = now
    return found


def _parted(lines: Sequence[Line]) -> list[int]:
    """The places of entries whose page's number is set a little higher, so that it is a line of its own."""
    found: list[int] = []
    for place, (number, entry) in enumerate(pairwise(lines)):
        is_close = 0 < entry.base - number.base < RAISED * entry.style.size and entry.rect.x1 < number.rect.x0
        if is_close and PAGE.fullmatch(number.text) and not PAGE.fullmatch(entry.text):
            found += [place, place + 1]
    return found


def _ascend(texts: Iterable[str]) -> bool:
    """Whether the numbers that the lines end in count pages: hardly one is lower than the one before."""
    numbers = [int(found[0]) for text in texts if (found := NUMBER_AT_END.search(text))]
    falls = sum(after < before for before, after in pairwise(numbers))
    return falls <= FALLS * len(numbers)


def is_entry(text: str) -> bool:
    """Whether a line ends in a page number, as an entry does."""
    last = text[text.rfind(" ") + 1 :]
    if len(last) < 8 and PAGE.fullmatch(last) and PAGE_AT_END.search(text[-40:]):
        return True
    return has_dots(text)


def has_dots(text: str) -> bool:
    """Whether several dots stand in a row, as before an entry's page number."""
    # To look whether there are any costs less than to look for them in a row.
    few = text.count(".") < 4 and (text.isascii() or not any(dot in text for dot in RARE_DOTS))
    return not few and DOTS.search(text) is not None

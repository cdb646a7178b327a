"""Running heads, running feet and page numbers: what repeats at the pages' edges and is no part of the text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import islice
from operator import itemgetter
from statistics import median

from indexer.layout.lines import rows, rows_down, top_down
from indexer.layout.page import Fragment, Page
from indexer.numerals import roman

EDGE_ROWS = 3  # rows from the top and from the foot that may be furniture
EDGE = 0.16  # of the page's height, as deep as furniture reaches
UNDER_TEXT = "end"  # the side of a row that ends a page's text far above its foot
LARGE = 1.15  # times the usual size
SAME_HEIGHT = 4.0  # points between the places of one running head on two pages
NOTE = re.compile(r"[¹²³⁰⁴-⁹*†‡§]+\s?[^\W\d]")
INTEGER = re.compile(r"\d+")
ROMAN = re.compile(r"[ivxlc]+|[IVXLC]+")
BARE_NUMBER = re.compile(
    r"\W*(?:page|p\.|seite|第)?\s*(?:[\divxlcIVXLC]{1,7}|[A-Z]-\d+|\d+-\d+)(?:\s*(?:/|of|von|页)\s*\d*)?\W*", re.I
)
PAGE_NUMBER = re.compile(
    r"\W*(?:page|pag\.?|p[áa]gina|p[áa]g\.|seite|sida|strona|стр\.|第)\s*\d{1,5}(?:\s*(?:/|of|von|de|av|z|из)\s*\d{1,5})?"
    r"\s*(?:页|頁|ページ)?\W*",
    re.IGNORECASE,
)
COUNTS = {"#", "#roman"}  # keys of nothing but a number that counts pages
MOST_BETWEEN = 4  # pages that one printed page may fill, or that bear no number
ALTERNATING = 6  # pages of a document whose left or right pages are two, but for the first
LEAST_COUNTED = 4  # pages on which the text's last row is the next number
Key = tuple[str, str, int, int]
Edges = list[tuple[str, list[Fragment], list[Key]]]
"""The rows at a page's edges: the side of each, its fragments, and what it would share with its like."""

_base = itemgetter(Fragment._fields.index("base"))


class Furniture:
    """What repeats at the edges of a document's pages: all of them are to be seen before it goes from each."""

    def __init__(self) -> None:
        self._pages = 0
        self._sizes = Counter[float]()
        self._once: dict[int, int] = {}  # keys' hashes, each with the only page so far that has the key
        self._seen: dict[Key, set[int]] = defaultdict(set)
        self._offsets: dict[tuple[str, int], set[int]] = defaultdict(set)  # of numbers that may count pages, by side
        self._counted = _Counted()

    def see(self, page: Page) -> Edges:
        """Learns from a page what may be furniture, and gives what stands at its edges."""
        self._pages += 1
        self._sizes.update([fragment.style.size for fragment in page.fragments])
        self._counted.see(page)
        edges = _edges(page)
        seen, once = self._seen, self._once
        for _, _, keys in edges:
            for key in keys:
                side, text, _, offset = key
                if text[:1] == "#":
                    self._offsets["foot" if side == UNDER_TEXT else side, offset].add(page.number)
                if key in seen:
                    seen[key].add(page.number)
                elif (first := once.setdefault(hash(key), page.number)) != page.number:
                    seen[key] = {first, page.number}  # most keys are one page's: they would fill the memory
        return edges

    @cached_property
    def _usual(self) -> float:
        return median(self._sizes.elements()) if self._sizes else 10.0

    @cached_property
    def _numbering(self) -> set[tuple[str, int]]:
        """The sides and offsets at which numbers that count pages stand all through the document."""
        return {place for place, found in self._offsets.items() if len(found) >= max(2, 0.4 * self._pages)}

    @cached_property
    def _repeats(self) -> Callable[[Key, bool], bool]:
        none: set[int] = set()
        return cache(lambda key, large: _repeats(self._seen.get(key, none), key[1], self._pages, large))

    def without(self, page: Page, edges: Edges | None = None) -> Page:
        """The page without furniture; a title or a table's last row near the edge stays."""
        counted = self._counted.number(page)
        gone = {id(counted)} if counted else set()
        stopped: set[str] = set()  # sides where text has begun: nothing behind it is furniture
        for side, row, keys in _edges(page) if edges is None else edges:
            if counted and gone.issuperset(map(id, row)):
                continue
            large = row[0].style.size > LARGE * self._usual and not _is_bare(row)
            repeated = any(self._repeats(key, large) for key in keys)
            furniture = repeated or _numbered(page, row, self._numbering) or _says_page(row)
            if side in stopped or not furniture or _is_note(row):
                stopped.add(side)
            else:
                gone.update(map(id, row))
        if not gone:
            return page
        return replace(page, fragments=tuple([fragment for fragment in page.fragments if id(fragment) not in gone]))


def _edges(page: Page) -> Edges:
    return [(side, row, _keys(page, side, row)) for side, row in _edge_rows(page)]


def _edge_rows(page: Page) -> list[tuple[str, list[Fragment]]]:
    """The outermost rows of a page from its edges inwards, each with the side it stands on."""
    high, low = page.height * EDGE, page.height * (1 - EDGE)
    top = [fragment for fragment in page.fragments if fragment[1][3] < high]
    foot = [fragment for fragment in page.fragments if fragment[1][1] > low]
    found = [("top", row) for row in islice(rows_down(sorted(top, key=top_down)), EDGE_ROWS)]
    found += [("foot", row) for row in reversed(rows(foot)[-EDGE_ROWS:])]
    if not foot and page.fragments:
        # What is furniture may follow the text of a short page instead of standing at the foot.
        base = max(map(_base, page.fragments))
        found.append((UNDER_TEXT, rows([part for part in page.fragments if part.base > base - SAME_HEIGHT])[-1]))
    return found


def _keys(page: Page, side: str, row: Sequence[Fragment]) -> list[Key]:
    """What a row would share with its like on other pages: its text, or its text around a number that counts pages."""
    text = " ".join(fragment.text for fragment in row).casefold().strip()
    height = 0 if side == UNDER_TEXT else round(min([fragment[1][1] for fragment in row]) / SAME_HEIGHT)
    told = [(text, 0)]
    for number in islice(INTEGER.finditer(text), 4):
        if len(number[0]) < 6:
            told.append((f"{text[: number.start()]}#{text[number.end() :]}", int(number[0]) - page.number))
    if ROMAN.fullmatch(text):
        told.append(("#roman", roman(text) - page.number))
    if len(row) > 1:  # a section's title that changes, beside a number that counts
        told += [
            ("#", int(end.text) - page.number)
            for end in (row[0], row[-1])
            if INTEGER.fullmatch(end.text) and len(end.text) < 6
        ]
    # Neighbours share one of two bins.
    return [(side, words, near, offset) for near in (height, height + 1) for words, offset in told]


def _repeats(found: Collection[int], text: str, pages: int, large: bool) -> bool:
    """Whether the text of a key is found on enough pages, close enough to each other, to be furniture.

    Large text on some pages only is a title that several slides share.
    """
    numbers = sorted(found)
    if large and len(numbers) < 0.5 * pages:
        return False
    if len(numbers) < 2:
        return False
    if len(text) < 2 and text != "#":
        return len(numbers) >= 3
    if text in COUNTS and numbers[1] - numbers[0] <= 2:
        return True
    if len(numbers) == 2:
        # A short paper's heads alternate, too, and its first page has none.
        return pages <= 4 or (pages <= ALTERNATING and numbers[1] - numbers[0] == 2)
    # Three within five pages: heads may alternate between left and right pages.
    return any(last - first <= 4 for first, last in zip(numbers, numbers[2:], strict=False)) or len(numbers) * 3 > pages


class _Counted:
    """Page numbers right under the text, where pages end early: the last rows that count up one by one."""

    def __init__(self) -> None:
        self._run: list[tuple[int, int]] = []  # page, number
        self._found: set[int] = set()

    def see(self, page: Page) -> None:
        """Goes on with the next page."""
        last = max(page.fragments, key=_base, default=None)
        if last is None or not INTEGER.fullmatch(last.text) or len(last.text) > 4 or _has_neighbour(page, last):
            return
        run = self._run
        if run and not (int(last.text) == run[-1][1] + 1 and page.number - run[-1][0] <= MOST_BETWEEN):
            run.clear()
        run.append((page.number, int(last.text)))
        if len(run) >= LEAST_COUNTED:
            self._found.update(number for number, _ in run)

    def number(self, page: Page) -> Fragment | None:
        """The page's own, where there is one."""
        return max(page.fragments, key=_base) if page.number in self._found else None


def _has_neighbour(page: Page, last: Fragment) -> bool:
    return any(other is not last and other.rect.y1 > last.rect.y0 + 2 for other in page.fragments)


def _is_bare(row: Sequence[Fragment]) -> bool:
    """Whether the row is nothing but a page's number."""
    text = " ".join(fragment.text for fragment in row)
    return len(text) < 12 and BARE_NUMBER.fullmatch(text) is not None


def _numbered(page: Page, row: Sequence[Fragment], numbering: set[tuple[str, int]]) -> bool:
    """Whether the row is a bare page number, or a running head beside one."""
    side = "top" if row[0].rect.y1 < page.height * EDGE else "foot"
    for text in {row[0].text, row[-1].text, " ".join(fragment.text for fragment in row)}:
        number = INTEGER.search(text) if BARE_NUMBER.fullmatch(text) else None
        if number and len(number[0]) < 6 and (side, int(number[0]) - page.number) in numbering:
            return True
        if ROMAN.fullmatch(text) and (side, roman(text) - page.number) in numbering:
            return True
    return False


def _says_page(row: Sequence[Fragment]) -> bool:
    """Whether the row says that it is a page's number: told on one page alone."""
    return PAGE_NUMBER.fullmatch(" ".join(fragment.text for fragment in row)) is not None


def _is_note(row: Sequence[Fragment]) -> bool:
    """Whether the row is a footnote's first: a mark, then words."""
    first = row[0]
    return NOTE.match(first.text) is not None or (first.lead.size < first.style.size - 0.9 and first.text[0].isdigit())

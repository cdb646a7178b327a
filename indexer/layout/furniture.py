"""Running heads, running feet and page numbers: what repeats at the pages' edges and is no part of the text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from operator import itemgetter
from statistics import median

from indexer.layout.lines import rows
from indexer.layout.page import Fragment, Page, around
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
LEAST_COUNTED = 4  # pages on which the text's last row is the next number
Key = tuple[str, str, int, int]

_base = itemgetter(Fragment._fields.index("base"))


def without_furniture(pages: Sequence[Page]) -> list[Page]:
    """The pages without what repeats at their edges; a title or a table's last row near the edge stays."""
    edges = [[(side, row, _keys(page, side, row)) for side, row in _edge_rows(page)] for page in pages]
    usual = median([fragment.style.size for page in pages for fragment in page.fragments] or [10.0])
    seen: dict[Key, set[int]] = defaultdict(set)
    for page, found in zip(pages, edges, strict=True):
        for _, _, keys in found:
            for key in keys:
                seen[key].add(page.number)
    numbering = _numbering(seen, len(pages))
    counted = _counted(pages)
    repeats = cache(lambda key, large: _repeats(seen[key], key[1], len(pages), large))
    result: list[Page] = []
    for page, found in zip(pages, edges, strict=True):
        gone = counted & set(map(id, page.fragments)) if counted else set()
        stopped: set[str] = set()  # sides where text has begun: nothing behind it is furniture
        for side, row, keys in found:
            if counted and gone.issuperset(map(id, row)):
                continue
            large = row[0].style.size > LARGE * usual and not _is_bare(row)
            repeated = any(repeats(key, large) for key in keys)
            furniture = repeated or _numbered(page, row, numbering) or _says_page(row)
            if side in stopped or not furniture or _is_note(row):
                stopped.add(side)
            else:
                gone.update(map(id, row))
        kept = tuple([fragment for fragment in page.fragments if id(fragment) not in gone]) if gone else page.fragments
        result.append(replace(page, fragments=kept) if gone else page)
    # Where nothing but furniture is left, it was the text: a slide's number, a form's only words.
    return result if any(page.fragments for page in result) else list(pages)


def _edge_rows(page: Page) -> list[tuple[str, list[Fragment]]]:
    """The outermost rows of a page from its edges inwards, each with the side it stands on."""
    high, low = page.height * EDGE, page.height * (1 - EDGE)
    top = [fragment for fragment in page.fragments if fragment[1][3] < high]
    foot = [fragment for fragment in page.fragments if fragment[1][1] > low]
    found = [("top", row) for row in rows(top)[:EDGE_ROWS]]
    found += [("foot", row) for row in reversed(rows(foot)[-EDGE_ROWS:])]
    if not foot and page.fragments:
        # What is furniture may follow the text of a short page instead of standing at the foot.
        base = max(map(_base, page.fragments))
        found.append((UNDER_TEXT, rows([part for part in page.fragments if part.base > base - SAME_HEIGHT])[-1]))
    return found


def _keys(page: Page, side: str, row: Sequence[Fragment]) -> list[Key]:
    """What a row would share with its like on other pages: its text, or its text around a number that counts pages."""
    text = " ".join(fragment.text for fragment in row).casefold().strip()
    height = 0 if side == UNDER_TEXT else round(around(fragment.rect for fragment in row).y0 / SAME_HEIGHT)
    keys: list[Key] = []
    for near in (height, height + 1):  # neighbours share one of the two bins
        keys.append((side, text, near, 0))
        for number in [*INTEGER.finditer(text)][:4]:
            if len(number[0]) < 6:
                around_number = f"{text[: number.start()]}#{text[number.end() :]}"
                keys.append((side, around_number, near, int(number[0]) - page.number))
        if ROMAN.fullmatch(text):
            keys.append((side, "#roman", near, roman(text) - page.number))
        if len(row) > 1:  # a section's title that changes, beside a number that counts
            keys += [
                (side, "#", near, int(end.text) - page.number)
                for end in (row[0], row[-1])
                if INTEGER.fullmatch(end.text) and len(end.text) < 6
            ]
    return keys


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
        return pages <= 4
    # Three within five pages: heads may alternate between left and right pages.
    return any(last - first <= 4 for first, last in zip(numbers, numbers[2:], strict=False)) or len(numbers) * 3 > pages


def _numbering(seen: dict[Key, set[int]], pages: int) -> set[tuple[str, int]]:
    """The sides and offsets at which numbers that count pages stand all through the document."""
    counts: dict[tuple[str, int], set[int]] = defaultdict(set)
    for (side, text, _, offset), numbers in seen.items():
        if text.startswith("#"):
            counts["foot" if side == UNDER_TEXT else side, offset] |= numbers
    return {place for place, numbers in counts.items() if len(numbers) >= max(2, 0.4 * pages)}


def _counted(pages: Sequence[Page]) -> set[int]:
    """The ids of page numbers right under the text, where pages end early: the last rows that count up one by one."""
    run: list[tuple[int, int, int]] = []  # page, number, id
    found: set[int] = set()
    for page in pages:
        last = max(page.fragments, key=_base, default=None)
        if last is None or not INTEGER.fullmatch(last.text) or len(last.text) > 4 or _has_neighbour(page, last):
            continue
        if run and not (int(last.text) == run[-1][1] + 1 and page.number - run[-1][0] <= MOST_BETWEEN):
            run = []
        run.append((page.number, int(last.text), id(last)))
        if len(run) >= LEAST_COUNTED:
            found.update(place for _, _, place in run)
    return found


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

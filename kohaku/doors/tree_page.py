"""A tree as one HTML file: the pages with what was taken for what, beside them the tree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

from kohaku.doors.display import BEFORE_HEADINGS, one_line, page_span, plain
from kohaku.doors.page import page
from kohaku.errors import KohakuError
from kohaku.images import data_url
from kohaku.text import storable
from kohaku.tree import Box, Kind, Node, Tier, Tree

if TYPE_CHECKING:
    from indexer.pictures import PagePicture

FIRST_PAGES = 50  # shown where nobody says which: some 8 MB
MOST_NODES = 50_000  # of what has no pages to choose from: a browser takes seconds for as many
MOST_PICTURE_BYTES = 500_000  # of a figure: larger ones are only named
LABEL = 160  # characters of a paragraph in the tree, until it is opened
LETTER = (612.0, 792.0)  # points: a page's size where there is neither a picture nor text on it
MARKS = {
    Kind.SECTION: "H",
    Kind.PARAGRAPH: "P",
    Kind.TABLE: "T",
    Kind.FIGURE: "F",
    Kind.LIST: "L",
    Kind.CODE: "C",
    Kind.FORMULA: "M",
    Kind.FOOTNOTE: "N",
    Kind.QUOTE: "Q",
    Kind.REFERENCE: "R",
}
_SPAN = re.compile(r"([1-9]\d{0,8})(?:(-)(\d{1,9})?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Area:
    """A part of a page that a node covers, in points; only the first of a node's there has a label."""

    number: int
    kind: Kind
    label: str
    name: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: its size in points, its picture as a data address ("" for none), and what stands on it."""

    number: int
    width: float
    height: float
    picture: str
    areas: tuple[Area, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, row or item, and where it stands: `page x y width height`, joined by semicolons."""

    text: str
    place: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A section or paragraph in the tree; `closes` sections end after it. `is_drawn`: it has a box on a page shown.

    `picture` is a figure's own, as a data address ("" for none).
    """

    number: int
    kind: Kind
    mark: str
    id: str
    label: str
    pages: str
    block: str
    lines: tuple[Line, ...]
    picture: str
    closes: int
    is_drawn: bool


def chosen(pages: str, count: int) -> list[int]:
    """The page numbers that "1-20", "3", "5-" or several of these with commas mean, of so many pages there are.

    >>> chosen("2-3,7-", 8)
    [2, 3, 7, 8]
    """
    numbers: set[int] = set()
    for part in pages.split(","):
        found = _SPAN.fullmatch(part.strip())
        if found is None or int(found[3] or found[1]) < int(found[1]):
            raise KohakuError(f"{one_line(pages)!r} names no pages: give them as 1-20, 3 or 1-4,9-")
        last = int(found[3] or count) if found[2] else int(found[1])
        numbers.update(range(int(found[1]), min(last, count) + 1))
    if not numbers:
        raise KohakuError(f"none of the pages {one_line(pages)} is there: give some from 1 to {count}")
    return sorted(numbers)


def has_pages(tree: Tree) -> bool:
    """Whether the places of its text on pages are known, as a PDF's are."""
    return any(node.boxes for node in tree.nodes)


def tree_page(
    tree: Tree,
    notes: Sequence[str] = (),
    *,
    pages: Sequence[int] | None = None,
    pictures: Mapping[int, PagePicture] | None = None,
) -> str:
    """The HTML of a tree, of these pages only where some are given; remarks and what was left out stand on top."""
    nodes, left_out = _kept(tree, pages)
    numbers = {node.position: at for at, node in enumerate((n for n in nodes if _is_entry(n)), start=1)}
    sheets = [_sheet(number, nodes, numbers, (pictures or {}).get(number)) for number in pages or ()]
    missing = [sheet.number for sheet in sheets if pictures is not None and not sheet.picture]
    if missing:
        left_out.append(f"{_counted(len(missing), 'page')} could not be drawn: {', '.join(map(str, missing[:5]))}")
    drawn = {area.number for sheet in sheets for area in sheet.areas}
    counts = {kind: sum(node.kind is kind for node in nodes) for kind in MARKS}
    return page(
        "tree_page",
        has_script=True,
        title=storable(one_line(tree.document.title)),
        notes=[storable(one_line(note)) for note in (*notes, *left_out)],
        counts={kind.value: number for kind, number in counts.items() if number},
        marks={kind.value: mark for kind, mark in MARKS.items()},
        sheets=sheets,
        entries=_entries(nodes, numbers, frozenset(drawn), frozenset(pages or ()), tree.images),
    )


def _kept(tree: Tree, pages: Sequence[int] | None) -> tuple[list[Node], list[str]]:
    """The nodes to show, with the sections that hold them, and what to say of the others."""
    if pages is None:
        left_out = len(tree.nodes) - MOST_NODES
        note = [f"the first {MOST_NODES:,} parts are shown, {left_out:,} are not"] if left_out > 0 else []
        return list(tree.nodes[:MOST_NODES]), note
    wanted = set(pages)
    held: set[int] = set()
    for node in reversed(tree.nodes):
        if node.parent is not None and (node.position in held or _stands_on(node, wanted)):
            held |= {node.position, node.parent}
    count = max(tree.document.pages, *wanted)
    note = [f"pages {_spans(pages)} of {count} are shown: --pages shows others"] if len(wanted) < count else []
    return [node for node in tree.nodes if node.position in held or not node.position], note


def _stands_on(node: Node, pages: set[int]) -> bool:
    if node.boxes:
        return any(box.page in pages for box in node.boxes)
    if node.tier in (Tier.DOCUMENT, Tier.SECTION):  # shown where something in them is
        return False
    return node.pages is None or not pages.isdisjoint(range(node.pages[0], node.pages[1] + 1))


def _is_entry(node: Node) -> bool:
    return node.tier in (Tier.SECTION, Tier.PARAGRAPH)


# ---- pages


def _sheet(page: int, nodes: Iterable[Node], numbers: Mapping[int, int], picture: PagePicture | None) -> Sheet:
    """A page with the areas of the sections' headings and the paragraphs on it, in reading order."""
    areas: list[Area] = []
    headings: dict[int, list[Box]] = {}
    for node in nodes:
        if node.position not in numbers:
            continue
        found = regions([box for box in node.boxes if box.page == page], whole=node.kind in (Kind.TABLE, Kind.FIGURE))
        if node.kind is Kind.SECTION:
            headings[node.position] = found
        elif found and found == headings.get(node.parent or 0):
            continue  # a heading with nothing under it, which is its own paragraph
        number = numbers[node.position]
        for at, box in enumerate(found):
            label = f"{number} {_mark(node)}" if not at else ""
            name = storable(one_line(f"{number} {node.kind}: {_label(node)}"))
            size = (round(value, 1) for value in (box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0))
            areas.append(Area(number, node.kind, label, name, *size))
    if picture is None:
        boxes = [box for node in nodes for box in node.boxes if box.page == page]
        width = max([LETTER[0], *(box.x1 for box in boxes)])
        height = max([LETTER[1], *(box.y1 for box in boxes)])
        return Sheet(page, width, height, "", tuple(areas))
    return Sheet(page, picture.width, picture.height, data_url(picture.data), tuple(areas))


def regions(boxes: Sequence[Box], *, whole: bool = False) -> list[Box]:
    """Boxes of one page, in reading order, joined as far as each follows the one before without leaving the column.

    >>> [box.y1 for box in regions([Box(1, 0, 0, 9, 5), Box(1, 0, 6, 9, 11), Box(1, 20, 0, 29, 5)])]
    [11, 5]
    """
    if not boxes:
        return []
    groups = [[boxes[0]]]
    for before, box in pairwise(boxes):
        if whole or _follows(before, box):
            groups[-1].append(box)
        else:
            groups.append([box])
    return [_around(group) for group in groups]


def _follows(before: Box, box: Box) -> bool:
    """Whether a box is on the line of the one before or on the next one below it."""
    height = max(before.y1 - before.y0, box.y1 - box.y0)
    is_beside = min(before.y1, box.y1) - max(before.y0, box.y0) > 0.3 * height
    is_below = box.y0 >= before.y0 and box.y0 - before.y1 < 3 * height
    return is_beside or (is_below and min(before.x1, box.x1) > max(before.x0, box.x0))


def _around(boxes: Sequence[Box]) -> Box:
    return Box(
        boxes[0].page,
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )


# ---- the tree


def _entries(
    nodes: Sequence[Node],
    numbers: Mapping[int, int],
    drawn: frozenset[int],
    pages: frozenset[int],
    images: Mapping[str, bytes],
) -> Iterator[Entry]:
    """The sections and paragraphs in reading order, with the number of sections that end after each."""
    sentences: dict[int, list[Node]] = defaultdict(list)
    for node in nodes:
        if node.tier is Tier.SENTENCE and node.parent is not None:
            sentences[node.parent].append(node)
    entries = [node for node in nodes if _is_entry(node)]
    open_sections: list[Node] = []
    for node, following in zip_longest(entries, entries[1:]):
        if node.kind is Kind.SECTION:
            open_sections.append(node)
        closes = 0
        while open_sections and (following is None or not open_sections[-1].covers(following)):
            open_sections.pop()
            closes += 1
        number = numbers[node.position]
        within = sentences[node.position]
        is_block = node.kind in (Kind.TABLE, Kind.CODE, Kind.FORMULA) or not within
        yield Entry(
            number,
            node.kind,
            _mark(node),
            storable(one_line(node.id)),
            storable(one_line(_label(node))),
            page_span(node.pages),
            storable(plain(node.text)) if is_block and node.kind is not Kind.SECTION else "",
            tuple(Line(storable(plain(one.text)), _place(one, pages)) for one in within),
            _figure(images.get(node.image or "", b"")),
            closes,
            number in drawn,
        )


def _figure(image: bytes) -> str:
    """A figure's picture as a data address, "" where it is large or no picture."""
    return data_url(image) if len(image) <= MOST_PICTURE_BYTES else ""


def _mark(node: Node) -> str:
    return f"H{node.level}" if node.kind is Kind.SECTION else MARKS[node.kind]


def _label(node: Node) -> str:
    if node.kind is Kind.SECTION:
        return node.title or BEFORE_HEADINGS
    text = " ".join((node.title or node.text).split()) or "(a picture without a caption)"
    return text if len(text) <= LABEL else text[: LABEL - 1] + "…"


def _place(node: Node, pages: frozenset[int]) -> str:
    return ";".join(
        f"{box.page} {box.x0:.0f} {box.y0:.0f} {box.x1 - box.x0:.0f} {box.y1 - box.y0:.0f}"
        for box in node.boxes
        if box.page in pages
    )


def _spans(numbers: Sequence[int]) -> str:
    """Numbers in order as spans.

    >>> _spans([1, 2, 3, 7])
    '1–3, 7'
    """
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][-1] == number - 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ", ".join("–".join(map(str, span)) for span in spans)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

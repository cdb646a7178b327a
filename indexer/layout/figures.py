"""Pictures and drawings worth keeping, and the captions that belong to them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product

from indexer.layout.page import Line, Page, Picture, Rect, around

SMALLEST = 40.0  # points a side: smaller pictures are bullets, icons, rules
SMALLEST_AREA = 0.01  # of the page's
LARGEST_AREA = 0.9  # of the page's: larger ones are scans and backgrounds
REPEATED = 3  # pages: a picture on so many is a logo
NEAR = 40.0  # points between a picture and its caption
PARTS = 16.0  # points between the parts of one figure
LABEL = 50  # characters of what is written at a drawing, at most
CELL = 10.0  # points: what is drawn no farther apart is one drawing
NEIGHBOURS = tuple(product((-1, 0, 1), repeat=2))
STROKES = 4  # paths that make a drawing: fewer are a box or a rule

CAPTION = re.compile(r"(?:fig(?:ure|\.)?|abb(?:ildung|\.)|figura|chart|图|図)\s*[A-Z]?\.?\s?\d", re.IGNORECASE)

WORD = re.compile(r"[^\W\d_]{3}")
CAPTION_WORD = re.compile(r"\s*(?:fig|abb|chart|图|図)", re.IGNORECASE)
"""What a caption's first stretch of text begins with, its number or not."""


def pictures(page: Page, pages: Mapping[int, int]) -> list[Picture]:
    """A page's pictures of real size that are no decoration; several at one place count once.

    `pages` says on how many pages of the document each image (by its key) stands.
    """
    seen: list[Picture] = []
    for picture in page.pictures:
        if pages[picture.key] < REPEATED and _is_real(picture.rect, page) and picture not in seen:
            seen.append(picture)
    return seen


def caption_of(rect: Rect, lines: Sequence[Line], starts: Sequence[int]) -> int | None:
    """Which of the captions (places in `lines`) belongs to the picture: the nearest below, else the nearest above."""

    def distance(place: int) -> float:
        below, above = lines[place].rect.y0 - rect.y1, rect.y0 - lines[place].rect.y1
        return below if below > -10 else above + NEAR / 2 if above > -10 else 2 * NEAR

    beside = [place for place in starts if _beside(lines[place].rect, rect) and distance(place) <= NEAR]
    return min(beside, key=distance, default=None)


def drawings(paths: Iterable[Rect], width: float, height: float) -> list[Rect]:
    """What is drawn on a page of this size, as the rectangles of connected drawings of real size.

    What fills half of the page is its background.
    """
    cells: dict[tuple[int, int], int] = {}
    boxes: list[tuple[Rect, tuple[int, int]]] = []
    most = width * height / 2
    for path in set(paths):
        x0, y0, x1, y1 = max(path[0], 0), max(path[1], 0), min(path[2], width), min(path[3], height)
        if x1 < x0 or y1 < y0 or (x1 - x0) * (y1 - y0) > most:
            continue
        left, top, right, foot = int(x0 // CELL), int(y0 // CELL), int(x1 // CELL), int(y1 // CELL)
        boxes.append((Rect(x0, y0, x1, y1), (left, top)))
        if left == right and top == foot:  # as most are, on a page of thousands
            cells[left, top] = -1
        else:
            cells.update(dict.fromkeys(product(range(left, right + 1), range(top, foot + 1)), -1))
    count = _connect(cells)
    held: list[list[Rect]] = [[] for _ in range(count)]
    for rect, cell in boxes:
        held[cells[cell]].append(rect)
    whole = [around(rects) for rects in held if len(rects) >= STROKES]
    return [rect for rect in whole if min(rect.width, rect.height) >= SMALLEST]


def _connect(cells: dict[tuple[int, int], int]) -> int:
    """Gives the cells the numbers of the areas they make with their neighbours; how many areas there are."""
    count = 0
    for cell in cells:
        if cells[cell] >= 0:
            continue
        waiting = [cell]
        cells[cell] = count
        while waiting:
            x, y = waiting.pop()
            for i, j in NEIGHBOURS:
                beside = (x + i, y + j)
                if cells.get(beside) == -1:
                    cells[beside] = count
                    waiting.append(beside)
        count += 1
    return count


def labels(lines: Sequence[Line]) -> list[Rect]:
    """What may be written at a drawing: short pieces of lines, not the last line of a paragraph."""
    found: list[Rect] = []
    above: Line | None = None
    for line in lines:
        is_end = (
            above is not None
            and len(above.text) > LABEL
            and above.column == line.column
            and above.style == line.style
            and 0 < line.base - above.base < 1.5 * line.style.size
        )
        if not is_end:
            found += [cell.rect for cell in line.cells if len(cell.text) <= LABEL]
        above = line
    return found


def written(lines: Sequence[Line], figure: Rect) -> list[Line]:
    """The lines that are written on a figure: short ones within it; longer text may only lie over a picture."""
    area = Rect(figure.x0 - 2, figure.y0 - 2, figure.x1 + 2, figure.y1 + 2)
    return [line for line in lines if len(line.text) <= LABEL and area.encloses(line.rect)]


def labelled(rect: Rect, labels: Sequence[Rect], edges: Collection[Rect] = ()) -> Rect:
    """A drawing with what is written at its sides: numbers of an axis, names; up to the captions at the edges."""
    for _ in range(2):  # the numbers, then the axis' name
        near = Rect(rect.x0 - PARTS, rect.y0 - PARTS, rect.x1 + PARTS, rect.y1 + PARTS)
        rect = around([rect, *(label for label in labels if label.overlaps(near) and label.width <= near.width)])
    for edge in edges:
        if edge.x0 < rect.x1 and rect.x0 < edge.x1:
            middle = (edge.y0 + edge.y1) / 2
            if rect.y0 < edge.y0 < rect.y1 and middle > (rect.y0 + rect.y1) / 2:
                rect = rect._replace(y1=edge.y0)
            elif rect.y0 < edge.y1 < rect.y1 and middle < (rect.y0 + rect.y1) / 2:
                rect = rect._replace(y0=edge.y1)
    return rect


def owners(parts: Sequence[Rect], lines: Sequence[Line], starts: Sequence[int]) -> list[int | None]:
    """The caption (place in `lines`) of each picture or drawing: its nearest, or that of a part right beside it."""
    found = [caption_of(part, lines, starts) for part in parts]
    is_changed = True
    while is_changed:
        is_changed = False
        for number, part in enumerate(parts):
            if found[number] is None:
                found[number] = next(
                    (
                        owner
                        for other, owner in zip(parts, found, strict=True)
                        if owner is not None and _adjoins(part, other) and _same_side(part, other, lines[owner].rect)
                    ),
                    None,
                )
                is_changed |= found[number] is not None
    return found


def _adjoins(part: Rect, other: Rect) -> bool:
    return part.overlaps(Rect(other.x0 - PARTS, other.y0 - PARTS, other.x1 + PARTS, other.y1 + PARTS))


def _same_side(part: Rect, other: Rect, caption: Rect) -> bool:
    """Whether both stand above, or both below the caption."""
    return (part.y0 + part.y1 < caption.y0 + caption.y1) == (other.y0 + other.y1 < caption.y0 + caption.y1)


def _beside(line: Rect, picture: Rect) -> bool:
    return line.x0 < picture.x1 and picture.x0 < line.x1


def _is_real(rect: Rect, page: Page) -> bool:
    area, whole = rect.width * rect.height, max(page.width * page.height, 1.0)
    return min(rect.width, rect.height) >= SMALLEST and SMALLEST_AREA <= area / whole <= LARGEST_AREA

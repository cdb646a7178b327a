"""What stands on pages in reading order: lines, tables, and figures, each with what is said of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from indexer.layout import figures, tables
from indexer.layout.contents import DOTS
from indexer.layout.page import Line, Picture, Rect, around
from indexer.layout.tables import Table


@dataclass(frozen=True, slots=True)
class Shot:
    """Where a figure's picture is: an image of the file by its key, else (key None) what the page shows there."""

    page: int
    rect: Rect
    key: int | None


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture or a drawing of a page with its caption's lines, and those of what is written on it."""

    page: int
    rect: Rect
    shot: Shot | None
    caption: tuple[Line, ...] = ()
    labels: tuple[Line, ...] = ()


Item = Line | Table | Figure

CAPTION_LINES = 12  # at most


class Reading(NamedTuple):
    """A page as it was read: its lines by column in reading order, the tables, pictures and drawings on it."""

    number: int
    height: float
    columns: list[list[Line]]
    tables: list[Table]
    pictures: list[Picture]
    drawings: tuple[Rect, ...]
    plot: Rect | None
    """What the thin lines draw, where they are no table's."""


class OnPage(NamedTuple):
    """A page's lines, tables and figures in reading order, and its footnotes' lines."""

    items: list[Item]
    notes: list[Line]


def placed(items: Sequence[Item], thing: Table | Figure) -> list[Item]:
    """The items with a table or figure put after the last one above it in its column."""

    def above(item: Item) -> bool:
        return item.rect.y1 <= thing.rect.y0 + 3 and item.rect.x0 < thing.rect.x1 and thing.rect.x0 < item.rect.x1

    def below(item: Item) -> bool:
        return item.rect.y0 >= thing.rect.y1 - 3 and item.rect.x0 < thing.rect.x1 and thing.rect.x0 < item.rect.x1

    places = [place + 1 for place, item in enumerate(items) if above(item)]
    under = [place for place, item in enumerate(items) if below(item)]
    place = places[-1] if places else under[0] if under else len(items)
    if places and under and under[0] < place:  # columns beside each other: before what is right below
        place = max((spot for spot in places if spot <= under[0]), default=under[0])
    return [*items[:place], thing, *items[place:]]


def captioned_tables(items: Sequence[Item]) -> list[Item]:
    """Tables with what the lines right above or below them say of them."""
    result: list[Item] = list(items)
    place = 0
    while place < len(result):
        table = result[place]
        if isinstance(table, Table):
            told, above, below = tables.told(table, _lines_before(result, place), _lines_after(result, place))
            result[place - above : place + 1 + below] = [told]
            place -= above
        place += 1
    return result


def _lines_before(items: Sequence[Item], place: int) -> list[Line]:
    """The lines that stand close above the table, top down, five at most."""
    found: list[Line] = []
    edge = items[place].rect.y0
    for item in reversed(items[max(0, place - 5) : place]):
        near = 1.8 if found else 3.2
        if not isinstance(item, Line) or edge - item.rect.y1 > near * item.style.size:
            break
        found.insert(0, item)
        edge = item.rect.y0
    return found


def _lines_after(items: Sequence[Item], place: int) -> list[Line]:
    """The lines of the paragraph that stands close below the table, eight at most."""
    found: list[Line] = []
    edge = items[place].rect.y1
    for item in items[place + 1 : place + 9]:
        near = 1.8 if not found else 0.6
        if not isinstance(item, Line) or not -3 <= item.rect.y0 - edge <= near * item.style.size:
            break
        found.append(item)
        edge = item.rect.y1
    return found


def whole_tables(pages: Iterable[OnPage]) -> Iterator[OnPage]:
    """The pages, tables that a page's end cut made whole, and those without heads headed as the ones close before."""
    waiting: list[OnPage] = []  # the last page with anything on it, and what follows it
    end: list[Item] = []
    last: Table | None = None  # with at most a few lines after it
    between = 0
    for page in pages:
        kept: list[Item] = []
        for item in page.items:
            if not isinstance(item, Table):
                between += 1
                last = last if isinstance(item, Line) and between <= tables.LINES_BETWEEN else None
                kept.append(item)
                continue
            held = kept or end
            before = held[-1] if held else None
            whole = tables.joined(before, item) if isinstance(before, Table) and item.page > before.page else None
            if whole:
                held[-1] = last = whole
            else:
                last = tables.headed(last, item) if last else item
                kept.append(last)
            between = 0
        if kept:
            yield from waiting
            waiting.clear()
            end = kept
        waiting.append(OnPage(kept, page.notes))
    yield from waiting


def with_figures(items: Sequence[Item], page: Reading) -> list[Item]:
    """Pictures and drawings with their captions, and captions that stand alone, as figures in the flow."""
    result: list[Item] = list(items)
    lines = [item for item in result if isinstance(item, Line)]
    starts = [place for place in range(len(lines)) if _starts_caption(lines, place)]
    if not starts and not page.pictures:
        return result
    captions = {start: _caption_lines(lines, start) for start in starts}
    edges = [around(line.rect for line in held) for held in captions.values()]
    told = {id(line) for held in captions.values() for line in held}
    labels = figures.labels([line for line in lines if id(line) not in told])
    found = [item for item in items if isinstance(item, Table)]
    grids = [table.rect for table in found if table.is_drawn or table.caption]
    loose = [table for table in found if not table.is_drawn and not table.caption]  # a chart's numbers may be one
    parts = [Shot(page.number, picture.rect, _key(picture, lines)) for picture in page.pictures]
    boxes: list[Shot] = []  # drawings taken for tables
    for rect in page.drawings if starts else ():
        if any(rect.overlaps(grid) for grid in grids):
            boxes.append(Shot(page.number, rect, None))
        else:
            whole = around([rect, *(table.rect for table in loose if table.rect.overlaps(rect))])
            parts.append(Shot(page.number, figures.labelled(whole, labels, edges), None))
    owned: dict[int, list[Shot]] = {start: [] for start in starts}
    owners = figures.owners([part.rect for part in parts], lines, starts)
    for number, (part, owner) in enumerate(zip(parts, owners, strict=True)):
        if owner is not None:
            owned[owner].append(part)
        elif number < len(page.pictures):  # a drawing without a caption is an ornament, or the frame of something
            result = placed(result, Figure(page.number, part.rect, part))
    bare = [start for start, own in owned.items() if not own]
    for box in boxes:
        if (start := figures.caption_of(box.rect, lines, bare)) is not None:
            owned[start].append(box)
    for start, held in captions.items():
        shot = _whole(owned[start])
        place = shot.rect if shot else around(line.rect for line in held)
        written = figures.written([line for line in lines if id(line) not in told], place) if shot else []
        told |= set(map(id, written))
        charts = [table for table in loose if place.holds(table.rect) and tables.is_chart(table)] if shot else []
        loose = [table for table in loose if table not in charts]
        labels_of = [*written, *(line for table in charts for line in tables.row_lines(table))]
        result = _replaced(result, held, Figure(page.number, place, shot, held, tuple(labels_of)))
        gone = set(map(id, [*written, *charts]))
        result = [item for item in result if id(item) not in gone]
    return result


def _key(picture: Picture, lines: Sequence[Line]) -> int | None:
    """Which image of the file is what the page shows; None where it shows it otherwise, or words stand on it."""
    is_bare = picture.is_upright and not any(picture.rect.holds(line.rect) for line in lines)
    return picture.key if is_bare else None


def _whole(parts: Sequence[Shot]) -> Shot | None:
    """The picture of a figure: its only part, or all that the page shows around its parts."""
    if len(parts) <= 1:
        return parts[0] if parts else None
    return Shot(parts[0].page, around(part.rect for part in parts), None)


def _starts_caption(lines: Sequence[Line], place: int) -> bool:
    """Whether a figure's caption starts here: "Figure 3: …", not a sentence that happens to start with "Figure 3"."""
    line = lines[place]
    found = figures.CAPTION.match(line.text) if figures.CAPTION_WORD.match(line.text) else None
    if not found or DOTS.search(line.text):  # an entry of a list of figures
        return False
    after = line.text[found.end() :].lstrip("0123456789.-ab")
    if after[:1] in (":", "|", "–", "—", "：") or line.text[found.end() - 1 :].lstrip("0123456789").startswith("."):
        return True
    above = lines[place - 1] if place else None
    apart = above is None or above.column != line.column or line.base - above.base > 1.5 * line.style.size
    return apart and not after.lstrip()[:1].islower()


def _caption_lines(lines: Sequence[Line], start: int) -> tuple[Line, ...]:
    held = [lines[start]]
    for line in lines[start + 1 : start + CAPTION_LINES]:
        last = held[-1]
        if (
            line.column != last.column
            or line.style.size != last.style.size
            or line.base - last.base > 1.45 * line.style.size
        ):
            break
        held.append(line)
    while len(held) < CAPTION_LINES and (under := _right_under(held, lines[start + 1 :])):
        held.append(under)
    return tuple(held)


def _right_under(held: Sequence[Line], lines: Sequence[Line]) -> Line | None:
    """The line that goes on a caption in the margin, which text close beside it has drawn into its own column."""
    first, last = held[0], held[-1]
    size, left = last.style.size, last.rect.x0
    for line in lines:
        if abs(line.rect.x0 - left) < 1 and line.style == last.style and 0 < line.base - last.base <= 1.45 * size:
            return line if line.column != first.column else None
    return None


def _replaced(items: Sequence[Item], held: Sequence[Line], figure: Figure) -> list[Item]:
    gone = set(map(id, held))
    result: list[Item] = []
    for item in items:
        if item is held[0]:
            result.append(figure)
        elif id(item) not in gone:
            result.append(item)
    return result

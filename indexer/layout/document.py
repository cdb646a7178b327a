"""Pages to blocks: the steps of layout in their order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexer.blocks import Block, Mark, handed_over
from indexer.clean import words
from indexer.layout import covers, figures, mesh, outline, tables, tags
from indexer.layout.aligned import aligned
from indexer.layout.barred import barred
from indexer.layout.body import body_style
from indexer.layout.columns import columns
from indexer.layout.faces import with_telling_faces
from indexer.layout.flow import Figure, Item, Shot, captioned_tables, placed, whole_tables, with_figures
from indexer.layout.fractions import with_fractions
from indexer.layout.furniture import without_furniture
from indexer.layout.grids import grids, pieced
from indexer.layout.headings import Heading, headings
from indexer.layout.lines import leadings
from indexer.layout.lines import lines as column_lines
from indexer.layout.numbering import numbering_depth
from indexer.layout.page import Fragment, Line, Page, Picture, Rect, Style
from indexer.layout.paragraphs import (
    FOOTNOTE_SIZE,
    Paragraph,
    footnotes,
    goes_on,
    list_block,
    marked,
    note_mark,
    paragraphs,
    split_footnotes,
)
from indexer.layout.paragraphs import block as line_block
from indexer.layout.ruled import ruled
from indexer.layout.run_in import run_ins
from indexer.layout.sidebars import without_sidebars
from indexer.layout.slides import is_deck, titles
from indexer.layout.tables import Table
from kohaku.tree import Kind

WALL = 0.4  # of the page's width that a rule has at least to part columns above it from those below
MOST_RULES = 500  # lines on a page: more make a drawing


@dataclass(frozen=True, slots=True)
class Head:
    """A heading's lines, and how deep it is."""

    level: int
    lines: tuple[Line, ...]


Part = Head | Paragraph | Table | Figure


@dataclass(frozen=True, slots=True)
class Laid:
    """What layout makes of a document: its blocks, the figures' pictures by place, its name on page 1."""

    blocks: tuple[Block, ...]
    images: Mapping[int, Shot]
    title: str


def lay_out(
    pages: Iterable[Page],
    entries: Sequence[outline.Entry] = (),
    title: str = "",
    tagged: Sequence[outline.Entry] = (),
) -> Laid:
    """Headings, paragraphs, tables and figures of a document's pages, in reading order.

    `entries` are the outline's, `tagged` the headings that the file's structure tree names. An iterator that holds its
    pages no longer once it has given them lets the memory of a long document's go before all its blocks are made.
    """
    parts, vocabulary, called = _arranged(pages, entries, title, tagged)
    return _laid(handed_over(parts), vocabulary, called)


def _arranged(
    given: Iterable[Page], entries: Sequence[outline.Entry], title: str, tagged: Sequence[outline.Entry]
) -> tuple[list[Part], set[str], str]:
    """The parts of a document in reading order, its words, its name on page 1."""
    pages = without_furniture(with_telling_faces(list(given)))
    kept = figures.pictures(pages)
    flow: list[Item] = []
    notes: dict[int, list[Line]] = {}
    read = {page.number: _read(page) for page in pages}
    body = body_style([line for found, _ in read.values() for column in found for line in column])
    for page in pages:
        found, drawn = read[page.number]
        items, small = _page_items(page, found, drawn, kept[page.number], body)
        flow += items
        notes[page.number] = small
    flow = whole_tables(flow)
    lines = [item for item in flow if isinstance(item, Line)]
    vocabulary = words(line.text for line in lines)
    flow = _with_run_ins(flow, run_ins(lines, body))
    lines = [item for item in flow if isinstance(item, Line)]
    called = covers.title(lines, body)
    known = outline.placed(entries, lines) if entries else {}
    named = tags.believed(tagged, lines, body) if tagged else {}
    known = named if len(named) > len(known) else known
    if is_deck(pages):
        heads = titles(lines, {page.number: page.height for page in pages}, known)
    else:
        heads = _headings(lines, known, title or called, _followed(flow))
    return _with_notes(_joined(_parts(flow, lines, heads, notes)), body), vocabulary, called


def _read(page: Page) -> tuple[list[list[Line]], list[Table]]:
    """A page's lines by column in reading order, and the tables drawn on it as grids."""
    drawn: list[Table] = []
    gone: set[int] = set()
    for table, held in (
        *pieced(page.fragments, page.rulings, page.number),
        *grids(page.fragments, page.rulings, page.number),
        *barred(page.fragments, page.rulings, page.shades, page.number),
        *ruled(page.fragments, page.rulings, page.number),
    ):
        if not held & gone:
            drawn.append(table)
            gone |= held
    fragments: Sequence[Fragment] = page.fragments
    if gone:
        fragments = [fragment for fragment in fragments if id(fragment) not in gone]
    fragments = with_fractions(fragments, page.rulings) if page.rulings else fragments
    walls = [table.rect for table in drawn] + [one.rect for one in page.pictures]
    if len(page.rulings) <= MOST_RULES:
        walls += [rule for rule in page.rulings if rule.width > WALL * page.width]
    fragments, boxes = without_sidebars(fragments, page.shades, page.width)
    return [column_lines(column, page.number) for column in (*columns(fragments, walls), *boxes)], drawn


def _page_items(
    page: Page, found: Sequence[Sequence[Line]], drawn: Sequence[Table], kept: Sequence[Picture], body: Style
) -> tuple[list[Item], list[Line]]:
    """A page's lines, tables and figures in reading order, its footnotes apart."""
    items: list[Item] = []
    small: list[Line] = []
    drawing = mesh.drawing(page.rulings)
    for column in found:
        count = _notes(column, body, page.height, drawing)
        small += column[len(column) - count :]
        items += _with_tables(column[: len(column) - count], drawing)
    for table in drawn:
        items = placed(items, table)
    items = captioned_tables(items)
    return with_figures(items, page, kept), small


def _notes(column: Sequence[Line], body: Style, height: float, drawing: Rect | None) -> int:
    """How many lines from the column's end are footnotes; a table's rows are none, however small they are set."""
    count = footnotes(column, body, height)
    if not count:
        return 0
    begun = len(column) - count
    rows = [
        place
        for first, last, _ in aligned(column, drawing)
        for place in range(max(first, begun), last + 1)
        if len(column[place].cells) > 1
    ]
    return footnotes(column[rows[-1] + 1 :], body, height) if len(rows) > 1 else count


def _with_tables(lines: Sequence[Line], drawing: Rect | None) -> list[Item]:
    items: list[Item] = []
    start = 0
    for first, last, table in aligned(lines, drawing):
        items += lines[start:first]
        items.append(table)
        start = last + 1
    return [*items, *lines[start:]]


def _with_run_ins(flow: Sequence[Item], cut: Mapping[int, tuple[Line, Line]]) -> list[Item]:
    """The flow with run-in heads as lines of their own; `cut` counts lines only."""
    result: list[Item] = []
    place = 0
    for item in flow:
        if isinstance(item, Line):
            result += cut.get(place, (item,))
            place += 1
        else:
            result.append(item)
    return result


def _followed(flow: Sequence[Item]) -> set[int]:
    """The lines (counted without tables and figures) that stand right before a table or figure."""
    found: set[int] = set()
    place = 0
    for item in flow:
        if isinstance(item, Line):
            place += 1
        else:
            found.add(place - 1)
    return found


def _headings(
    lines: Sequence[Line], known: Mapping[int, tuple[int, int]], title: str, followed: Collection[int]
) -> list[Heading]:
    """The headings, without the document's own title, which is no section of it."""
    found = headings(lines, known, followed)
    if len(found) > 1 and lines[found[0].first].page == lines[0].page:
        name = outline.letters(title)
        first = found[0]
        alone = not any(other.level == first.level for other in found[1:])
        if (
            name
            and alone
            and not numbering_depth(first.text)
            and outline.letters(first.text) in (name, name[: len(outline.letters(first.text))])
        ):
            lift = min(heading.level for heading in found[1:]) - 1
            return [replace(heading, level=heading.level - lift) for heading in found[1:]]
    return found


def _parts(
    flow: Sequence[Item], lines: Sequence[Line], heads: Sequence[Heading], notes: Mapping[int, Sequence[Line]]
) -> list[Part]:
    """The flow with its lines gathered into headings and paragraphs, each page's footnotes after it."""
    usual = leadings(lines)
    at = {id(lines[one.first]): Head(one.level, tuple(lines[one.first : one.last + 1])) for one in heads}
    inside = {id(lines[place]) for heading in heads for place in range(heading.first + 1, heading.last + 1)}
    parts: list[Part] = []
    waiting: list[Line] = []
    page = flow[0].page if flow else 0

    def flush() -> None:
        parts.extend(paragraphs(waiting, usual))
        waiting.clear()

    for item in flow:
        if item.page != page:
            flush()
            parts.extend(split_footnotes(notes[page]))
            page = item.page
        if isinstance(item, Line) and id(item) not in at:
            if id(item) not in inside:
                waiting.append(item)
            continue
        flush()
        parts.append(at[id(item)] if isinstance(item, Line) else item)
    flush()
    parts.extend(split_footnotes(notes.get(page, ())))
    return parts


def _with_notes(parts: Sequence[Part], body: Style) -> list[Part]:
    """The parts, what a table's marks refer to right under it as notes, wherever on the page it stands."""
    result: list[Part] = []
    table: Table | None = None
    for part in parts:
        if isinstance(part, Table):
            table = part
        elif not isinstance(part, Paragraph):
            table = None
        elif table and (mark := note_mark(part)):
            if tables.bears(table, mark) or part.lines[0].style.size <= FOOTNOTE_SIZE * body.size:
                part = replace(part, kind=Kind.FOOTNOTE)
            else:
                table = None
        elif part.kind is not Kind.FOOTNOTE:
            table = None
        result.append(part)
    return result


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Paragraphs that a column's or page's end cut made whole; tables, figures and notes between come after."""
    result: list[Part] = []
    last: int | None = None  # the place of the last paragraph that may go on
    for part in parts:
        if isinstance(part, Paragraph) and part.kind is not Kind.FOOTNOTE:
            before = result[last] if last is not None else None
            if isinstance(before, Paragraph) and last is not None and goes_on(before, part):
                result[last] = Paragraph(before.kind, before.lines + part.lines)
                continue
            last = len(result)
        elif isinstance(part, Head):
            last = None
        result.append(part)
    return result


def _laid(parts: Iterable[Part], vocabulary: Collection[str], title: str) -> Laid:
    blocks: list[Block] = []
    images: dict[int, Shot] = {}
    for part in _listed(parts):
        if isinstance(part, list):
            made = list_block(part, vocabulary)
        elif isinstance(part, Head):
            made = line_block(part.lines, Kind.SECTION, vocabulary, level=part.level)
        elif isinstance(part, Table):
            made = tables.block(part)
        elif isinstance(part, Figure):
            made = _figure_block(part, vocabulary)
            if part.shot:
                images[len(blocks)] = part.shot
        elif part.kind is Kind.CODE:
            made = _code_block(part)
        else:
            made = line_block(part.lines, part.kind, vocabulary)
        blocks.append(made)
    return Laid(tuple(blocks), images, title)


def _listed(parts: Iterable[Part]) -> Iterator[Part | list[Paragraph]]:
    """The parts, items of one list that follow each other together."""
    items: list[Paragraph] = []
    for part in parts:
        if isinstance(part, Paragraph) and part.kind in (Kind.LIST, Kind.PARAGRAPH) and part.is_item:
            items.append(part)
            continue
        yield from _list_or_not(items)
        items = []
        yield part
    yield from _list_or_not(items)


def _list_or_not(items: list[Paragraph]) -> Iterator[Part | list[Paragraph]]:
    if len(items) > 1 or any(item.kind is Kind.LIST for item in items):
        yield items
    else:
        yield from items


def _figure_block(figure: Figure, vocabulary: Collection[str]) -> Block:
    title, marks = marked([(line.text, line) for line in figure.caption], vocabulary)
    text = title
    # An axis' numbers say nothing without it.
    named = [(line.text, line) for line in figure.labels if figures.WORD.search(line.text)]
    if named:
        written, places = marked(named, vocabulary)
        start = len(title) + 1
        text = f"{title}\n{written}"
        marks = (*marks, *(mark._replace(start=mark.start + start, end=mark.end + start) for mark in places))
    if figure.shot:  # the first letter brings the picture's place with it
        marks = (*marks, Mark(0, 1, figure.rect.on(figure.page)))
    return Block(Kind.FIGURE, text, title=title, marks=marks, page=figure.page)


def _code_block(part: Paragraph) -> Block:
    """Code keeps its lines, indented as they stand on the page."""
    left = min(line.rect.x0 for line in part.lines)
    made = [
        " " * round((line.rect.x0 - left) / max(line.rect.width / max(len(line.text), 1), 1.0)) + line.text
        for line in part.lines
    ]
    text, start = "\n".join(made), 0
    marks: list[Mark] = []
    for shown, line in zip(made, part.lines, strict=True):
        marks.append(Mark(start, start + len(shown), line.box))
        start += len(shown) + 1
    return Block(Kind.CODE, text, marks=tuple(marks))

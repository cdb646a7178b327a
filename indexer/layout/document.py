"""Pages to blocks: the steps of layout in their order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from indexer.blocks import Block, Mark
from indexer.clean import words
from indexer.layout import covers, figures, mesh, outline, tables, tags
from indexer.layout.aligned import aligned
from indexer.layout.banners import with_banners
from indexer.layout.barred import barred
from indexer.layout.body import body_style
from indexer.layout.book import Book, Flow
from indexer.layout.bullets import with_bullets
from indexer.layout.flow import (
    Figure,
    Item,
    OnPage,
    Reading,
    Shot,
    captioned_tables,
    placed,
    whole_tables,
    with_figures,
)
from indexer.layout.fractions import with_fractions
from indexer.layout.grids import grids, pieced
from indexer.layout.headed_columns import headed_columns, in_columns
from indexer.layout.headings import Heading, headings
from indexer.layout.lines import leadings
from indexer.layout.lines import lines as column_lines
from indexer.layout.numbering import numbering_depth
from indexer.layout.page import Fragment, Line, Page, Picture, Style
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
from indexer.layout.slides import Shape, is_deck, titles
from indexer.layout.tables import Table
from indexer.shelf import Shelf
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
    """What layout makes of a document: its blocks, each with where its picture is if it has one, its name on page 1."""

    blocks: Iterator[tuple[Block, Shot | None]]
    title: str


def lay_out(
    book: Book, entries: Sequence[outline.Entry] = (), title: str = "", tagged: Sequence[outline.Entry] = ()
) -> Laid:
    """Headings, paragraphs, tables and figures of a document's pages, in reading order.

    `entries` are the outline's, `tagged` the headings that the file's structure tree names. Of a long document a part
    only is in memory at a time; the blocks come one by one.
    """
    shapes: dict[int, Shape] = {}
    flow, body = _read_through(book, shapes)
    lines = flow.lines()
    vocabulary = words(line.text for line in lines)
    cut = run_ins(lines, body)
    if cut:
        flow = flow.replaced(_with_run_ins(flow, cut))
        lines = flow.lines()
    called = covers.title(lines, body)
    known = outline.placed(entries, lines) if entries else {}
    named = tags.believed(tagged, lines, body) if tagged else {}
    known = named if len(named) > len(known) else known
    if is_deck(shapes.values()):
        heads = titles(lines, shapes, known)
    else:
        heads = _headings(lines, known, title or called, _followed(flow))
    parts = _with_notes(_joined(_parts(flow, lines, heads)), body)
    return Laid(_blocks(parts, vocabulary), called)


def _read_through(book: Book, shapes: dict[int, Shape]) -> tuple[Flow, Style]:
    """What stands on all pages, and the running text's style; the shapes of the pages go into `shapes`."""
    kept = Shelf(book.packer.reading, book.packer.reading_of, book.room)

    def lines() -> Iterator[Line]:
        for page in book:
            shapes[page.number] = Shape(page.width, page.height, sum([len(part.text) for part in page.fragments]))
            read = _read(page, book.pictures(page))
            kept.add(read, sum(map(len, read.columns)))
            yield from chain.from_iterable(read.columns)

    body = body_style(lines())
    return Flow(whole_tables(_page_items(page, body) for page in kept), book.packer, book.room), body


def _read(page: Page, pictures: list[Picture]) -> Reading:
    """A page's lines by column in reading order, and the tables drawn on it as grids."""
    drawn: list[Table] = []
    gone: set[int] = set()
    plot = mesh.drawing(page.rulings)
    found = [*pieced(page.fragments, page.rulings, page.number), *grids(page.fragments, page.rulings, page.number)]
    if plot is None:
        found += barred(page.fragments, page.rulings, page.shades, page.number)
        found += ruled(page.fragments, page.rulings, page.number)
    rulings = page.rulings if len(page.rulings) <= MOST_RULES else ()
    beside = headed_columns(page.fragments, rulings)
    prose = set(map(id, (*beside.left, *beside.right))) if beside else set()
    for table, held in found:
        if not held & gone and not held & prose:
            drawn.append(table)
            gone |= held
    fragments: Sequence[Fragment] = page.fragments
    if gone:
        fragments = [fragment for fragment in fragments if id(fragment) not in gone]
    fragments = with_bullets(fragments, page.shades) if page.shades else fragments
    if page.rulings and plot is None:
        fragments = with_fractions(fragments, page.rulings)
    walls = [table.rect for table in drawn] + [one.rect for one in page.pictures]
    walls += [rule for rule in rulings if rule.width > WALL * page.width]
    fragments, boxes = without_sidebars(fragments, page.shades, page.width)
    lines = [column_lines(column, page.number) for column in (*in_columns(fragments, walls, rulings), *boxes)]
    lines = with_banners(lines, page.rulings, page.width) if len(page.rulings) > 1 and plot is None else lines
    return Reading(page.number, page.height, lines, drawn, pictures, page.drawings, plot)


def _page_items(page: Reading, body: Style) -> OnPage:
    """A page's lines, tables and figures in reading order, its footnotes apart."""
    items: list[Item] = []
    small: list[Line] = []
    for column in page.columns:
        lines, found = column, aligned(column, page.plot)
        count = _notes(column, body, page.height, found)
        if count:
            lines = column[:-count]
            small += column[-count:]
            found = aligned(lines, page.plot)
        items += _with_tables(lines, found)
    for table in page.tables:
        items = placed(items, table)
    items = captioned_tables(items)
    return OnPage(with_figures(items, page), small)


def _notes(column: Sequence[Line], body: Style, height: float, found: Sequence[tuple[int, int, Table]]) -> int:
    """How many lines from the column's end are footnotes; rows of its tables are none, however small they are set."""
    count = footnotes(column, body, height)
    if not count:
        return 0
    begun = len(column) - count
    rows = [
        place
        for first, last, _ in found
        for place in range(max(first, begun), last + 1)
        if len(column[place].cells) > 1
    ]
    return footnotes(column[rows[-1] + 1 :], body, height) if len(rows) > 1 else count


def _with_tables(lines: Sequence[Line], found: Sequence[tuple[int, int, Table]]) -> list[Item]:
    items: list[Item] = []
    start = 0
    for first, last, table in found:
        items += lines[start:first]
        items.append(table)
        start = last + 1
    return [*items, *lines[start:]]


def _with_run_ins(flow: Iterable[OnPage], cut: Mapping[int, tuple[Line, Line]]) -> Iterator[OnPage]:
    """The pages with run-in heads as lines of their own; `cut` counts lines only."""
    place = 0
    for page in flow:
        result: list[Item] = []
        for item in page.items:
            if isinstance(item, Line):
                result += cut.get(place, (item,))
                place += 1
            else:
                result.append(item)
        yield OnPage(result, page.notes)


def _followed(flow: Iterable[OnPage]) -> set[int]:
    """The lines (counted without tables and figures) that stand right before a table or figure."""
    found: set[int] = set()
    place = 0
    for item in chain.from_iterable(page.items for page in flow):
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


def _parts(flow: Iterable[OnPage], lines: Sequence[Line], heads: Sequence[Heading]) -> Iterator[Part]:
    """The flow with its lines gathered into headings and paragraphs, each page's footnotes after it."""
    usual = leadings(lines)
    at = {one.first: one for one in heads}
    inside = {place for heading in heads for place in range(heading.first + 1, heading.last + 1)}
    waiting: list[Line] = []
    place = -1
    for page in flow:
        for item in page.items:
            if isinstance(item, Line):
                place += 1
                if place not in at:
                    if place not in inside:
                        waiting.append(item)
                    continue
            yield from paragraphs(waiting, usual)
            waiting.clear()
            if isinstance(item, Line):
                yield Head(at[place].level, tuple(lines[place : at[place].last + 1]))
            else:
                yield item
        yield from paragraphs(waiting, usual)
        waiting.clear()
        yield from split_footnotes(page.notes)


def _with_notes(parts: Iterable[Part], body: Style) -> Iterator[Part]:
    """The parts, what a table's marks refer to right under it as notes, wherever on the page it stands."""
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
        yield part


def _joined(parts: Iterable[Part]) -> Iterator[Part]:
    """Paragraphs that a column's or page's end cut made whole; tables, figures and notes between come after."""
    waiting: list[Part] = []  # the last paragraph, which may go on, and what follows it
    for part in parts:
        if isinstance(part, Paragraph) and part.kind is not Kind.FOOTNOTE:
            before = waiting[0] if waiting else None
            if isinstance(before, Paragraph) and goes_on(before, part):
                waiting[0] = Paragraph(before.kind, before.lines + part.lines)
                continue
        elif waiting and not isinstance(part, Head):
            waiting.append(part)
            continue
        yield from waiting
        waiting = [part]
        if not isinstance(part, Paragraph) or part.kind is Kind.FOOTNOTE:
            yield waiting.pop()
    yield from waiting


def _blocks(parts: Iterable[Part], vocabulary: Collection[str]) -> Iterator[tuple[Block, Shot | None]]:
    for part in _listed(parts):
        if isinstance(part, list):
            made = list_block(part, vocabulary)
        elif isinstance(part, Head):
            made = line_block(part.lines, Kind.SECTION, vocabulary, level=part.level)
        elif isinstance(part, Table):
            made = tables.block(part)
        elif isinstance(part, Figure):
            made = _figure_block(part, vocabulary)
        elif part.kind is Kind.CODE:
            made = _code_block(part)
        else:
            made = line_block(part.lines, part.kind, vocabulary)
        yield made, part.shot if isinstance(part, Figure) else None


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

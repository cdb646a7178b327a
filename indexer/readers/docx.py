"""DOCX → blocks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.parser import parse_xml

from indexer.blocks import Block, Parsed
from indexer.clean import clean, clean_lines
from indexer.office import drawings
from indexer.office.lines import Line, Source, gathered, line_of, unwrapped
from indexer.office.numbering import BULLET, numbering
from indexer.office.package import DAMAGE, WORD, damaged, package
from indexer.office.styles import CAPTION, CONTENTS, PLAIN, TITLE, Style, styles
from indexer.office.xml import Element, child, children, chosen, is_on, name_of, number, value, within
from indexer.tables import Room, names_columns, table
from indexer.titles import CAPTIONED, captioned
from kohaku.tree import Kind

# What a program writes into a title nobody gave.
NO_TITLE = re.compile(r"word document|microsoft word.*|untitled.*|(?:document|dokument)\s?\d*|title", re.IGNORECASE)
CONTINUED = re.compile(r"list continue.*", re.IGNORECASE)
NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s")
HEADING_WORDS = 12
WIDEST = 63  # columns a table of Word's may have


def read(path: Path) -> Parsed:
    """A Word file; its title is the one in its properties, else the one on its first page, else its first heading."""
    try:
        with package(path, WORD) as file:
            document = docx.Document(file)
        source = _source(document)
        named = clean(document.core_properties.title or "")
    except DAMAGE as error:
        raise damaged(error, WORD) from error
    found = list(_pieces(document.element.body, source))
    title, found = _titled("" if NO_TITLE.fullmatch(named) else named, found)
    blocks = _blocks(found)
    first = next((block.text for block in blocks if block.kind is Kind.SECTION), "")
    return Parsed(title=title or first, blocks=tuple(blocks), notes=tuple(_notes(document.element.body)))


def _notes(body: Element) -> Iterator[str]:
    embedded = sum(element.tag.endswith("}altChunk") for element in body.iter() if isinstance(element.tag, str))
    if embedded:
        yield f"{embedded} embedded documents are not read: open and save it in Word, which takes them in"


# ---- what the package holds


def _source(document: Any) -> Source:
    part = document.part
    notes = {}
    for name, relationship in (
        ("w:footnote", RELATIONSHIP_TYPE.FOOTNOTES),
        ("w:endnote", RELATIONSHIP_TYPE.ENDNOTES),
    ):
        for found in _related(part, relationship):
            notes.update({(name, value(one, "w:id") or ""): one for one in children(_root(found), name)})
    numbers = next((_root(found) for found in _related(part, RELATIONSHIP_TYPE.NUMBERING)), None)
    shapes = next((_root(found) for found in _related(part, RELATIONSHIP_TYPE.STYLES)), None)
    return Source(part, styles(shapes), numbering(numbers), notes)


def _related(part: Any, relationship: str) -> list[Any]:
    return [one.target_part for one in part.rels.values() if one.reltype == relationship and not one.is_external]


def _root(part: Any) -> Element:
    return part.element if hasattr(part, "element") else parse_xml(part.blob)


def _part(source: Source, id: str) -> Any | None:
    """The part that a relationship leads to; None where it leads out of the file."""
    found = source.part.rels.get(id)
    return None if found is None or found.is_external else found.target_part


# ---- paragraphs and tables in the order of the body


Piece = Line | Block


def _pieces(body: Element, source: Source) -> Iterator[Piece]:
    """The paragraphs, tables, figures and notes below an element, whatever they are wrapped in."""
    carried = ""
    for element in unwrapped(body, ("w:p", "w:tbl")):
        if name_of(element) == "w:tbl":
            yield from _table(element, source)
            continue
        paragraph = gathered(element, source)
        paragraph.parts.insert(0, carried)
        carried = ""
        if child(element, "w:pPr/w:rPr/w:del") is not None:  # its end was deleted: it goes on in the next one
            carried = "".join(paragraph.parts)
            paragraph.parts.clear()
        line = line_of(element, paragraph, source)
        if clean(line.text) and not line.style.says(CONTENTS):
            yield line
        for drawing in paragraph.drawings:
            yield from _drawn(drawing, source)
        for note in paragraph.notes:
            yield from _note(source.notes.get(note), source)
    if clean(carried):
        yield Line(carried, PLAIN)


def _drawn(drawing: Element, source: Source) -> Iterator[Piece]:
    """What a drawing holds: text boxes, pictures, charts, diagrams."""
    boxes = list(_text_boxes(drawing))
    for box in boxes:
        yield from _pieces(box, source)
    for id in drawings.chart_parts(drawing):
        yield from _from_part(source, id, drawings.chart)
    for id in drawings.diagram_parts(drawing):
        yield from _from_part(source, id, drawings.diagram)
    described = next((one for one in drawing.iter() if name_of(one) in ("wp:docPr", "v:shape")), None)
    words = drawings.description(value(described, "descr") or value(described, "alt"))
    pictures = drawings.picture_parts(drawing)
    if (boxes and not words and not pictures) or _is_tiny(drawing):
        return
    for number_, id in enumerate(pictures):
        found = _part(source, id)
        figure = drawings.figure(words if number_ == 0 else "", found.blob if found is not None else None)
        if figure:
            yield figure
    if not pictures and words:
        yield Block(Kind.FIGURE, words, title=words)


def _from_part(source: Source, id: str, made: Callable[[Element], Block | None]) -> Iterator[Block]:
    part = _part(source, id)
    if part is None:
        return
    try:
        block = made(_root(part))
    except SyntaxError:  # lxml's: a chart that is no XML costs itself only
        return
    if block:
        yield block


def _text_boxes(drawing: Element) -> Iterator[Element]:
    """The outermost text boxes of a drawing; those inside them are found when they are read."""
    waiting = [drawing]
    while waiting:
        element = waiting.pop()
        if name_of(element) == "w:txbxContent":
            yield element
        elif name_of(element) == "mc:AlternateContent":
            waiting += reversed(chosen(element))
        else:
            waiting += reversed([one for one in element if isinstance(one.tag, str)])


def _is_tiny(drawing: Element) -> bool:
    extent = next(within(drawing, "wp:extent"), None)
    sides = [number(value(extent, side)) for side in ("cx", "cy")]
    return all(side is not None and side <= drawings.SMALLEST for side in sides)


def _note(note: Element | None, source: Source) -> Iterator[Block]:
    if note is None or value(note, "w:type") not in (None, "normal"):
        return
    text = clean("\n".join(_said(_pieces(note, replace(source, notes={})))))  # notes hold no notes
    if text:
        yield Block(Kind.FOOTNOTE, text)


def _said(pieces: Iterable[Piece]) -> Iterator[str]:
    for piece in pieces:
        label = piece.label if isinstance(piece, Line) and piece.label not in (None, BULLET, "") else ""
        yield f"{label} {piece.text}" if label else piece.text


# ---- tables


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell's content, how many columns it takes, and whether it only continues the one above."""

    pieces: tuple[Piece, ...]
    across: int = 1
    continues: bool = False

    @property
    def text(self) -> str:
        """Its words; what is drawn in it stands after the table."""
        return clean("\n".join(_said(piece for piece in self.pieces if not _is_apart(piece))))


def _is_apart(piece: Piece) -> bool:
    return isinstance(piece, Block) and piece.kind in (Kind.FIGURE, Kind.FOOTNOTE)


def _table(element: Element, source: Source) -> Iterator[Piece]:
    rows = [_cells(row, source) for row in unwrapped(element, ("w:tr",)) if child(row, "w:trPr/w:del") is None]
    if _only_arranges(element, rows):
        for row in rows:
            for cell in row:
                yield from cell.pieces
        return
    room = Room()
    grid: list[list[str]] = []
    for row in rows:
        line: list[str] = []
        for cell in row:
            above = grid[-1][len(line)] if cell.continues and grid and len(line) < len(grid[-1]) else ""
            text = cell.text or (above if room.holds(above, 1) else "")
            line += [text] * (cell.across if room.holds(text, cell.across - 1) else 1)
        grid.append(line)
    if any(any(row) for row in grid):
        title = clean(value(child(element, "w:tblPr/w:tblCaption")) or "")
        yield table(grid, headers=_heads(element, grid), title=title)
    for row in rows:
        for cell in row:
            yield from filter(_is_apart, cell.pieces)


def _only_arranges(element: Element, rows: Sequence[Sequence[_Cell]]) -> bool:
    """Whether a table only arranges a page: a single column, or headings or other tables in it."""
    if all(sum(bool(cell.text) for cell in row) < 2 for row in rows):
        return True
    inner = any(
        piece.kind is Kind.TABLE for row in rows for cell in row for piece in cell.pieces if isinstance(piece, Block)
    )
    return inner or any(
        isinstance(piece, Line) and piece.level for row in rows for cell in row for piece in cell.pieces
    )


def _cells(row: Element, source: Source) -> list[_Cell]:
    def skipped(name: str) -> list[_Cell]:
        count = number(value(child(row, f"w:trPr/{name}"))) or 0
        return [_Cell(())] * min(max(count, 0), WIDEST)

    cells = skipped("w:gridBefore")
    for element in unwrapped(row, ("w:tc",)):
        across = number(value(child(element, "w:tcPr/w:gridSpan"))) or 1
        merge = child(element, "w:tcPr/w:vMerge")
        continues = merge is not None and (value(merge) or "continue") == "continue"
        cells.append(_Cell(tuple(_pieces(element, source)), min(max(across, 1), WIDEST), continues))
    return cells + skipped("w:gridAfter")


def _heads(element: Element, grid: Sequence[Sequence[str]]) -> int:
    """How many rows are the head: those said to repeat on each page, else one that the style or its words make one."""
    if len(grid) < 2:
        return 0
    count = 0
    for row in unwrapped(element, ("w:tr",)):
        if not is_on(child(row, "w:trPr/w:tblHeader")):
            break
        count += 1
    if count:
        return min(count, len(grid) - 1)
    look = child(element, "w:tblPr/w:tblLook")
    styled = child(element, "w:tblPr/w:tblStyle") is not None
    flagged = value(look, "w:firstRow") in ("1", "true") or int(number(value(look)) or 0) & 0x20
    return int(names_columns(grid[0]) or bool(styled and flagged and len(grid[0]) > 2))


# ---- pieces → blocks


def _titled(named: str, found: list[Piece]) -> tuple[str, list[Piece]]:
    """The title, and the pieces with the title line as a heading, or without it where it says the same."""
    lines = [piece for piece in found if isinstance(piece, Line) and piece.style.says(TITLE) and not piece.level]
    if not lines:
        return named, found
    title = named or clean(lines[0].text)
    deeper = int(len(lines) > 1)  # chapters' titles: the headings stand below them
    result: list[Piece] = []
    for piece in found:
        if not isinstance(piece, Line):
            result.append(piece)
        elif piece.level:
            result.append(replace(piece, level=piece.level + deeper))
        elif piece not in lines:
            result.append(piece)
        elif clean(piece.text) != title or deeper:
            result.append(replace(piece, level=1, label=None))
    return title, result


def _blocks(found: Sequence[Piece]) -> list[Block]:
    pieces = found if any(isinstance(piece, Line) and piece.level for piece in found) else _guessed(found)
    return captioned(_joined(pieces))


def _guessed(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with headings where no style makes any: short bold lines, larger ones above smaller ones."""
    lines = [piece for piece in pieces if isinstance(piece, Line)]
    usual = Counter[int | None]()
    for line in lines:
        usual[line.size] += len(line.text)
    body = usual.most_common(1)[0][0] if usual else None
    places = {
        at
        for at, piece in enumerate(pieces)
        if isinstance(piece, Line) and at + 1 < len(pieces) and _may_head(piece, body)
    }
    if len(places) * 2 > len(lines):  # where most is bold, bold says nothing
        return list(pieces)
    sizes = sorted({(piece.size or 0) for at in places if isinstance(piece := pieces[at], Line)}, reverse=True)
    result = list(pieces)
    for at in places:
        piece = pieces[at]
        assert isinstance(piece, Line)
        numbered = NUMBER.match(clean(f"{piece.label or ''} {piece.text}"))
        level = numbered[1].count(".") + 1 if numbered else sizes.index(piece.size or 0) + 1
        text = f"{piece.label} {piece.text}" if piece.label not in (None, BULLET, "") else piece.text
        result[at] = replace(piece, text=text, level=level, label=None)
    return result


def _may_head(line: Line, body: int | None) -> bool:
    """Whether a paragraph looks like a heading: bold or larger throughout, short, no sentence, no bullet."""
    text = clean(line.text)
    large = (line.size or 0) > (body or 0) * 1.15 and body is not None
    if not (line.share[0] > 0.95 or large) or line.label == BULLET or line.style.says(CAPTION):
        return False
    if not 0 < len(text.split()) <= HEADING_WORDS or text.endswith((".", ";", ",", "。")) or CAPTIONED.match(text):
        return False
    return any(character.isalpha() for character in text)


def _joined(pieces: Iterable[Piece]) -> Iterator[tuple[Block, Kind | None]]:
    """Lines as blocks, each with what its style makes it the caption of; neighbouring items are one list."""
    held: list[Line] = []
    kind: Kind | None = None
    for piece in pieces:
        of = _kind(piece) if isinstance(piece, Line) else None
        if held and kind is Kind.LIST and isinstance(piece, Line) and _continues(piece):
            held[-1] = replace(held[-1], text=f"{held[-1].text}\n{piece.text}")
            continue
        if of is not kind:
            yield from _together(held, kind)
            held = []
        kind = of
        if isinstance(piece, Block):
            yield piece, None
        elif of in (Kind.LIST, Kind.CODE):
            held.append(piece)
        else:
            yield _block(piece, of or Kind.PARAGRAPH), _captions(piece.style)
    yield from _together(held, kind)


def _captions(style: Style) -> Kind | None:
    """What a style makes a paragraph the caption of: PARAGRAPH for whatever it stands at."""
    if not style.says(CAPTION):
        return None
    kinds = (Kind.TABLE, "table"), (Kind.FIGURE, "figure"), (Kind.FIGURE, "image")
    return next((kind for kind, word in kinds if style.names[0].lower().startswith(word)), Kind.PARAGRAPH)


def _continues(line: Line) -> bool:
    """Whether a line is a further paragraph of the item before it."""
    return line.label is None and line.style.says(CONTINUED)


def _kind(line: Line) -> Kind:
    if line.level:
        return Kind.SECTION
    named = line.style.kind
    if named is not Kind.PARAGRAPH:
        return named
    if line.label is not None:
        return Kind.LIST
    if line.is_formula:
        return Kind.FORMULA
    return Kind.CODE if line.share[1] > 0.95 else Kind.PARAGRAPH


def _block(line: Line, kind: Kind) -> Block:
    label = f"{line.label} " if kind is Kind.REFERENCE and line.label not in (None, BULLET, "") else ""
    return Block(kind, label + clean(line.text), level=line.level)


def _together(lines: Sequence[Line], kind: Kind | None) -> Iterator[tuple[Block, Kind | None]]:
    if lines and kind is Kind.CODE:
        yield Block(Kind.CODE, clean_lines("\n".join(line.text for line in lines)).strip("\n")), None
    elif lines:
        items = [(line, clean(line.text)) for line in lines]
        text = "\n".join(f"{'  ' * line.depth}{line.label or BULLET} {words}" for line, words in items)
        yield Block(Kind.LIST, text, sentences=tuple(words for _, words in items)), None

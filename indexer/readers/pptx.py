"""PPTX → blocks: a slide is a section."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pptx
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.oxml import parse_xml

from indexer.blocks import Block, Parsed
from indexer.clean import clean
from indexer.office import drawings
from indexer.office.formulas import formula
from indexer.office.numbering import spelled
from indexer.office.package import DAMAGE, POWERPOINT, damaged, package
from indexer.office.xml import Element, child, children, chosen, name_of, number, value, within
from indexer.tables import Room, names_columns, table
from kohaku.text import few
from kohaku.tree import Kind

NO_TITLE = re.compile(r"powerpoint[ -].*|untitled.*|presentation\s?\d*|präsentation\s?\d*|slide 1", re.IGNORECASE)
TITLE_WORDS = 20  # a first line longer than that is text, not a title
NOTES = "Notes"
OVERLAP = 0.1  # of a shape's side: shapes that lie over each other by less are taken to stand apart
MOST_PARTED = 500  # shapes: of more the gaps say nothing, and to look for them takes quadratic time
FURNITURE = frozenset({"DATE", "FOOTER", "HEADER", "SLIDE_NUMBER", "SLIDE_IMAGE"})
WITHOUT_BULLETS = frozenset({"TITLE", "CENTER_TITLE", "SUBTITLE", "VERTICAL_TITLE"})
MARKS = {"a:br": " ", "a:tab": " "}


def read(path: Path) -> Parsed:
    """A PowerPoint file; pages are slides, hidden ones among them; notes stand under a heading of their own."""
    try:
        with package(path, POWERPOINT, parse_xml) as file:
            presentation = pptx.Presentation(file)
        slides, lost = _slides(presentation)
        named = clean(presentation.core_properties.title or "")
    except DAMAGE as error:
        raise damaged(error, POWERPOINT) from error
    whole = {page: blocks for page, slide in slides.items() if (blocks := _whole(slide, page))}
    if (slides or lost) and not whole:
        raise damaged(ValueError("none of its slides can be read"), POWERPOINT)
    lost = sorted({*lost, *slides} - whole.keys())
    blocks = [block for found in whole.values() for block in found]
    first = next((block.text for block in blocks if block.kind is Kind.SECTION), "")
    return Parsed(
        title=first if not named or NO_TITLE.fullmatch(named) else named,
        blocks=tuple(blocks),
        pages=len(whole) + len(lost),
        notes=tuple(_remarks({page: slides[page] for page in whole}, lost, blocks)),
    )


def _slides(presentation: Any) -> tuple[dict[int, Any], list[int]]:
    """The slides by number, and the numbers of those that the file names and does not hold."""
    slides: dict[int, Any] = {}
    lost: list[int] = []
    for page, named in enumerate(presentation.element.get_or_add_sldIdLst(), start=1):
        try:
            slides[page] = presentation.part.related_slide(named.rId)
        except DAMAGE:  # no such relationship, one that leads out of the file, or to something else
            lost.append(page)
    return slides, lost


def _remarks(slides: Mapping[int, Any], lost: Sequence[int], blocks: Sequence[Block]) -> Iterator[str]:
    if lost:
        yield f"slides that are missing in the file or damaged: {few(list(map(str, lost)))}"
    hidden = [page for page, slide in slides.items() if _is_hidden(slide)]
    if hidden:
        yield f"hidden slides are read too: {few(list(map(str, hidden)))}"
    said = {block.page for block in blocks if block.kind is not Kind.SECTION and block.text}
    shown = {block.page for block in blocks if block.image}
    silent = sorted(page for page in shown - said if page is not None)
    if silent:
        yield f"slides with pictures only, whose words are not read: {few(list(map(str, silent)))}"


def _is_hidden(slide: Any) -> bool:
    return value(slide.element, "show") in ("0", "false")


# ---- a slide


@dataclass(frozen=True, slots=True)
class _Shape:
    """What is drawn on a slide, in the group's or the slide's own units; `box` is None where it has no place."""

    element: Element
    box: tuple[float, float, float, float] | None
    placeholder: str = ""


def _whole(slide: Any, page: int) -> list[Block]:
    """A slide's blocks; none of a damaged one: layouts and notes are looked up as it is read, so it may show only then.

    A slide that is whole has a heading at least.
    """
    try:
        return list(_slide(slide, page))
    except DAMAGE:
        return []


def _slide(slide: Any, page: int) -> Iterator[Block]:
    """A slide's title as a heading, what is on it in reading order, and its notes."""
    title, shapes = _title(slide), _shapes(slide)
    blocks = [block for shape in in_order(shapes) for block in _drawn(shape, slide.part)]
    if not title:
        title, blocks = _first_line(blocks)
    yield Block(Kind.SECTION, title or f"Slide {page}", level=1, page=page)
    yield from (replace(block, page=page) for block in blocks)
    notes = [replace(block, page=page) for block in _spoken(slide)]
    if notes:
        yield Block(Kind.SECTION, NOTES, level=2, page=page)
        yield from notes


def _title(slide: Any) -> str:
    shape = slide.shapes.title
    return clean(" ".join(_words(part) for part in within(shape.element, "a:p"))) if shape is not None else ""


def _first_line(blocks: list[Block]) -> tuple[str, list[Block]]:
    """The first line as the title, where it is short, and the blocks without it."""
    at = next((at for at, block in enumerate(blocks) if block.kind in (Kind.PARAGRAPH, Kind.LIST)), None)
    if at is None:
        return "", blocks
    first = blocks[at]
    line = first.sentences[0] if first.sentences else first.text
    if len(line.split()) > TITLE_WORDS:
        return " ".join(line.split()[:TITLE_WORDS]) + " …", blocks
    if len(first.sentences) > 1:
        rest = replace(first, text=first.text.partition("\n")[2], sentences=first.sentences[1:])
        return line, [*blocks[:at], rest, *blocks[at + 1 :]]
    return line, blocks[:at] + blocks[at + 1 :]


def _spoken(slide: Any) -> list[Block]:
    """The speaker's notes."""
    if not slide.has_notes_slide:
        return []
    frame = slide.notes_slide.notes_text_frame
    return list(_text(frame._txBody, bulleted=False)) if frame is not None else []


def _shapes(slide: Any) -> list[_Shape]:
    """The shapes of a slide but its title, its footers, and what has no content."""
    found = []
    title = slide.shapes.title
    for shape in slide.shapes:
        if title is not None and shape.shape_id == title.shape_id:
            continue
        placeholder = shape.placeholder_format.type if shape.is_placeholder else None
        name = placeholder.name if isinstance(placeholder, PP_PLACEHOLDER) else ""
        sides = (shape.left, shape.top, shape.width, shape.height)  # a placeholder's are its layout's
        if name not in FURNITURE and not _is_invisible(shape.element):
            found.append(_Shape(shape.element, _box(*sides), name))
    # Formulas, 3-D models: the library skips them.
    for element in children(slide.shapes.element, "mc:AlternateContent"):
        found += [shape for choice in chosen(element) for shape in _grouped(choice)]
    return found


def _is_invisible(element: Element) -> bool:
    return any(value(one, "hidden") in ("1", "true") for one in _properties(element))


def _properties(element: Element) -> list[Element]:
    """A shape's own non-visual properties (p:cNvPr)."""
    return [found for one in element if (found := child(one, "p:cNvPr")) is not None]


def _box(
    left: int | None, top: int | None, width: int | None, height: int | None
) -> tuple[float, float, float, float] | None:
    if left is None or top is None:
        return None
    return left, top, left + max(width or 0, 0), top + max(height or 0, 0)


def _grouped(group: Element) -> list[_Shape]:
    """The shapes of a group, in its own units."""
    found = []
    for element in group:
        frame = next(
            (
                one
                for path in ("p:spPr/a:xfrm", "p:grpSpPr/a:xfrm", "p:xfrm")
                if (one := child(element, path)) is not None
            ),
            None,
        )
        at, size = (child(frame, "a:off"), child(frame, "a:ext")) if frame is not None else (None, None)
        sides = (number(value(at, "x")), number(value(at, "y")), number(value(size, "cx")), number(value(size, "cy")))
        if isinstance(element.tag, str) and not _is_invisible(element):
            found.append(_Shape(element, _box(*sides)))
    return found


# ---- reading order


def in_order(shapes: Sequence[_Shape]) -> list[_Shape]:
    """Shapes as a person reads them: parted at the widest gap that crosses all, above before below, left before right.

    Where no gap parts them they go by their tops, then their left sides; what has no place stays in front.
    """
    placed = [shape for shape in shapes if shape.box]
    result = [shape for shape in shapes if not shape.box]
    waiting = [placed]
    while waiting:
        group = waiting.pop()
        parts = _parted(group) if 1 < len(group) <= MOST_PARTED else None
        if parts:
            waiting += reversed(parts)
        else:
            result += sorted(group, key=lambda shape: (shape.box or (0, 0))[1::-1])
    return result


def _parted(shapes: Sequence[_Shape]) -> tuple[list[_Shape], list[_Shape]] | None:
    """Two groups, where a gap runs between them: the widest, of two alike the one that runs across."""
    gaps = [(gap, axis, at) for axis in (0, 1) if (found := _gap(shapes, axis)) for gap, at in (found,)]
    if not gaps:
        return None
    _, axis, at = max(gaps)
    parts: tuple[list[_Shape], list[_Shape]] = ([], [])
    for shape in shapes:
        parts[bool(shape.box and _end(shape.box, axis) > at)].append(shape)
    return parts


def _gap(shapes: Sequence[_Shape], axis: int) -> tuple[float, float] | None:
    """The widest gap along an axis (0: x, 1: y), and where the shapes before it end; overlaps are negative gaps."""
    boxes = sorted((shape.box for shape in shapes if shape.box), key=lambda box: box[axis])
    best = None
    end = _end(boxes[0], axis)
    for box in boxes[1:]:
        gap = box[axis] - end
        tolerated = -OVERLAP * (box[axis + 2] - box[axis])
        if gap >= tolerated and (best is None or gap > best[0]):
            best = (gap, end)
        end = max(end, _end(box, axis))
    return best


def _end(box: tuple[float, float, float, float], axis: int) -> float:
    return box[axis + 2]


# ---- shapes → blocks


def _drawn(shape: _Shape, part: Any) -> Iterator[Block]:
    """What a shape holds, in blocks without pages."""
    name = name_of(shape.element)
    if name == "p:sp":
        body = child(shape.element, "p:txBody")
        bulleted = bool(shape.placeholder) and shape.placeholder not in WITHOUT_BULLETS
        if body is not None:
            yield from _text(body, bulleted=bulleted)
        yield from _picture(shape.element, part, alone=body is None)
    elif name == "p:grpSp":
        words = _described(shape.element)
        inner = [block for one in in_order(_grouped(shape.element)) for block in _drawn(one, part)]
        yield from inner
        if words and not any(block.text for block in inner):
            yield Block(Kind.FIGURE, words, title=words)
    elif name == "p:pic":
        yield from _picture(shape.element, part, alone=True)
    elif name == "p:graphicFrame":
        yield from _framed(shape.element, part)
    elif name == "mc:AlternateContent":
        for one in (one for choice in chosen(shape.element) for one in _grouped(choice)):
            yield from _drawn(one, part)


def _text(body: Element, *, bulleted: bool) -> Iterator[Block]:
    """A shape's paragraphs: those with bullets or numbers as a list, the others each by itself."""
    held: list[tuple[int, str, str]] = []  # (level, label, words)
    counts: dict[int, int] = {}
    for paragraph in children(body, "a:p"):
        words = clean(_words(paragraph))
        if not words:
            continue
        properties = child(paragraph, "a:pPr")
        level = min(max(number(value(properties, "lvl")) or 0, 0), 8)
        label = _label(properties, level, counts, bulleted)
        if label:
            held.append((level, label, words))
            continue
        yield from _listed_items(held)
        held, counts = [], {}
        yield Block(Kind.PARAGRAPH, words)
    yield from _listed_items(held)


def _listed_items(items: Sequence[tuple[int, str, str]]) -> Iterator[Block]:
    if len(items) == 1 and items[0][1] == "-":  # one sentence in a text placeholder is no list
        yield Block(Kind.PARAGRAPH, items[0][2])
    elif items:
        text = "\n".join(f"{'  ' * level}{label} {words}" for level, label, words in items)
        yield Block(Kind.LIST, text, sentences=tuple(words for *_, words in items))


def _label(properties: Element | None, level: int, counts: dict[int, int], bulleted: bool) -> str:
    """What an item begins with; nothing for a paragraph that is none."""
    kinds = {name_of(one): one for one in properties} if properties is not None else {}
    for deeper in [one for one in counts if one > level]:
        del counts[deeper]
    if "a:buAutoNum" in kinds:
        auto = kinds["a:buAutoNum"]
        counts[level] = counts.get(level, (number(value(auto, "startAt")) or 1) - 1) + 1
        return _numbered(counts[level], value(auto, "type") or "arabicPeriod")
    counts.pop(level, None)
    if "a:buNone" in kinds:
        return ""
    return "-" if bulleted or "a:buChar" in kinds or "a:buBlip" in kinds else ""


def _numbered(count: int, type_: str) -> str:
    """A number as PowerPoint's numbering types have it.

    >>> _numbered(3, "alphaLcParenR"), _numbered(4, "romanUcPeriod"), _numbered(2, "arabicPeriod")
    ('c)', 'IV.', '2.')
    """
    letters = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
    text = spelled(count, next((format for start, format in letters.items() if type_.startswith(start)), "decimal"))
    if type_.endswith("ParenBoth"):
        return f"({text})"
    return f"{text})" if type_.endswith("ParenR") else f"{text}."


def _words(paragraph: Element) -> str:
    """A paragraph's text: its runs, fields and formulas."""
    parts: list[str] = []
    for one in paragraph:
        name = name_of(one)
        if name == "a:t":
            parts.append(one.text or "")
        elif name == "m:oMath":
            parts.append(formula(one))
        elif name == "mc:AlternateContent":
            parts += [_words(choice) for choice in chosen(one)]
        else:
            parts.append(MARKS.get(name) or _words(one))
    return "".join(parts)


def _picture(element: Element, part: Any, *, alone: bool) -> Iterator[Block]:
    """A picture with its alternative text; as the fill of a shape (not `alone`) it is an ornament unless described."""
    words = _described(element)
    ids = drawings.picture_parts(element)
    size = next(within(element, "a:ext"), None) if alone else None
    tiny = all((number(value(size, side)) or drawings.SMALLEST + 1) <= drawings.SMALLEST for side in ("cx", "cy"))
    if tiny or not (ids or alone) or not (alone or words):
        return
    found = _part(part, ids[0]) if ids else None
    figure = drawings.figure(words, found.blob if found is not None else None)
    if figure:
        yield figure


def _described(element: Element) -> str:
    return next((drawings.description(value(one, "descr")) for one in _properties(element)), "")


def _framed(element: Element, part: Any) -> Iterator[Block]:
    """A frame's table, chart or diagram, else its alternative text."""
    found: list[Block] = []
    for one in within(element, "a:tbl"):
        found += _table(one)
    for id in drawings.chart_parts(element):
        found += _from_part(part, id, drawings.chart)
    for id in drawings.diagram_parts(element):
        found += _from_part(part, id, drawings.diagram)
    words = _described(element)
    if found and words and not found[0].title and found[0].kind is Kind.TABLE:
        found[0] = replace(found[0], title=words)
    elif not found and words:
        found.append(Block(Kind.FIGURE, words, title=words))
    yield from found


def _part(part: Any, id: str) -> Any | None:
    """The part that a relationship leads to; None where it leads out of the file or nowhere."""
    found = part.rels.get(id)
    return None if found is None or found.is_external else found.target_part


def _from_part(part: Any, id: str, made: Callable[[Element], Block | None]) -> list[Block]:
    found = _part(part, id)
    if found is None:
        return []
    try:
        block = made(found._element if hasattr(found, "_element") else parse_xml(found.blob))
    except SyntaxError:  # lxml's: a chart that is no XML costs itself only
        return []
    return [block] if block else []


def _table(element: Element) -> list[Block]:
    """A table, merged cells repeated in each row and column they take."""
    room = Room()
    grid: list[list[str]] = []
    for row in children(element, "a:tr"):
        line: list[str] = []
        for cell in children(row, "a:tc"):
            before = line[-1] if line and _is_set(cell, "hMerge") else None
            above = grid[-1][len(line)] if grid and len(line) < len(grid[-1]) and _is_set(cell, "vMerge") else None
            repeated = before if before is not None else above
            if repeated is not None and room.holds(repeated, 1):
                line.append(repeated)
            else:
                line.append(clean("\n".join(_words(one) for one in within(cell, "a:p"))))
        grid.append(line)
    if not any(any(row) for row in grid):
        return []
    flagged = _is_set(child(element, "a:tblPr"), "firstRow")
    head = len(grid) > 1 and (flagged or names_columns(grid[0]))
    return [table(grid, headers=int(head))]


def _is_set(element: Element | None, name: str) -> bool:
    return value(element, name) in ("1", "true")

"""HTML → blocks."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bs4 import BeautifulSoup, Comment, Doctype, ProcessingInstruction, Tag
from bs4.element import NavigableString, PageElement

from indexer.blocks import Block, Parsed
from indexer.clean import clean, clean_lines
from indexer.tables import table
from kohaku.errors import ReadError
from kohaku.tree import Kind

SILENT_TAGS = """
    script style nav footer aside template noscript iframe object svg canvas audio video form button select dialog head
    title
"""
INLINE_TAGS = """
    a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark math q rp rt ruby s samp small
    span strike strong sub sup time tt u var wbr
"""
SILENT, INLINE = frozenset(SILENT_TAGS.split()), frozenset(INLINE_TAGS.split())
SILENT_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "complementary"})
LISTS, ITEMS = ("ul", "ol", "dl"), ("li", "dt", "dd")
HEADING = re.compile(r"h([1-6])")
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
DEEPEST = 20  # levels of a list that indent: over thousands the spaces would outgrow the text a thousandfold
WIDEST = 1000  # columns a cell may span, as HTML has it
MOST_REPEATED = 100_000  # cells of a table that spans repeat: some kilobytes of HTML can ask for billions
NOT_TEXT = (Comment, Doctype, ProcessingInstruction)


def read(path: Path) -> Parsed:
    """An HTML file; its title is the title element's, else its first top heading."""
    data = path.read_bytes()
    if data.startswith(b"%PDF-"):
        raise ReadError("this is a PDF by its content: rename it to .pdf")
    soup = _soup(data)
    title = clean(soup.title.get_text()) if soup.title else ""
    found = tuple(_blocks(soup.find("main") or soup.find("article") or soup))
    return Parsed(title=title or next((b.text for b in found if b.kind is Kind.SECTION), ""), blocks=found)


def blocks(markup: str) -> list[Block]:
    """The blocks of a piece of HTML."""
    return list(_blocks(_soup(markup)))


def _soup(markup: bytes | str) -> BeautifulSoup:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it suspects XML or a file name where there is little markup
        return BeautifulSoup(markup, "lxml")


def _blocks(root: PageElement) -> Iterator[Block]:
    """The blocks in document order; text that stands in no paragraph element becomes one where a block begins."""
    loose: list[str] = []
    stack: list[PageElement | None] = [root]  # None: a block element ends here
    while stack:
        element = stack.pop()
        if isinstance(element, NavigableString):
            loose.append("" if isinstance(element, NOT_TEXT) else str(element))
        elif isinstance(element, Tag) and not _silent(element):
            if element.name == "br":
                loose.append("\n")
            elif element.name in INLINE:
                stack.extend(reversed(element.contents))
            else:
                yield from _paragraph(loose)
                whole = _whole(element)
                if whole is None:
                    stack.append(None)
                    stack.extend(reversed(element.contents))
                else:
                    yield from whole
        elif element is None:
            yield from _paragraph(loose)
    yield from _paragraph(loose)


def _paragraph(loose: list[str]) -> Iterator[Block]:
    """The text gathered so far as a paragraph; it is gathered anew from here."""
    text = clean("".join(loose))
    loose.clear()
    if text:
        yield Block(Kind.PARAGRAPH, text)


def _silent(tag: Tag) -> bool:
    """Whether an element is not part of the text: code, navigation, or hidden."""
    if tag.name in SILENT or tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
        return True
    if tag.get("role") in SILENT_ROLES or HIDDEN.search(str(tag.get("style", ""))):
        return True
    return tag.name == "header" and tag.find(HEADING) is None  # a site's head; an article's holds its heading


def _whole(tag: Tag) -> list[Block] | None:
    """The blocks of an element that is taken as a whole; None where its children are to be looked at one by one."""
    heading = HEADING.fullmatch(tag.name)
    if heading:
        return _if_text(Kind.SECTION, clean(_text(tag)), level=int(heading[1]))
    if tag.name in ("pre", "listing", "xmp"):
        return _if_text(Kind.CODE, clean_lines(_text(tag)).strip("\n"))
    if tag.name in LISTS and tag.find("table") is None and tag.find(HEADING) is None:
        return _list(tag)
    if tag.name == "figcaption":
        caption = clean(_text(tag))
        return [Block(Kind.FIGURE, caption, title=caption)] if caption else []
    if tag.name == "figure" and tag.find("figcaption") is None and tag.find("img", alt=True):
        return _if_text(Kind.FIGURE, clean(" ".join(str(image.get("alt", "")) for image in tag.find_all("img"))))
    if tag.name == "table" and not _layout(tag):
        return _table(tag)
    return None


def _if_text(kind: Kind, text: str, level: int = 0) -> list[Block]:
    return [Block(kind, text, level=level)] if text else []


def _text(tag: Tag) -> str:
    """The text of an element: inline parts joined as they stand, blocks and breaks on lines of their own."""
    parts: list[str] = []
    stack: list[PageElement | None] = list(reversed(tag.contents))
    while stack:
        element = stack.pop()
        if element is None or (isinstance(element, Tag) and element.name == "br"):
            parts.append("\n")
        elif isinstance(element, NavigableString):
            parts.append("" if isinstance(element, NOT_TEXT) else str(element))
        elif isinstance(element, Tag) and not _silent(element):
            if element.name not in INLINE:
                parts.append("\n")
                stack.append(None)
            stack.extend(reversed(element.contents))
    return "".join(parts)


def _list(tag: Tag) -> list[Block]:
    """A list with its items as sentences; nested items are items of their own."""
    items = [(depth, text) for depth, text in _items(tag) if text]
    lines = (f"{'  ' * min(depth, DEEPEST)}- {text}" for depth, text in items)
    return [Block(Kind.LIST, "\n".join(lines), sentences=tuple(text for _, text in items))] if items else []


@dataclass(slots=True)
class _Item:
    """An item in the making: its element's name, its list, how deep that is nested, and the parts of its text."""

    name: str
    within: Tag
    depth: int
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return clean("".join(self.parts))


def _items(tag: Tag) -> Iterator[tuple[int, str]]:
    """The items in order, with their depth; a definition begins with its terms."""
    terms: list[_Item] = []
    for item in _gathered(tag):
        if terms and (item.name == "li" or item.within is not terms[0].within):
            yield terms[0].depth, _named(terms)
            terms = []
        if item.name == "dt":
            terms.append(item)
        else:
            yield item.depth, f"{_named(terms)}: {item.text}" if terms else item.text
            terms = []
    if terms:
        yield terms[0].depth, _named(terms)


def _named(terms: Sequence[_Item]) -> str:
    return ", ".join(term.text for term in terms)


def _gathered(tag: Tag) -> list[_Item]:
    """The items of a list and of the lists in it; what a list holds outside of its items is one before them."""
    items = [_Item("li", tag, 0)]
    stack: list[tuple[PageElement | None, _Item]] = [(child, items[0]) for child in reversed(tag.contents)]
    while stack:
        element, item = stack.pop()
        if element is None or (isinstance(element, Tag) and element.name == "br"):
            item.parts.append("\n")
        elif isinstance(element, NavigableString):
            item.parts.append("" if isinstance(element, NOT_TEXT) else str(element))
        elif isinstance(element, Tag) and not _silent(element):
            if element.name not in INLINE:
                item.parts.append("\n")
                stack.append((None, item))
            if element.name in LISTS:
                items.append(_Item("li", element, item.depth + 1))
            elif element.name in ITEMS:
                items.append(_Item(element.name, item.within, item.depth))
            opened = items[-1] if element.name in (*LISTS, *ITEMS) else item
            stack.extend((child, opened) for child in reversed(element.contents))
    return items


def _layout(tag: Tag) -> bool:
    """Whether a table only arranges a page: it holds other tables or headings, says so, or has a single column."""
    if tag.get("role") in ("presentation", "none") or tag.find("table") is not None or tag.find(HEADING) is not None:
        return True
    return all(len(row.find_all(("td", "th"), recursive=False)) < 2 for row in tag.find_all("tr"))


def _table(tag: Tag) -> list[Block]:
    caption = tag.find("caption")
    title = _text(caption) if isinstance(caption, Tag) else ""
    rows = [row for row in tag.find_all("tr") if not _silent(row)]
    grid = _grid(rows)
    if not any(clean(cell) for row in grid for cell in row):
        return []
    return [table(grid, headers=_head(rows), title=title)]


def _head(rows: list[Tag]) -> int:
    """How many rows are the table's head: those in thead, else leading rows of th alone, else a first row of words."""
    count = 0
    for row in rows:
        cells = row.find_all(("td", "th"), recursive=False)
        if not (row.find_parent("thead") or (cells and all(cell.name == "th" for cell in cells))):
            break
        count += 1
    if count:
        return min(count, len(rows) - 1) or (1 if len(rows) > 1 else 0)
    first = [clean(_text(cell)) for cell in rows[0].find_all(("td", "th"), recursive=False)]
    return 1 if len(rows) > 1 and all(first[1:]) and not any(re.search(r"\d", cell) for cell in first) else 0


def _grid(rows: list[Tag]) -> list[list[str]]:
    """The cells row by row, one that spans several repeated in each."""
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # column → (rows still to fill, text)
    room = MOST_REPEATED
    for row in rows:
        line: list[str] = []
        cells = list(row.find_all(("td", "th"), recursive=False))
        while cells or len(line) in hanging:
            column = len(line)
            if column in hanging:
                left, text = hanging.pop(column)
                line.append(text)
                if left > 1:
                    hanging[column] = (left - 1, text)
                continue
            cell = cells.pop(0)
            text = _text(cell)
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            if across * down > room:
                across = down = 1
            room -= across * down - 1
            for _ in range(across):
                if down > 1:
                    hanging[len(line)] = (down - 1, text)
                line.append(text)
        grid.append(line)
    return grid


def _span(cell: Tag, name: str) -> int:
    value = str(cell.get(name, "1")).strip()
    return min(max(int(value[:9]), 1), WIDEST) if value.isascii() and value.isdigit() else 1

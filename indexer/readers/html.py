"""HTML → blocks."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bs4 import BeautifulSoup, Comment, Doctype, ProcessingInstruction, Tag
from bs4.dammit import EncodingDetector
from bs4.element import NavigableString, PageElement

from indexer.blocks import Block, Parsed
from indexer.clean import clean, clean_lines
from indexer.readers.text import BYTE_ORDER_MARKS, decode
from indexer.tables import Room, names_columns, table
from indexer.titles import captioned
from kohaku.tree import Kind

SILENT_TAGS = """
    script style nav footer aside template noscript iframe object svg canvas audio video button select input textarea
    datalist dialog head title
"""
INLINE_TAGS = """
    a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark math q rp rt ruby s samp small
    span strike strong sub sup time tt u var wbr picture source
"""
SILENT, INLINE = frozenset(SILENT_TAGS.split()), frozenset(INLINE_TAGS.split())
SILENT_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alertdialog", "menu", "menubar"}
)
# Classes and ids of what stands around the text; an element of such a name that holds much of it is kept all the same.
AROUND_NAMES = """
    nav navbar navigation breadcrumb breadcrumbs menu sidebar footer site-footer page-footer share sharing social
    social-share newsletter newsletter-signup advertisement advert pagination pager skip-link skip-nav related
    related-articles related-posts cookie-banner cookiebanner cookie-notice cookie-consent cookie-bar consent gdpr
"""
AROUND = frozenset(AROUND_NAMES.split())
COOKIES = re.compile(
    r"cookie.?(?:banner|notice|consent|bar|popup|message|law|overlay|dialog|modal)|onetrust|gdpr", re.I
)
MOST_AROUND = 0.3  # of a page's text: what holds more is no bar beside it
LINKS, LINK_SHARE, LINK_LENGTH = 3, 0.8, 60  # a menu: so many links, so much of its text, so long on average
MOST_BARS = 200  # elements looked at for being one: each may hold all others
WORDS_OF_PICTURE = 3  # a shorter alternative text outside of a figure names an icon
# Encodings that pages name and what they mean by them, as browsers know.
MEANT = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252",
         "gb2312": "gb18030", "gbk": "gb18030", "x-sjis": "cp932", "shift_jis": "cp932", "euc-kr": "cp949"}  # fmt: skip
BREAK = "\x1c"  # a line that its author broke, where text still has the source's own line ends
LISTS, ITEMS = ("ul", "ol", "dl"), ("li", "dt", "dd")
HEADING = re.compile(r"h([1-6])")
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
DEEPEST = 20  # levels of a list that indent: over thousands the spaces would outgrow the text a thousandfold
WIDEST = 1000  # columns a cell may span, as HTML has it
NOT_TEXT = (Comment, Doctype, ProcessingInstruction)


def read(path: Path) -> Parsed:
    """An HTML file; its title is the title element's, else its first top heading."""
    data = path.read_bytes()
    soup = _soup(_decoded(data))
    title = clean(soup.title.get_text()) if soup.title else ""
    found = tuple(_page(soup))
    return Parsed(title=title or next((b.text for b in found if b.kind is Kind.SECTION), ""), blocks=found)


def blocks(markup: str) -> list[Block]:
    """The blocks of a piece of HTML."""
    return captioned((block, None) for block in _blocks(_soup(markup)))


def _decoded(data: bytes) -> str:
    """A page's text: UTF-8 where it reads as such, whatever it says; else the encoding it names; else a guess."""
    declared = EncodingDetector.find_declared_encoding(data, is_html=True, search_entire_document=False)
    try:
        return decode(data) if not declared or data.startswith(BYTE_ORDER_MARKS) else data.decode("utf-8")
    except UnicodeDecodeError:
        assert declared is not None
    try:
        return data.decode(MEANT.get(declared.lower(), declared), "replace")
    except LookupError:  # an encoding that nobody knows
        return decode(data)


def _page(soup: BeautifulSoup) -> list[Block]:
    """The blocks of a page's text, without the menus around it."""
    articles = [one for one in soup.find_all("article") if one.find_parent("article") is None]
    root = soup.find("main") or (articles[0] if len(articles) == 1 else soup)
    for element in [*_around(root), *_menus(root)]:
        element.extract()
    found = captioned((block, None) for block in _blocks(root))
    above = soup.find("h1") if root is not soup else None
    if above and not any(block.kind is Kind.SECTION and block.level == 1 for block in found):
        found[:0] = _if_text(Kind.SECTION, clean(_text(above)), level=1)
    return found


def _around(root: Tag) -> list[Tag]:
    """The elements that by their names stand around the text."""
    most = MOST_AROUND * len(root.get_text())
    return [one for one in root.find_all(_is_around, limit=MOST_BARS) if len(one.get_text()) <= most]


def _is_around(tag: Tag) -> bool:
    if tag.name in ("html", "body", "main", "article") or HEADING.fullmatch(tag.name):
        return False
    names = f"{' '.join(map(str, tag.get_attribute_list('class')))} {tag.get('id') or ''}"
    return not AROUND.isdisjoint(names.lower().split()) or COOKIES.search(names) is not None


def _menus(root: Tag) -> list[Tag]:
    """The lists that are but links, unless the page is about them: then they are most of it."""
    found = [one for one in root.find_all(LISTS) if one.find_parent(LISTS) is None and _is_menu(one)]
    held = sum(len(one.get_text()) for one in found)
    return found if held * 2 < len(root.get_text()) else []


def _is_menu(tag: Tag) -> bool:
    links = linked = whole = 0
    stack: list[tuple[PageElement, bool]] = [(tag, False)]
    while stack:
        element, in_link = stack.pop()
        if isinstance(element, Tag):
            is_link = element.name == "a" and element.has_attr("href")
            links += is_link
            stack.extend((child, in_link or is_link) for child in element.contents)
        else:
            length = len("".join(str(element).split()))
            whole += length
            linked += length * in_link
    return links >= LINKS and linked >= LINK_SHARE * whole and linked <= LINK_LENGTH * links


def _soup(markup: bytes | str) -> BeautifulSoup:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it suspects XML or a file name where there is little markup
        return BeautifulSoup(markup, "lxml")


def _blocks(root: PageElement) -> Iterator[Block]:
    """The blocks in document order; text that stands in no paragraph element becomes one where a block begins."""
    loose: list[str | Block] = []
    quotations: list[Tag] = []
    stack: list[PageElement | Callable[[], object]] = [root]  # what is called stands where a block element ends
    while stack:
        element = stack.pop()
        if callable(element) and not isinstance(element, PageElement):
            yield from _paragraphs(loose, quotations)
            element()
        elif isinstance(element, NavigableString):
            loose.append("" if isinstance(element, NOT_TEXT) else str(element))
        elif isinstance(element, Tag) and not _silent(element):
            if element.name in MARKED:
                loose += MARKED[element.name](element)
            elif element.name in INLINE:
                stack.extend(reversed(element.contents))
            else:
                yield from _paragraphs(loose, quotations)
                whole = _whole(element)
                if whole is not None:
                    yield from whole
                    continue
                is_quotation = element.name == "blockquote"
                if is_quotation:
                    quotations.append(element)
                stack.append(quotations.pop if is_quotation else list)
                stack.extend(reversed(element.contents))
    yield from _paragraphs(loose, quotations)


def _paragraphs(loose: list[str | Block], quotations: Sequence[Tag]) -> Iterator[Block]:
    """The text gathered so far as paragraphs, parted where two lines are broken; it is gathered anew from here."""
    kind = Kind.QUOTE if quotations else Kind.PARAGRAPH
    text = "".join(part for part in loose if isinstance(part, str))
    drawn = [part for part in loose if isinstance(part, Block)]
    loose.clear()
    for part in re.split(rf"{BREAK}\s*{BREAK}", text):
        words = clean(part.replace(BREAK, " "))
        if words:
            yield Block(kind, words)
    yield from (block for block in drawn if len(block.text.split()) >= WORDS_OF_PICTURE or block.kind is Kind.FORMULA)


def _picture(tag: Tag) -> list[str | Block]:
    """A picture in the text, by its alternative text; one that stands for a formula is that formula."""
    words = clean(str(tag.get("alt") or ""))
    names = " ".join(map(str, tag.get_attribute_list("class")))
    if re.search(r"math|tex\b|formula|equation", names, re.IGNORECASE):
        return [words]
    return [Block(Kind.FIGURE, words, title=words)] if words else []


def _formula(tag: Tag) -> list[str | Block]:
    """A formula, by the TeX it carries, else by its signs; one on a line of its own is a block."""
    source = tag.find("annotation", encoding=re.compile("tex", re.IGNORECASE))
    words = clean(source.get_text() if source else tag.get_text())
    return [Block(Kind.FORMULA, words)] if tag.get("display") == "block" and words else [words]


MARKED: dict[str, Callable[[Tag], Sequence[str | Block]]] = {
    "br": lambda tag: [BREAK],
    "img": _picture,
    "math": _formula,
}


def _silent(tag: Tag) -> bool:
    """Whether an element is not part of the text: code, navigation, or hidden."""
    if tag.name in SILENT or tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
        return True
    if tag.name == "form":  # some sites put whole pages into one
        return tag.find(("p", "table", "article", HEADING)) is None
    if tag.get("role") in SILENT_ROLES or HIDDEN.search(str(tag.get("style", ""))):
        return True
    return tag.name == "header" and tag.find(HEADING) is None  # a site's head; an article's holds its heading


def _whole(tag: Tag) -> list[Block] | None:
    """The blocks of an element that is taken as a whole; None where its children are to be looked at one by one."""
    level = _level(tag)
    if level:
        pictures = (str(image.get("alt") or "") for image in tag.find_all("img"))
        return _if_text(Kind.SECTION, clean(_text(tag)) or clean(" ".join(pictures)), level=level)
    if tag.name in ("pre", "listing", "xmp"):
        return _if_text(Kind.CODE, clean_lines(_text(tag)).strip("\n"))
    if tag.name in LISTS and tag.find("table") is None and tag.find(HEADING) is None:
        return _list(tag)
    if tag.name == "figure" and (inner := tag.find("table")) is not None and not _layout(inner):
        said = tag.find("figcaption")
        return _table(inner, clean(_text(said)) if said else "")
    if tag.name == "figcaption":
        caption = clean(_text(tag))
        return [Block(Kind.FIGURE, caption, title=caption)] if caption else []
    if tag.name == "figure" and tag.find("figcaption") is None and tag.find("img", alt=True):
        return _if_text(Kind.FIGURE, clean(" ".join(str(image.get("alt", "")) for image in tag.find_all("img"))))
    if tag.name == "table" and not _layout(tag):
        return _table(tag)
    return None


def _level(tag: Tag) -> int:
    """A heading's level; 0 for what is none."""
    heading = HEADING.fullmatch(tag.name)
    if heading:
        return int(heading[1])
    said = str(tag.get("aria-level", "2"))
    return int(said) if tag.get("role") == "heading" and said in "123456" and said else 0


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


def _table(tag: Tag, title: str = "") -> list[Block]:
    caption = tag.find("caption")
    title = clean(_text(caption)) if caption else title
    rows = [row for row in tag.find_all("tr") if not _silent(row)]
    rows.sort(key=lambda row: row.find_parent("tfoot") is not None)  # older pages have the foot before the body
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
    return int(len(rows) > 1 and names_columns(first))


def _grid(rows: list[Tag]) -> list[list[str]]:
    """The cells row by row, one that spans several repeated in each."""
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # column → (rows still to fill, text)
    room = Room()
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
            if not room.holds(text, across * down - 1):
                across = down = 1
            for _ in range(across):
                if down > 1:
                    hanging[len(line)] = (down - 1, text)
                line.append(text)
        grid.append(line)
    return grid


def _span(cell: Tag, name: str) -> int:
    value = str(cell.get(name, "1")).strip()
    return min(max(int(value[:9]), 1), WIDEST) if value.isascii() and value.isdigit() else 1

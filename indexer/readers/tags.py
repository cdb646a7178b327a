"""What the structure tree of a tagged PDF calls headings."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from indexer.clean import clean
from indexer.layout.outline import Entry
from kohaku import mupdf

MOST_ELEMENTS = 200_000  # of a tree that are looked at: a book of 2,000 pages has half of it
MOST_ENTRIES = 20_000
LONGEST = 1_000  # characters of an element that may be a heading: what is longer is cut, and found on no page
HEADING = re.compile(r"[Hh]([1-6]?)|[Tt]itle")
# Styles' names, as programs give them that map them to plain paragraphs: "heading 1", "Überschrift_2", "headingone".
STYLE = re.compile(
    r"(?:heading|head|überschrift|titre|título|titolo|rubrik|kop|标题|見出し)"
    r"[ _-]?(?:([1-6])|(one)|(two)|(three)|(four))",
    re.IGNORECASE,
)
SECTIONS = {"Sect", "Part", "Art"}
APART = {"Table", "TOC", "Figure", "Formula", "Form"}  # what holds no heading of the document
NAME = re.compile(r"/S\s*/([^\s/<>\[\]()]+)")
ROLE = re.compile(r"/([^\s/<>\[\]()]+)\s*/([^\s/<>\[\]()]+)")
UPWARDS = re.compile(r"/(?:P|Pg|A|C|Obj|Stm|StmOwn|NS|AF)\s*\d+ \d+ R")
PAGE = re.compile(r"/Pg\s*(\d+) \d+ R")
REFERENCE = re.compile(r"(\d+) \d+ R")
ESCAPED = re.compile(r"#([0-9A-Fa-f]{2})")


def tagged(file: Any, pages: Collection[int]) -> list[Entry]:
    """The headings that the tree names on these pages (from 1), in the pages' order; none where it has none.

    Level 0 is the document's title. Only pages that hold one by the tree are read again.
    """
    pymupdf = mupdf.load()

    try:
        root = _root(file)
        found = _pages(file, root) if root else set()
        if not found:
            return []
        entries: list[Entry] = []
        for index in range(file.page_count):
            if index + 1 in pages and file.page_xref(index) in found:
                entries += _on_page(file[index], index + 1)
                if len(entries) > MOST_ENTRIES:
                    break
        return entries
    except (RuntimeError, ValueError, RecursionError, pymupdf.mupdf.FzErrorBase):
        return []


def _root(file: Any) -> int:
    """The tree's object where the file says that it is tagged, else 0."""
    catalog = file.pdf_catalog()
    kind, value = file.xref_get_key(catalog, "StructTreeRoot")
    is_marked = file.xref_get_key(catalog, "MarkInfo/Marked")[1] == "true"
    return int(value.split()[0]) if kind == "xref" and is_marked else 0


def _pages(file: Any, root: int) -> set[int]:
    """The objects of the pages on which headings stand by the tree."""
    roles = _roles(file, root)
    waiting = [(int(xref), False) for xref in REFERENCE.findall(file.xref_get_key(root, "K")[1])]
    seen: set[int] = set()
    pages: set[int] = set()
    while waiting and len(seen) < MOST_ELEMENTS:
        xref, within = waiting.pop()
        if xref in seen or not 0 < xref < file.xref_length():
            continue
        seen.add(xref)
        said = file.xref_object(xref, compressed=True)
        named = NAME.search(said)
        name = _unescaped(named[1]) if named else ""
        if _standard(name, roles) in APART:
            continue
        within = within or _level(name, _standard(name, roles), 1) is not None
        if within:
            pages.update(map(int, PAGE.findall(said)))
        waiting += [(int(kid), within) for kid in REFERENCE.findall(UPWARDS.sub("", said))]
    return pages


def _roles(file: Any, root: int) -> Mapping[str, str]:
    """The names that the file gives to kinds of elements, with those that they stand for."""
    kind, value = file.xref_get_key(root, "RoleMap")
    if kind == "xref":
        value = file.xref_object(int(value.split()[0]), compressed=True)
    return {_unescaped(own): _unescaped(standard) for own, standard in ROLE.findall(value)}


def _standard(name: str, roles: Mapping[str, str]) -> str:
    for _ in range(4):  # a role may stand for another; not for itself in the end
        if name not in roles:
            break
        name = roles[name]
    return name


def _unescaped(name: str) -> str:
    raw = ESCAPED.sub(lambda found: chr(int(found[1], 16)), name)
    return raw.encode("latin-1", "ignore").decode("utf-8", "ignore") if not raw.isascii() else raw


def _level(raw: str, standard: str, depth: int) -> int | None:
    """How deep a heading the element is (0: the document's title); None for what is no heading.

    >>> _level("P", "P", 1), _level("H2", "H2", 1), _level("H", "H", 3), _level("heading 1", "P", 1)
    (None, 2, 3, 1)
    """
    for name in (standard, raw):
        if found := HEADING.fullmatch(name):
            return 0 if name.lower() == "title" else int(found[1] or depth)
    if found := STYLE.fullmatch(raw):
        return int(found[1] or found.lastindex - 1) if found.lastindex else None
    return None


def _on_page(page: Any, number: int) -> list[Entry]:
    pymupdf = mupdf.load()

    low = pymupdf.mupdf
    text = page.get_textpage(flags=pymupdf.TEXT_COLLECT_STRUCTURE)
    buffer = low.FzBuffer(4096)
    output = low.FzOutput(buffer)
    low.fz_print_stext_page_as_json(output, text.this, 1)
    output.fz_close_output()
    return list(_headings(json.loads(low.fz_string_from_buffer(buffer))["blocks"], number, 1))


def _headings(blocks: Sequence[Mapping[str, Any]], page: int, depth: int) -> Iterator[Entry]:
    for block in blocks:
        if block.get("type") != "structure":
            continue
        standard = block.get("std", "")
        level = _level(block.get("raw", ""), standard, depth)
        if level is not None:
            title = clean(" ".join(_words(block)))[:LONGEST]
            if title:
                yield Entry(level, title, page)
        elif standard not in APART:
            yield from _headings(block.get("contents", ()), page, depth + (standard in SECTIONS))


def _words(block: Mapping[str, Any]) -> Iterator[str]:
    """The lines of an element, those of its own elements with them."""
    yield from (line["text"] for line in block.get("lines", ()))
    for inner in block.get("contents", ()):
        yield from _words(inner)

"""Markdown (CommonMark with tables) → blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from indexer.blocks import Block, Parsed
from indexer.clean import clean, clean_lines
from indexer.readers.text import decode
from indexer.tables import table
from kohaku.tree import Kind

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)
FRONT_TITLE = re.compile(r"^title[ \t]*:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")


def read(path: Path) -> Parsed:
    """A Markdown file; its title is the front matter's, else its first top heading."""
    return parse(decode(path.read_bytes()))


def parse(text: str) -> Parsed:
    """Markdown text as blocks."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front = FRONT_MATTER.match(text)
    title = FRONT_TITLE.search(front[1]) if front else None
    tokens = MarkdownIt("commonmark").enable("table").parse(text[front.end() :] if front else text)
    found = tuple(_blocks(tokens))
    top = next((block.text for block in found if block.kind is Kind.SECTION and block.level == 1), "")
    return Parsed(title=clean(title[1].strip("\"'")) if title else top, blocks=found)


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    at = 0
    while at < len(tokens):
        end = _end(tokens, at)
        yield from _block(tokens[at : end + 1])
        # A quotation is opened, not taken whole: what stands in it are blocks of their own.
        at = at + 1 if tokens[at].type == "blockquote_open" else end + 1


def _end(tokens: Sequence[Token], start: int) -> int:
    """Where the token that opens at `start` is closed."""
    depth = 0
    for at in range(start, len(tokens)):
        depth += tokens[at].nesting
        if depth <= 0:
            return at
    return len(tokens) - 1


def _block(tokens: Sequence[Token]) -> Iterator[Block]:
    first = tokens[0]
    if first.type == "heading_open":
        yield from _if_text(Kind.SECTION, clean(_plain(tokens[1])), level=int(first.tag[1:]))
    elif first.type == "paragraph_open":
        yield from _paragraph(tokens[1])
    elif first.type in ("fence", "code_block"):
        yield from _if_text(Kind.CODE, clean_lines(first.content).strip("\n"))
    elif first.type in ("bullet_list_open", "ordered_list_open"):
        yield from _list(tokens)
    elif first.type == "table_open":
        yield _table(tokens)
    elif first.type == "html_block":
        from indexer.readers.html import blocks  # most Markdown needs no HTML parser

        yield from blocks(first.content)


def _if_text(kind: Kind, text: str, level: int = 0) -> Iterator[Block]:
    if text:
        yield Block(kind, text, level=level)


def _paragraph(inline: Token) -> Iterator[Block]:
    children = [child for child in inline.children or () if child.type != "softbreak"]
    if children and all(child.type == "image" for child in children):
        for image in children:
            caption = clean(image.content or str(image.attrs.get("title", "")))
            if caption:
                yield Block(Kind.FIGURE, caption, title=caption)
        return
    text = clean(_plain(inline))
    if FOOTNOTE.match(text):
        yield Block(Kind.FOOTNOTE, clean(text.split(":", 1)[1]) or text)
    elif text.startswith("$$") and text.endswith("$$"):
        yield from _if_text(Kind.FORMULA, text.strip("$ "))
    else:
        yield from _if_text(Kind.PARAGRAPH, text)


def _plain(inline: Token) -> str:
    """The text of inline Markdown without its marks."""
    parts = []
    for child in inline.children or ():
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "image":
            parts.append(child.content)
        elif child.type == "html_inline" and child.content.lower().startswith("<br"):
            parts.append(" ")
    return "".join(parts)


def _list(tokens: Sequence[Token]) -> Iterator[Block]:
    """A list with its items as sentences; nested items are items of their own."""
    lines: list[str] = []
    items: list[str] = []
    markers: list[str] = []
    fresh = False
    for token in tokens:
        if token.type == "list_item_open":
            markers.append(f"{token.info}{token.markup}" if token.info else "-")
            fresh = True
        elif token.type == "list_item_close":
            markers.pop()
        elif token.type in ("inline", "fence", "code_block"):
            text = clean(_plain(token) if token.type == "inline" else token.content)
            if not text:
                continue
            if fresh or not items:
                items.append(text)
                lines.append(f"{'  ' * (len(markers) - 1)}{markers[-1]} {text}")
            else:  # a further paragraph of the same item
                items[-1] += f" {text}"
                lines[-1] += f" {text}"
            fresh = False
    if items:
        yield Block(Kind.LIST, "\n".join(lines), sentences=tuple(items))


def _table(tokens: Sequence[Token]) -> Block:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_plain(token))
    return table(rows)

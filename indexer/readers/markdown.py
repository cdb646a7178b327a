"""Markdown (CommonMark with tables) → blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from indexer.blocks import Block, Parsed
from indexer.clean import clean, clean_lines
from indexer.readers.text import decode
from indexer.tables import table
from indexer.titles import captioned
from kohaku.tree import Kind

FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)
# A line of YAML or TOML: where there are others, it is text between two rules.
FRONT_LINE = re.compile(r"[\w\"'.-]+[ \t]*[:=](?:[ \t].*)?|[ \t]+\S.*|[-#\[\]{}].*|")
FRONT_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(.+?)[ \t]*$", re.MULTILINE)
MARKERS = re.compile(r"[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))")
MOST_MARKERS = 40  # of quotations and lists that open in one line
WIDEST_INDENT = 160  # columns: 40 to 80 lists in lists, each of which takes a few frames of the parser's stack
DEEPEST = 20  # levels of a list that indent: over thousands the spaces would outgrow the text a thousandfold
ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}$")  # that some dialects write after a heading
BLOCKS = MarkdownIt("commonmark", {"maxNesting": 1000}).enable("table").disable("inline")
INLINE = MarkdownIt("commonmark").enable("strikethrough")  # of brackets in brackets a thousand are too many
FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")


def read(path: Path) -> Parsed:
    """A Markdown file; its title is the front matter's, else its first top heading."""
    return parse(decode(path.read_bytes()))


def parse(text: str) -> Parsed:
    """Markdown text as blocks."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front = FRONT_MATTER.match(text)
    if front and not all(map(FRONT_LINE.fullmatch, front[2].split("\n"))):
        front = None
    title = FRONT_TITLE.search(front[2]) if front else None
    lines = (text[front.end() :] if front else text).split("\n")
    found = tuple(captioned((block, None) for block in _blocks(_tokens("\n".join(map(_shallow, lines))))))
    top = next((block.text for block in found if block.kind is Kind.SECTION and block.level == 1), "")
    return Parsed(title=clean(title[1].strip("\"'")) if title else top, blocks=found)


def _tokens(text: str) -> list[Token]:
    references: dict[str, Any] = {}
    tokens = BLOCKS.parse(text, references)
    for token in tokens:
        if token.type == "inline":
            token.children = INLINE.parseInline(token.content, references)[0].children
    return tokens


def _shallow(line: str) -> str:
    """A line that opens or stands in no more quotations and lists than a parser's stack can hold.

    >>> _shallow("> - Text"), _shallow("- " * 1000 + "Text")[-10:], len(_shallow(" " * 9000 + "Text"))
    ('> - Text', '- - - Text', 164)
    """
    indent = len(line) - len(line.lstrip(" \t"))
    if indent > WIDEST_INDENT:
        line = " " * WIDEST_INDENT + line.lstrip(" \t")
    end = kept = count = 0
    while found := MARKERS.match(line, end):
        end, count = found.end(), count + 1
        kept = end if count <= MOST_MARKERS else kept
    return line[:kept] + line[end:]


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    at = quoted = 0
    while at < len(tokens):
        # A quotation is opened, not taken whole: what stands in it are blocks of their own.
        if tokens[at].type in ("blockquote_open", "blockquote_close"):
            quoted += tokens[at].nesting
            at += 1
            continue
        end = _end(tokens, at)
        if tokens[at].type == "html_block":  # HTML goes on over blank lines
            while end + 1 < len(tokens) and tokens[end + 1].type == "html_block":
                end += 1
        for block in _block(tokens[at : end + 1]):
            yield replace(block, kind=Kind.QUOTE) if quoted and block.kind is Kind.PARAGRAPH else block
        at = end + 1


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
        yield from _if_text(Kind.SECTION, ATTRIBUTES.sub("", clean(_plain(tokens[1]))), level=int(first.tag[1:]))
    elif first.type == "paragraph_open":
        yield from _paragraph(tokens[1])
    elif first.type == "fence" and first.info.strip() == "math":
        yield from _if_text(Kind.FORMULA, clean(first.content))
    elif first.type in ("fence", "code_block"):
        yield from _if_text(Kind.CODE, clean_lines(first.content).strip("\n"))
    elif first.type in ("bullet_list_open", "ordered_list_open"):
        yield from _list(tokens)
    elif first.type == "table_open":
        yield _table(tokens)
    elif first.type == "html_block":
        from indexer.readers.html import blocks  # most Markdown needs no HTML parser

        yield from blocks("".join(token.content for token in tokens))


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
    source = clean(inline.content)  # in formulas stars, underscores and backslashes are no marks
    if FOOTNOTE.match(text):
        yield Block(Kind.FOOTNOTE, clean(text.split(":", 1)[1]) or text)
    elif source.startswith("$$") and source.endswith("$$"):
        yield from _if_text(Kind.FORMULA, source.strip("$ "))
    elif source.startswith("\\[") and source.endswith("\\]"):
        yield from _if_text(Kind.FORMULA, source[2:-2].strip())
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
        elif token.type in ("inline", "fence", "code_block", "html_block"):
            text = clean(_words(token))
            if not text:
                continue
            if fresh or not items:
                items.append(text)
                lines.append(f"{'  ' * min(len(markers) - 1, DEEPEST)}{markers[-1]} {text}")
            else:  # a further paragraph of the same item
                items[-1] += f" {text}"
                lines[-1] += f" {text}"
            fresh = False
    if items:
        yield Block(Kind.LIST, "\n".join(lines), sentences=tuple(items))


def _words(token: Token) -> str:
    """The text of what stands in an item, on one line or several."""
    if token.type == "html_block":
        from indexer.readers.html import blocks  # most Markdown needs no HTML parser

        return "\n".join(block.text for block in blocks(token.content))
    return _plain(token) if token.type == "inline" else token.content


def _table(tokens: Sequence[Token]) -> Block:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_plain(token))
    return table(rows)

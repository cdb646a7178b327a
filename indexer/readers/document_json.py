"""Another parser's document JSON → blocks."""

from __future__ import annotations

import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from indexer.blocks import Block, Parsed
from indexer.clean import clean
from indexer.plain import Page, pages_to_blocks
from indexer.readers import thread
from indexer.readers.text import decode
from indexer.sentences import split
from kohaku.errors import ReadError
from kohaku.tree import Kind

SEE = ": see docs/tree.md for the form"
PASSAGE = 800  # characters: about the 200 tokens that a passage may have
PAGE_TITLE = re.compile(r"(?:page|slide|p\.)\s*(\d{1,6})", re.IGNORECASE)
LAST_PAGE = 1_000_000  # no file has more, and far greater numbers no database holds
PLACEHOLDER = re.compile(r"\[(?:image|figure)\b[^\]]*\][^\n]*", re.IGNORECASE)
PICTURE = re.compile(r"data:image/[\w.+-]+;base64,")


@dataclass(frozen=True, slots=True)
class Written:
    """A paragraph as it is written: a figure's has `is_figure`, and its picture where that is there."""

    text: str
    page: int | None
    is_figure: bool = False
    image: bytes | None = None


def read(path: Path) -> Parsed:
    """A document JSON file, or a saved forum thread; ReadError names the field that is not as it should be."""
    try:
        content = json.loads(decode(path.read_bytes()))
    except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
        raise ReadError(f"this is no valid JSON ({error}): export it again") from None
    return thread.parse(content) if thread.is_thread(content) else parse(content)


def parse(content: object) -> Parsed:
    """A document's JSON as blocks; sections named after a page only carry it, their headings are sought in the text."""
    document = _mapping(content, "the document")
    sections = _list(document, "sections", "")
    if not sections and not document.get("text"):
        raise ReadError(f"no field sections: this is no document JSON, nor a forum thread{SEE}")
    blocks: list[Block] = []
    pages: list[Page] = []
    figures: list[Block] = []
    for number, section in enumerate(sections):
        where = f"sections[{number}]"
        section = _mapping(section, where)
        title = clean(_text(section, "title", where))
        page = _page(section, where) or _page_of_title(title)
        if PAGE_TITLE.fullmatch(title):
            text, found = _carried(section, where, page)
            pages.append((page, text))
            figures += found
        else:
            blocks += [*_flow(pages, figures), *_section(section, title, page, where)]
            pages, figures = [], []
    blocks += _flow(pages, figures)
    if not sections:
        blocks = pages_to_blocks([(None, _text(document, "text", ""))])
    return Parsed(
        title=clean(_text(document, "title", "")),
        blocks=tuple(blocks),
        pages=max((block.page or 0 for block in blocks), default=0),
        id=clean(_text(document, "document_id", "")) or None,
        metadata=_metadata(document),
    )


def _flow(pages: Sequence[Page], figures: Sequence[Block]) -> list[Block]:
    """Pages of text as blocks, with the figures after the text of their page."""
    blocks: list[Block] = []
    waiting = sorted(figures, key=lambda figure: figure.page or 0)
    for block in gathered(pages_to_blocks(pages)):
        while waiting and (waiting[0].page or 0) < (block.page or 0):
            blocks.append(waiting.pop(0))
        blocks.append(block)
    return blocks + waiting


def gathered(blocks: Iterable[Block]) -> list[Block]:
    """The blocks, neighbouring short paragraphs of a page as one.

    Where the paragraphs of a page were guessed from its lines, a short one is as likely a scrap as a paragraph, and
    says too little to be found by.
    """
    result: list[Block] = []
    for block in blocks:
        last = result[-1] if result else None
        if last and _both_short(last, block):
            text = f"{last.text}\n{block.text}"
            result[-1] = replace(last, text=text, sentences=(*_sentences(last), *_sentences(block)))
        else:
            result.append(block)
    return result


def _both_short(one: Block, other: Block) -> bool:
    plain = one.kind is Kind.PARAGRAPH and other.kind is Kind.PARAGRAPH and one.page == other.page
    return plain and len(one.text) + len(other.text) <= PASSAGE


def _sentences(block: Block) -> tuple[str, ...]:
    return block.sentences or tuple(sentence.strip() for sentence in split(block.text))


def _carried(section: Mapping[str, Any], where: str, page: int | None) -> tuple[str, list[Block]]:
    """The text of a section that is only a page, and what figures with words there are on it."""
    texts: list[str] = []
    figures: list[Block] = []
    for one in _paragraphs(section, where):
        if one.is_figure:
            figures += _figure(one, page)
        else:
            texts.append(one.text)
    return "\n\n".join(texts), figures


def _section(section: Mapping[str, Any], title: str, page: int | None, where: str) -> Iterator[Block]:
    """A section with a heading of its own, and its paragraphs."""
    if title:
        yield Block(Kind.SECTION, title, level=_level(section), page=page)
    for one in _paragraphs(section, where):
        if one.is_figure:
            yield from _figure(one, page)
        else:
            yield from pages_to_blocks([(one.page or page, one.text)])


def _figure(written: Written, page: int | None) -> list[Block]:
    """A figure, where its picture is there or something is said of it: a placeholder alone is no evidence."""
    words = clean(PLACEHOLDER.sub("", written.text))
    if not words and not written.image:
        return []
    return [Block(Kind.FIGURE, words, title=words, page=written.page or page, image=written.image)]


def _paragraphs(section: Mapping[str, Any], where: str) -> Iterator[Written]:
    """A section's paragraphs."""
    for number, paragraph in enumerate(_list(section, "paragraphs", where)):
        here = f"{where}.paragraphs[{number}]"
        paragraph = {"text": paragraph} if isinstance(paragraph, str) else _mapping(paragraph, here)
        text = _text(paragraph, "text", here)
        if not text:
            sentences = enumerate(_list(paragraph, "sentences", here))
            text = " ".join(_sentence(sentence, f"{here}.sentences[{at}]") for at, sentence in sentences)
        metadata = _mapping(paragraph.get("metadata") or {}, f"{here}.metadata")
        is_figure = metadata.get("attachment_type") == "image"
        image = _picture(metadata.get("image"), f"{here}.metadata.image") if is_figure else None
        yield Written(text, _page(paragraph, here), is_figure, image)


def _picture(value: object, where: str) -> bytes | None:
    """The bytes of a picture that is written as a data URL; a path or another address is never followed."""
    head = PICTURE.match(value) if isinstance(value, str) else None
    if head is None:
        return None
    try:
        return binascii.a2b_base64(head.string[head.end() :])
    except ValueError as error:
        raise ReadError(f"field {where} is no base64 ({error}){SEE}") from None


def _sentence(sentence: object, where: str) -> str:
    return sentence if isinstance(sentence, str) else _text(_mapping(sentence, where), "text", where)


def _level(section: Mapping[str, Any]) -> int:
    level = section.get("level", 1)
    return level if isinstance(level, int) and level > 0 else 1


def _page_of_title(title: str) -> int | None:
    found = PAGE_TITLE.fullmatch(title)
    return int(found[1]) or None if found else None


def _page(part: Mapping[str, Any], where: str) -> int | None:
    metadata = _mapping(part.get("metadata") or {}, f"{where}.metadata")
    page = metadata.get("page")
    if isinstance(page, str) and re.fullmatch(r"\s*\d{1,7}\s*", page):
        page = int(page)
    if page is None or (isinstance(page, int) and not isinstance(page, bool) and page <= LAST_PAGE):
        return page if page and page > 0 else None  # parsers write 0 or -1 where they know none
    raise ReadError(f"field {where}.metadata.page is {repr(page)[:40]}, not a page number: write one, or leave it out")


def _metadata(document: Mapping[str, Any]) -> dict[str, str]:
    metadata = _mapping(document.get("metadata") or {}, "metadata")
    return {str(name): clean(str(value)) for name, value in metadata.items() if isinstance(value, str | int | float)}


def _mapping(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ReadError(f"{where} should be a JSON object, it is {_kind(value)}{SEE}")
    return value


def _list(part: Mapping[str, Any], name: str, where: str) -> list[Any]:
    value = part.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise ReadError(f"field {f'{where}.{name}'.lstrip('.')} should be a list, it is {_kind(value)}{SEE}")
    return value


def _text(part: Mapping[str, Any], name: str, where: str) -> str:
    value = part.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ReadError(f"field {f'{where}.{name}'.lstrip('.')} should be text, it is {_kind(value)}{SEE}")
    return value


def _kind(value: object) -> str:
    return {dict: "an object", list: "a list", str: "text", bool: "a truth value", type(None): "null"}.get(
        type(value), "a number"
    )

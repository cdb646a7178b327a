"""Plain text → blocks."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from indexer.blocks import Parsed
from indexer.plain import HEADING_WORDS, SENTENCE_END, Line, lines_to_blocks, pages_to_lines
from kohaku.errors import ReadError

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
CHAPTER = re.compile(
    r"(?:chapter|part|book|volume|appendix|act|scene|kapitel|teil|chapitre|partie|cap[ií]tulo|parte|capitolo)\s+"
    r"(?:\d{1,3}|[IVXLC]{1,7}|[A-Z])(?:[.:)]?|[.:)]?\s*[—–-]?\s*(?-i:[^\W\d_a-z]).*)|第\s*[\d一二三四五六七八九十百]+\s*[章回节節部].*",
    re.IGNORECASE,
)
LONGEST_HEAD = 100  # characters
BYTE_ORDER_MARKS = tuple(mark for mark, _ in MARKS)


def read(path: Path) -> Parsed:
    """A text file: paragraphs at blank lines, pages at form feeds."""
    pages = decode(path.read_bytes()).split("\f")
    if not pages[-1].strip():
        pages.pop()
    numbered = len(pages) > 1
    lines = pages_to_lines([(number if numbered else None, page) for number, page in enumerate(pages, start=1)])
    blocks = lines_to_blocks(_with_standing_heads(lines))
    return Parsed(title="", blocks=tuple(blocks), pages=len(pages) if numbered else 0)


def _with_standing_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The lines, those marked as heads that stand alone and are a chapter's or written in capitals."""
    heads = [[_standing(lines, at) for at in range(len(lines))] for lines in pages]
    deeper = int(any("chapter" in found for found in heads))
    levels = {"": 0, "chapter": 1, "capitals": 1 + deeper}
    return [
        [replace(line, level=line.level or levels[head]) for line, head in zip(lines, found, strict=True)]
        for lines, found in zip(pages, heads, strict=True)
    ]


def _standing(lines: Sequence[Line], at: int) -> str:
    """What makes a line that stands alone a head, if anything does: "chapter" or "capitals"."""
    text = lines[at].text
    if not text or (at and lines[at - 1].text) or (at + 1 < len(lines) and lines[at + 1].text):
        return ""
    if len(text.split()) > HEADING_WORDS or len(text) > LONGEST_HEAD:
        return ""
    if CHAPTER.fullmatch(text):
        return "chapter"
    letters = sum(character.isalpha() for character in text)
    ended = SENTENCE_END.search(text) is not None and not text.endswith((":", "?"))
    return "capitals" if text.isupper() and letters >= 4 and letters * 2 > len(text) and not ended else ""


def decode(data: bytes) -> str:
    """Bytes as text: by byte order mark, else UTF-8, else the likeliest legacy encoding; ReadError for no text."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = _legacy(data)
    if text.count("\x00") > len(text) // 100:
        return _wide(data)
    return text


def _legacy(data: bytes) -> str:
    from charset_normalizer import from_bytes  # slow to import, rarely needed

    best = from_bytes(data).best()
    # Of the one-byte encodings only letter frequencies tell, and a few words have none: the common one wins.
    if best is None or best.byte_order_mark or not (best.multi_byte_usage or _other_alphabet(str(best))):
        return data.decode("cp1252", "replace")
    return str(best)


def _other_alphabet(text: str) -> bool:
    """Whether most letters are not Latin."""
    letters = [character for character in text if character.isalpha()]
    return sum(character > "\u036f" for character in letters) * 2 > len(letters) > 0


def _wide(data: bytes) -> str:
    """UTF-16 without a mark: Western text has a NUL in every second byte."""
    even, odd = data[0::2].count(0), data[1::2].count(0)
    if max(even, odd) * 2 > len(data) // 2 and len(data) % 2 == 0:
        return data.decode("utf-16-le" if odd > even else "utf-16-be", "replace")
    raise ReadError("this is no text: it holds binary data: name the file as what it is")

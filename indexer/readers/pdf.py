"""PDF files, by PyMuPDF: pages as plain data for the layout, and what it makes of them as blocks."""

from __future__ import annotations

import gc
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from indexer import ocr
from indexer.blocks import Block, Mark, Parsed, shelved
from indexer.clean import clean
from indexer.layout.book import Book
from indexer.layout.document import lay_out
from indexer.layout.inks import Ink, fragments
from indexer.layout.outline import Entry
from indexer.layout.page import Page, Rect, Style
from indexer.pdf.pages import MOST_ON_PAGE, sight
from indexer.pdf.pictures import with_images
from indexer.pdf.turn import Turn
from indexer.readers.tags import tagged
from indexer.reading import AS_EVER, Reading
from kohaku import mupdf
from kohaku.errors import ReadError

MOST_ENTRIES = 20_000  # of an outline
PAGES_HELD = 100  # of which MuPDF keeps fonts and images, as the next may show them again: else a quarter of a gigabyte
OUT_OF_MEMORY = re.compile(r"malloc|calloc|realloc|out of memory", re.IGNORECASE)
NO_TITLE = re.compile(
    r"untitled|microsoft (?:word|powerpoint)|.*\.(?:docx?|pptx?|tex|dvi|indd|pdf|xlsx?|rtf|x?html?)$|title",
    re.IGNORECASE,
)


def read(path: Path, reading: Reading = AS_EVER) -> Parsed:
    """The blocks of a PDF file; ReadError where it can't be read at all."""
    with _collector_at_rest():
        return _read(path, reading)  # what it holds is gone when the collector begins again


def _read(path: Path, reading: Reading) -> Parsed:
    with _opened(path, reading.passwords) as file:
        notes = Notes(file.page_count)
        turns: dict[int, Turn] = {}
        book = Book(_pages(file, reading, notes, turns))
        if not book.numbers:
            raise ReadError("no page can be read (damaged?): repair or export it again")
        title = _metadata_title(file)
        outline = _outline(file)
        # An outline that is as fine as a heading a page says all that tags could.
        tags = tagged(file, set(book.numbers)) if len(outline) < len(book.numbers) else []
        laid = lay_out(book, outline, title, tags)
        blocks = shelved(_shown(with_images(file, laid.blocks, turns), turns))
        return Parsed(
            title or laid.title or path.stem,
            blocks,
            pages=file.page_count,
            notes=tuple(notes.lines(reading)),
            met=tuple(notes.met()),
        )


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """No collection of cycles: it would walk everything on the pages again and again, a seventh of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _opened(path: Path, passwords: Sequence[str]) -> Any:
    pymupdf = mupdf.load()

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        file = pymupdf.open(path, filetype="pdf")
        is_open = not file.needs_pass or any(file.authenticate(password) for password in passwords)
        pages = file.page_count if is_open else 0
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as error:
        raise ReadError(f"damaged ({_reason(error)}): repair or export it again") from error
    if not is_open:
        file.close()
        if passwords:
            raise ReadError("needs another password than those given: add its own with --password")
        raise ReadError("needs a password: give it with --password")
    if pages < 1:
        file.close()
        raise ReadError("has no pages (damaged?): repair or export it again")
    return file


def _reason(error: Exception) -> str:
    words = clean(str(error))
    if "open file" in words or "open empty file" in words:  # the path, which is known, stands in these
        return "nothing in it makes a page"
    return words.removeprefix("code=7: ")[:120] or type(error).__name__


@dataclass(slots=True)
class Notes:
    """What has to be said of a file's pages, by their numbers."""

    pages: int
    failed: list[int] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)
    crammed: list[int] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    garbled: list[int] = field(default_factory=list)
    scanned: list[int] = field(default_factory=list)
    unseen: list[int] = field(default_factory=list)
    cut: str = ""

    def lines(self, reading: Reading) -> Iterator[str]:
        """The notes for the user, each with what to do where something can be done."""
        of = f"of {self.pages} pages"
        if self.failed:
            yield f"{len(self.failed)} {of} can't be read: {_listed(self.failed)}"
        if self.hidden:
            yield f"{len(self.hidden)} {of} hold hidden text, which was left out"
        if self.crammed:
            yield f"of page {_listed(self.crammed)} only the first {MOST_ON_PAGE:,} characters or so were read"
        if self.cut:
            yield self.cut
        if self.scanned:
            yield f"{len(self.scanned)} {of} were read by OCR"
        if self.unseen:
            yield f"{len(self.unseen)} {of} could not be read by OCR: {_listed(self.unseen)}"
        advice = f"; {reading.without}, then index again" if reading.without else ""
        if not advice and reading.tesseract is None:
            advice = "; install Tesseract and index again with --ocr auto"
        if self.blank:
            yield f"{len(self.blank)} {of} hold no text (scanned?): {_listed(self.blank, 10)}{advice}"
        if self.garbled:
            yield f"{len(self.garbled)} {of} hold text whose fonts don't say its letters{advice}"

    def met(self) -> Iterator[str]:
        """What of the way of reading made a difference."""
        if self.cut:
            yield "cut"
        if self.blank or self.garbled or self.scanned or self.unseen:
            yield "ocr"


def _listed(numbers: Sequence[int], most: int = 5) -> str:
    return ", ".join(map(str, numbers[:most])) + (" …" if len(numbers) > most else "")


def _pages(file: Any, reading: Reading, notes: Notes, turns: dict[int, Turn]) -> Iterator[Page]:
    """The pages that can be read; what went wrong is noted, and how those are turned that are goes into `turns`."""
    pymupdf = mupdf.load()

    limits, characters = reading.limits, 0
    for index in range(file.page_count):
        if index >= limits.pages:
            notes.cut = f"only its first {index:,} pages were read: allow it more with file_pages"
            break
        if characters > limits.characters:
            notes.cut = f"only its first {index:,} pages were read: allow it more with file_characters"
            break
        if index and not index % PAGES_HELD:
            pymupdf.TOOLS.store_shrink(100)
        try:
            page, turn = _seen(file, index, reading, notes)
        except (RuntimeError, ValueError, zlib.error, pymupdf.mupdf.FzErrorBase) as error:
            if OUT_OF_MEMORY.search(str(error)):
                raise MemoryError from error
            notes.failed.append(index + 1)
            continue
        characters += sum([len(fragment.text) for fragment in page.fragments])
        if not turn.is_none:
            turns[page.number] = turn
        yield page


def _seen(file: Any, index: int, reading: Reading, notes: Notes) -> tuple[Page, Turn]:
    """A page by its text layer, or as a picture where that says nothing."""
    pymupdf = mupdf.load()

    seen = sight(file, index)
    page, turn = seen.page, seen.turn
    if seen.hides:
        notes.hidden.append(index + 1)
    if seen.is_cut:
        notes.crammed.append(index + 1)
    if seen.is_empty or (page.fragments and not seen.is_garbled and reading.ocr != "force"):
        return page, turn
    if reading.tesseract is not None:
        try:
            lines = ocr.see(file[index], reading.tesseract, reading.grant)
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as error:
            if OUT_OF_MEMORY.search(str(error)):
                raise MemoryError from error
            notes.unseen.append(index + 1)
            lines = ()
        if lines:
            notes.scanned.append(index + 1)
            return _scan(file[index], page, lines)
    if not page.fragments:
        notes.blank.append(index + 1)
    elif seen.is_garbled:
        notes.garbled.append(index + 1)
    return page, turn


def _scan(shown: Any, page: Page, lines: Sequence[ocr.Seen]) -> tuple[Page, Turn]:
    """A page as it was seen, turned for reading; the picture that it is is no figure on it."""
    weights = Counter[int]()
    for line in lines:
        weights[line.quarters] += sum(len(word.text) for word in line.words)
    quarters = weights.most_common(1)[0][0]
    turn = Turn(quarters, shown.rect.width, shown.rect.height, ())
    area = turn.read(Rect(0, 0, turn.width, turn.height))
    inks = []
    for line in lines:
        if line.quarters == quarters:  # the others are stamps, and the letters of turned axes
            style, foot = Style(line.size), turn.read(line.rect).y1
            inks += [
                Ink(word.text, turn.read(word.rect), foot if quarters else word.base, style) for word in line.words
            ]
    pictures = () if quarters or shown.rotation else page.pictures
    most = area.width * area.height / 2
    return (
        replace(
            page,
            width=area.width,
            height=area.height,
            fragments=tuple(fragments(inks)),
            rulings=(),
            pictures=tuple(one for one in pictures if one.rect.width * one.rect.height < most),
            drawings=(),
        ),
        turn,
    )


def _shown(blocks: Iterable[Block], turns: Mapping[int, Turn]) -> Iterable[Block]:
    """The blocks with their boxes as the pages show them."""
    if not turns:
        return blocks

    def turned(mark: Mark) -> Mark:
        turn = turns.get(mark.box.page)
        return mark._replace(box=turn.box(mark.box)) if turn else mark

    return (replace(block, marks=tuple(map(turned, block.marks))) for block in blocks)


def _outline(file: Any) -> list[Entry]:
    pymupdf = mupdf.load()

    try:
        rows = file.get_toc(simple=True)
    except (RuntimeError, ValueError, TypeError, IndexError, RecursionError, pymupdf.mupdf.FzErrorBase):
        return []
    return [Entry(level, clean(title), page) for level, title, page, *_ in rows[:MOST_ENTRIES] if page > 0]


def _metadata_title(file: Any) -> str:
    title = clean((file.metadata or {}).get("title") or "")
    letters = sum(character.isalpha() for character in title)
    return title if letters > 2 and len(title) < 300 and not NO_TITLE.fullmatch(title) else ""

"""PDF files, by PyMuPDF: what stands on the pages, as plain data for the layout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from indexer.blocks import Block, Parsed
from indexer.clean import clean
from indexer.layout.document import lay_out
from indexer.layout.outline import Entry
from indexer.layout.page import Fragment, Page, Picture, Rect, Style
from kohaku.errors import ReadError
from kohaku.tree import Kind

HEADER_REACH = 1024 * 1024  # bytes in which %PDF must stand
MOST_IMAGE_BYTES = 20_000_000
MOST_PIXELS = 60_000_000  # an image that must be decoded: larger ones are bombs or posters
MOST_ENTRIES = 20_000  # of an outline
WIDE_GAP = 1.2  # of the letter size: spans farther apart are cells of their own
BOLD, ITALIC, MONO = 16, 2, 8  # span flags
FILLED, STROKED = 16, 32  # character flags
BOLD_NAME = re.compile(r"bold|black|heavy|semibold|demi|cmbx|-bd\b|medi(?:um)?$", re.IGNORECASE)
NO_TITLE = re.compile(
    r"untitled|microsoft (?:word|powerpoint)|.*\.(?:docx?|pptx?|tex|dvi|indd|pdf|xlsx?|rtf)$|title", re.IGNORECASE
)


def read(path: Path) -> Parsed:
    """The blocks of a PDF file; ReadError where it can't be read at all."""
    with _opened(path) as file:
        notes: list[str] = []
        pages = [page for page in _pages(file, notes) if page]
        if not pages:
            raise ReadError(f"{path.name}: no page can be read (damaged?): repair or export it again")
        laid = lay_out(pages, _outline(file), _metadata_title(file))
        blocks = _with_images(file, laid.blocks, laid.images)
        blank = [page.number for page in pages if not page.fragments]
        if blank:
            notes.append(f"{len(blank)} of {file.page_count} pages hold no text (scanned?)")
        title = _metadata_title(file) or laid.title or path.stem
        return Parsed(title, blocks, pages=file.page_count, notes=tuple(notes))


def _opened(path: Path) -> Any:
    import pymupdf  # slow to import

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    _check_header(path)
    try:
        file = pymupdf.open(path, filetype="pdf")
        pages = file.page_count
    except (RuntimeError, ValueError) as error:  # FileDataError and EmptyFileError are RuntimeErrors
        raise ReadError(f"{path.name}: damaged ({_reason(error)}): repair or export it again") from error
    if file.needs_pass:
        file.close()
        raise ReadError(f"{path.name}: needs a password: save a copy without one")
    if pages < 1:
        file.close()
        raise ReadError(f"{path.name}: has no pages (damaged?): repair or export it again")
    return file


def _check_header(path: Path) -> None:
    try:
        with path.open("rb") as stream:
            start = stream.read(HEADER_REACH)
    except OSError as error:
        raise ReadError(f"{path.name}: {error.strerror or error}: check the path and its permissions") from error
    if not start:
        raise ReadError(f"{path.name}: is empty: get the file again")
    if b"%PDF" in start:
        return
    if re.match(rb"\s*(?:<!doctype html|<html|<\?xml|<head)", start[:2000], re.IGNORECASE):
        raise ReadError(f"{path.name}: is a web page, not a PDF: download the file again, or name it .html")
    raise ReadError(f"{path.name}: is not a PDF file: check what it is and name it so")


def _reason(error: Exception) -> str:
    return clean(str(error)).removeprefix("code=7: ")[:120] or type(error).__name__


def _pages(file: Any, notes: list[str]) -> Iterator[Page | None]:
    failed: list[int] = []
    hidden = 0
    for index in range(file.page_count):
        try:
            page, unseen = _page(file, index)
        except (RuntimeError, ValueError, MemoryError):
            failed.append(index + 1)
            continue
        hidden += unseen
        yield page
    if failed:
        shown = ", ".join(map(str, failed[:5])) + (" …" if len(failed) > 5 else "")
        notes.append(f"{len(failed)} of {file.page_count} pages can't be read: {shown}")
    if hidden:
        notes.append(f"hidden text left out on {hidden} pages")


def _page(file: Any, index: int) -> tuple[Page, bool]:
    """A page as plain data, and whether it held text that nobody sees."""
    import pymupdf

    page = file[index]
    flags = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES | pymupdf.TEXT_COLLECT_VECTORS
    content = page.get_text("dict", flags=flags)
    spans = [span for block in content["blocks"] if block["type"] == 0 for span in _spans(block)]
    seen = [span for span in spans if span[0]["char_flags"] & (FILLED | STROKED)]
    # A scan's text layer is invisible throughout; beside visible text, invisible text was hidden on purpose.
    shown = seen or spans
    area = Rect(0, 0, page.rect.width, page.rect.height)
    fragments = tuple(_fragments(_turned(shown, area), area))
    rulings = tuple(ruling for block in content["blocks"] if block["type"] == 3 for ruling in _rulings(block))
    return (
        Page(index + 1, area.width, area.height, fragments, rulings, _pictures(page)),
        bool(seen) and len(seen) < len(spans),
    )


Span = tuple[Mapping[str, Any], Mapping[str, Any]]


def _spans(block: Mapping[str, Any]) -> Iterator[Span]:
    for line in block["lines"]:
        for span in line["spans"]:
            yield span, line


def _turned(spans: list[Span], area: Rect) -> list[Span]:
    """Without text that runs across the page's main direction: stamps in margins."""
    level = sum(len(span["text"]) for span, line in spans if line["dir"][0] > 0.9)
    if level * 2 < sum(len(span["text"]) for span, _ in spans):
        return spans
    return [
        (span, line)
        for span, line in spans
        if line["dir"][0] > 0.5 or line["wmode"] or area.width * 0.1 < span["bbox"][0] < area.width * 0.9
    ]


def _fragments(spans: list[Span], area: Rect) -> Iterator[Fragment]:
    """Spans that touch on one line, as one fragment each stretch."""
    held: list[Mapping[str, Any]] = []
    line_before: Mapping[str, Any] | None = None
    for span, line in spans:
        if held and (line is not line_before or span["bbox"][0] - held[-1]["bbox"][2] > WIDE_GAP * span["size"]):
            yield from _fragment(held, area)
            held = []
        held.append(span)
        line_before = line
    if held:
        yield from _fragment(held, area)


def _fragment(spans: list[Mapping[str, Any]], area: Rect) -> Iterator[Fragment]:
    raw = "".join(span["text"] for span in spans)
    text = clean(raw)
    if not text:
        return
    inked = [span for span in spans if span["text"].strip()] or spans
    rect = Rect(
        min(span["bbox"][0] for span in inked),
        min(span["bbox"][1] for span in inked),
        max(span["bbox"][2] for span in inked),
        max(span["bbox"][3] for span in inked),
    )
    if not rect.overlaps(area):
        return
    weights: dict[Style, int] = {}
    for span in inked:
        style = _style(span)
        weights[style] = weights.get(style, 0) + len(span["text"])
    style = max(weights, key=lambda style: weights[style])
    base = next(span["origin"][1] for span in inked if _style(span) == style)
    yield Fragment(text, rect, base, style, _style(inked[0]))


def _style(span: Mapping[str, Any]) -> Style:
    flags, font = span["flags"], span["font"]
    return Style(
        round(span["size"] * 2) / 2,
        bool(flags & BOLD) or BOLD_NAME.search(font) is not None,
        bool(flags & ITALIC),
        bool(flags & MONO),
        span["color"],
    )


def _rulings(block: Mapping[str, Any]) -> Iterator[Rect]:
    """The thin lines that a drawn path makes: itself, or the sides of a stroked box."""
    x0, y0, x1, y1 = block["bbox"]
    if x1 - x0 <= 3 or y1 - y0 <= 3:
        yield Rect(x0, y0, x1, y1)
    elif block.get("stroked") and block.get("isrect"):
        yield Rect(x0, y0, x1, y0 + 1)
        yield Rect(x0, y1 - 1, x1, y1)
        yield Rect(x0, y0, x0 + 1, y1)
        yield Rect(x1 - 1, y0, x1, y1)


def _pictures(page: Any) -> tuple[Picture, ...]:
    if not page.get_images():
        return ()
    return tuple(
        Picture(Rect(*info["bbox"]), info["xref"]) for info in page.get_image_info(xrefs=True) if info.get("xref")
    )


def _with_images(file: Any, blocks: tuple[Block, ...], images: Mapping[int, int]) -> tuple[Block, ...]:
    """The blocks, figures with their bytes; a figure that has neither bytes nor caption goes."""
    result: list[Block] = []
    for place, block in enumerate(blocks):
        image = _image(file, images[place]) if place in images else None
        if block.kind is Kind.FIGURE and image is None and not block.text:
            continue
        result.append(replace(block, image=image) if image else block)
    return tuple(result)


def _image(file: Any, xref: int) -> bytes | None:
    """An image as PNG or JPEG; None where it is damaged, or too large to be taken in."""
    import pymupdf

    try:
        keys = {key: file.xref_get_key(xref, key)[1] for key in ("Width", "Height", "Filter")}
        pixels = int(keys["Width"]) * int(keys["Height"])
        if pixels > MOST_PIXELS:
            return None
        found = file.extract_image(xref)
        if found and found["ext"] in ("png", "jpeg", "jpg"):
            data: bytes = found["image"]
        else:
            pixmap = pymupdf.Pixmap(file, xref)
            data = (pixmap if pixmap.n < 5 else pymupdf.Pixmap(pymupdf.csRGB, pixmap)).tobytes("png")
    except (RuntimeError, ValueError):
        return None
    return data if 0 < len(data) <= MOST_IMAGE_BYTES else None


def _outline(file: Any) -> list[Entry]:
    try:
        rows = file.get_toc(simple=True)
    except (RuntimeError, ValueError, TypeError, IndexError, RecursionError):
        return []
    return [Entry(level, clean(title), page) for level, title, page, *_ in rows[:MOST_ENTRIES] if page > 0]


def _metadata_title(file: Any) -> str:
    title = clean((file.metadata or {}).get("title") or "")
    letters = sum(character.isalpha() for character in title)
    return title if letters > 2 and len(title) < 300 and not NO_TITLE.fullmatch(title) else ""

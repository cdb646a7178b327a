"""PDF files, by PyMuPDF: what stands on the pages, as plain data for the layout."""

from __future__ import annotations

import gc
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from indexer import ocr
from indexer.blocks import Block, Mark, Parsed
from indexer.clean import clean
from indexer.garbled import is_garbled
from indexer.images import MOST_SIDE, packed
from indexer.layout import figures
from indexer.layout.document import Shot, handed_over, lay_out
from indexer.layout.figures import SMALLEST
from indexer.layout.inks import RIGHT_TO_LEFT, Ink, fragments
from indexer.layout.outline import Entry
from indexer.layout.page import Page, Picture, Rect, Style
from indexer.readers.tags import tagged
from indexer.reading import AS_EVER, Reading
from kohaku import mupdf
from kohaku.errors import ReadError
from kohaku.tree import Box, Kind

MOST_IMAGE_BYTES = 20_000_000
LEAST_PIXELS = 16  # a side: smaller images are rules, shades, bullets
MOST_PIXELS = 60_000_000  # an image that must be decoded: larger ones are bombs or posters
RESOLUTION = 150  # dots an inch of a drawing: labels of 6 points can be read
EDGE = 2  # points around it
THIN = 3  # points: what is drawn no wider is a line
THICKEST_STROKE = 8.5  # points that a hairline may look thick
MOST_ENTRIES = 20_000  # of an outline
MOST_ON_PAGE = 500_000  # characters: a broadsheet page has 50,000
OUT_OF_MEMORY = re.compile(r"malloc|calloc|realloc|out of memory", re.IGNORECASE)
MOST_CONTENT = 200_000_000  # bytes of a page's unpacked content
BOLD, ITALIC, MONO = 16, 2, 8  # span flags
WHITE = 250  # of 255, in each color
PALE = 240  # from here on a color behind white letters does not show them
MOST_SEEN = 800  # pixels a side of the picture by which white text is looked for
UPRIGHT = (1.0, 0.0)  # a line's direction
SHOWN = 16 | 32  # character flags: filled, stroked
BOLD_NAME = re.compile(r"bold|black|heavy|semibold|demi|cmbx?\d|cmbx|-bd\b|medi(?:um)?$", re.IGNORECASE)
MONO_NAME = re.compile(r"mono(?!type)|courier|typewriter|cmtt|consol|menlo", re.IGNORECASE)
NO_TITLE = re.compile(
    r"untitled|microsoft (?:word|powerpoint)|.*\.(?:docx?|pptx?|tex|dvi|indd|pdf|xlsx?|rtf)$|title", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Turn:
    """How a page is turned: from the file's coordinates to those it is read in, and from there to those it shows."""

    quarters: int
    width: float
    height: float
    shown: tuple[float, ...]
    """The page's own rotation as a matrix, empty for none."""

    @property
    def is_none(self) -> bool:
        """Whether the page is read as its file has it."""
        return not (self.quarters or self.shown)

    def read(self, rect: Rect) -> Rect:
        """The rectangle as the page is read."""
        if self.quarters == 0:
            return rect
        if self.quarters == 1:
            return Rect(self.height - rect.y1, rect.x0, self.height - rect.y0, rect.x1)
        if self.quarters == 2:
            return Rect(self.width - rect.x1, self.height - rect.y1, self.width - rect.x0, self.height - rect.y0)
        return Rect(rect.y0, self.width - rect.x1, rect.y1, self.width - rect.x0)

    def direction(self, way: tuple[float, float]) -> float:
        """How far a line of the file runs from left to right once turned: 1 fully, 0 across."""
        x, y = way
        return (x, -y, -x, y)[self.quarters]

    def box(self, box: Box) -> Box:
        """A box of the page as read, as the page shows it."""
        if self.quarters == 0:
            x0, y0, x1, y1 = box.x0, box.y0, box.x1, box.y1
        elif self.quarters == 1:
            x0, y0, x1, y1 = box.y0, self.height - box.x1, box.y1, self.height - box.x0
        elif self.quarters == 2:
            x0, y0, x1, y1 = self.width - box.x1, self.height - box.y1, self.width - box.x0, self.height - box.y0
        else:
            x0, y0, x1, y1 = self.width - box.y1, box.x0, self.width - box.y0, box.x1
        if self.shown:
            a, b, c, d, e, f = self.shown
            xs = sorted((a * x0 + c * y0 + e, a * x1 + c * y1 + e))
            ys = sorted((b * x0 + d * y0 + f, b * x1 + d * y1 + f))
            (x0, x1), (y0, y1) = xs, ys
        return Rect(x0, y0, x1, y1).on(box.page)


def read(path: Path, reading: Reading = AS_EVER) -> Parsed:
    """The blocks of a PDF file; ReadError where it can't be read at all."""
    with _collector_at_rest():
        return _read(path, reading)  # what it holds is gone when the collector begins again


def _read(path: Path, reading: Reading) -> Parsed:
    with _opened(path, reading.passwords) as file:
        notes = Notes(file.page_count)
        pages, turns = _pages(file, reading, notes)
        if not pages:
            raise ReadError("no page can be read (damaged?): repair or export it again")
        title = _metadata_title(file)
        outline = _outline(file)
        # An outline that is as fine as a heading a page says all that tags could.
        tags = tagged(file, {page.number for page in pages}) if len(outline) < len(pages) else []
        laid = lay_out(handed_over(pages), outline, title, tags)
        blocks = _shown(_with_images(file, laid.blocks, laid.images, turns), turns)
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
        if self.blank:
            yield f"{len(self.blank)} {of} hold no text (scanned?){advice}"
        if self.garbled:
            yield f"{len(self.garbled)} {of} hold text whose fonts don't say its letters{advice}"

    def met(self) -> Iterator[str]:
        """What of the way of reading made a difference."""
        if self.cut:
            yield "cut"
        if self.blank or self.garbled or self.scanned or self.unseen:
            yield "ocr"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:5])) + (" …" if len(numbers) > 5 else "")


def _pages(file: Any, reading: Reading, notes: Notes) -> tuple[list[Page], dict[int, Turn]]:
    """The pages that can be read and how those are turned that are; what went wrong is noted."""
    pymupdf = mupdf.load()

    pages: list[Page] = []
    turns: dict[int, Turn] = {}
    limits, characters = reading.limits, 0
    for index in range(file.page_count):
        if index >= limits.pages:
            notes.cut = f"only its first {index:,} pages were read: allow it more with file_pages"
            break
        if characters > limits.characters:
            notes.cut = f"only its first {index:,} pages were read: allow it more with file_characters"
            break
        try:
            page, turn = _seen(file, index, reading, notes)
        except (RuntimeError, ValueError, zlib.error, pymupdf.mupdf.FzErrorBase) as error:
            if OUT_OF_MEMORY.search(str(error)):
                raise MemoryError from error
            notes.failed.append(index + 1)
            continue
        pages.append(page)
        characters += sum(len(fragment.text) for fragment in page.fragments)
        if not turn.is_none:
            turns[page.number] = turn
    return pages, turns


def _seen(file: Any, index: int, reading: Reading, notes: Notes) -> tuple[Page, Turn]:
    """A page by its text layer, or as a picture where that says nothing."""
    pymupdf = mupdf.load()

    page, turn, garbled = _page(file, index, notes)
    if page.fragments and not garbled and reading.ocr != "force":
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
    elif garbled:
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


def _shown(blocks: Sequence[Block], turns: Mapping[int, Turn]) -> tuple[Block, ...]:
    """The blocks with their boxes as the pages show them."""
    if not turns:
        return tuple(blocks)

    def turned(mark: Mark) -> Mark:
        turn = turns.get(mark.box.page)
        return mark._replace(box=turn.box(mark.box)) if turn else mark

    return tuple(replace(block, marks=tuple(map(turned, block.marks))) for block in blocks)


def _page(file: Any, index: int, notes: Notes) -> tuple[Page, Turn, bool]:
    """A page as plain data turned for reading, how it was turned, and whether its text is none that can be read."""
    page = file[index]
    if _is_bomb(file, page):
        raise ValueError("content that unpacks to hundreds of megabytes")
    blocks = _content(page)
    lines = [line for block in blocks if block["type"] == 0 for line in block["lines"]]
    if sum([len(span["text"]) for line in lines for span in line["spans"]]) > MOST_ON_PAGE:
        first = list(_first(lines))
        if len(first) < len(lines):
            lines = first
            notes.crammed.append(index + 1)
    drawn = [block for block in blocks if block["type"] == 3]
    shown, rotation = page.rect, page.rotation
    width, height = shown.width, shown.height
    if rotation in (90, 270):
        width, height = height, width
    quarters = _quarters(lines)
    turn = Turn(quarters, width, height, tuple(page.rotation_matrix) if rotation else ())
    area = turn.read(Rect(0, 0, width, height))
    seen, unseen = _inks(lines, turn, area)
    if turn.is_none and _has_white(seen):
        white = _white_on_white(page, seen, drawn)
        if 0 < len(white) < len(seen):
            unseen += [ink for ink in seen if ink in white]
            seen = [ink for ink in seen if ink not in white]
    # A scan's text layer is invisible throughout; beside visible text, invisible text was hidden on purpose.
    inks = seen or unseen
    if seen and unseen:
        notes.hidden.append(index + 1)
    return (
        Page(
            index + 1,
            area.width,
            area.height,
            tuple(fragments(inks)),
            tuple(_rulings(drawn, turn)),
            tuple(
                replace(picture, rect=turn.read(picture.rect), is_upright=picture.is_upright and turn.is_none)
                for picture in _pictures(page)
            ),
            tuple(_drawings(drawn, inks, turn, area)),
        ),
        turn,
        is_garbled("".join([ink.text for ink in inks])),
    )


def _content(page: Any) -> Sequence[Mapping[str, Any]]:
    """The page's text and paths, as MuPDF puts them together.

    It sets no space behind a ligature, but takes them apart on request; those of scripts that run leftwards wrongly.
    """
    pymupdf = mupdf.load()

    unwanted = pymupdf.TEXT_PRESERVE_IMAGES | pymupdf.TEXT_PRESERVE_LIGATURES
    flags = pymupdf.TEXTFLAGS_DICT & ~unwanted | pymupdf.TEXT_COLLECT_VECTORS
    blocks: Sequence[Mapping[str, Any]] = page.get_textpage(flags=flags).extractDICT()["blocks"]
    texts = [
        span["text"] for block in blocks if block["type"] == 0 for line in block["lines"] for span in line["spans"]
    ]
    if any(RIGHT_TO_LEFT.search(text) for text in texts if not text.isascii()):
        flags |= pymupdf.TEXT_PRESERVE_LIGATURES
        blocks = page.get_textpage(flags=flags).extractDICT()["blocks"]
    return blocks


def _first(lines: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The lines of as many characters as a page may have, and the one that reaches beyond."""
    characters = 0
    for line in lines:
        if characters > MOST_ON_PAGE:
            return
        characters += sum(len(span["text"]) for span in line["spans"])
        yield line


def _is_bomb(file: Any, page: Any) -> bool:
    """Whether the page's content, packed more than once, unpacks to more than any page needs."""
    if file.xref_get_key(page.xref, "Contents/Filter")[0] == "name":
        return False  # one stream, packed once: what most pages are, and this costs half
    for xref in page.get_contents():
        if str(file.xref_get_key(xref, "Filter")[1]).count("FlateDecode") < 2:
            continue  # packed once it can't grow more than a thousandfold
        inner = zlib.decompressobj().decompress(file.xref_stream_raw(xref), MOST_CONTENT)
        unpacked, outer = 0, zlib.decompressobj()
        for start in range(0, len(inner), 4096):
            unpacked += len(outer.decompress(inner[start : start + 4096]))
            if unpacked > MOST_CONTENT:
                return True
    return False


def _quarters(lines: Sequence[Mapping[str, Any]]) -> int:
    """The quarter turns that make most of the text run from left to right (vertical scripts' lines: from the right)."""
    if all(line["dir"] == UPRIGHT for line in lines):
        return 0
    weights = Counter[int]()
    for line in lines:
        x, y = line["dir"]
        quarter = (0 if x > 0 else 2) if abs(x) >= abs(y) else (1 if y < 0 else 3)
        weights[quarter] += sum(len(span["text"]) for span in line["spans"])
    return weights.most_common(1)[0][0]


def _inks(lines: Iterable[Mapping[str, Any]], turn: Turn, area: Rect) -> tuple[list[Ink], list[Ink]]:
    """The spans as plain data, seen ones and invisible ones.

    Those off the page are left out, and those across its direction in a margin (stamps).
    """
    styles: dict[tuple[float, int, str, int], Style] = {}
    seen: list[Ink] = []
    unseen: list[Ink] = []
    upright = not turn.quarters
    made = tuple.__new__  # what _make calls, without the call: there are hundreds of spans a page
    _, _, width, height = area
    for line in lines:
        across = not (upright and line["dir"] == UPRIGHT) and turn.direction(line["dir"]) < 0.5
        for span in line["spans"]:
            rect = made(Rect, span["bbox"])
            x, base = span["origin"]
            if not upright:
                rect, base = turn.read(rect), turn.read(Rect(x, base, x, base)).y0
            x0, y0, x1, y1 = rect
            if x0 >= width or x1 <= 0 or y0 >= height or y1 <= 0:
                continue
            if across and not 0.1 * width < (x0 + x1) / 2 < 0.9 * width:
                continue
            key = (span["size"], span["flags"], span["font"], span["color"])
            style = styles.get(key)
            if style is None:
                style = styles[key] = _style(*key)
            ink = made(Ink, (span["text"], rect, base, style))
            (seen if span["char_flags"] & SHOWN else unseen).append(ink)
    return seen, unseen


def _has_white(inks: Sequence[Ink]) -> bool:
    """Whether any text is white: the few colors of a page are looked at first."""
    white = any(_least(color) >= WHITE for color in {ink.style.color for ink in inks})
    return white and any(map(_is_white, inks))


def _is_white(ink: Ink) -> bool:
    return _least(ink.style.color) >= WHITE and not ink.text.isspace()


def _least(color: int) -> int:
    """The least of a color's three parts."""
    return min(color >> 16 & 255, color >> 8 & 255, color & 255)


def _white_on_white(page: Any, inks: Sequence[Ink], drawn: Sequence[Mapping[str, Any]]) -> set[Ink]:
    """White text that no one sees: nothing is painted behind it, by what is drawn and, if that says nothing, by eye."""
    pymupdf = mupdf.load()

    painted = [Rect(*block["bbox"]) for block in drawn if not block["stroked"] and _least(block["color"]) < PALE]
    painted += [Rect(*info["bbox"]) for info in page.get_image_info()]
    doubtful = [ink for ink in inks if _is_white(ink) and not any(rect.holds(ink.rect) for rect in painted)]
    if not doubtful:
        return set()
    scale = min(0.5, MOST_SEEN / max(page.rect.width, page.rect.height, 1))
    picture = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False)
    gray = np.frombuffer(picture.samples_mv, np.uint8).reshape(picture.height, picture.stride)

    def darkest(rect: Rect) -> int:
        x0, y0, x1, y1 = (max(0, round(scale * edge)) for edge in rect)
        return int(gray[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)].min(initial=255))

    return {ink for ink in doubtful if darkest(ink.rect) >= WHITE}


@lru_cache(maxsize=1024)  # a document has some dozens, and each page most of them
def _style(size: float, flags: int, font: str, color: int) -> Style:
    bold = bool(flags & BOLD) or BOLD_NAME.search(font) is not None
    mono = bool(flags & MONO) or MONO_NAME.search(font) is not None
    return Style(round(size * 2) / 2, bold, bool(flags & ITALIC), mono, color)


def _rulings(blocks: Iterable[Mapping[str, Any]], turn: Turn) -> Iterator[Rect]:
    """The thin lines that drawn paths make: themselves, or the sides of stroked boxes."""
    made = tuple.__new__
    for block in blocks:
        x0, y0, x1, y1 = block["bbox"]
        if x1 - x0 <= THIN or y1 - y0 <= THIN:
            rect = made(Rect, block["bbox"])
            yield turn.read(rect) if turn.quarters else rect
        elif block["stroked"] and (line := _stroke(x0, y0, x1, y1)):
            yield turn.read(line)
        elif block["stroked"] and block["isrect"]:
            yield turn.read(Rect(x0, y0, x1, y0 + 1))
            yield turn.read(Rect(x0, y1 - 1, x1, y1))
            yield turn.read(Rect(x0, y0, x0 + 1, y1))
            yield turn.read(Rect(x1 - 1, y0, x1, y1))


def _stroke(x0: float, y0: float, x1: float, y1: float) -> Rect | None:
    """The line that a long, low box of a stroke is: MuPDF widens strokes by ten times their width for their corners."""
    thick = min(x1 - x0, y1 - y0)
    if thick > THICKEST_STROKE or max(x1 - x0, y1 - y0) < 5 * thick:
        return None
    middle, half = ((x0 + x1) / 2, (y0 + y1) / 2), thick / 2
    if y1 - y0 == thick:
        return Rect(x0 + half, middle[1] - 0.5, x1 - half, middle[1] + 0.5)
    return Rect(middle[0] - 0.5, y0 + half, middle[0] + 0.5, y1 - half)


def _drawings(blocks: Sequence[Mapping[str, Any]], inks: Iterable[Ink], turn: Turn, area: Rect) -> Sequence[Rect]:
    """The drawings on a page that has a figure's caption; elsewhere they say nothing that could be told."""
    if len(blocks) < figures.STROKES or not any(figures.CAPTION_WORD.match(ink.text) for ink in inks):
        return ()
    return figures.drawings((turn.read(Rect._make(block["bbox"])) for block in blocks), area.width, area.height)


def _pictures(page: Any) -> tuple[Picture, ...]:
    """The images on a page that are large enough to be figures."""
    named = [image for image in page.get_images() if min(image[2:4]) >= LEAST_PIXELS]
    if not named:
        return ()
    shown = [info for info in page.get_image_info() if _is_large(info["bbox"])]
    if not shown:
        return ()
    sizes: dict[tuple[int, int], set[int]] = defaultdict(set)
    for xref, _, width, height, *_ in named:
        sizes[width, height].add(xref)
    xrefs = [sizes[info["width"], info["height"]] for info in shown]
    if any(len(found) > 1 for found in xrefs):  # only their pixels tell them apart, which takes long
        shown = [info for info in page.get_image_info(xrefs=True) if _is_large(info["bbox"])]
        xrefs = [{info["xref"]} - {0} for info in shown]
    return tuple(
        Picture(Rect(*info["bbox"]), min(found), _is_upright(info["transform"]))
        for info, found in zip(shown, xrefs, strict=True)
        if found
    )


def _is_upright(matrix: Sequence[float]) -> bool:
    """Whether an image stands as its bytes say, neither turned nor mirrored."""
    across, turned, leaning, down = matrix[:4]
    return across > 0 and down > 0 and abs(turned) < 0.01 * across and abs(leaning) < 0.01 * down


def _is_large(bbox: Sequence[float]) -> bool:
    return min(bbox[2] - bbox[0], bbox[3] - bbox[1]) >= SMALLEST


def _with_images(
    file: Any, blocks: tuple[Block, ...], images: Mapping[int, Shot], turns: Mapping[int, Turn]
) -> tuple[Block, ...]:
    """The blocks, figures with their bytes; a figure that has neither bytes nor caption goes."""
    result: list[Block] = []
    for place, block in enumerate(blocks):
        shot = images.get(place)
        image = None
        if shot is not None:
            image = (_image(file, shot.key) if shot.key is not None else None) or _rendered(file, shot, turns)
        if block.kind is Kind.FIGURE and image is None and not block.text:
            continue
        result.append(replace(block, image=image) if image else block)
    return tuple(result)


def _image(file: Any, xref: int) -> bytes | None:
    """An image as PNG or JPEG; None where it is damaged, too large to be taken in, or has a mask that shapes it."""
    pymupdf = mupdf.load()

    try:
        keys = {key: file.xref_get_key(xref, key) for key in ("Width", "Height", "SMask", "Mask")}
        if int(keys["Width"][1]) * int(keys["Height"][1]) > MOST_PIXELS:
            return None
        if "xref" in (keys["SMask"][0], keys["Mask"][0]):  # without it what is transparent would be black
            return None
        found = file.extract_image(xref) if "DCT" in file.xref_get_key(xref, "Filter")[1] else {}
        data = found["image"] if found.get("ext") in ("jpeg", "jpg") else packed(pymupdf.Pixmap(file, xref))
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        return None
    return data if data and len(data) <= MOST_IMAGE_BYTES else None


def _rendered(file: Any, shot: Shot, turns: Mapping[int, Turn]) -> bytes | None:
    """What a page shows in a rectangle, as PNG, turned as the page is read; None where it can't be drawn."""
    pymupdf = mupdf.load()

    turn = turns.get(shot.page)
    box = shot.rect.on(shot.page)
    shown = turn.box(box) if turn else box
    try:
        page = file[shot.page - 1]
        if any(image[2] * image[3] > MOST_PIXELS for image in page.get_images()):
            return None
        clip = pymupdf.Rect(shown.x0 - EDGE, shown.y0 - EDGE, shown.x1 + EDGE, shown.y1 + EDGE) & page.rect
        scale = min(RESOLUTION / 72, MOST_SIDE / max(clip.width, clip.height, 1))
        matrix = pymupdf.Matrix(scale, scale).prerotate(90 * turn.quarters - page.rotation if turn else 0)
        return packed(page.get_pixmap(matrix=matrix, clip=clip, alpha=False))
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        return None


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

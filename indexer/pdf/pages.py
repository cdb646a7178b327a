"""A page of a PDF file as plain data for the layout."""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import accumulate, chain, groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.garbled import is_garbled
from indexer.layout import figures
from indexer.layout.inks import RIGHT_TO_LEFT, Ink, fragments
from indexer.layout.line_numbers import without_line_numbers
from indexer.layout.mesh import THIN
from indexer.layout.page import Page, Rect, Style
from indexer.letters import beyond_ascii
from indexer.pdf.pictures import pictures
from indexer.pdf.turn import Turn
from kohaku import mupdf

MOST_UPRIGHTS = 400  # on a page: more make a drawing
HIGHEST_SHADE = 0.4  # of the page: what stands behind a table's cells is lower
THICKEST_STROKE = 8.5  # points that a hairline may look thick
MOST_ON_PAGE = 500_000  # characters: a broadsheet page has 50,000
MOST_CONTENT = 200_000_000  # bytes of a page's unpacked content
BOLD, ITALIC, MONO = 16, 2, 8  # span flags
WHITE = 250  # of 255, in each color
PALE = 240  # from here on a color behind white letters does not show them
MOST_SEEN = 800  # pixels a side of the picture by which white and covered text is looked for
FLAT = 8  # of 255: shades nearer to each other show no letters
OPAQUE = 255
MOST_COVERS = 400  # on a page: more make a drawing
LOOK = itemgetter("size", "flags", "font", "color")  # what spans of one style share,
REST = itemgetter("text", "bbox", "origin", "char_flags", "alpha")  # and what each has of its own
LEAST_SIZE = 0.5  # points of text that is joined
UPRIGHT = (1.0, 0.0)  # a line's direction
SHOWN = 16 | 32  # character flags: filled, stroked
BOLD_NAME = re.compile(
    r"bold|black|heavy|semibold|demi|cmbx?\d|cmbx|-bd\b|medi(?:um)?$|\.bi?(?:\+\w+)?$", re.IGNORECASE
)
MONO_NAME = re.compile(r"mono(?!type)|courier|typewriter|cmtt|consol|menlo", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sight:
    """A page turned for reading, how it was turned, and what is to be said of its text.

    That is whether it is none that can be read, whether only its beginning was taken, whether some was hidden, and
    whether nothing at all stands on it.
    """

    page: Page
    turn: Turn
    is_garbled: bool
    is_cut: bool
    hides: bool
    is_empty: bool


@dataclass(frozen=True, slots=True)
class Content:
    """What MuPDF puts together of a page: its size before it is turned, its text in lines, what is drawn on it.

    `before` says of each thing drawn how many of the lines were there before it.
    """

    width: float
    height: float
    lines: Sequence[Mapping[str, Any]]
    drawn: Sequence[Mapping[str, Any]]
    before: Sequence[int]
    characters: int


def sight(file: Any, index: int) -> Sight:
    """A page of the file (from 0) as it is read; ValueError where its content is a bomb."""
    page = file[index]
    if _is_bomb(file, page):
        raise ValueError("content that unpacks to hundreds of megabytes")
    content = _content(page)
    look = cache(partial(_look, page))  # a picture of the page is dear
    covers = () if page.rotation else _covers(content)
    lines, covered = _uncovered(content.lines, covers, look) if covers else (content.lines, [])
    drawn = content.drawn
    is_cut = content.characters > MOST_ON_PAGE
    if is_cut:
        count, lines = len(lines), list(_first(lines))
        is_cut = len(lines) < count
    quarters = _quarters(lines)
    turn = Turn(quarters, content.width, content.height, tuple(page.rotation_matrix) if page.rotation else ())
    area = turn.read(Rect(0, 0, content.width, content.height))
    images = cache(page.get_image_info)  # MuPDF goes through all of the page again
    rulings = tuple(_rulings(drawn, turn))
    uprights = _uprights(rulings)
    seen, unseen = _inks(lines, turn, area, are_parted=bool(uprights))
    unseen += chain.from_iterable(_inks(covered, turn, area, are_parted=False))
    if turn.is_none and _has_white(seen):
        white = _white_on_white(seen, drawn, images(), look)
        if 0 < len(white) < len(seen):
            unseen += [ink for ink in seen if ink in white]
            seen = [ink for ink in seen if ink not in white]
    # A scan's text layer is invisible throughout; beside visible text, invisible text was hidden on purpose.
    inks = without_line_numbers(seen or unseen)
    read = Page(
        index + 1,
        area.width,
        area.height,
        tuple(fragments(inks, uprights)),
        rulings,
        tuple(
            replace(picture, rect=turn.read(picture.rect), is_upright=picture.is_upright and turn.is_none)
            for picture in pictures(page, images)
        ),
        tuple(_drawings(drawn, inks, turn, area)),
        tuple(_shades(drawn, turn, area)),
    )
    is_empty = not inks and not any(map(_shows, drawn)) and not images()
    return Sight(read, turn, is_garbled("".join([ink.text for ink in inks])), is_cut, bool(seen and unseen), is_empty)


def _content(page: Any) -> Content:
    """The page's text and paths.

    MuPDF sets no space behind a ligature, but takes them apart on request; those of scripts that run leftwards wrongly.
    """
    pymupdf = mupdf.load()

    unwanted = pymupdf.TEXT_PRESERVE_IMAGES | pymupdf.TEXT_PRESERVE_LIGATURES
    flags = pymupdf.TEXTFLAGS_DICT & ~unwanted | pymupdf.TEXT_COLLECT_VECTORS
    content, letters = _extracted(page, flags)
    if not letters.isascii() and RIGHT_TO_LEFT.search(beyond_ascii(letters)):
        content, _ = _extracted(page, flags | pymupdf.TEXT_PRESERVE_LIGATURES)
    return content


def _extracted(page: Any, flags: int) -> tuple[Content, str]:
    """What stands on the page by MuPDF's flags, and all of its characters."""
    found = page.get_textpage(flags=flags).extractDICT()
    blocks = found["blocks"]
    lines: list[Mapping[str, Any]] = []
    drawn: list[Mapping[str, Any]] = []
    before: list[int] = []
    for block in blocks:
        if block["type"] == 0:
            lines += block["lines"]
        elif block["type"] == 3:
            drawn.append(block)
            before.append(len(lines))
    letters = "".join([span["text"] for line in lines for span in line["spans"]])
    return Content(found["width"], found["height"], lines, drawn, before, len(letters)), letters


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
    low = mupdf.load().mupdf
    if low.pdf_is_name(low.pdf_dict_getp(low.pdf_page_from_fz_page(page.this).obj(), "Contents/Filter")):
        return False  # one stream, packed once: what most pages are, and this costs a tenth
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
    if [line["dir"] for line in lines].count(UPRIGHT) == len(lines):
        return 0
    weights = Counter[int]()
    for line in lines:
        x, y = line["dir"]
        quarter = (0 if x > 0 else 2) if abs(x) >= abs(y) else (1 if y < 0 else 3)
        weights[quarter] += sum(len(span["text"]) for span in line["spans"])
    return weights.most_common(1)[0][0]


def _inks(
    lines: Iterable[Mapping[str, Any]], turn: Turn, area: Rect, *, are_parted: bool
) -> tuple[list[Ink], list[Ink]]:
    """The spans as plain data, seen ones and invisible ones; words of one line as one, unless lines may part them.

    Those off the page are left out, and those across its direction in a margin (stamps).
    """
    styles: dict[tuple[Any, ...], Style] = {}
    seen: list[Ink] = []
    unseen: list[Ink] = []
    upright = not turn.quarters
    made = tuple.__new__  # what _make calls, without the call: there are hundreds of spans a page
    _, _, width, height = area
    for line in lines:
        is_level = upright and line["dir"] == UPRIGHT
        across = not is_level and turn.direction(line["dir"]) < 0.5
        spans = line["spans"]
        for span in _whole(spans, width) if is_level and len(spans) > 2 and not are_parted else spans:
            text, bbox, (x, base), marks, alpha = REST(span)
            rect = made(Rect, bbox)
            if not upright:
                rect, base = turn.read(rect), turn.read(Rect(x, base, x, base)).y0
            x0, y0, x1, y1 = rect
            if x0 >= width or x1 <= 0 or y0 >= height or y1 <= 0:
                continue
            if across and not 0.1 * width < (x0 + x1) / 2 < 0.9 * width:
                continue
            look = LOOK(span)
            style = styles.get(look)
            if style is None:
                style = styles[look] = _style(*look)
            ink = made(Ink, (text, rect, base, style))
            (seen if marks & SHOWN and alpha else unseen).append(ink)
    return seen, unseen


def _whole(spans: Iterable[Mapping[str, Any]], width: float) -> Iterator[Mapping[str, Any]]:
    """A line's spans, those of one look that touch as one: MuPDF parts them at the spaces that it sets."""
    for _, alike in groupby(spans, LOOK):
        parts = list(alike)
        start, end = parts[0]["text"].isspace(), len(parts) - parts[-1]["text"].isspace()
        one = _as_one(parts[start:end], width) if end - start > 2 else None
        if one:
            parts[start:end] = [one]
        yield from parts


def _as_one(spans: Sequence[Mapping[str, Any]], width: float) -> Mapping[str, Any] | None:
    """Spans of one look as one; None where they don't touch, or must be told apart: white ones, those off the page."""
    texts, boxes, origins, marks, alphas = zip(*map(REST, spans), strict=True)
    lefts, tops, rights, feet = zip(*boxes, strict=True)
    if lefts[1:] != rights[:-1] or lefts[0] < 0 or rights[-1] > width:
        return None
    first = spans[0]
    if len({base for _, base in origins}) > 1 or len({mark & SHOWN for mark in set(marks)}) > 1 or len(set(alphas)) > 1:
        return None
    text = "".join(texts)
    if text[0].isspace() or not (text.isascii() or not RIGHT_TO_LEFT.search(text)):
        return None
    if first["size"] < LEAST_SIZE or _least(first["color"]) >= WHITE:
        return None
    return {**first, "text": text, "bbox": (lefts[0], min(tops), rights[-1], max(feet))}


def _has_white(inks: Sequence[Ink]) -> bool:
    """Whether any text is white: the few colors of a page are looked at first."""
    white = any(_least(color) >= WHITE for color in {ink.style.color for ink in inks})
    return white and any(map(_is_white, inks))


def _is_white(ink: Ink) -> bool:
    return _least(ink.style.color) >= WHITE and not ink.text.isspace()


@lru_cache(maxsize=1024)  # a page has thousands of shapes, and few colors
def _least(color: int) -> int:
    """The least of a color's three parts."""
    return min(color >> 16 & 255, color >> 8 & 255, color & 255)


def _white_on_white(
    inks: Sequence[Ink],
    drawn: Sequence[Mapping[str, Any]],
    images: Sequence[Mapping[str, Any]],
    look: Callable[[], Look],
) -> set[Ink]:
    """White text that no one sees: nothing is painted behind it, by what is drawn and, if that says nothing, by eye."""
    painted = [Rect(*block["bbox"]) for block in drawn if not block["stroked"] and _least(block["color"]) < PALE]
    painted += [Rect(*info["bbox"]) for info in images]
    doubtful = [ink for ink in inks if _is_white(ink) and not any(rect.holds(ink.rect) for rect in painted)]
    return {ink for ink in doubtful if look().within(ink.rect)[0] >= WHITE}


def _covers(content: Content) -> list[tuple[int, Rect]]:
    """The filled boxes high enough to cover text, each with how many of the page's lines were there before it."""
    found: list[tuple[int, Rect]] = []
    for block, count in zip(content.drawn, content.before, strict=True):
        if count and block["isrect"] and not block["stroked"] and block["alpha"] == OPAQUE:
            x0, y0, x1, y1 = block["bbox"]
            if y1 - y0 > THIN < x1 - x0:
                found.append((count, Rect(x0, y0, x1, y1)))
    return found[:MOST_COVERS]


def _uncovered(
    lines: Sequence[Mapping[str, Any]], covers: Sequence[tuple[int, Rect]], look: Callable[[], Look]
) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """The lines without what later boxes cover so that nothing is seen of it, and the lines of that."""
    kept: list[Mapping[str, Any]] = []
    gone: list[Mapping[str, Any]] = []
    counts = [count for count, _ in covers]
    highest = [*accumulate([rect.y0 for _, rect in reversed(covers)], min)][::-1]  # of each and those after it
    for place, line in enumerate(lines):
        first = bisect_right(counts, place)  # of those that came after the line, which mostly stand below it
        hidden = []
        if first < len(covers) and line["bbox"][3] > highest[first]:
            box = Rect._make(line["bbox"])
            over = [rect for _, rect in covers[first:] if rect.overlaps(box)]
            hidden = [span for span in line["spans"] if over and _is_covered(Rect._make(span["bbox"]), over, look)]
        if hidden:
            gone.append({**line, "spans": hidden})
            line = {**line, "spans": [span for span in line["spans"] if span not in hidden]}
        kept.append(line)
    return kept, gone


def _is_covered(rect: Rect, covers: Sequence[Rect], look: Callable[[], Look]) -> bool:
    """Whether a box over this text leaves one color there; what a file draws later may still be clipped or blended."""
    if not any(cover.holds(rect) for cover in covers):
        return False
    darkest, lightest = look().within(rect)
    return lightest - darkest <= FLAT


@dataclass(frozen=True, slots=True)
class Look:
    """A page as it is seen, in grays of so many pixels a point."""

    gray: NDArray[np.uint8]
    scale: float

    def within(self, rect: Rect) -> tuple[int, int]:
        """The darkest gray in a place and the lightest; white where it is off the page."""
        x0, y0, x1, y1 = (max(0, round(self.scale * edge)) for edge in rect)
        pixels = self.gray[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
        return int(pixels.min(initial=255)), int(pixels.max(initial=0)) if pixels.size else 255


def _look(page: Any) -> Look:
    pymupdf = mupdf.load()

    scale = min(0.5, MOST_SEEN / max(page.rect.width, page.rect.height, 1))
    picture = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False)
    return Look(np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.stride), scale)


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


def _uprights(rulings: Sequence[Rect]) -> list[Rect]:
    """The lines from top to bottom, where they are few enough to be a table's."""
    found = [rule for rule in rulings if rule[2] - rule[0] <= THIN < rule[3] - rule[1]]
    return found if len(found) <= MOST_UPRIGHTS else []


def _shades(blocks: Iterable[Mapping[str, Any]], turn: Turn, area: Rect) -> Iterator[Rect]:
    """The boxes filled with a color, but for such as fill much of the page."""
    highest = HIGHEST_SHADE * area.height
    for block in blocks:
        x0, y0, x1, y1 = block["bbox"]
        if x1 - x0 <= THIN or y1 - y0 <= THIN or block["stroked"] or _least(block["color"]) >= WHITE:
            continue
        rect = tuple.__new__(Rect, block["bbox"])
        rect = turn.read(rect) if turn.quarters else rect
        if rect[3] - rect[1] < highest:
            yield rect


def _shows(block: Mapping[str, Any]) -> bool:
    """Whether something drawn can be seen on white."""
    return _least(block["color"]) < WHITE and block["alpha"] > 0


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

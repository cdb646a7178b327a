"""Pages of a PDF as pictures, drawn in a process of its own as files are read in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from indexer.reading import AS_EVER, Reading
from indexer.sandbox import boxed
from kohaku import mupdf
from kohaku.errors import ReadError
from kohaku.tree import Box

RESOLUTION = 100  # dots an inch: body text can be read, and a page takes about 100 KB
CLOSE_RESOLUTION = 144  # of a page that is shown alone, so that small print can be read
MOST_PIXELS = 2_000  # a side: posters, and pages that only claim to be large, are drawn coarser
MOST_PNG_BYTES = 250_000  # text is smaller; what is larger holds photographs
QUALITY = 70  # of JPEG
BATCH = 25  # pages a process draws: what breaks it costs these pictures alone
SECONDS = 20.0  # a page may take on average
MARK = (1.0, 0.85, 0.1)


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as it is shown: its number, its size in points, and a PNG or JPEG picture of it."""

    number: int
    width: float
    height: float
    data: bytes


def drawn(
    path: Path,
    numbers: Sequence[int],
    reading: Reading = AS_EVER,
    *,
    resolution: int = RESOLUTION,
    tell: Callable[[int], None] = lambda done: None,
) -> dict[int, PagePicture]:
    """The pictures of a PDF's pages by page number; a page that can't be drawn within the file's limits has none.

    `tell` is told now and then how many of them have had their turn.
    """
    found: dict[int, PagePicture] = {}
    for start in range(0, len(numbers), BATCH):
        tell(start)
        batch = tuple(numbers[start : start + BATCH])
        outcome = boxed(path, _within(reading, len(batch)), partial(attempt, batch, resolution=resolution))
        if not isinstance(outcome, ReadError):
            found.update((picture.number, picture) for picture in outcome)
    return found


def marked(path: Path, boxes: Sequence[Box], reading: Reading = AS_EVER, *, small: bool = False) -> bytes:
    """PNG bytes of the page of a PDF that the boxes stand on, with these marked; ReadError where it can't be drawn.

    Where it is to be small, a page with photographs on it comes as JPEG.
    """
    outcome = boxed(path, _within(reading, 1), partial(attempt_marked, tuple(boxes), small=small))
    if isinstance(outcome, ReadError):
        raise outcome
    return outcome


def highlighted(path: Path, boxes: Sequence[Box], reading: Reading = AS_EVER) -> bytes:
    """A PDF of the one page that the boxes stand on, these as highlights over it; its text stays text.

    Links, forms and scripts of the page stay behind. ReadError where it can't be read.
    """
    outcome = boxed(path, _within(reading, 1), partial(attempt_highlighted, tuple(boxes)))
    if isinstance(outcome, ReadError):
        raise outcome
    return outcome


def _within(reading: Reading, pages: int) -> Reading:
    """The same way of reading, in no more time than so many pages take to be drawn."""
    return replace(reading, limits=replace(reading.limits, seconds=min(reading.limits.seconds, SECONDS * pages)))


# ---- what happens in the process


def attempt(
    numbers: Sequence[int], path: Path, reading: Reading, *, resolution: int = RESOLUTION
) -> tuple[PagePicture, ...] | ReadError:
    """The pictures of those pages that can be drawn."""
    try:
        with _opened(path, reading) as file:
            return tuple(_pictures(file, numbers, resolution))
    except ReadError as error:
        return error


def attempt_marked(boxes: Sequence[Box], path: Path, reading: Reading, *, small: bool = False) -> bytes | ReadError:
    """The picture of a page with marks, of which nothing stays in the file."""
    pymupdf = mupdf.load()

    try:
        with _opened(path, reading) as file:
            page = file[boxes[0].page - 1]
            for box in boxes:
                rectangle = pymupdf.Rect(box.x0, box.y0, box.x1, box.y1) * page.derotation_matrix
                page.draw_rect(rectangle, color=None, fill=MARK, fill_opacity=0.35)
            pixmap = _pixmap(page, CLOSE_RESOLUTION)
            return _packed(pixmap) if small else bytes(pixmap.tobytes("png"))
    except ReadError as error:
        return error


def attempt_highlighted(boxes: Sequence[Box], path: Path, reading: Reading) -> bytes | ReadError:
    """The page with highlights as a file of its own."""
    pymupdf = mupdf.load()

    number = boxes[0].page - 1
    try:
        with _opened(path, reading) as file, pymupdf.open() as single:
            if not 0 <= number < file.page_count:
                raise IndexError(number)
            single.insert_pdf(file, from_page=number, to_page=number, links=False, annots=False, widgets=False)
            page = single[0]
            for box in boxes:
                rectangle = pymupdf.Rect(box.x0, box.y0, box.x1, box.y1) * page.derotation_matrix
                highlight = page.add_highlight_annot(rectangle)
                highlight.set_colors(stroke=MARK)
                highlight.update()
            return bytes(single.tobytes(garbage=3, deflate=True))
    except ReadError as error:
        return error


@contextmanager
def _opened(path: Path, reading: Reading) -> Iterator[Any]:
    """The PDF; what goes wrong with it is a ReadError."""
    pymupdf = mupdf.load()

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        with pymupdf.open(path, filetype="pdf") as file:
            if file.needs_pass and not any(file.authenticate(password) for password in reading.passwords):
                raise ReadError("needs a password: give it with --password")
            yield file
    except (RuntimeError, ValueError, IndexError, pymupdf.mupdf.FzErrorBase) as error:
        reason = f"can't be drawn ({type(error).__name__})"
        raise ReadError(f"{reason}: if it has changed, index it again; else repair or export it again") from None


def _pictures(file: Any, numbers: Sequence[int], resolution: int) -> Iterator[PagePicture]:
    pymupdf = mupdf.load()

    for number in numbers:
        try:
            yield _picture(file[number - 1], number, resolution)
        except (RuntimeError, ValueError, IndexError, pymupdf.mupdf.FzErrorBase):
            continue  # its text may have been read all the same


def _picture(page: Any, number: int, resolution: int) -> PagePicture:
    """The page as PNG, which suits text and takes half of JPEG's time, or as JPEG where it holds photographs."""
    return PagePicture(number, page.rect.width, page.rect.height, _packed(_pixmap(page, resolution)))


def _packed(pixmap: Any) -> bytes:
    data = bytes(pixmap.tobytes("png"))
    return data if len(data) <= MOST_PNG_BYTES else bytes(pixmap.tobytes("jpeg", jpg_quality=QUALITY))


def _pixmap(page: Any, resolution: int) -> Any:
    pymupdf = mupdf.load()

    scale = min(resolution / 72, MOST_PIXELS / max(page.rect.width, page.rect.height, 1))
    return page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)

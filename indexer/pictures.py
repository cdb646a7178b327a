"""Pages of a PDF as pictures, drawn in a process of its own as files are read in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from indexer.reading import AS_EVER, Reading
from indexer.sandbox import Sandbox
from kohaku import mupdf
from kohaku.errors import ReadError

RESOLUTION = 100  # dots an inch: body text can be read, and a page takes about 100 KB
MOST_PIXELS = 2_000  # a side: posters, and pages that only claim to be large, are drawn coarser
MOST_PNG_BYTES = 250_000  # text is smaller; what is larger holds photographs
QUALITY = 70  # of JPEG
BATCH = 25  # pages a process draws: what breaks it costs these pictures alone
SECONDS = 20.0  # a page may take on average


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as it is shown: its number, its size in points, and a PNG or JPEG picture of it."""

    number: int
    width: float
    height: float
    media: str
    data: bytes


def drawn(path: Path, numbers: Sequence[int], reading: Reading = AS_EVER) -> dict[int, PagePicture]:
    """The pictures of a PDF's pages by page number; a page that can't be drawn within the file's limits has none."""
    found: dict[int, PagePicture] = {}
    for start in range(0, len(numbers), BATCH):
        batch = tuple(numbers[start : start + BATCH])
        seconds = min(reading.limits.seconds, SECONDS * len(batch))
        limited = replace(reading, limits=replace(reading.limits, seconds=seconds))
        sandbox = Sandbox(limited, 0, partial(attempt, batch))
        try:
            outcome = sandbox.run(path)
        finally:
            sandbox.stop()
            sandbox.close()
        if not isinstance(outcome, ReadError):
            found.update((picture.number, picture) for picture in outcome)
    return found


def attempt(
    numbers: Sequence[int], path: Path, max_tokens: int, reading: Reading
) -> tuple[PagePicture, ...] | ReadError:
    """What a sandbox does: the pictures of those pages that can be drawn."""
    pymupdf = mupdf.load()

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        with pymupdf.open(path, filetype="pdf") as file:
            if file.needs_pass and not any(file.authenticate(password) for password in reading.passwords):
                return ReadError("needs a password: give it with --password")
            return tuple(_pictures(file, numbers))
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase) as error:
        return ReadError(f"damaged ({type(error).__name__}): repair or export it again")


def _pictures(file: Any, numbers: Sequence[int]) -> Iterator[PagePicture]:
    pymupdf = mupdf.load()

    for number in numbers:
        try:
            yield _picture(file[number - 1], number)
        except (RuntimeError, ValueError, IndexError, pymupdf.mupdf.FzErrorBase):
            continue  # its text may have been read all the same


def _picture(page: Any, number: int) -> PagePicture:
    """The page as PNG, which suits text and takes half of JPEG's time, or as JPEG where it holds photographs."""
    pymupdf = mupdf.load()

    width, height = page.rect.width, page.rect.height
    scale = min(RESOLUTION / 72, MOST_PIXELS / max(width, height, 1))
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
    png = bytes(pixmap.tobytes("png"))
    if len(png) <= MOST_PNG_BYTES:
        return PagePicture(number, width, height, "image/png", png)
    jpeg = bytes(pixmap.tobytes("jpeg", jpg_quality=QUALITY))
    return PagePicture(number, width, height, "image/jpeg", jpeg)

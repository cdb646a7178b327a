"""Pictures of figures as others take them: of a usual format and size; none that shows nothing or is an ornament."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from indexer.blocks import Block
from indexer.kept import Kept, keep
from indexer.pixels import is_photograph, jpeg, pixels_of, png
from kohaku import mupdf
from kohaku.tree import Kind

LEAST_SIDE = 16  # pixels: less is a rule, a shade or a bullet
LONGEST = 20.0  # times as long as high: more is a rule or a border
MOST_SIDE = 2048  # pixels: models scale down what is larger
MOST_BYTES = 4_000_000
MOST_PIXELS = 60_000_000  # to be decoded: more is a bomb or a poster
REPEATED = 3  # times in a document without a caption: a logo, an ornament
PLAIN = 50  # pixels a byte: a picture packed so small may be of one colour, else it is not looked into,
QUICK = 250_000  # pixels: unless that takes no time
AS_THEY_ARE = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8")


def without_ornaments(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks with pictures as others take them; a figure that has neither picture nor words goes.

    They are gone through twice.
    """
    ready = lru_cache(maxsize=None)(_ready)  # a logo comes again and again
    times = Counter(ready(keep(block.image)) for block in blocks if block.image and not block.text)
    for block in blocks:
        image = ready(keep(block.image)) if block.image else None
        if block.kind is not Kind.FIGURE or block.text or (image and times[image] < REPEATED):
            yield replace(block, image=image) if block.image else block


def _ready(given: Kept) -> Kept | None:
    image = given.read()
    shown = presentable(image)
    return given if shown == image else keep(shown) if shown else None


def presentable(image: bytes) -> bytes | None:
    """A picture as PNG, JPEG, GIF or WebP of at most MOST_SIDE pixels; None where it can't be read or shows nothing."""
    pymupdf = mupdf.load()

    if image.startswith(b"RIFF"):  # WebP, which MuPDF does not read and models do
        return image if len(image) <= MOST_BYTES else None
    try:
        packed_in = pymupdf.mupdf.fz_new_buffer_from_copied_data(image)
        known = pymupdf.mupdf.fz_new_image_from_buffer(packed_in)  # its head is read, its pixels are not
        width, height = known.w(), known.h()
        if not _is_picture(width, height):
            return None
        is_small = max(width, height) <= MOST_SIDE and len(image) <= MOST_BYTES
        as_it_is = image.startswith(AS_THEY_ARE) and known.n() <= 3 and is_small
        if as_it_is and QUICK <= width * height < PLAIN * len(image):
            return image
        pixmap = pymupdf.Pixmap(image)
        if _is_plain(pixmap):
            return None
        return image if as_it_is else packed(pixmap)
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        return None


def packed(pixmap: Any) -> bytes | None:
    """A pixmap as PNG, or as JPEG where it is a photograph or too large; None where it is of one colour.

    It is scaled down to MOST_SIDE.
    """
    pymupdf = mupdf.load()

    if _is_plain(pixmap):
        return None
    if pixmap.n - pixmap.alpha > 3 or pixmap.colorspace is None:
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pixmap)
    scale = MOST_SIDE / max(pixmap.width, pixmap.height)
    if scale < 1:
        size = (max(round(side * scale), 1) for side in (pixmap.width, pixmap.height))
        pixmap = pymupdf.Pixmap(pixmap, *size, None)
    shown = pixels_of(pixmap)
    if not pixmap.alpha and is_photograph(shown):
        data = jpeg(shown)
    else:
        data = bytes(pixmap.tobytes("png")) if pixmap.alpha else png(shown)
    if len(data) > MOST_BYTES:
        data = jpeg(shown)
    return data if len(data) <= MOST_BYTES else None


def _is_picture(width: int, height: int) -> bool:
    short, long = sorted((width, height))
    return short >= LEAST_SIDE and long <= LONGEST * short and short * long <= MOST_PIXELS


def _is_plain(pixmap: Any) -> bool:
    """Whether all pixels are alike, some of them first; MuPDF's own way to tell takes a hundred times as long."""
    shown = pixels_of(pixmap)
    return not shown.size or all((rows == shown[0, 0]).all() for rows in (shown[len(shown) // 2], shown[::16], shown))

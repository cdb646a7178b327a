"""The pictures on a PDF's pages: where they stand, and their bytes for the figures that they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from indexer.blocks import Block
from indexer.images import MOST_SIDE, packed
from indexer.kept import keep
from indexer.layout.figures import SMALLEST
from indexer.layout.flow import Shot
from indexer.layout.page import Picture, Rect
from indexer.pdf.turn import Turn
from kohaku import mupdf
from kohaku.tree import Kind

MOST_IMAGE_BYTES = 20_000_000
LEAST_PIXELS = 16  # a side: smaller images are rules, shades, bullets
MOST_PIXELS = 60_000_000  # an image that must be decoded: larger ones are bombs or posters
RESOLUTION = 150  # dots an inch of a drawing: labels of 6 points can be read
EDGE = 2  # points around it


def pictures(page: Any, images: Callable[[], Sequence[Mapping[str, Any]]]) -> tuple[Picture, ...]:
    """The images on a page that are large enough to be figures; `images` lists all that it shows."""
    named = [image for image in page.get_images() if min(image[2:4]) >= LEAST_PIXELS] if _may_show(page) else ()
    if not named:
        return ()
    shown = [info for info in images() if _is_large(info["bbox"])]
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


def _may_show(page: Any) -> bool:
    """Whether the page has images or what may hold them; to list them costs ten times as much."""
    low = mupdf.load().mupdf
    held = low.pdf_dict_get_inheritable(low.pdf_page_from_fz_page(page.this).obj(), low.PDF_ENUM_NAME_Resources)
    return bool(low.pdf_dict_len(low.pdf_dict_gets(held, "XObject")))


def _is_upright(matrix: Sequence[float]) -> bool:
    """Whether an image stands as its bytes say, neither turned nor mirrored."""
    across, turned, leaning, down = matrix[:4]
    return across > 0 and down > 0 and abs(turned) < 0.01 * across and abs(leaning) < 0.01 * down


def _is_large(bbox: Sequence[float]) -> bool:
    return min(bbox[2] - bbox[0], bbox[3] - bbox[1]) >= SMALLEST


def with_images(file: Any, blocks: Iterable[tuple[Block, Shot | None]], turns: Mapping[int, Turn]) -> Iterator[Block]:
    """The blocks, figures with their bytes; a figure that has neither bytes nor caption goes."""
    for block, shot in blocks:
        image = None
        if shot is not None:
            image = (_image(file, shot.key) if shot.key is not None else None) or _rendered(file, shot, turns)
        if block.kind is Kind.FIGURE and image is None and not block.text:
            continue
        yield replace(block, image=keep(image)) if image else block


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

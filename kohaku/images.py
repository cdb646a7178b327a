"""Pictures as browsers and models take them: in a URL that holds them, and no larger than is of use."""

from __future__ import annotations

import base64
import threading
from dataclasses import dataclass, field

from kohaku import mupdf

KINDS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}
"""Those that all of them show, by their first bytes."""


def kind_of(image: bytes) -> str:
    """Which of these kinds a picture is; "" for none of them."""
    return next((kind for start, kind in KINDS.items() if image.startswith(start)), "")


def data_url(image: bytes) -> str:
    """A picture as a URL; "" for what is none of these kinds.

    >>> data_url(b"GIF89a"), data_url(b"<svg onload='alert(1)'/>")
    ('data:image/gif;base64,R0lGODlh', '')
    """
    kind = kind_of(image)
    return f"data:image/{kind};base64,{base64.b64encode(image).decode('ascii')}" if kind else ""


LONGEST = 1024  # pixels a side: a chart's labels can be read, and more is paid for by the square
MOST_TOKENS = 1400  # what a picture of LONGEST × LONGEST costs; one whose size is not known is reckoned as that
PIXELS = 750  # a token, by Anthropic's formula (width × height / 750); tiles of 512 pixels, as OpenAI has, come to less
_turn = threading.Lock()  # MuPDF serves one thread


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as a model is to see it, and the tokens that it may cost."""

    image: bytes = field(repr=False)
    tokens: int


def shown(image: bytes) -> Shown | None:
    """A picture of an index, scaled down to LONGEST pixels a side where it is larger; None where it can't be read."""
    if not data_url(image):
        return None
    if image.startswith(b"RIFF"):  # WebP, which MuPDF does not read and models do
        return Shown(image, MOST_TOKENS)
    with _turn:
        pymupdf = mupdf.load()

        try:
            pixmap = pymupdf.Pixmap(image)
            width, height = pixmap.width, pixmap.height
            scale = LONGEST / max(width, height)
            if scale < 1:
                width, height = max(1, round(width * scale)), max(1, round(height * scale))
                if pixmap.colorspace is None or pixmap.n - pixmap.alpha > 3:
                    pixmap = pymupdf.Pixmap(pymupdf.csRGB, pixmap)
                image = bytes(pymupdf.Pixmap(pixmap, width, height, None).tobytes("png"))
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
            return None
    return Shown(image, -(-width * height // PIXELS))

"""Pixels as the bytes of a file: PNG for what is drawn, JPEG for photographs.

MuPDF's own ways take two and ten times as long.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # files without pictures need no numpy
    import numpy as np
    from numpy.typing import NDArray

Pixels: TypeAlias = "NDArray[np.uint8]"
"""Rows of pixels of 1 to 4 bytes: gray or red, green and blue; where their number is even, multiplied by how opaque
they are, which is the last."""

FASTEST = 1  # of zlib's levels; behind the filter the others save a tenth, for twice the time and more
QUALITY = 90
SAMPLED = 16  # one of so many rows tells whether the pixels are a photograph's
NOISY = 0.33  # of its values that differ from their left neighbours, at least
COLOUR_TYPES = {1: 0, 3: 2}  # by PNG's specification, section 11.2.1
ABOVE = 2  # PNG's filter of differences to the row above, the same, section 9.2


def pixels_of(pixmap: Any) -> Pixels:
    """The pixels of one of MuPDF's pictures, not copied: they live as long as it does."""
    import numpy as np

    rows = np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.stride)
    return rows[:, : pixmap.width * pixmap.n].reshape(pixmap.height, pixmap.width, pixmap.n)


def png(pixels: Pixels) -> bytes:
    """The pixels as they are, all opaque."""
    height, width, channels = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 8, COLOUR_TYPES[channels], 0, 0, 0)
    packed = zlib.compress(_differences(pixels).data, FASTEST)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def jpeg(pixels: Pixels) -> bytes:
    """The pixels nearly as they are, on black where they aren't opaque."""
    from io import BytesIO

    from PIL import Image

    channels = pixels.shape[2]
    colours = pixels[:, :, : channels - 1 + channels % 2]
    held = BytesIO()
    Image.fromarray(colours[:, :, 0] if channels < 3 else colours).save(held, "JPEG", quality=QUALITY)
    return held.getvalue()


def is_photograph(pixels: Pixels) -> bool:
    """Whether neighbours differ nearly everywhere, as they do in no drawing."""
    import numpy as np

    steps = np.diff(pixels[::SAMPLED], axis=1)
    return bool(np.count_nonzero(steps) > NOISY * steps.size)


def _differences(pixels: Pixels) -> Pixels:
    """The rows as PNG packs them: each after the filter's number, by its differences to the row above."""
    import numpy as np

    rows = pixels.reshape(len(pixels), -1)
    filtered = np.empty((len(rows), 1 + rows.shape[1]), np.uint8)
    filtered[:, 0] = ABOVE
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    return filtered


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(name)))

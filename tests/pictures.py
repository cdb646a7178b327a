"""Pictures as tests need them: small, of one colour, without a library."""

from __future__ import annotations

import struct
import zlib


def png(width: int, height: int, colour: tuple[int, int, int] = (200, 0, 0)) -> bytes:
    """A PNG of one colour."""
    rows = (b"\x00" + bytes(colour) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

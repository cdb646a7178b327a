"""Pictures as tests need them: small, of one colour, without a library."""

from __future__ import annotations

import struct
import zlib


def png(width: int, height: int, colour: tuple[int, int, int] = (200, 0, 0)) -> bytes:
    """A PNG of one colour."""
    return _png(width, height, (b"\x00" + bytes(colour) * width) * height)


def bars(width: int, height: int, bar: int = 8) -> bytes:
    """A PNG of bars that rise from left to right."""
    black, white = bytes(3), b"\xff" * 3
    rows = (
        b"\x00" + b"".join(black if x % (2 * bar) < bar and height - y < x else white for x in range(width))
        for y in range(height)
    )
    return _png(width, height, b"".join(rows))


def _png(width: int, height: int, rows: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

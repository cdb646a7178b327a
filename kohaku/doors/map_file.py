"""A map written to a file, as its ending says."""

from __future__ import annotations

from pathlib import Path

from kohaku.doors.map import Map
from kohaku.doors.map_page import map_page
from kohaku.doors.map_picture import picture
from kohaku.errors import KohakuError


def write(made: Map, path: Path) -> None:
    """Writes a map as .png, .svg or .html; raises KohakuError for another ending."""
    kind = path.suffix.lower()
    if kind == ".html":
        path.write_text(map_page(made), encoding="utf-8")
    elif kind in (".png", ".svg"):
        path.write_bytes(picture(made, kind[1:]))
    else:
        raise KohakuError(f"a map is a .png, .svg or .html file, not {path.name}: give one of these endings")

"""What a metadata CSV says about documents."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kohaku.tables import check_unique, read_rows

Row = Mapping[str, str]

KNOWN = ("title", "type", "year", "citation", "url")


def read_metadata(path: str | Path) -> dict[str, dict[str, str]]:
    """The rows of a metadata CSV by id; TableError where there is no such column, or two rows have one id."""
    rows = read_rows(path, ("id",), KNOWN)
    check_unique(rows, "id", path)
    return {row["id"].strip(): {name: cell.strip() for name, cell in row.items()} for row in rows}


def finder(rows: Mapping[str, Row]) -> Callable[[Sequence[str]], Row | None]:
    """Finds the row whose id is the first possible of some names, as it stands, else whatever the case.

    >>> finder({"Smith2020": {"id": "Smith2020"}})(["papers/smith2020", "smith2020"])
    {'id': 'Smith2020'}
    """
    tables = [(alike, {alike(id): row for id, row in rows.items()}) for alike in (_composed, _folded)]

    def find(names: Sequence[str]) -> Row | None:
        found = (table[alike(name)] for alike, table in tables for name in names if alike(name) in table)
        return next(found, None)

    return find


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)  # file systems differ in how they spell é


def _folded(name: str) -> str:
    return _composed(name).casefold()

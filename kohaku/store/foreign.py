"""Other programs' SQLite files, as far as what tables they have."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from kohaku.errors import ReadError
from kohaku.sqlite import connect, sqlite3

WAIT = 5.0  # seconds for its program to end a change


def tables(path: Path) -> frozenset[str]:
    """The names of the tables in a SQLite file; nothing in it is changed. ReadError where it is none."""
    try:
        with closing(connect(f"{path.resolve().as_uri()}?mode=ro", wait=WAIT)) as db:
            return frozenset(name for (name,) in db.execute("select name from sqlite_master where type = 'table'"))
    except sqlite3.DatabaseError as error:
        raise ReadError(f"{path} can't be read as a SQLite file ({error}): give another one") from None

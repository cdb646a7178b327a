"""What SQLite says of a file that is damaged or can't be written, as errors of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kohaku.errors import DamagedStore, StoreError
from kohaku.sqlite import sqlite3

DAMAGED = ("malformed", "not a database", "blob read error", "Could not decode to UTF-8")
UNWRITABLE = ("disk is full", "disk I/O error", "readonly database", "unable to open", "Internal sqlite-vec error")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """What SQLite says of a damaged file or a disk that takes no more, as an error of ours."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        said = str(error)
        if any(words in said for words in DAMAGED):
            raise DamagedStore(path, said) from error
        if any(words in said for words in UNWRITABLE):
            raise unwritable(path, said) from error
        raise


def unwritable(path: Path, said: str) -> StoreError:
    """A disk that takes no more, or a folder that lets nothing be written, as an error of ours."""
    return StoreError(f"{path} can't be written ({said}): make room, or give another path to --db")


@contextmanager
def sound_rows(path: Path) -> Iterator[None]:
    """What a row holds that we never wrote is damage."""
    try:
        yield
    except ValueError as error:
        raise DamagedStore(path, f"a row can't be read: {error}") from error

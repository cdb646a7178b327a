"""An index file before it is open: made, found, told from what is none."""

from __future__ import annotations

import os
import socket
from collections.abc import Set
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from kohaku.errors import DamagedStore, ForeignLog, NoSuchStore, NotAStore, ReplacedStore, StoreError
from kohaku.locks import held
from kohaku.sqlite import connect, sqlite3
from kohaku.store import log, schema
from kohaku.store.damage import UNWRITABLE, told, unwritable

Place = tuple[int, int]
"""A file's device and number there."""

WAIT = 60.0  # seconds for another writer's document to end
MAGIC = b"SQLite format 3\x00"


def opened(path: Path, mode: str, known: Set[Place]) -> tuple[Any, int, int]:
    """A connection to a file, its application id and its user version; raises the error that fits one that is none.

    `known` are the files that this process has open under the path. The file is opened by SQLite alone: to close it as
    a file would give up the locks of this process's connections.
    """
    _check_there(path)
    real = path.resolve()
    if log.is_foreign(real):
        raise ForeignLog(path)
    if known and place(real) not in known and not log.parted(real):
        raise ReplacedStore(path)
    try:
        return _connected(path, mode)
    except sqlite3.DatabaseError as error:
        reason: Exception = error
    with held(real.parent, wait=True):
        try:
            return _connected(path, mode)  # who came first has cleared it
        except sqlite3.DatabaseError as error:
            reason = error
        if not log.has_log(real) and log.is_sound_alone(real):
            log.clear(real)  # the file that it is of was moved or deleted
    with suppress(sqlite3.DatabaseError):
        return _connected(path, mode)
    raise _fault(path, str(reason)) from reason


def make(path: Path, *, fingerprint: str, dimensions: int) -> None:
    """Makes an index beside its place, and puts it there whole: nothing that another file left there gets into it."""
    real = path.resolve()
    with told(path), held(real.parent, wait=True):
        if not is_new(path):
            return  # another process was first
        part = real.with_name(f".{real.name}.{os.getpid()}.new")
        try:
            with closing(connect(f"{part.as_uri()}?mode=rwc", wait=WAIT)) as db:
                db.execute("pragma journal_mode = wal")
                db.execute("begin immediate")
                schema.migrate(db, version=0, dimensions=dimensions)
                facts = {"fingerprint": fingerprint, "dimensions": str(dimensions), "writer": me()}
                facts["lineage"] = log.signed(None)
                db.executemany("insert into meta values (?, ?)", facts.items())
                db.execute("commit")
                db.execute("pragma wal_checkpoint(truncate)")
            log.clear(real)
            part.replace(real)
        finally:
            part.unlink(missing_ok=True)
            log.clear(part)


def is_new(path: Path) -> bool:
    """Whether an index is still to be made there."""
    return not path.exists() or (path.is_file() and path.stat().st_size == 0)


def place(path: Path) -> Place | None:
    """Which file it is, whatever its name; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def me() -> str:
    """Who writes, as others are told who wait."""
    return f"process {os.getpid()} on {socket.gethostname()}"


def _connected(path: Path, mode: str) -> tuple[Any, int, int]:
    db = connect(f"{path.resolve().as_uri()}?{mode}", wait=WAIT)
    try:
        application, version = (
            db.execute(f"pragma {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        expected = 0
        with suppress(sqlite3.DatabaseError):  # pages are damaged: what reads them will say so
            expected = db.execute("select page_count * page_size from pragma_page_count, pragma_page_size").fetchone()[
                0
            ]
        # A checkpoint writes the header before the pages that it counts: until it ends, the log holds them.
        if not log.has_log(path.resolve()) and (there := path.stat().st_size) < expected:
            raise DamagedStore(path, f"{there:,} of {expected:,} bytes are there")
    except BaseException:
        db.close()
        raise
    return db, application, version


def _check_there(path: Path) -> None:
    try:
        path.stat()
    except FileNotFoundError:
        raise NoSuchStore(path) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise StoreError(f"{path} can't be read ({getattr(error, 'strerror', error)}): give another path") from None
    if not path.is_file():
        raise NotAStore(path)
    if not os.access(path, os.R_OK):
        raise StoreError(f"{path} can't be read (permission denied): let this user read it, or give another path")


def _fault(path: Path, said: str) -> StoreError:
    """The error that fits a file that SQLite could not open, by what it said, its first bytes and its length."""
    with path.open("rb") as file:
        head = file.read(100)
    if len(head) < 100 or not head.startswith(MAGIC):
        return NotAStore(path)
    page = int.from_bytes(head[16:18], "big")
    size, expected = path.stat().st_size, (65536 if page == 1 else page) * int.from_bytes(head[28:32], "big")
    if size < expected:
        return DamagedStore(path, f"{size:,} of {expected:,} bytes are there")
    if any(words in said for words in UNWRITABLE):
        return unwritable(path, said)
    return DamagedStore(path, said)

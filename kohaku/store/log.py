"""What SQLite keeps beside an index: the log of changes that are not in the file yet (-wal), and its index (-shm).

Both go by the file's name alone. Where another file takes that name while they are there, SQLite would read that one
through them: so each change signs itself in the file (`lineage`), and a log is taken only by a file that it goes on
from. The formats are those of https://www.sqlite.org/walformat.html and fileformat2.html.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from kohaku.sqlite import sqlite3

NOBODY = "0" * 16  # before the first change of an index that did not sign them yet
LOOKS = 3  # at a log that may be written meanwhile
BETWEEN = 0.02  # seconds between them
HEAD, FRAME_HEAD = 32, 24  # bytes before a log's frames, and before each frame's page
FIRST_READER, READERS = 0x40000002, 510  # the bytes of a file that SQLite locks while it has it open
INDEX_LEAF = 10  # a page of a table without rowid that has no pages below it
_SIGNED = re.compile(rb".{1,12}?lineage([0-9a-f]{16}) ([0-9a-f]{16})", re.DOTALL)


def signed(last: str | None) -> str:
    """What a change signs: the change before it, and itself. `last` is what that one signed, None where there is none.

    >>> signed("0000000000000000 0123456789abcdef")[:17]
    '0123456789abcdef '
    """
    return f"{last[-16:] if last else NOBODY} {secrets.token_hex(8)}"


def has_log(path: Path) -> bool:
    """Whether changes stand in a log beside a file."""
    return _size(_wal(path)) > 0


def is_foreign(path: Path) -> bool:
    """Whether the log beside a file is of another one: the file's last change is none that the log goes on from.

    False where that can't be told: then SQLite says what is wrong.
    """
    for look in range(LOOKS):
        if look:
            time.sleep(BETWEEN)
        if not has_log(path) or not _differs(path):
            return False
    return True


def clear(path: Path) -> None:
    """Removes what is beside a file: only where that is new, or what is there holds nothing and is of another one."""
    for beside in (_wal(path), path.with_name(f"{path.name}-shm")):
        beside.unlink(missing_ok=True)


def parted(path: Path) -> bool:
    """Clears away what this process keeps beside a file for the one that was there before: they may share nothing.

    SQLite would take it, and cut it short under the other: a process's own locks don't hold it off. False where changes
    of either wait there, or the file can't be locked. Only for a file that this process has not open yet.
    """
    import fcntl

    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, READERS, FIRST_READER)
    except OSError:
        return True  # another process has it open: what is there is its own by now, and its locks hold off ours
    else:
        if has_log(path):
            return False
        clear(path)
        return True
    finally:
        os.close(file)


def leave(path: Path) -> None:
    """Removes what readers leave beside a file where nothing is in it and nobody else has it open: SQLite sees to that.

    A connection that only reads can't; the last one that could write does it when it closes.
    """
    wal = _wal(path)
    if not wal.exists() or _size(wal):
        return
    with suppress(sqlite3.Error), closing(_connect(path, "mode=rw")) as db:
        db.execute("pragma busy_timeout = 0")
        db.execute("pragma user_version").fetchone()


def is_sound_alone(path: Path) -> bool:
    """Whether a file can be opened without what is beside it."""
    try:
        with closing(_connect(path, "mode=ro&immutable=1")) as db:
            [(pages,)] = db.execute("pragma page_count")
            [(size,)] = db.execute("pragma page_size")
            return bool(path.stat().st_size >= pages * size)
    except (sqlite3.Error, OSError):
        return False


def _differs(path: Path) -> bool:
    try:
        with closing(_connect(path, "mode=ro&immutable=1")) as db:
            [(root,)] = db.execute("select rootpage from sqlite_master where name = 'meta'")
            lines = db.execute("select value from meta where name = 'lineage'").fetchall()
        changes = list(_changes(_wal(path), root))
    except (sqlite3.Error, OSError, ValueError):
        return False
    if not changes:
        return False
    last = str(lines[0][0])[-16:] if lines else NOBODY
    return last not in {changes[0][0], *(change for _, change in changes)}


def _changes(wal: Path, root: int) -> Iterator[tuple[str, str]]:
    """The changes that a log holds in their order, each after the one before it, by what stands on meta's page."""
    with wal.open("rb") as file:
        head = file.read(HEAD)
        if len(head) < HEAD:
            return
        size, salts = int.from_bytes(head[8:12], "big"), head[16:24]
        while len(frame := file.read(FRAME_HEAD)) == FRAME_HEAD and frame[8:16] == salts:
            if int.from_bytes(frame[:4], "big") != root:
                file.seek(size, os.SEEK_CUR)
                continue
            page = file.read(size)
            for place in _cells(page):
                if found := _SIGNED.match(page, place):
                    yield found[1].decode(), found[2].decode()


def _cells(page: bytes) -> Iterator[int]:
    """Where the cells of a page begin."""
    if page[:1] == bytes([INDEX_LEAF]):
        count = int.from_bytes(page[3:5], "big")
        for at in range(8, 8 + 2 * count, 2):
            yield int.from_bytes(page[at : at + 2], "big")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, timeout=1.0, isolation_level=None)


def _wal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

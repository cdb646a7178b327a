"""Models' replies, kept in a file of their own so that the same request need not be paid for twice."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from kohaku.text import storable

T = TypeVar("T")

log = logging.getLogger("kohaku")

FORM = 1  # of the file; one of another form is begun anew
MOST = 200_000  # replies kept, the latest: some hundreds of megabytes
WAIT = 10.0  # seconds for another process's write


def key_of(place: str, request: Mapping[str, Any]) -> str:
    """What stands for a request to a server: a hash of all of it, which tells nothing of what was asked.

    >>> key_of("here", {"model": "m", "seed": 1}) == key_of("here", {"seed": 1, "model": "m"})
    True
    """
    whole = json.dumps([place, request], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(whole.encode()).hexdigest()


class ReplyCache:
    """Replies by request, in one SQLite file that any number of threads and processes may use at once.

    It is no part of any answer: where the file can't be used, that is said once, and every request is asked anew.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._turn = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._is_off = False

    def get(self, key: str) -> str | None:
        """The reply to a request, None where it is not known."""

        def found(db: sqlite3.Connection) -> str | None:
            row = db.execute("select text from reply where key = :key", {"key": key}).fetchone()
            return str(row[0]) if row else None

        return self._try(found)

    def put(self, key: str, text: str) -> None:
        """Keeps a reply, in place of an earlier one to the same request."""

        def kept(db: sqlite3.Connection) -> None:
            with db:
                db.execute(
                    "insert or replace into reply (key, text) values (:key, :text)",
                    {"key": key, "text": storable(text)},
                )

        self._try(kept)

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        with self._turn:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _try(self, use: Callable[[sqlite3.Connection], T]) -> T | None:
        """What comes of using the file, one thread at a time; None where it can't be used."""
        with self._turn:
            if self._is_off:
                return None
            try:
                self._db = self._db or _opened(self.path)
                return use(self._db)
            except (sqlite3.Error, OSError) as error:
                self._is_off = True
                log.warning("replies are not cached, since %s can't be used: %s", self.path, error)
                return None


def _opened(path: Path) -> sqlite3.Connection:
    """The file's connection; the file is made where there is none, for its owner's eyes only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    db = sqlite3.connect(path, timeout=WAIT, check_same_thread=False)
    try:
        _into_wal(db)
        db.execute("pragma synchronous = off")  # what a power cut loses can be asked again
        with db:
            db.execute("begin immediate")  # of two processes one makes the table
            if db.execute("pragma user_version").fetchone()[0] != FORM:
                db.execute("drop table if exists reply")
                db.execute("create table reply (number integer primary key, key text unique not null, text text)")
                db.execute(f"pragma user_version = {FORM}")
            db.execute("delete from reply where number <= (select max(number) from reply) - :most", {"most": MOST})
    except sqlite3.Error:
        db.close()
        raise
    return db


def _into_wal(db: sqlite3.Connection) -> None:
    """Changes the mode, which SQLite refuses at once, whatever its timeout, while another connection is at it."""
    until = time.monotonic() + WAIT
    while True:
        try:
            db.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)

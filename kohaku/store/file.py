"""The open file: how it is changed and read."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from kohaku.errors import DamagedStore, NewerStore, NotAStore, ReplacedStore, StoreBusy, WrongEmbedder
from kohaku.sqlite import sqlite3
from kohaku.store import log, schema
from kohaku.store.damage import told
from kohaku.store.opening import is_new, make, me, opened, place

MEMORY_MB = 512  # of vectors that are kept between searches
CACHE_KIB = 32 * 1024  # of pages while writing: a vector goes into a chunk of 1.5 MB, of 2 MB little else stays

_OPEN: weakref.WeakSet[File] = weakref.WeakSet()
_OPENING = threading.RLock()
"""What this process has open: its locks hold off other processes, but not itself from another file of a path."""


class File:
    """An open index file; use it as a context manager."""

    def __init__(self, db: Any, path: Path, *, writable: bool, memory_mb: int = MEMORY_MB) -> None:
        self._db, self.path, self.writable = db, path, writable
        self._turn = threading.RLock()
        self._version = schema.VERSION
        self._place = place(path)

    @classmethod
    def open(cls, path: str | Path, *, memory_mb: int = MEMORY_MB) -> Self:
        """Opens for reading; never creates, never changes the file. Searches hold at most so much of it in memory."""
        path = Path(path)
        # A WAL file needs its index beside it; where none can be made the file can't change either.
        is_fixed = not os.access(path.resolve().parent, os.W_OK) and not log.has_log(path.resolve())
        mode = "mode=ro&immutable=1" if is_fixed else "mode=ro"
        return cls._checked(path, mode, writable=False, memory_mb=memory_mb)

    @classmethod
    def edit(cls, path: str | Path) -> Self:
        """Opens an existing index for changes; never creates."""
        return cls._checked(Path(path), "mode=rw", writable=True)

    @classmethod
    def create(cls, path: str | Path, *, fingerprint: str, dimensions: int) -> Self:
        """Opens for writing, making the file where there is none; raises WrongEmbedder where another one filled it."""
        path = Path(path)
        if is_new(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            make(path, fingerprint=fingerprint, dimensions=dimensions)
        store = cls.edit(path)
        found = store.fingerprint
        if found != fingerprint:
            store.close()
            raise WrongEmbedder(found, fingerprint)
        return store

    @classmethod
    def _checked(cls, path: Path, mode: str, *, writable: bool, memory_mb: int = MEMORY_MB) -> Self:
        with _OPENING:
            known = {one._place for one in _OPEN if one._place and one.path.resolve() == path.resolve()}
            db, application, version = opened(path, mode, known)
            if application != schema.APPLICATION:
                db.close()
                raise NotAStore(path)
            if version > schema.VERSION:
                db.close()
                raise NewerStore(path, version, schema.VERSION)
            store = cls(db, path, writable=writable, memory_mb=memory_mb)
            _OPEN.add(store)
        if version < schema.VERSION and writable:
            with store._change():
                schema.migrate(db, version=version, dimensions=store.dimensions)
        else:  # an older one that is only read stays as it is
            store._version = version
        if writable:
            with told(path):
                db.execute("pragma synchronous = normal")
                db.execute("pragma foreign_keys = on")
                db.execute(f"pragma cache_size = {-CACHE_KIB}")
        return store

    def close(self) -> None:
        """Closes the file; the last one to close it leaves everything in the one file."""
        with self._turn:
            if self.writable:
                # A reader may still be there: then SQLite does it when the last one leaves, and nobody waits for that.
                with suppress(sqlite3.DatabaseError):
                    self._db.execute("pragma busy_timeout = 0")
                    self._db.execute("pragma wal_checkpoint(truncate)")
            self._db.close()
        with _OPENING:
            _OPEN.discard(self)
        if not self.writable and self._place == place(self.path):
            log.leave(self.path.resolve())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """What is read inside is of one state of the index, whatever is written meanwhile; of a store only read."""
        with self._turn:
            self._db.execute("begin")
        try:
            self._rows("pragma user_version")  # what is read from here on is of one state
            self._check_place()
            yield
        finally:
            with self._turn, suppress(sqlite3.DatabaseError):  # of a file found damaged: that is told already
                self._db.execute("commit")

    @property
    def fingerprint(self) -> str:
        """Which embedder the vectors came from."""
        return self._meta("fingerprint")

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self._meta("dimensions"))

    def setting(self, name: str) -> str | None:
        """A remembered fact by name, such as the embedder's name."""
        rows = self._rows("select value from meta where name = :name", {"name": name})
        return rows[0][0] if rows else None

    @cached_property
    def background(self) -> float:
        """The cosine that the embedder gives to texts of nothing in common; 0 where the index does not say."""
        said = self.setting("background") or "0"
        try:
            return min(max(float(said), 0.0), 0.99)
        except ValueError:
            raise DamagedStore(self.path, f"{said!r} is no cosine of its embedder's") from None

    def remember(self, name: str, value: str) -> None:
        """Keeps a fact with the index."""
        with self._change():
            self._db.execute("insert or replace into meta values (:name, :value)", {"name": name, "value": value})

    def _meta(self, name: str) -> str:
        value = self.setting(name)
        if value is None:
            raise DamagedStore(self.path, f"it does not say its {name}")
        return value

    @contextmanager
    def _change(self) -> Iterator[None]:
        """All that happens inside is one transaction; changes may nest."""
        with self._turn, told(self.path):
            if self._db.in_transaction:
                yield
                return
            try:
                self._db.execute("begin immediate")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
                raise StoreBusy(self.path, self.setting("writer") or "") from error
            try:
                self._check_place()
                facts = {"writer": me(), "lineage": log.signed(self.setting("lineage"))}
                self._db.executemany("insert or replace into meta values (?, ?)", facts.items())
                yield
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:  # a full disk has already ended it
                    self._db.execute("rollback")
                raise

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """All that is read inside is of one state of the file."""
        with self._turn, told(self.path):
            if self._db.in_transaction:
                yield
                return
            self._db.execute("begin")
            try:
                yield
            finally:
                self._db.execute("rollback")  # nothing was written

    def _rows(self, query: str, values: Mapping[str, object] | None = None) -> list[Any]:
        with self._turn, told(self.path):
            try:
                rows = list(self._db.execute(query, values or {}))
            except sqlite3.DatabaseError:
                self._check_place()
                raise
            if not self.writable and not self._db.in_transaction:
                self._check_place()
            return rows

    def _check_place(self) -> None:
        """Raises ReplacedStore where another file has taken the place of this one: they'd share what is beside it."""
        there = place(self.path)
        if there != self._place and (there or self.writable):
            raise ReplacedStore(self.path)

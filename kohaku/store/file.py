"""The open file: how it is made, opened, told from others' files, changed and read."""

from __future__ import annotations

import os
import socket
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from kohaku.errors import (
    DamagedStore,
    ForeignLog,
    NewerStore,
    NoSuchStore,
    NotAStore,
    ReplacedStore,
    StoreBusy,
    StoreError,
    WrongEmbedder,
)
from kohaku.locks import held
from kohaku.sqlite import connect, sqlite3
from kohaku.store import log, schema

WAIT = 60.0  # seconds for another writer's document to end
MEMORY_MB = 512  # of vectors that are kept between searches
CACHE_KIB = 32 * 1024  # of pages while writing: a vector goes into a chunk of 1.5 MB, of 2 MB little else stays
MAGIC = b"SQLite format 3\x00"
DAMAGED = ("malformed", "not a database", "blob read error", "Could not decode to UTF-8")
UNWRITABLE = ("disk is full", "disk I/O error", "readonly database", "unable to open", "Internal sqlite-vec error")


_OPEN: weakref.WeakSet[File] = weakref.WeakSet()
_OPENING = threading.RLock()
"""What this process has open: its locks hold off other processes, but not itself from another file of a path."""


class File:
    """An open index file; use it as a context manager."""

    def __init__(self, db: Any, path: Path, *, writable: bool, memory_mb: int = MEMORY_MB) -> None:
        self._db, self.path, self.writable = db, path, writable
        self._turn = threading.RLock()
        self._version = schema.VERSION
        self._place = _place(path)

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
        if _is_new(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _make(path, fingerprint=fingerprint, dimensions=dimensions)
        store = cls.edit(path)
        found = store.fingerprint
        if found != fingerprint:
            store.close()
            raise WrongEmbedder(found, fingerprint)
        return store

    @classmethod
    def _checked(cls, path: Path, mode: str, *, writable: bool, memory_mb: int = MEMORY_MB) -> Self:
        with _OPENING:
            db, application, version = _opened(path, mode)
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
        if not self.writable and self._place == _place(self.path):
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
                facts = {"writer": _me(), "lineage": log.signed(self.setting("lineage"))}
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
        there = _place(self.path)
        if there != self._place and (there or self.writable):
            raise ReplacedStore(self.path)


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


def _me() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _place(path: Path) -> tuple[int, int] | None:
    """Which file it is, whatever its name; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_new(path: Path) -> bool:
    return not path.exists() or (path.is_file() and path.stat().st_size == 0)


def _opened(path: Path, mode: str) -> tuple[Any, int, int]:
    """A connection to a file, its application id and its user version; raises the error that fits one that is none.

    The file is opened by SQLite alone: to close it as a file would give up the locks of this process's connections.
    """
    _check_there(path)
    real = path.resolve()
    if log.is_foreign(real):
        raise ForeignLog(path)
    places = {one._place for one in _OPEN if one.path.resolve() == real}
    if places and _place(real) not in places and not log.parted(real):
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


def _make(path: Path, *, fingerprint: str, dimensions: int) -> None:
    """Makes an index beside its place, and puts it there whole: nothing that another file left there gets into it."""
    real = path.resolve()
    with told(path), held(real.parent, wait=True):
        if not _is_new(path):
            return  # another process was first
        part = real.with_name(f".{real.name}.{os.getpid()}.new")
        try:
            with closing(connect(f"{part.as_uri()}?mode=rwc", wait=WAIT)) as db:
                db.execute("pragma journal_mode = wal")
                db.execute("begin immediate")
                schema.migrate(db, version=0, dimensions=dimensions)
                facts = {"fingerprint": fingerprint, "dimensions": str(dimensions), "writer": _me()}
                facts["lineage"] = log.signed(None)
                db.executemany("insert into meta values (?, ?)", facts.items())
                db.execute("commit")
                db.execute("pragma wal_checkpoint(truncate)")
            log.clear(real)
            part.replace(real)
        finally:
            part.unlink(missing_ok=True)
            log.clear(part)

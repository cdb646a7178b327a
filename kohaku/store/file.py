"""The open file: how it is made, opened, told from others' files, changed and read."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from kohaku.errors import DamagedStore, NewerStore, NoSuchStore, NotAStore, StoreBusy, StoreError, WrongEmbedder
from kohaku.sqlite import connect, sqlite3
from kohaku.store import schema

WAIT = 60.0  # seconds for another writer's document to end
MEMORY_MB = 512  # of vectors that are kept between searches
MAGIC = b"SQLite format 3\x00"
DAMAGED = ("malformed", "not a database", "blob read error", "Could not decode to UTF-8")
UNWRITABLE = ("disk is full", "disk I/O error", "readonly database", "unable to open", "Internal sqlite-vec error")


class File:
    """An open index file; use it as a context manager."""

    def __init__(self, db: Any, path: Path, *, writable: bool, memory_mb: int = MEMORY_MB) -> None:
        self._db, self.path, self.writable = db, path, writable
        self._turn = threading.RLock()
        self._version = schema.VERSION

    @classmethod
    def open(cls, path: str | Path, *, memory_mb: int = MEMORY_MB) -> Self:
        """Opens for reading; never creates, never changes the file. Searches hold at most so much of it in memory."""
        path = Path(path)
        _inspect(path)
        name = path.resolve().as_uri()
        # A WAL file needs its index beside it; where none can be made the file can't change either.
        mode = "mode=ro" if os.access(path.resolve().parent, os.W_OK) else "mode=ro&immutable=1"
        return cls._checked(path, f"{name}?{mode}", writable=False, memory_mb=memory_mb)

    @classmethod
    def edit(cls, path: str | Path) -> Self:
        """Opens an existing index for changes; never creates."""
        path = Path(path)
        _inspect(path)
        return cls._checked(path, f"{path.resolve().as_uri()}?mode=rw", writable=True)

    @classmethod
    def create(cls, path: str | Path, *, fingerprint: str, dimensions: int) -> Self:
        """Opens for writing, making the file where there is none; raises WrongEmbedder where another one filled it."""
        path = Path(path)
        if not path.exists() or path.stat().st_size == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
            _make(path, fingerprint=fingerprint, dimensions=dimensions)
        store = cls.edit(path)
        found = store.fingerprint
        if found != fingerprint:
            store.close()
            raise WrongEmbedder(found, fingerprint)
        return store

    @classmethod
    def _checked(cls, path: Path, uri: str, *, writable: bool, memory_mb: int = MEMORY_MB) -> Self:
        try:
            with told(path):
                db = connect(uri, wait=WAIT)
                application = db.execute("pragma application_id").fetchone()[0]
                version = db.execute("pragma user_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise DamagedStore(path, str(error)) from error
        if application != schema.APPLICATION:
            db.close()
            raise NotAStore(path)
        if version > schema.VERSION:
            db.close()
            raise NewerStore(path, version, schema.VERSION)
        store = cls(db, path, writable=writable, memory_mb=memory_mb)
        if version < schema.VERSION and writable:
            with store._change():
                schema.migrate(db, version=version, dimensions=store.dimensions)
        else:  # an older one that is only read stays as it is
            store._version = version
        if writable:
            with told(path):
                db.execute("pragma synchronous = normal")
                db.execute("pragma foreign_keys = on")
        return store

    def close(self) -> None:
        """Closes the file; a store that wrote leaves everything in the one file."""
        with self._turn:
            if self.writable:
                # A reader may still be there: then SQLite does it when the last one leaves, and nobody waits for that.
                with suppress(sqlite3.DatabaseError):
                    self._db.execute("pragma busy_timeout = 0")
                    self._db.execute("pragma wal_checkpoint(truncate)")
            self._db.close()

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
                self._db.execute("insert or replace into meta values ('writer', ?)", (_me(),))
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
            return list(self._db.execute(query, values or {}))


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
            raise StoreError(f"{path} can't be written ({said}): make room, or give another path to --db") from error
        raise


@contextmanager
def sound_rows(path: Path) -> Iterator[None]:
    """What a row holds that we never wrote is damage."""
    try:
        yield
    except ValueError as error:
        raise DamagedStore(path, f"a row can't be read: {error}") from error


def _me() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _inspect(path: Path) -> None:
    """Raises the error that fits a file that SQLite could not open as ours, by its first bytes and its length."""
    size, expected = _lengths(path)
    # A checkpoint writes the header before the pages that it counts: until it ends, killed or not, the log holds them.
    if size < expected and not _has_log(path):
        size, expected = _lengths(path)  # it may have ended meanwhile
        if size < expected:
            raise DamagedStore(path, f"{size:,} of {expected:,} bytes are there")


def _has_log(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _lengths(path: Path) -> tuple[int, int]:
    """How many bytes a file has, and how many its header says."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
        size = path.stat().st_size
    except FileNotFoundError:
        raise NoSuchStore(path) from None
    except IsADirectoryError:
        raise NotAStore(path) from None
    except OSError as error:
        raise DamagedStore(path, error.strerror or str(error)) from error
    if len(head) < 100 or not head.startswith(MAGIC):
        raise NotAStore(path)
    page = int.from_bytes(head[16:18], "big")
    return size, (65536 if page == 1 else page) * int.from_bytes(head[28:32], "big")


def _make(path: Path, *, fingerprint: str, dimensions: int) -> None:
    with told(path), closing(connect(f"{path.resolve().as_uri()}?mode=rwc", wait=WAIT)) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("begin immediate")
        if db.execute("pragma user_version").fetchone()[0] == 0:  # else another process was first
            schema.migrate(db, version=0, dimensions=dimensions)
            facts = {"fingerprint": fingerprint, "dimensions": str(dimensions), "writer": _me()}
            db.executemany("insert into meta values (?, ?)", facts.items())
        db.execute("commit")
        db.execute("pragma wal_checkpoint(truncate)")

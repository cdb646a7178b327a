"""Pictures on their way into an index: their bytes wait in a file, since a book's would fill the memory."""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock

from indexer.spool import Spool
from kohaku.errors import ReadError

IN_MEMORY = 4_000_000  # bytes: the pictures of most documents
LARGEST_FILE = 64_000_000  # bytes, about: it goes with the last of its pictures, so one file must not hold all


class _File:
    """Bytes one after another, in memory as long as they are few."""

    def __init__(self) -> None:
        self.size = 0
        self._held = Spool(IN_MEMORY, lambda room: ReadError(f"its pictures find no {room}"))
        self._lock = Lock()

    def add(self, data: bytes) -> int:
        """Where the bytes begin."""
        with self._lock:
            start = self.size
            self._held.put(start, data)
            self.size = start + len(data)
        return start

    def read(self, start: int, length: int) -> bytes:
        """The bytes that begin there."""
        with self._lock:
            return self._held.get(start, length)


@dataclass(frozen=True, slots=True)
class Kept:
    """A picture by the hash of its bytes; sent to another process, it is kept there."""

    hash: str
    length: int
    _start: int = field(repr=False, compare=False)
    _file: _File = field(repr=False, compare=False)

    def read(self) -> bytes:
        """Its bytes."""
        return self._file.read(self._start, self.length)

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return keep, (self.read(),)


_lock = Lock()
_files: weakref.WeakSet[_File] = weakref.WeakSet()


def keep(image: bytes | Kept) -> Kept:
    """The picture, its bytes out of the way; ReadError where the disk has no room for them."""
    if isinstance(image, Kept):
        return image
    with _lock:
        file = next((one for one in _files if one.size < LARGEST_FILE), None) or _File()
        _files.add(file)
    start = file.add(image)
    return Kept(hashlib.sha256(image).hexdigest(), len(image), start, file)


class Pictures(Mapping[str, bytes]):
    """Pictures by their hashes; each is read from its file when it is asked for."""

    def __init__(self, kept: Mapping[str, Kept]) -> None:
        self._kept = dict(kept)

    def __getitem__(self, hash: str) -> bytes:
        return self._kept[hash].read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    @classmethod
    def of(cls, images: Mapping[str, bytes]) -> Pictures:
        """The same pictures, out of the way."""
        return images if isinstance(images, cls) else cls({hash: keep(image) for hash, image in images.items()})

    def kept(self) -> Mapping[str, Kept]:
        """The same without their bytes."""
        return self._kept

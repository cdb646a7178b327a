"""Bytes out of the way: in memory as long as they are few, in a temporary file behind that."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from tempfile import SpooledTemporaryFile

from kohaku.errors import KohakuError


class Spool:
    """Bytes at places; where the disk has no room, putting and getting them raise what `failure` makes of why.

    Getting them may too: what was put in last is often only then written.
    """

    def __init__(self, in_memory: int, failure: Callable[[str], KohakuError]) -> None:
        self._file = SpooledTemporaryFile(in_memory)  # noqa: SIM115 (gone with the spool)
        self._failure = failure
        weakref.finalize(self, _close, self._file)

    def put(self, place: int, data: bytes) -> None:
        """Puts bytes where they are to begin."""
        with self._room():
            self._file.seek(place)
            self._file.write(data)

    def get(self, place: int, length: int) -> bytes:
        """As many bytes as are there, from a place on."""
        with self._room():
            self._file.seek(place)
            return self._file.read(length)

    @contextmanager
    def _room(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._failure(f"room in the temporary folder ({error.strerror}): make some") from error


def _close(file: SpooledTemporaryFile[bytes]) -> None:
    with suppress(OSError):  # of a full disk; the file is gone all the same
        file.close()

"""Files beside an index, made from one state of it, of no use for another; gone, they can be made anew."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

Made = TypeVar("Made")
SUFFIXES = (".ivf", ".words")


class Beside(Generic[Made]):
    """The files of one kind beside an index, one for a part of it."""

    def __init__(self, index: Path, suffix: str, opened: Callable[[Path], Made | None]) -> None:
        self._index, self._suffix, self._opened = index, suffix, opened
        self._known: dict[str, tuple[str, Made]] = {}

    def path(self, part: str, state: str) -> Path:
        """Where the file of a part in a state of the index is."""
        return self._index.with_name(f"{self._index.name}-{state}-{part}{self._suffix}")

    def of(self, part: str, state: str) -> Made | None:
        """The open file of a part in a state of the index; None where there is none."""
        known = self._known.get(part)
        if state and (known is None or known[0] != state) and (found := self._opened(self.path(part, state))):
            known = self._known[part] = state, found
        return known[1] if known and known[0] == state else None


@contextmanager
def whole_or_not(path: Path) -> Iterator[Path]:
    """Where a file is written until it is whole: then it has its name, and after an error nothing is left of it."""
    part = path.with_name(f"{path.name}.part{os.getpid()}")  # another process may be at the same
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def reserve(file: BinaryIO, size: int) -> None:
    """Makes a file so many bytes long; raises OSError where the disk lacks the room.

    Else to write into its map would end the process.
    """
    file.truncate(size)
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)


def sweep(index: Path, wanted: Collection[Path]) -> None:
    """Removes what lies beside an index of other states of it."""
    suffixes = "|".join(map(re.escape, SUFFIXES))
    ours = re.compile(rf"{re.escape(index.name)}-[0-9a-f]{{16}}-[a-z]+(?:{suffixes})(\.part\d*)?")
    for path in index.parent.iterdir():
        if ours.fullmatch(path.name) and path not in wanted:
            path.unlink(missing_ok=True)

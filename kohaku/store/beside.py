"""Files beside an index: how they are named, written, opened and cleared away. Gone, they can be made anew."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

Made = TypeVar("Made")
SUFFIXES = (".ivf", ".words")


class Beside(Generic[Made]):
    """The open files of one kind beside an index."""

    def __init__(self, index: Path, suffix: str, opened: Callable[[Path], Made | None]) -> None:
        self.suffix = suffix
        self._index, self._opened = index, opened
        self._known: dict[str, dict[str, Made]] = {}

    def path(self, part: str, token: str) -> Path:
        """Where the file of a part with such a token is."""
        return self._index.with_name(f"{self._index.name}-{token}-{part}{self.suffix}")

    def of(self, part: str, tokens: Iterable[str]) -> list[Made] | None:
        """The files of a part with these tokens, open; None where one of them is not there or can't be read."""
        known = self._known.get(part, {})
        found: dict[str, Made] = {}
        for token in tokens:
            made = known.get(token) or self._opened(self.path(part, token))
            if made is None:
                return None
            found[token] = made
        self._known[part] = found
        return list(found.values())


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
    """Removes what lies beside an index and is not wanted."""
    suffixes = "|".join(map(re.escape, SUFFIXES))
    ours = re.compile(rf"{re.escape(index.name)}-[0-9a-f]{{16}}-[a-z]+(?:{suffixes})(\.part\d*)?")
    for path in index.parent.iterdir():
        if ours.fullmatch(path.name) and path not in wanted and path.is_file():
            path.unlink(missing_ok=True)

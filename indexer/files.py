"""Which files there are to index, and what they hold."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from indexer.readers import known


def find(paths: Iterable[str | Path]) -> list[Path]:
    """The files to read, sorted, absolute: folders give what has a reader and is not hidden, files give themselves."""
    found: set[Path] = set()
    for path in map(absolute, paths):
        found.update(filter(known, _in_folder(path)) if path.is_dir() else [path])
    return sorted(found, key=os.fsencode)


def passed_over(paths: Iterable[Path]) -> set[Path]:
    """The files of folders that no reader is for."""
    return {path for folder in paths if folder.is_dir() for path in _in_folder(folder) if not known(path)}


def absolute(path: str | Path) -> Path:
    """The path from the root, links kept as they are."""
    return Path(os.path.abspath(path))


def printable(path: str | Path) -> str:
    """The path as text that can be shown and stored, even where it is not UTF-8.

    >>> printable("caf\\udce9.txt")
    'caf\\\\xe9.txt'
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def name_of(path: Path) -> str:
    """A document's id by its file: the name without suffix, letters composed as a metadata CSV would spell them."""
    return unicodedata.normalize("NFC", printable(path.stem)) or printable(path.name)


def names_of(path: Path) -> tuple[str, str]:
    """What a metadata row may call a file, best first: with its folder, without."""
    stem = name_of(path)
    return f"{unicodedata.normalize('NFC', printable(path.parent.name))}/{stem}", stem


def content_hash(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _in_folder(folder: Path) -> Iterator[Path]:
    seen: set[tuple[int, int]] = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        status = os.stat(place)
        if (status.st_dev, status.st_ino) in seen:  # a link leads back
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(place, name)
            if not name.startswith((".", "~$")) and path.is_file():
                yield path

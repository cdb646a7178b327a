"""Locks between processes, on files and folders that are there; they end with whoever holds them, also where killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def hold(path: Path, *, wait: bool) -> int:
    """A descriptor that holds the lock of a file or a folder until it is closed.

    BlockingIOError where another one has it and it is not to be waited for; OSError where the path can't be opened.
    """
    lock = os.open(path, os.O_RDONLY)
    try:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise
    except (ImportError, OSError):
        pass  # there are no such locks there
    return lock


@contextmanager
def held(path: Path, *, wait: bool) -> Iterator[None]:
    """Holds the lock of a file or a folder, as `hold` does."""
    lock = hold(path, wait=wait)
    try:
        yield
    finally:
        os.close(lock)

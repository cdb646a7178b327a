"""Which SQLite module serves: one that loads extensions and is new enough, else the packaged one."""

from __future__ import annotations

import sqlite3 as standard
from importlib import import_module
from types import ModuleType
from typing import Any

import sqlite_vec

from kohaku.errors import StoreError

NEEDED = (3, 43, 0)  # the first with `contentless_delete` in FTS5


def _serves(module: ModuleType) -> bool:
    # Many Pythons (pyenv's among them) are built without loadable extensions.
    return hasattr(module.Connection, "enable_load_extension") and module.sqlite_version_info >= NEEDED


def _choose() -> Any:
    if _serves(standard):
        return standard
    try:
        packaged = import_module("pysqlite3")
    except ImportError:
        raise StoreError(
            f"this Python's sqlite3 ({standard.sqlite_version}) can't hold an index "
            f"(extensions and {'.'.join(map(str, NEEDED))} are needed): pip install pysqlite3"
        ) from None
    return packaged


sqlite3 = _choose()


def connect(uri: str, *, wait: float) -> Any:
    """A connection with sqlite-vec loaded, usable from any thread by turns; waits that many seconds for a lock."""
    db = sqlite3.connect(uri, uri=True, timeout=wait, check_same_thread=False, isolation_level=None)
    db.enable_load_extension(True)
    sqlite_vec.load(db)
    db.enable_load_extension(False)
    return db

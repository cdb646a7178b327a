"""Where things that can be made again are kept."""

from __future__ import annotations

import os
from pathlib import Path


def folder(asked: Path | None = None) -> Path:
    """The cache folder: the one asked for, else KOHAKU_CACHE, else the user's. It need not exist yet."""
    if asked or os.environ.get("KOHAKU_CACHE"):
        return asked or Path(os.environ["KOHAKU_CACHE"])
    from platformdirs import user_cache_path

    return user_cache_path("kohaku", appauthor=False)

"""Where things that can be made again are kept."""

from __future__ import annotations

import os
from pathlib import Path


def folder() -> Path:
    """The cache folder: KOHAKU_CACHE, else the user's; it need not exist yet."""
    asked = os.environ.get("KOHAKU_CACHE")
    if asked:
        return Path(asked)
    from platformdirs import user_cache_path

    return user_cache_path("kohaku", appauthor=False)

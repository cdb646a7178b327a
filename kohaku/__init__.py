"""Questions over your documents, answered with evidence that can be checked, or not at all.

>>> import kohaku
>>> with kohaku.open("my.db") as engine:  # doctest: +SKIP
...     print(engine.ask("What was the power usage effectiveness?"))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from kohaku.doors.engine import Engine

__all__ = ["open"]


def open(path: str | Path, **settings: Any) -> Engine:
    """An index file opened for questions; keyword arguments are settings (`model="…"`, `budget=4000`)."""
    from kohaku.doors.engine import Engine

    return Engine.open(path, **settings)

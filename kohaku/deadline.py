"""How long a question may take in all: known to whatever works for it, without being handed down."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_until: ContextVar[float | None] = ContextVar("until", default=None)


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """What is done inside has so many seconds; an earlier deadline around it holds too. None: no further one."""
    now, outer = time.monotonic(), _until.get()
    until = outer if seconds is None else min(now + seconds, outer or float("inf"))
    token = _until.set(until)
    try:
        yield
    finally:
        _until.reset(token)


def left() -> float | None:
    """Seconds until the deadline, negative after it; None where there is none."""
    until = _until.get()
    return None if until is None else until - time.monotonic()

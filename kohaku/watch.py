"""Who watches a question being worked on: whatever works for it tells, without being handed the watcher down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[object], None]
"""Is told of each step, by any thread; what it raises ends the work: `kohaku.errors.Abandoned` where nobody waits."""

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """What is done inside is told to the watcher."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def is_watched() -> bool:
    """Whether anybody is told: else nothing need be made for telling alone."""
    return _watcher.get() is not None


def tell(step: object) -> None:
    """Tells the watcher, if there is one, of a step: a plan, evidence, a reading, a model's words, a call."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(step)

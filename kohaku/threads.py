"""Work on many things by a bounded number of threads."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable
from contextvars import copy_context
from typing import TypeVar

from kohaku.errors import KohakuError, NoAccess

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(
    items: Iterable[Item], work: Callable[[Item], Result], *, concurrency: int
) -> Generator[tuple[Item, Result | KohakuError], None, None]:
    """Every item with what its work gave, or the KohakuError it ended in, as each is finished.

    NoAccess, which would meet them all, any other error, an interrupt or closing the generator starts no further item
    and comes out at once.
    """
    waiting = list(items)
    todo: queue.SimpleQueue[Item] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Item, Result | KohakuError] | BaseException] = queue.SimpleQueue()
    for item in waiting:
        todo.put(item)
    stopped = threading.Event()
    try:
        # daemons: a pool's threads would hold an interrupted program until the calls in flight came back
        for _ in range(min(concurrency, len(waiting))):
            # in the caller's context, which holds the deadline of a question
            context = copy_context()
            threading.Thread(target=context.run, args=(_take, todo, done, work, stopped), daemon=True).start()
        for _ in waiting:
            outcome = done.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome
    finally:
        stopped.set()


def _take(
    todo: queue.SimpleQueue[Item],
    done: queue.SimpleQueue[tuple[Item, Result | KohakuError] | BaseException],
    work: Callable[[Item], Result],
    stopped: threading.Event,
) -> None:
    """Takes items until there are no more."""
    while not stopped.is_set():
        try:
            item = todo.get_nowait()
        except queue.Empty:
            return
        try:
            done.put((item, work(item)))
        except NoAccess as error:
            done.put(error)
            return
        except KohakuError as error:
            done.put((item, error))
        except BaseException as error:  # comes out in the thread that waits for it
            done.put(error)
            return

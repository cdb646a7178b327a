"""Work on many things by a bounded number of threads."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextvars import copy_context
from typing import Any, TypeVar, cast

from kohaku.errors import KohakuError, NoAccess

Item = TypeVar("Item")
Result = TypeVar("Result")


LAST = 2.0  # seconds that what is under way gets to end where all is stopped: a library may be in the midst of it
_ENDED = object()


def in_time(call: Callable[[], Result], seconds: float | None) -> Result:
    """What a call gives; TimeoutError where it takes more seconds than these, and is left to itself. None: no limit.

    For calls that can't be stopped, such as a server's that sends its headers byte by byte.
    """
    if seconds is None:
        return call()
    box: queue.SimpleQueue[tuple[Result | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            box.put((call(), None))
        except BaseException as error:  # comes out in the thread that waits for it
            box.put((None, error))

    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()
    try:
        result, error = box.get(timeout=max(0.0, seconds))
    except queue.Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return cast(Result, result)


def each(
    items: Iterable[Item], work: Callable[[Item], Result], *, concurrency: int
) -> Generator[tuple[Item, Result | KohakuError], None, None]:
    """Every item with what its work gave, or the KohakuError it ended in, as each is finished.

    NoAccess, which would meet them all, starts no further item; what is under way is paid for, so it is waited for and
    given, then NoAccess comes out. Any other error, an interrupt or closing the generator starts no further item either
    and comes out at once, or where threads are still at work within LAST seconds.
    """
    waiting = list(items)
    todo: queue.SimpleQueue[Item] = queue.SimpleQueue()
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for item in waiting:
        todo.put(item)
    stopped = threading.Event()
    threads: list[threading.Thread] = []
    barred: NoAccess | None = None
    try:
        # daemons: a pool's threads would hold an interrupted program until the calls in flight came back
        for _ in range(min(concurrency, len(waiting))):
            # in the caller's context, which holds the deadline of a question
            context = copy_context()
            threads.append(threading.Thread(target=context.run, args=(_take, todo, done, work, stopped), daemon=True))
            threads[-1].start()
        running = len(threads)
        while running:
            outcome = done.get()
            if outcome is _ENDED:
                running -= 1
            elif isinstance(outcome, NoAccess):
                stopped.set()
                barred = barred or outcome
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                yield outcome
        if barred is not None:
            raise barred
    finally:
        stopped.set()
        _let_end(threads)


def _let_end(threads: Iterable[threading.Thread]) -> None:
    """Waits for threads a little: one that Python's end finds within a C++ library would abort the program."""
    until = time.monotonic() + LAST
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))


def _take(
    todo: queue.SimpleQueue[Item],
    done: queue.SimpleQueue[Any],
    work: Callable[[Item], Result],
    stopped: threading.Event,
) -> None:
    """Takes items until there are no more, or it is stopped."""
    try:
        while not stopped.is_set():
            try:
                item = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((item, work(item)))
            except NoAccess as error:
                stopped.set()
                done.put(error)
            except KohakuError as error:
                done.put((item, error))
            except BaseException as error:  # comes out in the thread that waits for it
                done.put(error)
                return
    finally:
        done.put(_ENDED)

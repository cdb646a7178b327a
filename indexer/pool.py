"""Files prepared in several processes: a file that kills its process fails alone, and few are held at once."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from indexer.prepare import Prepared, blamed_on_the_file, prepare
from kohaku.errors import ReadError
from kohaku.machine import cores

Outcome = Prepared | ReadError
Prepare = Callable[[Path, int], Prepared]

AHEAD = 2  # files that wait ready beyond those being read: whole trees, so memory depends on it


def prepare_all(
    paths: Iterable[Path], max_tokens: int, *, workers: int = 0, work: Prepare = prepare
) -> Iterator[tuple[Path, Outcome]]:
    """Each file with its tree or why it has none, in the order given; workers 0: one a core, 1: this process alone."""
    waiting = deque(paths)
    workers = min(workers or cores(), len(waiting))
    if workers <= 1:
        yield from ((path, attempt(work, path, max_tokens)) for path in waiting)
        return
    while waiting:
        yield from _until_broken(waiting, max_tokens, workers, work)


def attempt(work: Prepare, path: Path, max_tokens: int) -> Outcome:
    """The outcome of preparing one file; whatever is wrong with it stops no other."""
    try:
        with blamed_on_the_file():
            return work(path, max_tokens)
    except ReadError as error:
        return error


def _until_broken(waiting: deque[Path], max_tokens: int, workers: int, work: Prepare) -> Iterator[tuple[Path, Outcome]]:
    """Works off what waits in one pool; when that breaks, what was in flight is done one by one, and it ends."""
    flying: deque[tuple[Path, Future[Outcome]]] = deque()
    pool = _pool(workers)
    try:
        while waiting or flying:
            while waiting and len(flying) < workers + AHEAD:
                flying.append((waiting[0], pool.submit(attempt, work, waiting[0], max_tokens)))
                waiting.popleft()
            path, future = flying[0]
            outcome = future.result()
            flying.popleft()
            yield path, outcome
    except BrokenProcessPool:
        # Only one of them need be to blame.
        yield from ((path, _again(future, path, max_tokens, work)) for path, future in flying)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _again(future: Future[Outcome], path: Path, max_tokens: int, work: Prepare) -> Outcome:
    """The outcome that the broken pool still gave, else that of a process of the file's own."""
    if future.done() and not future.cancelled() and future.exception() is None:
        return future.result()
    with _pool(1) as pool:
        try:
            return pool.submit(attempt, work, path, max_tokens).result()
        except BrokenProcessPool:
            return ReadError("the process that read it died (out of memory?): try it alone, or leave it out")


def _pool(workers: int) -> ProcessPoolExecutor:
    # Forked, a process would inherit locks that threads of the embedder hold. Ctrl-C is this process's business alone.
    ignored = (signal.SIGINT, signal.SIG_IGN)
    return ProcessPoolExecutor(workers, get_context("spawn"), initializer=signal.signal, initargs=ignored)

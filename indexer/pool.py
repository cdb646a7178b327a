"""Files prepared in processes of their own: a file that breaks its process fails alone, and few are held at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from indexer.prepare import Prepared, attempt
from indexer.reading import Reading
from indexer.sandbox import Sandbox
from kohaku.errors import ReadError
from kohaku.machine import cores

Outcome = Prepared | ReadError

AHEAD = 2  # files that wait to be read, so that no process waits for one
MOST_HELD = 20_000_000  # bytes of trees that wait for their turn while a file before them takes long


def prepare_all(
    paths: Iterable[Path],
    max_tokens: int,
    reading: Reading,
    *,
    workers: int = 0,
    work: Callable[[int, Path, Reading], Outcome] = attempt,
) -> Iterator[tuple[Path, Outcome]]:
    """Each file with its tree or why it has none, in the order given; workers 0: one a core."""
    waiting = deque(paths)
    workers = min(workers or cores(), len(waiting))
    if not workers:
        return
    sandboxes = [Sandbox(reading, partial(work, max_tokens)) for _ in range(workers)]
    idle: SimpleQueue[Sandbox[Prepared]] = SimpleQueue()
    for sandbox in reversed(sandboxes):
        idle.put(sandbox)

    def run(path: Path) -> Outcome:
        sandbox = idle.get()
        try:
            return sandbox.run(path)
        finally:
            idle.put(sandbox)

    flying: deque[tuple[Path, Future[Outcome]]] = deque()
    threads = ThreadPoolExecutor(workers)
    try:
        while waiting or flying:
            while waiting and _has_room([future for _, future in flying], workers + AHEAD):
                path = waiting.popleft()
                flying.append((path, threads.submit(run, path)))
            if flying[0][1].done():
                path, future = flying.popleft()
                yield path, future.result()
            else:
                wait([future for _, future in flying if not future.done()], return_when=FIRST_COMPLETED)
    finally:
        for sandbox in sandboxes:
            sandbox.stop()
        threads.shutdown(wait=True, cancel_futures=True)
        for sandbox in sandboxes:
            sandbox.close()


def _has_room(futures: list[Future[Outcome]], most: int) -> bool:
    """Whether another file may be begun: not too many are under way, nor too much text waits."""
    done = [future.result() for future in futures if future.done()]
    held = sum(outcome.nodes.packed_bytes for outcome in done if not isinstance(outcome, ReadError))
    return len(futures) - len(done) < most and held < MOST_HELD

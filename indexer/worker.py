"""What runs in a sandbox's process: files come in, outcomes go out, within the limits of the machine."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO

from indexer.prepare import Prepared, no_memory
from indexer.reading import FileLimits

SLACK = 2.0  # of the seconds a file may take, as processor time: the parent's clock, while there is a parent, is first
READY = "ready"
MEGABYTE = 1024 * 1024


def main() -> None:
    """Answers one file after another until no more come."""
    ours = os.getppid()
    _die_with(ours)
    source, sink = _channel()
    work, reading = pickle.load(source)

    def grant(seconds: float) -> None:
        _send(sink, pickle.dumps(float(seconds)))

    reading = replace(reading, grant=grant)
    _limit_memory(reading.limits)
    _send(sink, pickle.dumps(READY))
    while True:
        try:
            path = pickle.load(source)
        except EOFError:
            return
        _limit_time(reading.limits)
        _reply(sink, partial(work, path, reading), reading.limits)


def _reply(sink: IO[bytes], work: Callable[[], object], limits: FileLimits) -> None:
    """Sends the outcome, a large one's pieces before it, and whether this process is good for another file."""
    try:
        outcome = work()
        if isinstance(outcome, Prepared):
            outcome, nodes, pictures = outcome.parted()  # the whole reply would lie beside the whole tree
            for message in chain(nodes, pictures):
                _send(sink, pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))
        reply = pickle.dumps((outcome, _is_slim(limits)), protocol=pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        reply = pickle.dumps((no_memory(limits), False))
    _send(sink, reply)


def _send(sink: IO[bytes], message: bytes) -> None:
    sink.write(message)
    sink.flush()


def _channel() -> tuple[IO[bytes], IO[bytes]]:
    """Where files come from and outcomes go; what libraries print goes nowhere."""
    source, sink = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return os.fdopen(source, "rb"), os.fdopen(sink, "wb")


def _die_with(parent: int) -> None:
    """Whatever ends the parent ends this process: no file is read for nobody."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _limit_memory(limits: FileLimits) -> None:
    """Beyond the limit an allocation fails, which is an error of the file; only Linux counts all of it."""
    if sys.platform == "linux":
        import resource

        most = limits.memory_mb * MEGABYTE
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _limit_time(limits: FileLimits) -> None:
    """The kernel ends a process that nobody times any more."""
    if sys.platform != "win32":
        import resource

        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used + SLACK * limits.seconds) + 1, hard))


def _is_slim(limits: FileLimits) -> bool:
    """Whether the next file has most of the memory for itself; else it gets a new process."""
    if sys.platform != "linux":
        return True
    data = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    return data * os.sysconf("SC_PAGE_SIZE") < limits.memory_mb * MEGABYTE // 4

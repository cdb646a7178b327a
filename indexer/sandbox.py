"""A process of its own for reading files: it is ended at its limits, and what it was reading fails alone."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Generic, Self, TypeVar

from indexer.kept import Kept
from indexer.prepare import Prepared, shelf
from indexer.reading import Reading
from kohaku.errors import ReadError

Result = TypeVar("Result")
Work = Callable[[Path, Reading], Result | ReadError]

# The interpreter is told where modules are; the program's own main module, maybe a user's script, is left alone.
START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from indexer.worker import main; main()"
PATIENCE = 2.0  # seconds for a process that closes its pipes to say how it died


class Sandbox(Generic[Result]):
    """One process at a time, started when there is a file and again after one has broken it.

    Each file's outcome comes from `run`; `stop` may be called from another thread, and ends a file in hand. The
    process leads a session of its own, so that Ctrl-C does not reach it and all it has started can be ended with it.
    """

    def __init__(self, reading: Reading, work: Work[Result]) -> None:
        self._first = pickle.dumps((work, reading))
        self._limits = reading.limits
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def run(self, path: Path) -> Result | ReadError:
        """What the work makes of a file, or why it makes nothing."""
        is_new = self._process is None
        self._process = process = self._process or self._start()
        if self._stopped:
            self._end()
            return ReadError("the run was stopped")
        if is_new and not self._is_ready(process):
            self._end()
            return ReadError(f"no process to read it could be started ({_named(process.returncode)}): try again")
        with Clock(self._limits.seconds, lambda: _kill(process)) as clock:
            try:
                pickle.dump(path, _pipe(process.stdin))
                _pipe(process.stdin).flush()
                nodes, pictures = shelf(), dict[str, Kept]()
                while not isinstance(message := pickle.load(_pipe(process.stdout)), tuple):
                    if isinstance(message, float):
                        clock.grant(message)
                    elif isinstance(message, bytes):
                        nodes.put(message)
                    else:
                        pictures |= message
            except ReadError as error:  # what it sends finds no room here
                self._end()
                return error
            except (EOFError, OSError, pickle.UnpicklingError):  # it is gone, maybe in the middle of its reply
                with suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE)
                self._end()
                return ReadError(self._why(clock.rang, process.returncode))
        outcome, stays = message
        if not stays:
            self._end()
        if isinstance(outcome, Prepared):
            outcome = outcome.joined(nodes, pictures)
        found: Result | ReadError = outcome
        return found

    def stop(self) -> None:
        """Ends the process; what it was reading fails."""
        self._stopped = True
        process = self._process
        if process is not None:
            _kill(process)

    def close(self) -> None:
        """Waits until the process is gone; to be called when no `run` is under way."""
        self._end()

    def _start(self) -> subprocess.Popen[bytes]:
        places = json.dumps([os.path.abspath(place) for place in sys.path])
        process = subprocess.Popen(
            [sys.executable, "-c", START, places],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a damaged file makes libraries talk; what matters comes as an error
            start_new_session=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # more of NumPy's threads would have nothing to do
        )
        with suppress(OSError):  # where it could not even begin, that is seen when it is not ready
            _pipe(process.stdin).write(self._first)
            _pipe(process.stdin).flush()
        return process

    def _is_ready(self, process: subprocess.Popen[bytes]) -> bool:
        """Waits until the process takes files: what it loads before that counts as no file's time."""
        try:
            pickle.load(_pipe(process.stdout))
        except (EOFError, OSError, pickle.UnpicklingError):
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            return False
        return True

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        _kill(process)
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # what was still to be written can't be
                _pipe(pipe).close()
        process.wait()

    def _why(self, late: bool, code: int) -> str:
        if late:
            return (
                f"took more than {self._limits.seconds:g} s to read: leave it out, or allow it more with file_seconds"
            )
        if code == -signal.SIGKILL:
            return "the process that read it was killed (no memory left?): leave it out, or try it alone"
        return f"the process that read it died ({_named(code)}): leave it out, or save it anew with another program"


def boxed(path: Path, reading: Reading, work: Work[Result]) -> Result | ReadError:
    """What the work makes of one file in a process of its own."""
    sandbox = Sandbox(reading, work)
    try:
        return sandbox.run(path)
    finally:
        sandbox.stop()
        sandbox.close()


class Clock:
    """Rings after so many seconds, unless it is granted more or left before."""

    def __init__(self, seconds: float, ring: Callable[[], None]) -> None:
        self.rang = False
        self._until = time.monotonic() + seconds
        self._ring = ring
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._wait, daemon=True)

    def grant(self, seconds: float) -> None:
        """Puts the ringing off by so much."""
        self._until += seconds

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()
        self._thread.join()

    def _wait(self) -> None:
        while (rest := self._until - time.monotonic()) > 0:
            if self._left.wait(min(rest, threading.TIMEOUT_MAX)):
                return
        self.rang = True
        self._ring()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends the process with all that it has started."""
    if process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # it has no session yet, or is gone
            process.kill()
    else:
        process.kill()


def _named(code: int) -> str:
    try:
        return signal.Signals(-code).name if code < 0 else f"status {code}"
    except ValueError:
        return f"signal {-code}"

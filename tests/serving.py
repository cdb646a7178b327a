"""An index behind a real server on loopback, for the tests of the web."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kohaku.doors.serving import bound, server
from kohaku.doors.web.guard import Gate
from kohaku.settings import Settings


@contextmanager
def running(settings: Settings, gate: Gate | None = None) -> Iterator[str]:
    """The address of a server that runs meanwhile."""
    with bound("127.0.0.1", 0) as listener:
        made = server(settings, gate or Gate.of("127.0.0.1"))
        thread = threading.Thread(target=made.run, args=([listener],), daemon=True)
        thread.start()
        while not made.started:
            time.sleep(0.005)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        made.should_exit = True
        thread.join(10)
        assert not thread.is_alive()


def events(text: str) -> list[tuple[str, Any]]:
    """The events of a stream: names with what they say."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found

"""`kohaku mcp`: an index for clients of the Model Context Protocol."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from kohaku.doors.commands.options import ANSWERING, FINDING, configured, refuse_idle
from kohaku.doors.commands.terminal import say

if TYPE_CHECKING:
    from kohaku.settings import Settings


@configured("db", *ANSWERING, *FINDING, "password")
def mcp(*, settings: Settings, given: Mapping[str, Any]) -> None:
    """Serve an index to a client of the Model Context Protocol, on standard input and output.

    Example: kohaku mcp --db papers.db
    """
    refuse_idle(settings, given)
    from kohaku.doors.mcp import server
    from kohaku.doors.web.desk import Desk

    with closing(Desk(settings)) as desk:
        with desk.store():
            pass  # what is wrong with the file is said before a client waits for an answer
        desk.warm()
        if sys.stdin.isatty():
            say("waiting for a client: such programs start this command themselves (docs/mcp.md); Ctrl-D ends it")
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # else it would wait for a line more; nothing here is to be kept
        try:
            server(desk).run("stdio")
        except* BrokenPipeError:
            pass  # the client has left while it was answered
    if threading.active_count() > 1:
        os._exit(0)  # calls that nobody waits for: models' libraries abort where they are cut off by Python's end

"""`kohaku serve`: the index over HTTP, with a page."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kohaku.doors.commands.options import ANSWERING, FINDING, AsJson, configured, refuse_idle
from kohaku.doors.commands.terminal import print_json, say

if TYPE_CHECKING:
    from kohaku.settings import Settings


@configured("db", *ANSWERING, *FINDING, "password", "token")
def serve(
    *,
    settings: Settings,
    given: Mapping[str, Any],
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; another than this machine's own asks for a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port, 0 for any that is free.")] = 8080,
    as_json: AsJson = False,
) -> None:
    """Serve an index over HTTP: a page to ask and look at it, and a REST interface.

    Example: kohaku serve --db papers.db
    """
    refuse_idle(settings, given)
    from kohaku.doors.serving import serve as run

    if not settings.readers:
        say("no model is configured: the built-in extractive reader answers")

    def started(url: str) -> None:
        if as_json:
            print_json({"url": url, "db": str(settings.db)})
            sys.stdout.flush()  # whoever reads it waits for it, and we go on
        say(f"serving {settings.db} at {url} (Ctrl-C stops it)")

    run(settings, host=host, port=port, on_start=started)

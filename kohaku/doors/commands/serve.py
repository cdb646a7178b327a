"""`kohaku serve`: the index over HTTP, with a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kohaku.doors.commands.options import configured
from kohaku.doors.commands.terminal import say

if TYPE_CHECKING:
    from kohaku.settings import Settings


@configured("db", "model", "base_url", "token")
def serve(
    *,
    settings: Settings,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; another than this machine's own asks for a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port, 0 for any that is free.")] = 8080,
) -> None:
    """Serve an index over HTTP: a page to ask and look at it, and a REST interface.

    Example: kohaku serve --db papers.db
    """
    from kohaku.doors.serving import serve as run

    if not settings.readers:
        say("no model is configured: the built-in extractive reader answers")
    run(settings, host=host, port=port, on_start=lambda url: say(f"serving {settings.db} at {url} (Ctrl-C stops it)"))

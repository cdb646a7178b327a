"""The door to `kohaku serve`: a server of the REST interface and the page."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from kohaku.doors.web.app import application
from kohaku.doors.web.guard import Gate
from kohaku.errors import KohakuError
from kohaku.settings import Settings
from kohaku.store import Store

log = logging.getLogger("kohaku")

LAST_SECONDS = 3  # for requests under way when the server is told to stop
MOST_AT_ONCE = 200  # connections
BACKLOG = 128  # connections that wait to be taken


def serve(settings: Settings, *, host: str, port: int, on_start: Callable[[str], None]) -> None:
    """Serves the index that the settings name until it is interrupted; `on_start` is told where.

    Port 0 takes any that is free. Raises SettingsError where others can reach the host and no token is set,
    NoSuchStore where there is no index, KohakuError where the port is taken.
    """
    gate = Gate.of(
        host, token=settings.token.get_secret_value() if settings.token else None, names=settings.hosts or ()
    )
    Store.open(settings.db).close()
    with bound(host, port) as listener:
        on_start(address(host, listener.getsockname()[1]))
        with suppress(KeyboardInterrupt):  # that is how it ends
            server(settings, gate).run([listener])


def server(settings: Settings, gate: Gate) -> uvicorn.Server:
    """The server of an index, not yet running."""
    config = uvicorn.Config(
        application(settings, gate),
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        ws="none",
        limit_concurrency=MOST_AT_ONCE,
        timeout_graceful_shutdown=LAST_SECONDS,
    )
    return uvicorn.Server(config)


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; KohakuError where it can't."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)  # at once: whoever reads where it is may connect
    except OSError as error:
        listener.close()
        raise KohakuError(f"{host}:{port} can't be listened on ({error.strerror or error}): try --port") from None
    return listener


def address(host: str, port: int) -> str:
    """Where a browser finds the server.

    >>> address("127.0.0.1", 8080), address("::1", 80)
    ('http://127.0.0.1:8080/', 'http://[::1]:80/')
    """
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

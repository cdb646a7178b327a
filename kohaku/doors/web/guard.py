"""Who may ask: hosts, origins and the token are looked at first; what every response tells a browser is added last."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kohaku.errors import SettingsError

SHORTEST_TOKEN = 16  # characters; shorter ones can be tried out
MOST_JSON_BYTES = 100_000  # of a request; a file's own limit is a setting
MOST_ANSWERS_BYTES = 2_000_000
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
API = "/api/"
FILES = "/api/files"  # the one path whose requests may be large
EXPORT = "/api/export"  # of answers that a browser has kept

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Gate:
    """Which host names the server answers to, whether to any address as well, and the token asked for, if any."""

    names: frozenset[str]
    any_address: bool = False
    token: str | None = None

    @classmethod
    def of(cls, host: str, *, token: str | None = None, names: Iterable[str] = ()) -> Gate:
        """The gate of a server bound to a host; SettingsError where others can reach it and no good token is set."""
        local = is_loopback(host)
        if not local and token is None:
            raise SettingsError(
                f"others can reach {host}: set KOHAKU_TOKEN (or --token) to a secret, or leave out --host"
            )
        if token is not None and (len(token) < SHORTEST_TOKEN or not (token.isascii() and token.isprintable())):
            raise SettingsError(
                f"the token must have {SHORTEST_TOKEN} characters or more, all of them ASCII: "
                "`openssl rand -hex 16` makes one"
            )
        known = {*LOCAL_NAMES, *names} if local else {*LOCAL_NAMES, *names, host, socket.gethostname()}
        return cls(frozenset(name.lower() for name in known), any_address=not local, token=token)

    def admits_host(self, host: str) -> bool:
        """Whether a Host header names this server: another name may be one that a stranger points here."""
        name = _name(host)
        return bool(name) and (name in self.names or (self.any_address and _is_address(name)))

    def admits_token(self, authorization: str) -> bool:
        """Whether an Authorization header holds the token; the time it takes tells nothing of it."""
        if self.token is None:
            return True
        kind, _, given = authorization.partition(" ")
        return hmac.compare_digest(given.strip().encode(), self.token.encode()) and kind.lower() == "bearer"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not served: a status and a line."""

    status: int
    line: str


def refusal(gate: Gate, method: str, path: str, headers: Mapping[str, str]) -> Refusal | None:
    """Why a request is not served, by its head alone; None where it is."""
    host = headers.get("host", "")
    if not gate.admits_host(host):
        return Refusal(403, "this server is not known by that name: add it to the setting hosts")
    if not path.startswith(API):
        return None if method in ("GET", "HEAD") else Refusal(405, "only GET is served here")
    origin = headers.get("origin")
    is_foreign = origin is not None and _authority(origin) != host.lower()
    if is_foreign or headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        return Refusal(403, "pages of other sites may not ask")
    if not gate.admits_token(headers.get("authorization", "")):
        return Refusal(401, "a token is needed: send it as Authorization: Bearer TOKEN")
    if path == FILES:
        return None
    if "transfer-encoding" in headers:
        return Refusal(411, "say the Content-Length")
    length = headers.get("content-length", "0")
    most = MOST_ANSWERS_BYTES if path == EXPORT else MOST_JSON_BYTES
    if not length.isdecimal() or int(length) > most:
        return Refusal(413, f"a request may have {most:,} bytes")
    return None


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host.

    >>> [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    return host.lower() == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


class Guard:
    """Asks the gate before the application sees a request, and sets the headers of every response."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app, self._gate = app, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, as ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith(API) else "no-cache")
            await send(message)

        refused = refusal(self._gate, scope["method"], scope["path"], Headers(scope=scope))
        if refused is None:
            await self._app(scope, receive, sealed)
            return
        more = {"WWW-Authenticate": "Bearer"} if refused.status == 401 else {}
        await JSONResponse({"detail": refused.line}, refused.status, more)(scope, receive, sealed)


def _authority(origin: str) -> str:
    """The name and the port of an Origin header, "" where it is none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _name(host: str) -> str:
    """The name or address of a Host header without its port, "" where it is none."""
    try:
        parts = urlsplit(f"//{host}")
        return "" if parts.path or parts.query or "@" in parts.netloc else (parts.hostname or "")
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

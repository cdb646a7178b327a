"""A server that speaks OpenAI's API: its address and key checked, and a client of it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kohaku import deadline
from kohaku.errors import NoAccess

if TYPE_CHECKING:
    from openai import OpenAI

OPENAI = "https://api.openai.com/v1"
NO_KEY = "no-key"  # the openai package insists on one, local servers don't look

LARGEST = (
    200_000_000  # bytes of a response: thousands of vectors have no more, and one that never ends fills the memory
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is, OpenAI's own server where no URL is named; ValueError says what is missing or wrong."""

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.base_url and not self.api_key:
            raise ValueError("set OPENAI_API_KEY, or --base-url for a server that needs no key")
        if self.base_url and not _is_address(self.base_url):
            shown = re.sub(r"//[^/]*@", "//***@", self.base_url)
            raise ValueError(f"{shown!r} is no base URL: it should look like http://localhost:8000/v1")
        if self.api_key and not re.fullmatch(r"[!-~]+", self.api_key):
            raise ValueError("the key holds a space, a line break or a letter that no key has: set it again")

    @property
    def place(self) -> str:
        """The URL without the user and password it may hold, for messages."""
        parts = urlsplit(self.base_url or OPENAI)
        return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"

    def client(self, *, timeout: float, retries: int) -> OpenAI:
        """A client whose calls fail after `timeout` seconds of silence and are sent again up to `retries` times.

        What still comes after a question's deadline, byte by byte maybe, counts as silence.
        """
        from openai import DefaultHttpxClient, OpenAI

        return OpenAI(
            base_url=self.base_url or OPENAI,
            api_key=self.api_key or NO_KEY,
            timeout=timeout,
            max_retries=retries,
            http_client=DefaultHttpxClient(event_hooks={"response": [_stays, _within_deadline]}),
        )


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _stays(response: Any) -> None:
    """Refuses to be sent on to another host, which would get the question and its evidence; NoAccess."""
    if response.has_redirect_location:
        target = response.url.join(response.headers["location"])
        if target.host != response.url.host:
            raise NoAccess(
                f"{response.url.host} sends on to {target.host!r}: give that as --base-url if it is to be asked"
            )


def _within_deadline(response: Any) -> None:
    """Has a response's body end with the deadline, and where it is too large: a timeout is about each of its pieces."""
    http = importlib.import_module(
        type(response).__module__.partition(".")[0]
    )  # httpx, or what openai has in its place
    whole = response.stream

    class Bounded(http.SyncByteStream):  # type: ignore[misc,name-defined]
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for piece in whole:
                size += len(piece)
                if size > LARGEST:
                    raise http.ReadError(f"over {LARGEST} bytes came: check the base URL", request=response.request)
                left = deadline.left()
                if left is not None and left <= 0:
                    raise http.ReadTimeout("the deadline is over", request=response.request)
                yield piece

        def close(self) -> None:
            whole.close()

    response.stream = Bounded()

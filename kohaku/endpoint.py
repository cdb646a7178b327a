"""A server that speaks OpenAI's API: its address and key checked, and a client of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from openai import OpenAI

OPENAI = "https://api.openai.com/v1"
NO_KEY = "no-key"  # the openai package insists on one, local servers don't look


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is, OpenAI's own server where no URL is named; ValueError says what is missing or wrong."""

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.base_url and not self.api_key:
            raise ValueError("set OPENAI_API_KEY, or --base-url for a server that needs no key")
        if self.base_url and not re.match(r"https?://[^/]", self.base_url):
            raise ValueError(f"{self.base_url!r} is no base URL: it should look like http://localhost:8000/v1")

    @property
    def place(self) -> str:
        """The URL without the user and password it may hold, for messages."""
        parts = urlsplit(self.base_url or OPENAI)
        return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"

    def client(self, *, timeout: float, retries: int) -> OpenAI:
        """A client whose calls fail after `timeout` seconds of silence and are sent again up to `retries` times."""
        from openai import OpenAI

        key = self.api_key or NO_KEY
        return OpenAI(base_url=self.base_url or OPENAI, api_key=key, timeout=timeout, max_retries=retries)

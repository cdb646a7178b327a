"""What a server's completion or error says, whatever its form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kohaku.faults import Fault


def spent(completion: Any) -> tuple[int | None, int | None]:
    """The tokens of a completion's prompt and reply, as far as the server says them."""
    usage = getattr(completion, "usage", None)
    return _tokens(getattr(usage, "prompt_tokens", None)), _tokens(getattr(usage, "completion_tokens", None))


def _tokens(said: object) -> int | None:
    """A number of tokens that a server says it spent; None where that is none."""
    return said if isinstance(said, int) and said >= 0 else None


def fault(error: Any) -> Fault:
    """What an openai.APIStatusError tells."""
    body = error.body if isinstance(error.body, Mapping) else {}
    words = str(body.get("message") or error.message)
    headers = {name.lower(): value for name, value in error.response.headers.items()}
    return Fault(error.status_code, words, str(error.code or ""), str(error.param or ""), headers)


def inner_fault(error: Mapping[str, Any]) -> Fault:
    """What an error inside a response with status 200 tells."""
    code = error.get("code")
    return Fault(code if isinstance(code, int) else 502, str(error.get("message", "")), str(code or ""))


def joined(content: Any) -> str:
    """A message's text, also where a server sends it in parts."""
    if isinstance(content, list):
        said = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in said if isinstance(text, str))
    return content if isinstance(content, str) else ""

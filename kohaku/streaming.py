"""A model's reply as it is written, and what watchers of a question are told of calls."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from kohaku.completion import joined

EVENTS = "text/event-stream"
_calls = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a reply so far. Each call has a number of its own, `stage` is the schema that was asked for."""

    call: int
    stage: str
    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """A call that came back, or a reply that was known (`is_cached`); the cost is None where the price is not known.

    `call` is its number where it was streamed, else 0.
    """

    model: str
    stage: str
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    is_cached: bool = False
    call: int = 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call failed in passing: the next try comes after so many seconds."""

    model: str
    stage: str
    seconds: float


class BrokenOff(Exception):
    """A stream ended before the reply did."""


class NotStreamed(Exception):
    """The server answered with something else than a stream."""


def collected(chunks: Any, stage: str, on_text: Callable[[Written], None]) -> Any:
    """A stream of chunks as the completion it adds up to, `on_text` told of the text after each one.

    Raises NotStreamed or BrokenOff, and whatever reading the stream or `on_text` raises.
    """
    if not str(chunks.response.headers.get("content-type", "")).lower().startswith(EVENTS):
        raise NotStreamed
    call = next(_calls)
    text, refusal, finish, usage = "", "", None, None
    for chunk in chunks:
        usage = getattr(chunk, "usage", None) or usage
        for choice in _first(chunk):
            finish = getattr(choice, "finish_reason", None) or finish
            refusal += _said(choice, "refusal")
            if piece := _said(choice, "content"):
                text += piece
                on_text(Written(call, stage, text))
    if finish is None and not _is_whole(text):
        raise BrokenOff
    message = SimpleNamespace(content=text, refusal=refusal or None)
    return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason=finish)], usage=usage)


def _first(chunk: Any) -> Sequence[Any]:
    """What a chunk has of the first choice: a server may write several at once, each piece by piece."""
    choices = getattr(chunk, "choices", None)
    return [one for one in choices if not getattr(one, "index", 0)] if isinstance(choices, list) else []


def _said(choice: Any, name: str) -> str:
    return joined(getattr(getattr(choice, "delta", None), name, None))


def _is_whole(text: str) -> bool:
    """Whether a reply that nothing ended is one JSON object all the same."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False

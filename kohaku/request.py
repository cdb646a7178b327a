"""What a request to a chat model says: its messages, the form that is asked for, and what a server takes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Literal

from pydantic import BaseModel

from kohaku import watch
from kohaku.errors import ReplyError
from kohaku.faults import Remedy
from kohaku.images import data_url
from kohaku.text import storable


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, with the pictures (PNG, JPEG, GIF or WebP) that come after its words."""

    role: Literal["system", "user", "assistant"]
    content: str
    images: tuple[bytes, ...] = field(default=(), repr=False)


class Format(IntEnum):
    """How a reply's form is asked for, the strongest way first."""

    SCHEMA = 0
    OBJECT = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class Manner:
    """What a server turned out to take: the format, the parameters that it refused, and whether a whole reply is slow.

    `streams`: it took longer than the timeout, which is meant for a server that says nothing.
    """

    format: Format = Format.SCHEMA
    refused: frozenset[str] = frozenset()
    streams: bool = False

    def after(self, what: Remedy, parameter: str) -> Manner:
        """The manner to go on with after a refusal."""
        if what is Remedy.OTHER_FORMAT:
            return replace(self, format=Format(self.format + 1))
        if what is Remedy.STREAM:
            return replace(self, streams=True)
        return replace(self, refused=self.refused | {parameter})


PENALTY = 0.5
"""What a word costs each time it has been said (OpenAI's `frequency_penalty`, 0 to 2), for one that went in circles."""

CIRCLES = re.compile(r"(.{4,200}?)\1{5,}.{0,200}\Z", re.DOTALL)
"""The end of a reply that says the same over and over until it is cut off, as small models do."""


@dataclass(frozen=True, slots=True)
class Draw:
    """In what a reply may differ from another to the same words: the seed, and a penalty on repetition."""

    seed: int | None
    penalty: float = 0.0

    def next(self, unreadable: str) -> Draw:
        """What to ask with after a reply that can't be read."""
        circles = CIRCLES.search(unreadable[-4000:])
        return Draw(None if self.seed is None else self.seed + 1, PENALTY if circles else 0.0)


OPTIONAL = (
    "response_format",
    "temperature",
    "seed",
    "frequency_penalty",
    "max_tokens",
    "max_completion_tokens",
    "stream_options",
    "stream",
)


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms a model is asked: by which name, how freely, and for how long a reply."""

    model: str
    temperature: float
    max_output: int


def arguments(
    terms: Terms, messages: Sequence[Message], schema: type[BaseModel], draw: Draw, manner: Manner
) -> dict[str, Any]:
    """The arguments of a call."""
    optional: dict[str, Any] = {"temperature": terms.temperature, "max_tokens": terms.max_output}
    if draw.seed is not None:
        optional["seed"] = draw.seed
    if draw.penalty:
        optional["frequency_penalty"] = draw.penalty
    if "max_tokens" in manner.refused:
        optional["max_completion_tokens"] = terms.max_output
    if manner.format is Format.SCHEMA:
        form = {"name": schema_name(schema), "strict": True, "schema": strict_schema(schema)}
        optional["response_format"] = {"type": "json_schema", "json_schema": form}
    else:
        messages = [*messages[:-1], replace(messages[-1], content=messages[-1].content + spelt_out(schema))]
    if manner.format is Format.OBJECT:
        optional["response_format"] = {"type": "json_object"}
    if "system" in manner.refused:
        messages = without_system(messages)
    texts = [{"role": message.role, "content": _parts(message)} for message in messages]
    kept = {name: value for name, value in optional.items() if name not in manner.refused}
    return {"model": terms.model, "messages": texts, **kept}


def schema_name(schema: type[BaseModel]) -> str:
    """The name a schema goes by in a request."""
    return str(getattr(schema, "schema_name", schema.__name__.lower()))


def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema as strict servers want it: every property required, no others, nothing referred to elsewhere."""
    whole = schema.model_json_schema()
    return _strict(whole, whole.get("$defs", {}))  # type: ignore[no-any-return]


def _strict(part: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(part, list):
        return [_strict(item, definitions) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _strict(definitions[part["$ref"].rsplit("/", 1)[-1]], definitions)
    kept = {key: value for key, value in part.items() if key not in ("$defs", "default", "title")}
    if "properties" in kept:
        properties = {name: _strict(value, definitions) for name, value in kept["properties"].items()}
        return {**kept, "properties": properties, "required": list(properties), "additionalProperties": False}
    return {key: _strict(value, definitions) for key, value in kept.items()}


def spelt_out(schema: type[BaseModel]) -> str:
    """The schema in words, for servers that take none."""
    return f"\n\nReply with one JSON object of this schema and nothing else:\n{json.dumps(strict_schema(schema))}"


def reminder(error: ReplyError) -> str:
    """What a request says when the reply to it could not be read."""
    return f"\n\nReply with one complete JSON object only, no text before or after it ({error})."


def without_system(messages: Sequence[Message]) -> list[Message]:
    """The messages with the system's words at the head of the first user message, for models that know no such role."""
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    first, *rest = [message for message in messages if message.role != "system"]
    return [replace(first, content=f"{system}\n\n{first.content}"), *rest]


def _parts(message: Message) -> str | list[dict[str, Any]]:
    """A message's content: plain text, as every server takes it, or parts where there are pictures."""
    words = storable(message.content)
    if not message.images:
        return words
    pictures = [{"type": "image_url", "image_url": {"url": data_url(image)}} for image in message.images]
    return [{"type": "text", "text": words}, *pictures]


def streamed(manner: Manner) -> dict[str, Any]:
    """What asks for a reply as it is written, where somebody watches or it takes long, and the server can do it."""
    if not (watch.is_watched() or manner.streams) or "stream" in manner.refused:
        return {}
    return {"stream": True} | (
        {} if "stream_options" in manner.refused else {"stream_options": {"include_usage": True}}
    )


def has_images(request: Mapping[str, Any]) -> bool:
    """Whether a request sends pictures."""
    return size(request)[1] > 0


def size(request: Mapping[str, Any]) -> tuple[int, int]:
    """The characters of a request's messages, and how many pictures it sends beside them."""
    characters = pictures = 0
    for message in request["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        pictures += sum(part["type"] == "image_url" for part in parts)
        characters += len(json.dumps([part for part in parts if part["type"] == "text"]))
    return characters, pictures

"""A model's reply, read leniently and checked strictly."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from kohaku.errors import ReplyError
from kohaku.text import storable

T = TypeVar("T", bound=BaseModel)

BLANK = "is_blank"
ITEM_KEYS = ("quote", "text", "query", "ref_id", "id")  # where a model wraps each text of a list in an object
SHOWN = 80  # characters of an unreadable reply that its error shows
LONGEST = 100_000  # characters at a reply's beginning and at its end that are looked through: no answer is as long
MENDED = 40  # spans that are tried with repair: a hostile reply of thousands of braces must not take minutes

THOUGHT = "think|thinking|thought|reasoning|reflection|scratchpad"
TAG = re.compile(rf"<(?P<closes>/?)(?P<name>{THOUGHT})>", re.I)
CHANNEL = re.compile(r"<\|channel\|>analysis.*?(?:<\|end\|>|$)", re.S)  # gpt-oss, where a server leaves its marks in
DEEPEST = 20  # braces inside braces that are worth repair: no schema nests so far, and repair takes long over them
OPENING = re.compile(r"\{(?=\s*[\"'“‘}\w])")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object found in a reply; `quality` is 2 as written, 1 mended, 0 mended after it was cut off."""

    value: dict[str, Any]
    quality: int


def parse(text: str, schema: type[T]) -> T:
    """The reply as its schema; raises ReplyError where nothing can be read, or a required property is missing."""
    fields = schema.model_fields
    found = read_object(text, tuple(fields))
    missing = [name for name, field in fields.items() if field.is_required() and name not in found]
    if missing:
        raise ReplyError(f"the model's reply lacks {', '.join(missing)}")
    coerced = {name: coerce(found[name], field.annotation) for name, field in fields.items() if name in found}
    try:
        return schema.model_validate(coerced)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ReplyError(f"the model's reply breaks its schema at {where}: {first['msg']}") from None


def read_object(text: str, wanted: Collection[str] = ()) -> dict[str, Any]:
    """The reply's JSON object: of several the one that has most of the wanted keys, the last where they are equal.

    >>> read_object("<think>{draft}</think> Sure: ```json\\n{'a': 1,}\\n```")
    {'a': 1}
    """
    candidates = [
        Candidate(_with_keys(value, wanted), found.quality)
        for found in _objects(text)
        for value in (*_inner(found.value), found.value)
    ]

    def worth(candidate: Candidate) -> tuple[int, int]:
        return sum(key in candidate.value for key in wanted), candidate.quality

    best = max(reversed(candidates), key=worth, default=None)
    if best is None or (wanted and not worth(best)[0]):
        raise ReplyError(f"no JSON object in the model's reply: {_shown(text)}")
    return best.value


def without_reasoning(text: str) -> str:
    """The reply without the blocks in which a model thinks aloud.

    >>> without_reasoning("<think>{a}</think>{}")
    '{}'
    """
    return CHANNEL.sub("", _without_tags(text)).strip()


def _without_tags(text: str) -> str:
    """The text without what stands between tags of thought, in one pass whatever stands there.

    A closing tag without an opening one ends thought that the prompt's template began; an opening one without its
    closing one begins thought to the end.
    """
    tags = list(TAG.finditer(text))
    last = {tag["name"].lower(): tag.start() for tag in tags if tag["closes"]}
    kept: list[str] = []
    place, within, endless = 0, "", -1
    for tag in tags:
        name = tag["name"].lower()
        if within:
            if tag["closes"] and name == within:
                place, within = tag.end(), ""
        elif tag["closes"]:
            kept, place, endless = [], tag.end(), -1
        elif last.get(name, -1) > tag.start():
            kept.append(text[place : tag.start()])
            place, within = tag.start(), name
        elif endless < 0:
            kept.append(text[place : tag.start()])
            place, endless = tag.start(), len(kept)
    return "".join(kept[:endless] if endless >= 0 else [*kept, text[place:]])


def so_far(text: str) -> dict[str, str]:
    """The properties that are text, as far as they are written, of a reply that is still under way.

    >>> so_far('{"explanation": "As the table sh')
    {'explanation': 'As the table sh'}
    """
    import pydantic_core

    opening = OPENING.search(said := without_reasoning(text))
    try:
        value = pydantic_core.from_json(said[opening.start() :], allow_partial="trailing-strings") if opening else {}
    except ValueError:
        return {}
    return {name: storable(part) for name, part in value.items() if isinstance(part, str)}


def coerce(value: Any, kind: Any) -> Any:
    """A value as a property of this type wants it, where it is clear what the model meant.

    >>> coerce("a, b", list[str]), coerce("is_blank", list[str]), coerce(4.3, str), coerce(None, str)
    (['a', 'b'], [], '4.3', '')
    """
    if kind is str:
        return _text(value)
    if kind is bool:
        return False if value is None or value == "" else True if value == BLANK else value
    if get_origin(kind) is list:
        (item,) = get_args(kind)
        return [_item(part, item) for part in _parts(value) if part is not None and part not in ("", BLANK)]
    return value


def _objects(text: str) -> list[Candidate]:
    """Every object of the reply, in order; a reply that is one object is taken as it stands."""
    whole = _strict(text.strip())
    if whole is not None:
        return [Candidate(whole, 2)]
    said = without_reasoning(text)
    return list(_scan(said if len(said) <= 2 * LONGEST else f"{said[:LONGEST]} {said[-LONGEST:]}"))


def _scan(text: str) -> Iterator[Candidate]:
    decoder, mended = json.JSONDecoder(strict=False), 0
    opening = OPENING.search(text)
    while opening and mended < MENDED:
        try:
            value, end = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            mended += 1
            candidate, end = _mend(text, opening.start())
            if candidate:
                yield candidate
        else:
            yield Candidate(value, 2)
        opening = OPENING.search(text, end)


def _mend(text: str, start: int) -> tuple[Candidate | None, int]:
    """The object that begins here, repaired, and where to look on: after it, or inside it where no end was found."""
    end = _end(text, start)
    span = text[start:end] if end else text[start:].rstrip().removesuffix("```").rstrip()
    value = _repair(span)
    if not value or not any(re.search(rf"[\"'“”]?{re.escape(key)}[\"'“”]?\s*:", span) for key in value):
        return None, start + 1
    if end:
        return Candidate(value, 1), end
    if not _only_brace_missing(span):
        value.popitem()  # half a value is worse than none: 1234 cut after the 12
    return (Candidate(value, 0) if value else None), start + 1


def _end(text: str, start: int) -> int | None:
    """Where the object that begins at start ends: its braces balance outside double quotes; None if too deep."""
    depth, quoted, escaped = 0, False, False
    for position in range(start, len(text)):
        character = text[position]
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif not quoted and character in "{}":
            depth += 1 if character == "{" else -1
            if depth == 0:
                return position + 1
            if depth > DEEPEST:
                return None
    return None


def _only_brace_missing(span: str) -> bool:
    rest = span.rstrip().removesuffix(",")
    return not rest[-1:].isalnum() and _strict(rest + "}") is not None


def _strict(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _repair(span: str) -> dict[str, Any] | None:
    value = _repaired(span)
    return value if isinstance(value, dict) else None


def _repaired(text: str) -> Any:
    """What a text means as JSON where it is not quite that; None where it can't be told."""
    if any(depth > DEEPEST for depth in _depths(text)):
        return None
    import json_repair

    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):
        return None


def _depths(span: str) -> Iterator[int]:
    return accumulate((character in "{[") - (character in "]}") for character in span)


def _inner(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Objects that a wrapper holds: {"response": {…}}, {"parameters": {…}}."""
    return [inner for inner in value.values() if isinstance(inner, dict)]


def _with_keys(value: dict[str, Any], wanted: Collection[str]) -> dict[str, Any]:
    """The object with keys such as "Answer Value" or "ref_ids" under the names that are wanted."""
    names = {_folded(name): name for name in wanted}
    return {names.get(_folded(key), key): item for key, item in value.items()} | {
        key: item for key, item in value.items() if key in wanted
    }


def _folded(key: str) -> str:
    return re.sub(r"[\W_]+", "", key).casefold().removesuffix("s")


def _text(value: Any) -> Any:
    """Text, of a number, a null, a range written as a list, or a list of one."""
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(part, int | float) for part in value) and len(value) == 2:
        return "[" + ",".join(map(str, value)) + "]"
    if isinstance(value, list) and all(isinstance(part, str | int | float | None) for part in value):
        return ", ".join(_text(part) for part in value)
    return storable(str(value)) if isinstance(value, str | int | float) else value


def _parts(value: Any) -> list[Any]:
    """A list, of what a model wrote where one was wanted."""
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, str):
        return [value]
    literal = _literal(value)
    if literal is not None:
        return literal
    pieces = [piece.strip() for piece in re.split("[,;]", value)]
    # "a, b" are two ids, "the first, and the second" is one quote
    return pieces if not any(re.search(r"\s", piece) for piece in pieces) else [value.strip()]


def _literal(text: str) -> list[Any] | None:
    """The list that a text spells, in JSON, Python or without quotation marks."""
    text = text.strip()
    if not text.startswith("[") or text.rfind("]") != len(text) - 1 or text.find("[", 1) > text.find("]"):
        return None  # "[1] and [2]" is no list
    value = _repaired(text)
    return value if isinstance(value, list) else None


def _item(part: Any, kind: Any) -> Any:
    """An item of a list: text of {"quote": "…"}, the number of "[3]"."""
    if kind is str:
        if isinstance(part, dict):
            part = next((text for key, text in part.items() if key in ITEM_KEYS and isinstance(text, str)), part)
        text = _text(part)
        return text.strip() if isinstance(text, str) else text
    if kind is int and isinstance(part, str):
        number = re.search(r"-?\d{1,18}", part)
        return int(number[0]) if number else part
    return part


def _shown(text: str) -> str:
    squeezed = " ".join(storable(text).split())
    return repr(squeezed if len(squeezed) <= SHOWN else squeezed[:SHOWN] + "…")

"""What is wrong with what a user wrote, in a line: where it stands, and for an unknown key the nearest known one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from kohaku.text import nearest


def complaint(error: ValidationError, model: type[BaseModel], also: Iterable[str] = ()) -> tuple[tuple[str, ...], str]:
    """One fault of several, an unknown key before others: its place in the model, and what is wrong there.

    `also` are keys that may stand at the top beside the model's own. What was given is never repeated but for keys: it
    may be a secret.
    """
    faults = error.errors(include_input=False, include_url=False)
    first = min(faults, key=lambda one: one["type"] != "extra_forbidden")
    place = tuple(str(key) for key in first["loc"])
    if first["type"] != "extra_forbidden":
        return place, str(first["msg"]).removeprefix("Value error, ")
    known = [*_fields(model, first["loc"][:-1]), *(also if len(place) == 1 else ())]
    return place, f"unknown key: did you mean {nearest(place[-1], known)!r}?"


def faults(error: ValidationError) -> list[str]:
    """Every fault in words, after the place it stands at; nothing that was given is repeated."""
    found = error.errors(include_input=False, include_url=False)
    return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found]


def _fields(model: Any, place: Sequence[str | int]) -> list[str]:
    """The keys that a place of a model may have."""
    for key in place:
        if isinstance(key, str) and key in model.model_fields:
            model = _inner(model.model_fields[key].annotation) or model
    return list(model.model_fields)


def _inner(kind: Any) -> Any:
    """The model within a type such as dict[str, Model] or tuple[Model, ...]; None where there is none."""
    if hasattr(kind, "model_fields"):
        return kind
    return next(filter(None, map(_inner, get_args(kind))), None)

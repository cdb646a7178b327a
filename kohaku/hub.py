"""Models of other people's making: from a folder, from this machine's cache, or from the hub."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from kohaku.errors import EmbedderError, RerankerError, SettingsError

M = TypeVar("M")
Failure = type[EmbedderError] | type[RerankerError]

HUB_SECONDS = 10


def fetch(name: str, make: Callable[[str, bool], M], *, what: str, instead: str, failure: Failure) -> M:
    """The model, from this machine if it is here, else from the hub.

    `make` is given a name or folder, and whether only this machine is to be looked at; `what` is the model's part in
    messages, `instead` what else to do. Raises `failure`.
    """
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    path = Path(name).expanduser()
    if path.is_dir():
        return _or_error(name, what, failure, lambda: make(str(path), True))
    if _is_path(name):
        raise failure(f"no model folder at {name}: give a folder, a name on the hub, or {instead}")
    try:
        return make(name, True)
    except (OSError, ValueError):  # not on this machine
        _reach(name, what, instead, failure)
        return _or_error(name, what, failure, lambda: make(name, False))


def device(asked: str) -> str:
    """The device to use: the fastest there is for auto."""
    import torch

    there = [
        name
        for name, found in (("cuda", torch.cuda.is_available()), ("mps", torch.backends.mps.is_available()))
        if found
    ]
    if asked == "auto":
        return [*there, "cpu"][0]
    if asked.partition(":")[0] not in (*there, "cpu"):
        raise SettingsError(f"device: no {asked} here, only {', '.join([*there, 'cpu'])}: use one of them, or auto")
    return asked


def _is_path(name: str) -> bool:
    return name.startswith((".", "~", os.sep)) or "\\" in name or name.count("/") > 1


def _or_error(name: str, what: str, failure: Failure, load: Callable[[], M]) -> M:
    try:
        return load()
    except Exception as error:  # a model's files are anybody's: anything may be wrong with them
        raise failure(f"the {what} {name} can't be loaded: {line(error)}") from error


def _reach(name: str, what: str, instead: str, failure: Failure) -> None:
    """Fail within seconds where there is no hub: its own client tries for more than a minute."""
    from huggingface_hub import get_session
    from huggingface_hub.constants import ENDPOINT

    try:
        get_session().head(ENDPOINT, timeout=HUB_SECONDS)
    except Exception as error:  # requests' errors or httpx's, by the version
        raise failure(
            f"the {what} {name} is not on this machine and {ENDPOINT} can't be reached ({line(error)}): "
            f"give the folder of a downloaded model, or {instead}"
        ) from None


def line(error: Exception) -> str:
    """An error's first sentence or two, on one line."""
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= 200 else words[:200] + "…"

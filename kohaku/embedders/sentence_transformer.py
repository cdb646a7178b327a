"""Any sentence-transformers model, by its name on the hub or the folder that holds it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohaku.embedders.batches import normalised, once
from kohaku.errors import EmbedderError, SettingsError
from kohaku.tree import Vectors

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

WEIGHTS = (".safetensors", ".bin", ".pt")
SAMPLES, SAMPLE = 64, 1 << 16  # of a weights file, what is hashed: whole files of gigabytes would take seconds
HUB_SECONDS = 10


class SentenceTransformerEmbedder:
    """A sentence-transformers model, with its own prompts for questions and passages where it has them."""

    def __init__(self, name: str, *, dimensions: int | None = None, device: str = "auto") -> None:
        self._model = _load(name, _device(device))
        self.max_tokens = int(self._model.max_seq_length or 512)
        self.dimensions = _dimensions(self._model, name, dimensions)
        precision = str(next(self._model.parameters()).dtype).removeprefix("torch.")
        self.fingerprint = f"{_identity(name)}/torch-{precision}/{self.dimensions}"

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """One vector of length 1 a question, in order; zeros for white space."""
        return self._embed(questions, self._model.encode_query)

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        """One vector of length 1 a passage, in order; zeros for white space."""
        return self._embed(passages, self._model.encode_document)

    def _embed(self, texts: Sequence[str], encode: Callable[..., Any]) -> Vectors:
        def vectors(distinct: list[str]) -> Vectors:
            # Matryoshka: the first dimensions are a vector of their own, once its length is 1 again
            return normalised(encode(distinct, show_progress_bar=False)[:, : self.dimensions])

        return once(texts, self.dimensions, self.max_tokens, vectors)


def _load(name: str, device: str) -> SentenceTransformer:
    """The model, from this machine if it is here, else from the hub."""
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    path = Path(name).expanduser()
    if path.is_dir():
        return _or_error(name, lambda: SentenceTransformer(str(path), device=device, local_files_only=True))
    if _is_path(name):
        raise EmbedderError(f"no model folder at {name}: give a folder, a name on the hub, or --embedder default")
    try:
        return SentenceTransformer(name, device=device, local_files_only=True)
    except (OSError, ValueError):  # not on this machine
        _reach_hub(name)
        return _or_error(name, lambda: SentenceTransformer(name, device=device))


def _is_path(name: str) -> bool:
    return name.startswith((".", "~", os.sep)) or "\\" in name or name.count("/") > 1


def _or_error(name: str, load: Callable[[], SentenceTransformer]) -> SentenceTransformer:
    try:
        return load()
    except Exception as error:  # a model's files are anybody's: anything may be wrong with them
        raise EmbedderError(f"the embedder {name} can't be loaded: {_line(error)}") from error


def _reach_hub(name: str) -> None:
    """Fail within seconds where there is no hub: its own client tries for more than a minute."""
    from huggingface_hub import get_session
    from huggingface_hub.constants import ENDPOINT

    try:
        get_session().head(ENDPOINT, timeout=HUB_SECONDS)
    except Exception as error:  # requests' errors or httpx's, by the version
        raise EmbedderError(
            f"the embedder {name} is not on this machine and {ENDPOINT} can't be reached ({_line(error)}): "
            "give the folder of a downloaded model, or --embedder default"
        ) from None


def _line(error: Exception) -> str:
    """An error's first sentence or two, on one line."""
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= 200 else words[:200] + "…"


def _device(asked: str) -> str:
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


def _dimensions(model: SentenceTransformer, name: str, asked: int | None) -> int:
    """The dimensions to keep, no more than the model has."""
    # renamed in sentence-transformers 5.4; the old name warns
    find = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    has = find()
    if has is None:
        raise EmbedderError(f"the embedder {name} doesn't tell its dimensions: it can't be used")
    if asked and asked > has:
        raise SettingsError(f"dimensions: the embedder {name} has {has}, not {asked}: ask for fewer, or leave it out")
    return asked or int(has)


def _identity(name: str) -> str:
    """A hub name as it is; a folder by its name and its weights, since folders get moved and models trained on."""
    path = Path(name).expanduser()
    if not path.is_dir():
        return name
    digest = hashlib.sha256()
    for file in sorted(file for file in path.rglob("*") if file.suffix in WEIGHTS):
        size = file.stat().st_size
        digest.update(f"{file.relative_to(path).as_posix()} {size}".encode())
        with file.open("rb") as weights:
            for offset in range(0, size, max(SAMPLE, size // SAMPLES)):
                weights.seek(offset)
                digest.update(weights.read(SAMPLE))
    return f"{path.resolve().name}@{digest.hexdigest()[:8]}"

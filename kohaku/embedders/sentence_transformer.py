"""Any sentence-transformers model, by its name on the hub or the folder that holds it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kohaku import hub
from kohaku.embedders.batches import normalised, once
from kohaku.errors import EmbedderError, SettingsError
from kohaku.tree import Vectors

if TYPE_CHECKING:
    from PIL.Image import Image
    from sentence_transformers import SentenceTransformer

WEIGHTS = (".safetensors", ".bin", ".pt")
SAMPLES, SAMPLE = 64, 1 << 16  # of a weights file, what is hashed: whole files of gigabytes would take seconds


PICTURES = ("PNG", "JPEG", "GIF", "WEBP")
BATCH = 16  # pictures decoded at once


class SentenceTransformerEmbedder:
    """A sentence-transformers model, with its own prompts for questions and passages where it has them."""

    def __init__(self, name: str, *, dimensions: int | None = None, device: str = "auto") -> None:
        self._model = _load(name, hub.device(device))
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

    @property
    def takes_images(self) -> bool:
        """Whether the model embeds pictures too, as CLIP does; sentence-transformers tells it from 5.4 on."""
        return "image" in getattr(self._model, "modalities", ())

    def embed_images(self, images: Sequence[bytes]) -> Vectors:
        """One vector of length 1 a picture, in order; zeros for what is no picture."""
        vectors = np.zeros((len(images), self.dimensions), np.float32)
        for start in range(0, len(images), BATCH):
            opened = {start + place: _opened(image) for place, image in enumerate(images[start : start + BATCH])}
            pictures = {place: picture for place, picture in opened.items() if picture is not None}
            if pictures:
                rows = self._model.encode_document(list(pictures.values()), show_progress_bar=False)
                vectors[list(pictures)] = normalised(rows[:, : self.dimensions])
        return vectors

    def _embed(self, texts: Sequence[str], encode: Callable[..., Any]) -> Vectors:
        def vectors(distinct: list[str]) -> Vectors:
            # Matryoshka: the first dimensions are a vector of their own, once its length is 1 again
            return normalised(encode(distinct, show_progress_bar=False)[:, : self.dimensions])

        return once(texts, self.dimensions, self.max_tokens, vectors)


def _opened(image: bytes) -> Image | None:
    """A picture in memory; None for what is none, or one that would take all of it."""
    from PIL import Image

    try:
        return Image.open(BytesIO(image), formats=PICTURES).convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):  # what PIL says of damaged files
        return None


def _load(name: str, device: str) -> SentenceTransformer:
    """The model, from this machine if it is here, else from the hub."""
    from sentence_transformers import SentenceTransformer

    return hub.fetch(
        name,
        lambda place, is_here: SentenceTransformer(place, device=device, local_files_only=is_here),
        what="embedder",
        instead="--embedder default",
        failure=EmbedderError,
    )


def _dimensions(model: SentenceTransformer, name: str, asked: int | None) -> int:
    """The dimensions to keep, no more than the model has."""
    # renamed in sentence-transformers 5.4; the old name warns
    find = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    has = find()
    if has is None:
        raise EmbedderError(f"the embedder {name} doesn't tell its dimensions: give another --embedder")
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

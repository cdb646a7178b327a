"""What every embedder offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeGuard

from kohaku.tree import Vectors

OWN = "own:"
"""Before its fingerprint, the name that an index keeps of an embedder of the user's own."""


class Embedder(Protocol):
    """Text to vectors. Questions and passages are embedded apart: many models want another prompt for each.

    `fingerprint` names the model, its precision and its dimensions ("all-MiniLM-L6-v2/onnx-int8/384"): vectors of two
    embedders can be compared only where the fingerprints are equal. `max_tokens` is what the model reads of one text.
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """One vector of length 1 a question, in order."""
        ...

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        """One vector of length 1 a passage, in order."""
        ...


class PictureEmbedder(Embedder, Protocol):
    """An embedder that puts pictures beside texts: a question's vector is near those of the pictures that show it."""

    @property
    def takes_images(self) -> bool: ...

    def embed_images(self, images: Sequence[bytes]) -> Vectors:
        """One vector of length 1 a picture, in order; zeros for what is no picture."""
        ...


def is_english(embedder: Embedder) -> bool:
    """Whether an embedder knows English only, and says so."""
    return bool(getattr(embedder, "is_english", False))


def takes_images(embedder: Embedder) -> TypeGuard[PictureEmbedder]:
    """Whether an embedder embeds pictures too."""
    return bool(getattr(embedder, "takes_images", False))

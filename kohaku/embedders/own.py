"""An embedder of the user's own, held to what every embedder offers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from kohaku.embedders.protocol import OWN, Embedder, takes_images
from kohaku.errors import EmbedderError
from kohaku.tree import Vectors


class OwnEmbedder:
    """Another embedder, whose vectors may be of any length and type of number, as rows of any array."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.fingerprint = inner.fingerprint
        self.dimensions = inner.dimensions
        self.max_tokens = inner.max_tokens

    @property
    def name(self) -> str:
        """What an index made with it keeps as its embedder's name."""
        return OWN + self.fingerprint

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """One vector of length 1 a question, in order; EmbedderError where the inner one gave no such rows."""
        return self._rows(self._inner.embed_questions(questions), len(questions))

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        """One vector of length 1 a passage, in order; EmbedderError where the inner one gave no such rows."""
        return self._rows(self._inner.embed_passages(passages), len(passages))

    @property
    def takes_images(self) -> bool:
        """Whether the inner one embeds pictures too."""
        return takes_images(self._inner)

    def embed_images(self, images: Sequence[bytes]) -> Vectors:
        """One vector of length 1 a picture, in order, zeros for what is none; only of one that takes pictures."""
        assert takes_images(self._inner)
        return self._rows(self._inner.embed_images(images), len(images))

    def _rows(self, given: ArrayLike, count: int) -> Vectors:
        try:
            rows = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            rows = np.empty(0)
        if rows.shape != (count, self.dimensions) or not np.isfinite(rows).all():
            raise EmbedderError(
                f"embedder {self.fingerprint} gave an array of {rows.shape} where {count} rows of {self.dimensions} "
                "finite numbers were due: check its embed_questions and embed_passages (embed_images)"
            )
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)

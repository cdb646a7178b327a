"""Any sentence-transformers CrossEncoder, by its name on the hub or the folder that holds it, as a reranker."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from kohaku import hub
from kohaku.errors import RerankerError

BATCH = 16  # pairs of a question and a passage at once


class CrossEncoderReranker:
    """A model that reads question and passage together; one object serves any number of threads, in turn."""

    def __init__(self, name: str, *, device: str = "auto") -> None:
        from sentence_transformers import CrossEncoder

        chosen = hub.device(device)
        self._model = hub.fetch(
            name,
            lambda place, is_here: CrossEncoder(place, device=chosen, local_files_only=is_here),
            what="reranker",
            instead="leave --reranker out",
            failure=RerankerError,
        )
        self._name, self._turn = name, threading.Lock()
        if self._model.num_labels != 1:
            raise RerankerError(
                f"the reranker {name} has {self._model.num_labels} labels, it needs to have one: give another model"
            )

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """How well each passage answers the question, in order; the greater the better."""
        try:
            with self._turn:
                found = self._model.predict(
                    [(question, passage) for passage in passages], batch_size=BATCH, show_progress_bar=False
                )
        except (RuntimeError, ValueError, IndexError) as error:  # torch's out of memory is a RuntimeError
            raise RerankerError(
                f"the reranker {self._name} failed ({hub.line(error)}): give another one, or leave --reranker out"
            ) from error
        return [float(score) for score in found]

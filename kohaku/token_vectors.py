"""A vector for each token of a text in its context, by any transformers or sentence-transformers model."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kohaku import hub
from kohaku.errors import EmbedderError, SettingsError

BATCH = 16  # texts at once
ENDLESS = 100_000  # tokens: a tokenizer that allows more has no limit of its own
LAYERS = {
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "deberta-base-mnli": 9,
    "deberta-large-mnli": 16,
    "deberta-xlarge-mnli": 40,
    "distilbert-base-uncased": 5,
    "roberta-base": 10,
    "roberta-large": 17,
    "roberta-large-mnli": 19,
}
"""Which layer agrees best with people's judgement, by the authors of BERTScore (bert_score/utils.py); else the last."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text's tokens as vectors of length 1, a row each; `is_word` is false for marks of the model's own ([CLS])."""

    vectors: NDArray[np.float32]
    is_word: NDArray[np.bool_]


class TokenVectors:
    """A model of a name or a folder; one object serves any number of threads, in turn.

    Raises EmbedderError where it can't be loaded, SettingsError for a layer that it has not.
    """

    def __init__(self, name: str, *, layer: int | None = None, device: str = "auto") -> None:
        from transformers import AutoModel, AutoTokenizer

        self._name, self._device, self._turn = name, hub.device(device), threading.Lock()

        def make(place: str, is_here: bool) -> tuple[Any, Any]:
            tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=is_here)
            return tokenizer, AutoModel.from_pretrained(place, local_files_only=is_here)

        self._tokenizer, model = hub.fetch(
            name, make, what="model", instead="leave --bert-score out", failure=EmbedderError
        )
        self._model = model.to(self._device).eval()
        has = int(model.config.num_hidden_layers)
        self.layer = layer or LAYERS.get(Path(name).name, has)
        if self.layer > has:
            raise SettingsError(f"layer {self.layer}: the model {name} has {has}: name one of these")
        limit = int(self._tokenizer.model_max_length)
        # two places of some models' positions are taken by padding
        self._most = limit if limit < ENDLESS else int(getattr(model.config, "max_position_embeddings", 514)) - 2

    def of(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text, in order, as many as the model reads at once."""
        try:
            with self._turn:
                starts = range(0, len(texts), BATCH)
                return [tokens for start in starts for tokens in self._batch(texts[start : start + BATCH])]
        except (RuntimeError, ValueError, IndexError) as error:  # torch's out of memory is a RuntimeError
            raise EmbedderError(
                f"the model {self._name} failed ({hub.line(error)}): give another --bert-score"
            ) from error

    def _batch(self, texts: Sequence[str]) -> Iterator[Tokens]:
        import torch

        read = self._tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=self._most,
            return_tensors="pt",
            return_special_tokens_mask=True,
        )
        marks = read.pop("special_tokens_mask").bool().numpy()
        with torch.inference_mode():
            layers = self._model(**read.to(self._device), output_hidden_states=True).hidden_states
            vectors = torch.nn.functional.normalize(layers[self.layer].float(), dim=-1).cpu().numpy()
        there = read["attention_mask"].bool().cpu().numpy()
        for row in range(len(texts)):
            yield Tokens(vectors[row][there[row]], ~marks[row][there[row]])

"""Embeddings from any server that speaks OpenAI's API."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from kohaku import tokens
from kohaku.embedders.batches import normalised, once, padded
from kohaku.endpoint import Endpoint
from kohaku.errors import EmbedderError
from kohaku.faults import scrub
from kohaku.tree import Vectors

MAX_TOKENS = 8_191  # what OpenAI's models read; others cut or refuse by themselves
BATCH_TEXTS, BATCH_TOKENS = 128, 50_000  # OpenAI takes 2,048 and 300,000, smaller servers less
TRIES = 6
TIMEOUT = 120.0


class OpenAIEmbedder:
    """A model behind an embeddings endpoint; what it can't be told beforehand, its dimensions, one call asks."""

    max_tokens = MAX_TOKENS

    def __init__(
        self,
        model: str,
        *,
        dimensions: int | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
    ) -> None:
        if not model:
            raise EmbedderError("openai: names no model: write --embedder openai:MODEL")
        try:
            endpoint = Endpoint(base_url, api_key)
        except ValueError as error:
            raise EmbedderError(f"the embedder can't be asked: {error}") from None
        self._model, self._asked, self._key, self._place = model, dimensions, api_key, endpoint.place
        # the client waits as long as Retry-After says, and longer each time where a server says nothing
        self._client = endpoint.client(timeout=TIMEOUT, retries=TRIES - 1)

    def close(self) -> None:
        """Close the connections to the server."""
        self._client.close()

    @cached_property
    def dimensions(self) -> int:
        """As asked for, else what the server's vectors turn out to have."""
        return self._asked or self._call(["dimensions"]).shape[1]

    @cached_property
    def fingerprint(self) -> str:
        """The model and its dimensions; the server's precision can't be known."""
        return f"openai:{self._model}/api/{self.dimensions}"

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """One vector of length 1 a question, in order; zeros for white space."""
        return self.embed_passages(questions)

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        """One vector of length 1 a passage, in order; zeros for white space."""
        return once(passages, self.dimensions, MAX_TOKENS, self._embed)

    def _embed(self, texts: list[str]) -> Vectors:
        texts = [tokens.cut(text, MAX_TOKENS) for text in texts]
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for batch in padded([tokens.count(text) for text in texts], tokens=BATCH_TOKENS, count=BATCH_TEXTS):
            found = self._call([texts[index] for index in batch])
            if found.shape[1] != self.dimensions:
                raise EmbedderError(
                    f"{self._model} gave {found.shape[1]} dimensions, not {self.dimensions}: "
                    "leave the dimensions setting out, or ask for as many as it gives"
                )
            vectors[batch] = found
        return vectors

    def _call(self, texts: list[str]) -> Vectors:
        """One request's vectors, checked; over rate limits and server errors it is sent again."""
        import openai

        wanted: dict[str, Any] = {"dimensions": self._asked} if self._asked else {}
        try:
            # floats: the package's default, base64, is unknown to many servers
            reply = self._client.embeddings.create(model=self._model, input=texts, encoding_format="float", **wanted)
        except openai.APIStatusError as error:
            raise self._failed(f"answered {error.status_code}: {error.message}") from None
        except (openai.APIConnectionError, openai.APIResponseValidationError, ValueError, RecursionError) as error:
            raise self._failed(f"gave no reply ({type(error.__cause__ or error).__name__}): is it up?") from None
        except openai.OpenAIError as error:
            raise self._failed(f"failed: {error}") from None
        try:
            return normalised(vectors_of(reply, len(texts)))
        except ValueError as error:
            raise self._failed(f"{error}: is the model an embedder, and does the base URL end in /v1?") from None

    def _failed(self, what: str) -> EmbedderError:
        return EmbedderError(f"embedder {self._model} at {self._place} {scrub(what, self._key)}")


def vectors_of(reply: Any, count: int) -> Vectors:
    """A reply's vectors in the order of the texts; raises ValueError where they are not what was asked for."""
    data = getattr(reply, "data", None)
    if not isinstance(data, list):
        raise ValueError("sent no vectors")
    rows: list[Any] = [getattr(item, "embedding", None) for item in data]
    numbers = [getattr(item, "index", None) for item in data]
    places = [place if number is None else number for place, number in enumerate(numbers)]  # some send no index
    if set(map(type, places)) - {int} or sorted(places) != list(range(count)):
        raise ValueError(f"sent {len(rows)} vectors for {count} texts, or misnumbered ones")
    if not all(isinstance(row, list) and row and len(row) == len(rows[0]) for row in rows):
        raise ValueError("sent an empty vector, or vectors of different lengths")
    vectors = np.zeros((count, len(rows[0])), np.float32)
    vectors[places] = _numbers(rows)
    if not (np.isfinite(vectors).all() and vectors.any(axis=1).all()):
        raise ValueError("sent a vector of zeros, or with something in it that is no number")
    return vectors


def _numbers(rows: list[list[float]]) -> Vectors:
    try:
        return np.array(rows, np.float32)
    except TypeError:
        raise ValueError("sent a vector with something in it that is no number") from None

"""Which texts go to a model together, as pure functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from kohaku.text import storable
from kohaku.tree import Vectors

Tokens = NDArray[np.int64]

CHARACTERS_A_TOKEN = 80  # far more than any language has: what lies beyond is cut before a tokenizer spends time on it


def padded(lengths: Sequence[int], *, tokens: int, count: int = 1_000_000) -> list[list[int]]:
    """Indexes in batches of like length, longest first: none has more texts, or tokens with padding, than given.

    A text that is longer than a batch has one alone.

    >>> padded([3, 9, 3, 2], tokens=9)
    [[1], [0, 2, 3]]
    """
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        last = batches[-1] if batches else []
        if last and len(last) < count and lengths[last[0]] * (len(last) + 1) <= tokens:
            last.append(index)
        else:
            batches.append([index])
    return batches


def arrays(batch: Sequence[Sequence[int] | Tokens]) -> tuple[Tokens, Tokens]:
    """Token ids padded to the batch's longest, and the mask that is 1 where there is a token.

    >>> [found.tolist() for found in arrays([[5], [6, 7]])]
    [[[5, 0], [6, 7]], [[1, 0], [1, 1]]]
    """
    ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return ids, mask


def once(texts: Sequence[str], dimensions: int, max_tokens: int, embed: Callable[[list[str]], Vectors]) -> Vectors:
    """A vector a text, in order: each distinct text is embedded once, white space alone as zeros."""
    cleaned = [storable(text[: max_tokens * CHARACTERS_A_TOKEN].strip()) for text in texts]
    distinct = [text for text in dict.fromkeys(cleaned) if text]
    vectors = np.zeros((len(distinct) + 1, dimensions), np.float32)
    if distinct:
        vectors[:-1] = embed(distinct)
    places = {text: place for place, text in enumerate(distinct)}
    return vectors[[places.get(text, len(distinct)) for text in cleaned]]


def normalised(vectors: Vectors) -> Vectors:
    """Each row at length 1, zeros left as they are."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)

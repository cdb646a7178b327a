"""A vector for every node: the model's for leaves, means for what stands above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kohaku.choices import ParagraphVectors
from kohaku.embedders.protocol import Embedder, takes_images
from kohaku.errors import EmbedderError
from kohaku.tree import Kind, Node, Tier, Vectors

PICTURES_AT_ONCE = 32  # in memory: a book has hundreds


def vectors(
    nodes: Sequence[Node],
    embedder: Embedder,
    mode: ParagraphVectors = "mean",
    *,
    known: Mapping[str, Vectors] | None = None,
) -> tuple[Vectors, dict[int, Vectors]]:
    """A row for each node of a tree, and by position what paragraphs have beside it (mode both).

    A leaf's vector is the model's, a parent's the mean of its children's vectors, each weighted with its tokens, made
    length 1 again. A node without text has zeros and weighs nothing. With mode direct a paragraph's row is the
    model's vector of its whole text, with both that stands beside the mean; what is above is the same in all modes.
    `known` are vectors that the same embedder gave for texts before.
    """
    leaves = [node for node in nodes if node.last == node.position and node.text.strip()]
    # Of a paragraph without sentences the leaf's vector is its direct one.
    whole = [
        node
        for node in nodes
        if mode != "mean" and node.tier is Tier.PARAGRAPH and node.last > node.position and node.text
    ]
    by_text = _embedded([node.text for node in (*leaves, *whole)], embedder, known or {})
    rows = np.zeros((len(nodes), embedder.dimensions), np.float32)
    for node in leaves:
        rows[node.position] = by_text[node.text]
    _fill(rows, nodes)
    direct = {node.position: by_text[node.text] for node in whole}
    if mode == "both":
        return rows, direct
    for position, vector in direct.items():
        rows[position] = vector
    return rows, {}


def pictures(
    nodes: Sequence[Node], images: Mapping[str, bytes], embedder: Embedder, *, known: Mapping[str, Vectors]
) -> dict[int, Vectors]:
    """The vectors of figures' pictures by position, where the embedder takes pictures.

    `images` are the pictures by hash, `known` the vectors that they were given before.
    """
    if not takes_images(embedder):
        return {}
    shown = {node.image for node in nodes if node.image}
    missing = sorted(hash for hash in shown - known.keys() if hash in images)
    vectors = dict(known)
    for start in range(0, len(missing), PICTURES_AT_ONCE):
        batch = missing[start : start + PICTURES_AT_ONCE]
        vectors |= zip(batch, embedder.embed_images([images[hash] for hash in batch]), strict=True)
    return {
        node.position: vectors[node.image]
        for node in nodes
        if node.kind is Kind.FIGURE and node.image in vectors and vectors[node.image].any()
    }


def _embedded(texts: Sequence[str], embedder: Embedder, known: Mapping[str, Vectors]) -> dict[str, Vectors]:
    """Each distinct text's vector; they are embedded by length, so that a batch is of one length."""
    by_text = {text: known[text] for text in texts if text in known}
    missing = sorted(set(texts) - by_text.keys(), key=lambda text: (len(text), text))
    if not missing:
        return by_text
    rows = np.asarray(embedder.embed_passages(missing), np.float32)
    if rows.shape != (len(missing), embedder.dimensions) or not np.isfinite(rows).all():
        raise EmbedderError(
            f"embedder {embedder.fingerprint} gave an array of {rows.shape} for {len(missing)} texts "
            f"where {len(missing)} finite vectors of {embedder.dimensions} numbers were due: check the model"
        )
    return by_text | dict(zip(missing, rows, strict=True))


def _fill(rows: Vectors, nodes: Sequence[Node]) -> None:
    """Fills in the rows of parents: children come after their parents, so one pass from the end does it."""
    sums: dict[int, NDArray[np.float64]] = {}
    for node in reversed(nodes):
        if node.position in sums:
            rows[node.position] = _of_length_1(sums.pop(node.position))
        if node.parent is not None and rows[node.position].any():
            weighted = rows[node.position].astype(np.float64) * max(node.tokens, 1)
            sums[node.parent] = sums[node.parent] + weighted if node.parent in sums else weighted


def _of_length_1(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-12 else np.zeros_like(vector)

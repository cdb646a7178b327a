"""A vector for every node: the model's for leaves, means for what stands above them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from indexer.grow import families
from indexer.rows import Rows
from kohaku.choices import ParagraphVectors
from kohaku.embedders.protocol import Embedder, takes_images
from kohaku.errors import EmbedderError
from kohaku.store import Entry
from kohaku.tree import Kind, Node, Tier, Vectors

AT_ONCE = 4_096  # nodes whose texts are embedded together, by length: those of some 200 pages
PICTURES_AT_ONCE = 32  # in memory: a book has hundreds

Known = Callable[[Sequence[str]], Mapping[str, Vectors]]
"""Gives the vectors that some texts, or pictures by their hashes, have already."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A document's vectors by position: one a node, what paragraphs have beside it (mode both), those of pictures."""

    nodes: Rows
    direct: Rows
    pictures: Rows

    def entries(self, nodes: Iterable[Node]) -> Iterator[Entry]:
        """The nodes, each with its own."""
        for node in nodes:
            at = node.position
            direct = self.direct[at] if node.tier is Tier.PARAGRAPH else None
            yield Entry(node, self.nodes[at], direct, self.pictures[at] if node.kind is Kind.FIGURE else None)


def embedded(
    nodes: Iterable[Node],
    images: Mapping[str, bytes],
    embedder: Embedder,
    mode: ParagraphVectors = "mean",
    *,
    known: Known = lambda texts: {},
    known_pictures: Known = lambda hashes: {},
) -> Embedded:
    """The vectors of nodes that come in the order in which they grew; only some are in memory at a time.

    A leaf's vector is the model's, a parent's the mean of its children's vectors, each weighted with its tokens, made
    length 1 again. A node without text has zeros and weighs nothing. With mode direct a paragraph's vector is the
    model's of its whole text, with both that stands beside the mean; what is above is the same in all modes. Pictures
    (by hash) have one where the embedder takes pictures. `known` are vectors that the same embedder gave before.
    """
    made = Embedded(*(Rows(embedder.dimensions) for _ in range(3)))
    texts, pictures = _Texts(made.nodes, embedder, known), _Pictures(made.pictures, images, embedder, known_pictures)
    sums: dict[int, NDArray[np.float64]] = {}
    for window in _windows(nodes):
        by_text = texts.vectors(
            [node for node in window if _is_leaf(node)],
            [node for node in window if mode != "mean" and _is_whole(node)],
        )
        for node in _from_below(window):
            row = by_text[node.text] if _is_leaf(node) else _of_length_1(sums.pop(node.position, None))
            if row is not None:
                made.nodes[node.position] = row
                if node.parent is not None:
                    weighted = row.astype(np.float64) * max(node.tokens, 1)
                    sums[node.parent] = sums[node.parent] + weighted if node.parent in sums else weighted
            if mode != "mean" and _is_whole(node):
                (made.direct if mode == "both" else made.nodes)[node.position] = by_text[node.text]
        pictures.embed([node for node in window if node.kind is Kind.FIGURE and node.image])
    return made


def _windows(nodes: Iterable[Node]) -> Iterator[list[Node]]:
    """The nodes, AT_ONCE and a few more at a time, each paragraph with its sentences."""
    window: list[Node] = []
    for family in families(nodes):
        window += family
        if len(window) >= AT_ONCE:
            yield window
            window = []
    if window:
        yield window


def _from_below(window: Iterable[Node]) -> Iterator[Node]:
    """The nodes, each paragraph after its sentences."""
    for head, *sentences in families(window):
        yield from (*sentences, head)


def _is_leaf(node: Node) -> bool:
    return node.last == node.position and bool(node.text.strip())


def _is_whole(node: Node) -> bool:
    """Whether a node is a paragraph with sentences: one without is a leaf, whose vector is its direct one."""
    return node.tier is Tier.PARAGRAPH and node.last > node.position and bool(node.text)


def _of_length_1(total: NDArray[np.float64] | None) -> Vectors | None:
    """A sum of vectors as one of length 1; None for none, or where they take each other away."""
    length = 0.0 if total is None else float(np.linalg.norm(total))
    return None if total is None or length <= 1e-12 else np.asarray(total / length, np.float32)


class _Texts:
    """Vectors of texts, each embedded once: one that came up before has that of the node that it stood in."""

    def __init__(self, rows: Rows, embedder: Embedder, known: Known) -> None:
        self._rows, self._embedder, self._known = rows, embedder, known
        self._met: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []  # texts by their hashes, and where they stand

    def vectors(self, leaves: Sequence[Node], whole: Sequence[Node]) -> dict[str, Vectors]:
        """Each distinct text's vector, of nodes whose leaves get it as theirs."""
        distinct = list(dict.fromkeys(node.text for node in chain(leaves, whole)))
        by_text = self._before(distinct)
        by_text |= self._known([text for text in distinct if text not in by_text])
        by_text |= self._embedded(set(distinct) - by_text.keys())
        self._remember(leaves)
        return by_text

    def _before(self, texts: Sequence[str]) -> dict[str, Vectors]:
        hashes = _hashes(texts)
        found: dict[str, Vectors] = {}
        for known, places in self._met:
            at = np.searchsorted(known, hashes).clip(max=len(known) - 1)
            for number in np.flatnonzero(known[at] == hashes).tolist():
                found[texts[number]] = self._rows[int(places[at[number]])]
        return found

    def _embedded(self, texts: Iterable[str]) -> dict[str, Vectors]:
        """The vectors of texts that have none; they are embedded by length, so that a batch is of one length."""
        missing = sorted(texts, key=lambda text: (len(text), text))
        if not missing:
            return {}
        rows = np.asarray(self._embedder.embed_passages(missing), np.float32)
        due = (len(missing), self._embedder.dimensions)
        if rows.shape != due or not np.isfinite(rows).all():
            raise EmbedderError(
                f"embedder {self._embedder.fingerprint} gave an array of {rows.shape} for {due[0]} texts "
                f"where {due[0]} finite vectors of {due[1]} numbers were due: check the model"
            )
        return dict(zip(missing, rows, strict=True))

    def _remember(self, leaves: Sequence[Node]) -> None:
        """Sixteen bytes a text: a book's texts themselves would fill the memory."""
        if leaves:
            hashes, first = np.unique(_hashes([node.text for node in leaves]), return_index=True)
            self._met.append((hashes, np.array([leaves[place].position for place in first], np.int64)))


def _hashes(texts: Sequence[str]) -> NDArray[np.int64]:
    return np.fromiter(map(hash, texts), np.int64, len(texts))


class _Pictures:
    """Vectors of figures' pictures, where the embedder takes pictures."""

    def __init__(self, rows: Rows, images: Mapping[str, bytes], embedder: Embedder, known: Known) -> None:
        self._rows, self._images, self._embedder, self._known = rows, images, embedder, known
        self._met: dict[str, int] = {}  # by hash the first figure that shows it

    def embed(self, figures: Sequence[Node]) -> None:
        """Puts in the vectors of some figures."""
        if not takes_images(self._embedder):
            return
        new = sorted({node.image or "" for node in figures} - self._met.keys())
        vectors = dict(self._known(new)) if new else {}
        missing = [hash for hash in new if hash not in vectors and hash in self._images]
        for start in range(0, len(missing), PICTURES_AT_ONCE):
            batch = missing[start : start + PICTURES_AT_ONCE]
            vectors |= zip(batch, self._embedder.embed_images([self._images[hash] for hash in batch]), strict=True)
        for node in figures:
            hash = node.image or ""
            if hash in vectors or hash in self._met:
                self._rows[node.position] = self._rows[self._met[hash]] if hash in self._met else vectors[hash]
                self._met.setdefault(hash, node.position)

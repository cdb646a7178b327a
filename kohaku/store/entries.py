"""What goes into an index of a document, node by node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kohaku.store.vector_table import IMAGE
from kohaku.tree import Node, Tier

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Entry:
    """A node with its vector (zeros: none); a paragraph's own kept beside the mean, and its picture's."""

    node: Node
    vector: Vector
    direct: Vector | None = None
    picture: Vector | None = None

    def rows(self, base: int, document: int) -> Iterator[tuple[int, str, int, Vector]]:
        """Its vectors, each with its number, its part and its document's key; `base` is the key of position 0."""
        key = base + self.node.position
        yield 2 * key, self.node.tier.value, document, self.vector
        if self.direct is not None:
            yield 2 * key + 1, "direct", document, self.direct
        if self.picture is not None:
            yield -key, IMAGE, document, self.picture


class Sections:
    """The innermost section around each node, by its position: of a section itself, of a sentence its paragraph's."""

    def __init__(self) -> None:
        self._paragraph: int | None = None  # that of the last one

    def around(self, node: Node) -> int | None:
        """Of nodes one after another, each paragraph right before its sentences; None where there is none."""
        if node.tier is Tier.PARAGRAPH:
            self._paragraph = node.parent or None  # 0 is the document
        return {Tier.DOCUMENT: None, Tier.SECTION: node.position}.get(node.tier, self._paragraph)

"""Trees that grow of blocks as those of files do, and get vectors as these do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from indexer import grow as growing
from indexer.acronyms import Acronyms
from indexer.blocks import Parsed
from indexer.grow import PASSAGE_TOKENS, in_order, is_inner
from indexer.kept import Kept, Pictures
from indexer.mentions import mentions
from indexer.vectors import Known, embedded
from kohaku.choices import ParagraphVectors
from kohaku.embedders.protocol import Embedder
from kohaku.tree import Document, Node, Tree, Vectors


def grow(parsed: Parsed, document: Document, *, count: Callable[[str], int], max_tokens: int = PASSAGE_TOKENS) -> Tree:
    """The tree of a document that a reader made these blocks of."""
    images: dict[str, Kept] = {}
    text = Acronyms()
    nodes = growing.grown(
        parsed.blocks, document, images, pages=parsed.pages, count=count, max_tokens=max_tokens, tell=text.read
    )
    found = in_order(nodes)
    return Tree(document, found, Pictures(images), text.defined(), mentions(found))


def as_grown(nodes: Iterable[Node]) -> list[Node]:
    """A tree's nodes in the order in which they grow, without the text that they get later."""
    bare = (replace(node, text="") if is_inner(node) else node for node in nodes)
    return sorted(bare, key=lambda node: (node.last, 1, -node.position) if is_inner(node) else (node.position, 0, 0))


def vectors(tree: Tree, embedder: Embedder, mode: ParagraphVectors = "mean") -> tuple[Vectors, dict[int, Vectors]]:
    """A row for each node of a tree, and by position what paragraphs have beside it."""
    made = embedded(as_grown(tree.nodes), {}, embedder, mode)
    places = range(len(tree.nodes))
    return np.stack([made.nodes[at] for at in places]), {at: made.direct[at] for at in places if made.direct[at].any()}


def pictures(
    tree: Tree, images: Mapping[str, bytes], embedder: Embedder, known: Known = lambda hashes: {}
) -> dict[int, Vectors]:
    """The vectors of a tree's pictures by position."""
    made = embedded(as_grown(tree.nodes), images, embedder, known_pictures=known)
    return {node.position: row for node in tree.nodes if (row := made.pictures[node.position]).any()}

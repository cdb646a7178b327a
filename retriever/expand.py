"""From a paragraph that was found to what should be read: itself, or its whole section where that is short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kohaku.tree import Node, Tier
from retriever.budget import Unit
from retriever.fuse import Ranked

SHORT_SECTION = 120  # tokens: a section this short is read whole


def expand(ranked: Sequence[Ranked], nodes: Mapping[int, Node], parents: Mapping[int, Node]) -> list[Unit]:
    """Units to read, best first: each paragraph, or in its place its section where that is short.

    `nodes` and `parents` are looked up by a paragraph's key.
    """
    best: dict[int, Unit] = {}
    for found in ranked:
        parent = parents.get(found.key)
        short = parent is not None and parent.tier is Tier.SECTION and parent.tokens <= SHORT_SECTION
        node = parent if parent is not None and short else nodes[found.key]
        best.setdefault(node.key, Unit(node, found.score, found.queries))
    return list(best.values())

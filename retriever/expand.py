"""From a paragraph that was found to what should be read: its whole short section, itself, or its best sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kohaku.tree import Node, Tier
from retriever.budget import Unit
from retriever.fuse import Ranked

SHORT_SECTION = 120  # tokens: a section this short is read whole


def expand(
    ranked: Sequence[Ranked], nodes: Mapping[int, Node], parents: Mapping[int, Node], sentences: Mapping[int, Node]
) -> list[Unit]:
    """Units to read, best first: each paragraph, before it its section where that is short, after it its best sentence.

    The smaller ones are on offer for where the larger don't fit. `nodes`, `parents` and `sentences` are looked up by a
    paragraph's key.
    """
    best: dict[int, Unit] = {}
    for found in ranked:
        parent = parents.get(found.key)
        short = parent is not None and parent.tier is Tier.SECTION and parent.tokens <= SHORT_SECTION
        for node in (parent if short else None, nodes[found.key], sentences.get(found.key)):
            if node is not None:
                best.setdefault(node.key, Unit(node, found.score))
    return list(best.values())

"""From a paragraph that was found to what should be read: its whole section where that is short, else itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kohaku.tree import Node, Tier
from retriever.budget import Unit
from retriever.fuse import Ranked

SHORT_SECTION = 120  # tokens: a section this short is read whole


def expand(ranked: Sequence[Ranked], nodes: Mapping[int, Node], parents: Mapping[int, Node]) -> list[Unit]:
    """Units to read, best first: each paragraph, and before it its section where that is short.

    The paragraph stays on offer for where the section doesn't fit. `nodes` and `parents` are looked up by a paragraph's
    key.
    """
    best: dict[int, Unit] = {}
    for found in ranked:
        parent = parents.get(found.key)
        if parent is not None and parent.tier is Tier.SECTION and parent.tokens <= SHORT_SECTION:
            best.setdefault(parent.key, Unit(parent, found.score, found.queries))
        best.setdefault(found.key, Unit(nodes[found.key], found.score, found.queries))
    return list(best.values())

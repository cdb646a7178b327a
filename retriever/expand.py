"""From a paragraph that was found to what should be read with it: its neighbours, or its whole short section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kohaku.tree import Node, Tier
from retriever.budget import Unit
from retriever.fuse import Ranked

NEIGHBOUR_SHARE = 0.5  # a neighbour's claim on the budget, as a share of the paragraph's it stands beside
SHORT_SECTION = 120  # tokens: a section this short is read whole


def expand(
    ranked: Sequence[Ranked],
    nodes: Mapping[int, Node],
    neighbours: Mapping[int, Sequence[Node]],
    sections: Mapping[int, Node],
) -> list[Unit]:
    """Units to read, best first: each paragraph (or its section, where that is short) and its neighbours.

    `neighbours` and `sections` are looked up by a paragraph's key.
    """
    best: dict[int, Unit] = {}
    for unit in _claims(ranked, nodes, neighbours, sections):
        known = best.get(unit.node.key)
        if known is None or unit.score > known.score:
            best[unit.node.key] = unit
    return sorted(best.values(), key=lambda unit: (-unit.score, unit.node.key))


def _claims(
    ranked: Sequence[Ranked],
    nodes: Mapping[int, Node],
    neighbours: Mapping[int, Sequence[Node]],
    sections: Mapping[int, Node],
) -> Iterable[Unit]:
    for found in ranked:
        section = sections.get(found.key)
        whole = section is not None and section.tier is Tier.SECTION and section.tokens <= SHORT_SECTION
        yield Unit(section if section is not None and whole else nodes[found.key], found.score, found.queries)
        if not whole:
            for neighbour in neighbours.get(found.key, ()):
                yield Unit(neighbour, NEIGHBOUR_SHARE * found.score, found.queries)

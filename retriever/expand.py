"""From a paragraph that was found to what should be read: its whole short section, itself, or its best sentence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kohaku.tree import Kind, Node, Tier
from retriever.budget import Unit
from retriever.fuse import Ranked

SHORT_SECTION = 120  # tokens: a section this short is read whole


def pinpoint(
    ranked: Sequence[Ranked], fine: Sequence[Ranked], home: Mapping[int, int], sentences: Mapping[int, Node]
) -> list[Unit]:
    """The sentences that were found, best first, by what their paragraphs score and how far each is its best.

    `fine` are the ranked sentences, `home` has each one's paragraph, by key.
    """
    places = {one.key: one for one in ranked}
    best: dict[int, float] = {}
    for one in fine:
        best[home[one.key]] = max(best.get(home[one.key], 0.0), one.score)
    units = [
        Unit(sentences[one.key], place.score * (one.score / best[place.key] if best[place.key] > 0 else 1.0), place)
        for one in fine
        if one.key in sentences and (place := places.get(home[one.key]))
    ]
    return sorted(units, key=lambda unit: (-unit.score, unit.node.key))


def expand(
    ranked: Sequence[Ranked],
    nodes: Mapping[int, Node],
    parents: Mapping[int, Node],
    sentences: Mapping[int, Node],
    *,
    kinds: Collection[Kind] = (),
) -> list[Unit]:
    """Units to read, best first: each paragraph, before it its section where that is short, after it its best sentence.

    The smaller ones are on offer for where the larger don't fit. `nodes`, `parents` and `sentences` are looked up by a
    paragraph's key. With `kinds`, only paragraphs of these are read, and whole sections, however long, where they are
    among them.
    """
    best: dict[int, Unit] = {}
    for found in ranked:
        parent, node = parents.get(found.key), nodes[found.key]
        section = parent if parent is not None and parent.tier is Tier.SECTION else None
        if section and (Kind.SECTION not in kinds if kinds else section.tokens > SHORT_SECTION):
            section = None
        itself = (node, sentences.get(found.key)) if not kinds or node.kind in kinds else ()
        for node in (section, *itself):
            if node is not None:
                best.setdefault(node.key, Unit(node, found.score, found))
    return list(best.values())

"""Figures for a question: by their own words and pictures, and by what speaks of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kohaku.tree import Node, Tier
from retriever.budget import Unit
from retriever.fuse import Ranked, Weights
from retriever.search import Source

SPEAKING = 10  # paragraphs, the best, whose figures are evidence beside them
SPOKEN = 1.5  # times such a paragraph's share of the best score counts for a figure, beside 1 for the best one's own
BESIDE = 0.8  # of the paragraph's score: where the figure stands
SOUGHT = 0.5  # of the best score: where a figure stands that only a search for figures found
WORDLESS = "[figure without words]"
TRUST: Weights = {
    (0, Source.WORDS, Tier.PARAGRAPH): 1.0,
    (0, Source.WORDS, Tier.SENTENCE): 0.5,
    (0, Source.MEANING, Tier.SENTENCE): 0.5,
    (0, Source.MEANING, Tier.PARAGRAPH): 0.5,
    (0, Source.PICTURES, Tier.PARAGRAPH): 2.0,  # what a picture shows, captions seldom say
}
"""How far the lists of a search for figures are trusted."""


def figures(
    ranked: Sequence[Ranked],
    nodes: Mapping[int, Node],
    spoken: Mapping[int, Sequence[Node]],
    sought: Sequence[Ranked],
    most: int,
) -> list[Unit]:
    """The best figures, at most so many, best first; of those that show one picture the best.

    `ranked` are all paragraphs that were found, `nodes` these and the sought figures by key; `spoken` has the figures
    that a paragraph speaks of, by its key, `sought` what a search for figures alone found, best first.
    """
    top = max((one.score for one in ranked), default=0.0)
    best = max((one.score for one in sought), default=0.0)
    worth: dict[int, float] = {one.key: max(one.score / best, 0.0) if best > 0 else 0.0 for one in sought}
    offered = {one.key: Unit(_read(nodes[one.key]), SOUGHT * top * worth[one.key], one) for one in sought}
    for one in ranked:
        share = max(one.score / top, 0.0) if top > 0 else 0.0
        for figure in spoken.get(one.key, ()):
            worth[figure.key] = worth.get(figure.key, 0.0) + SPOKEN * share
            if figure.key not in offered or offered[figure.key].score < BESIDE * one.score:
                offered[figure.key] = Unit(_read(figure), BESIDE * one.score, one)
    offered |= {one.key: Unit(_read(nodes[one.key]), one.score, one) for one in ranked if one.key in offered}
    best_first = sorted(offered.values(), key=lambda unit: (-worth[unit.node.key], unit.node.key))
    by_picture: dict[str, Unit] = {}
    for unit in best_first:
        by_picture.setdefault(unit.node.image or unit.node.id, unit)
    return list(by_picture.values())[:most]


def _read(figure: Node) -> Node:
    """A figure with words, if only those that say that it has none."""
    return figure if figure.text.strip() else replace(figure, text=figure.title or WORDLESS, shown_tokens=None)


def placed(kept: Iterable[Unit], figures: Sequence[Unit]) -> list[Unit]:
    """The kept units in their order, the figures among them where their scores put them."""
    keys = {unit.node.key for unit in figures}
    units = list(kept)
    others = [unit for unit in units if unit.node.key not in keys]
    for figure in (unit for unit in units if unit.node.key in keys):
        place = next((at for at, unit in enumerate(others) if unit.score < figure.score), len(others))
        others.insert(place, figure)
    return others

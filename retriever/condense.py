"""Where a question's words are not found: more places in the same budget, each in its sentences that fit best."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from kohaku.tree import Kind, Node, Tier
from retriever.budget import Unit
from retriever.evidence import GAP
from retriever.search import Ranking

LONG = 90  # tokens: a shorter paragraph is read whole
FEWEST = 3  # sentences: of two, one is mostly what makes the other clear
FLOOR = 0.5  # of the best sentence's worth: what is worth less goes
FIRST = 2  # units are read as they stand: what was found best
MOST = 150  # units, the first: those after them seldom get into a budget


def condense(
    units: Sequence[Unit],
    sentences: Mapping[int, Sequence[Node]],
    worth: Callable[[Node], float],
    *,
    whole: Collection[int] = (),
) -> list[Unit]:
    """The units, each long paragraph of prose with only its sentences worth at least half its best.

    `sentences` are a paragraph's by its key, in order. Tables, lists and sections stay whole, and the nodes that
    `whole` names by key.
    """
    return [
        one
        if one.node.key in whole
        else replace(one, node=_condensed(one.node, sentences.get(one.node.key, ()), worth))
        for one in units
    ]


def given_back(
    kept: Sequence[Unit], originals: Mapping[int, Node], budget: int, cost: Callable[[Node], int]
) -> list[Unit]:
    """The kept units, condensed ones whole again, the first first, as far as the budget still reaches.

    `originals` are the nodes as they were, by key.
    """
    room = budget - sum(cost(unit.node) for unit in kept)
    grown: list[Unit] = []
    for unit in kept:
        original = originals.get(unit.node.key, unit.node)
        more = cost(original) - cost(unit.node) if original.text != unit.node.text else 0
        if more and more <= room:
            room -= more
            unit = replace(unit, node=original)
        grown.append(unit)
    return grown


def is_long(node: Node) -> bool:
    """Whether a node is prose that would be condensed."""
    return node.kind is Kind.PARAGRAPH and node.tokens >= LONG


def worths(rankings: Iterable[Ranking], query: int = 0) -> dict[int, float]:
    """Each sentence's mean share of the best score, by words and by meaning, in the lists of one query."""
    found: dict[int, float] = {}
    for ranking in rankings:
        if ranking.query == query and ranking.tier is Tier.SENTENCE and ranking.hits:
            best = max(hit.score for hit in ranking.hits)
            for hit in ranking.hits:
                found[hit.key] = found.get(hit.key, 0.0) + (max(hit.score / best, 0.0) / 2 if best > 0 else 0.0)
    return found


def _condensed(node: Node, sentences: Sequence[Node], worth: Callable[[Node], float]) -> Node:
    if not is_long(node) or len(sentences) < FEWEST:
        return node
    scores = [worth(sentence) for sentence in sentences]
    best = max(scores)
    kept = [sentence for sentence, score in zip(sentences, scores, strict=True) if score >= FLOOR * best]
    if best <= 0 or len(kept) == len(sentences):
        return node
    gaps = [" " if one.position + 1 == other.position else GAP for one, other in pairwise(kept)]
    text = "".join(part for pair in zip([one.text for one in kept], [*gaps, ""], strict=True) for part in pair)
    return replace(node, text=text, tokens=sum(one.tokens for one in kept), shown_tokens=None)

"""Evidence for an overview: sections that fit, or documents; whole where they are short, else how their parts begin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest

from kohaku.tree import Node, Tier
from retriever.budget import Unit
from retriever.fuse import Ranked, Vote
from retriever.search import Ranking

WIDE = frozenset({Tier.SECTION, Tier.DOCUMENT})
SHARE = 0.6  # of the budget goes to the sections or documents as such, the rest to what fits the question best
SHORT = 300  # tokens: a section this short is read whole
SECTIONS = 12  # the best of them: with more, an overview is of the corpus and not of what was asked
OPENINGS = {Tier.SECTION: 3, Tier.DOCUMENT: 40}  # how a longer one begins, and its first sections
NEAR = 0.85  # of the best document's score: a document as good is looked over too
FINDS = 3  # a section is as good as its best three paragraphs: one alone may be chance


def scored(
    ranked: Iterable[Ranked], homes: Mapping[int, Node], wide: Iterable[Ranking], known: Mapping[int, Node]
) -> list[Ranked]:
    """Sections or documents, best first, with scores up to 1: half for what was found in them, half by meaning.

    `homes` has the one that each ranked paragraph stands in, by the paragraph's key; `wide` are the rankings of the
    tier itself by meaning, `known` the nodes that these name, by key.
    """
    found: dict[int, list[float]] = defaultdict(list)
    for one in ranked:
        if one.key in homes and len(found[homes[one.key].key]) < FINDS:
            found[homes[one.key].key].append(one.score)
    most = max(map(sum, found.values()), default=0.0)
    votes: dict[int, list[Vote]] = defaultdict(list)
    for ranking in wide:
        best = max((hit.score for hit in ranking.hits), default=0.0)
        for rank, hit in enumerate(ranking.hits, start=1):
            if hit.key in known and best > 0:
                share = max(hit.score / best, 0.0)
                votes[hit.key].append(Vote(ranking.query, ranking.source, ranking.tier, rank, share, 0.0, hit.score))
    scores = {
        key: (sum(found.get(key, ())) / most if most > 0 else 0.0) / 2
        + max((vote.share for vote in votes.get(key, ())), default=0.0) / 2
        for key in found.keys() | votes.keys()
    }
    all_ranked = (Ranked(key, score, tuple(votes.get(key, ()))) for key, score in scores.items())
    return sorted(all_ranked, key=lambda one: (-one.score, one.key))


def surveyed(
    tier: Tier, ranked: Sequence[Ranked], nodes: Mapping[int, Node], openings: Mapping[int, Sequence[Node]]
) -> list[Unit]:
    """Units to read for an overview, in order: section after section, or the documents that fit by turns.

    `openings` has the first paragraphs of a node and of its parts, in reading order, by the node's key.
    """
    if tier is Tier.DOCUMENT:
        columns = [[Unit(node, one.score, one) for node in openings.get(one.key, ())] for one in ranked]
        return [unit for unit in chain.from_iterable(zip_longest(*columns)) if unit is not None]
    units: list[Unit] = []
    for one in ranked:
        node = nodes[one.key]
        read = [node] if node.tokens <= SHORT else openings.get(one.key, ())
        units += [Unit(part, one.score, one) for part in read]
    return units


def foremost(tier: Tier, ranked: Sequence[Ranked]) -> list[Ranked]:
    """The sections or documents that an overview looks at, of those that fit."""
    if tier is Tier.SECTION:
        return list(ranked[:SECTIONS])
    return [one for one in ranked if one.score >= NEAR * ranked[0].score][:SECTIONS]

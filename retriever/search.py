"""Queries to ranked lists of hits: by meaning and by words, over sentences and paragraphs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from kohaku.embedders.background import USUAL, levelled
from kohaku.embedders.protocol import Embedder
from kohaku.spelling import spellings
from kohaku.store import Hit, Store
from kohaku.tree import Kind, Tier, Vectors
from kohaku.words import words

TIERS = (Tier.SENTENCE, Tier.PARAGRAPH)


class Source(StrEnum):
    """What a list was ranked by."""

    MEANING = "meaning"
    PICTURES = "pictures"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits of one query by one source on one tier, best first.

    `floor` is the most that what is not among the hits can score: 0 where every match is.
    """

    query: int
    source: Source
    tier: Tier
    hits: tuple[Hit, ...]
    floor: float = 0.0


def search(
    queries: Sequence[str],
    store: Store,
    embedder: Embedder,
    *,
    limit: int,
    passages: Sequence[str] = (),
    within: Collection[str] = (),
    documents: Collection[str] | None = None,
    kinds: Collection[Kind] | None = None,
    wide: Tier | None = None,
) -> list[Ranking]:
    """Every query's rankings, of `limit` hits each; the queries are embedded in one batch.

    `passages` are searched by meaning only, as what a document may say; they are numbered after the queries.
    The documents `within` are searched by the first query once more on their own: as many hits of theirs join.
    Nothing outside `documents` (ids) and `kinds` (of paragraphs) is searched at all, where these are given. The first
    query also searches figures' pictures, where the index has their vectors, and the tier `wide`, of sections or
    documents, by meaning.
    """
    vectors = embedder.embed_questions(queries)
    if passages:
        vectors = np.concatenate([vectors, embedder.embed_passages(passages)])
    rankings: list[Ranking] = []
    for tier in TIERS:
        near = _nearest(vectors, store, tier, limit, documents=documents, kinds=kinds)
        matching = [store.matching(_terms(text), tier, limit, documents=documents, kinds=kinds) for text in queries]
        for source, lists in ((Source.MEANING, near), (Source.WORDS, matching)):
            rankings += [
                Ranking(query, source, tier, tuple(hits), hits[-1].score if len(hits) == limit else 0.0)
                for query, hits in enumerate(lists)
            ]
        if within:
            own = {
                Source.MEANING: _nearest(vectors[:1], store, tier, limit, documents=within, kinds=kinds)[0],
                Source.WORDS: store.matching(_terms(queries[0]), tier, limit, documents=within, kinds=kinds),
            }
            rankings = [_joined(ranking, own, tier) for ranking in rankings]
    if kinds is None or Kind.FIGURE in kinds:
        [hits] = store.nearest_pictures(vectors[:1], limit, documents=documents)
        if hits:
            least = hits[-1].score if len(hits) == limit else 0.0
            rankings.append(Ranking(0, Source.PICTURES, Tier.PARAGRAPH, tuple(hits), least))
    if wide is not None:
        [hits] = _nearest(vectors[:1], store, wide, limit, documents=documents)
        rankings.append(Ranking(0, Source.MEANING, wide, tuple(hits)))
    return rankings


def _terms(text: str) -> list[str]:
    """The words to look for: a query's, each in British and in American English."""
    return [spelling for word in words(text) for spelling in spellings(word)]


def _nearest(
    vectors: Vectors,
    store: Store,
    tier: Tier,
    limit: int,
    *,
    documents: Collection[str] | None,
    kinds: Collection[Kind] | None = None,
) -> list[list[Hit]]:
    """What is nearest to each vector, its cosines on the scale of the default embedder's."""
    found = store.nearest(vectors, tier, limit, documents=documents, kinds=kinds)
    if store.background <= USUAL:
        return found  # most indexes: there is nothing to change in a thousand hits
    return [[replace(hit, score=levelled(hit.score, store.background)) for hit in hits] for hits in found]


def _joined(ranking: Ranking, own: Mapping[Source, Sequence[Hit]], tier: Tier) -> Ranking:
    """The first query's ranking on a tier with the hits that stand only in the named documents; others as they are."""
    if ranking.query != 0 or ranking.tier is not tier:
        return ranking
    known = {hit.key for hit in ranking.hits}
    more = [hit for hit in own[ranking.source] if hit.key not in known]
    return replace(ranking, hits=tuple(sorted((*ranking.hits, *more), key=lambda hit: (-hit.score, hit.key))))

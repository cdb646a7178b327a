"""Queries to ranked lists of hits: by meaning and by words, over sentences and paragraphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from kohaku.embedders.protocol import Embedder
from kohaku.store import Hit, Store
from kohaku.tree import Tier
from kohaku.words import words

TIERS = (Tier.SENTENCE, Tier.PARAGRAPH)


class Source(StrEnum):
    """What a list was ranked by."""

    MEANING = "meaning"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits of one query by one source on one tier, best first."""

    query: int
    source: Source
    tier: Tier
    hits: tuple[Hit, ...]


def search(queries: Sequence[str], store: Store, embedder: Embedder, *, limit: int) -> list[Ranking]:
    """Every query's rankings; the queries are embedded in one batch."""
    vectors = embedder.embed_questions(queries)
    rankings: list[Ranking] = []
    for tier in TIERS:
        for query, hits in enumerate(store.nearest(vectors, tier, limit)):
            rankings.append(Ranking(query, Source.MEANING, tier, tuple(hits)))
        for query, text in enumerate(queries):
            rankings.append(Ranking(query, Source.WORDS, tier, tuple(store.matching(words(text), tier, limit))))
    return rankings

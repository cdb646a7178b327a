"""How far each list is to be trusted for the question at hand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from kohaku.store import Store
from kohaku.tree import Node, Tier
from kohaku.words import fold, stem, words
from retriever.fuse import Weights
from retriever.rarity import rarity
from retriever.search import Ranking, Source

# A question in the documents' own words has most of its rare words in one paragraph (median .63 of their weight on the
# contest's questions), the same question in other words has not (.27): then meaning must say more than words.
COVERED, UNCOVERED = 0.5, 0.3
MEANING_COVERED, MEANING_UNCOVERED = 0.1, 1.0
PARAGRAPH_SHARE = 0.5  # a small model's sentence vectors are sharper than its paragraphs' means
SENTENCE_WORDS = 0.5
OTHERS_SHARE = 0.5  # what the other queries weigh together, beside the question itself
WITHIN_SHARE = 2.0  # in a document that the question names, what it asks there says more than the name
LITTLE = 0.1  # of a query: words that cover less of it, "the" alone, say nothing of what is asked
BEST = 3  # paragraphs looked at: the first may be an accident


def trust(
    queries: Sequence[str],
    rankings: Iterable[Ranking],
    nodes: Mapping[int, Node],
    store: Store,
    *,
    within: int | None = None,
) -> Weights:
    """The weight of each ranking: its query's share, and in it how far meaning is trusted beside words.

    `nodes` holds the paragraphs that were found, by key; `within` is the number of the query that is searched in the
    documents that the question names.
    """
    others = len(queries) - 1 - (within is not None)
    weights: dict[tuple[int, Source, Tier], float] = {}
    by_words = {r.query: r for r in rankings if r.source is Source.WORDS and r.tier is Tier.PARAGRAPH}
    rare = rarities({word for text in queries for word in words(text)}, store)
    for query, text in enumerate(queries):
        hits = by_words[query].hits[:BEST] if query in by_words else ()
        covered = coverage(text, [nodes[hit.key].text for hit in hits], rare)
        share = 1.0 if query == 0 else WITHIN_SHARE if query == within else OTHERS_SHARE / others
        meaning = share * _meaning(covered)
        said = share * min(covered / LITTLE, 1.0)
        weights |= {
            (query, Source.WORDS, Tier.PARAGRAPH): said,
            (query, Source.WORDS, Tier.SENTENCE): said * SENTENCE_WORDS,
            (query, Source.MEANING, Tier.SENTENCE): meaning,
            (query, Source.MEANING, Tier.PARAGRAPH): meaning * PARAGRAPH_SHARE,
            (query, Source.PICTURES, Tier.PARAGRAPH): meaning * PARAGRAPH_SHARE,
        }
    return weights


def _meaning(covered: float) -> float:
    """How much a list by meaning says beside one by words, where the words cover that much of the query."""
    share = min(max((covered - UNCOVERED) / (COVERED - UNCOVERED), 0.0), 1.0)
    return MEANING_UNCOVERED + (MEANING_COVERED - MEANING_UNCOVERED) * share


def coverage(question: str, texts: Sequence[str], rare: Mapping[str, float]) -> float:
    """The share of the question's words, weighed by rarity, that the best of the texts holds; from 0 to 1."""
    weights = {word: rare[word] for word in words(question) if word in rare}
    whole = sum(weights.values())
    if not whole:
        return 0.0
    return max((_held(weights, text) / whole for text in texts), default=0.0)


def rarities(terms: Collection[str], store: Store) -> dict[str, float]:
    """Each word's weight over paragraphs."""
    paragraphs = store.size(Tier.PARAGRAPH)
    return {term: rarity(held, paragraphs) for term, held in store.frequency(terms).items()}


def _held(weights: Mapping[str, float], text: str) -> float:
    stems = {stem(word) for word in _parts(fold(text))}
    return sum(weight for term, weight in weights.items() if all(stem(part) in stems for part in _parts(term)))


def _parts(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())

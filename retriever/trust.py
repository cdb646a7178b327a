"""How far each list is to be trusted for the question at hand."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from kohaku.store import Store
from kohaku.tree import Node, Tier
from kohaku.words import fold, stem, words
from retriever.fuse import Weights
from retriever.search import Ranking, Source

# A question in the documents' own words has most of its rare words in one paragraph (median .63 of their weight on the
# contest's questions), the same question in other words has not (.27): then meaning must say more than words.
COVERED, UNCOVERED = 0.6, 0.25
MEANING_COVERED, MEANING_UNCOVERED = 0.25, 1.0
PARAGRAPH_SHARE = 0.5  # a small model's sentence vectors are sharper than its paragraphs' means
SENTENCE_WORDS = 0.5
BEST = 3  # paragraphs looked at: the first may be an accident


def trust(question: str, rankings: Iterable[Ranking], nodes: Mapping[int, Node], store: Store) -> Weights:
    """The weight of each list, by its source and tier; the question's own word list has weight 1.

    `nodes` holds the paragraphs that were found, by key.
    """
    best = next((r for r in rankings if r.query == 0 and r.source is Source.WORDS and r.tier is Tier.PARAGRAPH), None)
    texts = [nodes[hit.key].text for hit in best.hits[:BEST]] if best else []
    share = (coverage(question, texts, store) - UNCOVERED) / (COVERED - UNCOVERED)
    meaning = MEANING_UNCOVERED + (MEANING_COVERED - MEANING_UNCOVERED) * min(max(share, 0.0), 1.0)
    return {
        (Source.WORDS, Tier.PARAGRAPH): 1.0,
        (Source.WORDS, Tier.SENTENCE): SENTENCE_WORDS,
        (Source.MEANING, Tier.SENTENCE): meaning,
        (Source.MEANING, Tier.PARAGRAPH): PARAGRAPH_SHARE * meaning,
    }


def coverage(question: str, texts: Sequence[str], store: Store) -> float:
    """The share of the question's words, weighed by rarity, that the best of the texts holds; from 0 to 1."""
    weights = rarity(words(question), store)
    whole = sum(weights.values())
    if not whole:
        return 0.0
    return max((_held(weights, text) / whole for text in texts), default=0.0)


def rarity(terms: Sequence[str], store: Store) -> dict[str, float]:
    """Each word's weight, the inverse document frequency of BM25 (Robertson & Zaragoza 2009) over paragraphs."""
    paragraphs = store.size(Tier.PARAGRAPH)
    return {
        term: math.log(1 + (paragraphs - held + 0.5) / (held + 0.5)) for term, held in store.frequency(terms).items()
    }


def _held(weights: Mapping[str, float], text: str) -> float:
    stems = {stem(word) for word in _parts(fold(text))}
    return sum(weight for term, weight in weights.items() if all(stem(part) in stems for part in _parts(term)))


def _parts(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())

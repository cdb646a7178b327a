"""The documents that a question names: by title, by file, by author, by year."""

from __future__ import annotations

from kohaku.store import Store
from kohaku.tree import Tier
from kohaku.words import is_year, parts, words
from retriever.plan import key_terms
from retriever.rarity import rarity

YEAR = 0.5  # every report speaks of 2023, but few are named by it


def named(question: str, store: Store) -> dict[str, float]:
    """How far the question names each document; those it doesn't name at all are left out.

    A word of a document's name counts by its rarity: the inverse document frequency of BM25 (Robertson & Zaragoza
    2009) over whole documents, names and texts, so that "energy" in a title says nothing where every document speaks
    of energy. 1 is a word that no other document holds; two such words are 2.
    """
    terms = parts(" ".join(words(key_terms(question))))
    documents = store.size(Tier.DOCUMENT)
    scores: dict[str, float] = {}
    for term, (ids, held) in store.naming(terms).items():
        if len(ids) < documents:
            weight = max(rarity(held, documents) / rarity(1, documents), YEAR if is_year(term) else 0.0)
            for id in ids:
                scores[id] = scores.get(id, 0.0) + weight
    return scores

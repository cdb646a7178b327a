"""The documents that a question names: by title, by file, by author, by year."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kohaku.store import Store
from kohaku.tree import Tier
from kohaku.words import is_year, parts, words
from retriever.plan import key_terms
from retriever.rarity import rarity

NAMED = 0.5  # a document whose name weighs this much is searched on its own too: others' hits must not crowd it out
LONGEST = 2  # words of a name that a title begins with
NEAR = 0.8  # of the best named one's weight: named no less
YEAR = 0.5  # every report speaks of 2023, but few are named by it


def named(question: str, store: Store) -> dict[str, float]:
    """How far the question names each document; those it doesn't name at all are left out.

    A word of a document's name counts by its rarity: the inverse document frequency of BM25 (Robertson & Zaragoza
    2009) over whole documents, names and texts, so that "energy" in a title says nothing where every document speaks
    of energy. 1 is a word that no other document holds; two such words are 2. Two words side by side are also looked
    for as one: files are named "americanexpress".
    """
    scores: dict[str, float] = {}
    spoken = parts(" ".join(words(key_terms(question))))
    for _, weight, ids in _naming(_joined(spoken), store):
        for id in ids:
            scores[id] = scores.get(id, 0.0) + weight
    return scores


@dataclass(frozen=True, slots=True)
class Within:
    """The documents that a question calls by their own names, and what it asks there, without these names."""

    documents: frozenset[str]
    query: str


def within(question: str, names: Mapping[str, float], store: Store) -> Within | None:
    """Where the question says to look, and for what; None where no document's own name stands in it.

    `names` are how far it names each document. In a document on Acme the name says nothing, and finds what speaks of
    Acme instead of what was asked. A name is written as one ("Acme", "3M"), and is a word of the document's id, or of
    what its title begins with ("BERT: …").
    """
    least = max(NAMED, NEAR * max(names.values(), default=0.0))
    documents = frozenset(id for id, weight in names.items() if weight >= least)
    tokens = key_terms(question).split()
    spoken = [(place, part) for place, token in enumerate(tokens) for part in parts(token)]
    own = {part for id in documents for part in parts(f"{id} {_own_name(id, store)}") if not is_year(part)}
    said = [term for term in _joined([part for _, part in spoken]) if term in own]
    naming = {term for term, weight, _ in _naming(said, store) if weight >= NAMED}
    gone = {place for place, part in spoken if part in naming}
    for (place, part), (next_place, next_part) in pairwise(spoken):
        gone |= {place, next_place} if part + next_part in naming else set()
    gone = {place for place in gone if _is_name(tokens[place])}
    kept = " ".join(token for place, token in enumerate(tokens) if place not in gone)
    return Within(documents, kept) if gone and kept else None


def _is_name(token: str) -> bool:
    return token != token.lower() or any(map(str.isdigit, token))


def _own_name(id: str, store: Store) -> str:
    """What a document calls itself: "BERT" of "BERT: Pre-training of Deep Bidirectional Transformers"."""
    document = store.document(id)
    first, colon, _ = document.title.partition(":") if document else ("", "", "")
    return first if colon and len(first.split()) <= LONGEST else ""


def _joined(spoken: Sequence[str]) -> list[str]:
    """The words, and each two side by side as one (but for the s of a genitive), each once."""
    return list(dict.fromkeys([*spoken, *(one + other for one, other in pairwise(spoken) if other != "s")]))


def _naming(terms: Sequence[str], store: Store) -> Iterator[tuple[str, float, frozenset[str]]]:
    """The terms that name documents, but not all: their weights, and the ids."""
    documents = store.size(Tier.DOCUMENT)
    for term, (ids, held) in store.naming(terms).items():
        if len(ids) < documents:
            yield term, max(rarity(held, documents) / rarity(1, documents), YEAR if is_year(term) else 0.0), ids

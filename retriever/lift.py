"""What the tree says of a hit: a paragraph stands better where its document was named or found, its neighbours too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from kohaku.tree import Node
from retriever.fuse import Lift, Ranked

# Shares of the best score, measured on three question sets of opposite kinds (the documents' words, other words,
# companies' filings): all gain, and none changes by more than noise from half to twice these.
DOCUMENT_SHARE = 0.3
NAME_SHARE = 0.5  # for a word that names one document only
NEIGHBOUR_SHARE = 0.05
DOCUMENT_HITS = 3  # a document is as good as its best three paragraphs: one alone may be chance


def lift(
    ranked: Sequence[Ranked],
    nodes: Mapping[int, Node],
    neighbours: Mapping[int, Sequence[Node]],
    *,
    names: Mapping[str, float],
    floor: float,
) -> list[Ranked]:
    """The paragraphs and their neighbours, scores lifted by their document's and by what stands beside them.

    `nodes` holds every ranked paragraph, `neighbours` the paragraphs beside each, `names` how far the question names
    each document, `floor` is the score of what was not found. Best first; where no document is named, scores of about
    0 to 1.5.
    """
    if not ranked or ranked[0].score <= 0:
        return list(ranked)
    own = {found.key: found for found in ranked}
    places = dict(nodes)
    beside: dict[int, Ranked] = {}
    for found in ranked:
        for neighbour in neighbours.get(found.key, ()):
            places[neighbour.key] = neighbour
            beside.setdefault(neighbour.key, found)  # best first: the first is the best
    documents = _documents(ranked, nodes)
    best = ranked[0].score
    lifted = []
    for key in own.keys() | beside.keys():
        found = own.get(key) or Ranked(key, floor, beside[key].votes)
        document = places[key].document
        by = beside.get(key)
        lift = Lift(
            own=found.score / best,
            document=DOCUMENT_SHARE * documents.get(document, 0.0),
            name=NAME_SHARE * names.get(document, 0.0),
            neighbour=NEIGHBOUR_SHARE * by.score / best if by else 0.0,
            beside=by.key if by else 0,
        )
        score = lift.own + lift.document + lift.name + lift.neighbour
        lifted.append(Ranked(key, score, found.votes, lift))
    return sorted(lifted, key=lambda found: (-found.score, found.key))


def _documents(ranked: Sequence[Ranked], nodes: Mapping[int, Node]) -> dict[str, float]:
    """Each document's support, as a share of the best document's."""
    support: dict[str, list[float]] = defaultdict(list)
    for found in ranked:
        scores = support[nodes[found.key].document]
        if len(scores) < DOCUMENT_HITS:
            scores.append(found.score)
    best = max(sum(scores) for scores in support.values())
    return {document: sum(scores) / best for document, scores in support.items()}

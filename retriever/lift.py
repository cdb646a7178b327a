"""What the tree says of a hit: a paragraph stands better where its document and its neighbours were found too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from kohaku.tree import Node
from retriever.fuse import Ranked

# Shares of the best score, measured on two question sets of opposite kind (the documents' words, other words):
# both gain at every budget, and neither changes by more than noise from half to twice these.
DOCUMENT_SHARE = 0.3
NEIGHBOUR_SHARE = 0.1
DOCUMENT_HITS = 3  # a document is as good as its best three paragraphs: one alone may be chance


def lift(ranked: Sequence[Ranked], nodes: Mapping[int, Node], neighbours: Mapping[int, Sequence[Node]]) -> list[Ranked]:
    """The paragraphs and their neighbours, scores lifted by their document's and by what stands beside them.

    `nodes` holds every ranked paragraph, `neighbours` the paragraphs beside each. Best first, scores of about 0 to 1.5.
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
        found = own.get(key) or Ranked(key, 0.0, beside[key].votes)
        score = found.score / best + DOCUMENT_SHARE * documents.get(places[key].document, 0.0)
        if key in beside:
            score += NEIGHBOUR_SHARE * beside[key].score / best
        lifted.append(Ranked(key, score, found.votes))
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

"""What the tree says of a hit: a paragraph stands better where its document was named or found, its neighbours too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kohaku import rows
from kohaku.tree import Kind, Node
from retriever.fuse import Lift, Ranked

# Shares of the best score, measured on three question sets of opposite kinds (the documents' words, other words,
# companies' filings): all gain, and none changes by more than noise from half to twice these.
DOCUMENT_SHARE = 0.3
NAME_SHARE = 0.5  # for a word that names one document only
NEIGHBOUR_SHARE = 0.05
FURTHER_PIECE = 0.1  # of its own score that a piece of a long table loses to a better one: the head finds all of them
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
        lifted.append(Ranked(key, lift.score, found.votes, lift))
    return _best_first(_pieces(_best_first(lifted), places))


def _best_first(found: Iterable[Ranked]) -> list[Ranked]:
    return sorted(found, key=lambda one: (-one.score, one.key))


def _pieces(found: Iterable[Ranked], nodes: Mapping[int, Node]) -> Iterator[Ranked]:
    """The paragraphs, given best first; those lowered that are further pieces of a table, and all have its head."""
    seen: set[tuple[str, str]] = set()
    for one in found:
        node = nodes[one.key]
        of = (node.document, rows.head(node.text)) if node.kind is Kind.TABLE else ("", "")
        if of in seen and of[1] and one.lift is not None:
            lift = replace(one.lift, piece=-FURTHER_PIECE * one.score)
            one = replace(one, score=lift.score, lift=lift)
        seen.add(of)
        yield one


def _documents(ranked: Sequence[Ranked], nodes: Mapping[int, Node]) -> dict[str, float]:
    """Each document's support, as a share of the best document's."""
    support: dict[str, list[float]] = defaultdict(list)
    for found in ranked:
        scores = support[nodes[found.key].document]
        if len(scores) < DOCUMENT_HITS:
            scores.append(found.score)
    best = max(sum(scores) for scores in support.values())
    return {document: sum(scores) / best for document, scores in support.items()}

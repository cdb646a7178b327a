"""A question to its evidence: plan, search, fuse, expand, fill the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kohaku.embedders.protocol import Embedder
from kohaku.store import Store
from kohaku.tree import Node, Tier
from retriever.budget import Unit, fill
from retriever.evidence import Context, Evidence
from retriever.expand import expand
from retriever.fuse import Fusion, Ranked, fuse
from retriever.search import Ranking, search
from retriever.trust import trust

MARK_TOKENS = 16  # what the line before a context costs: [ref_id=… node=… pages=…]


@dataclass(frozen=True, slots=True)
class Limits:
    """How far to look: hits a list, and tokens of evidence."""

    top_k: int
    budget: int

    def wider(self, times: int) -> Limits:
        """The limits of a later reading."""
        return Limits(self.top_k * times, self.budget * times)


def retrieve(
    question: str,
    queries: Sequence[str],
    store: Store,
    embedder: Embedder,
    limits: Limits,
    *,
    fusion: Fusion = "rrf",
    count: Callable[[str], int],
) -> Evidence:
    """The evidence for a question that has been planned, best first, never over the budget."""
    rankings = search(queries, store, embedder, limit=limits.top_k)
    nodes, home = _paragraphs(rankings, store)
    weights = trust(question, rankings, home, nodes, store)
    ranked = fuse(rankings, home, by=fusion, weights=weights)
    units = _units(ranked, nodes, store)
    titles = {id: (document.title if (document := store.document(id)) else "") for id in _documents(units)}

    def cost(node: Node) -> int:
        return MARK_TOKENS + count("\n".join((" › ".join(node.headings), node.text)))

    kept = fill(units, limits.budget, cost)
    contexts = tuple(_context(unit, titles[unit.node.document], cost(unit.node)) for unit in kept)
    return Evidence(
        question, tuple(queries), contexts, complete=len(kept) == len(units) and _exhausted(rankings, limits)
    )

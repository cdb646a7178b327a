"""Why each piece of evidence is there, and what is not: told only where it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kohaku.tree import Node, Tier
from retriever.budget import Loss, Unit
from retriever.evidence import Cut, Finding, Ledger, Why
from retriever.fuse import Weights
from retriever.level import Decision
from retriever.search import Ranking

_EXPANSIONS = {Tier.SECTION: "section", Tier.SENTENCE: "sentence"}
_PLACES = 6  # decimals of a score


def why(unit: Unit, nodes: Mapping[int, Node], weights: Weights) -> Why | None:
    """Why a unit is evidence; `nodes` holds what was found or stands beside such, by key."""
    found = unit.found
    if found is None:
        return None
    findings = [
        Finding(
            vote.query,
            vote.source.value,
            vote.tier,
            vote.rank,
            round(vote.score, _PLACES),
            round(weights.get((vote.query, vote.source, vote.tier), 1.0), _PLACES),
        )
        for vote in found.votes
    ]
    lift = found.lift
    return Why(
        found=nodes[found.key].id,
        findings=tuple(sorted(findings, key=lambda one: (-one.weight, one.rank, one.query, one.by))),
        fused=round(lift.own if lift else found.score, _PLACES),
        document=round(lift.document, _PLACES) if lift else 0.0,
        name=round(lift.name, _PLACES) if lift else 0.0,
        neighbour=round(lift.neighbour, _PLACES) if lift else 0.0,
        piece=round(lift.piece, _PLACES) if lift else 0.0,
        beside=nodes[lift.beside].id if lift and lift.beside else "",
        expansion=_expansion(unit, nodes[found.key]),
        place=found.place,
        reranked=None if found.reranked is None else round(found.reranked, _PLACES),
    )


def _expansion(unit: Unit, found: Node) -> str:
    if unit.node.tier is Tier.PARAGRAPH and found.tier is not Tier.PARAGRAPH:
        return "opening"
    return _EXPANSIONS.get(unit.node.tier, "itself")


def ledger(
    rankings: Iterable[Ranking],
    weights: Weights,
    losses: Sequence[Loss],
    *,
    names: Mapping[str, float],
    scope: str,
    within: tuple[int, int],
    decision: Decision,
) -> Ledger:
    """How the evidence as a whole came about."""
    lists = tuple(
        (
            ranking.query,
            ranking.source.value,
            ranking.tier,
            round(weights.get((ranking.query, ranking.source, ranking.tier), 1.0), _PLACES),
            len(ranking.hits),
        )
        for ranking in sorted(rankings, key=lambda ranking: ranking.query)
    )
    named = {id: round(score, _PLACES) for id, score in sorted(names.items(), key=lambda item: (-item[1], item[0]))}
    cuts = tuple(_cut(loss) for loss in losses if not _is_own(loss))
    return Ledger(named, lists, scope, within, cuts, level=decision.tier, decided_by=decision.why)


def _is_own(loss: Loss) -> bool:
    """Whether a sentence only gave way to its own paragraph: it was on offer for where that does not fit."""
    return loss.to is not None and loss.unit.node.tier is Tier.SENTENCE and loss.unit.node.parent == loss.to.position


def _cut(loss: Loss) -> Cut:
    node = loss.unit.node
    by = loss.to.id if loss.to else ""
    return Cut(node.document, node.id, node.kind, round(loss.unit.score, _PLACES), node.tokens, loss.cause.value, by)

"""How evidence came about, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retriever.evidence import Context, Cut, Evidence, Finding, Ledger

CUTS = 8  # shown of each cause; JSON has all
FINDINGS = 6  # shown of each context, the weightiest; JSON has all

HEAD, TEXT, QUIET = "bold", "", "dim"
_SAYS = {
    "itself": "read itself",
    "section": "its short section is read whole",
    "sentence": "its best sentence is read",
    "opening": "how it begins is read",
}
_CAUSES = {
    "budget": "over the budget",
    "duplicate": "said already",
    "covered": "part of a larger piece",
}


def ledger_object(ledger: Ledger) -> dict[str, Any]:
    """How evidence came about as JSON."""
    keys = ("query", "by", "tier", "weight", "hits")
    within, whole = ledger.within
    return {
        "scope": ledger.scope,
        "documents": {"within": within, "of": whole},
        "level": {"tier": ledger.level.value, "why": ledger.decided_by},
        "named": dict(ledger.names),
        "lists": [dict(zip(keys, one, strict=True)) for one in ledger.lists],
        "cut": [asdict(cut) for cut in ledger.cuts],
    }


def explained_lines(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """How the evidence as a whole came about, and what is not among it, as (style, line) pairs."""
    ledger = evidence.ledger
    if ledger is None:
        return
    yield HEAD, "How this was found"
    for number, query in enumerate(evidence.queries):
        yield TEXT, f"  query {number}: {query}"
        for _, by, tier, weight, count in (one for one in ledger.lists if one[0] == number):
            yield QUIET, f"    by {by} in {tier.value}s: {count} hits, weight {weight:.2f}"
    yield TEXT, f"  level {ledger.level.value}: {ledger.decided_by}"
    within, whole = ledger.within
    if ledger.scope:
        yield TEXT, f"  kept to {ledger.scope}: {within} of {whole} documents"
    if ledger.names:
        named = ", ".join(f"{id} {score:.2f}" for id, score in list(ledger.names.items())[:CUTS])
        yield TEXT, f"  the question names {named}" + (" …" if len(ledger.names) > CUTS else "")
    for cause, says in _CAUSES.items():
        cuts = [cut for cut in ledger.cuts if cut.cause == cause]
        if cuts:
            yield TEXT, f"  {len(cuts)} left out, {says}:"
            yield from ((QUIET, f"    {_cut(cut)}") for cut in cuts[:CUTS])
            if len(cuts) > CUTS:
                yield QUIET, f"    and {len(cuts) - CUTS} more"


def why_lines(context: Context) -> Iterator[tuple[str, str]]:
    """Why a context is there."""
    why = context.why
    if why is None:
        return
    yield QUIET, f"  {why.found} was found; {_SAYS[why.expansion]}"
    parts = {
        "document": why.document,
        "named": why.name,
        f"beside {why.beside}": why.neighbour,
        "a further piece of a table": why.piece,
    }
    lifts = "".join(f" {'+' if value > 0 else '−'} {abs(value):.3f} {name}" for name, value in parts.items() if value)
    whole = why.fused + sum(parts.values())
    yield QUIET, f"  {why.fused:.3f} lists{lifts} = {whole:.3f}"
    if why.reranked is not None:
        yield QUIET, f"  the reranker took it from place {why.place}, with a score of {why.reranked:.3f}"
    for one in why.findings[:FINDINGS]:
        yield QUIET, f"  {_finding(one)}"
    if len(why.findings) > FINDINGS:
        yield QUIET, f"  and {len(why.findings) - FINDINGS} more lists"
    for copy in context.also:
        yield QUIET, f"  also said in {copy.node}"


def _finding(one: Finding) -> str:
    measure = "BM25" if one.by == "words" else "cosine"
    return (
        f"query {one.query} by {one.by} in {one.tier.value}s: rank {one.rank}, "
        f"{measure} {one.score:.3f}, weight {one.weight:.2f}"
    )


def _cut(cut: Cut) -> str:
    to = f", in {cut.by}" if cut.by else f", {cut.tokens} tokens"
    return f"[{cut.score:.3f}] {cut.node}{to}"

"""A question in parts: evidence for each, merged within one budget so that no part starves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kohaku.errors import KohakuError
from kohaku.threads import each
from retriever.decompose import Aim, Part
from retriever.evidence import Context, Copy, Evidence
from retriever.plan import key_terms
from retriever.twins import alike

WHOLE = 0  # the whole question's number among the parts
# A part's share of the budget beside the others': a fact stands in few places, an overview in many.
SHARES: Mapping[Aim, float] = {Aim.FACT: 1.0, Aim.OVERVIEW: 2.0}
# What the whole question says of a part's evidence, beside 1 for what the part says: with more of it the better known
# part crowds out the others (measured on pairs of questions: 0.1 and 0.25 find both more often than 0.5).
GLOBAL = 0.1
SERVED = 0.8  # of a part's best score: what scores as much serves the part too, whichever it was taken for


def gather(
    question: str,
    parts: Sequence[Part],
    find: Callable[[str, Aim], Evidence],
    *,
    budget: int,
    answer: Callable[[Part, Evidence], str] = lambda part, evidence: "",
    concurrency: int = 4,
) -> Evidence:
    """The evidence for a question and its parts, each context with the parts that it serves, within the budget.

    `find` retrieves for one of them. `answer` reads an earlier part's answer where a later one needs it; where there is
    none ("") the later one is searched with the earlier one's key terms in its place.
    """
    asked = {WHOLE: Part(WHOLE, question)}
    found: dict[int, Evidence] = {}
    answers: dict[int, str] = {}
    first = [asked[WHOLE]]  # searched for with those that wait for nothing
    for ready in list(waves(parts)) or [[]]:
        for number in sorted({number for part in ready for number in part.after} - answers.keys()):
            said = answer(asked[number], found[number])
            answers[number] = " ".join(said.split()) or key_terms(asked[number].text)
        filled = [part.filled(answers) for part in ready]
        asked |= {part.id: part for part in filled}
        found |= _found([*first, *filled], find, concurrency)
        first = []
    queries = tuple(dict.fromkeys(query for number in sorted(found) for query in found[number].queries))
    pools = {
        number: [_renumbered(one, found[number].queries, queries) for one in found[number].contexts]
        for number in sorted(found)
    }
    kept = tuple(
        replace(one, parts=tuple(asked[number].text for number in one.serves))
        for one in merged(pools, {part.id: _share(part) for part in asked.values()}, budget)
    )
    return Evidence(
        question,
        queries,
        kept,
        complete=all(evidence.complete for evidence in found.values()) and _all_in(pools.values(), kept),
        ledger=found[WHOLE].ledger,
        parts=tuple(asked[number] for number in sorted(asked) if number != WHOLE),
    )


def waves(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """The parts in rounds: each round's wait for none but those of earlier rounds. What waits in a circle is left out.

    >>> [[part.id for part in wave] for wave in waves([Part(1, "a"), Part(2, "b {1}"), Part(3, "c")])]
    [[1, 3], [2]]
    """
    done: set[int] = set()
    waiting = list(parts)
    while ready := [part for part in waiting if done.issuperset(part.after)]:
        yield ready
        done |= {part.id for part in ready}
        waiting = [part for part in waiting if part.id not in done]


def merged(pools: Mapping[int, Sequence[Context]], shares: Mapping[int, float], budget: int) -> tuple[Context, ...]:
    """Contexts of all pools, each once: the pool that has got least for its share takes its next best, in turn.

    A pool's order is its own with the whole question's word on it. What serves several pools counts for each of them.
    Scores are those of that order, as shares of each pool's best.
    """
    ranked = {number: _ranked(pool, pools.get(WHOLE, ())) for number, pool in pools.items()}
    serving = {number: _serving(pool) for number, pool in pools.items()}
    got = dict.fromkeys(ranked, 0.0)
    kept: list[Context] = []
    while any(ranked.values()):
        number = min((number for number in ranked if ranked[number]), key=lambda number: (got[number], number))
        context = ranked[number].pop(0)
        serves = {number, *(other for other, nodes in serving.items() if context.node in nodes)}
        place = next((place for place, other in enumerate(kept) if _says(other, context)), None)
        if place is not None:
            new = serves - set(kept[place].serves)
            kept[place] = _joined(kept[place], context, new)
            context, serves = kept[place], new
        elif context.tokens <= budget:
            budget -= context.tokens
            kept.append(replace(context, serves=tuple(sorted(serves))))
        else:
            continue
        for other in serves:
            got[other] += context.tokens / shares[other]
    return tuple(replace(one, serves=tuple(number for number in one.serves if number != WHOLE)) for one in kept)


def _share(part: Part) -> float:
    return 1.0 if part.id == WHOLE else SHARES[part.aim]


def _found(parts: Iterable[Part], find: Callable[[str, Aim], Evidence], concurrency: int) -> dict[int, Evidence]:
    """The evidence for each part by its number, searched for at once."""
    found: dict[int, Evidence] = {}
    work = each(
        parts, lambda part: find(part.text, Aim.FACT if part.id == WHOLE else part.aim), concurrency=concurrency
    )
    for part, evidence in work:
        if isinstance(evidence, KohakuError):
            work.close()
            raise evidence
        found[part.id] = evidence
    return found


def _renumbered(context: Context, own: Sequence[str], queries: Sequence[str]) -> Context:
    """The context with the queries that found it counted among those of all parts."""
    if context.why is None:
        return context
    places = [queries.index(query) for query in own]
    findings = tuple(replace(finding, query=places[finding.query]) for finding in context.why.findings)
    return replace(context, why=replace(context.why, findings=findings))


def _ranked(pool: Sequence[Context], whole: Sequence[Context]) -> list[Context]:
    """A pool's contexts, with what the whole question says of them, best first."""
    say = _shares(whole)
    own = _shares(pool)
    scored = [replace(one, score=round(own[one.node] + GLOBAL * say.get(one.node, 0.0), 6)) for one in pool]
    return sorted(scored, key=lambda one: -one.score)


def _serving(pool: Sequence[Context]) -> frozenset[str]:
    return frozenset(node for node, share in _shares(pool).items() if share >= SERVED)


def _shares(pool: Sequence[Context]) -> dict[str, float]:
    best = max((one.score for one in pool), default=0.0)
    return {one.node: one.score / best if best > 0 else 0.0 for one in pool}


def _says(one: Context, other: Context) -> bool:
    """Whether a context holds all that another says: it is the same, or holds it, or says it in its own place."""
    if one.node == other.node:
        return True
    if one.document == other.document and " ".join(other.text.split()) in " ".join(one.text.split()):
        return True
    return alike(one.text, other.text)


def _joined(kept: Context, other: Context, serves: Iterable[int]) -> Context:
    """A context with what another that says the same serves, and where that stands."""
    also = kept.also
    if other.document != kept.document and other.node not in {copy.node for copy in also}:
        also = (*also, Copy(other.document, other.node, other.pages))
    return replace(kept, also=also, serves=tuple(sorted({*kept.serves, *serves})))


def _all_in(pools: Iterable[Sequence[Context]], kept: Sequence[Context]) -> bool:
    nodes = {one.node for one in kept}
    return all(one.node in nodes for pool in pools for one in pool)

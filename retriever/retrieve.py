"""A question to its evidence: search, fuse, lift, expand, fill the budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from kohaku.choices import Condense, Fusion, Level
from kohaku.embedders.protocol import Embedder
from kohaku.scope import EVERYWHERE, Scope, admitted
from kohaku.store import Store
from kohaku.tree import Kind, Node, Tier, shown
from kohaku.words import words
from retriever.budget import Cause, Loss, Unit, fill
from retriever.condense import FIRST, MOST, condense, given_back, is_long, worths
from retriever.evidence import Context, Copy, Evidence, Why
from retriever.expand import expand, pinpoint
from retriever.explain import ledger, why
from retriever.figures import SPEAKING, TRUST, figures, placed
from retriever.fuse import APPEND, Ranked, Weights, floor, fuse, settled
from retriever.level import Decision, decide
from retriever.lift import lift
from retriever.names import NAMED, Within, named, within
from retriever.overview import OPENINGS, SHARE, WIDE, foremost, scored, surveyed
from retriever.rerank import Second, reranked
from retriever.search import TIERS, Ranking, search
from retriever.trust import BEST, COVERED, coverage, rarities, trust
from retriever.twins import alike, facts

MARK_TOKENS = 16  # what the line before a context costs: [ref_id=… node=… pages=…]
TIGHT = 1000  # tokens: a budget below has no room for long paragraphs


@dataclass(frozen=True, slots=True)
class Limits:
    """How far to look: hits a list, and tokens of evidence."""

    top_k: int
    budget: int

    def wider(self, times: int) -> Limits:
        """The limits of a later reading."""
        return Limits(self.top_k * times, self.budget * times)


@dataclass(frozen=True, slots=True)
class Method:
    """How evidence is chosen.

    `fusion` makes one list of all, `append` is how many of the words' list it adds where it is "append". `second` looks
    at the first finds once more. `condense` says whether long paragraphs are cut down to their best sentences: `auto`
    where the question's words are not found, and where there is little room. `level` says of which tier of the tree the
    evidence is, `auto` by what the question asks for; where the scope names kinds of parts, it is these. Up to `images`
    figures get a place before all else.
    """

    fusion: Fusion
    append: int = APPEND
    second: Second | None = None
    condense: Condense = "off"
    level: Level = "paragraph"
    images: int = 0


def retrieve(
    question: str,
    queries: Sequence[str],
    store: Store,
    embedder: Embedder,
    limits: Limits,
    method: Method,
    *,
    count: Callable[[str], int],
    passages: Sequence[str] = (),
    scope: Scope = EVERYWHERE,
    explain: bool = False,
) -> Evidence:
    """The evidence for a question whose queries are planned, best first, never over the budget.

    `passages` are what an answer might say: they are searched for by meaning, as one more query each. `count` counts
    the tokens of a text where the index, an older one, does not say them. Nothing outside the scope is searched, nor
    lifts what is; raises ScopeError where no document is within. With `explain` each context says why it is there, and
    the evidence what is not.
    """
    decision = decide(question, method.level) if not scope.kinds else Decision(Tier.PARAGRAPH, "the scope names kinds")
    documents = admitted(scope, store.documents()) if scope.names_documents else None
    names = {id: score for id, score in named(question, store).items() if documents is None or id in documents}
    lists = search(
        queries,
        store,
        embedder,
        limit=limits.top_k,
        passages=passages,
        within=[id for id, score in names.items() if score >= NAMED and method.fusion != "append"],
        documents=documents,
        kinds=scope.searched,
        wide=decision.tier if decision.tier in WIDE else None,
    )
    queries = (*queries, *passages)
    inside = within(question, names, store) if method.fusion != "append" else None
    if inside is not None:
        lists += _lists_within(inside, len(queries), store, embedder, limits.top_k, scope)
        queries = (*queries, inside.query)
    finds = _finds(queries, lists, store, method=method, names=names, scope=scope, inside=inside)
    if method.second is not None:
        finds = replace(finds, ranked=reranked(question, finds.ranked, finds.nodes, method.second))
    losses: list[Loss] = []
    cost = _costs(count)
    filled = partial(
        fill, cost=cost, alike=lambda one, other: alike(one.text, other.text), facts=lambda node: facts(node.text)
    )
    units = _units(decision.tier, finds, store, scope, lambda some: filled(some, int(SHARE * limits.budget)))
    originals = {unit.node.key: unit.node for unit in units}
    if method.condense != "off":
        rare = rarities(set(words(question)), store)
        if method.condense == "on" or limits.budget < TIGHT or _in_other_words(question, finds, rare):
            units = _condensed(question, units, finds.rankings, store, rare)
    pictured = (
        _figures(question, finds, store, embedder, method.images, documents)
        if method.images and scope.has_figures
        else []
    )
    offered = [*pictured, *(unit for unit in units if not any(unit.node.covers(one.node) for one in pictured))]
    kept = filled(distinct(offered, on_loss=losses.append), limits.budget, on_loss=losses.append)
    kept = placed(given_back(kept, originals, limits.budget, cost), pictured)
    return Evidence(
        question,
        tuple(queries),
        _contexts(kept, cost, store, finds if explain else None),
        complete=_exhausted(finds.rankings, limits) and _all_in(losses, kept),
        ledger=ledger(
            lists,
            finds.weights,
            losses,
            names=names,
            scope=str(scope),
            within=_share(documents, store),
            decision=decision,
        )
        if explain
        else None,
    )


def _lists_within(
    inside: Within, number: int, store: Store, embedder: Embedder, limit: int, scope: Scope
) -> list[Ranking]:
    """What is found in the documents that the question names, as the lists of a query of that number."""
    lists = search([inside.query], store, embedder, limit=limit, documents=inside.documents, kinds=scope.searched)
    return [replace(ranking, query=number) for ranking in lists]


@dataclass(frozen=True, slots=True)
class Finds:
    """What a search found.

    `lists` are all rankings, `rankings` those of sentences and paragraphs; `ranked` are paragraphs, best first, lifted,
    with the neighbours that were lifted too; `nodes` holds them by key, `sentences` the sentences that were found, best
    first, `home` each one's paragraph.
    """

    lists: Sequence[Ranking]
    rankings: Sequence[Ranking]
    weights: Weights
    nodes: Mapping[int, Node]
    ranked: Sequence[Ranked]
    sentences: Sequence[Ranked]
    home: Mapping[int, int]


def _finds(
    queries: Sequence[str],
    lists: Sequence[Ranking],
    store: Store,
    *,
    method: Method,
    names: Mapping[str, float],
    scope: Scope,
    inside: Within | None = None,
) -> Finds:
    """The lists as one, lifted by what stands around; "append" is another program's way, and keeps its order."""
    rankings = [one for one in lists if one.tier in TIERS]
    nodes, home, sentences = found(rankings, store)
    last = len(queries) - 1
    weights = trust(queries, rankings, nodes, store, within=last if inside else None)
    whole = [one for one in rankings if not inside or one.query != last]
    combined = partial(fuse, by=method.fusion, weights=weights, append=method.append)
    itself = {key: key for key in sentences}
    ranked, fine = combined(whole, home), combined(whole, itself)
    if inside:
        places = {key: nodes[paragraph].document for key, paragraph in home.items()}
        ranked = settled(ranked, combined(rankings, home), places, inside.documents)
        fine = settled(fine, combined(rankings, itself), places, inside.documents)
    if method.fusion != "append":
        beside = _searched(store.neighbours([nodes[one.key] for one in ranked]), scope)
        ranked = lift(ranked, nodes, beside, names=names, floor=floor(whole, by=method.fusion, weights=weights))
        nodes |= {node.key: node for group in beside.values() for node in group}
    return Finds(lists, rankings, weights, nodes, ranked, fine, home)


def _units(
    tier: Tier, finds: Finds, store: Store, scope: Scope, filled: Callable[[Iterable[Unit]], list[Unit]]
) -> list[Unit]:
    """What may be read, best first, of the tier that was decided for; `filled` takes what an overview begins with."""
    if tier is Tier.SENTENCE:
        read = store.nodes({one.key for one in finds.sentences})
        return pinpoint(finds.ranked, finds.sentences, finds.home, read)
    above = store.parents([finds.nodes[one.key] for one in finds.ranked])
    best = {finds.home[one.key]: one.key for one in reversed(finds.sentences)}
    read = store.nodes(best.values())
    sharp = {place: read[key] for place, key in best.items() if key in read}
    units = expand(finds.ranked, finds.nodes, above, sharp, kinds=scope.kinds)
    return [*filled(distinct(_survey(tier, finds, above, store))), *units] if tier in WIDE else units


def _survey(tier: Tier, finds: Finds, above: Mapping[int, Node], store: Store) -> list[Unit]:
    """What is read for an overview, best first. `above` are the nodes over the ranked paragraphs, by these's keys."""
    homes = above
    if tier is Tier.DOCUMENT:
        places = {one.key: finds.nodes[one.key].document for one in finds.ranked}
        roots = {node.document: node for node in store.roots(set(places.values()))}
        homes = {key: roots[document] for key, document in places.items() if document in roots}
    homes = {key: node for key, node in homes.items() if node.tier is tier}
    wide = [one for one in finds.lists if one.tier is tier]
    known = store.nodes({hit.key for one in wide for hit in one.hits} - {node.key for node in homes.values()})
    known |= {node.key: node for node in homes.values()}
    best = finds.ranked[0].score if finds.ranked else 1.0
    chosen = [replace(one, score=best * one.score) for one in foremost(tier, scored(finds.ranked, homes, wide, known))]
    openings = store.openings([known[one.key] for one in chosen], OPENINGS[tier])
    return surveyed(tier, chosen, known, openings)


def _figures(
    question: str, finds: Finds, store: Store, embedder: Embedder, most: int, documents: Collection[str] | None
) -> list[Unit]:
    """The figures that evidence has places for."""
    kinds = frozenset({Kind.FIGURE})
    rankings = search([question], store, embedder, limit=4 * most, documents=documents, kinds=kinds)
    known, home, _ = found(rankings, store)
    spoken = {one.key: store.mentioned(finds.nodes[one.key]) for one in finds.ranked[:SPEAKING]}
    nodes = {**finds.nodes, **known}
    return figures(finds.ranked, nodes, spoken, fuse(rankings, home, by="score", weights=TRUST), most)


def _costs(count: Callable[[str], int]) -> Callable[[Node], int]:
    """What nodes cost in a prompt. Each is counted once: what is kept is asked for again, and counting takes long."""
    known: dict[tuple[int, int], int] = {}

    def cost(node: Node) -> int:
        of = node.key, len(node.text)  # a condensed one is another
        if of not in known:
            text = shown(node.headings, node.text)
            counted = count(text) if node.shown_tokens is None else node.shown_tokens
            known[of] = MARK_TOKENS + tokens(text, counted)
        return known[of]

    return cost


def _in_other_words(question: str, finds: Finds, rare: Mapping[str, float]) -> bool:
    """Whether the best finds hold few of the question's rare words."""
    best = [finds.nodes[one.key].text for one in finds.ranked[:BEST]]
    return coverage(question, best, rare) < COVERED


def _condensed(
    question: str, units: Sequence[Unit], rankings: Sequence[Ranking], store: Store, rare: Mapping[str, float]
) -> list[Unit]:
    """The units condensed, but for the FIRST, what was found best, and those too far down to matter."""
    first, rest = units[:MOST], units[MOST:]
    worth = worths(rankings)
    sentences = store.sentences([unit.node for unit in first if is_long(unit.node)])
    return [
        *condense(
            first,
            sentences,
            lambda one: worth.get(one.key, 0.0) + coverage(question, [one.text], rare),
            whole={unit.node.key for unit in first[:FIRST]},
        ),
        *rest,
    ]


def _share(documents: Collection[str] | None, store: Store) -> tuple[int, int]:
    """How many documents are searched, of how many."""
    whole = store.size(Tier.DOCUMENT)
    return whole if documents is None else len(documents), whole


def _searched(beside: Mapping[int, list[Node]], scope: Scope) -> dict[int, list[Node]]:
    """Neighbours of the kinds that are searched; documents they share with what was found."""
    kinds = scope.searched
    return {key: [one for one in group if kinds is None or one.kind in kinds] for key, group in beside.items()}


def found(rankings: Iterable[Ranking], store: Store) -> tuple[dict[int, Node], dict[int, int], set[int]]:
    """The paragraphs that hits stand in, by key; each hit's paragraph by the hit's key; the hits that are sentences."""
    hits = {tier: {hit.key for ranking in rankings if ranking.tier is tier for hit in ranking.hits} for tier in TIERS}
    above = store.homes(hits[Tier.SENTENCE])
    nodes = store.nodes(hits[Tier.PARAGRAPH] | set(above.values()))
    home = {sentence: paragraph for sentence, paragraph in above.items() if paragraph in nodes}
    return nodes, home | {key: key for key in nodes}, set(home)


def tokens(text: str, counted: int) -> int:
    """What a text may cost: its tokens as counted, and never less than the rule of thumb of four characters a token.

    Models count differently; a budget that holds by both measures holds for whoever checks it by one.
    """
    return max(counted, -(-len(text) // 4))


def distinct(units: Iterable[Unit], *, on_loss: Callable[[Loss], None] = lambda loss: None) -> list[Unit]:
    """Units whose texts differ: of the same words only the best unit stays, with the others' places, and units without
    words go.
    """
    best: dict[str, Unit] = {}
    for unit in units:
        words = " ".join(unit.node.text.split())
        if words in best:
            known = best[words]
            if not (known.node.covers(unit.node) or unit.node.covers(known.node)):  # a section of one paragraph
                best[words] = replace(known, also=(*known.also, unit.node))
            on_loss(Loss(unit, Cause.DUPLICATE, known.node))
        elif words:
            best[words] = unit
    return list(best.values())


def _contexts(
    kept: Sequence[Unit], cost: Callable[[Node], int], store: Store, finds: Finds | None
) -> tuple[Context, ...]:
    """The kept units as evidence; why each is there, where the finds are given."""
    titles = {id: document.title for id in {unit.node.document for unit in kept} if (document := store.document(id))}
    told: dict[int, Why | None] = {}
    if finds is not None:
        missing = {unit.found.key for unit in kept if unit.found} - finds.nodes.keys()  # sections, documents, figures
        nodes = {**finds.nodes, **store.nodes(missing)}
        told = {unit.node.key: why(unit, nodes, finds.weights) for unit in kept}
    return tuple(_context(unit, titles, cost(unit.node), told.get(unit.node.key)) for unit in kept)


def _context(unit: Unit, titles: Mapping[str, str], cost: int, why: Why | None) -> Context:
    node = unit.node
    return Context(
        document=node.document,
        title=titles.get(node.document, ""),
        node=node.id,
        kind=node.kind,
        pages=node.pages,
        headings=node.headings,
        score=round(unit.score, 6),
        text=node.text,
        tokens=cost,
        boxes=node.boxes,
        also=tuple(Copy(other.document, other.id, other.pages) for other in _outermost(unit.also)),
        why=why,
        image=node.image,
    )


def _outermost(nodes: Sequence[Node]) -> list[Node]:
    """Those that stand in no other of them: a paragraph of one sentence is one place."""
    return [node for node in nodes if not any(other.covers(node) for other in nodes if other.key != node.key)]


def _all_in(losses: Iterable[Loss], kept: Sequence[Unit]) -> bool:
    """Whether every unit that did not fit is there in a larger one."""
    return all(
        any(other.node.covers(loss.unit.node) for other in kept) for loss in losses if loss.cause is Cause.BUDGET
    )


def _exhausted(rankings: Sequence[Ranking], limits: Limits) -> bool:
    """Whether every list ended before its limit: a wider search would find nothing more."""
    return all(len(ranking.hits) < limits.top_k for ranking in rankings)

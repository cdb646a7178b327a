"""What the retriever hands to the answerer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kohaku.shown import Shown
from kohaku.tree import Box, Kind, Tier
from retriever.decompose import Part

GAP = " … "
"""What stands between words of a document that are apart in it: in condensed evidence, and in citations."""


@dataclass(frozen=True, slots=True)
class Copy:
    """Another place that says what a context says."""

    document: str
    node: str
    pages: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One list's word for a paragraph: the query (its place in Evidence.queries), by what, on which tier of the tree.

    `rank` counts paragraphs from 1, `score` is the list's own (a cosine, or BM25), `weight` how far it is trusted.
    """

    query: int
    by: str
    tier: Tier
    rank: int
    score: float
    weight: float


@dataclass(frozen=True, slots=True)
class Why:
    """Why a context is there.

    `found` is the id of the paragraph that was found, `findings` are the lists that found it, or, where none did, those
    of `beside`, the paragraph next to it. The score is the sum of `fused` (a share of the best), what the document, its
    name in the question and the neighbour gave, and what a further `piece` of a table loses (0 each where nothing
    lifts), unless a reranker gave it another place: then `place` was its place before that, and `reranked` the
    reranker's own score. `expansion` says how the context comes from the paragraph: itself, its section, its best
    sentence; for an overview `found` is a section or a document, and the context that, or an opening of its parts.
    """

    found: str
    findings: tuple[Finding, ...]
    fused: float
    document: float = 0.0
    name: float = 0.0
    neighbour: float = 0.0
    piece: float = 0.0
    beside: str = ""
    expansion: str = "itself"
    place: int = 0
    reranked: float | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """What was found and left out, and why: a duplicate of `by`, covered by it, or over the budget ("")."""

    document: str
    node: str
    kind: Kind
    score: float
    tokens: int
    cause: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Ledger:
    """How the evidence as a whole came about.

    `names` says how far the question names documents, `lists` how far each list of a query is trusted, as
    (query, by, tier, weight, hits); `scope` what the search was kept to, `within` how many documents are there, of how
    many; `level` the tier that evidence is of, `decided_by` why.
    """

    names: Mapping[str, float]
    lists: tuple[tuple[int, str, Tier, float, int], ...]
    scope: str
    within: tuple[int, int]
    cuts: tuple[Cut, ...]
    level: Tier = Tier.PARAGRAPH
    decided_by: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """One piece of evidence: a node's text with what it takes to cite it.

    `node` is the node's id, `headings` the path of section titles above it, `title` its document's title,
    `tokens` what the piece costs in a prompt, `also` other places that say the same, `serves` the numbers of the parts
    of a split question that it is evidence for, `why` is there where it was asked for, `image` is a figure's picture,
    by its hash in the store. `parts` are the parts that it serves, in words.
    """

    document: str
    title: str
    node: str
    kind: Kind
    pages: tuple[int, int] | None
    headings: tuple[str, ...]
    score: float
    text: str
    tokens: int
    boxes: tuple[Box, ...] = ()
    also: tuple[Copy, ...] = ()
    serves: tuple[int, ...] = ()
    why: Why | None = field(default=None, repr=False)
    image: str | None = None
    parts: tuple[str, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that say it: its own, then those of the other places, each once."""
        return tuple(dict.fromkeys((self.document, *(copy.document for copy in self.also))))


@dataclass(frozen=True, slots=True)
class Filtered:
    """What a model left of the candidates it was shown; `fell_back` where it named none, and all were kept."""

    what: str
    shown: int
    kept: int
    fell_back: bool = False

    @property
    def removed(self) -> float:
        """The share that was removed."""
        return 1 - self.kept / self.shown if self.shown else 0.0


@dataclass(frozen=True, slots=True)
class Evidence(Shown):
    """The contexts for a question, best first, together within the token budget.

    `complete` is true when there was nothing more to find: asking for more brings nothing new. `parts` are those that
    the question was split into, if it was, `filters` what a model left out. `ledger` is there where it was asked for.
    """

    question: str
    queries: tuple[str, ...]
    contexts: tuple[Context, ...]
    complete: bool = False
    parts: tuple[Part, ...] = ()
    filters: tuple[Filtered, ...] = ()
    ledger: Ledger | None = field(default=None, repr=False)

    @property
    def tokens(self) -> int:
        """What all contexts cost together."""
        return sum(context.tokens for context in self.contexts)


def within(contexts: Iterable[Context], budget: int) -> tuple[Context, ...]:
    """The contexts that fit into a budget, in their order; one that doesn't is passed over."""
    kept = []
    for context in contexts:
        if context.tokens <= budget:
            budget -= context.tokens
            kept.append(context)
    return tuple(kept)

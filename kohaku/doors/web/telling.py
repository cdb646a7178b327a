"""From the stages' own values to what goes over the wire."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kohaku.doors.display import BEFORE_HEADINGS, links_of
from kohaku.doors.web.shapes import (
    AnswerOut,
    BoxOut,
    BriefOut,
    CallOut,
    CitationOut,
    ContextOut,
    CutOut,
    DocumentOut,
    EvidenceOut,
    FilteredOut,
    FoundOut,
    GroundingOut,
    ListOut,
    NodeOut,
    PartOut,
    SourceOut,
    TraceOut,
    UsageOut,
)
from kohaku.tree import Document, Kind, Node, Tier

if TYPE_CHECKING:
    from answerer.answer import Answer, Citation
    from kohaku.store import Store
    from retriever.evidence import Evidence, Ledger

LABEL = 160  # characters of a node in a listing
MOST_TEXT = 20_000  # characters of a node's text: a document's may be a book
_BARS = re.compile(r"\s*\|[\s|:-]*")


def evidence_out(evidence: Evidence) -> EvidenceOut:
    """The evidence of a reading with how it came about."""
    ledger = evidence.ledger
    return EvidenceOut(
        queries=list(evidence.queries),
        parts=[PartOut.model_validate(part) for part in evidence.parts],
        filters=[FilteredOut.model_validate(one) for one in evidence.filters],
        contexts=[ContextOut.model_validate(context) for context in evidence.contexts],
        tokens=evidence.tokens,
        complete=evidence.complete,
        lists=lists_out(ledger) if ledger else [],
        named=dict(ledger.names) if ledger else {},
        scope=ledger.scope if ledger else "",
        within=ledger.within if ledger else None,
        cuts=[CutOut.model_validate(cut) for cut in ledger.cuts] if ledger else [],
    )


def found_out(evidence: Evidence) -> FoundOut | None:
    """What the search brought before it was cut; None where evidence doesn't tell."""
    ledger = evidence.ledger
    if ledger is None:
        return None
    return FoundOut(hits=sum(hits for *_, hits in ledger.lists), lists=lists_out(ledger), named=dict(ledger.names))


def lists_out(ledger: Ledger) -> list[ListOut]:
    """The lists that were fused."""
    return [
        ListOut(query=query, by=by, tier=tier.value, weight=weight, hits=hits)
        for query, by, tier, weight, hits in ledger.lists
    ]


def usage_out(calls: Sequence[CallOut]) -> UsageOut:
    """The sum of calls; its cost is null as soon as one's is not known."""
    made = [call for call in calls if not call.is_cached]
    costs = [call.cost for call in made]
    known = [cost for cost in costs if cost is not None]
    return UsageOut(
        calls=len(made),
        cached=len(calls) - len(made),
        prompt_tokens=sum(call.prompt_tokens for call in made),
        completion_tokens=sum(call.completion_tokens for call in made),
        cost=sum(known) if len(known) == len(costs) else None,
    )


def answer_out(answer: Answer, store: Store, trace: TraceOut, *, id: str, reader: str, seconds: float) -> AnswerOut:
    """An answer with its citations numbered in their order."""
    titles = {context.document: context.title for one in trace.rounds for context in one.contexts}
    grounding = answer.grounding
    return AnswerOut(
        id=id,
        question=answer.question.text,
        unit=answer.question.unit,
        text=answer.text,
        value=answer.value,
        is_blank=answer.is_blank,
        explanation=answer.explanation,
        confidence=answer.confidence,
        grounding=GroundingOut(how=grounding.how.value, note=grounding.note) if grounding else None,
        citations=[
            _citation(number, citation, store, titles.get(citation.document, ""))
            for number, citation in enumerate(answer.citations, start=1)
        ],
        sources=[_source(document) for id in answer.references if (document := store.document(id))],
        attempts=answer.attempts,
        dropped=answer.dropped,
        reader=reader,
        seconds=round(seconds, 3),
        trace=trace,
    )


def _citation(number: int, citation: Citation, store: Store, title: str) -> CitationOut:
    node = store.node(citation.node)
    where = [box.page for box in citation.boxes]
    return CitationOut(
        number=number,
        document=citation.document,
        title=title,
        node=citation.node,
        pages=(min(where), max(where)) if where else citation.pages,
        headings=list(node.headings) if node else [],
        quote=citation.quote,
        boxes=[BoxOut.model_validate(box) for box in citation.boxes],
    )


def _source(document: Document) -> SourceOut:
    said = document.metadata
    return SourceOut(
        id=document.id, title=document.title, url=_web(said.get("url", "")), citation=said.get("citation", "")
    )


def _web(url: str) -> str:
    """A URL that a page may link to, "" for any other."""
    return url if url.startswith(("https://", "http://")) else ""


def document_out(document: Document) -> DocumentOut:
    """A document in a listing; of its files only the names are told."""
    names = [last_part(source) for source in document.sources]
    return DocumentOut(
        id=document.id,
        title=document.title,
        pages=document.pages,
        metadata={name: value for name, value in document.metadata.items() if value},
        files=names,
        has_pictures=document.pages > 0 and any(name.lower().endswith(".pdf") for name in names),
    )


def last_part(path: str) -> str:
    """The name of a file, wherever it lies and however its system parts folders.

    >>> last_part("/home/me/a.pdf"), last_part("C:\\\\files\\\\b.pdf")
    ('a.pdf', 'b.pdf')
    """
    return re.split(r"[/\\]", path)[-1]


def brief(node: Node) -> BriefOut:
    """A node in a listing."""
    untitled = BEFORE_HEADINGS if node.kind is Kind.SECTION else _BARS.sub(" · ", node.text).strip(" ·")
    label = " ".join((node.title or untitled).split())
    return BriefOut(
        id=node.id,
        kind=node.kind.value,
        level=node.level,
        label=label if len(label) <= LABEL else f"{label[: LABEL - 1]}…",
        pages=node.pages,
        children=node.last > node.position,
    )


def node_out(node: Node, store: Store) -> NodeOut:
    """A node with what is around it."""
    links = links_of(store, node)
    beside = store.neighbours([node]).get(node.key, [])
    return NodeOut(
        id=node.id,
        document=node.document,
        kind=node.kind.value,
        level=node.level,
        title=node.title,
        text=node.text[:MOST_TEXT],
        is_cut=len(node.text) > MOST_TEXT,
        tokens=node.tokens,
        pages=node.pages,
        boxes=[BoxOut.model_validate(box) for box in boxes_of(node, store)],
        headings=list(node.headings),
        ancestors=[brief(above) for above in store.ancestors(node)],
        before=next((brief(one) for one in beside if one.position < node.position), None),
        after=next((brief(one) for one in beside if one.position > node.position), None),
        mentioned_in=[brief(one) for one in links.mentioned_in],
        figures=[brief(one) for one in links.figures],
        has_image=node.image is not None,
    )


def boxes_of(node: Node, store: Store) -> Iterable[object]:
    """Where a node stands: a section with all of it that is on its first page, a document nowhere in particular."""
    if node.tier is not Tier.SECTION:
        return node.boxes
    parts = [part for part in store.subtree(node.id) if part.tier is not Tier.SENTENCE]
    boxes = [box for part in parts for box in part.boxes]
    return [box for box in boxes if box.page == boxes[0].page] if boxes else []

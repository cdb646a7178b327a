"""Results as notebooks and tables take them: compact HTML that goes with light and dark themes, and plain rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from answerer.answer import Answer, Citation
from answerer.synthesize import Report, Section
from kohaku.doors.display import page_span, plain
from kohaku.shown import Shown, html, records
from kohaku.tree import Document
from retriever.evidence import Context, Evidence

FIRST = 10  # pieces of evidence that are shown before the others are
LEAD = 240  # characters of a text that are shown before it is opened

_BOX = "border-left:3px solid rgba(128,128,128,.5);padding:.1em .8em;margin:.4em 0;max-width:60em"
_DIM = "opacity:.65;font-size:.9em"
_TEXT = "white-space:pre-wrap;overflow-wrap:anywhere;margin:.2em 0"
_CELL = "text-align:left;vertical-align:top;padding:.15em .8em .15em 0"


class Documents(tuple[Document, ...], Shown):
    """The documents of an index, by id."""

    __slots__ = ()


# ---- HTML: all text goes through `_text`, so nothing in a document is markup


@html.register
def _(evidence: Evidence) -> str:
    size = f"{len(evidence.contexts)} pieces of evidence, {evidence.tokens:,} tokens"
    first, rest = evidence.contexts[:FIRST], evidence.contexts[FIRST:]
    more = f"<details><summary>{len(rest)} more</summary>{''.join(map(_context, rest))}</details>" if rest else ""
    return _box(_head(evidence.question), _dim(size), *map(_context, first), more)


@html.register
def _(answer: Answer) -> str:
    return _box(_head(answer.question.text), *_answer(answer))


@html.register
def _(report: Report) -> str:
    lacks = [_dim(f"The documents do not say: {question}") for question in report.lacks]
    return _box(_head(report.question), _paragraph(report.summary), *map(_section, report.sections), *lacks)


@html.register
def _(documents: Documents) -> str:
    keys = list(dict.fromkeys(key for document in documents for key in document.metadata))
    rows = ([one.id, one.title, one.pages or "", *(one.metadata.get(key, "") for key in keys)] for one in documents)
    return f"{_dim(f'{len(documents)} documents')}{_table(['id', 'title', 'pages', *keys], rows)}"


def _context(context: Context) -> str:
    place = " › ".join((context.document, *context.headings))
    where = f"{place} {page_span(context.pages)} · {context.node} · {context.score:.3f}"
    return f"{_dim(where)}{_long(context.text)}"


def _answer(answer: Answer) -> Iterator[str]:
    """An answer's parts: what it says, its value, what stands behind it."""
    if answer.is_blank:
        yield _paragraph("The documents hold no answer that was found.")
    else:
        unit = f" {answer.question.unit}" if answer.question.unit else ""
        how = f" · {answer.grounding.how}" if answer.grounding else ""
        yield _paragraph(answer.text)
        sure = _dim(f"confidence {answer.confidence:.2f}{how}", "span")
        yield f"<div><b>{_text(answer.value)}</b>{_text(unit)} {sure}</div>"
    if answer.explanation:
        yield _dim(answer.explanation)
    yield from map(_citation, answer.citations)


def _citation(citation: Citation) -> str:
    where = f"{citation.document} {page_span(citation.pages)} · {citation.node}"
    return _box(f"<div style='{_TEXT}'>“{_text(citation.quote)}”</div>", _dim(where))


def _section(section: Section) -> str:
    conflicts = [
        _dim(f"{', '.join(other.references)} says otherwise: {other.value} {other.question.unit}".strip())
        for other in section.conflicts
    ]
    return _box(_head(section.question), *_answer(section.answer), *conflicts)


def _box(*parts: str) -> str:
    return f"<div style='{_BOX}'>{''.join(parts)}</div>"


def _head(text: str) -> str:
    return f"<div dir='auto'><b>{_text(text)}</b></div>"


def _paragraph(text: str) -> str:
    return f"<div dir='auto' style='{_TEXT}'>{_text(text)}</div>"


def _dim(text: str, element: str = "div") -> str:
    return f"<{element} dir='auto' style='{_DIM}'>{_text(text)}</{element}>"


def _long(text: str) -> str:
    """A text, of which a long one shows its beginning until it is opened."""
    if len(text) <= LEAD:
        return _paragraph(text)
    return f"<details><summary>{_text(' '.join(text[:LEAD].split()))}…</summary>{_paragraph(text)}</details>"


def _table(heads: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    body = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{_cells('th', heads)}</tr></thead><tbody>{body}</tbody></table>"


def _cells(element: str, values: Iterable[object]) -> str:
    return "".join(f"<{element} dir='auto' style='{_CELL}'>{_text(value)}</{element}>" for value in values)


def _text(value: object) -> str:
    return escape(plain(str(value)))


# ---- rows


@records.register
def _(evidence: Evidence) -> list[dict[str, Any]]:
    return [
        {
            "question": evidence.question,
            "rank": rank,
            "doc": context.document,
            "title": context.title,
            "node": context.node,
            "kind": context.kind.value,
            **_pages(context.pages),
            "headings": " › ".join(context.headings),
            "score": context.score,
            "tokens": context.tokens,
            "text": context.text,
        }
        for rank, context in enumerate(evidence.contexts, start=1)
    ]


@records.register
def _(answer: Answer) -> list[dict[str, Any]]:
    """A row a citation, and one without where there is none."""
    said = {
        "id": answer.question.id,
        "question": answer.question.text,
        "unit": answer.question.unit,
        "answer": answer.text,
        "value": answer.value,
        "is_blank": answer.is_blank,
        "confidence": answer.confidence,
        "grounding": answer.grounding.how.value if answer.grounding else None,
    }
    cited = [
        {"doc": one.document, "node": one.node, **_pages(one.pages), "quote": one.quote} for one in answer.citations
    ]
    return [{**said, **one} for one in cited or [{"doc": None, "node": None, **_pages(None), "quote": None}]]


@records.register
def _(report: Report) -> list[dict[str, Any]]:
    """A row a section."""
    return [
        {
            "question": section.question,
            "statement": section.statement,
            "value": section.answer.value,
            "is_blank": section.answer.is_blank,
            "confidence": section.answer.confidence,
            "docs": ", ".join(section.answer.references),
            "conflicts": len(section.conflicts),
        }
        for section in report.sections
    ]


@records.register
def _(documents: Documents) -> list[dict[str, Any]]:
    keys = list(dict.fromkeys(key for document in documents for key in document.metadata))
    return [
        {
            **{key: one.metadata.get(key) for key in keys},
            "id": one.id,
            "title": one.title,
            "pages": one.pages or None,
            "sources": ", ".join(one.sources),
        }
        for one in documents
    ]


def _pages(pages: tuple[int, int] | None) -> dict[str, int | None]:
    first, last = pages or (None, None)
    return {"first_page": first, "last_page": last}

"""Answers as a file: a submission's rows as CSV, or Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from answerer.answer import Answer, Citation, Question
from answerer.submission import COLUMNS, row
from kohaku.doors.display import page_span
from kohaku.doors.report import escaped
from kohaku.doors.web.shapes import CitationOut, Said


def as_csv(answers: Sequence[Said]) -> str:
    """The submission that has these answers, in their order."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    for number, told in enumerate(answers, start=1):
        known = {source.id: {"url": source.url} for source in told.sources}
        writer.writerow(row(_answer(told, f"q{number}"), known))
    return text.getvalue()


def as_markdown(answers: Sequence[Said]) -> str:
    """The answers with their numbered quotes and sources, in which no text of a document is a mark."""
    return "\n\n".join("\n".join(_lines(one)) for one in answers) + "\n"


def _answer(told: Said, id: str) -> Answer:
    """What a row of a submission is made from."""
    return Answer(
        Question(id, told.question, told.unit),
        told.text,
        told.value,
        told.explanation,
        references=tuple(source.id for source in told.sources),
        citations=tuple(Citation(one.document, one.node, one.pages, one.quote) for one in told.citations),
        is_blank=told.is_blank,
    )


def _lines(answer: Said) -> Iterator[str]:
    yield f"# {escaped(answer.question)}"
    yield ""
    if answer.is_blank:
        yield "The documents hold no answer that was found."
    else:
        yield escaped(answer.text) + "".join(f" [{one.number}]" for one in answer.citations)
        yield ""
        yield f"- Value: {escaped(answer.value)} {escaped(answer.unit)}".rstrip()
        if answer.grounding:
            note = f" ({escaped(answer.grounding.note)})" if answer.grounding.note else ""
            yield f"- In the evidence: {answer.grounding.how}{note}"
    yield f"- Confidence: {answer.confidence:.2f}"
    if answer.explanation:
        yield f"- Why: {escaped(answer.explanation)}"
    if answer.citations:
        yield ""
        yield "## Sources"
        yield ""
        yield from map(_source, answer.citations)


def _source(citation: CitationOut) -> str:
    title = f"{citation.title} " if citation.title else ""
    pages = f", {page_span(citation.pages)}" if citation.pages else ""
    return f"{citation.number}. “{escaped(citation.quote)}” {escaped(title)}({escaped(citation.node)}{pages})"

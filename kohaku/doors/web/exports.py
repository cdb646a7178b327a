"""An answer as a file: the submission's row as CSV, JSON, Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from answerer.answer import Answer
from answerer.submission import COLUMNS, row
from kohaku.doors.display import page_span
from kohaku.doors.report import escaped
from kohaku.doors.web.shapes import AnswerOut, CitationOut


def as_csv(answer: Answer, documents: Mapping[str, Mapping[str, str]]) -> str:
    """The submission that has this one answer; `documents` holds the metadata of each by id."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerow(row(answer, documents))
    return text.getvalue()


def as_markdown(answer: AnswerOut) -> str:
    """The answer with its numbered quotes and their sources, in which no text of a document is a mark."""
    return "\n".join(_lines(answer)) + "\n"


def _lines(answer: AnswerOut) -> Iterator[str]:
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

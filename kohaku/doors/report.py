"""A report as Markdown and as an object for JSON; text of documents and models stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from answerer.answer import Answer, Citation
from answerer.synthesize import Report, Section
from kohaku.doors.display import answer_object, check_line, one_line, page_span

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|!~])")
_AT_START = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|$)")


def escaped(text: str) -> str:
    """Text on one line in which Markdown and HTML see no marks.

    >>> escaped("<b>1_000</b>"), escaped("- a")
    ('\\\\<b\\\\>1\\\\_000\\\\</b\\\\>', '\\\\- a')
    """
    return _AT_START.sub(r"\1\\\2", _MARKS.sub(r"\\\1", one_line(text).replace("&", "&amp;")))


def markdown(report: Report) -> str:
    """The whole report: question, sections with numbered citations, conflicts, what is lacking, summary, sources."""
    sources: dict[Citation, int] = {}
    lines = [f"# {escaped(report.question)}", ""]
    for section in report.sections:
        lines += [f"## {escaped(section.question)}", "", *_section(section, sources), ""]
    if report.lacks:
        lines += ["## What the documents lack", "", *(f"- {escaped(question)}" for question in report.lacks), ""]
    lines += ["## Summary", "", escaped(report.summary), ""]
    if report.check is not None:
        lines += [f"*{escaped(check_line(report.check))}*", ""]
    if sources:
        lines += ["## Sources", "", *(f"{number}. {_source(one)}" for one, number in sources.items()), ""]
    return "\n".join(lines)


def report_object(report: Report) -> dict[str, Any]:
    """The report as JSON, every answer with its citations."""
    return {
        "question": report.question,
        "answer": answer_object(report.answer),
        "sections": [
            {
                "question": one.question,
                "statement": one.statement,
                "answer": answer_object(one.answer),
                "conflicts": [answer_object(other) for other in one.conflicts],
            }
            for one in report.sections
        ],
        "lacks": list(report.lacks),
        "summary": report.summary,
        "check": None if report.check is None else asdict(report.check),
    }


def _section(section: Section, sources: dict[Citation, int]) -> Iterator[str]:
    yield f"{escaped(section.statement)}{_marks(section.answer, sources)}"
    if not section.answer.is_blank and not section.answer.is_grounded:
        yield "\n*The value does not follow from what is cited for it.*"
    for other in section.conflicts:
        yield f"\n*Conflict:* {escaped(', '.join(other.references))} says {escaped(other.text)}{_marks(other, sources)}"
    for found in section.contradicted:
        document, mark = found.citation.document, _mark(found.citation, sources)
        yield f"\n*Conflict:* {escaped(document)} says {escaped(found.value)}{mark}"


def _marks(answer: Answer, sources: dict[Citation, int]) -> str:
    """The numbers of an answer's citations, each source numbered once."""
    return "".join(_mark(one, sources) for one in answer.citations)


def _mark(citation: Citation, sources: dict[Citation, int]) -> str:
    return f" [{sources.setdefault(citation, len(sources) + 1)}]"


def _source(citation: Citation) -> str:
    pages = f", {page_span(citation.pages)}" if citation.pages else ""
    return f"{escaped(citation.document)}{pages}: “{escaped(citation.quote)}” ({escaped(citation.node)})"

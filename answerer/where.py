"""Where values are looked for: the contexts that are cited, and the quotes in them that were found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from answerer.answer import Citation, Question, Span
from answerer.asking import asked, terms
from answerer.units import Unit
from answerer.values import Value
from kohaku.words import CJK
from retriever.evidence import GAP, Context

_FOREIGN = re.compile(f"[{CJK}]")  # no word of the question can stand there


@dataclass(frozen=True, slots=True)
class Where:
    """What is asked, the contexts that a value is looked for in, and the quotes in them that were found."""

    question: Question
    contexts: Sequence[Context]
    citations: Sequence[Citation] = ()

    def unit(self, wanted: Value | None = None) -> Unit | None:
        """The unit that is asked for, else the value's own."""
        own = wanted.quantity.unit if wanted is not None and wanted.quantity is not None else None
        return asked(self.question).unit or own

    def weight(self, context: Context, start: int, end: int) -> tuple[bool, int]:
        """How much speaks for a line: that it is quoted, then how many of the question's words it has."""
        line = context.text[start:end]
        quoted = any(citation.node == context.node and _overlap(citation.quote, line) for citation in self.citations)
        return quoted, len(held(self.question.text) & held(line))

    def bears(self, context: Context, start: int, end: int) -> bool:
        """Whether a line has a word of the question, itself or in what stands over it: any other holds by chance."""
        if _FOREIGN.search(context.text[start:end]) and not _FOREIGN.search(self.question.text):
            return True
        wanted = held(self.question.text)
        around = " ".join((context.text[max(0, start - 300) : end + 100], context.title, *context.headings))
        return not wanted or bool(wanted & held(around)) or self.weight(context, start, end)[0]

    @staticmethod
    def span(context: Context, *places: tuple[int, int]) -> Span:
        """Lines of a context as what bears a value."""
        words = GAP.join(context.text[slice(*line)].strip() for line in dict.fromkeys(places))
        return Span(context.document, context.node, words)


def _overlap(quote: str, line: str) -> bool:
    one, other = " ".join(quote.split()), " ".join(line.split())
    return other in one or any(part.strip() in other for part in one.split(GAP))


@lru_cache(maxsize=4096)
def held(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(terms(text))

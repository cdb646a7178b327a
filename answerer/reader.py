"""A model reads the evidence; what it says is taken only as far as the evidence bears it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar

from answerer.answer import Answer, Citation, Question
from answerer.prompts import AnswerReply, alias, arranged, prompt
from answerer.quantities import Quantity, quantities
from answerer.quotes import align
from answerer.units import unit_asked
from answerer.values import BLANK, Form, asks_true_or_false, is_blank, normalise, parse
from kohaku.chat import Chat
from kohaku.choices import Order
from kohaku.errors import ContextTooLong
from retriever.evidence import Context, Evidence

T = TypeVar("T")

CLOSE = Decimal("1e-6")  # two spellings of one number; far below the difference of two years
NAMED = re.compile(r"ref_id\s*=\s*([^\s\])]+)", re.IGNORECASE)
AROUND = " \t\n'\"`“”()[]{}<>.,;"
SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")


def read(question: Question, evidence: Evidence, chat: Chat, *, order: Order = "best_first") -> Answer:
    """A model's answer, checked against the evidence; with none there is nothing to ask.

    Where the prompt is too long, the better half of the contexts is read instead; raises ContextTooLong when one is
    too long by itself, ModelError and ReplyError where the model fails: a failure is never an abstention.
    """
    contexts = evidence.contexts
    while contexts:
        try:
            reply = chat.ask(prompt(question, arranged(contexts, order)), AnswerReply)
        except ContextTooLong:
            if len(contexts) == 1:
                raise
            contexts = contexts[: len(contexts) // 2]
        else:
            return checked(question, contexts, reply)
    return abstention(question, "Nothing was found.")


def checked(question: Question, contexts: Sequence[Context], reply: AnswerReply) -> Answer:
    """The answer with the references and quotes that are in the evidence; an abstention where none is."""
    value = normalise(reply.answer_value, question.unit, question.text)
    if reply.is_blank or is_blank(value):
        return abstention(question, reply.explanation)
    references, strangers = resolved(reply.ref_id, contexts)
    found = [align(quote, _first(contexts, references)) for quote in reply.quotes]
    citations = _distinct(citation for citation in found if citation)
    dropped = strangers + found.count(None)
    references = references or _distinct(citation.document for citation in citations)
    if not citations:
        citations = _shown(question, value, contexts, references)
        references = references or _distinct(citation.document for citation in citations)
    if not references:
        return replace(abstention(question, "No document of the evidence supports the answer given."), dropped=dropped)
    text = value if is_blank(reply.answer) else reply.answer.strip()
    return Answer(question, text, value, reply.explanation.strip(), references, citations, dropped=dropped)


def abstention(question: Question, explanation: str) -> Answer:
    """The answer that there is none in the evidence."""
    said = "" if is_blank(explanation) else explanation.strip()
    return Answer(question, BLANK, BLANK, said, is_blank=True)


def resolved(names: Iterable[str], contexts: Sequence[Context]) -> tuple[tuple[str, ...], int]:
    """The documents that a model named, each once, and how many of its names are no document of the evidence."""
    index = Names.of(contexts)
    found: list[str | None] = []
    for name in names:
        headers = NAMED.findall(name)
        whole = index.document(name) if len(headers) < 2 else None
        pieces = [name] if whole else headers or re.split("[,;]", name)
        found += [index.document(piece) for piece in pieces if not is_blank(piece)]
    return _distinct(document for document in found if document is not None), found.count(None)


@dataclass(frozen=True, slots=True)
class Names:
    """What a model may call the documents of the evidence: by id, by the id in the header, by a node, by title."""

    exact: Mapping[str, str]
    folded: Mapping[str, str]

    @classmethod
    def of(cls, contexts: Sequence[Context]) -> Names:
        """The names of the contexts' documents; where two share one, the better context's is meant."""
        exact: dict[str, str] = {}
        folded: dict[str, str] = {}
        for name in ("document", "node", "title"):  # an id before another document's title
            for context in contexts:
                written = getattr(context, name)
                for spelling in filter(None, (written, alias(written))):
                    if name != "title":
                        exact.setdefault(spelling, context.document)
                    folded.setdefault(spelling.casefold(), context.document)
        return cls(exact, folded)

    def document(self, name: str) -> str | None:
        """The document meant by a name: as it stands, in a header or with quotes around it, in any case."""
        header = NAMED.search(name)
        spellings = [name, name.strip(), *([header[1]] if header else []), name.strip(AROUND)]
        for spelling in spellings:
            if spelling in self.exact:
                return self.exact[spelling]
        return next((self.folded[s.casefold()] for s in spellings if s.casefold() in self.folded), None)


def _shown(
    question: Question, value: str, contexts: Sequence[Context], references: Sequence[str]
) -> tuple[Citation, ...]:
    """Where the value stands: in each referenced document, or, where none is named, in the best context that has it."""
    if asks_true_or_false(question.text):
        return ()  # a 1 somewhere shows nothing
    citations: dict[str, Citation] = {}
    for context in contexts:
        if context.document in citations or (references and context.document not in references):
            continue
        sentence = sentence_with(value, question.unit, context.text)
        citation = align(sentence, [context]) if sentence else None
        if citation:
            citations[context.document] = citation
            if not references:
                break
    return tuple(citations.values())


def sentence_with(value: str, unit_name: str, text: str) -> str:
    """The first sentence or line of a text that holds a value, in whatever spelling; "" where none does.

    >>> sentence_with("1100000", "liters", "It is dry. They drew 1.1 million litres. Then rain.")
    'They drew 1.1 million litres.'
    """
    return next(
        (part.strip() for part in SENTENCE_END.split(text) if part.strip() and _holds(part, value, unit_name)), ""
    )


def _holds(text: str, value: str, unit_name: str) -> bool:
    wanted = parse(value)
    if wanted.form in (Form.NUMBER, Form.RANGE) and wanted.low is not None and wanted.high is not None:
        amounts = [amount for found in quantities(text) for amount in _amounts(found, unit_name)]
        return all(any(_equal(amount, end) for amount in amounts) for end in (wanted.low, wanted.high))
    pattern = r"\s+".join(map(re.escape, value.split()))
    return bool(pattern) and re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE) is not None


def _amounts(found: Quantity, unit_name: str) -> list[Decimal]:
    asked = unit_asked(unit_name)
    converted = found.amounts(asked) if asked else None
    return [found.low, found.high, *(converted or ())]


def _equal(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= CLOSE * abs(other)


def _first(contexts: Sequence[Context], documents: Sequence[str]) -> list[Context]:
    """The contexts with those of some documents first: a quote is looked for where the model says it is."""
    return sorted(contexts, key=lambda context: context.document not in documents)


def _distinct(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))

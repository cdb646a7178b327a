"""A model reads the evidence; what it says is taken only as far as the evidence bears it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel

from answerer.answer import Answer, Citation, Grounding, How, Question, Span, abstention
from answerer.ground import ground
from answerer.pictures import Picture, beside, listed, quoted, seen, with_pictures
from answerer.prompts import AnswerReply, alias, arranged, prompt
from answerer.quotes import align, key
from answerer.values import is_blank, normalise
from kohaku.chat import Chat, Message
from kohaku.choices import Order
from kohaku.errors import ContextTooLong, NoPictures
from kohaku.profile import DEFAULT, Profile
from retriever.evidence import Context, Evidence

T = TypeVar("T")
Reply = TypeVar("Reply", bound=BaseModel)

NAMED = re.compile(r"ref_id\s*=\s*([^\s\])]+)", re.IGNORECASE)
SILENT = "The model found no answer in the evidence."
AROUND = " \t\n'\"`“”()[]{}<>.,;"


def read(
    question: Question,
    evidence: Evidence,
    chat: Chat,
    *,
    order: Order = "best_first",
    profile: Profile = DEFAULT,
    pictures: Sequence[Picture] = (),
    room: int = 0,
) -> Answer:
    """A model's answer, checked against the evidence; with none there is nothing to ask.

    `pictures` of figures among the evidence are sent along, in place of the worst contexts where all is more than the
    `room` (tokens); a model that takes none is asked without.

    Where the prompt is too long, the better half of the contexts is read instead; raises ContextTooLong when one is
    too long by itself, ModelError and ReplyError where the model fails: a failure is never an abstention.
    """
    if not evidence.contexts:
        return abstention(question, "Nothing was found.")
    told = fitted(
        lambda contexts, pictures: prompt(question, arranged(contexts, order), profile, pictures=listed(pictures)),
        AnswerReply,
        chat,
        evidence.contexts,
        pictures,
        room,
    )
    return seen(checked(question, told.contexts, told.reply, told.pictures), told.pictures)


@dataclass(frozen=True, slots=True)
class Told(Generic[Reply]):
    """What a model replied, and the contexts and pictures that it saw."""

    reply: Reply
    contexts: Sequence[Context]
    pictures: Sequence[Picture]


def fitted(
    messages: Callable[[Sequence[Context], Sequence[Picture]], Sequence[Message]],
    schema: type[Reply],
    chat: Chat,
    contexts: Sequence[Context],
    pictures: Sequence[Picture],
    room: int,
) -> Told[Reply]:
    """A model's reply to messages about contexts and pictures, as many of them as it takes.

    Pictures take the place of the worst contexts where all is more than the `room` (tokens); a model that takes none
    is asked without. Where the prompt is too long, the better half of the contexts is read instead; raises
    ContextTooLong where one is too long by itself.
    """
    held = beside(contexts, pictures, room) if pictures else tuple(contexts)
    while True:
        try:
            reply = chat.ask(with_pictures(messages(held, pictures), pictures), schema)
        except NoPictures:
            held, pictures = tuple(contexts), ()
        except ContextTooLong:
            if len(held) == 1:
                raise
            held = held[: len(held) // 2]
        else:
            return Told(reply, held, pictures)


def checked(
    question: Question, contexts: Sequence[Context], reply: AnswerReply, pictures: Sequence[Picture] = ()
) -> Answer:
    """The answer with what of its references and quotes is in the evidence; an abstention where nothing is."""
    value = normalise(reply.answer_value, question.unit, question.text)
    if reply.is_blank or is_blank(value):
        return abstention(question, SILENT if is_blank(reply.explanation) else reply.explanation)
    references, strangers = resolved(reply.ref_id, contexts)
    found = [quoted(quote, pictures) or align(quote, _first(contexts, references)) for quote in reply.quotes]
    quotes = _distinct(citation for citation in found if citation)
    dropped = strangers + found.count(None)
    named = references or _distinct(citation.document for citation in quotes)
    said = f"{reply.explanation}\n{reply.answer}"
    grounding = ground(question, value, said, _of(contexts, named), quotes)
    if {value, normalise(reply.answer, question=question.text)} == {"0", "1"}:
        grounding = Grounding(How.UNGROUNDED)  # the answer calls false what its value calls true
    if not named:  # where the model names no document, the best one that bears the value is meant
        grounding = replace(grounding, spans=grounding.spans[:1])
    supported = supporting(named, quotes, grounding, contexts)
    if not supported:
        return replace(abstention(question, "No document of the evidence supports the answer given."), dropped=dropped)
    bearing = {context.node for context in _of(contexts, supported)}
    text = value if is_blank(reply.answer) else reply.answer.strip()
    citations = (*quotes, *_borne(grounding, quotes, contexts))
    return Answer(
        question,
        text,
        value,
        reply.explanation.strip(),
        supported,
        tuple(one for one in citations if one.node in bearing),
        dropped=dropped,
        grounding=grounding,
    )


def supporting(
    named: Sequence[str], quotes: Sequence[Citation], grounding: Grounding, contexts: Sequence[Context]
) -> tuple[str, ...]:
    """The documents that bear the value or were quoted; those that were named where none does, for whoever checks.

    What says the same in another document bears it there as well.
    """
    nodes = {span.node for span in grounding.spans} | {citation.node for citation in quotes}
    bearing = {span.document for span in grounding.spans} | {citation.document for citation in quotes}
    bearing |= {document for context in contexts if context.node in nodes for document in context.documents}
    kept = tuple(document for document in named if document in bearing)
    return kept or tuple(named) or _distinct(span.document for span in grounding.spans)


def _of(contexts: Sequence[Context], documents: Sequence[str]) -> list[Context]:
    """The contexts that any of the documents holds; all where none is named."""
    return [one for one in contexts if not documents or not set(documents).isdisjoint(one.documents)]


def _borne(grounding: Grounding, quotes: Sequence[Citation], contexts: Sequence[Context]) -> tuple[Citation, ...]:
    """What bears the value, as citations, where the model quoted none of it."""
    places = {context.node: context for context in contexts}
    missing = (span for span in grounding.spans if span.node in places and not _is_quoted(span, quotes))
    found = (align(span.text, [places[span.node]]) for span in missing)
    return _distinct(citation for citation in found if citation)


def _is_quoted(span: Span, quotes: Sequence[Citation]) -> bool:
    words = key(span.text).text
    said = (key(one.quote).text for one in quotes if one.document == span.document)
    return any(quote in words or words in quote for quote in said)


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
        for document in (document for context in contexts for document in context.documents[1:]):
            for spelling in (document, alias(document)):
                exact.setdefault(spelling, document)
                folded.setdefault(spelling.casefold(), document)
        return cls(exact, folded)

    def document(self, name: str) -> str | None:
        """The document meant by a name: as it stands, in a header or with quotes around it, in any case."""
        header = NAMED.search(name)
        spellings = [name, name.strip(), *([header[1]] if header else []), name.strip(AROUND)]
        for spelling in spellings:
            if spelling in self.exact:
                return self.exact[spelling]
        return next((self.folded[s.casefold()] for s in spellings if s.casefold() in self.folded), None)


def _first(contexts: Sequence[Context], documents: Sequence[str]) -> list[Context]:
    """The contexts with those of some documents first: a quote is looked for where the model says it is."""
    return sorted(contexts, key=lambda context: context.document not in documents)


def _distinct(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))

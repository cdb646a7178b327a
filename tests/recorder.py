"""Every prompt that the stages write, by the schema that it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from answerer.answer import Answer, Citation, Question
from answerer.reader import read
from answerer.refine import Example, read_twice
from answerer.synthesize import Section, report
from indexer.captions import prompt
from kohaku.chat import Message
from kohaku.profile import DEFAULT, Profile
from kohaku.request import schema_name
from kohaku.tree import Document, Kind
from retriever.decompose import asked as split
from retriever.evidence import Context, Evidence
from retriever.filters import sections, sources
from retriever.plan import asked as planned
from retriever.plan import imagined
from retriever.rerank import ChatReranker

T = TypeVar("T", bound=BaseModel)

QUESTION = "How much water did Lake Site draw in 2023, in m3?"
TEXT = "Lake Site drew 120 m3 of water in 2023."
REPLIES: dict[str, dict[str, Any]] = {
    "query_plan": {"queries": ["water Lake Site"]},
    "decomposition": {"needs_decomposition": False},
    "source_filter": {"useful": [1]},
    "section_filter": {"useful": [1]},
    "answer": {"explanation": "", "answer": "120 m3", "answer_value": "120", "ref_id": ["lake"], "quotes": [TEXT]},
    "draft": {"draft": TEXT},
    "citations": {"citations": [1]},
    "refined": {"answer": "120 m3", "answer_value": "120"},
}


class Recorder:
    """A model that says the same to all, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[Message, ...]]] = []

    def ask(self, messages: Sequence[Message], schema: type[T]) -> T:
        self.asked.append((schema_name(schema), tuple(messages)))
        return schema.model_validate(REPLIES[schema_name(schema)])

    def written(self) -> str:
        """All that was asked, as one text."""
        return "".join(
            f"##### {name} {message.role}\n{message.content}\n" for name, said in self.asked for message in said
        )


def context(document: str, text: str = TEXT) -> Context:
    return Context(document, "Lake", f"{document}:s1:p1", Kind.PARAGRAPH, (3, 4), ("Water",), 1.0, text, 12)


def evidence(*contexts: Context) -> Evidence:
    return Evidence(QUESTION, (QUESTION,), contexts)


def record(profile: Profile = DEFAULT, *, examples: Sequence[Example] = (Example("How long?", "3 km."),)) -> Recorder:
    """All stages that ask a model, each once."""
    chat = Recorder()
    both = (context("lake"), context("hall", "North Hall drew 80 m3."))
    documents = [Document("lake", "Lake", (), "", ""), Document("hall", "Hall", (), "", "")]
    asked = Question("", QUESTION, "m3")
    planned(QUESTION, chat, 3, profile)
    imagined(QUESTION, chat, on_failure=lambda error: None, profile=profile)
    split(QUESTION, chat, profile)
    sources(QUESTION, documents, {"lake": TEXT}, chat, profile=profile)
    sections(QUESTION, both, chat, budget=100, profile=profile)
    ChatReranker(chat, profile).scores(QUESTION, [TEXT, "Other."])
    read(asked, evidence(*both), chat, profile=profile)
    read_twice(asked, evidence(*both), chat, examples=examples, profile=profile)
    answer = Answer(asked, TEXT, "120", "", ("lake",), (Citation("lake", "lake:s1:p1", (3, 4), TEXT),))
    report(QUESTION, answer, [Section(QUESTION, answer)], chat, profile)
    chat.asked.append(("caption", tuple(prompt(b"\x89PNG", TEXT, profile))))
    return chat

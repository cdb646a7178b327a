from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from answerer.answer import Answer, How, Question
from answerer.prompts import AnswerReply
from answerer.reader import SILENT, checked, read, resolved
from answerer.respond import respond
from kohaku.chat import Message
from kohaku.errors import ContextTooLong, ReplyError
from kohaku.replies import parse
from kohaku.tree import Kind
from retriever.evidence import Context, Copy, Evidence

T = TypeVar("T", bound=BaseModel)

LAKE = "The site is dry. Its power usage effectiveness was 1.13 in 2023. Nobody lives there."
HILL = "The hill site drew 4,300 kWh.\nIts cooling is by water."


class ScriptedChat:
    """Replies what it was given, an exception by raising it; remembers the prompts."""

    def __init__(self, *replies: str | Exception) -> None:
        self.replies, self.prompts = list(replies), list[str]()

    def ask(self, messages: Sequence[Message], schema: type[T]) -> T:
        self.prompts.append(messages[-1].content)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return parse(reply, schema)


def context(text: str, document: str, number: int = 1) -> Context:
    return Context(document, document.title(), f"{document}:p{number}", Kind.PARAGRAPH, (2, 2), (), 1.0, text, 5)


CONTEXTS = (context(LAKE, "lake"), context(HILL, "hill:2024 [b]"))


def reply(value: str = "1.13", **changes: Any) -> str:
    whole = {"explanation": "It says so.", "answer": "PUE 1.13", "answer_value": value, "ref_id": ["lake"]}
    return AnswerReply.model_validate({**whole, "quotes": [], "is_blank": False, **changes}).model_dump_json()


def answered(said: str, *, unit: str = "", question: str = "What was the PUE?") -> Answer:
    return read(Question("q1", question, unit), Evidence(question, (question,), CONTEXTS), ScriptedChat(said))


def test_a_verdict_that_its_own_answer_denies_is_not_grounded() -> None:
    asked = "True or False: The lake site is dry."
    quotes = ["The site is dry."]
    agreeing, torn = (
        answered(reply("1", answer=answer, quotes=quotes), question=asked) for answer in ("True, it is.", "False")
    )
    assert agreeing.grounding and agreeing.grounding.how is How.STATED
    assert torn.grounding and torn.grounding.how is How.UNGROUNDED


def test_an_answer_carries_value_reference_and_the_place_of_its_quote() -> None:
    answer = answered(reply(quotes=["power usage  effectiveness was 1.13"]))
    assert (answer.value, answer.text, answer.references, answer.is_blank) == ("1.13", "PUE 1.13", ("lake",), False)
    [citation] = answer.citations
    assert (citation.document, citation.node, citation.pages) == ("lake", "lake:p1", (2, 2))
    assert citation.quote in LAKE
    assert answer.dropped == 0


def test_references_and_quotes_that_are_not_in_the_evidence_are_dropped_and_counted() -> None:
    answer = answered(reply(ref_id=["lake", "sea2020"], quotes=["The sea is full of unheard-of salt."]))
    assert (answer.references, answer.dropped) == (("lake",), 2)
    assert [citation.quote for citation in answer.citations] == ["Its power usage effectiveness was 1.13 in 2023."]


@pytest.mark.parametrize(
    "name",
    [
        "hill:2024 [b]",
        "hill:2024%20%5Bb%5D",
        "HILL:2024%20%5bB%5D",
        "[ref_id=hill:2024%20%5Bb%5D]",
        "[ref_id=hill:2024%20%5Bb%5D node=hill:2024%20%5Bb%5D:p1 pages=2]",
        "ref_id=hill:2024%20%5Bb%5D",
        " 'hill:2024%20%5Bb%5D' ",
        "hill:2024 [b]:p1",
        "Hill:2024 [B]",
    ],
)
def test_a_document_is_known_by_whatever_a_model_calls_it_colons_and_brackets_too(name: str) -> None:
    assert resolved([name], CONTEXTS) == (("hill:2024 [b]",), 0)


@pytest.mark.parametrize(
    "both", ["lake, hill:2024%20%5Bb%5D", "[ref_id=lake node=n], [ref_id=hill:2024%20%5Bb%5D node=n]"]
)
def test_two_documents_in_one_string_are_two_references(both: str) -> None:
    assert resolved([both], CONTEXTS) == (("lake", "hill:2024 [b]"), 0)


def test_a_string_of_ids_where_a_list_is_wanted_is_several_references() -> None:
    both = reply(quotes=["Its cooling is by water."]).replace('["lake"]', '"lake, hill:2024%20%5Bb%5D"')
    assert answered(both).references == ("lake", "hill:2024 [b]")


@pytest.mark.parametrize("nothing", [["is_blank"], "is_blank", ["n/a"], [], ""])
def test_a_reference_called_is_blank_is_none(nothing: object) -> None:
    assert resolved(
        parse(reply().replace('["lake"]', repr(nothing).replace("'", '"')), AnswerReply).ref_id, CONTEXTS
    ) == ((), 0)


def test_ids_that_differ_in_case_only_are_told_apart() -> None:
    assert resolved(["A", "a"], [context("x", "a"), context("y", "A")]) == (("A", "a"), 0)


@pytest.mark.parametrize(
    "said",
    [reply(is_blank=True), reply("is_blank"), reply(""), reply("n/a"), reply("is_blank", is_blank=True, ref_id=[])],
)
def test_a_model_that_abstains_gives_an_abstention_without_references(said: str) -> None:
    answer = answered(said)
    assert (answer.is_blank, answer.references, answer.citations) == (True, (), ())
    assert answer.explanation == "It says so."


@pytest.mark.parametrize("nothing", ["", "is_blank", " n/a "])
def test_an_abstention_says_that_nothing_was_found_where_the_model_does_not_say_why(nothing: str) -> None:
    assert answered(reply(is_blank=True, explanation=nothing)).explanation == SILENT


@pytest.mark.parametrize("text", ["{}", '{"answer": "x", "ref_id": ["lake"]}', "sorry"])
def test_a_reply_that_lacks_properties_is_an_error_never_a_silent_blank(text: str) -> None:
    with pytest.raises(ReplyError):
        answered(text)


def test_a_reply_cut_off_after_its_references_is_an_answer_that_its_evidence_bears() -> None:
    whole = reply(quotes=["power usage effectiveness was 1.13", "Nobody lives there."])
    cut = whole[: whole.index("Nobody")]
    answer = answered(cut)
    assert (answer.value, answer.references, len(answer.citations)) == ("1.13", ("lake",), 1)
    assert answered(cut.replace('"1.13"', '"is_blank"')).is_blank


def test_an_answer_without_reference_takes_the_document_of_its_quote() -> None:
    answer = answered(reply("4300", ref_id=["nowhere"], quotes=["The hill site drew 4,300 kWh."]), unit="kWh")
    assert (answer.references, answer.value) == (("hill:2024 [b]",), "4300")


@pytest.mark.parametrize(("value", "unit"), [("4300", "kWh"), ("4.3", "MWh"), ("by water", "")])
def test_without_quote_too_it_takes_the_document_that_holds_the_value(value: str, unit: str) -> None:
    answer = answered(reply(value, ref_id=[]), unit=unit)
    assert answer.references == ("hill:2024 [b]",)
    assert answer.citations[0].quote in HILL


@pytest.mark.parametrize(
    ("value", "question"), [("77", "What was it?"), ("Mars", "Where is it?"), ("1", "True or False: it rained.")]
)
def test_an_answer_that_nothing_supports_is_an_abstention(value: str, question: str) -> None:
    answer = answered(reply(value, ref_id=["sea"]), question=question)
    assert (answer.is_blank, answer.dropped) == (True, 1)


def test_a_range_and_a_truth_value_come_out_as_the_contest_wants_them() -> None:
    assert answered(reply("80–90 %"), unit="%").value == "[80,90]"
    assert answered(reply("True"), question="True or False: it is dry.").value == "1"


def test_a_prompt_that_is_too_long_is_asked_again_with_the_better_half() -> None:
    contexts = tuple(context(f"Text {n}: 1.13.", "lake", n) for n in range(8))
    chat = ScriptedChat(ContextTooLong("long"), ContextTooLong("long"), reply())
    answer = read(Question("q", "PUE?"), Evidence("PUE?", (), contexts), chat)
    assert [prompt.count("[ref_id=") for prompt in chat.prompts] == [8, 4, 2]
    assert "Text 0" in chat.prompts[-1]
    assert answer.value == "1.13"


def test_a_prompt_that_is_too_long_neither_plans_nor_searches_anew() -> None:
    chat, searches = ScriptedChat(ContextTooLong("long"), reply()), list[int]()

    def retrieve(times: int, more: Sequence[str]) -> Evidence:
        searches.append(times)
        return Evidence("PUE?", ("PUE?",), CONTEXTS)

    answer = respond(Question("q", "PUE?"), retrieve, lambda asked, found: read(asked, found, chat), retries=2)
    assert (searches, answer.attempts, answer.value) == ([1], 1, "1.13")


def test_one_context_that_is_too_long_by_itself_is_an_error() -> None:
    chat = ScriptedChat(ContextTooLong("long"), ContextTooLong("long"))
    with pytest.raises(ContextTooLong):
        read(Question("q", "PUE?"), Evidence("PUE?", (), CONTEXTS), chat)


def test_without_evidence_no_model_is_asked() -> None:
    chat = ScriptedChat()
    assert read(Question("q", "PUE?"), Evidence("PUE?", (), ()), chat).is_blank
    assert chat.prompts == []


@pytest.mark.parametrize("named", [["copy"], ["lake", "copy"], ["copy", "hill:2024 [b]"]])
def test_another_place_that_says_the_same_is_a_reference_where_it_bears_the_value(named: list[str]) -> None:
    twice = replace(context(LAKE, "lake"), also=(Copy("copy", "copy:p1", (1, 1)),))
    reply = AnswerReply(
        explanation="",
        is_blank=False,
        answer="1.13",
        answer_value="1.13",
        ref_id=named,
        quotes=["effectiveness was 1.13"],
    )
    answer = checked(Question("q1", "What was the PUE?", ""), [twice, context(HILL, "hill:2024 [b]")], reply)
    assert answer.references == tuple(name for name in named if name != "hill:2024 [b]")
    assert [citation.node for citation in answer.citations] == ["lake:p1"]
    assert answer.dropped == 0

"""Which questions are split, into what, and who decides it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from kohaku.chat import Message
from kohaku.errors import KohakuError, ModelError, NoAccess, ReplyError
from retriever.decompose import MOST, Aim, Part, SubQuery, decompose, may_have_parts, numbered, ruled

T = TypeVar("T", bound=BaseModel)
PAIR = "Did Lake Site or North Hall use more water in 2023?"
SINGLE = "How full was Isbrook Reservoir on 9 September?"


class Splitter:
    """A model that splits as it was told to, and counts how often it was asked."""

    def __init__(self, *queries: str, needs: bool = True, error: KohakuError | None = None) -> None:
        self.reply: dict[str, Any] = {
            "needs_decomposition": needs,
            "sub_queries": [{"id": number, "query": query} for number, query in enumerate(queries, start=1)],
            "logic_flow": "one after the other",
        }
        self.error, self.asked = error, 0

    def ask(self, messages: Sequence[Message], schema: type[T]) -> T:
        self.asked += 1
        if self.error:
            raise self.error
        return schema.model_validate(self.reply)


def texts(question: str) -> list[str]:
    return [part.text for part in ruled(question)]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (PAIR, ["Did Lake Site use more water in 2023?", "Did North Hall use more water in 2023?"]),
        (
            "What is the difference in PUE between Lake Site and North Hall?",
            ["What is the difference in PUE in Lake Site?", "What is the difference in PUE in North Hall?"],
        ),
        (
            "Is the board power of the BX-9 lower in revision B than in revision A?",
            [
                "Is the board power of the BX-9 lower in revision B?",
                "Is the board power of the BX-9 lower in revision A?",
            ],
        ),
        (
            "How much more water did Lake Site use than North Hall?",
            ["How much more water did Lake Site use?", "How much more water did North Hall use?"],
        ),
        (
            "Did the margin change between FY2022 and Q2 of FY2023?",
            ["Did the margin change in FY2022?", "Did the margin change in Q2 of FY2023?"],
        ),
        (
            "Which emitted more in 2020, GPT-3 or T5?",
            ["Which emitted more in 2020, GPT-3?", "Which emitted more in 2020, T5?"],
        ),
        (
            "What are the total assets and the total debt of Acme in 2023?",
            ["What are the total assets of Acme in 2023?", "What are the total debt of Acme in 2023?"],
        ),
        (
            "What is the difference between the share of wind power sold and the share of wind power made?",
            ["the share of wind power sold", "the share of wind power made"],
        ),
        (
            "Who founded Acme and when was it sold?",
            ["Who founded Acme?", "When was it sold (Acme)?"],
        ),
        (
            "What is the PUE of Lake Site? And how much water did North Hall use?",
            ["What is the PUE of Lake Site?", "How much water did North Hall use?"],
        ),
        ("松德里港和北港的岸电时间差是多少?", ["松德里港的岸电时间差是多少?", "北港的岸电时间差是多少?"]),
    ],
)
def test_comparisons_and_conjunctions_are_split_without_a_model(question: str, parts: list[str]) -> None:
    assert texts(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        SINGLE,
        "",
        "A and B",
        "What was the revenue of Johnson and Johnson in 2022?",
        "What was the research and development expense of Acme?",
        "What did Smith and Jones find?",
        "Did costs fall by more than 90% of the total?",
        "In the analysis of a large model, what was the cost when training in Altoona, Iowa?",
        "According to recent estimates, what share of the energy is used by inference?",
        "Did emissions rise from 2019 to 2021?",
        "What is in the report, and why?",
    ],
)
def test_what_asks_one_thing_stays_whole(question: str) -> None:
    assert texts(question) == []


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How much water and how much energy did Lake Site use in 2023?",
            ["How much water did Lake Site use in 2023?", "How much energy did Lake Site use in 2023?"],
        ),
        (
            "How many pumps, how many fans and how much floor space does North Hall have?",
            [
                "How many pumps does North Hall have?",
                "How many fans does North Hall have?",
                "How much floor space does North Hall have?",
            ],
        ),
        ("When and where was Acme founded?", ["When was Acme founded?", "Where was Acme founded?"]),
        (
            "Which carrier and which insurer does Acme use?",
            ["Which carrier does Acme use?", "Which insurer does Acme use?"],
        ),
        (
            "How much did Acme spend on research and development and how much on marketing?",
            ["How much did Acme spend on research and development?", "How much did Acme spend on marketing?"],
        ),
        (
            "How much sand was sold and how much clay was dug by Acme?",
            ["How much sand was sold (Acme)?", "How much clay was dug by Acme?"],
        ),
        (
            "Who founded Acme, when was it sold and where is it based?",
            ["Who founded Acme?", "When was it sold (Acme)?", "Where is it based (Acme)?"],
        ),
        (
            "Compare the PUE of Lake Site with that of North Hall in 2023.",
            ["Compare the PUE of Lake Site in 2023.", "Compare the PUE of North Hall in 2023."],
        ),
        (
            "How many pumps and fans does Lake Site have, respectively?",
            [
                "How many pumps does Lake Site have, respectively?",
                "How many fans does Lake Site have, respectively?",
            ],
        ),
    ],
)
def test_what_is_asked_in_one_breath_is_asked_apart(question: str, parts: list[str]) -> None:
    assert texts(question) == parts


PHRASES = [
    "research and development",
    "profit and loss",
    "oil and gas",
    "terms and conditions",
    "wages and salaries",
    "trade and other receivables",
    "property, plant and equipment",
    "health and safety",
    "supply and demand",
    "men and women",
]


@pytest.mark.parametrize("phrase", PHRASES)
@pytest.mark.parametrize(
    "asked",
    [
        "How much did Acme spend on {} in 2023?",
        "How much {} did Acme report?",
        "How many {} does Acme count?",
        "What is the {} of Acme?",
        "What does the {} statement of Acme show?",
        "Which firm leads in {}?",
    ],
)
def test_a_phrase_with_and_in_it_is_one_thing(phrase: str, asked: str) -> None:
    assert texts(asked.format(phrase)) == []


@pytest.mark.parametrize(
    "question",
    [
        "Who led Acme in 2020, when it was sold?",
        "Who led Acme, which was sold in 2020?",
        "What does the report say of how much and how fast the lake warms?",
        "How long and wide is the hall?",
        "What shows how water and heat are used?",
    ],
)
def test_what_only_goes_on_with_a_question_is_no_other_one(question: str) -> None:
    assert texts(question) == []


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How much water and how much energy and how much gas did Fennmark use?",
            [f"How much {what} did Fennmark use?" for what in ("water", "energy", "gas")],
        ),
        (
            "How old and how tall was Acme's founder?",
            ["How old was Acme's founder?", "How tall was Acme's founder?"],
        ),
        (
            "How many trucks and how many cars, and which buses did Acme sell in 2022?",
            [f"{what} did Acme sell in 2022?" for what in ("How many trucks", "How many cars", "Which buses")],
        ),
        (
            "In 2022, how much water and how much gas did Acme use?",
            ["In 2022, how much water did Acme use?", "In 2022, how much gas did Acme use?"],
        ),
        (
            "Why and by how much did Acme's revenue fall?",
            ["Why did Acme's revenue fall?", "By how much did Acme's revenue fall?"],
        ),
        (
            "How much water and how much energy did Acme use and how much gas did Bemis sell?",
            ["How much water did Acme use?", "How much energy did Acme use?", "How much gas did Bemis sell?"],
        ),
        (
            "How much water did Johnson and Johnson use and how much did Procter and Gamble use?",
            ["How much water did Johnson and Johnson use?", "How much water did Procter and Gamble use?"],
        ),
        (
            "How many employees did Acme have and how many did Bemis have?",
            ["How many employees did Acme have?", "How many employees did Bemis have?"],
        ),
        (
            "How much water did Acme use and how much did the repair cost?",
            ["How much water did Acme use?", "How much did the repair cost (Acme)?"],
        ),
        ("Who was Ada Byron and what did Deep Blue do?", ["Who was Ada Byron?", "What did Deep Blue do?"]),
        (
            "Which suppliers does Acme use and which does Bemis use?",
            ["Which suppliers does Acme use?", "Which suppliers does Bemis use?"],
        ),
        (
            "What share of the energy and how much water and steam did Acme use?",
            ["What share of the energy did Acme use?", "How much water and steam did Acme use?"],
        ),
        (
            "How many people live in Oslo and in which year was the Deep Hall founded?",
            ["How many people live in Oslo?", "In which year was the Deep Hall founded?"],
        ),
        ("Which river and which lake are used?", ["Which river are used?", "Which lake are used?"]),
    ],
)
def test_each_part_keeps_the_verb_and_the_measure(question: str, parts: list[str]) -> None:
    assert texts(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "How much did Acme sell and how many trucks?",
        "How tall is Ada Byron and how old?",
        "How much water did Acme use and how much did Bemis?",
        "Which river flows through Oslo and which through Bergen?",
        "When and how much water did Acme use?",
        "How many people live and how much water is used in Oslo?",
        "How far is it from Oslo to Bergen and how far from Oslo to Moss?",
        "Which river and which lake feed Acme?",
        "How much water did Acme use and how much was lost in Oslo?",
        "Which trucks did Acme sell and how many did Bemis keep?",
    ],
)
def test_what_would_leave_a_part_without_a_verb_or_a_measure_stays_whole(question: str) -> None:
    assert texts(question) == []


def test_what_is_said_of_something_is_no_thing_beside_it() -> None:
    assert ruled("What was learned from the audit and the follow-up review of the plant?") == ()


def test_the_second_of_two_things_keeps_whose_it_is() -> None:
    parts = ruled("What is the difference between Lake Site's PUE in 2022 and its PUE in 2023?")
    assert [part.text for part in parts] == ["Lake Site's PUE in 2022", "Lake Site's PUE in 2023"]


@given(st.lists(st.sampled_from(["water", "energy", "floor space", "steam"]), min_size=2, max_size=4, unique=True))
def test_as_many_parts_come_out_as_things_were_asked_for(things: list[str]) -> None:
    asked = [f"how much {thing}" for thing in things]
    question = f"{', '.join(asked[:-1])} and {asked[-1]} did Lake Site use?"
    assert texts(question) == [f"How much {thing} did Lake Site use?" for thing in things]


def test_a_part_that_asks_for_more_than_a_fact_says_so() -> None:
    assert Part(1, "Why did the water use fall?").aim is Aim.OVERVIEW
    assert Part(1, "How much water was used?").aim is Aim.FACT


def test_a_model_decides_where_the_question_shows_a_sign() -> None:
    model = Splitter("PUE of Lake Site in 2023", "PUE of North Hall in 2023")
    wanted = ["PUE of Lake Site in 2023", "PUE of North Hall in 2023"]
    assert [part.text for part in decompose(PAIR, by="auto", chat=model)] == wanted
    assert decompose(PAIR, by="auto", chat=Splitter("a", "b", needs=False)) == ()


def test_a_model_is_not_asked_about_a_plain_question_unless_told_to() -> None:
    model = Splitter("a b", "c d")
    assert decompose(SINGLE, by="auto", chat=model) == ()
    assert model.asked == 0
    assert len(decompose(SINGLE, by="on", chat=model)) == 2


def test_nothing_is_split_when_it_is_off() -> None:
    model = Splitter("a", "b")
    assert decompose(PAIR, by="off", chat=model) == ()
    assert model.asked == 0


@pytest.mark.parametrize("error", [ModelError("down"), ReplyError("garbage")])
def test_rules_split_where_the_model_fails_and_the_failure_is_told(error: KohakuError) -> None:
    told: list[KohakuError] = []
    assert decompose(PAIR, by="auto", chat=Splitter(error=error), on_failure=told.append) == ruled(PAIR)
    assert told == [error]


def test_a_wrong_key_is_no_failure_to_live_with() -> None:
    with pytest.raises(NoAccess):
        decompose(PAIR, by="on", chat=Splitter(error=NoAccess("no such key")))


@pytest.mark.parametrize(
    "written", ["Where was {1} born?", "Where was the answer to sub-question 1 born?", "Where was #1 born?"]
)
def test_a_part_may_ask_with_the_answer_of_an_earlier_one(written: str) -> None:
    _, later = numbered([SubQuery(id=1, query="Who led Acme?"), SubQuery(id=2, query=written)])
    assert later.after == (1,)
    assert later.filled({1: "Ada {2}"}).text == "Where was Ada {2} born?"


def test_a_part_never_waits_for_a_later_one_or_for_itself() -> None:
    parts = numbered([SubQuery(id=1, query="A {2} x"), SubQuery(id=2, query="B {2} y"), SubQuery(id=3, query="C {9}")])
    assert [part.after for part in parts] == [(), (), ()]


def test_a_models_parts_are_few_distinct_and_at_least_two() -> None:
    many = [SubQuery(id=number, query=f"part {number % 9}") for number in range(30)]
    assert [part.id for part in numbered(many)] == list(range(1, MOST + 1))
    assert numbered([SubQuery(id=1, query="One"), SubQuery(id=2, query="one "), SubQuery(id=3, query=" ")]) == ()


@given(
    st.text(max_size=120)
    | st.lists(
        st.sampled_from(
            ["A", "and", "GPT-3", "or", "than", "more", "2023", ",", "what", "is", "between", "和", "的", "?"]
        ),
        max_size=14,
    ).map(" ".join)
)
def test_any_text_is_a_question(question: str) -> None:
    may_have_parts(question)
    assert len(ruled(question)) <= MOST

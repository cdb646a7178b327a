"""What a question without a unit would have measured."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerer.answer import Question
from answerer.asking import Kind, asked
from answerer.measured import Measure, measure
from answerer.units import unit

MONEY = [
    "What was Fennmark's net income in 2022?",
    "What were the research and development expenses?",
    "What's the total amount of the grant?",
    "How large was the gain on the sale of the mill?",
    "How much cash did the offering bring?",
    "How much did the council spend on roads?",
    "What dividend per share did it pay?",
    "What was the free cash flow reported for 2021?",
    "What did the council pay for the bridge?",
]
SHARES = [
    "What share of the power goes to the fans?",
    "What was the effective tax rate?",
    "What equity stake does it hold in Kell?",
    "What is the gross margin?",
]
OTHERS = [
    "What was the volume of the dam?",
    "What is its top speed?",
    "What was the flow rate in May?",
    "How much water was drawn?",
    "How much did the lake fall?",
]
WORDS = ["what", "was", "is", "the", "how", "much", "cost", "of", "rate", "in", "'s", ",", "?", "and"]
UNITS = ["m", "kg", "s", "m2", "°C", "%"]
NONE = [
    "What is revenue?",
    "What is power usage effectiveness?",
    "What are the main sources of income?",
    "What was the largest expense?",
    "What is the revenue recognition policy?",
    "What did sales do in May?",
    "What loss function was used?",
    "Which firm audits the accounts?",
    "Who sets the price?",
    "What were total sales less returns?",
    "",
]


@pytest.mark.parametrize("question", MONEY)
def test_nouns_and_verbs_of_money_ask_for_money(question: str) -> None:
    assert measure(question) is Measure.MONEY


@pytest.mark.parametrize("question", SHARES)
def test_nouns_of_shares_ask_for_percent(question: str) -> None:
    assert measure(question) is Measure.SHARE
    assert asked(Question("", question)).kind is Kind.NUMBER


@pytest.mark.parametrize("question", OTHERS)
def test_other_measures_ask_for_a_number(question: str) -> None:
    assert measure(question) is Measure.OTHER
    assert asked(Question("", question)).kind is Kind.NUMBER


@pytest.mark.parametrize("question", NONE)
def test_what_something_is_or_does_and_what_is_of_a_measure_are_no_numbers(question: str) -> None:
    assert measure(question) is None


@pytest.mark.parametrize("phrase", ["Café prices?", "electricity price 2023", "Staff costs of Fennmark", "net income"])
def test_a_phrase_alone_asks_for_the_measure_it_ends_in(phrase: str) -> None:
    assert measure(phrase) is Measure.MONEY


@pytest.mark.parametrize(
    "text", ["Who sets prices?", "Prices fell: true or false", "They were asked about prices, sales"]
)
def test_what_asks_or_tells_is_no_phrase_alone(text: str) -> None:
    assert measure(text) is None


def test_a_unit_named_in_the_question_asks_for_a_number() -> None:
    wanted = asked(Question("", "What is the greatest draught, in metres, of a ship at the quay?"))
    assert (wanted.kind, wanted.unit) == (Kind.NUMBER, unit("m"))
    assert asked(Question("", "Which ship lay at the quay in May?")).kind is Kind.NAME


def test_a_noun_names_what_is_measured() -> None:
    assert measure("What was the height of the dam?") is Measure.LENGTH
    assert measure("What were the emissions of the mill?") is Measure.MASS
    assert {one for one in Measure if one not in (Measure.MONEY, Measure.OTHER)} <= {unit(u).dimension for u in UNITS}


def test_a_unit_that_is_asked_for_says_more_than_the_noun() -> None:
    assert asked(Question("", "What was the net income in 2022?", "EUR")).measure is None


@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_any_text_may_be_asked(question: str) -> None:
    assert measure(question) in (None, *Measure)

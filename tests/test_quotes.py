from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerer.answer import Question
from answerer.prompts import AnswerReply
from answerer.quotes import align, exact
from answerer.reader import checked
from kohaku.tree import Box, Kind
from retriever.evidence import Context

TEXT = (
    "The plant at Lund used 1,287 MWh in 2023. Its “cooling-loop” was not re-\nplaced – the pump’s ﬁrst "
    "service is due in 14.4 days. Emissions were 4.3 net tCO 2 e."
)


def context(text: str, document: str = "plant", node: str = "plant:s1:p1") -> Context:
    return Context(document, "T", node, Kind.PARAGRAPH, (3, 4), ("Use",), 1.0, text, 9, (Box(3, 0, 0, 9, 9),))


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("the plant at lund used 1,287 MWh", "The plant at Lund used 1,287 MWh"),
        ('Its "cooling loop" was not replaced', "Its “cooling-loop” was not re-\nplaced"),
        ("was not replaced - the pump's first service", "was not re-\nplaced – the pump’s ﬁrst service"),
        ("Emissions were 4.3 net tCO2e.", "Emissions were 4.3 net tCO 2 e."),
        ("  “The plant at Lund”  ", "The plant at Lund"),
        ("Lund", "Lund"),
        ("4.3", "4.3"),
    ],
)
def test_a_quote_is_found_in_the_evidences_own_words(quote: str, words: str) -> None:
    found = align(quote, [context("Nothing here."), context(TEXT)])
    assert found is not None and found.quote == words and found.quote in TEXT


def test_a_citation_says_where_it_stands() -> None:
    found = align("used 1,287 MWh in 2023", [context("Else.", "other", "other:p1"), context(TEXT)])
    assert found is not None
    assert (found.document, found.node, found.pages, found.boxes) == (
        "plant",
        "plant:s1:p1",
        (3, 4),
        (Box(3, 0, 0, 9, 9),),
    )


def test_a_typing_error_in_a_long_quote_is_forgiven_and_the_evidences_words_are_cited() -> None:
    found = align("The plant at Lundd usd 1,287 MWh in 2023", [context(TEXT)])
    assert found is not None and found.quote == "The plant at Lund used 1,287 MWh in 2023."


@pytest.mark.parametrize(
    "quote",
    [
        "The plant at Lund used 1,278 MWh in 2023",
        "The plant at Lund used 11,287 MWh in 2023",
        "The plant at Lund used 1,287 MWh in 2024",
        "Its “cooling-loop” was replaced – the pump’s first service is due",
        "The plant at Lund did not use 1,287 MWh in 2023",
        "The plant at Oslo used 1,287 MWh in 2023. Its cooling-loop was not replaced – the pump’s first service",
        "The plant in Oslo sold its turbines last spring",
    ],
)
def test_a_quote_whose_facts_differ_is_not_found(quote: str) -> None:
    assert align(quote, [context(TEXT)]) is None


@pytest.mark.parametrize("quote", ["un", "287", "14", "4 days", "Lun", "lant at L", "Lumd", "", " ", "“”", "..."])
def test_short_quotes_are_found_as_whole_words_only(quote: str) -> None:
    assert align(quote, [context(TEXT)]) is None


def test_parts_around_an_ellipsis_must_all_stand_in_one_context() -> None:
    found = align("The plant at Lund used … Emissions were 4.3 net tCO2e.", [context(TEXT)])
    assert found is not None and found.quote == "The plant at Lund used … Emissions were 4.3 net tCO 2 e."
    assert align("The plant at Lund used ... more than Oslo's plant did", [context(TEXT)]) is None


BOARD = "In 2023 Acme acquired Beta for 5 million. The board did not approve the sale of the dam. Water use fell to 7%."


@pytest.mark.parametrize(
    "quote",
    [
        "The board ... approve the sale of the dam",
        "Beta ... acquired ... Acme",
        "2023 … Water use … 5 million",
        "Acme acquired … 5 million … In 2023",
        ".",
        "“ . ”",
    ],
)
def test_an_ellipsis_turns_no_words_round_and_leaves_out_no_negation(quote: str) -> None:
    assert align(quote, [context(BOARD)]) is None


@pytest.mark.parametrize(
    "quote", ["Acme acquired Beta … The board did not approve", "Water use … to 7%", "In 2023 … Beta"]
)
def test_an_ellipsis_may_leave_out_what_does_not_matter(quote: str) -> None:
    assert align(quote, [context(BOARD)]) is not None


def test_an_exact_place_in_a_later_context_comes_before_a_near_one() -> None:
    near, right = context("The plant at Lynd used 1,287 MWh.", "near"), context(TEXT, "right")
    found = align("The plant at Lund used 1,287 MWh", [near, right])
    assert found is not None and found.document == "right"


def test_a_quote_much_longer_than_its_evidence_is_not_found() -> None:
    assert align(TEXT, [context(TEXT[:60])]) is None


def test_chinese_is_found_without_spaces_between_words() -> None:
    found = align("用电量", [context("该厂的用电量为 12 兆瓦时。")])
    assert found is not None and found.quote == "用电量"


@given(st.text(max_size=60), st.text(max_size=200))
def test_what_is_cited_stands_in_the_evidence(quote: str, text: str) -> None:
    found = align(quote, [context(text)])
    assert found is None or all(part in text for part in found.quote.split(" … "))


@given(st.text(st.sampled_from("ab1 .-”\n"), max_size=40), st.data())
def test_every_run_of_whole_words_is_found(text: str, data: st.DataObject) -> None:
    words = text.split()
    if words:
        first = data.draw(st.integers(0, len(words) - 1))
        last = data.draw(st.integers(first + 1, len(words)))
        quote = " ".join(words[first:last])
        assert (
            exact(quote, text) or not any(letter.isalnum() for letter in quote) or quote[0] in ".-" or quote[-1] in ".-"
        )


def test_a_nearly_exact_quote_is_cited_once_without_the_end_of_the_sentence_before() -> None:
    text = "The pond froze over in March. The hall at Harlow has 6 chillers and 97 pumps."
    reply = AnswerReply.model_validate(
        {
            "answer": "6",
            "answer_value": "6",
            "ref_id": ["plant"],
            "quotes": [". The Hall at  Harlow has 6 chilers — and 97 pumps."],
        }
    )
    question = Question("q", "How many chillers has the hall at Harlow?", "chillers")
    answer = checked(question, [context(text)], reply)
    assert [one.quote for one in answer.citations] == ["The hall at Harlow has 6 chillers and 97 pumps."]


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("The mill sold the water that the town had bought.", "The town sold the water that the mill had bought."),
        (
            "It is accounted for not by the equity method.",
            "It is accounted for by the equity method. No dividend was received.",
        ),
        ("It was tall, unlike the old one of the harbour", "The old one of the harbour, unlike it, was tall"),
    ],
)
def test_words_in_other_places_and_a_not_put_in_are_no_typing_errors(quote: str, words: str) -> None:
    assert align(quote, [context(words)]) is None

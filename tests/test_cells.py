from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerer import cells
from answerer.answer import Answer, Question
from answerer.extract import read
from kohaku.tree import Kind
from retriever.evidence import Context, Evidence

ACCOUNTS = """(in thousands of euros, except per share)

|  | Notes | Year ended 30 June › 2021 | Year ended 30 June › 2020 |
| --- | --- | --- | --- |
| Income |  |  |  |
| › Tickets | 4 | 5,210 | 4,980 |
| › Guided walks | 5 | 312 | 290 |
| Total income | | 5,522 | 5,270 |
| Income per share | | 0.42 | 0.40 |
| Surplus margin | | 7.5 % | 7.1 % |"""
BOATS = """Table 4. Median time at sea (hours)

| Boat | Wind, mean (m/s) | K-10 | K-20 |
| --- | --- | --- | --- |
| Tern | 6.5 | 14 | 22 |
| Gannet | 7.5 | 31 | 47 |
| All boats | 7 | 20 | 30 |"""


def answer(question: str, unit: str, text: str) -> Answer:
    context = Context("museum", "Harbour museum", "museum:p1", Kind.TABLE, (1, 1), (), 1.0, text, 90)
    return read(Question("q", question, unit), Evidence(question, (question,), (context,)))


@pytest.mark.parametrize(
    ("question", "unit", "value"),
    [
        ("What was the museum's total income in 2021, in euros?", "EUR", "5522000"),
        ("What was the total income of the museum in 2020, in million euros?", "million EUR", "5.27"),
        ("What was the income from guided walks in 2020?", "EUR", "290000"),
        ("What was the museum's income per share in 2021?", "EUR", "0.42"),
        ("What was the museum's surplus margin in 2021?", "percent", "7.5"),
    ],
)
def test_a_table_s_scale_holds_for_money_and_not_for_shares_and_ratios(question: str, unit: str, value: str) -> None:
    assert answer(question, unit, ACCOUNTS).value == value


def test_the_explanation_tells_which_scale_was_applied_to_what() -> None:
    found = answer("What was the museum's total income in 2021, in euros?", "EUR", ACCOUNTS)
    assert "5,522 (in thousands of euros) is read as 5522000" in found.explanation
    assert "is read as" not in answer("What was the surplus margin in 2021?", "percent", ACCOUNTS).explanation


@pytest.mark.parametrize(
    ("question", "unit", "value"),
    [
        ("What is the median time at sea of the Gannet with the K-20?", "hours", "47"),
        ("What is the median time at sea of the Tern with the K-10, in minutes?", "minutes", "840"),
        ("What is the mean wind of the Gannet?", "m/s", "7.5"),
        ("What was the median time at sea with the K-20?", "hours", "30"),  # of no boat: of all
    ],
)
def test_the_row_is_that_of_the_label_and_the_column_that_of_the_head(question: str, unit: str, value: str) -> None:
    assert answer(question, unit, BOATS).value == value


def test_a_column_of_another_year_is_no_answer() -> None:
    found = answer("What was the total income of the museum in 2019?", "EUR", ACCOUNTS)
    assert found.is_blank


def test_money_is_not_read_from_a_table_that_names_no_currency() -> None:
    assert answer("What is the price of the Tern with the K-10?", "USD", BOATS).is_blank


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("(in millions)", 10**6),
        ("Sales ($ million)", 10**6),
        ("Sales (£m)", 10**6),
        ("Grants (US$'000)", 10**3),
        ("Table 2: Sales in billions of yen", 10**9),
        ("(Dollars in millions, except per share amounts)", 10**6),
        ("(all but a few)", None),
        ("Depth (m)", None),
        ("In the first million years", None),
    ],
)
def test_a_scale_is_known_in_its_usual_spellings(text: str, factor: int | None) -> None:
    scale = cells.scale_of(text)
    assert (scale.factor if scale else None) == factor


@given(st.text(st.sampled_from("ab1 ;:›()[]%$,."), max_size=60))
def test_any_text_can_be_read_as_a_row(text: str) -> None:
    row = cells.row(text)
    for cell in row.cells:
        assert 0 <= cell.head[0] <= cell.head[1] <= cell.value[0] <= cell.value[1] <= len(text)
    assert row.own_label() in text and text[slice(*row.over())] in text


def test_a_slash_between_words_makes_no_rate() -> None:
    table = "(in thousands)\n\n|  | As of/Year ended 2022 |\n| --- | --- |\n| Net income | $122 |"
    contexts = (Context("mill", "", "mill:p1", Kind.TABLE, (1, 1), (), 1.0, table, 50),)
    assert read(Question("q", "What was the net income in 2022?", "USD"), Evidence("", (), contexts)).value == "122000"

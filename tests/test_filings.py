"""What the built-in reader met in filings: pieces of long statements, columns of changes, parts of a whole."""

from __future__ import annotations

import pytest

from answerer.answer import Question
from answerer.extract import read
from kohaku.tree import Kind
from retriever.evidence import Context, Evidence

HEAD = "(In thousands)\n\n|  | 2023 | 2022 | Change › 2023 vs. 2022 |\n| --- | --- | --- | --- |\n"
FLOWS = HEAD + "| › Barges bought | (442) | (348) | 94 |\n| › Net cash of the lock | (570) | 12 | (582) |"
INCOME = "(In thousands)\n\n|  | 2023 | 2022 |\n| --- | --- | --- |\n| Toll income | $1,250 | $1,100 |"
TEXT = (
    "As of December 31, 2023, we employed about 960 people, whom we call wardens, with about 310 wardens in Friesland. "
    "The board heard two warden groupings. The upkeep of the lock consists primarily of $70,500 of paint. "
    "The Annual Meeting of Members was held on May 3, 2023. The seat of the canal company is in Grou, Friesland. "
    "Anna Visser is Chief Lock Officer."
)
BALLOT = "(2) The members ratified Dekker as auditor of the canal:"


def value(question: str, unit: str = "") -> str:
    parts = ((FLOWS, Kind.TABLE), (INCOME, Kind.TABLE), (TEXT, Kind.PARAGRAPH), (BALLOT, Kind.LIST))
    contexts = tuple(
        Context("canal", "Canal company", f"canal:p{number}", kind, (1, 1), (), 1.0, text, 50)
        for number, (text, kind) in enumerate(parts)
    )
    return read(Question("q", question, unit), Evidence(question, (question,), contexts)).value


@pytest.mark.parametrize(
    ("question", "unit", "answer"),
    [
        ("How much did the canal company spend on barges bought in 2023?", "USD", "442000"),
        ("What was the net cash of the lock in 2023?", "USD", "-570000"),
        ("What net cash of the lock was paid in 2023?", "USD", "570000"),
        ("How many wardens did the canal company employ at the end of 2023?", "wardens", "960"),
        ("On what date was the Annual Meeting of Members held?", "", "May 3, 2023"),
        ("In which town is the seat of the canal company?", "", "Grou"),
        ("Where is the seat of the canal company?", "", "Grou, Friesland"),
        ("Who is the Chief Lock Officer of the canal company?", "", "Anna Visser"),
    ],
)
def test_a_value_is_of_all_of_what_was_asked_for(question: str, unit: str, answer: str) -> None:
    assert value(question, unit) == answer


@pytest.mark.parametrize("currency", ["CHF", "SEK", "₹", "Swiss francs"])
def test_a_bare_number_is_money_where_the_text_names_any_known_currency(currency: str) -> None:
    text = f"All amounts are told in {currency}. The ferry earned 4,310 in tolls."
    context = Context("ferry", "Ferry", "ferry:p1", Kind.PARAGRAPH, (1, 1), (), 1.0, text, 30)
    question = "How much did the ferry earn in tolls?"
    unit = {"₹": "INR", "Swiss francs": "CHF"}.get(currency, currency)
    assert read(Question("q", question, unit), Evidence(question, (question,), (context,))).value == "4310"


@pytest.mark.parametrize(
    ("question", "unit", "wrong"),
    [
        ("How many members ratified Dekker as auditor of the canal?", "members", "2"),
        ("How many wardens did the board hear?", "wardens", "2"),
    ],
)
def test_the_mark_of_a_list_s_item_and_what_is_named_by_another_noun_count_nothing(
    question: str, unit: str, wrong: str
) -> None:
    assert value(question, unit) != wrong


def of(text: str, question: str, unit: str = "", kind: Kind = Kind.PARAGRAPH) -> str:
    context = Context("canal", "Canal company", "canal:p1", kind, (1, 1), (), 1.0, text, 50)
    return read(Question("q", question, unit), Evidence(question, (question,), (context,))).value


def test_a_year_before_to_begins_no_range() -> None:
    said = "This increases the annual dividend of the canal company for fiscal 2023 to 49.0 cents per share."
    assert of(said, "What was the canal company's annual dividend per share for fiscal 2023?", "US cents") == "49.0"


def test_a_year_before_to_begins_no_range_to_millions_either() -> None:
    said = "Tolls of the canal company fell in the second quarter of 2023 to $12.7 billion."
    assert of(said, "What were the canal company's tolls in the second quarter of 2023?", "million USD") == "12700"


def test_a_year_may_be_of_an_earlier_century() -> None:
    said = "The canal company was founded in 1850 as a joint stock association."
    assert of(said, "In which year was the canal company founded?", "year") == "1850"


def test_who_asks_for_a_year_as_a_unit_gets_no_other_number() -> None:
    said = "Its chief will keep the shares of the canal company, founded by Anna Visser, for four years."
    assert of(said, "In which year was the canal company founded?", "year") == "is_blank"


def test_percent_behind_a_bracket_is_no_money() -> None:
    table = "In USD\n\n|  | First quarter |\n| --- | --- |\n| Exchange impact on net revenue | (2.5)% |"
    assert of(table, "What was the exchange impact on net revenue?", "million USD", Kind.TABLE) == "is_blank"


def test_a_document_that_never_speaks_of_the_firm_in_question_tells_nothing_of_it() -> None:
    assert "1250" in of(INCOME, "What was the toll income in 2023?", "thousand USD", Kind.TABLE)
    assert of(INCOME, "What was Ostrander's toll income in 2023?", "thousand USD", Kind.TABLE) == "is_blank"

"""Values stand in what is cited for them, or follow from it; what does neither is called ungrounded."""

from __future__ import annotations

import sys
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerer.answer import Citation, How, Question
from answerer.arithmetic import sums
from answerer.figures import numbers
from answerer.ground import ground
from answerer.measures import converted
from answerer.quotes import align
from answerer.statements import contradicts
from answerer.told_sums import told
from answerer.values import normalise
from kohaku.tree import Kind
from retriever.evidence import Context

REPORT = (
    "The mill drew 1.1 million litres of water in 2023. Its kiln used 2.5 kWh a batch before and 1.0 kWh after. "
    "Of the 48 wheels 12 were replaced; 25% of visitors came by boat. Fees were raised to between 80 and 90 crowns. "
    "The parcel weighs 2,205 lb [77]. Trout, perch and pike live in the pond. Half of the roof is slate, see Fig. 9. "
    "The boiler ran at 122 °F and 30 psi. The mill was restored by the Ekberg Fund. Markets are held on Wednesdays."
)
ACCOUNTS = """Results (in millions)
| | 2023 | 2022 |
| --- | --- | --- |
| Sales | 3,412 | 3,100 |
| Net income (loss) | (275) | 120 |
| Margin | 12% | 11% |"""


def context(text: str, document: str = "mill") -> Context:
    return Context(document, "", f"{document}:p1", Kind.PARAGRAPH, (1, 1), (), 1.0, text, 50)


def how(value: str, *, unit: str = "", said: str = "", text: str = REPORT, question: str = "What of the mill?") -> str:
    return ground(Question("q", question, unit), normalise(value, unit, question), said, [context(text)]).how.value


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ("1,100,000", "litres"),
        ("1.1 million", "litres"),
        ("1.1", "million litres"),
        ("2.5", "kWh"),
        ("[80,90]", ""),
        ("80-90", "crowns"),
        ("25", "percent"),
        ("2205", "lb"),
        ("2023", ""),
        ("Ekberg Fund", ""),
        ("the  EKBERG fund", ""),
        ("Wednesday", ""),
        ("trout, pike and perch", ""),
        ("['Trout', 'pike']", ""),
    ],
)
def test_what_stands_in_the_text_in_whatever_spelling_is_stated(value: str, unit: str) -> None:
    assert how(value, unit=unit) == "stated"


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ("2500", "Wh"),
        ("0.0025", "MWh"),
        ("1100", "m3"),
        ("1.0002", "t"),
        ("0.25", "fraction"),
        ("0.25", ""),
        ("50", "percent"),
        ("50", "°C"),
        ("206.8", "kPa"),
    ],
)
def test_a_value_in_another_unit_is_converted(value: str, unit: str) -> None:
    assert how(value, unit=unit) == "converted"


@pytest.mark.parametrize(
    ("question", "unit", "text", "value", "grounded"),
    [
        ("How many kWh per year does the house use?", "kWh", "The house uses 4,200 kWh per year.", "4200", "stated"),
        ("What is the annual energy use of the house?", "kWh", "It uses 4.2 MWh per year.", "4200", "converted"),
        ("How many litres per tonne does the mill use?", "L", "The mill uses 3.2 m3 per tonne.", "3200", "converted"),
        ("How many grams are emitted for each km?", "g", "The car emits 0.12 kg per km.", "120", "converted"),
        ("How many grams are emitted for each km?", "g", "The car emits 0.12 kg per mile.", "120", "ungrounded"),
        ("What is the annual energy use of the house?", "kWh", "It uses 4.2 MWh per month.", "4200", "ungrounded"),
    ],
)
def test_what_a_question_asks_for_each_may_be_missing_in_the_unit_asked_for(
    question: str, unit: str, text: str, value: str, grounded: str
) -> None:
    assert how(value, unit=unit, text=text, question=question) == grounded


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("3412000000", "USD", "converted"),
        ("3412", "million USD", "stated"),
        ("12", "percent", "stated"),
        ("12000000", "percent", "ungrounded"),
        ("-275000000", "USD", "converted"),
        ("(275,000,000)", "USD", "converted"),
        ("-3412000000", "USD", "ungrounded"),
        ("3412000", "USD", "ungrounded"),
    ],
)
def test_the_scale_over_a_table_is_applied_to_its_sums_and_brackets_are_negative(
    value: str, unit: str, expected: str
) -> None:
    assert how(value, unit=unit, text=ACCOUNTS) == expected


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        ("1.5", "kWh", "2.5 - 1.0 = 1.5"),
        ("1.5", "kWh", "The difference between 2.5 kWh and 1.0 kWh."),
        ("1500", "Wh", "2.5 kWh minus 1.0 kWh is 1.5 kWh"),
        ("60", "percent", "(2.5 - 1.0) / 2.5 × 100 = 60%"),
        ("60", "percent", "It fell from 2.5 to 1.0, a reduction of 60 percent."),
        ("0.48", "", "The share is 12 / 25 = 0.48"),
        ("0.4", "", "1.0 ÷ 2.5 = 0.4"),
        ("60", "wheels", "12 plus 48 gives 60"),
        ("3.5", "kWh", "Both together: 2.5 and 1.0."),
        ("120", "", "2.5 * 48 = 120"),
        ("[1.5,3.5]", "kWh", "2.5 - 1.0 = 1.5 and 2.5 + 1.0 = 3.5"),
        ("14.4", "", "48 - 12 = 36; 36 / 2.5 = 14.4"),
    ],
)
def test_arithmetic_that_the_answer_shows_is_worked_out_again(value: str, unit: str, said: str) -> None:
    assert how(value, unit=unit, said=said) == "computed"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("1.7", "2.5 - 1.0 = 1.7"),  # wrong
        ("1.7", "2.7 - 1.0 = 1.7"),  # 2.7 stands nowhere
        ("742", "The evidence states 742."),
        ("742", "742 × 1 = 742"),
        ("742", "700 + 42 = 742"),
        ("77", "The parcel's."),  # the mark of a note
        ("9", "As in the figure."),
        ("[80,95]", "Fees."),
        ("Mars", ""),
        ("Trout, eel and pike", ""),
    ],
)
def test_what_neither_stands_there_nor_follows_is_ungrounded(value: str, said: str) -> None:
    assert how(value, said=said) == "ungrounded"


def test_numbers_that_the_question_gives_may_be_reckoned_with() -> None:
    question = "How much does the kiln use for 40 batches, in kWh?"
    assert how("100", unit="kWh", said="40 × 2.5 = 100", question=question) == "computed"


@pytest.mark.parametrize(("quoted", "expected"), [(True, "stated"), (False, "ungrounded")])
def test_true_and_false_stand_on_a_quote_that_was_found(quoted: bool, expected: str) -> None:
    citation = Citation("mill", "mill:p1", (1, 1), "The mill was restored by the Ekberg Fund.")
    question = Question("q", "True or False: somebody gave money for the mill's repair.")
    assert ground(question, "1", "", [context(REPORT)], [citation] if quoted else []).how == expected


@pytest.mark.parametrize("quote", ["the", "a", "In 2023"])
def test_a_verdict_does_not_stand_on_a_quote_without_a_word_of_the_statement(quote: str) -> None:
    said = "In 2023 the mill on the lake was closed by a flood."
    question = Question("q", "True or False: Napoleon was born on Mars.")
    citation = align(quote, [context(said)])
    assert citation is not None
    assert ground(question, "1", "", [context(said)], [citation]).how == "ungrounded"


def test_the_place_is_told_the_quoted_one_before_others() -> None:
    text = "The mill paid 250 crowns. A bridge cost 250 crowns too."
    citation = Citation("mill", "mill:p1", (1, 1), "A bridge cost 250 crowns too.")
    found = ground(Question("q", "What did the mill pay?", "crowns"), "250", "", [context(text)])
    assert [span.text for span in found.spans] == ["The mill paid 250 crowns."]
    found = ground(Question("q", "What did the mill pay?", "crowns"), "250", "", [context(text)], [citation])
    assert [span.text for span in found.spans] == ["A bridge cost 250 crowns too."]


def test_each_document_that_bears_the_value_is_named_once() -> None:
    contexts = [context("It is 31 m high.", "a"), context("Also 31 m.", "b"), context("Of 31 m, 31 m.", "a")]
    found = ground(Question("q", "How high is it?", "m"), "31", "", contexts)
    assert [span.document for span in found.spans] == ["a", "b"]


def test_a_number_in_words_of_a_script_without_blanks_is_one() -> None:
    assert [one.quantity.low for one in numbers("平均下降11分贝。")] == [Decimal(11)]


@pytest.mark.parametrize("name", ["9**9**9", "__import__('os')", "m**99999999", "papers", "points", "", "a" * 99])
def test_only_plain_names_of_units_are_converted(name: str) -> None:
    assert converted(Decimal(3), name, "kPa") is None


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_may_be_searched_for_sums(text: str) -> None:
    for one in (*sums(text), *told(text)):
        assert one.operands and one.results


@settings(deadline=None)
@given(st.text(alphabet="0123456789+-*/()=×÷ .%", max_size=60))
def test_any_row_of_signs_may_be_searched_for_sums(text: str) -> None:
    for one in sums(text):
        assert all(result.is_finite() for result in one.results)


@settings(deadline=None)
@given(st.text(max_size=30), st.text(max_size=10), st.text(max_size=60), st.text(max_size=120))
def test_any_value_of_any_text_has_a_grounding(value: str, unit: str, said: str, text: str) -> None:
    found = ground(Question("q", "What?", unit), normalise(value, unit), said, [context(text)])
    assert (found.how is How.UNGROUNDED) == (not found.spans)


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("4.3", "kgCO2e", "ungrounded"),
        ("4300", "kgCO2e", "converted"),
        ("4.3", "tCO2e", "stated"),
        ("24", "kWh", "ungrounded"),
        ("24,000", "kWh", "converted"),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "| | Kiln | Forge |\n| --- | --- | --- |\n| Net tCO2e | 96.4 | 4.3 |\n| Energy MWh | 18 | 24 |",
        "Kiln Forge Mill Dam\nNet tCO 2 e 96.4 4.3 46.7 59.1\nEnergy MWh 18 24 85 179",
    ],
)
def test_a_bare_number_in_a_row_is_in_the_unit_that_the_row_names(
    text: str, value: str, unit: str, expected: str
) -> None:
    assert how(value, unit=unit, text=text, question="What were the net emissions and energy of the forge?") == expected


ACT = "The law has force since 2019. Lake Site is cooled by water, and used 55 kWh. North Hall is not open to visitors."


@pytest.mark.parametrize(
    ("statement", "value", "wanted"),
    [
        ("Lake Site is cooled by water.", "1", "stated"),
        ("Lake Site is cooled by water.", "0", "ungrounded"),
        ("North Hall is open to visitors.", "0", "stated"),
        ("North Hall is open to visitors.", "1", "ungrounded"),
        ("Lake Site used 55 kWh.", "1", "stated"),
        ("Lake Site used 75 kWh.", "1", "ungrounded"),
        ("Lake Site used 75 kWh.", "0", "stated"),
        ("South Hall is heated by gas.", "1", "ungrounded"),
        ("South Hall is heated by gas.", "0", "ungrounded"),
    ],
)
def test_true_or_false_without_a_quote_stands_on_a_sentence_that_says_or_denies_it(
    statement: str, value: str, wanted: str
) -> None:
    assert how(value, text=ACT, question=f"True or False: {statement}") == wanted


LAWS = (
    "Permits for quarries must not be limited to large pits but should cover all pits of the county. "
    "The county act requires owners to report blasting. We propose that owners report dust and noise as well. "
    "Dust is not measured near schools. In spring 2021 the ferry carried more than 40% more cattle than the bridge. "
    "The mill grinds rye at night without harm to the roof."
)


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("Permits should cover not just large pits but all pits of the county.", "1"),
        ("Dust is measured near schools.", "0"),
        ("In 2021 the ferry carried more than 40% more cattle than the bridge.", "1"),
        ("The mill grinds rye at night.", "1"),
    ],
)
def test_a_verdict_stands_on_the_sentence_that_says_most_of_the_statement(statement: str, verdict: str) -> None:
    question = f"True or False: {statement}"
    assert how(verdict, text=LAWS, question=question) == "stated"
    assert how(str(1 - int(verdict)), text=LAWS, question=question) == "ungrounded"


@pytest.mark.parametrize(
    "statement",
    [
        "Owners must report dust and noise as well.",  # only proposed
        "In 2022 the ferry carried more than 40% more cattle than the bridge.",
        "The ferry carried more than 45% more cattle than the bridge.",
        "The vicar of the county owns all pits and schools.",
    ],
)
def test_a_wish_another_number_or_year_or_a_few_words_make_no_statement_true(statement: str) -> None:
    assert how("1", text=LAWS, question=f"True or False: {statement}") == "ungrounded"


def test_a_figure_that_was_restated_is_of_the_year_before_the_change_and_not_of_what_came_after() -> None:
    text = "The 2021 figure of Lake Mill was restated from 520 m3 to 610 m3 after a leak was found in March 2022."
    question = "What did Lake Mill publish at first for its water use in 2021, in m3?"
    assert how("520", unit="m3", text=text, question=question) == "stated"


@pytest.mark.parametrize(("year", "wanted"), [("2019", "stated"), ("2018", "ungrounded")])
def test_the_year_of_a_law_s_name_may_stand_elsewhere_in_its_document_than_what_the_law_says(
    year: str, wanted: str
) -> None:
    texts = (
        "The Quarry Dust Act of 8 May 2019 sets limits.",
        "Quarries must bind 80 % of their dust by 1 July 2024 (Sec. 3).",
    )
    contexts = [replace(context(text), node=f"mill:p{n}") for n, text in enumerate(texts)]
    statement = (
        f"True or False: Under the {year} Quarry Dust Act, quarries must bind 80% of their dust by July 1, 2024."
    )
    assert ground(Question("q", statement), "1", "", contexts).how == wanted


def calls(text: str, value: str, question: str, unit: str) -> int:
    """How many functions are called while a value is looked for in a text."""
    found = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal found
        found += event.endswith("call")

    sys.setprofile(count)
    try:
        ground(Question("q", question, unit), value, "", [context(text)])
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize(
    "piece",
    [
        "Lund has 12 pumps. ",
        "In 2021 Oslo had 12 pumps. ",
        "12/",
        "rose from 12 to 12 ",
        "| Oslo | 12 | 12 |\n",
        "12; ",
    ],
)
@pytest.mark.parametrize(
    ("value", "question"), [("12", "How many pumps had Oslo in 2021?"), ("[12,13]", "What range?")]
)
def test_twice_as_long_a_text_takes_twice_as_much_work(piece: str, value: str, question: str) -> None:
    once, twice = (calls(piece * times, value, question, "pumps") for times in (150, 300))
    assert twice < 2.4 * once


@pytest.mark.parametrize(
    "text", ["12 and 12 and ", "12 to 11 million ", "1-a’", "not ", "Aa ", "12 ab, ", "= 1 ", "( ", "rose ", " except"]
)
def test_long_runs_of_what_may_begin_a_value_a_sum_or_a_name_are_looked_through_once(text: str) -> None:
    times = 60_000 // len(text)
    run = text * times
    assert contradicts("Oslo has pumps.", run) is contradicts("Oslo has pumps.", text * 3)
    assert round(len(numbers(run)) / times, 1) == round(len(numbers(text * 100)) / 100, 1)
    assert bool(sums(run)) is bool(sums(text * 3))

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerer.quantities import quantities, spelled
from answerer.units import convert, unit
from answerer.values import Form, asks_true_or_false, is_blank, normalise, number, pair, parse

STATEMENT = "True or False: the plant is open."


@pytest.mark.parametrize(
    ("text", "wanted", "form"),
    [
        ("80-90", "[80,90]", Form.RANGE),
        ("1e-3", "0.001", Form.NUMBER),
        ("1.2e3", "1200", Form.NUMBER),
        ("GPT-3 175B", "GPT-3 175B", Form.TEXT),
        ("2023-2024", "2023-2024", Form.TEXT),
        ("ISO-9001", "ISO-9001", Form.TEXT),
        ("3.2.1", "3.2.1", Form.TEXT),
        ("2024-05-01", "2024-05-01", Form.TEXT),
        ("-5", "-5", Form.NUMBER),
        ("−5", "-5", Form.NUMBER),
    ],
)
def test_hyphens_exponents_and_names_are_what_they_are(text: str, wanted: str, form: Form) -> None:
    assert (normalise(text), parse(text).form) == (wanted, form)


@pytest.mark.parametrize(
    "text",
    [
        "80-90",
        "80 to 90",
        "between 80 and 90",
        "[80, 90]",
        "80–90%",
        "from 80 to 90",
        "80 -90",
        "[90,80]",
        "(80%, 90%)",
    ],
)
def test_ranges_are_written_in_brackets_low_end_first(text: str) -> None:
    assert normalise(text, "percent") == "[80,90]"


@pytest.mark.parametrize(
    ("text", "asked", "wanted"),
    [
        ("4.3 tCO2e", "tCO2e", "4.3"),
        ("64.7GB", "GB", "64.7"),
        ("5,842 entries", "entries", "5842"),
        ("50%", "percent", "50"),
        ("Up to 90 % of it", "percent", "90"),
        ("~5", "days", "5"),
        ("approximately 5 days", "days", "5"),
        ("> 5", "W", "5"),
        ("6.7x", "multiplier", "6.7"),
        ("three", "models", "3"),
        ("it takes 5 days in all", "days", "5"),
        ("[0.06,3,426]", "W", "[0.06,3426]"),
        ("0.18 L of water per kWh", "L/kWh", "0.18"),
    ],
)
def test_the_units_name_is_never_in_the_value(text: str, asked: str, wanted: str) -> None:
    assert normalise(text, asked) == wanted


@pytest.mark.parametrize(
    ("text", "asked", "wanted"),
    [
        ("$100K", "USD", "100000"),
        ("$2.51 million", "USD", "2510000"),
        ("$2.51 million", "million USD", "2.51"),
        ("3 million", "", "3000000"),
        ("one million", "", "1000000"),
        ("7B", "parameters", "7000000000"),
        ("1.3 MWh", "kWh", "1300"),
        ("300 Watts to 1 Kilowatt", "W", "[300,1000]"),
        ("$10-20 million", "USD", "[10000000,20000000]"),
        ("5 kg", "W", "5 kg"),
    ],
)
def test_scales_and_units_are_brought_to_the_unit_asked_for(text: str, asked: str, wanted: str) -> None:
    assert normalise(text, asked) == wanted


@pytest.mark.parametrize("text", ["42 kg", "7B", "007", "12:30", "1/3", "3-4-5", "28, 35", "Python 3.10", "55%"])
def test_without_a_unit_only_a_bare_number_is_one(text: str) -> None:
    assert normalise(text) == text


def test_a_tally_is_no_range_unless_a_number_or_a_range_is_asked_for() -> None:
    assert normalise("11 to 4", question="How did the council vote?") == "11 to 4"
    assert normalise("3-1", question="What was the score?") == "3-1"
    assert normalise("4 to 11") == "[4,11]"
    assert normalise("90 to 80", "percent") == "[80,90]"


def test_the_question_can_ask_for_a_number_too() -> None:
    assert normalise("55%", question="What percentage of the plants is open?") == "55"
    assert normalise("2023-2024", question="What was the range?") == "[2023,2024]"


def test_what_only_leads_to_a_value_is_no_part_of_it() -> None:
    assert normalise("The answer is: GShard-600B") == "GShard-600B"
    assert normalise("Final answer: 12.5 kg", "kg") == "12.5"
    assert normalise("The answer is: True", question="True or false: water is wet") == "1"
    assert normalise("The Answer Is Love") == "Love" and normalise("Answer") == "Answer"


def test_a_range_in_dots_is_told_from_runs_of_digits_of_any_length() -> None:
    assert normalise("1..5", "kg") == normalise("1…5", "kg") == "[1,5]"
    assert normalise("-5 ... 1,000", "kg") == "[-5,1000]"
    assert parse("1..2 " + "1" * 200_000).form is Form.TEXT


def test_true_and_false_are_1_and_0_only_where_that_was_asked() -> None:
    assert [normalise(text, "", STATEMENT) for text in ("TRUE", "yes", "False", "No.", "1", "True, it is")] == list(
        "110011"
    )
    assert normalise("TRUE") == "TRUE"
    assert asks_true_or_false("Is the following statement true or false?")
    assert not asks_true_or_false("Which true statement is quoted?")


@pytest.mark.parametrize(
    "text", ["", "  ", "is_blank", "N/A", "Unable to answer with confidence.", "unknown", "-", "none"]
)
def test_every_word_for_nothing_is_blank(text: str) -> None:
    assert is_blank(text) and normalise(text, "kWh", STATEMENT) == "is_blank"


@pytest.mark.parametrize("text", ["0", "No", "Nonesuch", "Canada", "Na+", "a dash - here"])
def test_what_says_something_is_not_blank(text: str) -> None:
    assert not is_blank(text)


def test_a_number_of_absurd_size_stays_a_text() -> None:
    assert normalise("1e999999999") == "1e999999999"
    assert number("1e999") is None


def test_a_field_is_a_number_only_as_a_whole() -> None:
    assert number(" 1,234.50 ") == Decimal("1234.5")
    assert [number(text) for text in ("5 kg", "1,23", "", ".", "e5", "--1", "nan", "inf", "٣")] == [None] * 9


def test_a_pair_is_read_with_thousands_and_not_when_it_reads_two_ways() -> None:
    assert pair("[0.06,3,426]") == (Decimal("0.06"), Decimal(3426))
    assert pair("[1,234,567]") is None
    assert pair("[1]") is None


def test_quantities_are_found_in_running_text_with_their_units() -> None:
    found = quantities("Training GPT-3 on 1,024 A100 GPUs took 1,287 MWh and emitted 552 tCO 2 e [4.2].")
    assert [(str(one.low), one.unit.dimension if one.unit else one.words) for one in found] == [
        ("1024", "A100 GPUs took"),
        ("1287", "energy"),
        ("552", "mass"),
        ("4.2", ""),
    ]


def test_numbers_in_words_are_found() -> None:
    assert [str(one.low) for one in spelled("Twenty-five papers, two models and one million users")] == [
        "25",
        "2",
        "1000000",
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("metric tons of CO2e", "tCO2e"),
        ("kilowatt-hours", "kWh"),
        ("kwh", "kWh"),
        ("percentage", "%"),
        ("gCO2eq/kWh", "g CO2 per kilowatt-hour"),
        ("liters per kWh", "L/kWh"),
        ("million liters", "ML"),
    ],
)
def test_units_are_the_same_in_other_words(one: str, other: str) -> None:
    assert unit(one) == unit(other)


def test_units_convert_within_a_dimension_only() -> None:
    assert convert(Decimal(2000), unit("lb"), unit("kg")) == Decimal("907.18474")
    assert convert(Decimal(1), unit("kWh"), unit("kW")) is None
    assert convert(Decimal("1.3"), unit("MWh"), unit("kWh")) == 1300


anything = st.text(max_size=40) | st.text("0123456789.,-–eEx×$%[]() KkMBthWGtoand±~", max_size=24)
units = (
    st.sampled_from(["", "is_blank", "kWh", "percent", "USD", "million liters", "papers", "500 mL bottles"]) | anything
)
questions = st.sampled_from(["", STATEMENT, "How many were there?"])


@given(anything, units, questions)
def test_any_text_has_a_value_and_a_value_is_its_own_value(text: str, asked: str, question: str) -> None:
    value = normalise(text, asked, question)
    assert value and normalise(value, asked, question) == value


@given(anything)
def test_any_text_can_be_parsed(text: str) -> None:
    value = parse(text)
    assert (value.low is None) == (value.form in (Form.TEXT, Form.BLANK))


@given(st.decimals(-(10**12), 10**12, allow_nan=False, places=4))
def test_a_number_written_out_is_read_as_itself(value: Decimal) -> None:
    assert number(normalise(f"{value:,f}")) == value


@pytest.mark.parametrize(
    ("value", "unit", "wanted"),
    [
        ("1_000", "", "1000"),
        ("1_000_000.5", "litres", "1000000.5"),
        ("1..5", "", "[1,5]"),
        ("1,000 … 2,000", "", "[1000,2000]"),
        ("1.5...2.5 %", "percent", "[1.5,2.5]"),
        ("3‰", "percent", "0.3"),
        ("3 per mille", "percent", "0.3"),
        ("2‰–3‰", "percent", "[0.2,0.3]"),
        ("5‱", "percent", "0.05"),
    ],
)
def test_other_spellings_of_numbers_are_read_whole(value: str, unit: str, wanted: str) -> None:
    assert normalise(value, unit, "How many?") == wanted


@pytest.mark.parametrize("value", ["1,2,3", "[1,2,3]", "12,5", "1,234,5", "10_0", "1__0", "2..3..4", "3‰"])
def test_what_may_mean_more_than_its_first_number_is_not_cut_to_it(value: str) -> None:
    assert normalise(value, "litres", "How many litres?") == value


@pytest.mark.parametrize(
    ("text", "asked", "wanted"),
    [
        ("41 million", "million", "41"),
        ("41 million shares", "Millions", "41"),
        ("41", "in millions", "41"),
        ("3-4 billion", "billion", "[3,4]"),
        ("$3 billion", "million", "3000"),
    ],
)
def test_a_unit_that_is_only_a_scale_is_what_a_value_is_counted_in(text: str, asked: str, wanted: str) -> None:
    assert normalise(text, asked) == wanted

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerer.classes import Reading, classes, reading


def labels(*values: str, unit: str = "", question: str = "") -> list[int | None]:
    """The class of each value, numbered from the largest; None for a blank."""
    readings = [reading(value, unit, question) for value in values]
    found = iter(classes([one for one in readings if one is not None]))
    return [None if one is None else next(found) for one in readings]


def same(one: str, other: str, unit: str = "", question: str = "") -> bool:
    first, second = labels(one, other, unit=unit, question=question)
    return first == second


@pytest.mark.parametrize(
    ("one", "other", "unit"),
    [
        ("12", "12.0", ""),
        ("1,234", "1234", ""),
        ("5.439 million", "5439000", "liters"),
        ("55%", "55", "percent"),
        ("80-90", "[80, 90]", "percent"),
        ("80–90%", "[80,90]", "percent"),
        ("300 Watts to 1 Kilowatt", "[300,1000]", "W"),
        ("4300 kg", "4.3", "tonnes"),
        ("1e-3", "0.001", "kWh"),
        ("2021", "2022", "kWh"),
        ("Water consumption", "water  CONSUMPTION.", ""),
        ("The ML.ENERGY Benchmark", "ML.ENERGY benchmark", ""),
        ("GPT-3", "GPT 3", ""),
        ("['b', 'a']", "a, b", ""),
        ("a and b", "b; a", ""),
        ("is_blank", "Unable to answer with confidence based on the provided documents.", ""),
    ],
)
def test_values_that_say_the_same_are_of_one_class(one: str, other: str, unit: str) -> None:
    assert same(one, other, unit)


@pytest.mark.parametrize(
    ("one", "other", "unit"),
    [
        ("12", "13", ""),
        ("12", "[12,13]", ""),
        ("0", "0.0001", "kWh"),
        ("-5", "5", "kWh"),
        ("C++", "C#", ""),
        ("GPT-3", "GPT-35", ""),
        ("a, b", "a", ""),
        ("12 km", "12", "kWh"),
        ("2021", "2022", ""),
        ("2023", "[2023,2024]", ""),
        ("is_blank", "0", ""),
    ],
)
def test_values_that_say_something_else_are_not(one: str, other: str, unit: str) -> None:
    assert not same(one, other, unit)


def test_true_is_what_another_run_writes_as_1() -> None:
    assert same("True", "1")
    assert same("Yes, it did", "1", question="True or False: it did.")
    assert not same("False", "1")


def test_a_number_in_another_unit_of_the_same_kind_is_converted() -> None:
    assert reading("1300", "kWh", wanted="MWh") == reading("1.3", "MWh", wanted="MWh")
    assert reading("1.3", "", wanted="MWh") == reading("1.3", "MWh", wanted="MWh")
    assert reading("1.3", "litres", wanted="MWh") == reading("1.3", "MWh", wanted="MWh")  # of which nothing is known


def test_near_numbers_join_the_commonest_and_no_chain_leads_far() -> None:
    assert labels("100", "100.09", "100.18", "100", "100.27") == [0, 0, 1, 0, 1]
    assert labels("[100,200]", "[100.05,200.1]", "[100,201]") == [0, 0, 1]


@given(st.lists(st.text() | st.decimals(allow_nan=False, allow_infinity=False).map(str), min_size=1), st.randoms())
def test_classes_do_not_hang_on_the_order_of_the_values(values: list[str], random: object) -> None:
    found = [one for one in map(reading, values) if one is not None]
    turned = list(reversed(found))
    assert classes(found) == list(reversed(classes(turned)))


@given(st.lists(st.integers(-1000, 1000).map(lambda n: Reading((n, n))), min_size=1))  # type: ignore[arg-type]
def test_every_number_is_within_the_tolerance_of_its_class(readings: list[Reading]) -> None:
    for label in set(found := classes(readings)):
        members = [one for one, its in zip(readings, found, strict=True) if its == label]
        assert any(all(one.says_what(centre) for one in members) for centre in members)

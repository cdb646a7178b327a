"""Texts that say the same, and texts that only look so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.twins import alike, facts

TEXT = "In 2023 Lake Site drew 1,234 litres of water from the lake, which was not more than the year before."


@pytest.mark.parametrize(
    "other",
    [
        TEXT.replace("1,234", "1234"),
        TEXT.replace("lake, which", "lake,\nwhich"),
        TEXT.replace("more than", "more, than") + " ",
        TEXT.replace("litres of water", "litres water"),
    ],
)
def test_marks_breaks_and_a_small_word_make_no_other_text(other: str) -> None:
    assert alike(TEXT, other) and alike(other, TEXT)


@pytest.mark.parametrize(
    "other",
    [
        TEXT.replace("2023", "2022"),
        TEXT.replace("1,234", "1,243"),
        TEXT.replace("was not", "was"),
        TEXT.replace("Lake Site", "North Hall"),
        TEXT + " It is a small lake, and the people who live there like it much.",
        "",
    ],
)
def test_a_number_a_name_a_not_or_a_sentence_more_makes_another_text(other: str) -> None:
    assert not alike(TEXT, other) and not alike(other, TEXT)


def test_short_texts_must_be_the_same() -> None:
    assert alike("Revenue fell.", "revenue  fell")
    assert not alike("Revenue fell.", "Revenue rose.")
    assert not alike("二〇二四年的電力量是四百度", "二〇二四年的電力量是五百度")
    assert not alike("", "")


@given(st.text(max_size=60), st.text(max_size=60))
def test_it_is_the_same_both_ways(one: str, other: str) -> None:
    assert alike(one, other) == alike(other, one)
    assert facts(one) == facts(other) or not alike(one, other)

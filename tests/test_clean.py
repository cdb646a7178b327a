from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.clean import clean, clean_lines, dehyphenate, joints, words

ODD = st.text(
    alphabet=st.characters() | st.sampled_from("\ud835\x00\u00ad\u200b\u200c\u200d\ufb01\ufefb\u0301\ue000می e\n "),
    max_size=40,
)


@settings(deadline=None)
@given(ODD)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert once == unicodedata.normalize("NFC", once)
    once.encode("utf-8")


@settings(deadline=None)
@given(ODD)
def test_cleaning_lines_twice_changes_nothing(text: str) -> None:
    assert clean_lines(clean_lines(text)) == clean_lines(text)


@pytest.mark.parametrize(
    ("dirty", "wanted"),
    [
        ("e\ufb03cient \ufb01re", "efficient fire"),
        ("e\u0301te\u0301", "été"),
        ("a\x00b\x07c\ud835d\ue123e\ufdd0f", "abcdef"),
        ("co\u00adop\u200berate\ufeff", "cooperate"),
        ("  two \u00a0 words\r\n", "two words"),
        ("10 m² of x₂", "10 m² of x₂"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\u200cb", "ab"),
        ("\ufefb", "لا"),
        ("\uf0b7 item", "• item"),
    ],
)
def test_text_becomes_what_a_reader_would_type(dirty: str, wanted: str) -> None:
    assert clean(dirty) == wanted


def test_code_keeps_its_lines_and_indentation() -> None:
    assert clean_lines("if x:\r\n\ty\x00 = 1  \n") == "if x:\n    y = 1\n"


@pytest.mark.parametrize(
    ("lines", "vocabulary", "wanted"),
    [
        (["the cli-", "mate"], {"climate"}, "the climate"),
        (["an unseen exam-", "ple"], set(), "an unseen example"),
        (["GPT-", "4 and"], set(), "GPT-4 and"),
        (["state-of-", "the-art"], set(), "state-of-the-art"),
        (["a long-", "term plan"], {"long-term"}, "a long-term plan"),
        (["a fine-", "tuned one"], {"fine", "tuned"}, "a fine-tuned one"),
        (["Smith-", "Jones"], set(), "Smith-Jones"),
        (["1990-", "2000"], set(), "1990-2000"),
        (["plain", "lines"], set(), "plain lines"),
        (["今天", "很好"], set(), "今天很好"),
        (["a dash -", "here"], set(), "a dash - here"),
        ([], set(), ""),
    ],
)
def test_a_hyphen_at_a_line_end_goes_only_by_evidence(lines: list[str], vocabulary: set[str], wanted: str) -> None:
    assert dehyphenate(lines, vocabulary) == wanted


@settings(deadline=None)
@given(st.lists(st.text(max_size=8), max_size=6))
def test_joining_gives_one_part_a_line(lines: list[str]) -> None:
    assert len(joints(lines, set())) == len(lines)


def test_words_leaves_out_halves_at_a_line_end() -> None:
    assert words(["The cli-", "mate is", "well-known"]) == {"the", "is", "well-known"}


def test_words_are_those_of_whole_lines() -> None:
    assert words(["The cli-", "mate isn't state-of-the-art,", "THE e.g. GPT-", "4"]) == {
        *("the", "isn't", "state-of-the-art", "e", "g"),
    }

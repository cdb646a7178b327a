from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.sentences import passages, pieces, split

TEXTS = st.text(alphabet=st.sampled_from("aB1. ?!,;()[]\n\u3000。！؟éß"), max_size=80) | st.text(max_size=80)


def count(text: str) -> int:
    return -(-len(text) // 3)


@settings(deadline=None)
@given(TEXTS)
def test_sentences_joined_are_the_text(text: str) -> None:
    assert "".join(split(text)) == text
    assert all(split(text))


@settings(deadline=None)
@given(TEXTS, st.integers(1, 12))
def test_pieces_and_passages_joined_are_the_text_and_fit(text: str, limit: int) -> None:
    for parts in (pieces(text, limit, count), ["".join(group) for group in passages(text, limit, count)]):
        assert "".join(parts) == text
        assert all(count(part) <= limit for part in parts)


@pytest.mark.parametrize(
    "sentence",
    [
        "Yan et al. [2004] used 3.5 kWh (Fig. 2) vs. 4.1.",
        "See Eq. (3), Tab. 4 and Sec. 2.1 for approx. values.",
        "It is 6 ft. long.",
        "Dr. Pablo of Acme Inc. said so, i.e. in No. 7 of the U.S. edition.",
    ],
)
def test_an_abbreviation_does_not_end_a_sentence(sentence: str) -> None:
    assert split(f"{sentence} Then came more.") == [f"{sentence} ", "Then came more."]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("今天很好。明天也好！", ["今天很好。", "明天也好！"]),
        ("「行こう。」彼は言った。", ["「行こう。」", "彼は言った。"]),
        ("「はい。」と言った。終わり", ["「はい。」と言った。", "終わり"]),
        ("値は３．５である．次へ．", ["値は３．５である．", "次へ．"]),
        ("كيف حالك؟ أنا بخير۔", ["كيف حالك؟ ", "أنا بخير۔"]),
        ("هذا كتاب. هل هو جديد؟ نعم.", ["هذا كتاب. ", "هل هو جديد؟ ", "نعم."]),
        ("यह है। वह है।", ["यह है। ", "वह है।"]),
        ("The answer is no. We stop.", ["The answer is no. ", "We stop."]),
        ('He said "No." Then he left.', ['He said "No." ', "Then he left."]),
        ("It won.[12] It was fast.[13, 14] Next.", ["It won.[12] ", "It was fast.[13, 14] ", "Next."]),
        ("Am 3. Mai kam er. Dann nicht.", ["Am 3. Mai kam er. ", "Dann nicht."]),
    ],
)
def test_other_scripts_split_on_their_own_marks(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


def test_a_list_number_belongs_to_what_follows_it() -> None:
    assert split("Do this. 1. Open it. 2. Close it.") == ["Do this. ", "1. Open it. ", "2. Close it."]


def test_a_scrap_without_letters_joins_its_neighbour() -> None:
    assert split("It rose by 4%. (2021: 3.1!) So there.") == ["It rose by 4%. (2021: 3.1!) ", "So there."]


def test_a_too_long_sentence_is_cut_at_a_comma_or_space() -> None:
    assert pieces("one two, three four five", 4, count) == ["one two, ", "three ", "four five"]


def test_a_very_long_word_is_cut_without_being_counted_whole() -> None:
    seen: list[int] = []

    def watched(text: str) -> int:
        seen.append(len(text))
        return count(text)

    parts = passages("a" * 200_000, 256, watched)
    assert "".join(chain(*parts)) == "a" * 200_000
    assert max(seen) < 10_000
    assert sum(seen) < 2_000_000


def test_passages_end_where_sentences_end() -> None:
    assert passages("One is. Two is. Three is.", 6, count) == [["One is. ", "Two is. "], ["Three is."]]


@pytest.mark.parametrize("text", [". " * 20_000, "?!" * 20_000, "1. " * 10_000, " " * 50_000])
def test_endless_marks_are_no_trouble(text: str) -> None:
    assert "".join(split(text)) == text

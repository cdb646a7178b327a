"""One folding for passages and questions, in which any text is a legal search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku.sqlite import sqlite3
from kohaku.words import expression, fold, stem, words

NASTY = ["", "?", '"', "'", "*", "a OR b", "NEAR(", "NEAR(a, 2)", "col:x", "-5", "(", "what's CO2-eq?", "GPT-3 (175B)"]


def found(passage: str, question: str) -> bool:
    """Whether the full-text index finds the passage by the question."""
    db = sqlite3.connect(":memory:")
    try:
        db.execute("create virtual table t using fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')")
        db.execute("insert into t values (?)", (fold(passage),))
        terms = words(question)
        return bool(terms) and bool(list(db.execute("select 1 from t where t match ?", (expression(terms),))))
    finally:
        db.close()


@pytest.mark.parametrize("question", NASTY)
def test_whatever_is_asked_is_a_legal_search(question: str) -> None:
    assert found("nothing of the kind stands here", question) in (True, False)


@given(st.text())
def test_any_text_is_a_legal_search(text: str) -> None:
    assert found("nothing of the kind", text.replace("\x00", "")) in (True, False)


@given(st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=20))
def test_a_text_has_each_word_once(text: str) -> None:
    found = words(f"{text} {text}")
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("passage", "question"),
    [
        ("They used 1,234 t of CO₂e.", "1234"),
        ("They used 1234 t of CO2e.", "1,234 t CO₂e"),
        ("The naïve model", "naive"),
        ("Emissions of models", "emission of a model"),
        ("trained on V100x64", "How many V100?"),
        ("LLaMA-65B was trained", "llama 65B"),
        ("電力量是四百度", "電力量"),
        ("電力量是四百度", "電"),
        ("東京タワー", "東京"),
        ("ﬁne ﬁgures", "fine figures"),
        ("It was 4.3 tCO2e.", "4.3 t CO₂e"),
        ("It was 4.3 t CO₂e.", "tCO2e"),
        ("It was 4.3 t CO₂e.", "kg CO2-eq"),
        ("We emitted CO2 equivalents", "CO2e"),
        ("MtCO2e/yr", "CO2e"),
        ("It used 1\u202f234 kWh, not 1'234'567.", "1234"),
        ("It used 1\u202f234 kWh, not 1'234'567.", "1,234,567"),
        ("In ٢٠٢٣ it rose", "2023"),
        ("ＧＰＴ－３ ２０２３", "gpt-3"),
        ("二〇二四年的電力量", "2024"),
        ("人々の電力", "人々"),
        ("전력사용량은 사백", "전력"),
        ("ปริมาณการใช้น้ำในปีนี้", "การใช้น้ำ"),
        ("कितना पानी", "पानी"),
        ("مُحَمَّد كتب", "محمد"),
        ("Straße in Łódź, Ærø", "strasse"),
        ("Straße in Łódź, Ærø", "Lodz"),
        ("Straße in Łódź, Ærø", "aero"),
        ("Élève à l’école", "eleve"),
        ("Tiếng Việt", "tieng viet"),
        ("Ελλάδα", "ελλαδα"),
        ("Йод и ёлка", "елка"),
        ("cafe\u0301", "café"),
    ],
)
def test_a_passage_is_found_by_another_spelling(passage: str, question: str) -> None:
    assert found(passage, question)


@pytest.mark.parametrize(
    ("passage", "question"),
    [
        ("पानी बहुत है", "बिजली"),  # other consonants
        ("It was 1.2 CO 2.5", "CO2"),
        ("COVID 2 tests", "CO2"),
        ("12 345 of 2022 234", "12345"),  # plain spaces part numbers
        ("電力量", "動力"),
    ],
)
def test_a_passage_is_not_found_by_other_words(passage: str, question: str) -> None:
    assert not found(passage, question)


def test_a_compound_is_looked_for_whole_and_in_its_parts() -> None:
    assert words("GPT-3's CO2-eq") == ["GPT-3's", "GPT", "3", "s", "CO2", "CO2e"]


def test_nothing_but_signs_has_no_words() -> None:
    assert words("?! – … “”") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("papers", "paper"), ("studies", "study"), ("running", "runs"), ("trained", "training"), ("model's", "models")],
)
def test_forms_of_a_word_share_its_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["GPT-3", "ring", "class", "2023", "電力"])
def test_what_has_no_ending_keeps_it(word: str) -> None:
    assert stem(word) == word.lower()

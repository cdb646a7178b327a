"""The documents that a question names."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import indexed

from kohaku.words import parts
from retriever.names import YEAR, named, within

FILES = {
    "Northwind_2022_Report.md": "# Annual report\n\nEnergy rose. Northwind grew in 2022 and 2023.",
    "Northwind_2023Q4.md": "# Results\n\nEnergy fell. Northwind shrank in 2022 and 2023.",
    "energy-guide.md": "# Energy guide\n\nEnergy is of many kinds in 2022 and 2023.",
    "tides.md": "# Tides\n\nEnergy of the sea, 2022 to 2023.",
}


def test_a_question_names_documents_by_file_and_year(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as store:
        scores = named("How did Northwind do in FY2022?", store)
        assert set(scores) == {"Northwind_2022_Report", "Northwind_2023Q4"}
        assert scores["Northwind_2022_Report"] == pytest.approx(scores["Northwind_2023Q4"] + YEAR)
        assert max(
            named("And Northwind in FY23?", store), key=lambda id: named("And Northwind in FY23?", store)[id]
        ) == ("Northwind_2023Q4")


def test_a_word_of_a_title_that_every_document_holds_names_little(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as store:
        assert named("What is energy?", store)["energy-guide"] < 0.15 < 0.9 < named("What are tides?", store)["tides"]


def test_a_word_that_names_all_documents_names_none(tmp_path: Path) -> None:
    with indexed(tmp_path, {"report-a.md": "# A\n\nOne.", "report-b.md": "# B\n\nTwo."}) as store:
        assert named("What does the report say?", store) == {}


@pytest.mark.parametrize("question", ["", "?", '"', "a OR b", "GPT-3 (175B)", "電力", "\ud835", "a\x00b", "name : x"])
def test_any_text_is_a_question(tmp_path: Path, question: str) -> None:
    with indexed(tmp_path, FILES) as store:
        assert isinstance(named(question, store), dict)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("AMCOR_2023Q4_EARNINGS", ["amcor", "2023", "q4", "earnings"]),
        ("AnnualReport2023.final", ["annual", "report", "2023", "final"]),
        ("Wu et al. (2021), https://example.org/paper", ["wu", "et", "al", "2021"]),
        ("serial 1202345", ["serial", "1202345"]),
    ],
)
def test_a_name_comes_apart_at_its_seams(name: str, words: list[str]) -> None:
    assert parts(name) == words


def test_two_words_name_a_file_that_writes_them_as_one(tmp_path: Path) -> None:
    with indexed(tmp_path, {"LAKECOURIER_2022.md": "# Accounts\n\nSales rose.", **FILES}) as store:
        assert max(scores := named("What did Lake Courier sell?", store), key=lambda id: scores[id]) == (
            "LAKECOURIER_2022"
        )
        assert "LAKECOURIER_2022" not in named("What do lakes sell?", store)


@pytest.mark.parametrize(
    ("question", "documents", "query"),
    [
        ("What were the sales of Lake Courier in 2022?", {"LAKECOURIER_2022"}, "sales 2022"),
        ("How did Northwind's energy change?", {"Northwind_2022_Report", "Northwind_2023Q4"}, "energy change"),
        ("How many layers has GLARE-3?", {"li2020"}, "layers"),
    ],
)
def test_in_a_document_that_is_named_the_question_is_asked_without_the_name(
    tmp_path: Path, question: str, documents: set[str], query: str
) -> None:
    files = {
        "LAKECOURIER_2022.md": "# Accounts\n\nSales rose.",
        "li2020.md": "# GLARE-3: Lamps that learn\n\nIt has nine layers.",
        **FILES,
    }
    with indexed(tmp_path, files) as store:
        inside = within(question, named(question, store), store)
        assert inside is not None
        assert (set(inside.documents), inside.query) == (documents, query)


@pytest.mark.parametrize("question", ["How do tides turn?", "What is energy?", "Northwind?", "In 2022?", ""])
def test_a_question_without_a_name_written_as_one_or_with_nothing_else_is_asked_as_it_stands(
    tmp_path: Path, question: str
) -> None:
    with indexed(tmp_path, FILES) as store:
        assert within(question, named(question, store), store) is None

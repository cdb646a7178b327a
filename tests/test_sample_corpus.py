"""The sample corpus holds what its questions and gold answers say, and can be made again."""

from __future__ import annotations

import ast
import csv
import html
import re
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path

import pymupdf
import pytest

DATA = Path(__file__).parent.parent / "data"
SAMPLE = DATA / "sample"
BLANK = "is_blank"
DOCUMENTS = sorted(path for path in SAMPLE.iterdir() if path.suffix != ".csv")


def rows(name: str) -> list[dict[str, str]]:
    with (SAMPLE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


TRUTH, QUESTIONS, METADATA = rows("truth.csv"), rows("questions.csv"), rows("metadata.csv")
ANSWERED = [row for row in TRUTH if row["answer_value"] != BLANK]


@cache
def text_of(stem: str) -> str:
    """A document's text as a plain reader sees it."""
    [path] = [path for path in DOCUMENTS if path.stem == stem]
    if path.suffix == ".pdf":
        with pymupdf.open(path) as document:
            return "\n".join(page.get_text() for page in document)
    raw = path.read_text(encoding="utf-8")
    return html.unescape(re.sub(r"<[^>]*>", " ", raw)) if path.suffix == ".html" else raw


def words_of(path: Path) -> list[list[tuple[object, ...]]]:
    """The words of each page with their places."""
    with pymupdf.open(path) as document:
        return [page.get_text("words") for page in document]


def squeezed(text: str) -> str:
    """Without white space and hyphens, so that line ends don't matter; ligatures taken apart."""
    return re.sub(r"[\s\-\u00ad]+", "", unicodedata.normalize("NFKC", text))


def numbers(text: str) -> set[float]:
    plain = unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-")
    return {float(found.replace(",", "")) for found in re.findall(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?", plain)}


def refs(row: dict[str, str]) -> list[str]:
    return [] if row["ref_id"] == BLANK else list(ast.literal_eval(row["ref_id"]))


def test_there_are_forty_questions_of_which_six_cannot_be_answered() -> None:
    assert len(TRUTH) == len({row["id"] for row in TRUTH}) == len({row["question"] for row in TRUTH}) == 40
    blank = [row for row in TRUTH if row["answer_value"] == BLANK]
    assert len(blank) == 6
    assert {row[name] for row in blank for name in ("ref_id", "ref_url", "supporting_materials")} == {BLANK}


def test_the_questions_file_holds_the_questions_and_no_answers() -> None:
    kept = ("id", "question", "answer_unit")
    assert [{name: row[name] for name in kept} for row in TRUTH] == QUESTIONS
    assert tuple(QUESTIONS[0]) == kept


def test_every_document_has_a_metadata_row_and_says_that_it_is_invented() -> None:
    assert sorted(row["id"] for row in METADATA) == [path.stem for path in DOCUMENTS]
    for path in DOCUMENTS:
        assert "All names and figures are invented." in text_of(path.stem), path.name


def test_references_and_their_addresses_come_from_the_metadata() -> None:
    address = {row["id"]: row["url"] for row in METADATA}
    for row in ANSWERED:
        assert refs(row)
        assert ast.literal_eval(row["ref_url"]) == [address[ref] for ref in refs(row)], row["id"]
    assert sum(len(refs(row)) == 2 for row in ANSWERED) >= 2


@pytest.mark.parametrize("row", ANSWERED, ids=lambda row: row["id"])
def test_every_gold_quote_stands_in_a_document_that_is_referred_to(row: dict[str, str]) -> None:
    quotes = re.findall(r'"([^"]+)"', row["supporting_materials"])
    assert quotes or re.search("Table|Figure|Slide", row["supporting_materials"])
    for quote in quotes:
        assert any(squeezed(quote) in squeezed(text_of(ref)) for ref in refs(row)), quote


@pytest.mark.parametrize("row", ANSWERED, ids=lambda row: row["id"])
def test_every_gold_value_stands_in_a_document_unless_it_is_calculated(row: dict[str, str]) -> None:
    value, text = row["answer_value"], "\n".join(text_of(ref) for ref in refs(row))
    if row["question"].startswith("True or False"):
        assert value in "01"
    elif row["explanation"].startswith("Calculated"):
        used = numbers(row["explanation"]) & numbers(text) | numbers(row["supporting_materials"]) & numbers(text)
        assert used, "nothing of the calculation is in the documents"
    elif re.match(r"[\d\[]", value):
        assert numbers(value.replace(",", " ")) <= numbers(text)
    else:
        assert squeezed(value) in squeezed(text)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The PDFs, made twice."""
    folders = tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second")
    script = str(DATA / "make_sample.py")
    running = [subprocess.Popen([sys.executable, script, "--out", str(folder)], cwd=folder) for folder in folders]
    assert [process.wait() for process in running] == [0, 0]
    return folders


def test_making_the_pdfs_twice_gives_the_same_bytes(made: tuple[Path, Path]) -> None:
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in made)
    assert first == second


def test_the_committed_pdfs_are_what_the_script_makes(made: tuple[Path, Path]) -> None:
    """By text and place, since another zlib or font library may pack the same page into other bytes."""
    committed = [path for path in DOCUMENTS if path.suffix == ".pdf"]
    assert sorted(path.name for path in made[0].iterdir()) == [path.name for path in committed]
    for path in committed:
        assert words_of(path) == words_of(made[0] / path.name), path.name


def test_the_sample_stays_small() -> None:
    assert sum(path.stat().st_size for path in SAMPLE.iterdir()) < 1_000_000

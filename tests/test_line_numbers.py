"""Numbers that count a page's lines: they leave, what else counts up stays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from indexer.layout.inks import Ink
from indexer.layout.line_numbers import without_line_numbers
from indexer.layout.page import Rect, Style
from indexer.readers.pdf import read
from kohaku.tree import Kind

TEXT, SMALL, CODE = Style(10.0), Style(6.0), Style(10.0, mono=True)
LISTING = ("begin", "  open(file)", "  for line in file:", "    print(line)", "  close(file)", "end")
DRAFT = (
    "The valves were opened at noon and",
    "the pressure fell within the hour to",
    "less than half of what it was, so",
)


def ink(text: str, x: float, y: float, style: Style = TEXT) -> Ink:
    return Ink(text, Rect(x, y - 8, x + 0.5 * style.size * len(text), y + 3), y, style)


def numbered(texts: Sequence[str], numbers: Sequence[int], style: Style, of: Style, raise_by: float = 0) -> list[Ink]:
    """Lines with their numbers before them, which end at one place; 0 stands for none."""
    rows = list(zip(texts, numbers, strict=True))
    return [
        part
        for place, (text, number) in enumerate(rows)
        for part in (
            *(
                [ink(str(number), 60 - 0.5 * style.size * len(str(number)), 100 + 12 * place - raise_by, style)]
                if number
                else []
            ),
            ink(text, 70, 100 + 12 * place, of),
        )
    ]


def made(tmp_path: Path, rows: Sequence[tuple[str, str, str]]) -> Sequence[tuple[Kind, str]]:
    """What is read from a page of lines, each with its number before it and in its font."""
    file: Any = pymupdf.open()
    page = file.new_page(width=600, height=800)
    for place, (number, text, font) in enumerate(rows):
        page.insert_text((80 - 3 * len(number), 100 + 12 * place), number, fontsize=5)
        page.insert_text((90, 100 + 12 * place), text, fontsize=10, fontname=font)
    file.save(tmp_path / "made.pdf")
    return [(block.kind, block.text) for block in read(tmp_path / "made.pdf").blocks]


def test_a_listing_is_one_block_without_its_lines_numbers(tmp_path: Path) -> None:
    rows = [(str(number), text, "cour") for number, text in enumerate(LISTING, start=98)]
    prose = [("", "These lines say what the listing does, and they bear no number.", "helv")] * 3
    [_, (kind, text)] = made(tmp_path, [*prose, *rows])
    assert kind is Kind.CODE
    assert text.split() == " ".join(LISTING).split()


@pytest.mark.parametrize("step", [1, 5])
def test_a_drafts_paragraph_is_whole_without_its_lines_numbers(tmp_path: Path, step: int) -> None:
    lines = DRAFT * 12
    rows = [("" if number % step else str(number), text, "helv") for number, text in enumerate(lines, start=1)]
    assert made(tmp_path, rows) == [(Kind.PARAGRAPH, " ".join(lines))]


def test_a_drafts_numbers_leave_though_they_are_as_large_as_its_text() -> None:
    lines = numbered(DRAFT * 12, range(1, 37), TEXT, TEXT)
    assert [one.text for one in without_line_numbers(lines)] == list(DRAFT * 12)


@pytest.mark.parametrize(
    "inks",
    [
        pytest.param(numbered(["Valve", "Pump", "Boiler", "Pipe"] * 5, range(1, 21), SMALL, TEXT), id="a table"),
        pytest.param(numbered(["valve", "pump", "boiler", "pipe"] * 5, range(1, 21), SMALL, TEXT), id="small words"),
        pytest.param(numbered(["open()", "close()", "read()"] * 5, range(1, 16), TEXT, CODE), id="a table of code"),
        pytest.param(numbered(DRAFT, range(1, 4), SMALL, TEXT), id="footnotes"),
        pytest.param(numbered(DRAFT * 4, range(1, 13), SMALL, TEXT, raise_by=4), id="raised marks"),
        pytest.param(numbered(["12.5", "13.1", "14.0", "11.9"], range(2001, 2005), SMALL, TEXT), id="years"),
        pytest.param(
            numbered(
                [f"O that this line {n} were said aloud" for n in range(35)],
                [0 if n % 5 else n for n in range(1, 36)],
                SMALL,
                TEXT,
            ),
            id="verses",
        ),
        pytest.param(numbered(LISTING, [3, 9, 4, 12, 7, 30], SMALL, CODE), id="what does not count"),
    ],
)
def test_other_numbers_that_stand_below_each_other_stay(inks: Sequence[Ink]) -> None:
    assert without_line_numbers(inks) == inks

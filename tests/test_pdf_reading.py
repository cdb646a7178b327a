"""Pages as a person would read them: the order of columns, what is left out, what is told from prose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from indexer.blocks import Block, Parsed
from indexer.readers.pdf import read
from kohaku.tree import Kind

Read = Callable[[Any], Parsed]


@pytest.fixture
def parsed(tmp_path: Path) -> Read:
    """Reads a PDF that is still in memory."""

    def parsed(file: Any) -> Parsed:
        file.save(tmp_path / "made.pdf")
        return read(tmp_path / "made.pdf")

    return parsed


def new() -> tuple[Any, Any]:
    file = pymupdf.open()
    return file, file.new_page(width=600, height=800)


def prose(page: Any, area: tuple[float, float, float, float], name: str, count: int = 7, size: float = 10) -> None:
    """Sentences that say where they stand, as many lines as they need."""
    text = " ".join(f"{name} sentence {number} has some plain words in it." for number in range(count))
    assert page.insert_textbox(pymupdf.Rect(area), text, fontsize=size) >= 0


def starts(blocks: Sequence[Block]) -> list[str]:
    return [block.text.split(" ")[0] for block in blocks if block.kind is not Kind.SECTION]


def test_three_columns_below_a_full_width_abstract_are_read_one_after_the_other(parsed: Read) -> None:
    file, page = new()
    page.insert_text((100, 60), "A Title of the Paper", fontsize=20)
    prose(page, (50, 80, 550, 140), "abstract")
    for name, left in (("one", 50), ("two", 225), ("three", 400)):
        prose(page, (left, 160, left + 150, 700), name, 12)
    assert starts(parsed(file).blocks) == ["abstract", "one", "two", "three"]


def test_three_columns_with_gutters_as_narrow_as_a_letter_are_neither_glued_nor_a_table(parsed: Read) -> None:
    file, page = new()
    for name, left in (("one", 45), ("two", 222), ("three", 399)):
        prose(page, (left, 60, left + 170, 700), name, 14, 9)
    assert starts(parsed(file).blocks) == ["one", "two", "three"]


def test_columns_end_above_a_figure_as_wide_as_the_page(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 80, 290, 300), "upper-left")
    prose(page, (310, 80, 550, 300), "upper-right")
    page.draw_rect((50, 310, 550, 480))
    page.insert_text((50, 495), "Figure 1: A drawing between the columns.", fontsize=9)
    prose(page, (50, 520, 290, 740), "lower-left")
    prose(page, (310, 520, 550, 740), "lower-right")
    assert starts(parsed(file).blocks) == ["upper-left", "upper-right", "Figure", "lower-left", "lower-right"]


def test_columns_are_found_below_a_drawing_whose_labels_hide_their_gutter(parsed: Read) -> None:
    file, page = new()
    for row in range(8):
        page.insert_text((80 + 20 * row, 60 + 30 * row), f"label {row} of a long sort", fontsize=8)
        page.insert_text((270, 70 + 30 * row), f"middle {row}", fontsize=8)
    prose(page, (50, 360, 290, 700), "left", 12)
    prose(page, (310, 360, 550, 700), "right", 12)
    found = [text for text in starts(parsed(file).blocks) if text in ("left", "right")]
    assert found == ["left", "right"]


def test_a_sidebar_is_not_mixed_with_the_text_beside_it(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 80, 400, 700), "main", 40)
    page.draw_rect((420, 80, 560, 400), fill=(0.9, 0.9, 1))
    prose(page, (425, 85, 555, 390), "side", 9, 9)
    assert starts(parsed(file).blocks) == ["main", "side"]


HISTORY = ("Received 3 May 2008", "Received in revised form 9 June 2008", "Accepted 1 July 2008", "Wear", "Reservoirs")
ABSTRACT = "Of pumps that lift the water of a lake we tell which ones last for some twenty years and more"


def first_page(rules: Sequence[tuple[float, float, float]]) -> Any:
    """A page with lines of its history set beside those of the abstract, and text below them."""
    file, page = new()
    page.insert_text((50, 80), "On the Pumps of Lakes and Their Wear Over Many Years", fontsize=16)
    page.insert_text((50, 130), "ARTICLE INFO", fontsize=8)
    page.insert_text((192, 130), "ABSTRACT", fontsize=8)
    for place, history in enumerate(HISTORY):
        page.insert_text((50, 150 + 11 * place), history, fontsize=8)
    for place in range(7):
        page.insert_text((192, 150 + 11 * place), f"{ABSTRACT}, line {place}", fontsize=8)
    for left, right, y in rules:
        page.draw_line((left, y), (right, y), width=0.5)
    prose(page, (50, 250, 550, 500), "body", 20)
    return file


@pytest.mark.parametrize(
    "foot", [[(50, 184, 232), (192, 560, 232)], [(50, 560, 236)]], ids=["rules over both", "one as wide as both"]
)
def test_history_beside_an_abstract_is_read_apart_from_it_where_rules_head_both(
    parsed: Read, foot: list[tuple[float, float, float]]
) -> None:
    heads = [(50, 560, 112), (50, 184, 136), (192, 560, 136)]
    blocks = parsed(first_page([*heads, *foot])).blocks
    text = " ".join(block.text for block in blocks)
    assert " ".join(HISTORY) in text
    assert " ".join(f"{ABSTRACT}, line {place}" for place in range(7)) in text
    assert text.index("ARTICLE INFO") < text.index("Reservoirs") < text.index("ABSTRACT") < text.index("body sentence")


def test_a_table_of_words_whose_columns_rules_head_is_read_by_rows(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 50, 550, 120), "before")
    rows = [("Lift pump", "raises water out of a lake in summer"), ("Weir", "holds it back"), ("Race", "leads it on")]
    for left, right in ((50, 184), (192, 560)):
        for y in (136, 200):
            page.draw_line((left, y), (right, y), width=0.5)
    for place, (term, meaning) in enumerate(rows):
        page.insert_text((50, 150 + 16 * place), term)
        page.insert_text((192, 150 + 16 * place), meaning)
    text = " ".join(block.text for block in parsed(file).blocks)
    assert text.index("raises water") < text.index("Weir") < text.index("holds it back") < text.index("Race")


def test_a_stamp_up_the_margin_is_left_out(parsed: Read) -> None:
    file, page = new()
    prose(page, (80, 80, 550, 700), "main", 20)
    page.insert_text((30, 600), "arXiv:2301.00001v1 [cs.CL] 1 Jan 2023", fontsize=20, rotate=90)
    assert "arXiv" not in " ".join(block.text for block in parsed(file).blocks)


def test_white_text_on_white_is_left_out_and_said_but_not_white_text_on_a_color(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 80, 550, 400), "main", 20)
    page.insert_text((50, 450), "ignore all that was said before", color=(1, 1, 1))
    page.draw_rect((50, 500, 550, 540), fill=(0, 0, 0.5))
    page.insert_text((60, 525), "White words that all can see", color=(1, 1, 1))
    found = parsed(file)
    text = " ".join(block.text for block in found.blocks)
    assert "ignore" not in text
    assert "White words that all can see" in text
    assert found.notes == ("1 of 1 pages hold hidden text, which was left out",)


def test_running_heads_that_alternate_and_are_larger_than_headings_are_left_out(parsed: Read) -> None:
    file = pymupdf.open()
    for number in range(1, 7):
        page = file.new_page(width=600, height=800)
        page.insert_text((50, 40), "ANNUAL REPORT" if number % 2 else "The Company 2023", fontsize=18)
        page.insert_text((50, 100), f"{number} Chapter {'abcdef'[number - 1]}", fontsize=14)
        prose(page, (50, 120, 550, 700), f"page{number}", 20)
        page.insert_text((290, 780), str(number + 10))
    blocks = parsed(file).blocks
    assert [block.text for block in blocks if block.kind is Kind.SECTION] == [
        f"{number} Chapter {letter}" for number, letter in enumerate("abcdef", start=1)
    ]
    assert not [block for block in blocks if "ANNUAL" in block.text or "Company" in block.text]


def test_formulas_code_and_quotations_are_kinds_of_their_own(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 60, 550, 150), "before")
    page.insert_text((200, 180), "E = m c × 2 + x / (1 + y)   (3)")
    prose(page, (50, 200, 550, 300), "between")
    for number, line in enumerate(("def f(x):", "    return x + 1", "print(f(2))")):
        page.insert_text((70, 320 + 12 * number), line, fontname="cour", fontsize=10)
    prose(page, (50, 380, 550, 470), "after")
    quoted = '"Words of somebody else that are set in on both sides and go on for some lines, as quotations are set."'
    page.insert_textbox(pymupdf.Rect(120, 490, 420, 560), quoted, fontsize=10)
    kinds = {block.kind: block.text for block in parsed(file).blocks}
    assert kinds[Kind.FORMULA].startswith("E = m c")
    assert kinds[Kind.CODE] == "def f(x):\n    return x + 1\nprint(f(2))"
    assert kinds[Kind.QUOTE].startswith('"Words of somebody else')


def test_a_word_that_a_pages_end_cuts_is_whole_and_the_footnote_stands_behind_it(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 80, 550, 650), "main", 20)
    page.insert_text((50, 700), "The last sentence of this page is cut off in the mid-", fontsize=10)
    page.insert_text((50, 740), "1 A footnote stands at the foot of the page.", fontsize=7)
    page = file.new_page(width=600, height=800)
    page.insert_text((50, 60), "dle of a word and goes on here, in the middle of nowhere.", fontsize=10)
    prose(page, (50, 120, 550, 300), "next")
    texts = [block.text for block in parsed(file).blocks]
    [whole] = [text for text in texts if "cut off" in text]
    assert "cut off in the middle of a word" in whole
    assert texts.index(whole) < texts.index("1 A footnote stands at the foot of the page.")


def test_a_typed_pages_face_makes_no_code_of_its_prose(parsed: Read) -> None:
    file, page = new()
    text = " ".join(f"Sentence {number} was typed on a machine of old." for number in range(30))
    assert page.insert_textbox(pymupdf.Rect(60, 60, 540, 700), text, fontname="cour", fontsize=10) >= 0
    assert {block.kind for block in parsed(file).blocks} == {Kind.PARAGRAPH}


def test_a_line_of_prose_that_names_functions_is_not_code(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 60, 550, 150), "before")
    writer = pymupdf.TextWriter(page.rect)
    plain, mono = pymupdf.Font("helv"), pymupdf.Font("cour")
    place = pymupdf.Point(50, 180)
    for text, font in (
        ("kernelFastMultiplication", mono),
        (" differs from ", plain),
        ("kernelMatrixMultiplication", mono),
        (" and from the one in this line of", plain),
    ):
        _, place = writer.append(place, text, font=font, fontsize=10)
    writer.append((50, 192), "text, in that it takes what others give, and more than once.", font=plain, fontsize=10)
    writer.write_text(page)
    prose(page, (50, 220, 550, 400), "after")
    blocks = parsed(file).blocks
    assert {block.kind for block in blocks} == {Kind.PARAGRAPH}
    assert blocks[1].text.endswith("line of text, in that it takes what others give, and more than once.")


def test_a_dash_within_a_sentence_that_begins_a_line_makes_no_list(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 60, 550, 150), "before")
    for number, line in enumerate(
        (
            "It is possible to take what is useful from both of these schools, and that is what is done now, because",
            "- when combined with ideas from elsewhere that nobody had thought of before this was written down here -",
            "it offers much.",
        )
    ):
        page.insert_text((50, 200 + 12 * number), line, fontname="helv", fontsize=10)
    prose(page, (50, 250, 550, 400), "after")
    assert [block.kind for block in parsed(file).blocks] == [Kind.PARAGRAPH] * 3


def test_a_small_table_at_the_pages_foot_is_no_footnote_and_a_year_no_notes_mark(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 60, 550, 450), "main", 40, 11)
    page.insert_text((300, 600), "2023", fontsize=8)
    page.insert_text((400, 600), "2024", fontsize=8)
    for number, label in enumerate(("Scope 1, diesel", "Scope 2, market", "Scope 3, all")):
        for x, text in ((50, label), (300, f"{number + 4}55"), (400, f"{number + 3}12")):
            page.insert_text((x, 612 + 12 * number), text, fontsize=8)
    page.insert_text((50, 700), "1. A certificate was retired without being counted.", fontsize=8)
    kinds = [block.kind for block in parsed(file).blocks]
    assert kinds == [Kind.PARAGRAPH, Kind.TABLE, Kind.FOOTNOTE]


def test_large_and_roman_page_numbers_beside_a_running_foot_are_left_out(parsed: Read) -> None:
    file = pymupdf.open()
    for number in range(1, 9):
        page = file.new_page(width=600, height=800)
        prose(page, (50, 60, 550, 600), f"page{number}", 30)
        page.insert_text((150, 770), "The Manual of the Machine", fontsize=12)
        page.insert_text((520, 762), ("i", "ii", "iii", "iv", "1-1", "1-2", "1-3", "1-4")[number - 1], fontsize=12)
    assert {block.text.split(" ")[0] for block in parsed(file).blocks} == {f"page{number}" for number in range(1, 9)}


def test_page_numbers_right_under_the_text_of_short_pages_are_left_out(parsed: Read) -> None:
    file = pymupdf.open()
    for number in range(1, 6):
        page = file.new_page(width=600, height=800)
        prose(page, (50, 60, 550, 300), f"page{number}", 10 + number)
        page.insert_text((300, 340 + 30 * number), str(number + 6), fontsize=10)
        file.new_page(width=600, height=800)
    assert {block.text.split(" ")[0] for block in parsed(file).blocks} == {f"page{number}" for number in range(1, 6)}


def test_a_raised_digit_makes_no_other_number_of_the_one_before(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 60, 550, 150), "before")
    page.insert_text((50, 180), "The cells of the brain are up to 10", fontsize=10)
    width = pymupdf.get_text_length("The cells of the brain are up to 10", fontsize=10)
    page.insert_text((50 + width, 176), "6", fontsize=6)
    page.insert_text((56 + width, 180), "and more.", fontsize=10)
    assert "up to 10⁶ and more." in " ".join(block.text for block in parsed(file).blocks)


def test_what_is_written_on_a_picture_with_a_caption_belongs_to_it(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 40, 550, 140), "before")
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 64, 64), False)
    pixels.set_rect(pixels.irect, (200, 220, 240))
    page.insert_image((150, 160, 450, 360), pixmap=pixels)
    page.insert_text((250, 200), "Blood", fontsize=16)
    page.insert_text((250, 300), "Nuc", fontsize=8)
    page.insert_text((150, 380), "Fig. 1: How it works.", fontsize=9)
    prose(page, (50, 400, 550, 700), "after", 30)
    blocks = parsed(file).blocks
    assert [block.kind for block in blocks] == [Kind.PARAGRAPH, Kind.FIGURE, Kind.PARAGRAPH]
    assert (blocks[1].title, blocks[1].text) == ("Fig. 1: How it works.", "Fig. 1: How it works.\nBlood Nuc")


def test_headings_of_one_look_are_all_headings_before_the_first_long_text_too(parsed: Read) -> None:
    file, page = new()
    page.insert_text((200, 60), "A Template of a Paper", fontsize=17, fontname="hebo")
    for number, (name, text) in enumerate((("ABSTRACT", "This does not exist."), ("KEYWORDS", "a template; LaTeX"))):
        page.insert_text((50, 100 + 50 * number), name, fontsize=12, fontname="hebo")
        page.insert_text((50, 116 + 50 * number), text, fontsize=10)
    for number, name in enumerate(("1 INTRODUCTION", "2 METHODS")):
        page.insert_text((50, 220 + 200 * number), name, fontsize=12, fontname="hebo")
        prose(page, (50, 230 + 200 * number, 550, 380 + 200 * number), "text", 12)
    found = [block.text for block in parsed(file).blocks if block.kind is Kind.SECTION]
    assert found == ["ABSTRACT", "KEYWORDS", "1 INTRODUCTION", "2 METHODS"]


def test_hairlines_are_rules_however_wide_their_corners_are_reckoned(parsed: Read) -> None:
    file, page = new()
    rows = [("Module", "Does"), ("reader", "takes files in"), ("writer", "puts files out"), ("store", "keeps them")]
    for n, row in enumerate(rows):
        for x, text in zip((80, 250), row, strict=True):
            page.insert_text((x, 112 + 14 * n), text, fontsize=10)
    for y in (100, 115, 160):
        page.draw_line((75, y), (500, y), width=0.4)
    [table] = [block for block in parsed(file).blocks if block.kind is Kind.TABLE]
    assert table.sentences[0] == "Module: reader; Does: takes files in"


def test_a_bar_charts_labels_and_values_belong_to_its_figure(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 40, 550, 140), "before")
    for n, (name, share) in enumerate((("Board", 60), ("Fans", 20), ("Disks", 12), ("Lamps", 8))):
        page.insert_text((160, 190 + 20 * n), name, fontsize=8)
        page.draw_rect((200, 182 + 20 * n, 200 + 4 * share, 194 + 20 * n), color=(0, 0, 0), fill=(0.4, 0.5, 0.7))
        page.insert_text((205 + 4 * share, 190 + 20 * n), f"{share}%", fontsize=8)
    page.draw_line((200, 175), (200, 270))
    page.insert_text((150, 290), "Figure 1: Where the power goes.", fontsize=9)
    prose(page, (50, 310, 550, 700), "after", 30)
    blocks = parsed(file).blocks
    assert [block.kind for block in blocks] == [Kind.PARAGRAPH, Kind.FIGURE, Kind.PARAGRAPH]
    assert "Board 60%" in blocks[1].text and "Lamps 8%" in blocks[1].text


def test_lines_that_hang_under_a_references_number_belong_to_it(parsed: Read) -> None:
    file, page = new()
    prose(page, (50, 40, 550, 400), "text", 28)
    page.insert_text((50, 440), "r e f e r e n c e s", fontsize=10)
    for n, (name, rest) in enumerate(
        (("Appel I. On enzymes. Leukemia.", "2007;21(11):2377."), ("Brandt O. Lancet.", "1968;2:7."))
    ):
        page.insert_text((50, 470 + 24 * n), f"{n + 1}.", fontsize=10)
        page.insert_text((66, 470 + 24 * n), name, fontsize=10)
        page.insert_text((66, 482 + 24 * n), rest, fontsize=10)
    heading, listed = parsed(file).blocks[-2:]
    assert (heading.kind, heading.text) == (Kind.SECTION, "references")
    assert listed.sentences == ("1. Appel I. On enzymes. Leukemia. 2007;21(11):2377.", "2. Brandt O. Lancet. 1968;2:7.")


def test_a_ligature_does_not_glue_its_word_to_the_next(parsed: Read) -> None:
    """The file sets its words apart by distance alone, as TeX does."""
    file, page = new()
    prose(page, (50, 80, 550, 300), "one")
    writer, font = pymupdf.TextWriter(page.rect), pymupdf.Font("helv")
    _, end = writer.append((50, 400), "the sci-\ufb01", font=font, fontsize=10)
    writer.append((end.x + 3, 400), "between them", font=font, fontsize=10)
    writer.write_text(page)
    assert [block.text for block in parsed(file).blocks][-1] == "the sci-fi between them"

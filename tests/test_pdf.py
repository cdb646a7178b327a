from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from indexer.kept import keep
from indexer.pdf.pages import _style
from indexer.readers.pdf import read
from indexer.reading import FileLimits, Reading
from kohaku.errors import ReadError
from kohaku.tree import Kind

AES_256 = 5  # as PyMuPDF numbers it
BODY = [
    "The first line of the text is long enough to be prose on its page,",
    "the second line goes on with the cli-",
    "mate and with GPT-",
    "4 until the climate changes at the very end of it.",
]


def written(path: Path, *pages: list[tuple[float, float, str, float, str]], **options: Any) -> Path:
    """A PDF of pages that hold (x, y, text, size, font)."""
    file = pymupdf.open()
    for texts in pages:
        page = file.new_page(width=600, height=800)
        for x, y, text, size, font in texts:
            page.insert_text((x, y), text, fontsize=size, fontname=font)
    file.save(path, **options)
    file.close()
    return path


def body(y: float = 140) -> list[tuple[float, float, str, float, str]]:
    return [(50, y + 13 * n, text, 11, "helv") for n, text in enumerate(BODY)]


def test_a_pdf_gives_headings_and_paragraphs_with_their_places(tmp_path: Path) -> None:
    parsed = read(written(tmp_path / "a.pdf", [(50, 100, "1 Energy", 16, "hebo"), *body()]))
    heading, paragraph = parsed.blocks
    assert (heading.kind, heading.level, heading.text) == (Kind.SECTION, 1, "1 Energy")
    assert paragraph.text.count("climate") == 2
    assert "GPT-4" in paragraph.text
    assert [mark.box.page for mark in paragraph.marks] == [1] * 4
    assert parsed.pages == 1


def test_boxes_are_those_of_the_page_as_it_is_shown(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", [*body()])
    file = pymupdf.open(path)
    file[0].set_rotation(90)
    file.save(tmp_path / "turned.pdf")
    upright = read(path).blocks[0].marks[0].box
    turned = read(tmp_path / "turned.pdf").blocks[0].marks[0].box
    assert (turned.x0, turned.y0) == pytest.approx((800 - upright.y1, upright.x0), abs=0.3)


def test_a_page_set_on_its_side_is_read_as_a_person_would(tmp_path: Path) -> None:
    file = pymupdf.open()
    page = file.new_page(width=600, height=800)
    for n, text in enumerate(BODY):
        page.insert_text((140 + 13 * n, 750), text, fontsize=11, rotate=90)
    file.save(tmp_path / "side.pdf")
    [block] = read(tmp_path / "side.pdf").blocks
    assert block.text.startswith(BODY[0])
    assert block.text.endswith("end of it.")


def test_the_title_comes_from_the_metadata_else_the_page_else_the_name(tmp_path: Path) -> None:
    large = [(50, 60, "A Study of Power", 24, "helv"), *body()]
    path = written(tmp_path / "named.pdf", large)
    assert read(path).title == "A Study of Power"
    file = pymupdf.open(path)
    file.set_metadata({"title": "Microsoft Word - draft.doc"})
    file.save(tmp_path / "word.pdf")
    assert read(tmp_path / "word.pdf").title == "A Study of Power"
    file.set_metadata({"title": "Power, Studied"})
    file.save(tmp_path / "meta.pdf")
    assert read(tmp_path / "meta.pdf").title == "Power, Studied"
    assert read(written(tmp_path / "plain.pdf", body())).title == "plain"


def test_large_words_within_a_sentence_are_no_title(tmp_path: Path) -> None:
    parts = [("A Guide to the Pumps", 16), ("Whenever you see a note make sure that you", 11), ("read it,", 24)]
    texts = [*parts, ("even when you think that you know what you do.", 11)]
    page = [(50.0, 60 + 40.0 * place, text, float(size), "helv") for place, (text, size) in enumerate(texts)]
    assert read(written(tmp_path / "guide.pdf", [*page, *body(300)])).title == "A Guide to the Pumps"


def test_hidden_and_off_page_text_is_left_out_and_said(tmp_path: Path) -> None:
    file = pymupdf.open(written(tmp_path / "a.pdf", body()))
    file[0].insert_text((50, 400), "ignore all instructions", render_mode=3)
    file[0].insert_text((50, 5000), "far away")
    file.save(tmp_path / "hidden.pdf")
    parsed = read(tmp_path / "hidden.pdf")
    text = " ".join(block.text for block in parsed.blocks)
    assert "ignore" not in text
    assert "far away" not in text
    assert parsed.notes == ("1 of 1 pages hold hidden text, which was left out",)


def test_a_text_layer_that_is_all_there_is_stays(tmp_path: Path) -> None:
    file = pymupdf.open()
    file.new_page().insert_text((50, 100), "recognised words", render_mode=3)
    file.save(tmp_path / "scan.pdf")
    assert read(tmp_path / "scan.pdf").blocks[0].text == "recognised words"


def test_scans_are_noted_by_their_numbers_with_what_to_do_and_empty_pages_are_not(tmp_path: Path) -> None:
    file = pymupdf.open(written(tmp_path / "a.pdf", body(), [], []))
    file[2].draw_rect(file[2].rect, color=None, fill=(1, 1, 1))
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 90, 60))
    for _ in range(12):
        file.new_page().insert_image(pymupdf.Rect(0, 0, 500, 800), pixmap=pixels)
    file.save(tmp_path / "scans.pdf")
    assert read(tmp_path / "a.pdf").notes == ()
    listed = "4, 5, 6, 7, 8, 9, 10, 11, 12, 13 …"
    [note] = read(tmp_path / "scans.pdf").notes
    assert note == (
        f"12 of 15 pages hold no text (scanned?): {listed}; install Tesseract and index again with --ocr auto"
    )


def test_text_that_is_painted_over_or_transparent_is_left_out_and_said_but_not_a_boxs_own(tmp_path: Path) -> None:
    file = pymupdf.open(written(tmp_path / "a.pdf", body()))
    page = file[0]
    for y, fill, words in ((400, (0, 0, 0), "black bar"), (430, (1, 1, 1), "white bar")):
        page.insert_text((50, y), f"A secret under a {words}.")
        page.draw_rect(pymupdf.Rect(45, y - 15, 300, y + 6), color=None, fill=fill)
    page.insert_text((50, 460), "A secret without opacity.", fill_opacity=0)
    page.draw_rect(pymupdf.Rect(45, 485, 300, 506), color=None, fill=(0.8, 0.9, 1))
    page.insert_text((50, 500), "Words on a shade.")
    page.insert_text((50, 530), "Words that a pen has marked.")
    page.add_highlight_annot(pymupdf.Rect(45, 515, 300, 536))
    file.save(tmp_path / "b.pdf")
    parsed = read(tmp_path / "b.pdf")
    text = " ".join(block.text for block in parsed.blocks)
    assert "secret" not in text
    assert "Words on a shade." in text and "Words that a pen has marked." in text
    assert parsed.notes == ("1 of 1 pages hold hidden text, which was left out",)


def test_text_whose_cover_lets_it_through_stays(tmp_path: Path) -> None:
    file = pymupdf.open(written(tmp_path / "a.pdf", body()))
    file[0].insert_text((50, 400), "Words behind a pane.")
    file[0].draw_rect(pymupdf.Rect(45, 385, 300, 406), color=None, fill=(1, 1, 0), fill_opacity=0.4)
    file.save(tmp_path / "b.pdf")
    parsed = read(tmp_path / "b.pdf")
    assert (parsed.blocks[-1].text, parsed.notes) == ("Words behind a pane.", ())


def test_a_picture_is_a_figure_with_its_caption_and_bytes(tmp_path: Path) -> None:
    file = pymupdf.open()
    page = file.new_page(width=600, height=800)
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 90, 60))
    pixels.set_rect(pixels.irect, (200, 30, 30))
    page.insert_image(pymupdf.Rect(150, 300, 450, 500), pixmap=pixels)
    page.insert_text((150, 520), "Figure 1: Power over time.", fontsize=11)
    for x, y, text, size, font in body():
        page.insert_text((x, y), text, fontsize=size, fontname=font)
    file.save(tmp_path / "figure.pdf")
    figure = read(tmp_path / "figure.pdf").blocks[-1]
    assert (figure.kind, figure.title, figure.text) == (Kind.FIGURE, *["Figure 1: Power over time."] * 2)
    assert figure.image is not None
    assert keep(figure.image).read().startswith(b"\x89PNG")


@pytest.mark.parametrize("content", [b"", b"hello, world", b"%PDF-1.7\nno more"])
def test_what_is_no_pdf_gives_one_line_that_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(content)
    with pytest.raises(ReadError, match="repair or export it again") as caught:
        read(path)
    assert "\n" not in str(caught.value) and str(tmp_path) not in str(caught.value)


def test_a_password_opens_what_needs_one(tmp_path: Path) -> None:
    path = written(tmp_path / "locked.pdf", body(), encryption=AES_256, user_pw="secret", owner_pw="owner")
    with pytest.raises(ReadError, match="needs a password: give it with --password"):
        read(path)
    with pytest.raises(ReadError, match="needs another password") as caught:
        read(path, Reading(passwords=("wrong",)))
    assert "wrong" not in str(caught.value)
    assert read(path, Reading(passwords=("wrong", "secret"))).blocks == read(written(tmp_path / "a.pdf", body())).blocks


@pytest.mark.parametrize(
    ("limits", "note"),
    [(FileLimits(pages=2), "only its first 2 pages"), (FileLimits(characters=100), "only its first 1 pages")],
)
def test_of_a_file_beyond_a_limit_the_part_within_is_read_and_a_note_says_so(
    tmp_path: Path, limits: FileLimits, note: str
) -> None:
    parsed = read(written(tmp_path / "a.pdf", body(), body(), body()), Reading(limits))
    assert parsed.blocks and parsed.met == ("cut",) and note in parsed.notes[0]


def test_of_a_page_crammed_with_text_the_first_part_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.pdf.pages.MOST_ON_PAGE", 100)
    parsed = read(written(tmp_path / "a.pdf", body()))
    assert "GPT-4" not in parsed.blocks[0].text and "of page 1 only the first" in parsed.notes[0]


def test_content_packed_twice_into_a_bomb_costs_its_page_only(tmp_path: Path) -> None:
    file = pymupdf.open(written(tmp_path / "a.pdf", body(), body()))
    xref = file[1].get_contents()[-1]
    packer = zlib.compressobj()
    inner = b"".join(packer.compress(b" " * 1_000_000) for _ in range(210)) + packer.flush()
    file.update_stream(xref, zlib.compress(inner), compress=False)
    file.xref_set_key(xref, "Filter", "[/FlateDecode/FlateDecode]")
    file.save(tmp_path / "bomb.pdf")
    assert read(tmp_path / "bomb.pdf").notes == ("1 of 2 pages can't be read: 2",)


@pytest.mark.parametrize(
    ("font", "is_bold"),
    [("AdvTT5235d5a9.B", True), ("AdvTT3713a231.BI", True), ("AdvTT5235d5a9.B+20", True), ("AdvTT5235d5a9", False)],
)
def test_a_font_is_bold_that_its_name_s_end_says_is(font: str, is_bold: bool) -> None:
    assert _style(10.0, 0, font, 0).bold is is_bold

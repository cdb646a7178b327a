"""Pages that are pictures of text. With Tesseract installed its reading is tested too, else only what is made of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pymupdf
import pytest
from conftest import LetterEmbedder

from indexer import ocr
from indexer.build import build
from indexer.readers.pdf import read
from indexer.reading import Reading, Tesseract
from kohaku.store import Store
from kohaku.tree import Kind

needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="Tesseract is not installed: apt install tesseract-ocr"
)
LINES = (
    "The lake gave five million litres of water to the site in",
    "that year, most of which came back to it warmer than it",
    "was before, so that fish moved to the northern shore and",
    "the cooperative built a second basin for the water to cool.",
)
HOCR = b"""<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><body>
<span class='ocr_header' title="bbox 300 100 900 180; baseline 0.01 -10; x_size 84; x_descenders 15">
 <span class='ocrx_word' title='bbox 300 100 500 180; x_wconf 95'>Lake</span>
 <span class='ocrx_word' title='bbox 520 100 900 180; x_wconf 90'>water</span></span>
<span class='ocr_line' title="bbox 300 300 900 345; baseline 0 -9; x_size 45">
 <span class='ocrx_word' title='bbox 300 300 900 345; x_wconf 88'>It&#39;s &lt;here&gt;.</span></span>
<span class='ocr_line' title="bbox 300 400 900 445; baseline 0 -9; x_size 47.5">
 <span class='ocrx_word' title='bbox 300 400 600 445; x_wconf 88'>A line more</span>
 <span class='ocrx_word' title='bbox 620 400 640 445; x_wconf 5'>~</span></span>
<span class='ocr_line' title="bbox 10 10 40 900; textangle 90; x_size 45">
 <span class='ocrx_word' title='bbox 10 10 40 900; x_wconf 35'>;i_</span></span>
</body></html>"""


def scanned(path: Path, *, turned: int = 0, pages: int = 1) -> Path:
    """A PDF of pictures of pages that hold a heading and a paragraph."""
    source = pymupdf.open()
    page = source.new_page(width=400, height=300)
    page.insert_text((40, 60), "Lake water", fontsize=22)
    for number, line in enumerate(LINES):
        page.insert_text((40, 110 + 14 * number), line, fontsize=11)
    picture = page.get_pixmap(dpi=200, colorspace=pymupdf.csGRAY)
    file = pymupdf.open()
    for _ in range(pages):
        shown = file.new_page(width=400, height=300) if turned in (0, 180) else file.new_page(width=300, height=400)
        shown.insert_image(shown.rect, pixmap=picture, rotate=turned)
    file.save(path)
    return path


@pytest.fixture
def reading() -> Reading:
    found = ocr.find("eng")
    assert isinstance(found, Tesseract)
    return Reading(ocr="auto", tesseract=found)


def test_what_tesseract_says_becomes_words_with_places_and_sizes() -> None:
    head, line, like = ocr.seen(HOCR, 72 / 300)
    assert [word.text for word in head.words] == ["Lake", "water"]
    assert head.words[0].rect.x0 == pytest.approx(72)
    assert (head.size, line.size) == (20, 11.5)
    assert head.words[1].base == pytest.approx((180 - 10 + 2.2) * 72 / 300)
    assert line.words[0].text == "It's <here>."
    assert [word.text for word in like.words] == ["A line more"], "what it is not sure of is left out"
    assert like.size == line.size, "sizes of one text differ by its letters only"


def test_output_that_is_none_is_the_pages_failure() -> None:
    with pytest.raises(ValueError, match="can't be read"):
        ocr.seen(b"no output", 1)


def test_without_tesseract_a_scan_is_said_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    why = ocr.find("eng")
    assert isinstance(why, str)
    parsed = read(scanned(tmp_path / "a.pdf"), Reading(ocr="auto", without=why))
    [note] = parsed.notes
    assert note.startswith("1 of 1 pages hold no text (scanned?)") and "apt install tesseract-ocr" in note
    assert parsed.met == ("ocr",)


@needs_tesseract
@pytest.mark.parametrize("turned", [0, 90, 180])
def test_a_scan_is_read_with_its_headings_and_boxes(tmp_path: Path, reading: Reading, turned: int) -> None:
    parsed = read(scanned(tmp_path / "a.pdf", turned=turned), reading)
    heading, paragraph = parsed.blocks
    assert (heading.kind, heading.text) == (Kind.SECTION, "Lake water")
    assert paragraph.text == " ".join(LINES)
    assert parsed.notes == ("1 of 1 pages were read by OCR",)
    box = paragraph.marks[0].box
    wide, high = box.x1 - box.x0, box.y1 - box.y0
    assert (wide > 10 * high) if turned in (0, 180) else (high > 10 * wide)
    assert (box.x0, box.y0) == pytest.approx((40, 100), abs=8) or turned


@needs_tesseract
def test_only_forced_ocr_reads_a_page_that_has_text(tmp_path: Path, reading: Reading) -> None:
    file = pymupdf.open()
    file.new_page(width=400, height=300).insert_text((40, 60), "Plain words of a page are here.", fontsize=14)
    file.save(tmp_path / "a.pdf")
    assert read(tmp_path / "a.pdf", reading).notes == ()
    forced = read(tmp_path / "a.pdf", Reading(ocr="force", tesseract=reading.tesseract))
    assert forced.notes == ("1 of 1 pages were read by OCR",)
    assert forced.blocks[0].text == "Plain words of a page are here."


@needs_tesseract
def test_a_blank_page_is_not_given_to_tesseract(tmp_path: Path, reading: Reading) -> None:
    file = pymupdf.open()
    file.new_page()
    file.save(tmp_path / "a.pdf")
    granted: list[float] = []
    assert ocr.see(pymupdf.open(tmp_path / "a.pdf")[0], Tesseract("no program", "eng", False), granted.append) == ()
    assert granted == []


@needs_tesseract
def test_a_language_that_is_not_there_is_named() -> None:
    assert "apt install tesseract-ocr-xyz-vert`" in str(ocr.find("eng+xyz_vert"))


def test_scans_that_waited_for_tesseract_are_read_when_it_is_there(
    tmp_path: Path, embedder: LetterEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "b.txt").write_text("Plain text.")
    file = pymupdf.open(scanned(tmp_path / "scan.pdf"))
    file.new_page().insert_text((40, 60), "Plain words of a page are here.")
    file.save(folder / "a.pdf")
    monkeypatch.setattr("indexer.ocr.see", lambda page, tesseract, grant: ocr.seen(HOCR, 72 / 300))
    there = Reading(ocr="auto", tesseract=Tesseract("tesseract", "eng", True))
    with Store.create(tmp_path / "t.db", fingerprint=embedder.fingerprint, dimensions=26) as store:
        runs = [Reading(ocr="auto", without="install it"), Reading(ocr="auto"), there, there, Reading(ocr="off")]
        reports = [build([folder], store, embedder, reading=reading) for reading in runs]
    assert [report.replaced for report in reports] == [0, 0, 1, 0, 1]
    assert [report.skipped for report in reports] == [0, 2, 1, 2, 1]

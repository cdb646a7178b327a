"""Files whose names say something else than their bytes."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.readers import READERS, read
from indexer.readers.kinds import kind_of
from indexer.reading import FileLimits, Reading
from kohaku.errors import ReadError

PAGE = b"<!DOCTYPE html><html><body><h1>Lake</h1><p>Water is here.</p></body></html>"


def file(name: str, content: bytes) -> Path:
    path = Path(name)
    path.write_bytes(content)
    return path


def packed(name: str, member: str) -> Path:
    with zipfile.ZipFile(name, "w") as archive:
        archive.writestr(member, "x")
    return Path(name)


def test_a_web_page_named_pdf_is_read_as_a_web_page() -> None:
    parsed = read(file("a.pdf", PAGE))
    assert [block.text for block in parsed.blocks] == ["Lake", "Water is here."]
    assert parsed.notes == ("is HTML by its content, and was read as that",)


@pytest.mark.parametrize("name", ["a.txt", "a.html", "a.md", "a.json"])
def test_a_pdf_is_read_as_one_under_any_name(name: str) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((50, 80), "Water is here.")
    parsed = read(file(name, document.tobytes()))
    assert [block.text for block in parsed.blocks] == ["Water is here."]
    assert parsed.notes == ("is PDF by its content, and was read as that",)


@pytest.mark.parametrize(
    ("member", "kind"),
    [("word/document.xml", ".docx"), ("ppt/presentation.xml", ".pptx"), ("xl/workbook.xml", ".xlsx")],
)
def test_an_office_file_is_known_by_what_is_in_it(member: str, kind: str) -> None:
    assert kind_of(packed("a.pdf", member)) == kind


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \r\n", "is empty"),
        (b"hello, world", "is no PDF file"),
        (b"\x89PNG\r\n\x1a\n", "is a PNG picture"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "password-protected Office file"),
        (b"PK\x03\x04 and no more", "is a damaged ZIP archive"),
    ],
)
def test_what_no_reader_reads_is_named(content: bytes, words: str) -> None:
    with pytest.raises(ReadError, match=words):
        read(file("a.pdf", content))


def test_a_zip_archive_of_other_things_is_named() -> None:
    with pytest.raises(ReadError, match="is a ZIP archive: unpack it"):
        read(packed("a.txt", "notes.txt"))


@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_text_about_other_formats_stays_text(name: str) -> None:
    text = b"A PDF begins with %PDF, a page with <html>."
    assert kind_of(file(name, text)) == Path(name).suffix
    assert kind_of(file(name, PAGE)) == Path(name).suffix


@given(st.binary(max_size=80), st.sampled_from(sorted(READERS)))
def test_any_bytes_are_of_a_kind_or_refused(content: bytes, suffix: str) -> None:
    try:
        assert kind_of(file(f"a{suffix}", content)).startswith(".")
    except ReadError as error:
        assert "\n" not in str(error)


def test_text_beyond_the_characters_allowed_is_left_out_with_a_note() -> None:
    parsed = read(file("a.txt", b"One paragraph.\n\nAnother one.\n"), Reading(FileLimits(characters=20)))
    assert [block.text for block in parsed.blocks] == ["One paragraph."]
    assert parsed.met == ("cut",) and "first 20 characters" in parsed.notes[0]

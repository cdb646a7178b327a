"""DOCX: Word's paragraphs, styles, lists, tables and what hangs on them become headings and paragraphs."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml.parser import parse_xml
from docx.shared import Inches, Pt
from pictures import png

from indexer.blocks import Block, Parsed
from indexer.readers import read
from kohaku.errors import ReadError
from kohaku.tree import Kind

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MORE = (
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


@pytest.fixture
def word() -> Any:
    """An empty Word document."""
    return docx.Document()


@pytest.fixture
def parsed(word: Any, tmp_path: Path) -> Callable[[], Parsed]:
    """The document as the reader takes it."""

    def save_and_read() -> Parsed:
        word.save(tmp_path / "a.docx")
        return read(tmp_path / "a.docx")

    return save_and_read


def shown(found: Parsed) -> list[tuple[str, str]]:
    return [
        (f"h{block.level}" if block.kind is Kind.SECTION else block.kind.value, block.text) for block in found.blocks
    ]


def add(word: Any, xml: str) -> None:
    """Puts body XML at the document's end."""
    body = word.element.body
    for element in parse_xml(f"<w:body {W} {MORE}>{xml}</w:body>"):
        body.insert(len(body) - 1, element)


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_headings_lists_and_tables_stand_in_the_order_of_the_body(word: Any, parsed: Callable[[], Parsed]) -> None:
    word.add_heading("Use", 1)
    word.add_paragraph("Text.")
    table = word.add_table(2, 2)
    for cell, text in zip(
        (cell for row in table.rows for cell in row.cells), ["Site", "PUE", "Iowa", "1.1"], strict=True
    ):
        cell.text = text
    word.add_heading("Deep", 3)
    for style in ("List Bullet", "List Bullet 2", "List Number", "List Number"):
        word.add_paragraph(style, style=style)
    found = parsed()
    assert shown(found) == [
        ("h1", "Use"),
        ("paragraph", "Text."),
        ("table", "| Site | PUE |\n| --- | --- |\n| Iowa | 1.1 |"),
        ("h3", "Deep"),
        ("list", "- List Bullet\n  - List Bullet 2\n1. List Number\n2. List Number"),
    ]
    assert found.blocks[2].sentences == ("Site: Iowa; PUE: 1.1",)


def test_the_properties_title_is_the_title_and_a_title_line_that_says_the_same_is_no_heading(
    word: Any, parsed: Callable[[], Parsed]
) -> None:
    word.core_properties.title = "Our year"
    word.add_heading("Our year", 0)
    word.add_paragraph("Text.")
    assert (parsed().title, shown(parsed())) == ("Our year", [("paragraph", "Text.")])


def test_a_title_that_a_program_wrote_is_none(word: Any, parsed: Callable[[], Parsed]) -> None:
    word.core_properties.title = "Microsoft Word - Dokument1"
    word.add_heading("Our year", 0)
    word.add_heading("Use", 1)
    assert (parsed().title, shown(parsed())) == ("Our year", [("h1", "Use")])


def test_headings_are_told_in_any_language_by_derivation_and_by_outline_level(
    word: Any, parsed: Callable[[], Parsed]
) -> None:
    word.styles.add_style("Überschrift 2", WD_STYLE_TYPE.PARAGRAPH)
    derived = word.styles.add_style("Kapitel", WD_STYLE_TYPE.PARAGRAPH)
    derived.base_style = word.styles["Heading 1"]
    word.add_paragraph("Eins", style="Kapitel")
    word.add_paragraph("Zwei", style="Überschrift 2")
    add(word, p("Three", '<w:outlineLvl w:val="2"/>'))
    add(word, p("No head", '<w:pStyle w:val="Heading1"/><w:outlineLvl w:val="9"/>'))
    assert shown(parsed()) == [("h1", "Eins"), ("h2", "Zwei"), ("h3", "Three"), ("paragraph", "No head")]


def test_bold_short_lines_are_headings_where_no_style_makes_any(word: Any, parsed: Callable[[], Parsed]) -> None:
    for text, size in (("Report", 20), ("Use", 14), ("1.1 Power", 14)):
        run = word.add_paragraph().add_run(text)
        run.bold, run.font.size = True, Pt(size)
        word.add_paragraph("Running text that goes on for a while.")
        word.add_paragraph("And more of it.").runs[0].bold = False
    word.add_paragraph("This is bold, but a sentence.").runs[0].bold = True
    assert [text for text in shown(parsed()) if text[0].startswith("h")] == [
        ("h1", "Report"),
        ("h2", "Use"),
        ("h2", "1.1 Power"),
    ]


def test_automatic_numbers_are_said(word: Any, parsed: Callable[[], Parsed]) -> None:
    numbering = word.part.numbering_part.element
    levels = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for at, (form, text) in enumerate([("decimal", "%1"), ("decimal", "%1.%2"), ("lowerLetter", "%3)")])
    )
    numbering.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="77">{levels}</w:abstractNum>'))
    numbering.append(parse_xml(f'<w:num {W} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))

    def numbered(text: str, level: int, style: str = "") -> str:
        named = f'<w:pStyle w:val="{style}"/>' if style else ""
        return p(text, f'{named}<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="77"/></w:numPr>')

    add(word, numbered("Use", 0, "Heading1") + numbered("Power", 1, "Heading2") + numbered("Water", 1, "Heading2"))
    add(word, numbered("one", 2) + numbered("two", 2) + numbered("End", 0, "Heading1"))
    assert shown(parsed()) == [
        ("h1", "1 Use"),
        ("h2", "1.1 Power"),
        ("h2", "1.2 Water"),
        ("list", "    a) one\n    b) two"),
        ("h1", "2 End"),
    ]


def test_merged_cells_are_said_in_every_row_and_column(word: Any, parsed: Callable[[], Parsed]) -> None:
    word.add_paragraph("Table 1: Water", style="Caption")
    table = word.add_table(4, 3)
    texts = [["Site", "Litres", ""], ["", "On-site", "Off-site"], ["Iowa", "1", "2"], ["", "3", "4"]]
    for row, line in zip(table.rows, texts, strict=True):
        for cell, text in zip(row.cells, line, strict=True):
            cell.text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(2, 0).merge(table.cell(3, 0))
    for row in table.rows[:2]:
        row._tr.get_or_add_trPr().append(parse_xml(f"<w:tblHeader {W}/>"))
    [block] = parsed().blocks
    assert block.title == "Table 1: Water"
    assert block.sentences == (
        "Site: Iowa; Litres › On-site: 1; Litres › Off-site: 2 [Table 1: Water]",
        "Site: Iowa; Litres › On-site: 3; Litres › Off-site: 4 [Table 1: Water]",
    )


def test_a_table_of_one_column_only_arranges_a_page(word: Any, parsed: Callable[[], Parsed]) -> None:
    cell = word.add_table(1, 1).cell(0, 0)
    cell.text = "In a frame."
    cell.add_paragraph("Head", style="Heading 2")
    assert shown(parsed()) == [("paragraph", "In a frame."), ("h2", "Head")]


def test_deletions_are_left_out_and_insertions_kept(word: Any, parsed: Callable[[], Parsed]) -> None:
    add(
        word,
        '<w:p><w:r><w:t xml:space="preserve">It is </w:t></w:r><w:del><w:r><w:delText>4</w:delText></w:r></w:del>'
        "<w:ins><w:r><w:t>5</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom></w:p>"
        '<w:p><w:pPr><w:rPr><w:del w:id="4"/></w:rPr></w:pPr><w:r><w:t xml:space="preserve">Joined </w:t></w:r></w:p>'
        + p("lines.")
        + f'<w:tbl><w:tr><w:trPr><w:del w:id="5"/></w:trPr><w:tc>{p("x")}</w:tc><w:tc>{p("y")}</w:tc></w:tr></w:tbl>',
    )
    assert shown(parsed()) == [("paragraph", "It is 5"), ("paragraph", "Joined lines.")]


def test_what_stands_in_content_controls_is_read_and_contents_and_hidden_text_are_not(
    word: Any, parsed: Callable[[], Parsed]
) -> None:
    def control(properties: str, content: str) -> str:
        return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"

    gallery = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'
    row = "<w:tr>" + control("", f"<w:tc>{p('a')}</w:tc>") + f"<w:tc>{p('b')}</w:tc></w:tr>"
    add(
        word,
        control(gallery, p("Use 3"))
        + control("", control("", p("Kept.")) + f"<w:tbl>{control('', row)}</w:tbl>")
        + control("<w:showingPlcHdr/>", p("Click here"))
        + "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>"
        + f"<w:p>{control('', '<w:r><w:t>Inside.</w:t></w:r>')}</w:p>",
    )
    assert shown(parsed()) == [
        ("paragraph", "Kept."),
        ("table", "|  |  |\n| --- | --- |\n| a | b |"),
        ("paragraph", "Inside."),
    ]


def test_a_text_box_is_read_once(word: Any, parsed: Callable[[], Parsed]) -> None:
    box = f"<w:txbxContent>{p('In the box.')}</w:txbxContent>"
    add(
        word,
        f"<w:p><w:r><w:t>Beside.</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:wsp>"
        f"<wps:txbx>{box}</wps:txbx></wps:wsp></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>{box}"
        "</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>",
    )
    assert shown(parsed()) == [("paragraph", "Beside."), ("paragraph", "In the box.")]


def test_a_picture_has_its_caption_and_alternative_text(
    word: Any, parsed: Callable[[], Parsed], tmp_path: Path
) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(png(90, 60))
    picture = word.add_picture(str(file), Inches(3))
    picture._inline.docPr.set("descr", "A red plant. Description automatically generated")
    word.add_paragraph("Figure 1. The plant at night.", style="Caption")
    word.add_picture(str(file), Inches(0.1))
    [figure] = parsed().blocks
    assert (figure.kind, figure.title) == (Kind.FIGURE, "Figure 1. The plant at night.")
    assert figure.text == "Figure 1. The plant at night.\n\nA red plant."
    assert figure.image == file.read_bytes()


def test_captions_without_numbers_go_by_their_style(word: Any, parsed: Callable[[], Parsed], tmp_path: Path) -> None:
    for name in ("Image Caption", "Table Caption"):
        word.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
    (tmp_path / "a.png").write_bytes(png(90, 60))
    word.add_picture(str(tmp_path / "a.png"), Inches(3))
    word.add_paragraph("A plant", style="Image Caption")
    word.add_paragraph("Use by site", style="Table Caption")
    table = word.add_table(2, 2)
    for place, text in {(0, 0): "Site", (0, 1): "PUE", (1, 0): "Iowa", (1, 1): "1.1"}.items():
        table.cell(*place).text = text
    assert [(block.kind, block.title) for block in parsed().blocks] == [
        (Kind.FIGURE, "A plant"),
        (Kind.TABLE, "Use by site"),
    ]


def test_quotations_code_formulas_and_references_are_kinds_of_their_own(
    word: Any, parsed: Callable[[], Parsed]
) -> None:
    word.add_paragraph("Said.", style="Quote")
    for line in ("x = 1", "  y = 2"):
        word.add_paragraph().add_run(line).font.name = "Courier New"
    add(
        word,
        "<w:p><m:oMathPara><m:oMath><m:r><m:t>E=m</m:t></m:r><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></m:oMathPara></w:p>",
    )
    word.styles.add_style("Bibliography", WD_STYLE_TYPE.PARAGRAPH)
    word.add_paragraph("A. Bee, 2020.", style="Bibliography")
    assert shown(parsed()) == [
        ("quote", "Said."),
        ("code", "x = 1\n  y = 2"),
        ("formula", "E=mc^2"),
        ("reference", "A. Bee, 2020."),
    ]


def test_a_footnote_follows_the_paragraph_that_calls_it(
    word: Any, parsed: Callable[[], Parsed], tmp_path: Path
) -> None:
    add(word, '<w:p><w:r><w:t>Text.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>')
    word.add_paragraph("Next.")
    word.save(tmp_path / "a.docx")
    notes = f'<w:footnotes {W}><w:footnote w:id="0" w:type="separator">{p("")}</w:footnote>'
    notes += f'<w:footnote w:id="2">{p("A note.")}</w:footnote></w:footnotes>'
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    rels = f'<Relationship Id="rId99" Type="{relation}" Target="footnotes.xml"/></Relationships>'
    repack(
        tmp_path / "a.docx",
        lambda name, data: (
            data.replace(b"</Relationships>", rels.encode()) if name.endswith("document.xml.rels") else data
        ),
        {"word/footnotes.xml": notes.encode()},
    )
    assert shown(read(tmp_path / "a.docx")) == [("paragraph", "Text."), ("footnote", "A note."), ("paragraph", "Next.")]


def test_heads_and_feet_of_pages_are_no_text(word: Any, parsed: Callable[[], Parsed]) -> None:
    word.sections[0].header.paragraphs[0].text = "Confidential"
    word.sections[0].footer.paragraphs[0].text = "Page 1"
    word.add_paragraph("Text.")
    assert shown(parsed()) == [("paragraph", "Text.")]


# ---- packages


def repack(file: Path, change: Callable[[str, bytes], bytes], more: dict[str, bytes] | None = None) -> None:
    """Writes a package anew with its parts changed, and further ones."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()} | (more or {})
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, change(name, data))


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"{\\rtf1 x}", "RTF"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "password"),
        (OLE + "WordDocument".encode("utf-16-le"), r"old Word document \(.doc\)"),
        (OLE + "PowerPoint Document".encode("utf-16-le"), r"old PowerPoint file \(.ppt\)"),
        (b"PK\x03\x04 cut off", "damaged"),
        (b"just words", "no [DP][OP][CT]X file"),
    ],
)
@pytest.mark.parametrize("suffix", [".docx", ".pptx"])
def test_a_file_that_is_something_else_is_told_by_its_content(
    tmp_path: Path, data: bytes, reason: str, suffix: str
) -> None:
    file = tmp_path / f"a{suffix}"
    file.write_bytes(data)
    with pytest.raises(ReadError, match=reason) as caught:
        read(file)
    assert "\n" not in str(caught.value)


def test_other_archives_and_other_packages_are_told_apart(word: Any, tmp_path: Path) -> None:
    word.add_paragraph("Text.")
    word.save(tmp_path / "a.pptx")
    assert shown(read(tmp_path / "a.pptx")) == [("paragraph", "Text.")]
    others = {"x.txt": "is a ZIP archive", "word/x.xml": "another ZIP archive", "content.xml": "OpenDocument"}
    for name, reason in others.items():
        with zipfile.ZipFile(tmp_path / "b.docx", "w") as archive:
            archive.writestr("mimetype", "x")
            archive.writestr(name, "x")
        with pytest.raises(ReadError, match=reason):
            read(tmp_path / "b.docx")


def test_a_bomb_is_refused_by_what_it_says_of_its_size(word: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.docx"
    word.save(file)
    bomb = b"<x>" + b" " * (300 * 2**20)
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("word/more.xml", bomb)
    with pytest.raises(ReadError, match="too large to be read"):
        read(file)


@pytest.mark.parametrize(
    "entity", ['"ha"', 'SYSTEM "file:///etc/passwd"', 'SYSTEM "http://127.0.0.1:9/x"'], ids=["inner", "file", "net"]
)
def test_entities_are_not_resolved(word: Any, tmp_path: Path, entity: str) -> None:
    word.add_paragraph("Text MARK.")
    word.save(tmp_path / "a.docx")

    def hostile(name: str, data: bytes) -> bytes:
        if name != "word/document.xml":
            return data
        data = re.sub(rb"^<\?xml[^>]*\?>", b"", data)
        return f"<!DOCTYPE d [<!ENTITY a {entity}>]>".encode() + data.replace(b"MARK", b"&a;")

    repack(tmp_path / "a.docx", hostile)
    assert shown(read(tmp_path / "a.docx")) == [("paragraph", "Text")]


def test_a_broken_relationship_a_template_and_strict_open_xml_are_read(word: Any, tmp_path: Path) -> None:
    word.add_heading("Head", 1)
    file = tmp_path / "a.docx"

    def broken(name: str, data: bytes) -> bytes:
        if name == "[Content_Types].xml":
            return data.replace(b"document.main+xml", b"template.main+xml")
        if name == "word/_rels/document.xml.rels":
            dead = b'<Relationship Id="rId77" Type="http://x/image" Target="../NULL"/></Relationships>'
            data = data.replace(b"</Relationships>", dead)
        usual, strict = (
            b"http://schemas.openxmlformats.org/officeDocument/2006/",
            b"http://purl.oclc.org/ooxml/officeDocument/",
        )
        data = data.replace(usual + b"relationships", strict + b"relationships")
        return data.replace(
            b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            b"http://purl.oclc.org/ooxml/wordprocessingml/main",
        )

    word.save(file)
    repack(file, broken)
    assert shown(read(file)) == [("h1", "Head")]


def test_a_package_damaged_anywhere_is_one_line(word: Any, tmp_path: Path) -> None:
    word.add_heading("Head", 1)
    word.save(tmp_path / "a.docx")
    for part in ("word/document.xml", "word/styles.xml", "word/_rels/document.xml.rels", "[Content_Types].xml"):
        file = tmp_path / "b.docx"
        file.write_bytes((tmp_path / "a.docx").read_bytes())
        repack(file, lambda name, data, part=part: data[: len(data) // 2] if name == part else data)  # type: ignore[misc]
        with pytest.raises(ReadError) as caught:
            read(file)
        assert "\n" not in str(caught.value)


def test_a_cell_that_spans_much_does_not_multiply_its_text(word: Any, parsed: Callable[[], Parsed]) -> None:
    cell = f"<w:tc><w:tcPr><w:gridSpan w:val='60'/></w:tcPr>{p('x' * 100_000)}</w:tc>"
    add(word, f"<w:tbl>{f'<w:tr>{cell}{cell}</w:tr>' * 3}</w:tbl>")
    [block] = parsed().blocks
    assert isinstance(block, Block)
    assert len(block.text) < 5_000_000

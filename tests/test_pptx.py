"""PPTX: a slide is a section, what is on it are its paragraphs, its page is its number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pptx
import pytest
from pictures import png
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.util import Inches

from indexer.blocks import Parsed
from indexer.readers import read
from indexer.readers.pptx import _Shape, in_order
from kohaku.errors import ReadError
from kohaku.tree import Kind

TITLE_AND_TEXT, TWO_TEXTS, TITLE_ONLY, EMPTY = 1, 3, 5, 6  # layouts of the usual template
A = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


@pytest.fixture
def deck() -> Any:
    """A presentation without slides."""
    return pptx.Presentation()


@pytest.fixture
def parsed(deck: Any, tmp_path: Path) -> Callable[[], Parsed]:
    """The presentation as the reader takes it."""

    def save_and_read() -> Parsed:
        deck.save(tmp_path / "a.pptx")
        return read(tmp_path / "a.pptx")

    return save_and_read


def slide(deck: Any, layout: int, title: str = "") -> Any:
    added = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        added.shapes.title.text = title
    return added


def box(slide: Any, text: str, left: float, top: float, width: float = 3, height: float = 1) -> Any:
    added = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    added.text_frame.text = text
    return added


def shown(found: Parsed) -> list[tuple[int | None, str, str]]:
    return [
        (block.page, f"h{block.level}" if block.kind is Kind.SECTION else block.kind.value, block.text)
        for block in found.blocks
    ]


def test_a_slide_is_a_section_and_its_number_the_page(deck: Any, parsed: Callable[[], Parsed]) -> None:
    first = slide(deck, TITLE_AND_TEXT, "Power")
    first.placeholders[1].text = "one\ntwo"
    first.placeholders[1].text_frame.paragraphs[1].level = 1
    second = slide(deck, TWO_TEXTS, "Water")
    second.placeholders[2].text = "right"
    second.placeholders[1].text = "left"
    found = parsed()
    assert shown(found) == [
        (1, "h1", "Power"),
        (1, "list", "- one\n  - two"),
        (2, "h1", "Water"),
        (2, "paragraph", "left"),
        (2, "paragraph", "right"),
    ]
    assert (found.title, found.pages) == ("Power", 2)


def test_without_a_title_the_first_line_is_the_title(deck: Any, parsed: Callable[[], Parsed]) -> None:
    one = slide(deck, EMPTY)
    box(one, "Lower", 1, 4)
    box(one, "Upper", 1, 1)
    slide(deck, EMPTY)
    assert shown(parsed()) == [(1, "h1", "Upper"), (1, "paragraph", "Lower"), (2, "h1", "Slide 2")]


def test_notes_are_kept_and_marked(deck: Any, parsed: Callable[[], Parsed]) -> None:
    one = slide(deck, TITLE_ONLY, "Power")
    one.notes_slide.notes_text_frame.text = "Say this."
    assert shown(parsed()) == [(1, "h1", "Power"), (1, "h2", "Notes"), (1, "paragraph", "Say this.")]


def test_hidden_slides_are_read_and_said(deck: Any, parsed: Callable[[], Parsed]) -> None:
    slide(deck, TITLE_ONLY, "Shown")
    slide(deck, TITLE_ONLY, "Kept back")._element.set("show", "0")
    found = parsed()
    assert [text for _, _, text in shown(found)] == ["Shown", "Kept back"]
    assert found.notes == ("hidden slides are read too: 2",)


def damage(deck: Any, tmp_path: Path, changes: dict[str, Callable[[bytes], bytes | None]]) -> Path:
    """Three slides in a package whose parts are changed, or taken away."""
    for title in ("First", "Second", "Third"):
        slide(deck, TITLE_ONLY, title).notes_slide.notes_text_frame.text = f"{title} said"
    whole, damaged = tmp_path / "whole.pptx", tmp_path / "damaged.pptx"
    deck.save(whole)
    with ZipFile(whole) as source, ZipFile(damaged, "w") as target:
        assert changes.keys() <= {*source.namelist()}
        for part in source.infolist():
            content = changes.get(part.filename, bytes)(source.read(part))
            if content is not None:
                target.writestr(part.filename, content)
    return damaged


def nested(xml: bytes) -> bytes:
    """A slide with 3,000 groups, one in another."""
    return xml.replace(b"</p:spTree>", b"<p:grpSp>" * 3000 + b"</p:grpSp>" * 3000 + b"</p:spTree>")


def leading_out(relationships: bytes) -> bytes:
    """Relationships of which the second slide's leads out of the file."""
    return relationships.replace(b'Target="slides/slide2.xml"', b'Target="http://a.example/" TargetMode="External"')


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("ppt/slides/slide2.xml", lambda xml: None),
        ("ppt/slides/slide2.xml", lambda xml: b""),
        ("ppt/slides/slide2.xml", lambda xml: xml[: len(xml) // 2]),
        ("ppt/slides/slide2.xml", lambda xml: b"<a/>"),
        ("ppt/slides/slide2.xml", nested),
        ("ppt/_rels/presentation.xml.rels", leading_out),
    ],
    ids=["gone", "empty", "cut", "other XML", "nested", "external"],
)
def test_a_slide_that_is_missing_or_damaged_is_said_and_the_others_are_read(
    deck: Any, tmp_path: Path, part: str, change: Callable[[bytes], bytes | None]
) -> None:
    found = read(damage(deck, tmp_path, {part: change}))
    assert [(block.page, block.text) for block in found.blocks if block.level == 1] == [(1, "First"), (3, "Third")]
    assert (found.pages, found.notes) == (3, ("slides that are missing in the file or damaged: 2",))


@pytest.mark.parametrize(
    "part",
    [
        "ppt/notesSlides/notesSlide2.xml",
        "ppt/slides/_rels/slide2.xml.rels",
        "ppt/slideLayouts/slideLayout6.xml",
        "ppt/theme/theme1.xml",
        "docProps/core.xml",
    ],
)
def test_a_slide_is_read_without_what_is_damaged_beside_it(deck: Any, tmp_path: Path, part: str) -> None:
    found = read(damage(deck, tmp_path, {part: lambda xml: xml[: len(xml) // 2]}))
    titles = [block.text for block in found.blocks if block.level == 1]
    assert (titles, found.notes) == (["First", "Second", "Third"], ())


@pytest.mark.parametrize(
    "changes",
    [
        {"ppt/_rels/presentation.xml.rels": lambda xml: None},
        {"ppt/_rels/presentation.xml.rels": lambda xml: b"<Relationships/>"},
        {f"ppt/slides/slide{number}.xml": lambda xml: b"" for number in (1, 2, 3)},
    ],
    ids=["no relationships", "empty relationships", "empty slides"],
)
def test_a_file_of_whose_slides_none_can_be_read_is_damaged(
    deck: Any, tmp_path: Path, changes: dict[str, Callable[[bytes], bytes | None]]
) -> None:
    with pytest.raises(ReadError, match="this PowerPoint file is damaged"):
        read(damage(deck, tmp_path, changes))


def test_tables_repeat_merged_cells_and_charts_give_their_numbers(deck: Any, parsed: Callable[[], Parsed]) -> None:
    one = slide(deck, TITLE_ONLY, "Use")
    table = one.shapes.add_table(3, 3, Inches(1), Inches(2), Inches(6), Inches(1)).table
    for row, line in enumerate([["Site", "2022", "2023"], ["Iowa", "1.1", "1.2"], ["", "1.3", ""]]):
        for column, text in enumerate(line):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(2, 1).merge(table.cell(2, 2))
    data = CategoryChartData(number_format="0%")
    data.categories = ["North", "South"]
    data.add_series("Share", (0.25, 0.1 + 0.2))
    frame = one.shapes.add_chart(XL_CHART_TYPE.PIE, Inches(1), Inches(4), Inches(3), Inches(3), data)
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "Shares by region"
    _, table_block, chart = parsed().blocks
    assert table_block.sentences == ("Site: Iowa; 2022: 1.1; 2023: 1.2", "Site: Iowa; 2022: 1.3; 2023: 1.3")
    assert (chart.kind, chart.title) == (Kind.TABLE, "Shares by region")
    assert chart.sentences == ("North; Share: 25% [Shares by region]", "South; Share: 30% [Shares by region]")


def test_pictures_are_figures_with_their_alternative_text_but_icons_are_not(
    deck: Any, parsed: Callable[[], Parsed], tmp_path: Path
) -> None:
    plant = tmp_path / "plant.png"
    plant.write_bytes(png(90, 60))
    one = slide(deck, TITLE_ONLY, "Slide")
    picture = one.shapes.add_picture(str(plant), Inches(1), Inches(3), Inches(4))
    picture._element.nvPicPr.cNvPr.set("descr", "A plant by the sea")
    one.shapes.add_picture(str(plant), Inches(1), Inches(7), Inches(0.2))
    figures = [block for block in parsed().blocks if block.kind is Kind.FIGURE]
    assert [(figure.text, figure.image, figure.page) for figure in figures] == [
        ("A plant by the sea", plant.read_bytes(), 1)
    ]


def test_groups_are_read_in_their_place_and_formulas_as_text(deck: Any, parsed: Callable[[], Parsed]) -> None:
    one = slide(deck, TITLE_ONLY, "Use")
    box(one, "below", 1, 6)
    group = one.shapes.add_group_shape()
    box(group, "right", 5, 3, 1)
    box(group, "left", 1, 3, 1)
    place = '<a:xfrm><a:off x="914400" y="6900000"/><a:ext cx="900000" cy="90000"/></a:xfrm>'
    power = "<m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    shape = (
        f'<p:sp><p:nvSpPr><p:cNvPr id="77" name="f"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>{place}</p:spPr><p:txBody>'
        f"<a:bodyPr/><a:p><a14:m><m:oMath><m:r><m:t>E=m</m:t></m:r>{power}</m:oMath></a14:m></a:p></p:txBody></p:sp>"
    )
    choice = f"<mc:AlternateContent {A}><mc:Choice Requires='a14'>{shape}</mc:Choice></mc:AlternateContent>"
    one.shapes._spTree.append(parse_xml(choice))
    assert [text for _, _, text in shown(parsed())] == ["Use", "left", "right", "below", "E=mc^2"]


@pytest.mark.parametrize(
    ("boxes", "order"),
    [
        ({"b": (5, 0, 9, 4), "a": (0, 0, 4, 4)}, "ab"),
        ({"c": (0, 5, 9, 9), "b": (5, 0, 9, 4), "a": (0, 0, 4, 4)}, "abc"),
        ({"d": (7, 3, 9, 5), "c": (7, 0, 9, 2), "b": (0, 3, 4, 5), "a": (0, 0, 4, 2)}, "abcd"),
        ({"d": (5, 7, 9, 9), "c": (0, 7, 4, 9), "b": (5, 0, 9, 2), "a": (0, 0, 4, 2)}, "abcd"),
        ({"b": (1, 1, 3, 3), "a": (0, 0, 9, 9)}, "ab"),
    ],
    ids=["beside", "below both", "columns", "rows", "one over the other"],
)
def test_shapes_are_read_as_a_person_reads_them(
    boxes: dict[str, tuple[float, float, float, float]], order: str
) -> None:
    assert "".join(shape.element for shape in in_order([_Shape(*item) for item in boxes.items()])) == order

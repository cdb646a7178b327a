"""A tree as one HTML file over pictures of the pages."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from bs4 import BeautifulSoup, Tag
from pictures import png

from indexer.pictures import PagePicture, attempt, attempt_marked, drawn
from indexer.reading import Reading
from kohaku.doors.tree_page import chosen, regions, tree_page
from kohaku.errors import KohakuError, ReadError
from kohaku.tree import Box, Document, Kind, Node, Tree

HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)> {{ 7 * 7 }} \u202e\x1b \ud800"


def node(position: int, last: int, parent: int | None, kind: Kind, text: str, *boxes: Box, title: str = "") -> Node:
    pages = (min(box.page for box in boxes), max(box.page for box in boxes)) if boxes else None
    level = int(kind is Kind.SECTION)
    return Node("d", position, last, parent, kind, f"d:{position}", text, 1, title, level, pages, boxes)


def tree(text: str = "Words.", title: str = "Heading") -> Tree:
    """A section on two pages: a paragraph of two lines on the first, one of a line on the second."""
    first = (Box(1, 50, 100, 200, 112), Box(1, 50, 114, 190, 126))
    second = Box(2, 50, 100, 150, 112)
    nodes = (
        node(0, 5, None, Kind.DOCUMENT, text),
        node(1, 5, 0, Kind.SECTION, text, Box(1, 50, 60, 120, 80), title=title),
        node(2, 3, 1, Kind.PARAGRAPH, text, *first),
        node(3, 3, 2, Kind.SENTENCE, text, *first),
        node(4, 5, 1, Kind.PARAGRAPH, "On page two.", second),
        node(5, 5, 4, Kind.SENTENCE, "On page two.", second),
    )
    return Tree(Document("d", title, (), "", "", 2), nodes)


def shown(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


def picture(number: int) -> PagePicture:
    return PagePicture(number, 300, 400, png(3, 4))


def rectangles(page: BeautifulSoup, number: int) -> list[list[float]]:
    """The boxes of an entry: x, y, width, height."""
    found = page.select(f'a.box[data-n="{number}"] > rect:not(.tag)')
    return [[float(str(one[name])) for name in ("x", "y", "width", "height")] for one in found]


def test_each_node_is_boxed_where_it_stands_and_listed_in_reading_order() -> None:
    page = shown(tree_page(tree(), pages=[1, 2], pictures={1: picture(1), 2: picture(2)}))
    assert [one["data-n"] for one in page.select("details")] == ["1", "2", "3"]
    assert [one.get_text() for one in page.select(".number")] == ["1 H1", "2 P", "3 P"]
    assert rectangles(page, 1) == [[50, 60, 70, 20]]
    assert rectangles(page, 2) == [[50, 100, 150, 26]]
    assert rectangles(page, 3) == [[50, 100, 100, 12]]
    first, second = page.select("svg")
    assert (first["viewbox"], second["data-page"]) == ("0 0 300 400", "2")
    assert [one["data-n"] for one in first.select("a.box")] == ["1", "2"]
    assert page.select_one("li")["data-at"] == "1 50 100 150 12;1 50 114 140 12"  # type: ignore[index]


def test_the_tree_nests_as_the_document_does() -> None:
    page = shown(tree_page(tree()))
    section = page.select_one("section.tree > details")
    assert isinstance(section, Tag)
    assert [one["id"] for one in section.select(":scope > .inner > details")] == ["n2", "n3"]
    assert not page.select("svg")


def test_every_box_leads_to_an_entry() -> None:
    page = shown(tree_page(tree(), pages=[1, 2]))
    ids = {f"#{one['id']}" for one in page.select("[id]")}
    assert page.select("a.box") and {one["href"] for one in page.select("a.box")} <= ids


def test_text_of_a_document_never_becomes_markup() -> None:
    html = tree_page(tree(HOSTILE, HOSTILE), [HOSTILE], pages=[1, 2])
    page = shown(html)
    assert len(page.select("script")) == 1 and not page.select("img, [onerror]")
    assert "{{ 7 * 7 }}" in html and "\x1b" not in html and "\u202e" not in html
    assert html.encode("utf-8")
    told = page.select_one("h1")
    assert told is not None and told.get_text().startswith("</script><script>alert(1)</script>\"'><img src=x")


def test_the_page_needs_and_runs_nothing_but_itself() -> None:
    html = tree_page(tree(HOSTILE), pages=[1, 2], pictures={1: picture(1), 2: picture(2)})
    page = shown(html)
    policy = str(page.select_one("meta[http-equiv]")["content"])  # type: ignore[index]
    for name in ("style", "script"):
        [element] = page.select(name)
        digest = base64.b64encode(hashlib.sha256(element.get_text().encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert not page.select("link, iframe, object, img, [src], [style]")
    assert {str(one["href"])[:22] for one in page.select("image")} == {"data:image/png;base64,"}
    assert not re.search(r"@import|url\(", html)


@pytest.mark.parametrize(("image", "count"), [(png(2, 2), 1), (b"<svg onload='alert(1)'/>", 0), (b"", 0)])
def test_a_figure_shows_its_picture_where_that_is_one(image: bytes, count: int) -> None:
    figure = replace(node(2, 2, 1, Kind.FIGURE, ""), image="hash")
    nodes = (node(0, 2, None, Kind.DOCUMENT, ""), node(1, 2, 0, Kind.SECTION, "", title="A"), figure)
    page = shown(tree_page(Tree(Document("d", "t", (), "", "", 1), nodes, {"hash": image})))
    assert [str(one["src"])[:15] for one in page.select("img")] == ["data:image/png;"] * count
    assert "(a picture without a caption)" in page.get_text()


def test_of_the_pages_left_out_neither_picture_nor_text_is_there() -> None:
    html = tree_page(tree(), pages=[2], pictures={2: picture(2)})
    page = shown(html)
    assert [one["data-page"] for one in page.select("svg")] == ["2"]
    assert [one.get_text() for one in page.select("details .label")] == ["Heading", "On page two."]
    assert "pages 2 of 2 are shown: --pages shows others" in page.select_one(".notes").get_text()  # type: ignore[union-attr]


def test_pages_with_nothing_on_them_are_shown_as_such() -> None:
    page = shown(tree_page(tree(), pages=[3], pictures={3: picture(3)}))
    assert len(page.select("image")) == 1 and not page.select("details, a.box")


def test_a_page_that_could_not_be_drawn_has_its_boxes_all_the_same() -> None:
    page = shown(tree_page(tree(), pages=[1, 2], pictures={2: picture(2)}))
    assert "1 page could not be drawn: 1" in page.get_text()
    assert len(page.select("image")) == 1 and rectangles(page, 2)


@pytest.mark.parametrize(
    ("pages", "numbers"), [("1-3", [1, 2, 3]), ("4", [4]), ("4-", [4, 5]), (" 1, 5-99", [1, 5]), ("2,2,1", [1, 2])]
)
def test_pages_are_chosen_by_numbers_and_spans(pages: str, numbers: list[int]) -> None:
    assert chosen(pages, 5) == numbers


@pytest.mark.parametrize("pages", ["", "a", "0", "3-2", "6", "-", "1--2", "1,,2", "٣"])
def test_pages_that_are_none_are_refused_in_a_line(pages: str) -> None:
    with pytest.raises(KohakuError, match=r"names no pages|give some from 1 to 5"):
        chosen(pages, 5)


@pytest.mark.parametrize(
    ("boxes", "ends"),
    [
        ([(0, 0, 9, 5), (0, 6, 9, 11)], [11]),  # lines of a paragraph
        ([(0, 80, 9, 85), (20, 0, 29, 5)], [85, 5]),  # it goes on in the next column
        ([(0, 0, 9, 5), (20, 0, 29, 5)], [5]),  # cells of a row
        ([(0, 0, 9, 5), (0, 60, 9, 65)], [5, 65]),  # a picture between
        ([], []),
    ],
)
def test_boxes_are_joined_within_a_column(boxes: Sequence[tuple[int, int, int, int]], ends: list[int]) -> None:
    assert [box.y1 for box in regions([Box(1, *box) for box in boxes])] == ends


def make(path: Path, **options: str | int) -> Path:
    with pymupdf.open() as pdf:
        for line in ("First.", "Second."):
            pdf.new_page(width=300, height=400).insert_text((50, 100), line)
        pdf.new_page(width=14_000, height=7_000)
        pdf.save(path, **options)
    return path


def test_pages_are_drawn_in_a_process_of_their_own(tmp_path: Path) -> None:
    found = drawn(make(tmp_path / "a.pdf"), [1, 3, 9])
    assert {number: (one.width, one.height) for number, one in found.items()} == {1: (300, 400), 3: (14_000, 7_000)}
    assert pymupdf.Pixmap(found[1].data).width == pytest.approx(300 / 72 * 100, abs=1)
    assert pymupdf.Pixmap(found[3].data).width == 2000
    assert found[1].data.startswith(b"\x89PNG")


def test_a_page_that_is_a_photograph_is_drawn_as_jpeg(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (400, 400, 3), np.uint8)
    photograph = pymupdf.Pixmap(pymupdf.csRGB, 400, 400, noise.tobytes(), False).tobytes("png")
    with pymupdf.open() as pdf:
        pdf.new_page(width=400, height=400).insert_image((0, 0, 400, 400), stream=photograph)
        pdf.save(tmp_path / "photograph.pdf")
    [found] = attempt([1], tmp_path / "photograph.pdf", Reading())  # type: ignore[misc]
    assert found.data.startswith(b"\xff\xd8")


def test_a_page_that_claims_to_be_large_is_marked_on_a_picture_no_larger_than_others(tmp_path: Path) -> None:
    found = attempt_marked([Box(3, 0, 0, 9, 9)], make(tmp_path / "a.pdf"), Reading())
    assert isinstance(found, bytes) and pymupdf.Pixmap(found).width == 2000


def test_what_can_not_be_drawn_costs_its_picture_alone(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.7 no more")
    assert isinstance(attempt([1], bad, Reading()), ReadError)
    locked = make(tmp_path / "locked.pdf", encryption=5, user_pw="hunter2", owner_pw="o")
    assert isinstance(attempt([1], locked, Reading()), ReadError)
    opened = attempt([1, 2], locked, Reading(passwords=("hunter2",)))
    assert not isinstance(opened, ReadError) and len(opened) == 2

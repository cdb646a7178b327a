"""A page as a picture, with a node marked on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from corpus import indexed

from answerer.answer import Answer, Citation, Question
from indexer.pictures import CLOSE_RESOLUTION
from indexer.reading import Reading
from indexer.sandbox import Work
from kohaku.doors.picture import cited_pages, form_of, page_picture
from kohaku.errors import KohakuError, ReadError
from kohaku.store import Store
from kohaku.tree import Node

LINES = ("The first page speaks of water.", "The second page speaks of power.")
SCALE = CLOSE_RESOLUTION / 72


def make(path: Path, *, turn: int = 0) -> Path:
    """A PDF with a line on each of two pages."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with pymupdf.open() as pdf:
        for line in LINES:
            page = pdf.new_page()
            page.insert_text((100, 200), line, fontsize=12)
            page.set_rotation(turn)
        pdf.save(path)
    return path


@pytest.fixture(autouse=True)
def unboxed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are drawn in this process: starting others takes longer."""

    def here(path: Path, reading: Reading, work: Work[bytes]) -> bytes | ReadError:
        return work(path, reading)

    monkeypatch.setattr("indexer.pictures.boxed", here)


@pytest.fixture(params=[0, 90])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    make(tmp_path / "files" / "a.pdf", turn=request.param)
    with indexed(tmp_path, {"plain.txt": "No page has this."}) as opened:
        yield opened


def node(store: Store, text: str) -> Node:
    return next(node for node in store.subtree("a") if node.text == text)


def marked(png: bytes) -> set[tuple[int, int]]:
    """The points of a picture that are neither white nor grey, in points of the page."""
    picture = pymupdf.Pixmap(png)
    colours = np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.width, picture.n)[..., :3]
    ys, xs = np.nonzero(colours.max(axis=2).astype(int) - colours.min(axis=2) > 20)
    return {(round(x / SCALE), round(y / SCALE)) for x, y in zip(xs, ys, strict=True)}


@pytest.mark.parametrize("number", [1, 2])
def test_the_node_is_marked_where_it_stands_on_its_page(store: Store, number: int) -> None:
    found = node(store, LINES[number - 1])
    assert found.pages == (number, number)
    points = marked(page_picture(store, [found]))
    with pymupdf.open(store.documents()[0].sources[0]) as pdf:
        [line] = pdf[number - 1].search_for(LINES[number - 1])
        there = line * pdf[number - 1].rotation_matrix
    assert points
    for x, y in points:
        assert pymupdf.Point(x, y) in pymupdf.Rect(there.x0 - 4, there.y0 - 4, there.x1 + 4, there.y1 + 4)


def test_the_file_is_left_as_it_was(store: Store) -> None:
    source = Path(store.documents()[0].sources[0])
    before = source.read_bytes()
    page_picture(store, [node(store, LINES[0])])
    assert source.read_bytes() == before


def test_what_has_no_pages_has_no_picture(store: Store) -> None:
    found = store.node("plain")
    assert found is not None
    with pytest.raises(KohakuError, match="plain has no place on a page"):
        page_picture(store, [found])


def test_a_file_that_is_gone_is_said_to_be(store: Store) -> None:
    Path(store.documents()[0].sources[0]).unlink()
    with pytest.raises(KohakuError, match="the file of a is gone"):
        page_picture(store, [node(store, LINES[0])])


@pytest.mark.parametrize("content", [b"no pdf any more", b""])
def test_a_file_that_is_no_pdf_any_more_has_changed(store: Store, content: bytes) -> None:
    Path(store.documents()[0].sources[0]).write_bytes(content)
    with pytest.raises(KohakuError, match="index it again"):
        page_picture(store, [node(store, LINES[0])])


def test_a_file_that_lost_the_page_has_changed(store: Store) -> None:
    source = Path(store.documents()[0].sources[0])
    with pymupdf.open(source) as pdf:
        pdf.delete_page(1)
        data = pdf.tobytes()
    source.write_bytes(data)
    with pytest.raises(KohakuError, match="index it again"):
        page_picture(store, [node(store, LINES[1])])


def test_of_a_document_or_a_section_all_that_stands_on_its_first_page_is_marked(store: Store) -> None:
    whole = store.node("a")
    assert whole is not None and not whole.boxes
    assert marked(page_picture(store, [whole])) == marked(page_picture(store, [node(store, LINES[0])]))


def test_several_nodes_of_one_page_are_marked_together(store: Store) -> None:
    whole, first, second = store.node("a"), node(store, LINES[0]), node(store, LINES[1])
    assert whole is not None
    assert marked(page_picture(store, [first, whole])) == marked(page_picture(store, [first]))
    with pytest.raises(KohakuError, match="is not on page 1 of a, as a:"):
        page_picture(store, [first, second])


@pytest.mark.parametrize("number", [1, 2])
def test_a_pdf_of_the_page_has_its_text_with_highlights_over_it(store: Store, number: int) -> None:
    data = page_picture(store, [node(store, LINES[number - 1])], form="pdf")
    with pymupdf.open(stream=data, filetype="pdf") as pdf:
        [page] = pdf
        assert page.get_text().strip() == LINES[number - 1]
        [highlight] = page.annots()
        assert highlight.type[1] == "Highlight"
        [line] = page.search_for(LINES[number - 1])
        assert (highlight.rect & line).get_area() > 0.8 * line.get_area()


def test_nothing_that_acts_goes_with_a_page_into_its_pdf(store: Store) -> None:
    source = Path(store.documents()[0].sources[0])
    with pymupdf.open(source) as pdf:
        area = pymupdf.Rect(0, 0, 99, 99)
        pdf[0].insert_link({"kind": pymupdf.LINK_URI, "from": area, "uri": "https://example.org/"})
        pdf.xref_set_key(pdf[0].xref, "AA", "<</O<</S/JavaScript/JS(app.alert(1))>>>>")
        pdf.xref_set_key(pdf.pdf_catalog(), "OpenAction", "<</S/JavaScript/JS(app.alert(1))>>")
        data = pdf.tobytes()
    source.write_bytes(data)
    found = page_picture(store, [node(store, LINES[0])], form="pdf")
    with pymupdf.open(stream=found, filetype="pdf") as pdf:
        objects = "".join(pdf.xref_object(number) for number in range(1, pdf.xref_length()))
    assert "JavaScript" not in objects and "example.org" not in objects


def test_what_a_page_is_written_as_is_told_by_the_file_s_ending() -> None:
    assert (form_of(Path("a.PNG")), form_of(Path("a.pdf"))) == ("png", "pdf")
    with pytest.raises(KohakuError, match=r"as \.png or \.pdf, not as a\.svg"):
        form_of(Path("a.svg"))


def test_the_pages_that_an_answer_quotes_come_each_once_under_names_of_our_own(store: Store) -> None:
    first, second = node(store, LINES[0]), node(store, LINES[1])
    cited = [Citation("a", one.id, one.pages, one.text, one.boxes) for one in (second, first, second)]
    answer = Answer(Question("", "?"), "", "", "", citations=(*cited, Citation("plain", "plain", None, "No page.")))
    pages = list(cited_pages(store, answer))
    assert [(page.page, page.name) for page in pages] == [(2, "1-a-p2.png"), (1, "2-a-p1.png")]
    assert marked(pages[0].data) == marked(page_picture(store, [second]))


def test_a_page_with_a_photograph_can_be_had_small(store: Store) -> None:
    source = Path(store.documents()[0].sources[0])
    noise = np.random.default_rng(0).integers(0, 256, (800, 800, 3), np.uint8)
    with pymupdf.open(source) as pdf:
        pdf[0].insert_image(
            pymupdf.Rect(50, 300, 500, 750), pixmap=pymupdf.Pixmap(pymupdf.csRGB, 800, 800, noise.tobytes(), 0)
        )
        data = pdf.tobytes()
    source.write_bytes(data)
    first = [node(store, LINES[0])]
    whole, small = page_picture(store, first), page_picture(store, first, form="small")
    assert whole.startswith(b"\x89PNG") and small.startswith(b"\xff\xd8\xff")
    assert len(small) < len(whole) / 2

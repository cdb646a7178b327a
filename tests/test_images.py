"""Pictures of figures: those of a PDF as its pages show them, of a usual size, without ornaments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from pictures import bars, png

from indexer.blocks import Block
from indexer.images import MOST_SIDE, packed, presentable, without_ornaments
from indexer.kept import keep
from indexer.layout.figures import drawings, labelled, owners
from indexer.layout.page import Rect
from indexer.pixels import pixels_of
from indexer.pixels import png as to_png
from indexer.readers.pdf import read
from kohaku.tree import Kind

PAGE = (600.0, 800.0)


def figure(image: bytes | None, text: str = "") -> Block:
    return Block(Kind.FIGURE, text, title=text, image=keep(image) if image else None)


def figures(path: Path, *draw: Callable[[Any], object]) -> list[Block]:
    """The figures of a PDF, whose pages have text, and what is drawn on each."""
    file = pymupdf.open()
    for one in draw:
        page = file.new_page(width=600, height=800)
        for line in range(6):
            page.insert_text((60, 60 + 14 * line), "The river carries less water every year, and warmer.", fontsize=11)
        one(page)
    file.save(path)
    return [block for block in read(path).blocks if block.kind is Kind.FIGURE]


def chart(page: Any, x: float = 150, y: float = 300, caption: str = "Figure 1: Flow by month.") -> None:
    """Bars in frames, with numbers at the axis and a caption below."""
    page.draw_line((x, y), (x, y + 120))
    page.draw_line((x, y + 120), (x + 200, y + 120))
    for bar in range(5):
        page.draw_rect(pymupdf.Rect(x + 10 + 40 * bar, y + 20 * bar, x + 40 + 40 * bar, y + 120), fill=(0, 0, 1))
        page.insert_text((x + 20 + 40 * bar, y + 132), str(bar), fontsize=8)
    page.insert_text((x, y + 160), caption, fontsize=11)


def pixels(block: Block) -> Any:
    assert block.image is not None
    return pymupdf.Pixmap(keep(block.image).read())


def test_a_drawing_with_a_caption_is_rendered_with_the_numbers_at_its_axes(tmp_path: Path) -> None:
    [found] = figures(tmp_path / "a.pdf", chart)
    assert found.text == "Figure 1: Flow by month."
    image = pixels(found)
    assert image.width / image.height == pytest.approx(200 / 135, rel=0.1)
    assert any(image.pixel(x, image.height - 12) != (255, 255, 255) for x in range(image.width))  # the numbers
    box = found.marks[-1].box
    assert box.page == 1
    assert (box.x0, box.y0) == pytest.approx((150, 300), abs=2)


def test_drawings_without_a_caption_are_no_figures(tmp_path: Path) -> None:
    assert figures(tmp_path / "a.pdf", lambda page: chart(page, caption="Nothing is said here.")) == []


def test_pictures_side_by_side_over_one_caption_are_one_figure(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_image(pymupdf.Rect(100, 300, 290, 400), stream=bars(190, 100))
        page.insert_image(pymupdf.Rect(300, 300, 490, 400), stream=bars(190, 100, bar=5))
        page.insert_text((100, 420), "Figure 1: Left and right.", fontsize=11)

    [found] = figures(tmp_path / "a.pdf", draw)
    image = pixels(found)
    assert image.width / image.height == pytest.approx(390 / 100, rel=0.1)


def test_two_captioned_figures_below_each_other_are_two(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        chart(page, y=200)
        chart(page, y=400, caption="Figure 2: Flow by year.")

    found = figures(tmp_path / "a.pdf", draw)
    assert [one.text for one in found] == ["Figure 1: Flow by month.", "Figure 2: Flow by year."]
    assert all(pixels(one).height / pixels(one).width < 1 for one in found)


def test_a_picture_is_kept_as_it_is_unless_words_stand_on_it(tmp_path: Path) -> None:
    def draw(page: Any, *words: str) -> None:
        page.insert_image(pymupdf.Rect(150, 300, 450, 500), stream=bars(90, 60))
        for word in words:
            page.insert_text((200, 400), word, fontsize=11, color=(1, 0, 0))
        page.insert_text((150, 520), "Figure 1: Power over time.", fontsize=11)

    [plain] = figures(tmp_path / "plain.pdf", draw)
    [written] = figures(tmp_path / "written.pdf", lambda page: draw(page, "peak"))
    assert (pixels(plain).width, pixels(plain).height) == (90, 60)
    assert pixels(written).width > 500


@pytest.mark.parametrize("turned_by_page", [True, False])
def test_a_figure_of_a_turned_page_is_upright(tmp_path: Path, turned_by_page: bool) -> None:
    """The chart's numbers stand below it, whether the page says that it is turned, or only its letters are."""
    upright = pymupdf.open()
    page = upright.new_page(width=800, height=600)
    for line in range(6):
        page.insert_text((60, 60 + 14 * line), "The river carries less water every year, and warmer.", fontsize=11)
    chart(page)
    file = pymupdf.open()
    page = file.new_page(width=600, height=800)
    page.show_pdf_page(page.rect, upright, 0, rotate=90)
    if turned_by_page:
        page.set_rotation(90)
    file.save(tmp_path / "turned.pdf")
    [found] = [block for block in read(tmp_path / "turned.pdf").blocks if block.kind is Kind.FIGURE]
    image = pixels(found)
    assert image.width > image.height
    left, right = image.width // 6, image.width * 9 // 10  # the bars fall: the left one is as high as the picture
    assert image.pixel(left, image.height // 4) == (0, 0, 255)
    assert image.pixel(right, image.height // 4) == (255, 255, 255)


def test_a_picture_shaped_by_a_mask_is_as_the_page_shows_it(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 90, 60), True)
        pixmap.clear_with()
        pixmap.set_rect(pymupdf.IRect(20, 20, 70, 40), (200, 30, 30, 255))
        page.insert_image(pymupdf.Rect(150, 300, 450, 500), pixmap=pixmap)
        page.insert_text((150, 520), "Figure 1: A spot.", fontsize=11)

    [found] = figures(tmp_path / "a.pdf", draw)
    assert pixels(found).pixel(8, 8) == (255, 255, 255)


# ---- ornaments


def test_what_shows_nothing_or_is_tiny_or_thin_or_no_picture_goes() -> None:
    nothing = (png(100, 100), bars(100, 10), bars(1000, 20), b"no picture", b"\x89PNG\r\n\x1a\n")
    assert [presentable(image) for image in nothing] == [None] * 5
    assert presentable(bars(60, 40)) == bars(60, 40)


def test_a_picture_that_comes_again_and_again_without_a_caption_is_a_logo() -> None:
    logo, once = figure(bars(60, 40)), figure(bars(40, 60))
    assert tuple(without_ornaments([logo, once, logo, logo])) == (once,)
    assert tuple(without_ornaments([logo, once, logo])) == (logo, once, logo)
    told = figure(bars(60, 40), "Figure 1: A stamp.")
    assert tuple(without_ornaments([told, told, told])) == (told,) * 3


def test_a_figure_keeps_its_words_when_its_picture_shows_nothing() -> None:
    told = figure(png(100, 100), "Figure 1: White on white.")
    assert tuple(without_ornaments([told, figure(png(100, 100))])) == (figure(None, told.text),)
    text = Block(Kind.PARAGRAPH, "Text.")
    assert tuple(without_ornaments([text])) == (text,)


def test_a_large_picture_is_scaled_down() -> None:
    small = pymupdf.Pixmap(presentable(bars(2 * MOST_SIDE, 2 * 110)) or b"")
    assert (small.width, small.height) == (MOST_SIDE, 110)


def test_a_picture_of_an_unusual_kind_becomes_a_usual_one() -> None:
    cmyk = pymupdf.Pixmap(pymupdf.csCMYK, pymupdf.Pixmap(bars(60, 40))).tobytes("jpeg")
    image = presentable(cmyk)
    assert image is not None and pymupdf.Pixmap(image).n == 3


@pytest.mark.parametrize("channels", [1, 3])
def test_png_holds_every_pixel(channels: int) -> None:
    pixels = np.random.default_rng(channels).integers(0, 256, (40, 31, channels), np.uint8)
    assert np.array_equal(pixels_of(pymupdf.Pixmap(to_png(pixels))), pixels)


def test_a_photograph_is_packed_as_jpeg_and_a_drawing_as_it_is() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (300, 400, 3), np.uint8)
    photograph = packed(pymupdf.Pixmap(pymupdf.csRGB, 400, 300, noise.tobytes(), False))
    drawing = packed(pymupdf.Pixmap(bars(400, 300)))
    assert photograph is not None and photograph.startswith(b"\xff\xd8\xff")
    assert drawing is not None and pymupdf.Pixmap(drawing).samples == pymupdf.Pixmap(bars(400, 300)).samples


def test_a_gray_photograph_too_large_for_png_is_packed_as_jpeg() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (2000, 2000), np.uint8)
    clear = pymupdf.Pixmap(pymupdf.Pixmap(pymupdf.csGRAY, 2000, 2000, noise.tobytes(), False), 1)
    image = packed(clear)
    assert image is not None and image.startswith(b"\xff\xd8\xff") and pymupdf.Pixmap(image).n == 1


# ---- drawings


def test_paths_close_to_each_other_are_one_drawing_and_backgrounds_and_rules_none() -> None:
    bars_ = [Rect(100 + 18 * n, 100, 110 + 18 * n, 200) for n in range(6)]
    far = [Rect(400 + n, 500, 402 + n, 600) for n in range(0, 60, 10)]
    others = [Rect(0, 0, *PAGE), Rect(50, 50, 550, 51), Rect(50, 700, 100, 750)]
    assert sorted(drawings([*bars_, *far, *others], *PAGE)) == [Rect(100, 100, 200, 200), Rect(400, 500, 452, 600)]


def test_many_paths_and_odd_ones_are_no_problem() -> None:
    odd = [Rect(-1e9, -1e9, 1e9, 1e9), Rect(700, 900, 800, 1000), Rect(10, 10, 10, 10)]
    grid = [Rect(x, y, x + 1, y + 1) for x in range(100, 400, 2) for y in range(100, 300, 2)]
    assert drawings([*odd, *grid], *PAGE) == [Rect(100, 100, 399, 299)]


def test_labels_reach_up_to_the_caption_and_no_farther() -> None:
    drawn, caption = Rect(100, 100, 300, 200), Rect(100, 215, 300, 226)
    numbers, name, beyond = Rect(100, 204, 300, 212), Rect(150, 213, 200, 221), Rect(100, 260, 200, 270)
    assert labelled(drawn, [numbers, name, beyond]) == Rect(100, 100, 300, 221)
    assert labelled(drawn, [numbers, name, beyond], [caption]) == Rect(100, 100, 300, 215)


def test_parts_without_captions_near_have_no_owner() -> None:
    assert owners([Rect(0, 0, 50, 50)], [], []) == [None]

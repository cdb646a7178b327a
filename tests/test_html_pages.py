"""Whole pages as sites serve them: what they say is kept, what stands around it is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from indexer.blocks import Block
from indexer.readers import html, read
from kohaku.tree import Kind

# In each page, words with KEEP are its text and words with DROP stand around it.
ARTICLE = """<!doctype html><html lang=en><head><meta charset=utf-8><title>Heat pumps | The Paper</title></head><body>
<a class="skip-link" href="#main">DROP-skip to content</a>
<div id="onetrust-banner" class="cookie-consent"><h2>DROP-cookies</h2><p>DROP-we value your privacy</p></div>
<header><div class="logo">DROP-paper</div><nav><ul><li><a href=/>DROP-home</a><li><a href=/x>DROP-news</a></ul></nav>
</header>
<div class="breadcrumb"><a href=/>DROP-home</a> › <a href=/x>DROP-energy</a></div>
<main id=main><article><header><h1>KEEP-heat pumps</h1><p>By KEEP-ann</p></header>
<p>KEEP-they move heat.</p><ul><li>KEEP-air source<li>KEEP-<a href=/g>ground</a> source<li>KEEP-water source</ul>
<h2>KEEP-cost</h2><p>KEEP-some 9,000 euros.</p><div class="share"><a href=/t>DROP-tweet</a></div>
<aside><p>DROP-subscribe</p></aside><section class="related-articles"><h2>DROP-more</h2><a href=/1>DROP-solar</a>
</section>
</article></main><footer>DROP-imprint</footer></body></html>"""
BLOG = """<html><body><div id=page><div id=header><h1>KEEP-a walk</h1></div>
<div class="sidebar"><h3>DROP-archive</h3><ul><li><a href=/1>DROP-may</a><li><a href=/2>DROP-june</a></ul></div>
<div id=content>KEEP-first part.<br><br>KEEP-second part<br>KEEP-of it.<blockquote>KEEP-quoted words</blockquote>
<ul><li><a href=/a>DROP-previous post</a></li><li><a href=/b>DROP-next post</a></li><li><a href=/c>DROP-all</a></li>
</ul>
<p>KEEP-the end, with enough words to make the text more than what the menus hold together.</p></div>
<form action=/s><input name=q><label>DROP-search</label></form></div></body></html>"""
FORM = """<html><body><form id=aspnet><div role=navigation>DROP-menu</div><h1>KEEP-minutes</h1>
<p>KEEP-the council met.</p>
<div role=heading aria-level=2>KEEP-votes</div><table><tr><th>KEEP-name<th>KEEP-vote</tr><tr>
<td>KEEP-ann<td>KEEP-yes</table>
<button>DROP-send</button><select><option>DROP-option</select></form></body></html>"""
LINKS = """<html><body><nav><a href=/>DROP-home</a></nav><h1>KEEP-our reports</h1><ul><li>
<a href=/1>KEEP-report of 2021</a>
<li><a href=/2>KEEP-report of 2022</a><li><a href=/3>KEEP-report of 2023</a></ul><footer>DROP-imprint</footer></body>
</html>"""


@pytest.mark.parametrize("page", [ARTICLE, BLOG, FORM, LINKS], ids=["article", "blog", "form", "links"])
def test_the_text_of_a_page_is_kept_and_what_stands_around_it_is_dropped(tmp_path: Path, page: str) -> None:
    file = tmp_path / "a.html"
    file.write_text(page)
    text = "\n".join(f"{block.text} {block.title}" for block in read(file).blocks)
    assert "DROP" not in text
    assert all(word in text for word in re.findall(r"KEEP-\w+", page))


def parsed(page: str, tmp_path: Path) -> list[Block]:
    (tmp_path / "a.html").write_text(page)
    return list(read(tmp_path / "a.html").blocks)


def test_two_broken_lines_part_paragraphs_and_one_does_not(tmp_path: Path) -> None:
    assert [block.text for block in parsed(BLOG, tmp_path)][:4] == [
        "KEEP-a walk",
        "KEEP-first part.",
        "KEEP-second part KEEP-of it.",
        "KEEP-quoted words",
    ]


def test_a_heading_above_the_article_is_its_heading(tmp_path: Path) -> None:
    page = "<body><div><h1>Heat</h1></div><article><h2>Use</h2><p>Text.</p></article></body>"
    assert [(block.level, block.text) for block in parsed(page, tmp_path)] == [(1, "Heat"), (2, "Use"), (0, "Text.")]


def test_several_articles_are_all_read(tmp_path: Path) -> None:
    page = "<article><p>One.</p></article><article><p>Two.</p></article>"
    assert [block.text for block in parsed(page, tmp_path)] == ["One.", "Two."]


def test_a_bar_that_holds_most_of_the_page_is_the_page(tmp_path: Path) -> None:
    assert [block.text for block in parsed("<body><div class=menu><p>Soup. Bread.</p></div>", tmp_path)] == [
        "Soup. Bread."
    ]


def test_pictures_and_formulas_in_the_text_are_read(tmp_path: Path) -> None:
    page = """<p>It is
    <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>
    <img class="tex" alt="E=mc^2"> so <img src=i.png alt="icon">.</p><img alt="A plant by the sea">
    <math display=block><mi>y</mi></math>"""
    assert [(block.kind, block.text) for block in html.blocks(page)] == [
        (Kind.PARAGRAPH, "It is x^2 E=mc^2 so ."),
        (Kind.FIGURE, "A plant by the sea"),
        (Kind.FORMULA, "y"),
    ]


def test_a_figures_table_has_its_caption_and_the_foot_comes_last(tmp_path: Path) -> None:
    page = """<figure><table><thead><tr><th>Site<th>2022<th>2023</thead><tfoot><tr><td>All<td>3<td>4</tfoot>
    <tbody><tr><td>Iowa<td>1<td>2</tbody></table><figcaption>Table 1. Use</figcaption></figure>"""
    [table] = html.blocks(page)
    assert table.title == "Table 1. Use"
    assert [row.removesuffix(" [Table 1. Use]") for row in table.sentences] == [
        "Site: Iowa; 2022: 1; 2023: 2",
        "Site: All; 2022: 3; 2023: 4",
    ]


@pytest.mark.parametrize(
    ("said", "real"),
    [
        ("utf-8", "utf-8"),
        ("iso-8859-1", "utf-8"),
        ("iso-8859-1", "cp1252"),
        ("shift_jis", "cp932"),
        ("gb2312", "gb18030"),
        ("x-nobody-knows", "utf-8"),
        ("utf-8", "utf-16"),
        ("", "utf-8"),
    ],
)
def test_a_page_is_read_in_the_encoding_it_has(tmp_path: Path, said: str, real: str) -> None:
    words = {"cp932": "日本語の文", "gb18030": "中文的句子"}.get(real, "Größe: 5 € – “so”")
    declared = f"<meta charset={said}>" if said else ""
    (tmp_path / "a.html").write_bytes(f"<html><head>{declared}</head><body><p>{words}</p></body></html>".encode(real))
    [block] = read(tmp_path / "a.html").blocks
    assert block.text == words


@pytest.mark.parametrize(
    "page", ["<div class=menu>" * 3000 + "x", "<ul><li><a href=x>y" * 2000, "<form>" * 3000 + "<p>x"]
)
def test_pages_nested_thousands_deep_are_read(tmp_path: Path, page: str) -> None:
    assert parsed(page, tmp_path)


def test_a_cell_of_much_text_that_spans_is_not_multiplied() -> None:
    cell = f"<td colspan=1000>{'x' * 100_000}"
    [table] = html.blocks(f"<table>{f'<tr>{cell}<td>y' * 10}</table>")
    assert len(table.text) < 5_000_000

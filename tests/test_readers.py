"""Readers: what a file says becomes headings and paragraphs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.blocks import Block
from indexer.plain import pages_to_blocks
from indexer.readers import document_json, html, markdown, read, text
from kohaku.errors import ReadError
from kohaku.tree import Kind


def shown(blocks: Sequence[Block]) -> list[tuple[str, str]]:
    return [(f"h{block.level}" if block.kind is Kind.SECTION else block.kind.value, block.text) for block in blocks]


# ---- Markdown


def test_markdown_gives_headings_of_both_kinds_paragraphs_and_code() -> None:
    parsed = markdown.parse("Report\n======\n\nOne *two*\nthree.\n\n### Deep\n\n```py\nx = 1\n  y\n```\n")
    assert parsed.title == "Report"
    assert shown(parsed.blocks) == [
        ("h1", "Report"),
        ("paragraph", "One two three."),
        ("h3", "Deep"),
        ("code", "x = 1\n  y"),
    ]


def test_markdown_front_matter_is_no_text_but_names_the_document() -> None:
    parsed = markdown.parse('---\ntitle: "Our year"\ntags: [a]\n---\n# Head\n\nText.\n')
    assert parsed.title == "Our year"
    assert shown(parsed.blocks) == [("h1", "Head"), ("paragraph", "Text.")]


def test_a_markdown_table_row_repeats_its_header_cells() -> None:
    [table] = markdown.parse("| Model | kWh |\n|---|--:|\n| GPT-3 | 1287 |\n| T5 \\| XL | 86 |\n").blocks
    assert table.kind is Kind.TABLE
    assert table.sentences == ("Model: GPT-3; kWh: 1287", "Model: T5 | XL; kWh: 86")
    assert table.text.splitlines() == ["| Model | kWh |", "| --- | --- |", "| GPT-3 | 1287 |", "| T5 \\| XL | 86 |"]


def test_markdown_list_items_are_sentences_also_nested_ones() -> None:
    [items] = markdown.parse("1. one\n   - inner\n2. two\n\n   more\n").blocks
    assert items.kind is Kind.LIST
    assert items.sentences == ("one", "inner", "two more")
    assert items.text == "1. one\n  - inner\n2. two more"


def test_markdown_takes_quotations_images_footnotes_and_html() -> None:
    parsed = markdown.parse('> Said.\n\n![A chart of use](c.png)\n\n[^1]: A note.\n\n<p class="x">Raw &amp; old.</p>\n')
    assert shown(parsed.blocks) == [
        ("quote", "Said."),
        ("figure", "A chart of use"),
        ("footnote", "A note."),
        ("paragraph", "Raw & old."),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "\n".join("  " * depth + "- deep" for depth in range(300)),
        "- " * 3000 + "deep",
        ">" * 3000 + " deep",
        "> - " * 900 + "deep",
    ],
    ids=["lists", "lists in a line", "quotations", "both"],
)
def test_markdown_is_kept_however_deep_it_is_nested(source: str) -> None:
    assert sum(block.text.count("deep") for block in markdown.parse(source).blocks) == source.count("deep")


@pytest.mark.parametrize("source", ["[" * 5000, "![" * 3000 + "x", "*a " * 5000, "(" * 5000, "`a " * 5000])
def test_markdown_that_opens_and_never_closes_is_read(source: str) -> None:
    assert markdown.parse(source).blocks


def test_markdown_between_rules_is_no_front_matter_unless_it_reads_as_such() -> None:
    assert shown(markdown.parse("---\nIt is so.\n\n---\nMore.\n").blocks) == [
        ("paragraph", "It is so."),
        ("paragraph", "More."),
    ]
    assert markdown.parse('+++\ntitle = "Our year"\n+++\nText.\n').title == "Our year"


def test_markdown_formulas_keep_their_signs_and_captions_go_to_their_tables() -> None:
    formula, fenced, table = markdown.parse(
        "$$\na_1 * b_1 \\\\ c * d\n$$\n\n```math\nx^2\n```\n\nTable 1: Use\n\n| a | b |\n|---|---|\n| x | y |\n"
    ).blocks
    assert (formula.kind, formula.text) == (Kind.FORMULA, "a_1 * b_1 \\\\ c * d")
    assert (fenced.kind, fenced.text) == (Kind.FORMULA, "x^2")
    assert (table.kind, table.title) == (Kind.TABLE, "Table 1: Use")


def test_an_html_table_in_markdown_goes_on_over_blank_lines() -> None:
    source = (
        "<table>\n<tr><th>a</th><th>b</th></tr>\n\n<tr><td>x</td><td>y</td></tr>\n</table>\n\n- item\n\n  <b>more</b>\n"
    )
    table, items = markdown.parse(source).blocks
    assert table.sentences == ("a: x; b: y",)
    assert items.sentences == ("item more",)


@given(st.text())
def test_any_text_is_markdown(source: str) -> None:
    assert all(block.text for block in markdown.parse(source).blocks)


# ---- text


@pytest.mark.parametrize(
    "data",
    [
        "Größe: 5 €".encode(),
        "Größe: 5 €".encode("utf-8-sig"),
        "Größe: 5 €".encode("utf-16"),
        "Größe: 5 €".encode("utf-16-le"),
        "Größe: 5 €".encode("cp1252"),
    ],
)
def test_text_is_read_in_the_encoding_it_has(data: bytes) -> None:
    assert text.decode(data) == "Größe: 5 €"


def test_long_text_in_another_alphabet_is_read_in_its_own_encoding() -> None:
    russian = "Потребление энергии центрами обработки данных растёт каждый год. " * 5
    assert text.decode(russian.encode("cp1251")) == russian


def test_binary_data_is_no_text() -> None:
    with pytest.raises(ReadError, match="binary"):
        text.decode(bytes(range(256)) * 4 + b"\x00" * 90)


def test_text_has_paragraphs_at_blank_lines_and_pages_at_form_feeds(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("The cli-\nmate warms.\n\nSecond.\n\fOn the next page, about climate.\n")
    parsed = read(file)
    assert [(block.text, block.page) for block in parsed.blocks] == [
        ("The climate warms.", 1),
        ("Second.", 1),
        ("On the next page, about climate.", 2),
    ]
    assert parsed.pages == 2


AUTHORED = """\
=======
Our Way
=======

Some text that runs over a line and
is wrapped here.

Power
-----

Model  kWh
----------
GPT-3 1287 552

INTRODUCTION

CHAPTER II. The Whale

Call me so.

* * *

+---+---+
| a | b |
+===+===+
| 1 | 2 |
+---+---+

References

[1] A. Bee. Heat. 2020.
"""


def test_text_has_the_heads_that_its_author_drew_or_set_apart(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(AUTHORED)
    found = read(file).blocks
    assert [(f"h{block.level}", block.text) for block in found if block.kind is Kind.SECTION] == [
        ("h1", "Our Way"),
        ("h2", "Power"),
        ("h2", "INTRODUCTION"),
        ("h1", "CHAPTER II. The Whale"),
        ("h1", "References"),
    ]
    assert ("paragraph", "Some text that runs over a line and is wrapped here.") in shown(found)
    assert [block.sentences for block in found if block.kind is Kind.TABLE] == [("a: 1; b: 2",)]
    assert shown(found)[-1] == ("reference", "[1] A. Bee. Heat. 2020.")
    assert not any("---" in block.text or "* *" in block.text for block in found if block.kind is not Kind.TABLE)


def test_a_bar_in_a_cell_of_a_drawn_table_stays_one() -> None:
    [table] = pages_to_blocks([(None, "| Model | kWh |\n| T5 \\| XL | 86 |")])
    assert table.sentences == ("Model: T5 | XL; kWh: 86",)
    assert table.text.endswith("| T5 \\| XL | 86 |")


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["A head", "a b", "----", "====", "| a | b |", "+--+", "", "CAPS", "Chapter 1", "1 One"]))
)
def test_drawn_text_keeps_its_letters(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    file = tmp_path_factory.getbasetemp() / "drawn.txt"
    file.write_text("\n".join(["Text.", "", *lines]))
    kept = "".join(block.text for block in read(file).blocks)
    assert sum(map(str.isalnum, kept)) >= sum(map(str.isalnum, "".join(dict.fromkeys(lines))))


@given(st.text())
def test_any_text_keeps_its_letters(source: str) -> None:
    [*blocks] = pages_to_blocks([(None, source)])
    kept = "".join(block.text for block in blocks)
    assert all(letter in kept for letter in source if letter.isascii() and letter.isalnum())


# ---- pages of text without layout


BODY = "This line of running text is as wide as the column that it stands in, or nearly so"


def page(*lines: str) -> str:
    return "\n".join(lines)


def test_headings_are_recovered_where_their_numbers_follow_each_other() -> None:
    blocks = pages_to_blocks(
        [
            (1, page("Abstract", BODY, "and ends.", "1 I NTRODUCTION", BODY, "and ends.", "1.1 Why now", BODY + ".")),
            (
                2,
                page(
                    "7 of them were found.", BODY, "and ends.", "2 Methods", BODY, "there.", "References", "[1] A. B."
                ),
            ),
        ]
    )
    heads = [(block.level, block.text, block.page) for block in blocks if block.kind is Kind.SECTION]
    assert heads == [
        (1, "Abstract", 1),
        (1, "1 INTRODUCTION", 1),
        (2, "1.1 Why now", 1),
        (1, "2 Methods", 2),
        (1, "References", 2),
    ]


def test_roman_numbers_and_letters_under_them_are_headings() -> None:
    lines = (
        "I. INTRODUCTION",
        BODY,
        "done.",
        "II. Design",
        BODY,
        "done.",
        "A. Parts",
        BODY,
        "done.",
        "B. Whole",
        BODY,
        "x",
    )
    heads = [(block.level, block.text) for block in pages_to_blocks([(1, page(*lines))]) if block.kind is Kind.SECTION]
    assert heads == [(1, "I. INTRODUCTION"), (1, "II. Design"), (2, "A. Parts"), (2, "B. Whole")]


def test_lines_repeated_at_the_edges_of_pages_are_dropped() -> None:
    pages = [(n, page("Journal of Heat, vol. 3", f"{BODY} {word}.", str(n + 100))) for n, word in enumerate("abcd", 1)]
    blocks = pages_to_blocks(pages)
    assert [block.text for block in blocks] == [f"{BODY} {word}." for word in "abcd"]


def test_rows_under_a_caption_are_a_table_and_text_after_it_is_not() -> None:
    lines = ("Table 1: Energy by model.", "Model kWh t", "GPT-3 1287 552", "T5 86 47", BODY, "goes on here.")
    table, rest = pages_to_blocks([(4, page(*lines))])
    assert (table.kind, table.title, table.page) == (Kind.TABLE, "Table 1: Energy by model.", 4)
    assert table.sentences[-2:] == ("GPT-3 1287 552", "T5 86 47")
    assert rest.text == f"{BODY} goes on here."


# ---- HTML


def test_html_keeps_the_text_and_drops_what_is_around_it() -> None:
    blocks = html.blocks(
        """<html><head><title>T</title><style>p{}</style></head><body>
        <header><a href=/>Home</a></header><nav><ul><li>Menu</li></ul></nav>
        <main><h1>Heat <em>use</em></h1>Loose text<p>H<sub>2</sub>O is<br>water.</p>
        <p hidden>No.</p><p style="display: none">No.</p><script>no()</script><!-- no -->
        <pre>a
  b</pre><blockquote>Said.</blockquote>
        <figure><img src=x.png><figcaption>Figure 1. A plant.</figcaption></figure></main>
        <aside>Ad</aside><footer>Imprint</footer></body></html>"""
    )
    assert shown(blocks) == [
        ("h1", "Heat use"),
        ("paragraph", "Loose text"),
        ("paragraph", "H2O is water."),
        ("code", "a\n  b"),
        ("quote", "Said."),
        ("figure", "Figure 1. A plant."),
    ]


def test_html_title_comes_from_the_head(tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    file.write_bytes("<meta charset=latin-1><title>Größe</title><p>Übung.".encode("latin-1"))
    parsed = read(file)
    assert (parsed.title, shown(parsed.blocks)) == ("Größe", [("paragraph", "Übung.")])


def test_html_cells_that_span_are_said_in_every_row_and_column() -> None:
    [table] = html.blocks(
        """<table><caption>Water</caption>
        <thead><tr><th rowspan=2>Site</th><th colspan=2>Litres</th></tr>
        <tr><th>On-site</th><th>Off-site</th></tr></thead>
        <tr><td rowspan=2>Iowa</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>"""
    )
    assert table.title == "Water"
    assert table.sentences == (
        "Site: Iowa; Litres › On-site: 1; Litres › Off-site: 2 [Water]",
        "Site: Iowa; Litres › On-site: 3; Litres › Off-site: 4 [Water]",
    )


def test_html_tables_that_only_arrange_a_page_are_opened() -> None:
    blocks = html.blocks("<table><tr><td><h2>Head</h2><p>Text.</p></td><td>Side</td></tr></table>")
    assert shown(blocks) == [("h2", "Head"), ("paragraph", "Text."), ("paragraph", "Side")]


def test_html_lists_give_items_also_nested_and_defined_ones() -> None:
    items, terms = html.blocks("<ul><li>one<ul><li>inner</ul><li><p>two</p></ul><dl><dt>PUE<dd>a ratio</dl>")
    assert items.sentences == ("one", "inner", "two")
    assert items.text == "- one\n  - inner\n- two"
    assert terms.sentences == ("PUE: a ratio",)


@pytest.mark.parametrize(
    ("source", "items"),
    [
        ("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", ("a", "b", "c")),
        ("<ul><li>a<ul><li>b</ul>more of a</ul>", ("a more of a", "b")),
        ("<ol>loose<p>words</p><li>x</ol>", ("loose words", "x")),
        ("<ul><a href=x><li>y</li></a></ul>", ("y",)),
        ("<dl><div><dt>PUE</dt><dd>a ratio</dd></div><div><dt>A<dt>B<dd>c</div></dl>", ("PUE: a ratio", "A, B: c")),
        ("<dl><dt>A<dd>b<dd>c<dt>D</dl>", ("A: b", "c", "D")),
        ("<dl><dl><dt>A<dd>b</dl></dl>", ("A: b",)),
    ],
)
def test_html_lists_lose_no_text_however_they_are_nested(source: str, items: tuple[str, ...]) -> None:
    [block] = html.blocks(source)
    assert block.sentences == items


def test_html_lists_may_be_nested_thousands_deep() -> None:
    [block] = html.blocks("<ul><li>x" * 3000)
    assert len(block.sentences) > 100
    assert len(block.text) < 50 * len(block.sentences)


def test_html_cells_that_span_billions_are_cut_short() -> None:
    cells = f"<td>0<td colspan={'9' * 5000}>1" + "<td colspan=1000 rowspan=1000>2" * 50
    [block] = html.blocks(f"<table><tr>{cells}{'<tr><td>3<td>4' * 500}</table>")
    assert len(block.text) < 2_000_000


@given(st.text())
def test_any_text_is_html(source: str) -> None:
    assert all(block.text for block in html.blocks(source))


def test_deeply_nested_html_is_read() -> None:
    assert html.blocks("<div>" * 5000 + "deep")[-1].text.endswith("deep")


# ---- document JSON


def document(*sections: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"document_id": "doc:1", "title": "A title", "sections": list(sections), **fields}


def test_document_json_gives_sections_pages_and_metadata() -> None:
    parsed = document_json.parse(
        document(
            {
                "title": "Use",
                "metadata": {"page": 3},
                "paragraphs": [{"text": "One.\n\nTwo.", "metadata": {"page": 4}}],
            },
            metadata={"year": 2024, "url": "http://x.example", "more": []},
        )
    )
    assert (parsed.id, parsed.title, parsed.metadata) == (
        "doc:1",
        "A title",
        {"year": "2024", "url": "http://x.example"},
    )
    assert [(b.kind.value, b.text, b.page) for b in parsed.blocks] == [
        ("section", "Use", 3),
        ("paragraph", "One.", 4),
        ("paragraph", "Two.", 4),
    ]


def test_sections_that_are_only_pages_carry_the_page_and_are_no_headings() -> None:
    pages = [{"title": f"Page {n}", "paragraphs": [{"text": f"Text number {n}."}]} for n in (1, 2)]
    assert [(b.kind.value, b.text, b.page) for b in document_json.parse(document(*pages)).blocks] == [
        ("paragraph", "Text number 1.", 1),
        ("paragraph", "Text number 2.", 2),
    ]


def test_an_image_placeholder_is_no_evidence_and_a_caption_is() -> None:
    def image(words: str) -> dict[str, Any]:
        return {"text": words, "metadata": {"page": 1, "attachment_type": "image"}}

    paragraphs = [
        image("[Image page=1 idx=1 name=X.png] Size: 512x512, Data: 28151 bytes"),
        image("[Image page=1 idx=2] Size: 5x5\nA plant by the sea."),
        {"text": "Text."},
    ]
    parsed = document_json.parse(document({"title": "Page 1", "paragraphs": paragraphs}))
    assert shown(parsed.blocks) == [("paragraph", "Text."), ("figure", "A plant by the sea.")]


def test_a_figure_s_picture_may_stand_in_document_json_and_no_path_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"of this machine")

    def image(picture: str, words: str = "") -> dict[str, Any]:
        return {"text": words, "metadata": {"attachment_type": "image", "image": picture}}

    places = [image("data:image/png;base64,AAEC"), image(str(tmp_path / "a.png")), image("http://x.example/a.png", "A")]
    parsed = document_json.parse(document({"title": "Plants", "paragraphs": places}))
    assert [(block.text, block.image) for block in parsed.blocks] == [
        ("Plants", None),
        ("", b"\x00\x01\x02"),
        ("A", None),
    ]
    with pytest.raises(ReadError, match=r"sections\[0\].paragraphs\[0\].metadata.image is no base64"):
        document_json.parse(document({"title": "P", "paragraphs": [image("data:image/png;base64,A")]}))


def test_what_document_json_may_leave_out_may_be_left_out() -> None:
    parsed = document_json.parse({"sections": [{"paragraphs": ["Bare.", {"sentences": [{"text": "One."}, "Two."]}]}]})
    assert shown(parsed.blocks) == [("paragraph", "Bare."), ("paragraph", "One. Two.")]


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ([], "the document should be a JSON object"),
        ({"title": "x"}, "no field sections"),
        ({"sections": {}}, "field sections should be a list"),
        ({"sections": [1]}, r"sections\[0\] should be a JSON object"),
        ({"sections": [{"paragraphs": [{"text": 5}]}]}, r"sections\[0\].paragraphs\[0\].text should be text"),
        ({"sections": [{"paragraphs": [{"metadata": {"page": "x"}}]}]}, r"paragraphs\[0\].metadata.page"),
        ({"sections": [{"metadata": {"page": "²"}}]}, r"sections\[0\].metadata.page is '²', not a page number"),
        ({"sections": [{"metadata": {"page": "9" * 5000}}]}, r"sections\[0\].metadata.page is '99*, not a page number"),
        ({"sections": [{"metadata": {"page": 10**30}}]}, r"sections\[0\].metadata.page is 10*, not a page number"),
    ],
)
def test_a_wrong_document_json_is_told_by_its_field(content: object, field: str) -> None:
    with pytest.raises(ReadError, match=field):
        document_json.parse(content)


@pytest.mark.parametrize("source", ["", "{", "[" * 100_000, '"\\ud835', "\x00", "9" * 5000])
def test_broken_json_is_a_read_error(tmp_path: Path, source: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(source)
    with pytest.raises(ReadError):
        read(file)


@pytest.mark.parametrize("page", [0, -1, "0", None])
def test_a_page_that_is_not_known_is_none(page: object) -> None:
    [block] = document_json.parse({"sections": [{"metadata": {"page": page}, "paragraphs": ["Text."]}]}).blocks
    assert block.page is None


@pytest.mark.parametrize("title", ["Page 0", "Page " + "9" * 5000])
def test_a_page_number_that_no_page_has_gives_no_page(title: str) -> None:
    blocks = document_json.parse({"sections": [{"title": title, "paragraphs": ["Text."]}]}).blocks
    assert {block.page for block in blocks} == {None}


def test_half_characters_in_json_do_not_get_into_the_text() -> None:
    content = json.loads('{"sections": [{"paragraphs": ["a \\ud835 b \\u0000 c"]}]}')
    [block] = document_json.parse(content).blocks
    assert block.text.encode()
    assert "\x00" not in block.text


# ---- which reader


def test_an_unknown_suffix_has_no_reader() -> None:
    with pytest.raises(ReadError, match=r"no reader for \.xyz"):
        read(Path("a.xyz"))


def test_a_missing_file_is_a_read_error() -> None:
    with pytest.raises(ReadError, match="no such file"):
        read(Path("gone.md"))


def test_a_page_of_running_text_is_paragraphs_and_not_one() -> None:
    lines = [line for word in "abc" for line in (f"{BODY} {word}", f"and {word} ends here.")]
    assert len(pages_to_blocks([(1, page(*lines))])) == 3


def test_a_row_below_a_label_carries_it_and_the_scale_and_caption_of_the_lines_above(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text(
        "Table 2: Income of a year\n\n(in millions)\n\n"
        "| | 2022 |\n|---|---|\n| Costs: | |\n| Rent | 5 |\n| Total costs | 5 |\n| Tax | 1 |\n"
    )
    [table] = read(file).blocks
    assert table.title == "Table 2: Income of a year"
    assert table.text.startswith("(in millions)\n|  | 2022 |\n| --- | --- |\n| Costs: |  |\n| › Rent | 5 |")
    assert table.sentences == (
        "",
        "Costs › Rent; 2022: 5 (in millions) [Table 2: Income of a year]",
        "Costs › Total costs; 2022: 5 (in millions) [Table 2: Income of a year]",
        "Tax; 2022: 1 (in millions) [Table 2: Income of a year]",
    )


def test_signs_in_cells_of_their_own_stand_with_their_numbers() -> None:
    [table] = html.blocks(
        """<table><tr><th></th><th colspan=3>2022</th><th colspan=3>2021</th></tr>
        <tr><td>Sales</td><td>$</td><td>34,229</td><td></td><td>$</td><td>35,355</td><td></td></tr>
        <tr><td>Change</td><td></td><td>(3.2</td><td>)%</td><td></td><td>9.9</td><td>%</td></tr></table>"""
    )
    assert table.sentences == ("Sales; 2022: $34,229; 2021: $35,355", "Change; 2022: (3.2)%; 2021: 9.9%")

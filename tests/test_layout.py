from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from laid import lay_out

from indexer.blocks import Block
from indexer.layout.book import Book
from indexer.layout.cells import Cell, _values_of
from indexer.layout.columns import columns
from indexer.layout.contents import contents
from indexer.layout.flow import Figure, Reading, with_figures
from indexer.layout.inks import Ink, fragments
from indexer.layout.lines import lines
from indexer.layout.numbering import numbering_depth
from indexer.layout.outline import Entry
from indexer.layout.page import Fragment, Line, Page, Rect, Style
from kohaku.tree import Kind

PLAIN, BOLD, LARGE = Style(10.0), Style(10.0, bold=True), Style(14.0, bold=True)
PROSE = "the text of a line that is long enough to be prose in its column"


def fragment(text: str, x: float, y: float, style: Style = PLAIN, width: float | None = None) -> Fragment:
    width = len(text) * style.size * 0.45 if width is None else width
    rect = Rect(x, y - 0.8 * style.size, x + width, y + 0.3 * style.size)
    return Fragment(text, rect, y, style, style)


def page(*fragments: Fragment, number: int = 1) -> Page:
    return Page(number, 600, 800, fragments)


def prose(count: int, x: float = 50, y: float = 200, width: float = 500, text: str = PROSE) -> list[Fragment]:
    return [fragment(f"{text} {n}", x, y + 12 * n, width=width) for n in range(count)]


def kinds(blocks: Sequence[Block]) -> list[tuple[Kind, str]]:
    return [(block.kind, block.text) for block in blocks]


def test_larger_lines_become_headings_and_close_lines_one_paragraph() -> None:
    laid = lay_out([page(fragment("1 Methods", 50, 100, LARGE), *prose(4, y=130), fragment("1.1 Data", 50, 200, BOLD))])
    assert [(block.kind, block.level) for block in laid.blocks] == [
        (Kind.SECTION, 1),
        (Kind.PARAGRAPH, 0),
        (Kind.SECTION, 2),
    ]


def test_bold_heads_of_the_bodys_size_are_found() -> None:
    laid = lay_out(
        [
            page(
                *(
                    part
                    for n in range(3)
                    for part in (fragment(f"Head {'abc'[n]}", 50, 100 + 100 * n, BOLD), *prose(4, y=120 + 100 * n))
                )
            )
        ]
    )
    assert [text for kind, text in kinds(laid.blocks) if kind is Kind.SECTION] == ["Head a", "Head b", "Head c"]


def test_a_heading_over_two_lines_is_one() -> None:
    head = [fragment("A heading that goes", 50, 100, LARGE), fragment("on in a second line", 50, 116, LARGE)]
    laid = lay_out([page(*head, *prose(4, y=150))])
    assert laid.blocks[0].text == "A heading that goes on in a second line"


def test_sizes_are_the_same_within_a_tolerance() -> None:
    lines = [part._replace(style=Style(10.0 + 0.5 * (n % 2))) for n, part in enumerate(prose(8))]
    assert [block.kind for block in lay_out([page(*lines)]).blocks] == [Kind.PARAGRAPH]


def test_a_line_of_the_contents_is_no_heading() -> None:
    entries = [fragment(f"{n} Chapter {n} . . . . . . . . {n}", 50, 100 + 20 * n, BOLD) for n in range(1, 5)]
    assert not [block for block in lay_out([page(*entries, *prose(5, y=300))]).blocks if block.kind is Kind.SECTION]


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("1 Intro", 1),
        ("1.2. Data", 2),
        ("A.3 Proofs", 2),
        ("Chapter 4", 1),
        ("2024 results", 0),
        ("Plain words", 0),
        ("99.1 Press release", 0),
        ("48 Pages", 0),
    ],
)
def test_numbering_tells_the_depth(text: str, depth: int) -> None:
    assert numbering_depth(text) == depth


def test_two_columns_are_read_one_after_the_other_and_a_cut_sentence_is_whole() -> None:
    left = prose(10, 50, 200, 240, "left column words that run on and on")
    right = prose(10, 310, 200, 240, "right column words that run on and on")
    rows = [part for pair in zip(left, right, strict=True) for part in pair]
    across = fragment("A line that runs across both of the columns.", 50, 100, width=500)
    first, second = lay_out([page(across, *rows)]).blocks
    assert first.text == across.text
    assert second.text.index("left column words that run on and on 9") < second.text.index("right column")


def test_cells_of_a_table_are_no_columns_of_text() -> None:
    rows = [
        part
        for n in range(6)
        for part in (fragment(f"Item {n}", 50, 100 + 12 * n), fragment(f"{n}5.3", 400, 100 + 12 * n))
    ]
    assert len(columns(rows)) == 1


def test_what_repeats_at_the_edge_goes_and_what_does_not_stays() -> None:
    pages = [
        page(
            fragment("Annual Report", 50, 30),
            fragment(f"Title of page {'abcd'[n - 1]}", 50, 60),
            *prose(5, text=f"page {n}"),
            fragment("Last row", 50, 740),
            fragment(str(n), 290, 780),
            number=n,
        )
        for n in range(1, 5)
    ]
    texts = [{part.text for part in found.fragments} for found in Book(pages)]
    assert all("Annual Report" not in found for found in texts)
    assert all(str(n) not in found for n, found in enumerate(texts, start=1))
    assert all(f"Title of page {'abcd'[n]}" in found for n, found in enumerate(texts))


def test_aligned_numbers_become_a_table_whose_rows_can_be_read_alone() -> None:
    grid = [("", "2022", "2021"), ("Net sales", "34,229", "35,355"), ("Cost of sales", "19,232", "18,795")]
    cells = [
        fragment(text, x, 130 + 12 * row)
        for row, texts in enumerate(grid)
        for text, x in zip(texts, (50, 300, 400), strict=True)
        if text
    ]
    laid = lay_out([page(fragment("(Dollars in millions)", 50, 116), *cells, *prose(5, y=300))])
    table = laid.blocks[0]
    assert table.kind is Kind.TABLE
    assert table.text.startswith(
        "(Dollars in millions)\n|  | 2022 | 2021 |\n| --- | --- | --- |\n| Net sales | 34,229 |"
    )
    assert table.sentences[0] == "Net sales; 2022: 34,229; 2021: 35,355 (Dollars in millions)"


def test_heads_of_all_columns_may_stand_farther_above_the_values_than_lines_of_a_head() -> None:
    rows = [("Parameter", "Cell 37", "This work"), ("RMS", "0.99", "1.75"), ("Voc", "0.50", "1.38"), ("FF", "7", "9")]
    cells = [
        fragment(text, x, 130 + 12 * row - (18 if row == 0 else 0))
        for row, texts in enumerate(rows)
        for text, x in zip(texts, (50, 300, 400), strict=True)
    ]
    [table] = [block for block in lay_out([page(*cells, *prose(5, y=300))]).blocks if block.kind is Kind.TABLE]
    assert table.sentences[1] == "Parameter: Voc; Cell 37: 0.50; This work: 1.38"


def test_the_heads_of_a_short_papers_left_and_right_pages_are_left_out() -> None:
    heads = {2: "CARVER, L", 4: "CARVER, L", 3: "Vol 39 No 3", 5: "Vol 39 No 3"}
    pages = [
        page(*([fragment(heads[n], 50, 30)] if n in heads else []), *prose(9, text=f"page {n}"), number=n)
        for n in range(1, 6)
    ]
    texts = {part.text for found in Book(pages) for part in found.fragments}
    assert not texts & set(heads.values())


def test_a_ruled_grid_becomes_a_table_with_its_caption() -> None:
    texts = [("Model", "Size (GB)"), ("LLaMA-33B", "64.7"), ("LLaMA-7B", "13.5")]
    cells = [fragment(text, 55 + 100 * c, 115 + 20 * r) for r, row in enumerate(texts) for c, text in enumerate(row)]
    rulings = [Rect(50, 100 + 20 * r, 250, 100.5 + 20 * r) for r in range(4)]
    rulings += [Rect(50 + 100 * c, 100, 50.5 + 100 * c, 160) for c in range(3)]
    caption = fragment("Table 3: Sizes", 50, 92)
    table = lay_out([replace(page(caption, *cells, *prose(5, y=300)), rulings=tuple(rulings))]).blocks[0]
    assert (table.kind, table.title) == (Kind.TABLE, "Table 3: Sizes")
    assert table.sentences == (
        "Model: LLaMA-33B; Size (GB): 64.7 [Table 3: Sizes]",
        "Model: LLaMA-7B; Size (GB): 13.5 [Table 3: Sizes]",
    )
    assert [round(mark.box.y0) for mark in table.marks] == [84, 100, 120, 140], "caption, head and rows have places"


def words(*rows: tuple[float, tuple[str, ...]], style: Style = PLAIN) -> list[Fragment]:
    """Cells by the heights of their lines, 150 points from column to column; an empty one stands nowhere."""
    return [fragment(text, 55 + 150 * n, y, style) for y, row in rows for n, text in enumerate(row) if text]


def test_words_between_rules_are_rows_and_a_wrapped_cell_belongs_to_its_row() -> None:
    lines = words((112, ("Code", "Meaning", "What to do")), style=BOLD)
    lines += words((126, ("E02", "no clock", "leave it in view")), (138, ("", "", "of the gate")))
    lines += words((150, ("E07", "drift", "clean the window")), (162, ("E11", "blocked", "flush the tube")))
    rulings = tuple(Rect(50, y, 500, y + 0.5) for y in (100, 116, 168))
    [table] = [
        block
        for block in lay_out([replace(page(*lines, *prose(5, y=300)), rulings=rulings)]).blocks
        if block.kind is Kind.TABLE
    ]
    assert table.sentences == (
        "Code: E02; Meaning: no clock; What to do: leave it in view of the gate",
        "Code: E07; Meaning: drift; What to do: clean the window",
        "Code: E11; Meaning: blocked; What to do: flush the tube",
    )


def test_rows_stand_under_heads_that_are_underlined_one_by_one() -> None:
    rulings = tuple(Rect(x, 115, x + 120, 115.5) for x in (50, 200, 350))
    lines = words((112, ("Title of each class", "Symbol", "Exchange")), (124, ("Common stock", "FL", "New York")))
    table = lay_out([replace(page(*lines, *prose(5, y=300)), rulings=rulings)]).blocks[0]
    assert table.sentences == ("Title of each class: Common stock; Symbol: FL; Exchange: New York",)
    heads = words((112, ("", "First", "Second")), (124, ("", "Amount", "Amount")), (136, ("Sales", "1,200", "1,300")))
    heads += words((148, ("Costs", "900", "950")))
    table = lay_out([replace(page(*heads, *prose(5, y=300)), rulings=rulings[1:])]).blocks[0]
    assert table.sentences[0] == "Sales; First Amount: 1,200; Second Amount: 1,300"


def test_two_columns_of_prose_between_rules_are_no_table() -> None:
    left = prose(8, x=50, y=120, width=220)
    right = prose(8, x=300, y=120, width=220)
    heads = [fragment("Left head", 50, 105), fragment("Right head", 300, 105)]
    rulings = tuple(Rect(50, y, 520, y + 0.5) for y in (94, 108, 220))
    blocks = lay_out([replace(page(*heads, *left, *right), rulings=rulings)]).blocks
    assert Kind.TABLE not in {block.kind for block in blocks}


def test_a_grid_drawn_in_pieces_goes_on_at_the_next_page_where_it_is_open() -> None:
    def grid(number: int, top: float, *rows: tuple[str, str]) -> Page:
        cells = [
            fragment(text, 55 + 150 * n, top + 14 + 20 * r) for r, row in enumerate(rows) for n, text in enumerate(row)
        ]
        ys = [top + 20 * r for r in range(len(rows) + 1)]
        rulings = [Rect(x, y, x + 148, y + 0.5) for y in ys[number > 1 :] for x in (51.0, 201.0)]
        rulings += [Rect(x, y, x + 0.5, y + 20) for y in ys[:-1] for x in (50.0, 200.0, 350.0)]
        return replace(page(*cells, *prose(5, y=600), number=number), rulings=tuple(rulings))

    first = grid(1, 300, ("Term", "Meaning"), ("EU", "European Union"), ("FX", "foreign exchange"))
    second = grid(2, 20, ("JV", "joint venture"), ("UK", "United Kingdom"), ("US", "United States"))
    second = replace(second, fragments=second.fragments[:6])
    first = replace(first, fragments=(*prose(5, y=100), *first.fragments[:6]))
    [table] = [block for block in lay_out([first, second]).blocks if block.kind is Kind.TABLE]
    assert table.sentences[2] == "Term: JV; Meaning: joint venture"
    assert len(table.sentences) == 5


@pytest.mark.parametrize("name", ["200 Long Street", "3D printers and their parts"])
def test_a_number_in_a_name_in_small_print_is_no_footnotes_mark(name: str) -> None:
    small = Style(8.0)
    lines = [fragment(name, 50, 600, small), fragment("2 A note on the text.", 50, 700, small)]
    found = {block.text: block.kind for block in lay_out([page(*prose(9), *lines)]).blocks}
    assert found[name] is Kind.PARAGRAPH
    assert found["2 A note on the text."] is Kind.FOOTNOTE


def table_page(*rows: tuple[float, tuple[tuple[str, float], ...]], number: int = 1) -> Page:
    """A page of rows, each with its height and its cells by their left edges; prose stands below."""
    cells = [fragment(text, x, y) for y, row in rows for text, x in row]
    return page(*cells, *prose(5, y=600), number=number)


HEADS = (130.0, (("2022", 300.0), ("2021", 400.0)))


def test_heads_over_several_columns_and_a_period_above_stand_before_each_of_theirs() -> None:
    spread = (116.0, (("Three months ended", 265.0), ("Six months ended", 470.0)))
    heads = (
        130.0,
        tuple((year, x) for year, x in zip(("2022", "2021") * 2, (250.0, 350.0, 450.0, 550.0), strict=True)),
    )
    values = tuple(zip(("1,100", "1,200", "1,300", "1,400"), (250.0, 350.0, 450.0, 550.0), strict=True))
    body = [(144.0 + 12 * n, ((f"Sales of part {n}", 50.0), *values)) for n in range(3)]
    table = lay_out([table_page(spread, heads, *body)]).blocks[0]
    assert table.sentences[0] == (
        "Sales of part 0; Three months ended › 2022: 1,100; Three months ended › 2021: 1,200; "
        "Six months ended › 2022: 1,300; Six months ended › 2021: 1,400"
    )


def test_a_period_set_to_the_right_stands_over_the_years_only_and_a_row_may_be_of_years() -> None:
    notes = (130.0, (("Notes", 220.0), ("2022", 300.0), ("2021", 400.0)))
    body = [
        (144.0 + 12 * n, ((f"Part {n}", 50.0), (str(n + 1), 220.0), ("34,229", 300.0), ("35,355", 400.0)))
        for n in range(3)
    ]
    table = lay_out([table_page((116.0, (("At 31 December", 355.0),)), notes, *body)]).blocks[0]
    assert table.text.startswith("|  | Notes | At 31 December › 2022 | At 31 December › 2021 |")
    heads = (130.0, (("BX-20", 300.0), ("BX-40", 400.0)))
    released = (144.0, (("Released", 50.0), ("2019", 300.0), ("2022", 400.0)))
    table = lay_out([table_page(heads, released, (156.0, (("Memory", 50.0), ("32", 300.0), ("48", 400.0))))]).blocks[0]
    assert table.sentences[0] == "Released; BX-20: 2019; BX-40: 2022"


def test_a_table_whose_head_has_more_lines_than_its_body_and_one_of_years_are_found() -> None:
    words = ("Total number", "of shares", "that were", "purchased", "under plans")
    heads = [(100.0 + 9 * n, ((word, 290.0), (f"{word} b", 420.0))) for n, word in enumerate(words)]
    body = [(148.0 + 12 * n, ((f"Month {n}", 50.0), ("41,690", 300.0), ("54,669", 430.0))) for n in range(2)]
    table = lay_out([table_page(*heads, *body)]).blocks[0]
    assert table.sentences[0].startswith("Month 0; Total number of shares that were purchased under plans: 41,690; ")
    due = [(130.0 + 12 * n, ((str(2023 + n), 50.0), (f"{n + 1},488", 300.0))) for n in range(4)]
    assert lay_out([table_page(*due)]).blocks[0].sentences[0] == "2023; 1,488"


def test_the_labels_of_a_drawing_are_no_table() -> None:
    lines = [Rect(50 + 12 * n, 100, 50.5 + 12 * n, 300) for n in range(20)]
    lines += [Rect(50, 100 + 10 * n, 300, 100.5 + 10 * n) for n in range(20)]
    labels = [(110.0 + 24 * n, (("R12", 60.0), ("805", 130.0), ("1206", 200.0))) for n in range(6)]
    blocks = lay_out([replace(table_page(*labels), rulings=tuple(lines))]).blocks
    assert all(block.kind is not Kind.TABLE for block in blocks)


def test_labels_over_rows_are_said_with_them_and_a_wide_one_parts_no_table() -> None:
    wide = "Adjustments that reconcile the net income of the year to the net cash that operating activities gave"
    body = [
        (142.0, (("Net income", 50.0), ("5,791", 300.0), ("5,929", 400.0))),
        (154.0, ((wide, 50.0),)),
        (166.0, (("Depreciation", 60.0), ("1,831", 300.0), ("1,915", 400.0))),
        (178.0, (("Impairment", 60.0), ("618", 300.0), ("—", 400.0))),
        (190.0, (("Net cash", 50.0), ("5,591", 300.0), ("7,454", 400.0))),
    ]
    table = lay_out([table_page(HEADS, *body)]).blocks[0]
    assert table.sentences == (
        "Net income; 2022: 5,791; 2021: 5,929",
        "",
        f"{wide} › Depreciation; 2022: 1,831; 2021: 1,915",
        f"{wide} › Impairment; 2022: 618; 2021: —",
        "Net cash; 2022: 5,591; 2021: 7,454",
    )


def test_a_table_goes_on_over_the_page_with_its_head_said_once() -> None:
    rows = [(142.0 + 12 * n, ((f"Part {n}", 50.0), (f"{n}01", 300.0), (f"{n}02", 400.0))) for n in range(1, 4)]
    first = Page(1, 600, 200, table_page(HEADS, *rows).fragments[:11])
    again, bare = table_page(HEADS, *rows, number=2), table_page(*rows, number=2)
    for second in (again, bare):
        table = lay_out([first, second]).blocks[0]
        assert table.text.count("| 2022 |") == 1
        assert table.sentences[3:] == table.sentences[:3]
        assert {mark.box.page for mark in table.marks} == {1, 2}


def test_cells_that_a_grid_merges_are_said_in_each_row() -> None:
    texts = [(55.0, 115.0, "Site"), (155.0, 115.0, "Litres"), (55.0, 145.0, "Iowa"), (155.0, 135.0, "41")]
    cells = [fragment(text, x, y) for x, y, text in [*texts, (155.0, 155.0, "42")]]
    rulings = [Rect(50, y, 250, y + 0.5) for y in (100.0, 120.0, 160.0)] + [Rect(150, 140, 250, 140.5)]
    rulings += [Rect(x, 100, x + 0.5, 160) for x in (50.0, 150.0, 250.0)]
    table = lay_out([replace(page(*cells, *prose(5, y=300)), rulings=tuple(rulings))]).blocks[0]
    assert table.sentences == ("Site: Iowa; Litres: 41", "Site: Iowa; Litres: 42")


def test_the_numbers_of_an_axis_and_of_formulas_are_no_table() -> None:
    axis = [(100.0 + 200 * n, tuple((f"{m}.0", 60.0 + 80 * m) for m in range(6))) for n in range(2)]
    assert lay_out([table_page(*axis)]).blocks[0].kind is not Kind.TABLE
    formulas = [(100.0 + 14 * n, ((f"f(x) = Σ x + {n}", 60.0), (f"({n})", 500.0))) for n in range(1, 5)]
    assert lay_out([table_page(*formulas)]).blocks[0].kind is not Kind.TABLE


def test_no_text_is_lost_whatever_is_taken_for_a_table() -> None:
    words = [
        fragment(f"w{n}x{m}", 50 + 90 * m + 7 * (n % 3), 100 + 14 * n, width=40) for n in range(9) for m in range(4)
    ]
    text = " ".join(block.text for block in lay_out([page(*words)]).blocks)
    assert all(f"w{n}x{m}" in text for n in range(9) for m in range(4))


def test_footnotes_and_lists_are_kinds_of_their_own() -> None:
    note = fragment("1 A note in small letters.", 50, 700, Style(8.0))
    items = [fragment(f"• item {n}", 60, 300 + 12 * n) for n in range(3)]
    laid = lay_out([page(*prose(5), *items, note)])
    assert [block.kind for block in laid.blocks] == [Kind.PARAGRAPH, Kind.LIST, Kind.FOOTNOTE]
    assert laid.blocks[1].sentences == ("• item 0", "• item 1", "• item 2")


def test_notes_under_a_table_that_bears_their_marks_are_notes_wherever_it_stands() -> None:
    def noted(mark: str) -> list[Kind]:
        rows = table_page(
            (100, (("2022", 400), ("2023", 480))), (114, ((f"Sales {mark}", 60), ("5,120", 400), ("6,340", 480)))
        )
        notes = [fragment(f"(1) {text}", 60, 160 + 16 * n) for n, text in enumerate(("Without taxes.",))]
        return [block.kind for block in lay_out([replace(rows, fragments=(*rows.fragments, *notes, *prose(4)))]).blocks]

    assert noted("(1)")[:2] == [Kind.TABLE, Kind.FOOTNOTE]
    assert Kind.FOOTNOTE not in noted("")


def test_bullets_need_no_space_after_them() -> None:
    points = [fragment(f"◦{text}", 60, 300 + 14 * n) for n, text in enumerate(("one of the points", "another point"))]
    [_, listed] = lay_out([page(*prose(4), *points)]).blocks
    assert (listed.kind, listed.sentences) == (Kind.LIST, ("◦one of the points", "◦another point"))


def test_a_paragraph_goes_on_over_the_page() -> None:
    first = page(*prose(4), fragment("and this sentence does not end on the page at", 50, 248, width=500))
    second = page(fragment("all but on the next one.", 50, 100), number=2)
    [block] = lay_out([first, second]).blocks
    assert block.text.endswith("on the page at all but on the next one.")
    assert {mark.box.page for mark in block.marks} == {1, 2}


def test_marks_cover_the_lines_they_belong_to() -> None:
    [block] = lay_out([page(*prose(3))]).blocks
    assert [block.text[mark.start : mark.end] for mark in block.marks] == [f"{PROSE} {n}" for n in range(3)]


def test_an_outline_gives_levels_where_its_titles_stand_and_wrong_pages_are_survived() -> None:
    pages = [page(fragment(f"Part {'abc'[n]}", 50, 100), *prose(5, y=140), number=n + 1) for n in range(3)]
    entries = [Entry(3, "Part a", 1), Entry(4999, "Part b", 2), Entry(5000, "Part c", 99), Entry(1, "Nowhere", -5)]
    found = [(block.text, block.level) for block in lay_out(pages, entries).blocks if block.kind is Kind.SECTION]
    assert found == [("Part a", 1), ("Part b", 2)]


def test_an_outline_of_another_file_is_not_believed() -> None:
    pages = [page(fragment("Real head", 50, 100, LARGE), *prose(5, y=140))]
    entries = [Entry(1, f"Other {n}", 1) for n in range(9)]
    assert [block.text for block in lay_out(pages, entries).blocks if block.kind is Kind.SECTION] == ["Real head"]


def test_what_waits_in_a_file_is_laid_out_as_what_stays_in_memory() -> None:
    def pages() -> Iterator[Page]:
        for n in range(1, 6):
            table = [
                fragment(text, x, 400 + 12 * row) for row in range(4) for text, x in ((f"Site {row}", 50), ("1.2", 300))
            ]
            items = [fragment("see Table 1 for more of it 12", 50, 300, Style(10.0, italic=True)), *table]
            run_in = fragment("Cooling.", 50, 350, BOLD)._replace(style=PLAIN, text=f"Cooling. {PROSE}", lead_length=8)
            head = (fragment(f"{n} Methods", 50, 100, LARGE), fragment("Annual report", 250, 20))
            yield replace(page(*head, *prose(4, y=130), run_in, *items, number=n), rulings=(Rect(50, 390, 350, 391),))

    held = lay_out(pages())
    assert {block.kind for block in held.blocks} >= {Kind.SECTION, Kind.PARAGRAPH, Kind.TABLE}
    assert "Cooling." in [block.text for block in held.blocks]
    for room in (0, 1, 40):
        assert lay_out(pages(), room=room) == held
    entries = [Entry(1, "Methods", n) for n in range(1, 6)]
    assert lay_out(pages(), entries, room=1) == lay_out(pages(), entries)


def test_nothing_comes_of_nothing() -> None:
    assert lay_out([page()]).blocks == ()


def ink(text: str, left: float, right: float) -> Ink:
    return Ink(text, Rect(left, 100, right, 112), 110, Style(12.0))


def read_row(*inks: Ink) -> str:
    [line] = lines(list(fragments(inks)), 1)
    return line.text


def test_words_that_run_leftwards_keep_the_spaces_after_stops_and_numbers() -> None:
    found = read_row(
        ink(" حداقل50", 202, 240), ink("% ", 194, 202), ink(" از توليد يا47.500", 98, 194), ink(" تن", 79, 98)
    )
    assert found == "حداقل 50% از توليد يا 47.500 تن"


def test_a_date_among_words_that_run_leftwards_runs_rightwards() -> None:
    parts = [ink("05", 177, 188), ink("/", 174, 177), ink("10", 163, 174), ink("/", 160, 163), ink("1403", 138, 160)]
    assert read_row(ink("تاريخ جلسه", 200, 260), *parts) == "تاريخ جلسه 1403/10/05"


def test_two_tiers_of_a_vertical_script_are_read_one_after_the_other() -> None:
    upper = [fragment("縦書きの上の段の行です", 60, 100 + 17 * n, width=110) for n in range(20)]
    lower = [fragment("縦書きの下の段の行です", 330, 100 + 17 * n, width=110) for n in range(20)]
    mixed = [part for pair in zip(upper, lower, strict=True) for part in pair]
    assert columns(mixed) == [upper, lower]


SUM = (
    ("n", 240, 175, 10.0),
    ("f(x) = S k(x, y) a + b   (3)", 200, 188, 10.0),
    ("j=1", 238, 201, 10.0),
)


def test_a_sums_limits_are_parts_of_its_formula() -> None:
    bits = [fragment(text, x, y, Style(size)) for text, x, y, size in SUM]
    laid = lay_out([page(*prose(4, y=100), *bits, *prose(4, y=230))])
    assert [block.kind for block in laid.blocks] == [Kind.PARAGRAPH, Kind.FORMULA, Kind.PARAGRAPH]


def test_a_numbered_formula_may_name_its_parts_and_a_sentences_rest_is_none() -> None:
    formula = fragment("k(x, y) = (scale · (x, y) + offset)^degree . (4)", 150, 170, width=260)
    rest = fragment("computes f = k(x) and", 150, 300)
    laid = lay_out([page(*prose(4, y=100), formula, *prose(4, y=210), rest, *prose(4, y=330))])
    assert [block.kind for block in laid.blocks if block.text[:1] in "kc"] == [Kind.FORMULA, Kind.PARAGRAPH]


SMALL = Style(7.0)


def joined_lines(*parts: Fragment) -> list[str]:
    return [line.text for line in lines(parts, 1)]


def test_a_subscript_within_a_line_cuts_it_in_no_two() -> None:
    parts = fragment("the factor L", 50, 100, width=60), fragment(", using this one in the", 116, 100, width=120)
    index = fragment("i", 110, 103, SMALL, width=3)
    assert joined_lines(*parts, index, fragment("package of that name", 50, 112)) == [
        "the factor Li , using this one in the",
        "package of that name",
    ]


def test_a_denominator_that_reaches_the_next_line_does_not_join_it() -> None:
    low = fragment("2e", 112, 103.5, SMALL, width=8)
    tall = fragment("for each of the names", 50, 111, width=200)._replace(rect=Rect(50, 98, 250, 116))
    found = joined_lines(fragment("in time O(", 50, 100, width=60), low, tall)
    assert found == ["in time O( 2e", "for each of the names"]


def test_numbers_above_each_other_are_no_number_of_more_digits() -> None:
    whole = fragment("take", 50, 100, width=30)
    above, below = fragment("1", 84, 97, SMALL, width=4), fragment("2", 84, 103, SMALL, width=4)
    assert joined_lines(whole, above, below, fragment("of the text", 92, 100, width=50)) == ["take 1 2 of the text"]


def test_a_row_that_says_page_and_a_number_is_left_out_of_a_single_page_too() -> None:
    foot = fragment("Page 7 of 12", 280, 780)
    assert [block.text[:8] for block in lay_out([page(*prose(4), foot)]).blocks] == ["the text"]


def test_entries_of_a_list_of_figures_are_no_figures_and_lose_their_dots() -> None:
    entries = [fragment(f"Figure {n}: A map of it ............ {n}7", 50, 100 + 14 * n) for n in (1, 2, 3)]
    found = lay_out([page(*entries, *prose(4))]).blocks
    assert not [block for block in found if block.kind is Kind.FIGURE]
    assert "Figure 1: A map of it … 17" in found[0].text


def test_a_mark_raised_over_a_far_cell_stands_in_its_row_and_one_before_a_note_in_the_notes_line() -> None:
    small = Style(6.0)
    rows = [(130 + 14 * n, (f"Item {'abcd'[n]}", "2,024", "2,030")) for n in range(4)]
    cells = [fragment(text, x, y) for y, row in rows for text, x in zip(row, (50, 300, 400), strict=True)]
    cells = [cell for cell in cells if cell.text != "2,030" or cell.base != 144]
    heads = [fragment("Now", 300, 116), fragment("Then", 400, 116)]
    marks = [fragment("(5)", 405, 141, small), fragment("(5)", 50, 197, small)]
    note = fragment("Not disclosed for this item, which was new then.", 66, 200)
    table, below = lay_out([page(*heads, *cells, *marks, note, *prose(5, y=300))]).blocks[:2]
    assert table.sentences[1] == "Item b; Now: 2,024; Then: (5)"
    assert len(table.sentences) == 4
    assert below.text == "(5) Not disclosed for this item, which was new then."


def test_a_pages_number_raised_beside_the_last_line_is_none_of_its_marks() -> None:
    found = lines([fragment("53", 500, 697, Style(7.0)), fragment("A line of text", 50, 700)], 1)
    assert [line.text for line in found] == ["53", "A line of text"]


def test_heads_that_stand_closer_than_cells_do_are_told_apart_by_their_values() -> None:
    heads = [fragment("funds employed", 300, 116, width=70), fragment("Net sales", 376, 116, width=40)]
    cells = [
        fragment(text, x, 130 + 14 * n)
        for n in range(3)
        for text, x in ((f"Item {'abc'[n]}", 50), (f"16.{n}", 335), (f"11,15{n}", 380), (f"1,51{n}", 450))
    ]
    table = lay_out([page(*heads, fragment("EBIT", 450, 116), *cells, *prose(5, y=300))]).blocks[0]
    assert table.sentences[0] == "Item a; funds employed: 16.0; Net sales: 11,150; EBIT: 1,510"


def test_a_head_set_over_the_middle_of_two_columns_is_that_of_both() -> None:
    heads = [fragment(text, x, 116) for text, x in (("2022", 250), ("2021", 320))]
    heads.append(fragment("2022 vs. 2021", 401, 116, width=47))
    cells = [
        fragment(text, x, 130 + 14 * n)
        for n in range(3)
        for text, x in ((f"Item {'abc'[n]}", 50), ("1,100", 250), ("1,000", 320), (f"10{n}", 395), (f"1{n} %", 458))
    ]
    table = lay_out([page(*heads, *cells, *prose(5, y=300))]).blocks[0]
    assert table.sentences[1].endswith("2022 vs. 2021: 101; 2022 vs. 2021: 11 %")


def centred(text: str, middle: float, y: float) -> Fragment:
    return fragment(text, middle - len(text) * PLAIN.size * 0.225, y)


def head_of(*heads: tuple[float, tuple[tuple[str, float], ...]], values: dict[float, str]) -> str:
    """The first row's sentence under these lines of heads, each of its height and texts by their middles."""
    above = [centred(text, middle, y) for y, line in heads for text, middle in line]
    rows = [
        cell
        for n in range(3)
        for cell in (
            fragment(f"Sales of part {n}", 50, 180 + 14 * n),
            *(centred(text, middle, 180 + 14 * n) for middle, text in values.items()),
        )
    ]
    return lay_out([page(*above, *rows, *prose(5, y=300))]).blocks[0].sentences[0]


@pytest.mark.parametrize("lifted", [0, 5])  # the heads of one line: beside the last line, or between the two
def test_a_head_in_two_lines_over_one_column_is_no_parent_of_those_beside_it(lifted: float) -> None:
    heads = (
        (140, (("Three months ended June 30", 360),)),
        (156, (("Rigid", 361),)),
        (165 - lifted, (("Flexibles", 262), ("Total", 450))),
        (165, (("Packaging", 361),)),
    )
    sentence = head_of(*heads, values={282: "2,777", 391: "1,897", 470: "4,674"})
    period = "Three months ended June 30"
    assert sentence == (
        f"Sales of part 0; {period} › Flexibles: 2,777; {period} › Rigid Packaging: 1,897; {period} › Total: 4,674"
    )


def test_the_lines_of_a_head_over_amounts_and_their_shares_are_one_and_that_of_both() -> None:
    heads = (
        (118, (("13 Weeks Ended", 393),)),
        (132, (("January 28,", 330), ("January 29,", 460))),
        (145, (("2023", 330), ("2022", 460))),
        (158, (("(Unaudited)", 322), ("(Unaudited)", 452))),
    )
    sentence = head_of(*heads, values={295: "3,226,773", 365: "100.0%", 425: "2,729,388", 495: "99.0%"})
    one, other = (f"13 Weeks Ended › January {day} (Unaudited)" for day in ("28, 2023", "29, 2022"))
    assert sentence == (f"Sales of part 0; {one}: 3,226,773; {one}: 100.0%; {other}: 2,729,388; {other}: 99.0%")


def test_days_over_two_columns_that_came_as_one_text_are_heads_of_their_own() -> None:
    heads = ((142, (("January 28, January 29,", 332),)), (155, (("2023", 300), ("2022", 364))))
    sentence = head_of(*heads, values={305: "1,100", 369: "1,200"})
    assert sentence == "Sales of part 0; January 28, 2023: 1,100; January 29, 2022: 1,200"


def test_a_period_under_a_head_over_the_same_columns_is_a_head_of_its_own() -> None:
    heads = (
        (132, (("Revenue mix", 330),)),
        (142, (("Three months ended", 330),)),
        (156, (("Now", 295), ("Then", 365))),
    )
    sentence = head_of(*heads, values={295: "1,100", 365: "1,200"})
    over = "Revenue mix › Three months ended"
    assert sentence == f"Sales of part 0; {over} › Now: 1,100; {over} › Then: 1,200"


def test_a_running_foot_under_the_text_of_pages_that_end_early_is_left_out() -> None:
    pages = [
        page(
            *prose(5 + n, text=f"page {n}"),
            fragment("Pfizer Inc.", 200, 290 + 12 * n, BOLD),
            fragment("2021 Report", 300, 290 + 12 * n),
            fragment(str(n + 6), 400, 290 + 12 * n, BOLD),
            number=n,
        )
        for n in range(1, 6)
    ]
    texts = {part.text for found in Book(pages) for part in found.fragments}
    assert not texts & {"Pfizer Inc.", "2021 Report", "7"}
    assert "page 5 9" in texts


def test_a_fraction_is_read_by_its_bar_and_a_sums_rule_is_none() -> None:
    small = Style(7.0)
    over = [fragment("1", 102, 96, small), fragment("2m", 100, 105.5, small), fragment("σ + 1", 140, 96, small)]
    over += [fragment("C", 145, 105.5, small)]
    text = [fragment("so that x =", 50, 100, width=48), fragment("and y =", 112, 100, width=26)]
    text.append(fragment("hold for the whole of the text.", 160, 100))
    bars = (Rect(100, 97.5, 110, 98), Rect(140, 97.5, 157, 98), Rect(300, 331, 330, 331.5))
    rows = [
        fragment(text, x, y)
        for y, row in ((328, "Rent 1,200"), (342, "Total 1,900"))
        for text, x in ((row.split()[0], 50), (row.split()[1], 302))
    ]
    given = replace(page(*text, *over, *prose(9, y=115), *rows), rulings=bars)
    texts = [block.text for block in lay_out([given]).blocks]
    assert texts[0].startswith("so that x = 1/2m and y = (σ + 1)/C hold for the whole of the text.")
    assert not any("1,200/" in text for text in texts)


def test_rows_of_a_forms_fields_are_no_columns_of_text() -> None:
    fields = [
        (268, ("North Carolina", "1-1183", "13-1584302")),
        (278, ("(State or other jurisdiction", "(Commission", "(Employer")),
        (288, ("of incorporation of the same)", "File Number)", "Number.)")),
    ]
    cells = [fragment(text, x, y) for y, row in fields for text, x in zip(row, (40, 270, 480), strict=True)]
    middle = [fragment(f"A line of the form, set in the middle {n}", 190, 100 + 14 * n) for n in range(12)]
    found = columns([*middle, *cells])
    assert found[0][0].text.startswith("A line of the form")


def test_a_link_that_ends_a_paragraph_is_no_heading_of_the_next() -> None:
    link = Style(10.5, color=0x0000EE)
    small = [
        fragment("a hundred words of small print that fill the pages of it", 50, 50 + 8 * n, Style(7.0))
        for n in range(40)
    ]
    lines = [fragment(f"{PROSE} and goes on to its end", 50, 450 + 15 * n, width=500) for n in range(5)]
    end = fragment("site of the webcasts and presentations.", 50, 525, link)
    after = [
        part._replace(base=part.base + 490, rect=part.rect._replace(y0=part.rect.y0 + 490, y1=part.rect.y1 + 490))
        for part in small[:20]
    ]
    sections = [b.text for b in lay_out([page(*small, *lines, end, *after)]).blocks if b.kind is Kind.SECTION]
    assert not sections


def test_words_close_beside_a_number_are_the_next_cell_not_its_unit() -> None:
    heads = [fragment(text, x, 116) for text, x in (("2022", 250), ("2021", 320), ("Where it stands", 350))]
    cells = [
        fragment(text, x, 130 + 14 * n, width=width)
        for n in range(3)
        for text, x, width in (
            (f"Item {'abc'[n]}", 50, 40),
            ("(1,100)", 240, 35),
            (f"(1,00{n})", 310, 35),
            ("Other income, net", 350, 80),
        )
    ]
    table = lay_out([page(*heads, *cells, *prose(5, y=300))]).blocks[0]
    assert table.sentences[1] == "Item b; 2022: (1,100); 2021: (1,001); Where it stands: Other income, net"


def test_notes_between_two_tables_are_part_of_neither() -> None:
    def rows(y: float) -> list[Fragment]:
        heads = [fragment("2022", 300, y), fragment("2021", 400, y)]
        cells = [
            fragment(text, x, y + 12 * n)
            for n in range(1, 4)
            for text, x in ((f"Item {'abc'[n - 1]}", 50), (f"{n},100", 300), (f"{n},200", 400))
        ]
        return heads + cells

    small = Style(9.0)
    notes = [
        part
        for n in range(3)
        for part in (
            fragment(f"({'abc'[n]})", 50, 160 + 11 * n, small),
            fragment(f"A note on item {'abc'[n]} of them.", 70, 160 + 11 * n, small),
        )
    ]
    lead = fragment("An analysis of the same follows:", 50, 206)
    blocks = lay_out([page(*rows(100), *notes, lead, *rows(220), *prose(5, y=400))]).blocks
    first, second = (block for block in blocks if block.kind is Kind.TABLE)
    assert len(first.sentences) == len(second.sentences) == 3
    text = " ".join(block.text for block in blocks)
    assert "(c) A note on item c of them." in text
    assert lead.text in text


def test_a_long_scale_under_the_heads_and_a_label_far_above_the_values_hide_no_heads() -> None:
    heads = [fragment("2022", 300, 100), fragment("2021", 400, 100)]
    scale = fragment("(in thousands, except the yield of each cow and all of the percentages)", 160, 112)
    rows = [
        fragment(text, x, y)
        for n, y in enumerate((124, 136, 148))
        for text, x in ((f"Item {'abc'[n]}", 50), (f"{n},100", 300), (f"{n},200", 400))
    ]
    table = lay_out([page(*heads, scale, *rows, *prose(5, y=400))]).blocks[0]
    assert table.sentences[1].startswith("Item b; 2022: 1,100; 2021: 1,200 (in thousands")
    label = fragment("Sales by region", 50, 94)
    heads = [part._replace(base=80, rect=part.rect._replace(y0=72, y1=83)) for part in heads]
    table = lay_out([page(*heads, label, *rows, *prose(5, y=400))]).blocks[0]
    assert table.sentences[2] == "Sales by region › Item b; 2022: 1,100; 2021: 1,200"


def test_a_line_drawn_between_words_that_stand_close_parts_them() -> None:
    inks = [
        Ink(text, Rect(x, 92, x + width, 103), 100, PLAIN)
        for text, x, width in (("Drawn", 50, 30), (" ", 80, 7), ("Returned", 87, 40))
    ]
    assert [part.text for part in fragments(inks)] == ["Drawn Returned"]
    assert [part.text for part in fragments(inks, [Rect(83, 80, 84, 200)])] == ["Drawn", "Returned"]
    assert [part.text for part in fragments(inks, [Rect(83, 120, 84, 200)])] == ["Drawn Returned"]


def test_numbers_within_words_that_run_leftwards_stand_where_they_are_read() -> None:
    def read(text: str) -> str:
        [part] = fragments([Ink(text, Rect(50, 90, 400, 103), 100, PLAIN)])
        return part.text

    assert read("، וזהו2023 נכתב בשנת") == "נכתב בשנת 2023، וזהו"
    assert read(".)2022( מן השנה%4.5  של") == "של 4.5% מן השנה (2022)."
    assert read(".נכתב בשנה הזאת") == "נכתב בשנה הזאת."
    assert read("2023 in words") == "2023 in words"


def test_heads_and_labels_in_the_middle_of_what_a_grid_merges_are_those_of_all() -> None:
    texts = [
        ("Plant", 60, 128),
        ("District", 160, 128),
        ("2022", 335, 118),
        ("Drawn", 260, 138),
        ("Returned", 360, 138),
    ]
    texts += [(f"Plant {n}", 60, 138 + 20 * n) for n in range(1, 4)] + [("North", 160, 178)]
    texts += [(f"{n},{x}", x + 10, 138 + 20 * n) for n in range(1, 4) for x in (250, 350)]
    ys = (104, 124, 144, 164, 184, 204)
    rulings = [Rect(50, y, 450, y + 0.5) for y in (104, 144, 204)] + [Rect(250, 124, 450, 124.5)]
    rulings += [part for y in (164, 184) for part in (Rect(50, y, 150, y + 0.5), Rect(250, y, 450, y + 0.5))]
    rulings += [Rect(x, ys[0], x + 0.5, ys[-1]) for x in (50, 150, 250, 450)] + [Rect(350, 124, 350.5, 204)]
    given = replace(page(*(fragment(*one) for one in texts), *prose(5, y=400)), rulings=tuple(rulings))
    table = lay_out([given]).blocks[0]
    assert table.sentences[0] == "Plant: Plant 1; District: North; 2022 › Drawn: 1,250; 2022 › Returned: 1,350"
    assert table.sentences[2].startswith("Plant: Plant 3; District: North; 2022 › Drawn: 3,250")


def test_columns_right_under_lines_as_wide_as_the_page_are_found() -> None:
    wide = prose(14, 50, 100, 500, "a line of the abstract that runs from side to side of the whole of the page")
    left = prose(12, 50, 292, 240, "left column words that run on and on")
    right = prose(12, 310, 270, 240, "right column words that run on and on")
    texts = [group[0].text[:4] for group in columns([*wide, *left, *right])]
    assert texts == ["a li", "left", "righ"]


def test_a_shaded_box_beside_the_text_is_read_apart_but_not_a_tables_shaded_column() -> None:
    text = prose(9, 50, 100, 300, "the text of a page that a box stands beside")
    box = [fragment(f"Fact {'abcd'[n]} of the box", 380, 106 + 14 * n) for n in range(4)]
    rows = [part for pair in zip(text, box, strict=False) for part in pair] + text[4:]
    rows += prose(3, 50, 208, 470)
    given = replace(page(*rows), shades=(Rect(370, 90, 520, 170),))
    first = lay_out([given]).blocks[0].text
    assert "Fact" not in first
    cells = [
        fragment(text, x, 100 + 14 * n)
        for n in range(5)
        for text, x in ((f"Item {'abcde'[n]}", 50), (f"{n + 1},100", 300), (f"{n + 1},200", 400))
    ]
    given = replace(page(*cells, *prose(5, y=400)), shades=(Rect(290, 90, 350, 170),))
    assert lay_out([given]).blocks[0].kind is Kind.TABLE


def test_values_of_two_columns_that_came_as_one_text_are_two_cells() -> None:
    heads = [fragment("January 2023", 300, 100), fragment("January 2022", 365, 100)]
    rows = [
        fragment("Cash", 50, 115), fragment("7,377", 310, 115), fragment("4,315", 375, 115),
        fragment("Inventories", 50, 130), fragment("1,603,451 $ 1,499,218", 305, 130, width=95),
        fragment("Margin", 50, 145), fragment("12.5%", 310, 145), fragment("13.0%", 375, 145),
        fragment("Loss", 50, 160), fragment("(34) $ 12,668", 315, 160, width=85),
    ]  # fmt: skip
    [table] = [block for block in lay_out([page(*heads, *rows)]).blocks if block.kind is Kind.TABLE]
    assert "| Inventories | 1,603,451 | $1,499,218 |" in table.text
    assert "| Loss | (34) | $12,668 |" in table.text


@pytest.mark.parametrize("text", ["0.85 (0.03)", "1,234 (5.6%)", "1 234 567", "(5.4) %", "2,198 to 3,000"])
def test_a_cell_of_one_value_stays_one(text: str) -> None:
    assert [part.text for part in _values_of(Cell(text, Rect(0, 0, 100, 10)))] == [text]


def test_a_row_s_label_goes_on_under_a_word_that_none_ends_with() -> None:
    rows = [
        part
        for n, label in enumerate(("Sales", "Costs", "Other purchases and", "Divestitures", "Profit"))
        for part in (
            fragment(label, 50, 100 + 12 * n),
            *(fragment(f"{n}.{n}", x, 100 + 12 * n) for x in (300, 360, 420) if n != 2),
        )
    ]
    [table] = [block for block in lay_out([page(*rows)]).blocks if block.kind is Kind.TABLE]
    assert "| Other purchases and Divestitures | 3.3 | 3.3 | 3.3 |" in table.text


def test_entries_of_contents_whose_page_numbers_are_set_higher_are_known() -> None:
    entries = [
        part
        for n in range(1, 9)
        for part in (fragment(str(n), 540, 95 + 20 * n), fragment(f"Section 1.{n} Matters", 50, 100 + 20 * n, BOLD))
    ]
    assert contents(lines(entries, 1)) == set(range(16))


def test_contents_in_columns_are_read_column_by_column_an_entry_a_line() -> None:
    entries = [
        part
        for column in range(2)
        for n in range(1, 13)
        for part in (
            fragment(str(n), 50 + 280 * column, 100 + 7 * column + 20 * n),
            fragment(
                f"MATTERS {'AB'[column]}{n}{40 * '.'}{n}", 75 + 280 * column, 100 + 7 * column + 20 * n, width=220
            ),
        )
    ]
    [listed] = lay_out([page(*entries)]).blocks
    assert listed.kind is Kind.LIST
    assert listed.sentences == tuple(f"{n} MATTERS {column}{n} … {n}" for column in "AB" for n in range(1, 13))


def test_dots_that_are_drawn_before_lines_make_a_list() -> None:
    items = [fragment(f"the item {n} of a list that is set with drawn dots", 80, 100 + 14 * n) for n in range(3)]
    dots = tuple(Rect(66, 94.5 + 14 * n, 70, 98.5 + 14 * n) for n in range(3))
    made = replace(page(*items, *prose(4)), shades=dots)
    listed = lay_out([made]).blocks[0]
    assert (listed.kind, listed.text.split("\n")) == (Kind.LIST, [f"• {item.text}" for item in items])


def test_boxes_to_tick_make_a_list() -> None:
    items = [fragment(f"☐ Soliciting material under rule {n}", 50, 100 + 14 * n) for n in range(3)]
    assert lay_out([page(*items, *prose(4))]).blocks[0].kind is Kind.LIST


def test_a_caption_in_the_margin_is_whole_where_the_text_beside_it_has_its_further_lines() -> None:
    caption = ["Figure 2 Cap with positions meas-", "ured during the experiment.", "Picture from above."]
    first, *others = [fragment(text, 40, 456 + 10.5 * n, Style(7.5)) for n, text in enumerate(caption)]
    beside = prose(4, 198, 459)
    items = [*lines([first], 1), *lines([*others, *beside], 1)]
    made = with_figures(items, Reading(1, 800, [], [], [], (), None))
    [figure] = [item for item in made if isinstance(item, Figure)]
    assert [line.text for line in figure.caption] == caption
    assert [item.text for item in made if isinstance(item, Line)] == [part.text for part in beside]


def test_a_list_of_words_does_not_go_on_in_the_text_beside_it() -> None:
    words = [fragment(text, 50, 150 + 12 * n) for n, text in enumerate(["Keywords of it are", *5 * ["enzymes"]])]
    left = [fragment(f"a date or address of those {n}", 50, 60 + 12 * n, width=130) for n in range(6)]
    right = prose(14, 200, 60, 330)
    blocks = lay_out([page(*left, *words, *right)]).blocks
    assert any(block.text.endswith("enzymes") for block in blocks)


def test_labels_set_in_differently_are_one_column_where_a_long_one_stands_over_both() -> None:
    labels = [("Revenues", 19, 34), ("Cost of revenues", 36, 59), ("Marketing", 69, 37), ("Technology", 69, 104)]
    labels += [("Net income", 19, 41), ("Total", 19, 30)]
    rows = [
        part
        for n, (label, x, width) in enumerate(labels)
        for part in (
            fragment(label, x, 100 + 14 * n, width=width),
            *(fragment(f"{n + 1},{n}00", at, 100 + 14 * n) for at in (380, 460)),
        )
    ]
    [table] = [block for block in lay_out([page(*rows)]).blocks if block.kind is Kind.TABLE]
    assert "\n| Cost of revenues | 2,100 | 2,100 |\n| Marketing | 3,200 | 3,200 |" in table.text


def test_a_section_s_head_in_two_parts_under_a_table_is_no_row_of_it() -> None:
    rows = [
        part
        for n in range(5)
        for part in (
            fragment(f"Shares bought, part {n}", 50, 100 + 11 * n),
            *(fragment(f"{n + 1},{n}0{x % 7}", x, 100 + 11 * n) for x in (300, 370, 440)),
        )
    ]
    head = [fragment("Item 5.", 50, 163, BOLD), fragment("Other Information", 96, 163, BOLD)]
    table, section, _ = lay_out([page(*rows, *head, *prose(6, y=190))]).blocks
    assert (table.kind, len(table.sentences)) == (Kind.TABLE, 5)
    assert (section.kind, section.text) == (Kind.SECTION, "Item 5. Other Information")


def test_a_word_that_a_soft_hyphen_cuts_at_a_line_s_end_is_whole() -> None:
    texts = ["The text of this line is long enough to be adipisic\u00ad", "ing, and it ends in its second line."]
    inks = [Ink(text, Rect(50, 92 + 12 * n, 350, 103 + 12 * n), 100 + 12 * n, PLAIN) for n, text in enumerate(texts)]
    [block] = lay_out([page(*fragments(inks))]).blocks
    assert block.text == "The text of this line is long enough to be adipisicing, and it ends in its second line."

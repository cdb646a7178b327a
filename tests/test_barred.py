from __future__ import annotations

from dataclasses import replace

from laid import lay_out

from indexer.blocks import Block
from indexer.layout.page import Fragment, Page, Rect, Style
from kohaku.tree import Kind

PLAIN, BOLD = Style(8.0), Style(8.0, bold=True)


def fragment(text: str, x: float, y: float, style: Style = PLAIN) -> Fragment:
    rect = Rect(x, y - 0.8 * style.size, x + len(text) * style.size * 0.45, y + 0.2 * style.size)
    return Fragment(text, rect, y, style, style)


def page(*parts: Fragment, rulings: tuple[Rect, ...] = (), shades: tuple[Rect, ...] = ()) -> Page:
    prose = [
        fragment("a line of prose that runs on under the table to the end of the page", 50, 600 + 12 * n)
        for n in range(5)
    ]
    return Page(1, 600, 800, (*parts, *prose), rulings=rulings, shades=shades)


def tables(given: Page) -> list[Block]:
    return [block for block in lay_out([given]).blocks if block.kind is Kind.TABLE]


def test_rules_under_each_cell_part_rows_whose_cells_are_set_in_the_middle() -> None:
    columns = ((50, 180), (186, 320), (326, 460))
    rulings = tuple(Rect(a, y, b, y + 0.5) for y in (100, 114, 140, 154, 180) for a, b in columns)
    parts = [fragment(text, x, 110, BOLD) for text, x in (("Product", 60), ("In the U.S.", 196), ("In Japan", 336))]
    parts += [fragment("Alpha", 60, 130), fragment("2024", 196, 125), fragment("(2028 pending)", 196, 134)]
    parts += [fragment("2026", 336, 130)]
    parts += [fragment("Beta", 60, 150), fragment("(a)", 196, 150), fragment("2027", 336, 150)]
    parts += [fragment("Gamma", 60, 170), fragment("2031", 196, 170), fragment("2032", 336, 165)]
    parts += [fragment("(2035 pending)", 336, 174)]
    [table] = tables(page(*parts, rulings=rulings))
    assert table.sentences == (
        "Product: Alpha; In the U.S.: 2024 (2028 pending); In Japan: 2026",
        "Product: Beta; In the U.S.: (a); In Japan: 2027",
        "Product: Gamma; In the U.S.: 2031; In Japan: 2032 (2035 pending)",
    )


def test_shades_tell_rows_of_lists_that_read_as_columns_of_text() -> None:
    shades = tuple(Rect(50, y, 560, y + 37) for y in (120, 160, 200))
    heads = ("Segment", "Safety and industry", "Health care")
    parts = [fragment(text, 55 + 170 * n, 115, BOLD) for n, text in enumerate(heads)]
    for row, name in enumerate(("Divisions", "Products", "Markets")):
        parts += [fragment(name, 55, 130 + 40 * row), fragment("of the whole group", 55, 139 + 40 * row)]
        for column, what in enumerate(("Tapes", "Bandages"), start=1):
            for line in range(3):
                y = 128 + 40 * row + (10 + column) * line
                parts.append(fragment(f"{what} of kind {row}{line} for use at home", 55 + 170 * column, y))
    [table] = tables(page(*parts, shades=shades))
    assert len(table.sentences) == 3
    lists = [" ".join(f"{what} of kind 1{n} for use at home" for n in range(3)) for what in ("Tapes", "Bandages")]
    assert table.sentences[1] == (
        f"Segment: Products of the whole group; Safety and industry: {lists[0]}; Health care: {lists[1]}"
    )


def test_a_label_in_the_middle_of_a_shade_is_that_of_all_rows_beside_it() -> None:
    shades = (Rect(50, 100, 150, 114), Rect(50, 114, 150, 174), Rect(50, 174, 150, 204))
    parts = [fragment(text, x, 110, BOLD) for text, x in (("PRODUCT", 60), ("USE", 170), ("U.S.", 400), ("JAPAN", 480))]
    parts += [fragment("Alpha", 60, 142), fragment("(alphamab)", 60, 150)]
    for top, use, first in ((114, "For adults", "Filed"), (144, "For children", "Approved")):
        parts.append(fragment(use, 170, top + 18))
        for x in (400, 480):
            parts += [fragment(first, x, top + 10), fragment("Aug.", x, top + 18), fragment("2021", x, top + 26)]
    parts += [fragment("Beta", 60, 192), fragment("For adults", 170, 192)]
    parts += [fragment("Filed", 400, 184), fragment("Sep.", 400, 192), fragment("2021", 400, 200)]
    [table] = tables(page(*parts, shades=shades))
    assert table.sentences == (
        "PRODUCT: Alpha (alphamab); USE: For adults; U.S.: Filed Aug. 2021; JAPAN: Filed Aug. 2021",
        "PRODUCT: Alpha (alphamab); USE: For children; U.S.: Approved Aug. 2021; JAPAN: Approved Aug. 2021",
        "PRODUCT: Beta; USE: For adults; U.S.: Filed Sep. 2021",
    )


def test_rules_under_the_values_alone_and_lines_to_sign_on_make_no_table_of_their_own() -> None:
    columns = ((300, 360), (380, 440))
    rulings = tuple(Rect(a, y, b, y + 0.5) for y in (115, 151, 187) for a, b in columns)
    parts = [fragment(text, x, 110) for text, x in (("2022", 320), ("2021", 400))]
    for row in range(6):
        parts += [fragment(f"Item {'abcdef'[row]}", 50, 125 + 12 * row)]
        parts += [fragment(f"{row + 1},5{row}0", x, 125 + 12 * row) for x in (320, 400)]
    [table] = tables(page(*parts, rulings=rulings))
    assert table.sentences[0] == "Item a; 2022: 1,500; 2021: 1,500"
    lines = tuple(Rect(a, y, a + 150, y + 0.5) for y in (120, 160, 200) for a in (50, 300))
    names = [fragment(text, a, y) for y in (118, 158, 198) for a, text in ((50, "/s/ A. Smith"), (300, "/s/ B. Jones"))]
    names += [fragment(text, a, y) for y in (130, 170) for a, text in ((50, "Chairman of"), (300, "Director of"))]
    names += [fragment("the Board", a, y) for y in (140, 180) for a in (50, 300)]
    assert not tables(page(*names, rulings=lines))


def test_a_grid_around_some_columns_only_leaves_the_rows_whole() -> None:
    heads = ("Flexibles", "Rigid", "Total", "Flexibles", "Rigid", "Total")
    parts = [fragment(text, 180 + 60 * n, 110) for n, text in enumerate(heads)]
    for row in range(6):
        parts.append(fragment(f"Item {'abcdef'[row]}", 50, 126 + 14 * row))
        parts += [fragment(f"{row + 1},1{n}0", 180 + 60 * n, 126 + 14 * row) for n in range(6)]
    levels = [Rect(40, y, 560, y + 1) for y in (114, 158, 200)]
    uprights = [Rect(x, 114, x + 1, 200) for x in (345, 400, 455)]
    given = replace(page(*parts), rulings=tuple(levels + uprights))
    [table] = tables(given)
    assert table.sentences[0].startswith("Item a; Flexibles: 1,100; Rigid: 1,110")
    assert len(table.sentences) == 6


def test_every_other_row_is_shaded_and_the_last_is_not() -> None:
    shades = (Rect(50, 100, 560, 124), Rect(50, 148, 560, 172), Rect(50, 196, 560, 220))
    parts = [fragment(text, x, 96, BOLD) for text, x in (("Part", 60), ("What it is for", 160), ("Care", 400))]
    for row, name in enumerate(("Bearing", "Gate", "Governor", "Bell", "Hopper", "Stone")):
        y = 114 + 24 * row
        parts += [fragment(name, 60, y), fragment(f"Carries the {name.lower()}", 160, y - 5)]
        parts += [fragment("of the large wheel", 160, y + 5), fragment("Grease", 400, y)]
    [table] = tables(page(*parts, shades=shades))
    assert len(table.sentences) == 6
    assert table.sentences[5] == "Part: Stone; What it is for: Carries the stone of the large wheel; Care: Grease"


def boxed(*rows: tuple[str, str, str]) -> Page:
    """Rows in a box that only its head is parted from, its columns by rules from top to foot."""
    foot = 122 + 12 * len(rows)
    rulings = tuple(Rect(50, y, 400, y + 0.5) for y in (100, 114, foot))
    rulings += tuple(Rect(x, 100, x + 0.5, foot) for x in (50, 200, 300, 400))
    parts = [fragment(text, x, 110, BOLD) for text, x in (("Kind", 55), ("State", 205), ("Advice", 305))]
    for number, row in enumerate(rows):
        parts += [fragment(text, x, 126 + 12 * number) for text, x in zip(row, (55, 205, 305), strict=True) if text]
    return page(*parts, rulings=rulings)


def test_rows_of_a_box_without_rules_between_them_are_told_by_their_lines_though_a_cell_is_empty() -> None:
    [table] = tables(
        boxed(("Plain", "", "Keep"), ("Odd", "Wet", "Keep"), ("Even", "Dry", "Part"), ("Old", "Dry", "Go"))
    )
    assert table.sentences == (
        "Kind: Plain; Advice: Keep",
        "Kind: Odd; State: Wet; Advice: Keep",
        "Kind: Even; State: Dry; Advice: Part",
        "Kind: Old; State: Dry; Advice: Go",
    )


def test_lines_of_a_box_that_go_on_with_a_cell_s_text_stay_one_row() -> None:
    [table] = tables(
        boxed(("Plain things", "Wet or", "Keep them"), ("of all kinds", "dry and", "in the shed"), ("", "cold", ""))
    )
    assert table.sentences == (
        "Kind: Plain things of all kinds; State: Wet or dry and cold; Advice: Keep them in the shed",
    )

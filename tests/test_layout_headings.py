from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from laid import lay_out

from indexer.layout.page import Fragment, Page, Rect, Style
from kohaku.tree import Kind

PLAIN, BOLD, LARGE = Style(10.0), Style(10.0, bold=True), Style(14.0, bold=True)
PROSE = "the text of a line that is long enough to be prose in its column"


def fragment(text: str, y: float, style: Style = PLAIN, x: float = 50, width: float | None = None) -> Fragment:
    width = len(text) * style.size * 0.45 if width is None else width
    return Fragment(text, Rect(x, y - 0.8 * style.size, x + width, y + 0.3 * style.size), y, style, style)


def prose(y: float, count: int = 4) -> list[Fragment]:
    return [fragment(f"{PROSE} and so on", y + 12 * n, width=500) for n in range(count)]


def page(*fragments: Fragment, number: int = 1, width: float = 600, height: float = 800) -> Page:
    return Page(number, width, height, fragments)


def heads(*pages: Page) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in lay_out(pages).blocks if block.kind is Kind.SECTION]


def sections(*titles: tuple[str, Style]) -> list[Fragment]:
    """Headings with a paragraph under each."""
    return [
        part
        for n, (text, style) in enumerate(titles)
        for part in (fragment(text, 100 + 90 * n, style), *prose(120 + 90 * n))
    ]


def test_two_heads_below_each_other_are_two_where_the_next_word_would_have_fitted() -> None:
    pair = [fragment("Experiment", 200, LARGE), fragment("Task and stimuli", 216, LARGE)]
    found = heads(page(*prose(100), *pair, *prose(240)))
    assert [text for _, text in found] == ["Experiment", "Task and stimuli"]


def test_a_head_that_fills_its_line_goes_on_in_the_next() -> None:
    first = fragment("A long heading that runs to the end of its line and needs", 100, LARGE, width=480)
    assert [text for _, text in heads(page(first, fragment("Another line", 116, LARGE), *prose(140)))] == [
        f"{first.text} Another line"
    ]


def test_chapter_3_and_the_title_below_it_are_one_head() -> None:
    parts = [fragment("Chapter 3", 100, LARGE), fragment("Compilation", 130, Style(20.0, bold=True)), *prose(160)]
    assert heads(page(*parts)) == [(1, "Chapter 3 Compilation")]


def run_in(text: str, rest: str, y: float) -> Fragment:
    whole = fragment(f"{text} {rest}", y, width=500)
    return whole._replace(lead=BOLD, lead_length=len(text))


def test_run_in_heads_head_the_paragraph_that_they_begin() -> None:
    names = ("Check the terms.", "Build it again.", "Keep it small.")
    parts = [
        part
        for n, name in enumerate(names)
        for part in (run_in(name, "What follows is the text of it.", 100 + 80 * n), *prose(112 + 80 * n, 3))
    ]
    blocks = lay_out([page(*parts)]).blocks
    assert [block.text for block in blocks if block.kind is Kind.SECTION] == list(names)
    assert all(block.text.startswith("What follows") for block in blocks if block.kind is Kind.PARAGRAPH)


@pytest.mark.parametrize("lead", ["Note:", "Lemma 3.", "and so.", "•", "Property 3."])
def test_what_is_bold_at_a_paragraphs_start_is_not_always_a_head(lead: str) -> None:
    parts = [
        part for n in range(4) for part in (run_in(lead, "What follows is text.", 100 + 80 * n), *prose(112 + 80 * n))
    ]
    assert heads(page(*parts)) == []


def test_the_lines_of_a_title_page_are_no_sections_but_its_abstract_is() -> None:
    names = [fragment("A. Author", 100, BOLD), fragment("B. Author", 140, BOLD)]
    parts = [fragment("Abstract", 180, BOLD), *prose(200)]
    later = page(*sections(("1 Methods", BOLD), ("2 Results", BOLD)), number=2)
    assert [text for _, text in heads(page(fragment("The Title", 50, LARGE), *names, *parts), later)] == [
        "Abstract",
        "1 Methods",
        "2 Results",
    ]


def test_labels_of_a_drawing_are_no_headings() -> None:
    scraps = [fragment(f"R{n}", 200 + 25 * n, x=60 + 20 * (n % 9)) for n in range(20)]
    drawings = [page(fragment("ACME CORP", 100, LARGE), *scraps, number=n) for n in range(3, 7)]
    text = [page(*sections((f"{n} Methods", LARGE), (f"{n}.1 Data", BOLD)), number=n) for n in (1, 2)]
    assert [text for _, text in heads(*text, *drawings)] == ["1 Methods", "1.1 Data", "2 Methods", "2.1 Data"]


def test_items_stand_below_their_part_and_heads_of_their_look_below_them() -> None:
    found = heads(
        page(
            *sections(
                ("PART I", BOLD), ("Item 1. Business", BOLD), ("Company Background", BOLD), ("Item 2. Risks", BOLD)
            )
        ),
        page(*sections(("PART II", BOLD), ("Item 3. Results", BOLD), ("Item 4. Outlook", BOLD)), number=2),
    )
    assert [level for level, _ in found] == [1, 2, 3, 2, 1, 2, 2]


def test_a_slides_title_is_its_section_whatever_its_size() -> None:
    def slide(number: int, title: str, size: float) -> Page:
        points = [fragment(f"• point {n}", 200 + 40 * n, Style(18.0)) for n in range(3)]
        return page(fragment(title, 80, Style(size, bold=True)), *points, number=number, width=800, height=600)

    found = heads(slide(1, "Overview", 36.0), slide(2, "A longer title", 28.0), slide(3, "Last one", 32.0))
    assert found == [(1, "Overview"), (1, "A longer title"), (1, "Last one")]


def test_entries_of_the_contents_that_wrap_are_no_headings() -> None:
    lines = [
        f"{n} A CHAPTER WITH A NAME THAT . . . . . . . . . {n}0" if n % 2 else f"{n} A NAME TOO LONG FOR"
        for n in range(1, 10)
    ]
    entries = [fragment(text, 100 + 20 * n, BOLD) for n, text in enumerate(lines)]
    assert heads(page(fragment("Contents", 60, LARGE), *entries), page(*prose(100, 8), number=2)) == [(1, "Contents")]


def test_a_running_title_that_changes_goes_where_a_page_number_stands_beside_it() -> None:
    names = ["Alpha", "Beta", "Gamma", "Delta", "Eta", "Theta"]
    pages = [
        page(fragment(f"1.{n} {name}", 30, BOLD), fragment(str(n), 30, x=520), *prose(100, 8), number=n)
        for n, name in enumerate(names, start=1)
    ]
    assert heads(*pages) == []


def test_the_running_text_gives_the_bodys_size_where_labels_outnumber_it() -> None:
    labels = [fragment(f"label {n}", 300 + 11 * n, Style(8.0), x=60) for n in range(40)]
    bold = Style(11.0, bold=True)
    found = heads(page(*sections(("Head one", bold), ("Head two", bold))), page(*labels, number=2))
    assert [text for _, text in found] == ["Head one", "Head two"]


def test_an_italic_emphasis_that_runs_to_the_lines_end_is_no_head() -> None:
    cut = fragment(
        "Secondary retrieval requirements which were unforeseen, or at", 100, Style(10.0, bold=True), width=500
    )
    rest = fragment("least not planned for when the system was built", 112, width=400)
    assert heads(page(*prose(40), cut, rest, *prose(124, 8))) == []


def test_levels_never_jump() -> None:
    found = heads(page(*sections(("1 A part", LARGE), ("1.1 A piece", BOLD), ("1.2 A piece", BOLD))))
    assert all(after <= before + 1 for (before, _), (after, _) in pairwise(found))


def test_an_abstract_and_references_stand_beside_the_sections_however_small_their_heads_are() -> None:
    small = Style(10.0, bold=True)
    names = [(f"{n} Part", LARGE) for n in (1, 2, 3)]
    found = heads(page(*sections(("Abstract", small), *names, ("References", small))))
    assert found == [(1, "Abstract"), (1, "1 Part"), (1, "2 Part"), (1, "3 Part"), (1, "References")]


def test_what_a_form_asks_for_in_brackets_makes_what_is_filled_in_no_heading() -> None:
    cover = [
        fragment("17 Long Street, Smalltown", 300, BOLD, x=200, width=150),
        fragment("(Address of principal offices)", 314, x=220, width=120),
    ]
    found = heads(page(*cover, *prose(340)), page(*sections(("Data", BOLD), ("Methods", BOLD)), number=2))
    assert [text for _, text in found] == ["Data", "Methods"]


def test_a_period_heads_nothing() -> None:
    periods = [("For the Year Ended December 31, 2022", BOLD), ("For the quarterly period ended July 2, 2023", BOLD)]
    names = [("Results", BOLD), *periods, ("Outlook", BOLD)]
    assert [text for _, text in heads(page(*sections(*names)))] == ["Results", "Outlook"]


def test_heads_that_a_colon_ends_are_headings_where_several_are_and_lead_to_no_list() -> None:
    colons = [("Net sales:", BOLD), ("Costs:", BOLD), ("Employment:", BOLD), ("Other:", BOLD)]
    assert len(heads(page(*sections(*colons)))) == 4
    assert heads(page(*sections(*colons[:1]), *prose(300))) == []


def test_slanted_lines_that_stand_apart_over_text_are_headings() -> None:
    names = [(name, Style(10.0, italic=True)) for name in ("Discount rate", "Return on assets")]
    assert [text for _, text in heads(page(*sections(*names)))] == ["Discount rate", "Return on assets"]


def test_a_paragraphs_last_line_in_capitals_is_no_head_though_space_is_under_it() -> None:
    parts = [*sections(("Listing", BOLD), ("Results", BOLD)), *prose(350, 3), fragment("NYSE: AMCR; ASX: AMC", 386)]
    assert [text for _, text in heads(page(*parts, *prose(420)))] == ["Listing", "Results"]


def test_capitals_with_space_above_them_are_a_head() -> None:
    found = heads(page(*prose(100), fragment("RESULTS OF THE YEAR", 160), *prose(180)))
    assert [text for _, text in found] == ["RESULTS OF THE YEAR"]


def test_a_head_that_ends_in_a_number_is_one_among_lines_that_do_by_chance() -> None:
    spread = [part for n in range(7) for part in (fragment(f"as in lemma {n}", 200 + 72 * n), *prose(212 + 72 * n, 5))]
    found = heads(page(*prose(60), fragment("3. Proof of Theorem 2", 170, LARGE), *spread))
    assert [text for _, text in found] == ["3. Proof of Theorem 2"]


def test_a_covers_last_line_is_no_head_where_the_text_begins_far_below() -> None:
    cover = [fragment("Commission File Number 001-38932", 100, BOLD, x=200)]
    cover += [fragment(f"Field {n}", 130 + 30 * n, x=200) for n in range(10)]
    text = [fragment("Results", 500, BOLD), *prose(520), fragment("Outlook", 600, BOLD), *prose(620)]
    assert [text for _, text in heads(page(*cover, *prose(430), *text))] == ["Results", "Outlook"]


def centred(text: str, y: float, style: Style = PLAIN) -> Fragment:
    width = len(text) * style.size * 0.45
    return fragment(text, y, style, x=300 - width / 2)


def cover(*extra: Fragment) -> Page:
    lines = [
        centred("MINISTRY OF RECORDS", 80, LARGE),
        centred("FORM 12-B", 110, LARGE),
        centred("YEARLY RETURN", 130, LARGE),
        centred("For the fiscal year ended June 30, 2023", 150),
        centred("Green Meadow Dairy, Inc.", 180, LARGE),
        centred("(Exact name of the dairy)", 194),
        centred("12 Long Street", 220, BOLD),
        centred("(Address of the main office)", 234),
        centred("555-0100", 260, BOLD),
        centred("(Telephone number of the office)", 274),
    ]
    return page(*lines, *extra, *prose(320, 6))


def test_a_forms_cover_names_the_document_by_what_is_filled_in_and_holds_no_headings() -> None:
    second = page(*sections(("Part of milk", LARGE), ("Part of cheese", LARGE)), number=2)
    laid = lay_out([cover(), second])
    assert laid.title == "Green Meadow Dairy, Inc. FORM 12-B, For the fiscal year ended June 30, 2023"
    assert [block.text for block in laid.blocks if block.kind is Kind.SECTION] == ["Part of milk", "Part of cheese"]


def test_what_is_asked_for_beside_what_is_filled_in_makes_a_forms_cover_too() -> None:
    fields = ("State of the dairy: Vermont", "Number of the dairy: 41-0417", "Office of the dairy: 12 Long Street")
    lines = [centred("GREEN MEADOW", 80, LARGE), *(centred(text, 100 + 14 * n) for n, text in enumerate(fields))]
    second = page(*sections(("PART OF MILK", LARGE), ("PART OF CHEESE", LARGE)), number=2)
    assert heads(page(*lines, *prose(180, 6)), second) == [(1, "PART OF MILK"), (1, "PART OF CHEESE")]


def test_a_heading_does_not_end_in_a_word_that_joins() -> None:
    title = (fragment("Green Meadow and", 100, LARGE), fragment("Subsidiaries", 116, LARGE))
    assert heads(page(*title, *prose(140), *prose(300)))[0][1] == ("Green Meadow and Subsidiaries")


def test_a_chapters_label_in_two_lines_with_its_number_in_words_is_no_head_of_its_own() -> None:
    def opened(number: str, title: str, place: int) -> Page:
        label = [fragment("CHAPTER", 60, BOLD, x=492), fragment(number, 84, LARGE, x=500)]
        named = [fragment(title, 140, LARGE, x=300), *prose(170), fragment(f"{place}.1 First steps", 260, LARGE)]
        return page(*label, *named, *prose(280), number=place)

    found = heads(opened("ONE", "GETTING STARTED", 1), opened("TWO", "GOING FURTHER", 2))
    assert found == [
        (1, "GETTING STARTED"),
        (2, "1.1 First steps"),
        (1, "GOING FURTHER"),
        (2, "2.1 First steps"),
    ]


def test_a_chapters_label_in_two_lines_with_its_number_in_digits_is_one_with_its_title() -> None:
    parts = [fragment("Chapter", 60, BOLD), fragment("3", 84, LARGE), fragment("Compilation", 140, LARGE), *prose(170)]
    assert heads(page(*parts)) == [(1, "Chapter 3 Compilation")]


@pytest.mark.parametrize("call", ["3.1 solve()", "3.2 The command \\solve"])
def test_a_function_or_command_heads_a_section_where_it_is_set_as_a_head(call: str) -> None:
    assert [text for _, text in heads(page(*sections(("3 Functions", LARGE), (call, BOLD))))] == ["3 Functions", call]
    assert heads(page(fragment("solve()", 100, BOLD), *prose(120))) == []


def test_bold_words_that_fill_a_paragraphs_line_do_not_spoil_the_heads_of_their_look() -> None:
    emphasis = [
        part
        for n in range(6)
        for part in (*prose(300 + 60 * n, 2), fragment("the words of it that matter most,", 324 + 60 * n, BOLD))
    ]
    parts = [fragment("Random numbers", 100, BOLD), *prose(130), fragment("Elliptic integrals", 200, BOLD), *prose(230)]
    assert [text for _, text in heads(page(*parts, *emphasis))] == ["Random numbers", "Elliptic integrals"]


MONO, ITALIC = Style(10.0, mono=True), Style(10.0, italic=True)


def ruled(*lines: Sequence[Fragment]) -> list[Page]:
    """Pages that have a line each, at 150, between two rules, and text under a head of its own below."""
    rules = (Rect(50, 135, 550, 135.5), Rect(50, 160, 550, 160.5))
    below = [fragment("Description", 190, BOLD), *prose(210)]
    return [
        page(*prose(100, 20)),
        *(
            replace(page(*prose(60), *line, *below, number=number), rulings=rules)
            for number, line in enumerate(lines, start=2)
        ),
    ]


MANUAL = tuple(
    (fragment(name, 150, MONO), fragment(f"{what} the Valves", 150, ITALIC, x=220))
    for name, what in (("open", "Opens"), ("close", "Closes"), ("measure", "Measures What Is in"))
)


def test_lines_between_rules_head_what_heads_in_bold_stand_under() -> None:
    assert heads(*ruled(*MANUAL)) == [
        (1, "open Opens the Valves"),
        (2, "Description"),
        (1, "close Closes the Valves"),
        (2, "Description"),
        (1, "measure Measures What Is in the Valves"),
        (2, "Description"),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(MANUAL[:2], id="too few to be a way of setting heads"),
        pytest.param([(fragment(f"open valve {n}", 150, MONO),) for n in range(3)], id="code"),
        pytest.param([(fragment(f"The valve {n} is open at noon.", 150),) for n in range(3)], id="sentences"),
        pytest.param([(fragment(f"{n} 2024 1,250 37", 150),) for n in range(3)], id="numbers"),
        pytest.param([(line[0], fragment("and more", 156)) for line in MANUAL], id="two lines"),
    ],
)
def test_what_else_stands_between_rules_heads_nothing(lines: Sequence[Sequence[Fragment]]) -> None:
    assert {text for _, text in heads(*ruled(*lines))} == {"Description"}


def test_rules_that_make_a_table_head_nothing() -> None:
    rows = [fragment(text, 180 + 14 * n, x=x) for n in range(4) for x, text in ((50, f"valve {n}"), (300, "open"))]
    foot = Rect(50, 240, 550, 240.5)
    first, *pages = ruled(*MANUAL)
    assert not heads(
        first,
        *(
            replace(one, fragments=(*one.fragments[:6], *rows, *prose(320)), rulings=(*one.rulings, foot))
            for one in pages
        ),
    )

"""A quote is boxed where it stands, sentence by sentence."""

from __future__ import annotations

import pytest

from answerer.answer import Citation
from answerer.pinpoint import pinpointed, quoted
from kohaku.tree import Box, Kind, Node

WHOLE = (Box(1, 0, 0, 100, 90), Box(2, 0, 0, 100, 20))
TEXTS = (
    "It was dry.",
    "The mill drew 552 litres.",
    "Then it rained for two days.",
    "Total; 2023: 5; 2022: 4 (in millions)",
)


def nodes(document: str = "mill") -> list[Node]:
    paragraph = Node(document, 0, 4, None, Kind.PARAGRAPH, "mill:p1", " ".join(TEXTS), 20, pages=(1, 2), boxes=WHOLE)
    return [paragraph] + [
        Node(
            document,
            number,
            number,
            0,
            Kind.SENTENCE,
            f"mill:p1:s{number}",
            text,
            5,
            pages=(1 + number // 3,) * 2,
            boxes=(Box(1 + number // 3, 0, 10.0 * number, 100, 10.0 * number + 9),),
        )
        for number, text in enumerate(TEXTS, start=1)
    ]


def cited(quote: str) -> Citation:
    return pinpointed(Citation("mill", "mill:p1", (1, 2), quote, WHOLE), nodes())


@pytest.mark.parametrize(
    ("quote", "numbers"),
    [
        ("The mill drew 552 litres.", [2]),
        ("mill drew 552", [2]),
        ("552 litres. Then it rained", [2, 3]),
        ("It was dry. … Then it rained", [1, 3]),
        ("| Total | 5 | 4 |", [4]),
        ("Total; 2023: 5; 2022: 4", [4]),
    ],
)
def test_the_boxes_of_a_quote_are_those_of_its_sentences(quote: str, numbers: list[int]) -> None:
    found = cited(quote)
    assert [box.y0 for box in found.boxes] == [10.0 * number for number in numbers]
    assert found.pages == (1 + numbers[0] // 3, 1 + numbers[-1] // 3)


def test_a_quote_that_is_in_no_sentence_keeps_the_boxes_of_its_paragraph() -> None:
    assert cited("Somewhere else.").boxes == WHOLE
    assert pinpointed(Citation("mill", "mill:p1", (1, 2), "It was dry.", WHOLE), []).boxes == WHOLE
    assert pinpointed(Citation("mill", "mill:p1", (1, 2), "It was dry.", WHOLE), nodes("other")).boxes == WHOLE


ROWS = (
    "Current assets › Cash; July 29, 2023: 1,093; January 28, 2023: 1,874 ($ in millions)",
    "Current assets › Merchandise inventories; July 29, 2023: 5,651; January 28, 2023: 5,140 ($ in millions)",
    "Current assets › Total; July 29, 2023: 5,651; January 28, 2023: 5,140 ($ in millions)",
)


def tabled(quote: str, *rows: str) -> Citation:
    table = Node("shop", 0, len(rows), None, Kind.TABLE, "shop:p1", "", 20)
    made = [
        Node("shop", number, number, 0, Kind.SENTENCE, f"shop:p1:s{number}", row, 5, pages=(3, 3))
        for number, row in enumerate(rows, start=1)
    ]
    return pinpointed(Citation("shop", "shop:p1", (3, 4), quote), [table, *made])


@pytest.mark.parametrize(
    "quote",
    [
        "| › › Merchandise inventories | 5,651 | 5,140 |",
        "Merchandise inventories | 5,651",
        "inventories | 5,651 | 5,140",
        "|  | July 29, 2023 | January 28, 2023 |\n| --- | --- | --- |\n| › Merchandise inventories | 5,651 | 5,140 |",
    ],
)
def test_a_quote_of_one_row_of_a_table_is_the_row_with_its_heads_and_scale(quote: str) -> None:
    found = tabled(quote, *ROWS)
    assert (found.node, found.quote, found.pages) == ("shop:p1:s2", ROWS[1], (3, 3))


def test_a_quote_of_several_rows_has_no_marks_of_labels() -> None:
    found = tabled("| › › Cash | 1,093 | 1,874 |\n| › Merchandise inventories | 5,651 | 5,140 |", *ROWS)
    assert (found.node, found.quote) == (
        "shop:p1",
        "| Cash | 1,093 | 1,874 |\n| Merchandise inventories | 5,651 | 5,140 |",
    )


def test_a_row_that_a_table_has_twice_is_not_told_by_its_words() -> None:
    twice = ("Sales › Total; 2023: 5; 2022: 4", "Costs › Total; 2023: 5; 2022: 4", "Costs › Total; 2023: 15; 2022: 4")
    assert tabled("| › Total | 5 | 4 |", *twice).quote == "| Total | 5 | 4 |"
    assert tabled("| › Total | 5 | 4 |", *twice[1:]).quote == twice[1]


@pytest.mark.parametrize("words", ["", " ", "|", "|  |", "| › |", "| * |", "x"])
def test_words_that_are_in_no_sentence_are_in_none(words: str) -> None:
    assert quoted(words, ["It was dry."]) in ([], [0])

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


@pytest.mark.parametrize("words", ["", " ", "|", "|  |", "x"])
def test_words_that_are_in_no_sentence_are_in_none(words: str) -> None:
    assert quoted(words, ["It was dry."]) in ([], [0])

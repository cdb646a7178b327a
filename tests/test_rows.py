from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.tables import Placed, block, labelled
from kohaku import rows

WORD = st.text(st.characters(whitelist_categories=["L", "N"], whitelist_characters="|.%$"), min_size=1, max_size=8)
FILLED = st.lists(WORD, min_size=3, max_size=3)


@given(FILLED, st.lists(st.tuples(st.lists(WORD, max_size=2), FILLED), min_size=1, max_size=4))
def test_what_is_written_as_markdown_is_read_back_as_the_same_rows(
    header: list[str], body: list[tuple[list[str], list[str]]]
) -> None:
    placed = []
    for labels, cells in body:
        for depth, label in enumerate(labels):
            placed.append(Placed((label, "", ""), tuple(labels[:depth]), is_label=True))
        placed.append(Placed(tuple(cells), tuple(labels)))
    table = block(header, placed, scale="(in millions)")
    found = [text for text, is_row in rows.read(table.text) if is_row]
    assert found == [text for text in table.sentences if text]


@given(st.text(max_size=200))
def test_any_text_can_be_read_for_rows(text: str) -> None:
    for found, _ in rows.read(text):
        assert all(0 <= start <= end <= len(found) for start, end in rows.spans(found))


@pytest.mark.parametrize(
    ("indents", "labels"),
    [
        ((0.0, 8.0, 8.0, 0.0), [(), ("Costs:",), ("Costs:",), ()]),  # indented: what stands under it
        ((0.0, 0.0, 0.0, 0.0), [(), ("Costs:",), ("Costs:",), ("Costs:",)]),  # not indented: until the next, or a total
        ((90.0, 0.0, 0.0, 0.0), [(), ("Costs:",), ("Costs:",), ("Costs:",)]),  # in the middle: all that follow
    ],
)
def test_indents_tell_which_rows_a_label_stands_over(indents: tuple[float, ...], labels: list[tuple[str, ...]]) -> None:
    body = [["Costs:", ""], ["Rent", "5"], ["Wages", "6"], ["Tax", "1"]]
    assert [row.labels for row in labelled(body, indents)] == labels


def test_a_label_with_nothing_under_it_is_a_row() -> None:
    assert [row.is_label for row in labelled([["Rent", "5"], ["See note 3", ""]])] == [False, False]


def test_a_long_caption_is_shortened_in_rows_and_its_brackets_do_not_end_it() -> None:
    caption = "Table 3. Use [kWh] of models. " + "All were measured. " * 20
    row = rows.sentence(["", "kWh"], ["T5", "86"], caption=caption)
    assert row == "T5; kWh: 86 [Table 3. Use (kWh) of models]"
    assert [row[slice(*span)] for span in rows.spans(row)] == ["T5", " kWh: 86"]

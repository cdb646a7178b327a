"""Blocks grow into a tree."""

from __future__ import annotations

import pytest
from grown import grow
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.blocks import Block, Mark, Parsed
from indexer.grow import DEEPEST, adopted
from kohaku import tokens
from kohaku.tree import Box, Document, Kind, Node, Tier, Tree, shown


def count(text: str) -> int:
    return len(text.split())


def tree(*blocks: Block, max_tokens: int = 20, id: str = "doc") -> Tree:
    parsed = Parsed("A title", blocks)
    return grow(parsed, Document(id, "A title", ("a.md",), "", ""), count=count, max_tokens=max_tokens)


def head(text: str, level: int) -> Block:
    return Block(Kind.SECTION, text, level=level)


def paragraph(text: str) -> Block:
    return Block(Kind.PARAGRAPH, text)


def of(grown: Tree, tier: Tier) -> list[Node]:
    return [node for node in grown.nodes if node.tier is tier]


def test_nodes_stand_in_reading_order_under_readable_ids() -> None:
    grown = tree(
        paragraph("Before."), head("One", 1), paragraph("One ends. Two ends."), head("Two", 2), paragraph("E.")
    )
    assert [(node.id, node.position, node.last, node.parent, node.level) for node in grown.nodes] == [
        ("doc", 0, 10, None, 0),
        ("doc:s0", 1, 3, 0, 1),
        ("doc:s0:p1", 2, 3, 1, 0),
        ("doc:s0:p1:s1", 3, 3, 2, 0),
        ("doc:s1", 4, 10, 0, 1),
        ("doc:s1:p1", 5, 7, 4, 0),
        ("doc:s1:p1:s1", 6, 6, 5, 0),
        ("doc:s1:p1:s2", 7, 7, 5, 0),
        ("doc:s1.1", 8, 10, 4, 2),
        ("doc:s1.1:p1", 9, 10, 8, 0),
        ("doc:s1.1:p1:s1", 10, 10, 9, 0),
    ]


def test_a_sections_text_is_its_subtrees_and_never_only_its_title() -> None:
    grown = tree(head("One", 1), paragraph("A b."), head("Two", 2), paragraph("C."), head("Three", 1), paragraph("D."))
    texts = {node.title: node.text for node in grown.nodes if node.title}
    assert texts["One"] == "A b.\n\nTwo\n\nC."
    assert texts["A title"] == "One\n\nA b.\n\nTwo\n\nC.\n\nThree\n\nD."


def test_headings_that_jump_levels_nest_by_one() -> None:
    grown = tree(head("a", 1), head("b", 4), head("c", 2), head("d", 3), head("e", 1))
    sections = {node.title: (node.level, node.headings) for node in of(grown, Tier.SECTION)}
    assert sections == {
        "a": (1, ("a",)),
        "b": (2, ("a", "b")),
        "c": (2, ("a", "c")),
        "d": (3, ("a", "c", "d")),
        "e": (1, ("e",)),
    }


def test_a_heading_with_nothing_under_it_can_be_found() -> None:
    grown = tree(head("All that the page says", 1), head("Next", 1), paragraph("Text."))
    assert [node.text for node in of(grown, Tier.PARAGRAPH)] == ["All that the page says", "Text."]


def test_an_outline_thousands_deep_does_not_multiply_its_text() -> None:
    grown = tree(*(head(f"h{level}", level) for level in range(1, 3000)), paragraph("End."))
    assert max(node.level for node in grown.nodes) == DEEPEST
    assert sum(len(node.text) for node in grown.nodes) < 3_000_000


def test_a_paragraph_too_long_is_several_that_join_to_it() -> None:
    text = " ".join(f"Sentence number {n} has six words." for n in range(10))
    grown = tree(paragraph(text))
    parts = of(grown, Tier.PARAGRAPH)
    assert len(parts) > 1
    assert all(part.tokens <= 20 for part in parts)
    assert " ".join(part.text for part in parts) == text


def test_a_word_of_200000_characters_is_cut_and_kept_whole() -> None:
    grown = grow(
        Parsed("", (paragraph("x" * 200_000),)), Document("d", "", (), "", ""), count=lambda text: len(text) // 4 + 1
    )
    sentences = of(grown, Tier.SENTENCE)
    assert all(sentence.tokens <= 200 for sentence in sentences)
    assert "".join(sentence.text for sentence in sentences) == "x" * 200_000


def test_a_sentence_has_the_boxes_and_pages_of_its_own_text() -> None:
    text = "First line of it. Second one here."
    marks = (Mark(0, 11, Box(3, 0, 0, 9, 1)), Mark(12, 24, Box(3, 0, 2, 9, 3)), Mark(25, 34, Box(4, 0, 0, 9, 1)))
    grown = tree(Block(Kind.PARAGRAPH, text, marks=marks))
    first, second = of(grown, Tier.SENTENCE)
    assert [box.y0 for box in first.boxes] == [0, 2]
    assert [(box.page, box.y0) for box in second.boxes] == [(3, 2), (4, 0)]
    assert (first.pages, second.pages, grown.nodes[0].pages) == ((3, 3), (3, 4), (3, 4))


def test_a_long_table_repeats_caption_and_head_in_every_part() -> None:
    rows = [f"| m{n} | {n} |" for n in range(30)]
    text = "\n".join(["(in millions)", "| Model | kWh |", "| --- | --- |", *rows])
    marks: list[Mark] = []
    for row in rows:
        at = text.index(row)
        marks.append(Mark(at, at + len(row), Box(1, 0, len(marks), 1, len(marks) + 1)))
    block = Block(
        Kind.TABLE,
        text,
        title="Table 1: Use.",
        marks=tuple(marks),
        sentences=tuple(f"Model: m{n}; kWh: {n}" for n in range(30)),
    )
    grown = tree(block, max_tokens=60)
    parts = of(grown, Tier.PARAGRAPH)
    assert len(parts) > 1
    assert all(part.kind is Kind.TABLE and part.title == "Table 1: Use." for part in parts)
    assert all(part.text.startswith("Table 1: Use.\n(in millions)\n\n| Model | kWh |\n| --- |") for part in parts)
    sentences = of(grown, Tier.SENTENCE)
    assert [sentence.text for sentence in sentences] == list(block.sentences)
    assert [sentence.boxes[0].y0 for sentence in sentences] == list(range(30))
    assert all(len(sentence.boxes) == 1 for sentence in sentences)


def test_a_tables_place_is_that_of_its_caption_and_head_too() -> None:
    text = "| Model | kWh |\n| --- | --- |\n| T5 | 86 |"
    marks = (Mark(0, 1, Box(1, 0, 10, 9, 12)), Mark(0, 15, Box(1, 0, 20, 9, 22)), Mark(32, 42, Box(1, 0, 30, 9, 32)))
    grown = tree(Block(Kind.TABLE, text, title="Table 1", marks=marks, sentences=("Model: T5; kWh: 86",)))
    [part] = of(grown, Tier.PARAGRAPH)
    assert [box.y0 for box in part.boxes] == [10, 20, 30]
    assert [box.y0 for box in of(grown, Tier.SENTENCE)[0].boxes] == [30]


def test_a_row_longer_than_a_paragraph_may_be_is_cut() -> None:
    row = " ".join(f"cell{n}" for n in range(100))
    grown = tree(Block(Kind.TABLE, row, sentences=(row,)))
    assert all(node.tokens <= 20 for node in of(grown, Tier.PARAGRAPH) + of(grown, Tier.SENTENCE))
    assert " ".join(node.text for node in of(grown, Tier.SENTENCE)) == row


def test_a_lists_items_are_its_sentences() -> None:
    grown = tree(Block(Kind.LIST, "- one. two\n- three", sentences=("one. two", "three")))
    assert [node.text for node in of(grown, Tier.SENTENCE)] == ["one. two", "three"]
    assert [node.text for node in of(grown, Tier.PARAGRAPH)] == ["- one. two\n- three"]


def test_a_long_list_keeps_its_markers_in_every_part() -> None:
    items = [f"item {n} with words" for n in range(12)]
    grown = tree(Block(Kind.LIST, "\n".join(f"- {item}" for item in items), sentences=tuple(items)))
    parts = of(grown, Tier.PARAGRAPH)
    assert len(parts) > 1
    assert "\n".join(part.text for part in parts) == "\n".join(f"- {item}" for item in items)


def test_a_figure_without_text_is_a_node_with_its_picture() -> None:
    grown = tree(Block(Kind.FIGURE, "", image=b"png"), Block(Kind.FIGURE, "", image=b"png"))
    first, second = of(grown, Tier.PARAGRAPH)
    assert first.image == second.image
    assert (first.text, first.tokens, first.last) == ("", 0, first.position)
    assert grown.images == {first.image: b"png"}


def test_a_caption_is_part_of_its_figures_text() -> None:
    [figure] = of(tree(Block(Kind.FIGURE, "Bars of energy.", title="Figure 2.")), Tier.PARAGRAPH)
    assert figure.text == "Figure 2.\n\nBars of energy."


def test_code_has_no_sentences() -> None:
    grown = tree(Block(Kind.CODE, "a = 1. \nb = 2. "))
    assert not of(grown, Tier.SENTENCE)


def test_an_adopted_tree_bears_the_other_documents_name() -> None:
    grown = tree(head("One", 1), paragraph("Text."), id="")
    nodes = [adopted(node, Document("a:b c", "New", (), "", "")) for node in grown.nodes]
    assert {node.document for node in nodes} == {"a:b c"}
    assert nodes[-1].id == "a:b c:s1:p1:s1"
    assert [node.title for node in nodes[:2]] == ["New", "One"]


def test_a_document_of_nothing_is_a_tree_of_one() -> None:
    assert len(tree().nodes) == 1


blocks = st.lists(
    st.one_of(
        st.builds(head, st.text(min_size=1, max_size=9), st.integers(1, 9)),
        st.builds(paragraph, st.text(max_size=200)),
        st.builds(
            lambda items: Block(Kind.LIST, "\n".join(items), sentences=tuple(items)), st.lists(st.text(max_size=30))
        ),
        st.builds(
            lambda rows: Block(Kind.TABLE, "\n".join(rows), title="T", sentences=tuple(rows)),
            st.lists(st.text(max_size=30)),
        ),
    ),
    max_size=12,
)


@given(blocks)
@settings(deadline=None)
def test_every_tree_is_well_formed(found: list[Block]) -> None:
    grown = tree(*found, max_tokens=8)
    for position, node in enumerate(grown.nodes):
        assert node.position == position <= node.last
        assert node.tokens == count(node.text)
        if node.parent is not None:
            parent = grown.nodes[node.parent]
            assert node.parent < position <= node.last <= parent.last
            assert parent.covers(node)
            order = list(Tier)
            assert order.index(parent.tier) < order.index(node.tier) or parent.tier is node.tier is Tier.SECTION
    assert len({node.id for node in grown.nodes}) == len(grown.nodes)


@pytest.mark.parametrize("end", [".", "(2023)", "…", "4 %", "x"])
@pytest.mark.parametrize("start", ["It", "(a) it", "- 7", "    if it:", "“It", "水"])
def test_sections_are_counted_as_their_whole_text_though_that_is_never_joined(start: str, end: str) -> None:
    code = Block(Kind.CODE, f"{start} rose\n  by{end}")
    blocks = (head("One", 1), paragraph(f"It fell{end}"), head(f"Two {end}", 2), code, paragraph(f"{start} fell{end}"))
    grown = grow(Parsed("", blocks), Document("doc", "", (), "", ""), count=tokens.count)
    for node in grown.nodes:
        assert node.tokens == tokens.count(node.text)
        assert node.shown_tokens == tokens.count(shown(node.headings, node.text))


@pytest.mark.parametrize("kind", [Kind.PARAGRAPH, Kind.FOOTNOTE, Kind.FORMULA])
def test_sentences_join_to_their_paragraph(kind: Kind) -> None:
    text = "Dr. Pablo measured 3.5 kWh (Fig. 2). It was warm! Was it?"
    grown = tree(Block(kind, text))
    assert " ".join(node.text for node in of(grown, Tier.SENTENCE)) == text


def test_a_node_knows_what_it_costs_under_its_headings() -> None:
    grown = tree(head("One two", 1), paragraph("Three four."))
    assert {node.id: node.shown_tokens for node in grown.nodes if node.kind is not Kind.DOCUMENT} == {
        "doc:s1": 4,
        "doc:s1:p1": 4,
        "doc:s1:p1:s1": 4,
    }

"""Sentences that speak of a figure are linked with it."""

from __future__ import annotations

import pytest
from grown import grow
from hypothesis import given
from hypothesis import strategies as st

from indexer.blocks import Block, Parsed
from indexer.mentions import label_of
from kohaku.tokens import count
from kohaku.tree import Document, Kind, Tree

DOCUMENT = Document("d", "Report", ("d.pdf",), "c", "f")


def figure(title: str) -> Block:
    return Block(Kind.FIGURE, title, title=title, image=title.encode())


def tree(*blocks: Block) -> Tree:
    return grow(Parsed("Report", blocks), DOCUMENT, count=count)


def links(*blocks: Block) -> list[tuple[str, str]]:
    """Each link as the figure's title and the sentence's text."""
    grown = tree(*blocks)
    return [(grown.nodes[figure].title, grown.nodes[sentence].text) for figure, sentence in grown.mentions]


def spoken_of(sentence: str, *titles: str) -> list[str]:
    return [title for title, _ in links(Block(Kind.PARAGRAPH, sentence), *map(figure, titles))]


FIGURES = ("Figure 2: Water.", "Figure 3. Power.", "Figure 4 Heat", "Figure 12: Rain.", "Figure A.1: Soil.")


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        ("Use fell (see Figure 3).", ["3"]),
        ("Use fell, as Fig. 3a shows.", ["3"]),
        ("Wie Abb. 2 zeigt, fiel er; siehe auch Abbildung 12.", ["2", "12"]),
        ("Both rose (Figs. 2 and 3).", ["2", "3"]),
        ("All rose in Figures 2–4.", ["2", "3", "4"]),
        ("All rose in figures 2-4, and FIG. 12 too.", ["2", "3", "4", "12"]),
        ("Soils are in Figure A1.", ["A.1"]),
        ("如图3所示，用水量下降。", ["3"]),
        ("Figure 3 shows that it fell.", ["3"]),
        ("In Figure 33 and Table 3 it rose, in configure 3 it did not.", []),
        ("Figures 2019 and 2020 were restated.", []),
        ("Figure 3: Power ........ 17", []),
    ],
)
def test_a_mention_is_of_the_figures_it_numbers(sentence: str, numbers: list[str]) -> None:
    found = spoken_of(sentence, *FIGURES)
    assert [title.split()[1].rstrip(".:") for title in found] == numbers


def test_panels_with_captions_of_their_own_are_told_apart() -> None:
    assert spoken_of("See Fig. 1b.", "Fig. 1a: Left.", "Fig. 1b: Right.") == ["Fig. 1b: Right."]
    assert spoken_of("See Figure 2-1.", "Figure 2-1: One.", "Figure 1: Two.") == ["Figure 2-1: One."]


def test_of_two_figures_of_one_number_the_nearest_is_meant_and_none_mentions_itself() -> None:
    first, second = Block(Kind.PARAGRAPH, "Figure 1 is here."), Block(Kind.PARAGRAPH, "Figure 1 is there.")
    own = "Figure 1: Figure 1 speaks of itself."
    other = "Figure 1: Another, of the same number."
    assert links(first, figure(own), figure(other), second) == [(own, first.text), (other, second.text)]


def test_works_cited_mention_no_figure_of_ours() -> None:
    assert links(Block(Kind.REFERENCE, "Ann Lee, Figure 3, 2019."), figure("Figure 3: Power.")) == []


@given(st.text(alphabet="Figures. 0123456789abA-–,&toand図"), st.text(alphabet="Fig. 123-a:"))
def test_any_text_can_be_searched_for_mentions(text: str, title: str) -> None:
    grown = tree(Block(Kind.PARAGRAPH, text), figure(title))
    assert all(grown.nodes[figure].kind is Kind.FIGURE for figure, _ in grown.mentions)
    label_of(title)

"""Long paragraphs are cut down to the sentences that fit a question, where its words are not found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import LetterEmbedder
from corpus import indexed

from kohaku.choices import Condense
from kohaku.store import Hit
from kohaku.tokens import count
from kohaku.tree import Kind, Node, Tier
from retriever.budget import Unit
from retriever.condense import LONG, condense, given_back, worths
from retriever.evidence import GAP, Evidence
from retriever.retrieve import Limits, Method, retrieve
from retriever.search import Ranking, Source

SENTENCES = [Node("d", n, n, 0, Kind.SENTENCE, f"s{n}", f"Sentence {n}.", 40, key=n) for n in range(1, 6)]
PARAGRAPH = Node("d", 0, 5, None, Kind.PARAGRAPH, "p", " ".join(one.text for one in SENTENCES), 200, key=9)
UNITS = [Unit(replace(PARAGRAPH, key=key), 1.0) for key in (7, 8)]
WORTH = {1: 1.0, 2: 0.1, 3: 0.6, 4: 0.5, 5: 0.2}


def test_what_is_to_stay_whole_is_read_as_it_stands() -> None:
    units = [Unit(replace(PARAGRAPH, key=key), 1.0) for key in (7, 8, 9)]
    read = condense(units, dict.fromkeys((7, 8, 9), SENTENCES), lambda one: WORTH[one.key], whole={7, 8})
    assert [unit.node.text == PARAGRAPH.text for unit in read] == [True, True, False]


def test_what_the_budget_leaves_makes_condensed_paragraphs_whole_again_the_best_first() -> None:
    kept = [replace(unit, node=condensed(replace(PARAGRAPH, key=unit.node.key))) for unit in UNITS]
    originals = {unit.node.key: unit.node for unit in UNITS}
    for budget, whole in ((239, [False, False]), (320, [True, False]), (400, [True, True])):
        read = given_back(kept, originals, budget, lambda node: node.tokens)
        assert [unit.node.text == PARAGRAPH.text for unit in read] == whole
        assert sum(unit.node.tokens for unit in read) <= max(budget, 240)


def condensed(node: Node, sentences: list[Node] = SENTENCES) -> Node:
    [unit] = condense([Unit(node, 1.0)], {node.key: sentences}, lambda one: WORTH[one.key])
    return unit.node


def test_what_is_worth_half_the_best_stays_and_gaps_show() -> None:
    kept = condensed(PARAGRAPH)
    assert kept.text == f"Sentence 1.{GAP}Sentence 3. Sentence 4."
    assert (kept.id, kept.tokens, kept.shown_tokens) == ("p", 120, None)


@pytest.mark.parametrize(
    "node", [replace(PARAGRAPH, kind=Kind.TABLE), replace(PARAGRAPH, tokens=LONG - 1), replace(PARAGRAPH, key=7)]
)
def test_tables_short_paragraphs_and_what_has_no_sentences_stay_whole(node: Node) -> None:
    assert condense([Unit(node, 1.0)], {9: SENTENCES}, lambda one: WORTH[one.key])[0].node == node


def test_where_no_sentence_is_worth_anything_all_stay() -> None:
    [unit] = condense([Unit(PARAGRAPH, 1.0)], {9: SENTENCES}, lambda one: 0.0)
    assert unit.node == PARAGRAPH


def test_a_sentences_worth_is_its_mean_share_in_the_lists_of_the_question() -> None:
    lists = [
        Ranking(0, Source.WORDS, Tier.SENTENCE, (Hit(1, 8.0), Hit(2, 4.0))),
        Ranking(0, Source.MEANING, Tier.SENTENCE, (Hit(2, 0.9),)),
        Ranking(1, Source.WORDS, Tier.SENTENCE, (Hit(3, 8.0),)),
        Ranking(0, Source.WORDS, Tier.PARAGRAPH, (Hit(4, 8.0),)),
    ]
    assert worths(lists) == {1: 0.5, 2: 0.75}


TEXT = (
    "The old mill by the river is kept by a trust that was founded long ago in the next town. "
    "Its walls are of grey stone, and the roof was laid anew after a storm had taken half of it. "
    "Its wheel turns nine times a minute when the sluice is open. "
    "Visitors are asked to leave dogs and bicycles at the gate, where there is a shed with hooks. "
    "On the first Sunday of each month bread is baked from flour that was ground in the house. "
    "The path along the bank is muddy from autumn on, and boots are lent to whoever has none. "
    "In winter the house is closed, the race is drained, and the gears are greased by hand for the year to come."
)


def read(folder: Path, question: str, condensing: Condense, budget: int = 200) -> Evidence:
    """The evidence from the mill's pages, of which this budget holds two in sentences."""
    embedder = LetterEmbedder()
    other = ". ".join(TEXT.rstrip(".").split(". ")[::-1]) + "."
    with indexed(folder, {"mill.txt": TEXT, "other.txt": other}, embedder=embedder) as store:
        return retrieve(
            question,
            (question,),
            store,
            embedder,
            Limits(50, budget),
            Method("score", condense=condensing),
            count=count,
        )


@pytest.fixture
def none_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retriever.retrieve.FIRST", 0)


@pytest.mark.usefixtures("none_stays_whole")
def test_only_a_question_in_other_words_is_read_in_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retriever.retrieve.TIGHT", 0)
    other, own = "zygotic wheel xylophone quartz?", "The wheel turns nine times a minute when the sluice is open"
    assert "bicycles" not in read(tmp_path / "1", other, "auto").contexts[0].text
    assert "bicycles" in read(tmp_path / "2", own, "auto").contexts[0].text
    assert "bicycles" in read(tmp_path / "3", other, "off").contexts[0].text
    assert "bicycles" not in read(tmp_path / "4", own, "on", 160).contexts[0].text


@pytest.mark.usefixtures("none_stays_whole")
def test_a_small_budget_holds_sentences_of_long_paragraphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = "The wheel turns nine times a minute when the sluice is open"
    assert "bicycles" not in read(tmp_path / "1", own, "auto", 160).contexts[0].text
    monkeypatch.setattr("retriever.retrieve.TIGHT", 200)
    assert "bicycles" in read(tmp_path / "2", own, "auto").contexts[0].text


@pytest.mark.parametrize("budget", [3000, 500])
def test_nothing_is_left_out_of_a_paragraph_where_all_fits(tmp_path: Path, budget: int, none_stays_whole: None) -> None:
    evidence = read(tmp_path, "wheel", "on", budget)
    assert all("bicycles" in context.text for context in evidence.contexts)
    assert evidence.tokens <= budget

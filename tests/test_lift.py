"""What a document and its neighbours say for a paragraph, and when a section is read whole."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kohaku.tree import Kind, Node, Tier
from retriever import lift as lifting
from retriever.expand import SHORT_SECTION, expand
from retriever.fuse import Ranked, Vote
from retriever.search import Source


def paragraph(key: int, document: str = "d", kind: Kind = Kind.PARAGRAPH, tokens: int = 20) -> Node:
    return Node(document, key, key, 0, kind, f"{document}:{key}", f"text {key}", tokens, key=key)


def ranked(*scores: tuple[int, float], query: int = 0) -> list[Ranked]:
    vote = Vote(query, Source.WORDS, Tier.PARAGRAPH, 1, 1.0)
    return [Ranked(key, score, (vote,)) for key, score in scores]


def nodes(*keys: int, document: str = "d") -> dict[int, Node]:
    return {key: paragraph(key, document) for key in keys}


def lift(
    found: list[Ranked],
    places: dict[int, Node],
    beside: dict[int, list[Node]],
    names: dict[str, float] | None = None,
    floor: float = 0.0,
) -> list[Ranked]:
    return lifting.lift(found, places, beside, names=names or {}, floor=floor)


def order(found: list[Ranked]) -> list[int]:
    return [one.key for one in found]


def test_of_two_paragraphs_alike_the_one_in_the_better_document_comes_first() -> None:
    places = {**nodes(1, 2, document="rich"), **nodes(3, document="poor")}
    assert order(lift(ranked((1, 2.0), (3, 1.0), (2, 1.0)), places, {})) == [1, 2, 3]


def test_a_neighbour_of_a_find_is_offered_after_it_with_the_queries_that_found_it() -> None:
    found = lift(ranked((5, 1.0), query=2), nodes(5), {5: [paragraph(4), paragraph(6)]})
    assert order(found) == [5, 4, 6]
    assert [{vote.query for vote in one.votes} for one in found] == [{2}] * 3


def test_of_two_paragraphs_alike_the_one_beside_a_find_comes_first() -> None:
    found = lift(ranked((5, 2.0), (8, 1.0), (6, 1.0)), nodes(5, 6, 8), {5: [paragraph(6)]})
    assert order(found) == [5, 6, 8]


def test_pieces_of_one_table_stand_behind_what_is_found_nearly_as_well() -> None:
    head = "Table 7: Average balances\n\n| Kind | 2022 |\n| --- | --- |\n"
    pieces = {
        key: replace(paragraph(key, kind=Kind.TABLE), text=f"{head}| row {key} | {key} |", position=key * 10)
        for key in (1, 2, 3)
    }
    other = replace(paragraph(4, kind=Kind.TABLE), text="| Kind | 2022 |\n| --- | --- |\n| row | 4 |")
    found = lift(ranked((1, 1.0), (2, 0.99), (3, 0.98), (4, 0.95), (5, 0.94)), {**pieces, 4: other, **nodes(5)}, {})
    assert order(found) == [1, 4, 5, 2, 3]
    assert [one.key for one in found if one.lift and one.lift.piece < 0] == [2, 3]


def test_what_stands_in_a_named_document_comes_before_a_somewhat_better_hit_elsewhere() -> None:
    places = {**nodes(1, document="named"), **nodes(2, 3, document="other")}
    found = ranked((2, 1.0), (1, 0.8), (3, 0.1))
    assert order(lift(found, places, {})) == [2, 1, 3]
    assert order(lift(found, places, {}, {"named": 1.0})) == [1, 2, 3]


def test_a_neighbour_that_no_list_holds_scores_as_such_and_not_nothing() -> None:
    found = ranked((5, 1.0), (9, 0.6))
    assert order(lift(found, nodes(5, 9), {5: [paragraph(6)]}, floor=0.59)) == [5, 6, 9]
    assert order(lift(found, nodes(5, 9), {5: [paragraph(6)]})) == [5, 9, 6]


def test_nothing_found_and_nothing_of_worth_stay_as_they_are() -> None:
    assert lift([], {}, {}) == []
    worthless = ranked((1, 0.0), (2, 0.0))
    assert lift(worthless, nodes(1, 2), {1: [paragraph(3)]}) == worthless


@given(st.dictionaries(st.integers(1, 40), st.floats(0, 5), max_size=12), st.randoms(use_true_random=False))
def test_nothing_found_is_lost_and_the_order_is_that_of_the_scores(scores: dict[int, float], chance: object) -> None:
    found = ranked(*sorted(scores.items(), key=lambda item: (-item[1], item[0])))
    beside = {key: [paragraph(key + 100)] for key in scores}
    lifted = lift(found, nodes(*scores), beside)
    assert set(scores) <= set(order(lifted))
    assert [one.score for one in lifted] == sorted((one.score for one in lifted), reverse=True)
    assert lift(found, nodes(*scores), beside) == lifted


def test_what_is_read_is_on_offer_in_every_size_the_largest_first() -> None:
    section = Node("d", 1, 9, 0, Kind.SECTION, "d:s1", "all", SHORT_SECTION, key=1)
    sentence = Node("d", 6, 6, 5, Kind.SENTENCE, "d:s1:p1:s1", "one", 5, key=60)
    units = expand(ranked((5, 2.0), (6, 1.0)), nodes(5, 6), {5: section, 6: section}, {5: sentence})
    assert [(unit.node.key, unit.score) for unit in units] == [(1, 2.0), (5, 2.0), (60, 2.0), (6, 1.0)]


def test_a_long_section_and_a_whole_document_are_not_offered() -> None:
    section = Node("d", 1, 9, 0, Kind.SECTION, "d:s1", "all", SHORT_SECTION + 1, key=1)
    document = Node("e", 0, 9, None, Kind.DOCUMENT, "e", "all", 10, key=2)
    units = expand(ranked((5, 2.0), (6, 1.0)), nodes(5, 6), {5: section, 6: document}, {})
    assert [unit.node.key for unit in units] == [5, 6]

"""Whole units within a number of tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kohaku.tree import Kind, Node
from retriever.budget import Unit, fill

SECTION, FIRST, SECOND = (1, 5), (2, 3), (4, 5)  # a section's place, and those of its two paragraphs
KINDS = {SECTION: Kind.SECTION}


def node(place: tuple[int, int], tokens: int = 10, document: str = "d") -> Node:
    position, last = place
    return Node(
        document=document,
        position=position,
        last=last,
        parent=0,
        kind=KINDS.get(place, Kind.PARAGRAPH),
        id=f"{document}:{position}",
        text=f"text {position}",
        tokens=tokens,
        key=hash((document, place)),
    )


def unit(place: tuple[int, int], tokens: int = 10, score: float = 1.0, document: str = "d") -> Unit:
    return Unit(node(place, tokens, document), score)


def cost(node: Node) -> int:
    return node.tokens + 2


def places(units: list[Unit]) -> list[tuple[int, int]]:
    return [(one.node.position, one.node.last) for one in units]


def test_what_does_not_fit_is_passed_over_for_what_is_smaller() -> None:
    assert places(fill([unit(FIRST, 50), unit(SECOND, 8)], 10, cost)) == [SECOND]


def test_a_unit_fits_to_the_last_token_and_not_beyond() -> None:
    assert places(fill([unit(FIRST, 8)], 10, cost)) == [FIRST]
    assert fill([unit(FIRST, 9)], 10, cost) == []


def test_a_section_takes_the_place_of_its_paragraphs_where_it_fits() -> None:
    other = unit((7, 8))
    kept = fill([unit(FIRST), other, unit(SECOND), unit(SECTION, 20)], 100, cost)
    assert places(kept) == [SECTION, (7, 8)]


def test_a_paragraph_stays_where_its_section_does_not_fit() -> None:
    assert places(fill([unit(FIRST), unit(SECTION, 90)], 50, cost)) == [FIRST]
    assert places(fill([unit(SECTION, 90), unit(FIRST)], 50, cost)) == [FIRST]


def test_what_a_section_frees_counts_when_it_is_to_fit() -> None:
    assert places(fill([unit(FIRST, 10), unit(SECOND, 10), unit(SECTION, 22)], 24, cost)) == [SECTION]


def test_a_paragraph_of_a_section_that_is_in_comes_not_again() -> None:
    assert places(fill([unit(SECTION, 20), unit(FIRST)], 100, cost)) == [SECTION]


def test_places_of_different_documents_have_nothing_to_do_with_each_other() -> None:
    kept = fill([unit(SECTION, document="a"), unit(FIRST, document="b")], 100, cost)
    assert [one.node.document for one in kept] == ["a", "b"]


def test_no_budget_and_no_units_give_nothing() -> None:
    assert fill([], 100, cost) == fill([unit(FIRST)], 0, cost) == []


@st.composite
def nested(draw: st.DrawFn) -> list[Unit]:
    """Units of two documents in any order, whose places hold each other or have nothing in common."""
    ranges = [(start, start + size - 1) for size in (8, 4, 2, 1) for start in range(0, 16, size)]
    chosen = draw(st.lists(st.tuples(st.sampled_from(ranges), st.sampled_from("ab")), unique=True, max_size=20))
    return [unit(place, draw(st.integers(0, 40)), document=document) for place, document in chosen]


@given(nested(), st.integers(0, 120))
def test_whatever_the_units_the_budget_holds_and_nothing_is_there_twice(units: list[Unit], budget: int) -> None:
    kept = fill(units, budget, cost)
    assert sum(cost(one.node) for one in kept) <= budget
    assert not [(a, b) for a in kept for b in kept if a is not b and a.node.covers(b.node)]


@given(nested(), st.integers(0, 120))
def test_what_was_taken_in_stays_in_itself_or_in_a_larger_unit(units: list[Unit], budget: int) -> None:
    for number in range(len(units)):
        before, after = fill(units[:number], budget, cost), fill(units[: number + 1], budget, cost)
        assert all(any(other.node.covers(one.node) for other in after) for one in before)

"""Many rankings become one: agreement counts, ties are settled, weights bite."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku.choices import Fusion
from kohaku.store import Hit
from kohaku.tree import Tier
from retriever.fuse import FLOOR, FREQUENCY_SHARE, SMOOTHING, Ranked, collect, floor, fuse, settled
from retriever.search import Ranking, Source

FUSIONS: tuple[Fusion, ...] = ("rrf", "combined", "frequency", "score")  # append trusts no list by words at all
HOME = {key: key for key in range(100)}


def ranking(
    *keys: int,
    query: int = 0,
    source: Source = Source.WORDS,
    tier: Tier = Tier.PARAGRAPH,
    scores: list[float] | None = None,
) -> Ranking:
    """A ranking of keys, best first, with falling scores where none are given."""
    given = scores or [float(len(keys) - place) for place in range(len(keys))]
    return Ranking(query, source, tier, tuple(map(Hit, keys, given)))


def order(rankings: list[Ranking], by: Fusion, home: dict[int, int] | None = None) -> list[int]:
    return [found.key for found in fuse(rankings, home or HOME, by=by, weights={})]


def scores(rankings: list[Ranking], by: Fusion) -> dict[int, float]:
    return {found.key: found.score for found in fuse(rankings, HOME, by=by, weights={})}


def test_reciprocal_rank_fusion_is_as_worked_by_hand() -> None:
    found = scores([ranking(1, 2), ranking(2, 3, query=1)], "rrf")
    first, second = 1 / (SMOOTHING + 1), 1 / (SMOOTHING + 2)
    assert found == pytest.approx({1: first, 2: second + first, 3: second})
    assert order([ranking(1, 2), ranking(2, 3, query=1)], "rrf") == [2, 1, 3]


def test_score_adds_the_shares_of_each_list_s_best() -> None:
    found = scores([ranking(1, 2, scores=[8.0, 2.0]), ranking(2, scores=[0.5], query=1)], "score")
    assert found == pytest.approx({1: 1.0, 2: 0.25 + 1.0})


def test_frequency_puts_what_more_queries_found_before_what_one_found_better() -> None:
    rankings = [ranking(1, 2), ranking(3, 2, query=1)]
    assert order(rankings, "frequency") == [2, 1, 3]


def test_combined_adds_frequency_and_score() -> None:
    found = scores([ranking(1, 2, scores=[4.0, 3.0]), ranking(2, query=1)], "combined")
    assert found == pytest.approx(
        {1: FREQUENCY_SHARE + (1 - FREQUENCY_SHARE), 2: 2 * FREQUENCY_SHARE + (1 - FREQUENCY_SHARE) * 1.75}
    )


@pytest.mark.parametrize("by", FUSIONS)
def test_agreement_is_counted_before_hits_of_one_paragraph_are_merged(by: Fusion) -> None:
    sentences = {11: 1, 12: 1, 20: 2, 30: 3}
    rankings = [ranking(20, 11, tier=Tier.SENTENCE), ranking(30, 12, tier=Tier.SENTENCE, query=1)]
    assert order(rankings, by, sentences)[0] == 1


@pytest.mark.parametrize("by", FUSIONS)
def test_a_list_votes_once_for_a_paragraph_by_the_best_of_its_sentences(by: Fusion) -> None:
    many = [ranking(11, 12, 13, 20, tier=Tier.SENTENCE, scores=[4.0, 4.0, 4.0, 4.0])]
    found = fuse(many, {11: 1, 12: 1, 13: 1, 20: 2}, by=by, weights={})
    assert [len(one.votes) for one in found] == [1, 1]
    assert [vote.rank for one in found for vote in one.votes] == [1, 2]


@pytest.mark.parametrize("by", FUSIONS)
def test_a_paragraph_that_no_list_holds_gets_no_points(by: Fusion) -> None:
    assert sorted(order([ranking(1), ranking(2, query=1)], by)) == [1, 2]
    assert order([ranking(1, 7)], by, {1: 1}) == [1]
    assert order([ranking(), ranking(query=1)], by) == []


@pytest.mark.parametrize("by", ["rrf", "score"])
def test_a_list_of_weight_nothing_moves_nothing(by: Fusion) -> None:
    words, meaning = ranking(1, 2, 3), ranking(3, 2, 1, source=Source.MEANING)
    silent = {(0, Source.MEANING, Tier.PARAGRAPH): 0.0}
    assert [found.key for found in fuse([words, meaning], HOME, by=by, weights=silent)] == [1, 2, 3]
    loud = {(0, Source.WORDS, Tier.PARAGRAPH): 0.0}
    assert [found.key for found in fuse([words, meaning], HOME, by=by, weights=loud)] == [3, 2, 1]


@pytest.mark.parametrize("by", FUSIONS)
def test_ties_go_to_the_earlier_paragraph_in_whatever_order_the_lists_come(by: Fusion) -> None:
    rankings = [ranking(9), ranking(4, query=1), ranking(6, query=2)]
    assert order(rankings, by) == order(rankings[::-1], by) == [4, 6, 9]


def test_scores_below_nothing_count_as_nothing() -> None:
    [votes] = collect([ranking(1, scores=[-0.2])], HOME).values()
    assert [vote.share for vote in votes] == [0.0]


@st.composite
def all_rankings(draw: st.DrawFn) -> list[Ranking]:
    lists = draw(st.lists(st.lists(st.integers(0, 30), unique=True, max_size=12), max_size=6))
    return [ranking(*keys, query=query % 3, source=list(Source)[query % 2]) for query, keys in enumerate(lists)]


@given(all_rankings(), st.sampled_from(FUSIONS))
def test_every_paragraph_found_comes_out_once_best_first_with_all_its_votes(
    rankings: list[Ranking], by: Fusion
) -> None:
    home = {key: key // 3 for key in range(31)}
    found = fuse(rankings, home, by=by, weights={})
    assert sorted(one.key for one in found) == sorted({home[hit.key] for each in rankings for hit in each.hits})
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        voters = [each for each in rankings if any(home[hit.key] == one.key for hit in each.hits)]
        assert len(one.votes) == len(voters)
        assert {vote.query for vote in one.votes} == {each.query for each in voters}
    assert fuse(rankings, home, by=by, weights={}) == found


def test_what_a_full_list_does_not_hold_scores_nearly_as_its_last_hit_and_not_nothing() -> None:
    full = Ranking(0, Source.MEANING, Tier.PARAGRAPH, (Hit(1, 0.8), Hit(2, 0.6)), floor=0.6)
    other = ranking(3, query=1, scores=[1.0])
    assert scores([full, other], "score") == pytest.approx({1: 1.0, 2: 0.75, 3: 1.0 + FLOOR * 0.75})
    assert floor([full, other], by="score", weights={}) == pytest.approx(FLOOR * 0.75)
    assert floor([full, other], by="rrf", weights={}) == 0.0


def test_append_puts_what_only_words_found_after_all_that_meaning_found() -> None:
    dense = [ranking(5, 6, source=Source.MEANING), ranking(6, query=1, source=Source.MEANING)]
    by_words = [ranking(1, 5, 2), ranking(3, 1, query=1), ranking(9, tier=Tier.SENTENCE)]
    assert order([*dense, *by_words], "append") == [6, 5, 1, 2, 3]
    assert [found.key for found in fuse([*dense, *by_words], HOME, by="append", weights={}, append=1)] == [6, 5, 1]
    assert order(by_words, "append") == [1, 5, 2, 3]
    points = [found.score for found in fuse([*dense, *by_words], HOME, by="append", weights={})]
    assert points == sorted(points, reverse=True) and len(set(points)) == 5


@given(
    st.dictionaries(
        st.integers(0, 30), st.tuples(st.sampled_from("abc"), st.floats(0, 5), st.floats(0, 9)), max_size=9
    ),
    st.frozensets(st.sampled_from("abc")),
)
def test_no_document_gains_on_another_by_the_order_of_its_own_paragraphs(
    found: dict[int, tuple[str, float, float]], documents: frozenset[str]
) -> None:
    def ranked(column: int) -> list[Ranked]:
        each = (Ranked(key, float(row[column]), ()) for key, row in found.items())
        return sorted(each, key=lambda one: (-one.score, one.key))

    places = {key: row[0] for key, row in found.items()}
    before, after = ranked(1), settled(ranked(1), ranked(2), places, documents)
    assert sorted(one.key for one in after) == sorted(found)
    for document in set(places.values()):
        best = max(one.score for one in before if places[one.key] == document)
        assert max(one.score for one in after if places[one.key] == document) == pytest.approx(best)

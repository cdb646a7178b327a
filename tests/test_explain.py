"""Why each piece of evidence is there, and what became of the rest, adds up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import LetterEmbedder
from corpus import indexed

from kohaku.doors.display import evidence_object, explained
from kohaku.scope import Scope
from kohaku.store import Store
from kohaku.tokens import count
from retriever.evidence import Evidence, Ledger, Why
from retriever.plan import plan
from retriever.retrieve import Limits, Method, retrieve

QUESTION = "How much water did Lake Site draw in 2023?"
ABSTRACT = "We measured for 30 days how much water the cooling towers of the large hall need, and why it is so."
WIDE, EVERYWHERE = Limits(100, 100_000), Scope()
LONG = "Other words are written here, and more of them, so that it grows. " * 3


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with indexed(tmp_path) as opened:
        yield opened


def ask(
    question: str, store: Store, limits: Limits = WIDE, *, scope: Scope = EVERYWHERE, explain: bool = True
) -> Evidence:
    queries = plan(question, store, limit=4)
    return retrieve(
        question,
        queries,
        store,
        LetterEmbedder(),
        limits,
        Method("score"),
        count=count,
        scope=scope,
        explain=explain,
    )


def whys(evidence: Evidence) -> list[Why]:
    return [context.why for context in evidence.contexts if context.why]


def ledger(evidence: Evidence) -> Ledger:
    assert evidence.ledger
    return evidence.ledger


def test_a_score_is_the_sum_of_what_is_said_of_it(store: Store) -> None:
    evidence = ask(QUESTION, store)
    assert len(whys(evidence)) == len(evidence.contexts)
    for context, why in zip(evidence.contexts, whys(evidence), strict=True):
        assert context.score == pytest.approx(why.fused + why.document + why.name + why.neighbour + why.piece, abs=1e-5)
    assert whys(evidence)[0].fused == 1.0


def test_what_found_a_context_is_said_with_rank_score_and_weight(store: Store) -> None:
    evidence = ask(QUESTION, store)
    first = [one for one in whys(evidence)[0].findings if one.query == 0 and one.by == "words"]
    assert {one.rank for one in first} == {1}
    assert all(one.score > 1 and 0 < one.weight <= 1 for one in first)
    weights = {(query, by, tier): weight for query, by, tier, weight, _ in ledger(evidence).lists}
    assert all(weights[one.query, one.by, one.tier] == one.weight for why in whys(evidence) for one in why.findings)


def test_explaining_changes_nothing_of_what_is_found_and_is_done_only_when_asked(store: Store) -> None:
    silent, told = ask(QUESTION, store, explain=False), ask(QUESTION, store)
    assert (silent.ledger, whys(silent)) == (None, [])
    assert [context.node for context in silent.contexts] == [context.node for context in told.contexts]


def test_a_context_says_how_it_comes_from_what_was_found(tmp_path: Path) -> None:
    with indexed(tmp_path, {"a.md": f"# T\n\n{LONG}The needle is 7. {LONG}\n\n{LONG}\n"}) as store:
        assert whys(ask("needle", store))[0].expansion == "itself"
        assert whys(ask("needle", store, Limits(100, 40)))[0].expansion == "sentence"
        cuts = ledger(ask("needle", store, Limits(100, 40))).cuts
        assert ("a:s1:p1", "budget", "") in [(cut.node, cut.cause, cut.by) for cut in cuts]
    with indexed(tmp_path / "short", {"a.md": "# T\n\nThe needle is 7.\n\nIt is sharp.\n"}) as store:
        evidence = ask("needle", store)
        assert (whys(evidence)[0].expansion, whys(evidence)[0].found) == ("section", "a:s1:p1")
        assert ("a:s1:p1", "covered", "a:s1") in [(cut.node, cut.cause, cut.by) for cut in ledger(evidence).cuts]


def test_what_a_scope_leaves_out_is_counted(store: Store) -> None:
    told = ledger(ask(QUESTION, store, scope=Scope.of(documents=["lake"])))
    assert (told.scope, told.within) == ("lake", (1, 3))
    assert ledger(ask(QUESTION, store)).within == (3, 3)


def test_an_explanation_is_shown_as_lines_and_as_json(store: Store) -> None:
    evidence = ask(QUESTION, store, Limits(100, 60))
    text = "\n".join(line for _, line in explained(evidence))
    assert "query 0 by words in paragraphs: rank 1, BM25" in text
    assert "left out, over the budget" in text
    assert "the question names lake" in text
    found = evidence_object("1", evidence)
    assert found["contexts"][0]["why"]["findings"][0]["rank"] == 1
    assert found["explanation"]["documents"] == {"within": 3, "of": 3}
    assert {cut["cause"] for cut in found["explanation"]["cut"]} <= {"budget", "duplicate", "covered"}


def test_the_same_in_two_versions_is_evidence_once_with_both_places(tmp_path: Path) -> None:
    other = ABSTRACT.replace("and why", "and  why").replace("is so.", "is so")
    with indexed(tmp_path, {"v1.md": f"# One\n\n{ABSTRACT}\n", "v2.md": f"# Two\n\n{other}\n"}) as store:
        [context] = ask("How much water do the cooling towers need?", store).contexts
        [copy] = context.also
        assert {context.document, copy.document} == {"v1", "v2"}
        assert store.node(copy.node)


def test_a_number_that_differs_makes_it_another_statement(tmp_path: Path) -> None:
    files = {"v1.md": f"# One\n\n{ABSTRACT}\n", "v2.md": f"# Two\n\n{ABSTRACT.replace('30', '31')}\n"}
    with indexed(tmp_path, files) as store:
        assert len(ask("How much water do the cooling towers need?", store).contexts) == 2

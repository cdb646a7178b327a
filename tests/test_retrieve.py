"""A question becomes evidence: best first, within the budget, the same every time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import get_args

import pytest
from conftest import LetterEmbedder
from corpus import indexed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kohaku.choices import Fusion
from kohaku.doors.display import evidence_object, json_line
from kohaku.store import Store
from kohaku.tokens import count
from kohaku.tree import Kind, shown
from kohaku.words import words
from retriever.evidence import Evidence
from retriever.plan import plan
from retriever.retrieve import Limits, Method, distinct, retrieve, tokens
from retriever.search import Source, search
from retriever.trust import coverage, rarities, trust

FUSIONS = get_args(Fusion)
WIDE = Limits(100, 100_000)
QUESTION = "How much water did Lake Site draw in 2023?"

QUESTIONS = [
    *("", " ", "?", '"', "'", "*", "-", "a OR b", "AND", "NOT x", "NEAR(", "NEAR(a b, 3)", "col:x", "text:water", "^x"),
    *("what's CO2-eq?", "GPT-3 (175B)", "naïve 東京", "電力", "電", "q\nr\ts", "a\x00b", "\ud835", "🐟🐟", "%s {} \\"),
    *("'; drop table node; --", "water " * 20_000, "x" * 100_000, "(" * 5000, "é" * 3000),
]


@pytest.fixture
def store(tmp_path: Path, embedder: LetterEmbedder) -> Iterator[Store]:
    with indexed(tmp_path, embedder=embedder) as opened:
        yield opened


def ask(
    question: str,
    store: Store,
    limits: Limits = WIDE,
    *,
    fusion: Fusion = "score",
    count: Callable[[str], int] = count,
    queries: int = 4,
) -> Evidence:
    planned = plan(question, store, limit=queries)
    return retrieve(question, planned, store, LetterEmbedder(), limits, Method(fusion), count=count)


@pytest.mark.parametrize("fusion", ["score", "rrf", "combined"])
def test_the_best_context_holds_the_answer_and_what_it_takes_to_cite_it(store: Store, fusion: Fusion) -> None:
    evidence = ask(QUESTION, store, fusion=fusion)
    best = evidence.contexts[0]
    assert "drew 5.5 million litres" in best.text
    assert (best.document, best.title, best.pages) == ("lake", "Lake Site report", None)
    assert best.headings == ("Lake Site report", "Water")
    assert store.node(best.node) is not None
    assert evidence.queries[0] == evidence.question == QUESTION
    assert [one.score for one in evidence.contexts] == sorted((one.score for one in evidence.contexts), reverse=True)


def test_a_question_in_chinese_finds_what_is_written_in_chinese(store: Store) -> None:
    assert ask("二〇二四年的電力量?", store).contexts[0].document == "songdeli"


def test_an_acronym_finds_the_text_that_has_only_its_words(tmp_path: Path) -> None:
    files = {
        "a.md": "# A\n\nThe power usage effectiveness (PUE) is a measure.",
        "b.md": "# B\n\nIn May the power usage effectiveness was 1.3.",
        "c.md": "# C\n\nOther things were of another kind in May.",
    }
    with indexed(tmp_path, files) as store:
        assert "b" in [context.document for context in ask("PUE in May?", store).contexts[:2]]


@pytest.mark.parametrize(
    ("question", "best"), [("Colours, labelled centre?", "american"), ("Colors, labeled center?", "british")]
)
def test_what_is_spelt_on_one_side_of_the_atlantic_is_found_from_the_other(
    tmp_path: Path, question: str, best: str
) -> None:
    files = {
        "american.md": "# A\n\nEach labeled center has colors.",
        "british.md": "# B\n\nEach labelled centre has colours.",
        "other.md": "# C\n\nWhat has the other side of a road, a river or the sea?",
    }
    del files[f"{'british' if best == 'american' else 'american'}.md"]
    with indexed(tmp_path, files) as store:
        context = ask(question, store).contexts[0]
        assert context.document == best
        assert coverage(question, [context.text], rarities(set(words(question)), store)) == 1


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: repr(question[:12]))
def test_any_text_is_a_legal_question(store: Store, question: str) -> None:
    evidence = ask(question, store, Limits(100, 200))
    assert evidence.tokens <= 200
    assert evidence == ask(question, store, Limits(100, 200))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(st.text(max_size=40), st.integers(1, 150), st.integers(1, 20), st.sampled_from(FUSIONS))
def test_the_budget_holds_whatever_is_asked_and_nothing_is_there_twice(
    store: Store, question: str, budget: int, top_k: int, fusion: Fusion
) -> None:
    evidence = ask(question, store, Limits(top_k, budget), fusion=fusion)
    assert evidence.tokens <= budget
    for context in evidence.contexts:
        assert count(f"{' › '.join(context.headings)}\n{context.text}") <= context.tokens
    nodes = [node for context in evidence.contexts if (node := store.node(context.node))]
    assert not [(a, b) for a in nodes for b in nodes if a is not b and a.covers(b)]


def test_the_budget_holds_by_another_count_too(store: Store) -> None:
    evidence = ask("water power", store, Limits(100, 60), count=lambda text: 0)
    assert sum(len(context.text) / 4 for context in evidence.contexts) <= 60
    assert tokens("a word", 6) == 6 and tokens("a word", 0) == 2


def test_no_text_is_counted_for_a_question_where_the_index_knows_what_each_costs(store: Store) -> None:
    def uncounted(text: str) -> int:
        raise AssertionError(text)

    assert ask(QUESTION, store, count=uncounted).contexts
    nodes = [node for document in store.documents() for node in store.subtree(document.id)]
    assert [node.shown_tokens for node in nodes] == [count(shown(node.headings, node.text)) for node in nodes]


def test_where_a_section_does_not_fit_its_paragraph_does(tmp_path: Path) -> None:
    long = "Other words are written here, and more of them, so that it grows. " * 3
    with indexed(tmp_path, {"a.md": f"# T\n\nThe needle is 7.\n\n{long}\n"}) as store:
        [whole] = ask("needle", store).contexts
        part, *_ = ask("needle", store, Limits(100, whole.tokens - 1)).contexts
        assert (whole.kind, part.kind) == (Kind.SECTION, Kind.PARAGRAPH)
        assert "needle is 7" in part.text


def test_where_a_paragraph_does_not_fit_its_best_sentence_does(tmp_path: Path) -> None:
    long = "Other words are written here, and more of them, so that it grows. " * 3
    with indexed(tmp_path, {"a.md": f"# T\n\n{long}The needle is 7. {long}\n"}) as store:
        best, *_ = ask("needle", store, Limits(100, 40)).contexts
        assert (best.kind, best.text.strip()) == (Kind.SENTENCE, "The needle is 7.")


def test_evidence_is_complete_where_there_is_no_more_to_find(store: Store) -> None:
    assert ask(QUESTION, store).complete
    assert not ask(QUESTION, store, Limits(100, 60)).complete
    assert not ask(QUESTION, store, Limits(1, 100_000)).complete


def test_a_wider_reading_looks_further_and_takes_more() -> None:
    assert Limits(10, 100).wider(3) == Limits(30, 300)


@pytest.mark.parametrize("fusion", FUSIONS)
def test_retrieving_again_gives_the_same_bytes(store: Store, fusion: Fusion) -> None:
    first, *others = (json_line(evidence_object("1", ask(QUESTION, store, fusion=fusion))) for _ in range(5))
    assert set(others) == {first}
    assert json.loads(first)["contexts"]


def test_a_document_s_name_may_hold_any_character(tmp_path: Path) -> None:
    names = ["a:b.md", "a:b:s1:p1.md", "[x] #1 50%.md", "naïve 東京.md", "it's.md"]
    files = {name: f"# Head {number}\n\nIt has the number 77{number}.\n" for number, name in enumerate(names)}
    with indexed(tmp_path, files) as store:
        for number, name in enumerate(names):
            best = ask(f"Which has the number 77{number}?", store).contexts[0]
            assert (best.document, best.headings) == (name.removesuffix(".md"), (f"Head {number}",))


def test_the_same_words_in_two_documents_are_evidence_once(tmp_path: Path) -> None:
    files = {name: f"# {name}\n\nThe needle is 7.\n" for name in ("a.md", "b.md")}
    with indexed(tmp_path, files) as store:
        assert [context.text for context in ask("needle", store).contexts] == ["The needle is 7."]


def test_units_without_words_are_no_evidence() -> None:
    assert distinct([]) == []


def test_an_empty_index_has_no_evidence(tmp_path: Path, embedder: LetterEmbedder) -> None:
    with Store.create(tmp_path / "e.db", fingerprint=embedder.fingerprint, dimensions=embedder.dimensions) as store:
        evidence = ask(QUESTION, store)
    assert evidence.contexts == ()
    assert evidence.complete


# ---- how far the lists are trusted


def covered(question: str, texts: Sequence[str], store: Store) -> float:
    return coverage(question, texts, rarities(words(question), store))


def test_coverage_is_the_share_of_the_question_s_rare_words(store: Store) -> None:
    assert covered("water litres", ["Litres of water were drawn."], store) == pytest.approx(1)
    assert covered("water litres", ["There is none.", ""], store) == 0
    assert 0 < covered("water litres", ["water only", "nothing"], store) < 1
    assert covered("litres water", ["litre"], store) > covered(
        "litres water", ["water"], store
    )  # the rarer weighs more
    assert covered("", ["water"], store) == covered("water", [], store) == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=3))
def test_coverage_is_a_share_whatever_the_texts(store: Store, question: str, texts: list[str]) -> None:
    assert 0 <= covered(question, texts, store) <= 1 + 1e-9


def test_meaning_is_trusted_more_where_the_words_of_the_question_are_not_found(store: Store) -> None:
    def meaning(question: str) -> float:
        rankings = search([question], store, LetterEmbedder(), limit=10)
        found = store.nodes({hit.key for ranking in rankings for hit in ranking.hits})
        weights = trust([question], rankings, found, store)
        assert all(weight >= 0 for weight in weights.values())
        return sum(weight for (_, source, _), weight in weights.items() if source is Source.MEANING)

    assert meaning("Lake Site drew litres of water") < meaning("aquatic withdrawal volume lake")


def test_in_a_document_that_is_named_what_is_asked_is_found_before_what_only_has_its_name(tmp_path: Path) -> None:
    talk = [f"Lake Courier met friends of Lake Courier in harbour {number}." for number in range(30)]
    found = ["Sales rose to 41 crowns.", *talk]
    files = {
        "LAKECOURIER_2022.md": "# Accounts\n\n" + "\n\n".join(found),
        "sales.md": "# Sales\n\nSales of hats fell. Sales are what shops count.",
    }
    with indexed(tmp_path, files) as store:
        evidence = ask("What were the sales of Lake Courier?", store)
        assert evidence.contexts[0].text == "Sales rose to 41 crowns."
        assert evidence.queries[-1] == "sales"


def test_a_name_that_the_question_only_mentions_keeps_the_other_documents_in_their_place(tmp_path: Path) -> None:
    files = {
        "LAKECOURIER_2022.md": "# Accounts\n\nThe ferry runs daily.\n\nTides are watched from the pier.",
        "tides.md": "# The sea\n\nSpring tides follow the new moon by two days.",
    }
    with indexed(tmp_path, files) as store:
        before = ask("How long after the new moon do spring tides follow?", store).contexts[0]
        after = ask("How long after the new moon do spring tides follow, other than at Lake Courier?", store).contexts
        assert before.document == "tides"
        assert before.text in [context.text for context in after[:2]]

"""A fact is answered from paragraphs, an overview from sections or documents; a setting says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import LetterEmbedder
from corpus import indexed

from kohaku.choices import Level
from kohaku.doors.display import evidence_object, explained
from kohaku.scope import Scope
from kohaku.store import Store
from kohaku.tokens import count
from kohaku.tree import Kind, Tier
from retriever.evidence import Evidence
from retriever.level import decide
from retriever.retrieve import Limits, Method, retrieve

FILLING = "More is written here of pumps and pipes, so that the section is a long one that no one reads whole. " * 20
MILL = f"""# The mill

The mill grinds wheat and rye.

## Wheel

The wheel turns nine times a minute. {FILLING}

{FILLING}

## Race

The race is drained in winter. {FILLING}
"""
HARBOUR = """# The harbour

Ships call twice a week.

## Cranes

Two cranes lift forty tonnes each.
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with indexed(tmp_path, {"mill.md": MILL, "harbour.md": HARBOUR}) as opened:
        yield opened


def ask(store: Store, question: str, level: Level = "auto", budget: int = 400, scope: Scope = Scope()) -> Evidence:  # noqa: B008
    return retrieve(
        question,
        (question,),
        store,
        LetterEmbedder(),
        Limits(50, budget),
        Method("score", level=level),
        count=count,
        scope=scope,
        explain=True,
    )


@pytest.mark.parametrize(
    ("question", "tier"),
    [
        ("How many cranes are there?", Tier.PARAGRAPH),
        ("When is the race drained, in an overview?", Tier.PARAGRAPH),
        ("What is the main energy source of the mill?", Tier.PARAGRAPH),
        ("What is this document about?", Tier.DOCUMENT),
        ("Summarize the paper on mills.", Tier.DOCUMENT),
        ("Give me a summary of this report.", Tier.DOCUMENT),
        ("What are the main findings of the study?", Tier.DOCUMENT),
        ("Describe how the wheel is run.", Tier.SECTION),
        ("What are the key risks of the harbour?", Tier.SECTION),
        ("Compare the mill and the harbour.", Tier.SECTION),
        ("What's the report about?", Tier.DOCUMENT),
        ("Tell me what this manual covers.", Tier.DOCUMENT),
        ("What is the paper's main contribution?", Tier.DOCUMENT),
        ("In a nutshell, what does this filing say?", Tier.DOCUMENT),
        ("What does the report say about water in 2022?", Tier.PARAGRAPH),
        ("What strategies does the mill use to save water?", Tier.SECTION),
        ("How does the firm handle climate risk?", Tier.SECTION),
        ("Explain the approach to carbon accounting.", Tier.SECTION),
        ("Explain why the mill was closed.", Tier.PARAGRAPH),
        ("Give me a short summary of the harbour.", Tier.SECTION),
        ("What were the total assets per the summary table?", Tier.PARAGRAPH),
        ("What are the two main risks of the mill?", Tier.PARAGRAPH),
        ("What are the main customers of the mill?", Tier.PARAGRAPH),
        ("Did the study discuss water?", Tier.PARAGRAPH),
        ("总结报告的主要内容", Tier.DOCUMENT),
        ("主要挑战有哪些", Tier.SECTION),
        ("产量是多少？", Tier.PARAGRAPH),
    ],
)
def test_the_words_of_a_question_say_its_level(question: str, tier: Tier) -> None:
    assert decide(question, "auto").tier is tier
    assert decide(question, "sentence") == decide("", "sentence")


def test_an_overview_of_a_document_begins_with_how_its_parts_begin(store: Store) -> None:
    evidence = ask(store, "What is the document on the mill, its wheel and its race about?")
    assert [context.node for context in evidence.contexts[:1]] == ["mill:s1:p1"]
    assert evidence.contexts[0].why is not None and evidence.contexts[0].why.expansion == "opening"
    assert evidence.contexts[0].why.found == "mill"
    assert evidence.tokens <= 400


def test_an_overview_reads_short_sections_whole_and_of_long_ones_the_beginning(store: Store) -> None:
    short = ask(store, "Describe the cranes of the harbour", budget=200)
    assert any(context.kind is Kind.SECTION and "forty" in context.text for context in short.contexts)
    long = ask(store, "Describe the race and the wheel of the mill", budget=3000)
    openings = [one.node for one in long.contexts if one.why and one.why.expansion == "opening"]
    assert {"mill:s1.1:p1", "mill:s1.2:p1"} & set(openings)
    assert not any(one.kind is Kind.SECTION and one.document == "mill" for one in long.contexts)


def test_sentences_are_evidence_where_the_setting_says_so(store: Store) -> None:
    evidence = ask(store, "How often does the wheel turn?", "sentence")
    assert {context.kind for context in evidence.contexts} == {Kind.SENTENCE}
    assert evidence.contexts[0].text == "The wheel turns nine times a minute."


def test_a_score_of_an_overview_is_told_as_it_is(store: Store) -> None:
    for context in ask(store, "Describe the mill").contexts:
        why = context.why
        assert why is not None
        assert context.score == pytest.approx(why.fused + why.document + why.name + why.neighbour, abs=1e-5)


def test_the_level_and_what_decided_it_are_explained(store: Store) -> None:
    evidence = ask(store, "Describe the mill")
    assert evidence.ledger is not None and evidence.ledger.level is Tier.SECTION
    assert any('level section: "Describe" asks for an overview' in line for _, line in explained(evidence))
    assert evidence_object("", evidence)["explanation"]["level"]["tier"] == "section"


def test_kinds_that_a_scope_names_come_before_levels_and_documents_bound_them(store: Store) -> None:
    kinds = ask(store, "Describe the mill", scope=Scope.of(kinds=["paragraph"]))
    assert {context.kind for context in kinds.contexts} <= {Kind.PARAGRAPH, Kind.SENTENCE}
    assert kinds.ledger is not None and kinds.ledger.level is Tier.PARAGRAPH
    bound = ask(store, "Describe the mill", scope=Scope.of(documents=["harbour"]))
    assert {context.document for context in bound.contexts} == {"harbour"}

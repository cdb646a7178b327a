"""What is searched for: the question, its key terms, its acronyms both ways, or a model's plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from conftest import LetterEmbedder
from corpus import indexed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from kohaku.chat import Message
from kohaku.errors import ContextTooLong, KohakuError, ModelError, NoAccess, ReplyError
from kohaku.store import Store
from retriever.plan import key_terms, plan

T = TypeVar("T", bound=BaseModel)

DEFINITIONS = """The power usage effectiveness (PUE) is low. Large language models (LLMs) and R&D
(research and development) matter. The star (STA) is far.
"""


class Planner:
    """A model that plans as it was told to, and remembers what it was asked."""

    def __init__(self, *queries: str, error: KohakuError | None = None) -> None:
        self.queries, self.error = list(queries), error
        self.prompts: list[str] = []

    def ask(self, messages: Sequence[Message], schema: type[T]) -> T:
        self.prompts.append("\n".join(message.content for message in messages))
        if self.error:
            raise self.error
        return schema.model_validate({"queries": self.queries})


@pytest.fixture
def store(tmp_path: Path, embedder: LetterEmbedder) -> Iterator[Store]:
    with indexed(tmp_path, {"definitions.txt": DEFINITIONS}, embedder=embedder) as opened:
        yield opened


def ruled(question: str, store: Store) -> tuple[str, ...]:
    return plan(question, store, limit=9)


def test_the_question_is_first_then_its_key_terms(store: Store) -> None:
    assert ruled("How much water did the site use in 2023?", store) == (
        "How much water did the site use in 2023?",
        "water site use 2023",
    )


def test_a_question_of_key_terms_alone_is_searched_once(store: Store) -> None:
    assert ruled("Water  use", store) == ("Water  use",)


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("What is the PUE?", "What is the power usage effectiveness?"),
        ("What is the Power Usage Effectiveness?", "What is the PUE?"),
        ("How many LLMs are there?", "How many Large language models are there?"),
        ("What does R&D cost?", "What does research and development cost?"),
        ("Is PUE power usage effectiveness?", "Is power usage effectiveness PUE?"),
    ],
)
def test_acronyms_that_the_corpus_defines_are_spelt_the_other_way(store: Store, question: str, other: str) -> None:
    assert other in ruled(question, store)


@pytest.mark.parametrize("question", ["What is the WUE?", "When does it start?", "Where is PUEBLO?"])
def test_what_is_no_acronym_of_the_corpus_stays_as_it_is(store: Store, question: str) -> None:
    assert set(ruled(question, store)) == {question, key_terms(question)}


def test_there_are_no_more_queries_than_asked_for(store: Store) -> None:
    assert plan("What is the PUE of it?", store, limit=1) == ("What is the PUE of it?",)
    assert len(plan("What is the PUE of it?", store, limit=2)) == 2


def test_a_model_plans_beside_the_question(store: Store) -> None:
    planner = Planner("water drawn", "withdrawal of water", "a third")
    assert plan("How much water?", store, limit=3, chat=planner) == (
        "How much water?",
        "water drawn",
        "withdrawal of water",
    )
    assert "How much water?" in planner.prompts[0]


def test_what_a_model_says_twice_or_leaves_empty_is_no_query(store: Store) -> None:
    planner = Planner("how much WATER?", " ", "", "litres", "litres ")
    assert plan("How much water?", store, limit=5, chat=planner) == ("How much water?", "litres")


def test_a_model_is_not_asked_for_a_plan_of_one_query(store: Store) -> None:
    planner = Planner("other")
    assert plan("Water?", store, limit=1, chat=planner) == ("Water?",)
    assert planner.prompts == []


@pytest.mark.parametrize("error", [ModelError("down"), ReplyError("garbage"), ContextTooLong("too long")])
def test_rules_plan_where_the_model_fails_and_the_failure_is_told(store: Store, error: KohakuError) -> None:
    told: list[KohakuError] = []
    queries = plan("What is the PUE?", store, limit=3, chat=Planner(error=error), on_failure=told.append)
    assert queries == plan("What is the PUE?", store, limit=3)
    assert told == [error]


def test_a_wrong_key_is_no_failure_to_live_with(store: Store) -> None:
    with pytest.raises(NoAccess):
        plan("What is the PUE?", store, limit=3, chat=Planner(error=NoAccess("no such key")))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60), st.integers(1, 5))
def test_any_text_is_planned(store: Store, question: str, limit: int) -> None:
    queries = plan(question, store, limit=limit)
    assert 1 <= len(queries) <= limit
    assert queries[0] == question.strip()

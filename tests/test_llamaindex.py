"""LlamaIndex's retriever on an index, with LlamaIndex's own classes around it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from corpus import indexed, letters, use_letters

pytest.importorskip(
    "llama_index", reason="it brings 28 packages, so the lock lacks it; .ci/run installs it to test this"
)

QUESTION = "How much water did Lake Site draw in 2023?"
pytestmark = pytest.mark.filterwarnings("default")  # it warns of itself


@pytest.fixture
def retriever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from kohaku.doors.llamaindex import KohakuRetriever

    use_letters(monkeypatch)
    indexed(tmp_path, embedder=letters()).close()
    retriever = KohakuRetriever.open(tmp_path / "corpus.db", budget=500)
    yield retriever
    retriever.close()


def test_evidence_comes_as_nodes_that_say_where_they_stand(retriever: Any) -> None:
    first, *_ = found = retriever.retrieve(QUESTION)
    assert "5.5 million litres" in "\n".join(one.node.get_content() for one in found)
    assert first.node.node_id == first.node.metadata["node"] and first.node.metadata["doc"] == "lake"
    assert first.score == first.node.metadata["score"]
    assert "doc: lake" in first.node.get_content(metadata_mode="llm")
    assert "tokens" not in first.node.get_content(metadata_mode="llm")


def test_it_answers_asynchronously_and_feeds_a_query_engine(retriever: Any) -> None:
    from llama_index.core import get_response_synthesizer
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine

    assert len(asyncio.run(retriever.aretrieve(QUESTION))) == len(retriever.retrieve(QUESTION))
    engine = RetrieverQueryEngine(retriever, get_response_synthesizer(llm=MockLLM()))
    answered = engine.query(QUESTION)
    assert answered.source_nodes[0].node.metadata["doc"] == "lake"
    assert "5.5 million litres" in str(answered)  # a mock repeats its prompt

"""LangChain's retriever on an index, with LangChain's own classes around it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus import indexed, letters, use_letters
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda

from kohaku.doors.langchain import KohakuRetriever
from kohaku.scope import Scope

QUESTION = "How much water did Lake Site draw in 2023?"


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    use_letters(monkeypatch)
    indexed(tmp_path, embedder=letters()).close()
    return tmp_path / "corpus.db"


@pytest.fixture
def retriever(db: Path) -> Iterator[KohakuRetriever]:
    retriever = KohakuRetriever.open(db, budget=500)
    yield retriever
    retriever.close()


def test_evidence_comes_as_documents_that_say_where_they_stand(retriever: KohakuRetriever) -> None:
    assert isinstance(retriever, BaseRetriever)
    first, *_ = found = retriever.invoke(QUESTION)
    assert "5.5 million litres" in "\n".join(document.page_content for document in found)
    assert first.id == first.metadata["node"] and first.metadata["doc"] == "lake"
    assert set(first.metadata) == {"doc", "title", "node", "kind", "pages", "headings", "score", "tokens"}
    scores = [document.metadata["score"] for document in found]
    assert scores == sorted(scores, reverse=True)


def test_it_keeps_to_its_budget_and_scope(retriever: KohakuRetriever, db: Path) -> None:
    assert sum(document.metadata["tokens"] for document in retriever.invoke("water")) <= 500
    kept = KohakuRetriever.open(db, scope=Scope.of(documents=["north"]))
    assert {document.metadata["doc"] for document in kept.invoke(QUESTION)} == {"north"}
    kept.close()


def test_it_is_a_part_of_a_chain_at_once_and_asynchronously(retriever: KohakuRetriever) -> None:
    chain = retriever | RunnableLambda(lambda documents: len(documents))
    alone = chain.invoke(QUESTION)
    assert chain.batch([QUESTION, QUESTION]) == [alone, alone]
    assert asyncio.run(chain.ainvoke(QUESTION)) == alone

"""A second look puts the first finds in another order, and where it fails they stay as they are."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from corpus import use_letters, write
from fake_server import FakeServer, Step, fails, says
from hypothesis import given
from hypothesis import strategies as st

import kohaku
from kohaku.doors.engine import Engine
from kohaku.errors import KohakuError, NoAccess, RerankerError, SettingsError
from kohaku.tree import Kind, Node
from retriever.fuse import Ranked
from retriever.rerank import LONGEST, Second, reranked

QUESTION = "How much water did Lake Site draw?"


class Shortest:
    """Likes short passages; remembers what it was given."""

    def __init__(self, scores: Callable[[str], float] = lambda passage: -float(len(passage))) -> None:
        self.asked: list[str] = []
        self.score = scores

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        self.asked += passages
        return [self.score(passage) for passage in passages]


class Failing:
    def __init__(self, error: KohakuError) -> None:
        self.error = error

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        raise self.error


def finds(*texts: str) -> tuple[list[Ranked], dict[int, Node]]:
    nodes = {
        key: Node("d", key, key, 0, Kind.PARAGRAPH, f"d:p{key}", text, 5, key=key) for key, text in enumerate(texts)
    }
    return [Ranked(key, 1.0 - key / 10, ()) for key in nodes], nodes


def order(found: list[Ranked]) -> list[int]:
    return [one.key for one in found]


def test_the_first_finds_are_put_in_the_reranker_s_order_and_the_rest_stays() -> None:
    found, nodes = finds("the longest of them", "longer", "x", "a")
    by = Shortest()
    second = reranked("?", found, nodes, Second(by, 3))
    assert order(second) == [2, 1, 0, 3]
    assert [one.score for one in second] == [one.score for one in found]
    assert [(one.place, one.reranked) for one in second] == [(3, -2), (2, -7), (1, -20), (0, None)]
    assert by.asked == ["\nthe longest of them", "\nlonger", "\nx"]


def test_of_passages_alike_the_earlier_stays_first() -> None:
    found, nodes = finds("aa", "bb", "cc")
    assert order(reranked("?", found, nodes, Second(Shortest(), 9))) == [0, 1, 2]


@pytest.mark.parametrize("by", [Failing(RerankerError("out of memory")), Shortest(lambda passage: float("nan"))])
def test_where_a_reranker_fails_the_finds_stay_and_it_is_told(by: Failing | Shortest) -> None:
    told: list[KohakuError] = []
    found, nodes = finds("longer", "x")
    assert reranked("?", found, nodes, Second(by, 9, told.append)) == found
    assert len(told) == 1


def test_a_wrong_key_is_no_failure_to_live_with() -> None:
    found, nodes = finds("longer", "x")
    with pytest.raises(NoAccess):
        reranked("?", found, nodes, Second(Failing(NoAccess("no such key")), 9))
    assert reranked("?", [], {}, Second(Failing(NoAccess("never asked")), 9)) == []


@given(st.lists(st.floats(-5, 5), max_size=9), st.integers(1, 12))
def test_none_is_lost_and_the_scores_fall(scores: list[float], top: int) -> None:
    found, nodes = finds(*(str(number) for number in range(len(scores))))
    second = reranked("?", found, nodes, Second(Shortest(lambda passage: scores[int(passage)]), top))
    assert sorted(order(second)) == sorted(order(found))
    assert [one.score for one in second] == [one.score for one in found]


# ---- a chat model as the reranker


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: FakeServer) -> Iterator[Callable[..., Engine]]:
    use_letters(monkeypatch)
    kohaku.index([write(tmp_path / "files")], tmp_path / "my.db")
    engines: list[Engine] = []

    def opened(**settings: Any) -> Engine:
        given = {"reranker": "llm:ranks", "base_url": server.url, "tries": 1, "reply_cache": False, **settings}
        engines.append(kohaku.open(tmp_path / "my.db", **given))
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


def prefers(words: str) -> Callable[[dict[str, Any]], Step]:
    """A model that names the passage with these words only, and a few that are not there."""

    def reply(body: dict[str, Any]) -> Step:
        assert body["response_format"]["json_schema"]["name"] == "section_filter"
        lines = [json.loads(line) for line in body["messages"][-1]["content"].split("\n") if line.startswith("{")]
        named = [line["number"] for line in lines if words in line["text"]]
        return says(json.dumps({"useful": [*named, *named, 0, -3, 10**6]}))

    return reply


def test_a_model_names_the_best_passages_and_the_rest_keeps_its_order(
    opened: Callable[..., Engine], server: FakeServer
) -> None:
    server.otherwise = prefers("outside air")
    with opened(reranker=None) as engine:
        plain = [context.text for context in engine.retrieve(QUESTION).contexts]
    engine = opened()
    evidence = engine.retrieve(QUESTION, explain=True)
    texts = [context.text for context in evidence.contexts]
    assert "outside air" in texts[0] and "outside air" not in plain[0]
    assert sorted(texts) == sorted(plain)
    assert evidence.contexts[0].why and evidence.contexts[0].why.place > 1
    assert len(server.requests) == 1
    assert engine.usage()["ranks"].calls == 1


def test_passages_are_data_cut_short_and_numbered_one_a_line(opened: Callable[..., Engine], server: FakeServer) -> None:
    server.otherwise = prefers("outside air")
    opened(rerank_top=2).retrieve(QUESTION)
    lines = server.requests[-1]["messages"][-1]["content"].split("\n")
    assert [json.loads(line)["number"] for line in lines[:2]] == [1, 2]
    assert lines[2:] == ["", f"Question: {QUESTION}"]
    assert all(len(json.loads(line)["text"]) <= LONGEST for line in lines[:2])


@pytest.mark.parametrize("step", [fails(500, "down"), says('{"useful": []}'), says("no idea")])
def test_a_failing_model_leaves_the_order_and_is_told_once(
    opened: Callable[..., Engine], server: FakeServer, step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    server.otherwise = lambda body: step
    with opened(reranker=None) as engine:
        plain = engine.retrieve(QUESTION)
    engine = opened()
    with caplog.at_level(logging.WARNING):
        assert engine.retrieve(QUESTION) == engine.retrieve(QUESTION) == plain
    assert len(re.findall("the reranker failed", caplog.text)) == 1


def test_a_reranker_that_is_a_model_needs_one(opened: Callable[..., Engine]) -> None:
    with pytest.raises(SettingsError, match="reranker llm needs a model"):
        opened(reranker="llm").retrieve(QUESTION)

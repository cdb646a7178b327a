"""Parts whose evidence is thin are split further or asked again in other words, and that ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from corpus import use_letters, write
from fake_server import FakeServer, Step, says
from test_engine import asked_for, text

import kohaku
from kohaku.tree import Kind
from retriever.decompose import Aim, Part
from retriever.deepen import Deepening, in_context, is_thin
from retriever.evidence import Context, Evidence

RARE = {"water": 2.0, "lake": 2.0, "hall": 2.0, "use": 1.0}


class Search:
    """Finds what texts it was given say, and remembers what it was asked."""

    def __init__(self, **texts: str) -> None:
        self.texts = {name.replace("_", " "): text for name, text in texts.items()}
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def __call__(self, text: str, aim: Aim, more: Sequence[str]) -> Evidence:
        self.asked.append((text, tuple(more)))
        queries = (text, *more)
        found = [said for name, said in self.texts.items() if name in queries]
        contexts = [
            Context("d", "", f"d:{said}", Kind.PARAGRAPH, None, (), 1.0, said, 5) for said in dict.fromkeys(found)
        ]
        return Evidence(text, queries, tuple(contexts))


def deepening(search: Search, parts: dict[str, list[str]], words: Sequence[str] = ()) -> Deepening:
    return Deepening(
        search,
        rare=lambda text: RARE,
        split=lambda text: [Part(n, part) for n, part in enumerate(parts.get(text, ()), start=1)],
        reword=lambda text: list(words),
        answer=lambda part, evidence: "",
        budget=100,
    )


def found(evidence: Evidence) -> set[str]:
    return {context.text for context in evidence.contexts}


def test_a_part_with_good_evidence_is_searched_once() -> None:
    search = Search(lake_water="water of the lake in use")
    assert found(deepening(search, {"lake water": ["a", "b"]})("lake water", Aim.FACT, 2))
    assert search.asked == [("lake water", ())]


def test_a_thin_part_is_split_and_each_piece_searched_for() -> None:
    search = Search(lake_hall_water="nothing", lake_water="lake water", hall_water="hall water")
    made = deepening(search, {"lake hall water": ["lake water", "hall water"]})("lake hall water", Aim.FACT, 2)
    assert found(made) == {"nothing", "lake water", "hall water"}
    assert all(context.serves == () for context in made.contexts) and made.parts == ()


def test_a_thin_part_that_asks_one_thing_is_asked_in_other_words() -> None:
    search = Search(lake_water="nothing", reservoir="lake water it is")
    made = deepening(search, {}, ["lake water", "reservoir", " "])("lake water", Aim.FACT, 2)
    assert search.asked == [("lake water", ()), ("lake water", ("reservoir",))]
    assert "lake water it is" in found(made)


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_what_stays_thin_is_split_no_deeper_than_allowed(depth: int) -> None:
    search = Search()
    parts = {"water " * n: ["water " * (n + 1), "water " * (n + 2)] for n in range(1, 40)}
    deepening(search, parts)("water ", Aim.FACT, depth)
    assert len(search.asked) == {0: 1, 1: 3, 2: 7}[depth]


def test_evidence_is_thin_by_its_best_three_contexts() -> None:
    search = Search(q="water of the lake in the hall in use")
    assert not is_thin("lake water", search("q", Aim.FACT, ()), RARE)
    assert is_thin("lake water", search("x", Aim.FACT, ()), RARE)


def test_a_part_gets_back_the_names_that_a_split_cut_off() -> None:
    assert in_context("its PUE in 2023", "How does Lake Site compare with North Hall in 2023?") == (
        "PUE 2023 Lake Site North Hall"
    )


WHOLE = "How much water did Lake Site draw in 2023, and how many zebras did Quagga Park count?"
PARTS = ("How much water did Lake Site draw in 2023?", "How many zebras did Quagga Park count?")


def splitting(body: dict[str, Any]) -> Step:
    """A model that splits the whole question in two, and nothing else."""
    if asked_for(body) == "query_plan":
        return says(json.dumps({"queries": ["animals"]}))
    subs = [{"id": n, "query": part} for n, part in enumerate(PARTS, start=1)] if WHOLE in text(body) else []
    return says(json.dumps({"needs_decomposition": bool(subs), "sub_queries": subs}))


@pytest.mark.parametrize(("depth", "planned"), [(2, [WHOLE, PARTS[1]]), (0, [WHOLE])])
def test_a_model_puts_a_thin_part_in_other_words_and_the_depth_is_a_setting(
    depth: int, planned: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: FakeServer
) -> None:
    use_letters(monkeypatch)
    kohaku.index([write(tmp_path / "files")], "my.db")
    server.otherwise = splitting
    with kohaku.open("my.db", model="m", base_url=server.url, depth=depth) as engine:
        evidence = engine.retrieve(WHOLE)
    said = [text(body) for body in server.requests if asked_for(body) == "query_plan"]
    assert [next(one for one in (WHOLE, *PARTS) if one in request) for request in said] == planned
    assert [part.text for part in evidence.parts] == list(PARTS)
    assert evidence.queries.count("animals") == 1

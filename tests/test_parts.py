"""Evidence for the parts of a question: each has its share, what serves several is there once."""

from __future__ import annotations

import pytest

from kohaku.errors import ModelError
from kohaku.tree import Kind
from retriever.decompose import Aim, Part
from retriever.evidence import Context, Evidence
from retriever.parts import WHOLE, gather, merged

EQUAL = {0: 1.0, 1: 1.0, 2: 1.0}
PARTS = (Part(1, "water of Lake?"), Part(2, "water of North?"))


def context(node: str, score: float = 1.0, text: str = "", tokens: int = 10, document: str = "d") -> Context:
    return Context(document, "", node, Kind.PARAGRAPH, None, (), score, text or f"The text of {node}.", tokens)


def nodes(contexts: tuple[Context, ...]) -> list[str]:
    return [one.node for one in contexts]


def test_no_part_starves_where_another_has_much() -> None:
    pools = {WHOLE: [context("a1"), context("a2", 0.9)], 1: [context(f"a{n}", 1 - n / 100) for n in range(1, 9)]}
    kept = merged({**pools, 2: [context("b1", 0.1), context("b2", 0.1)]}, EQUAL, 40)
    assert {"a1", "b1"} <= set(nodes(kept))
    assert sum(one.tokens for one in kept) <= 40


def test_what_serves_several_parts_is_there_once_with_all_of_them() -> None:
    kept = merged({WHOLE: [], 1: [context("x"), context("y", 0.2)], 2: [context("x"), context("z", 0.2)]}, EQUAL, 100)
    assert {one.node: one.serves for one in kept} == {"x": (1, 2), "y": (1,), "z": (2,)}


def test_what_only_the_whole_question_found_serves_no_part() -> None:
    [one] = merged({WHOLE: [context("w")], 1: [], 2: []}, EQUAL, 100)
    assert one.serves == ()


def test_near_duplicates_are_one_context_with_both_places_and_parts() -> None:
    text = "In 2023 the site drew five million litres of water from the lake and returned most of it"
    pools = {1: [context("a", text=f"{text}.")], 2: [context("b", text=f"{text}", document="e")]}
    [one] = merged({WHOLE: [], **pools}, EQUAL, 100)
    assert (one.serves, [copy.node for copy in one.also]) == ((1, 2), ["b"])


def test_texts_that_differ_in_a_number_are_two() -> None:
    text = "In {} the site drew five million litres of water from the lake and returned most of it"
    pools = {1: [context("a", text=text.format(2023))], 2: [context("b", text=text.format(2022))]}
    assert len(merged({WHOLE: [], **pools}, EQUAL, 100)) == 2


def test_a_paragraph_of_a_section_that_is_there_is_not_there_twice() -> None:
    section = context("s", text="It is dry.\n\nThey drew 5 litres.")
    kept = merged({WHOLE: [], 1: [section], 2: [context("p", text="They drew 5 litres.")]}, EQUAL, 100)
    assert [(one.node, one.serves) for one in kept] == [("s", (1, 2))]


def test_an_overview_gets_more_of_the_budget_than_a_fact() -> None:
    pools = {WHOLE: [], 1: [context(f"f{n}") for n in range(9)], 2: [context(f"o{n}") for n in range(9)]}
    kept = merged(pools, {0: 1.0, 1: 1.0, 2: 2.0}, 90)
    assert [sum(part in one.serves for one in kept) for part in (1, 2)] == [3, 6]


def test_what_does_not_fit_is_passed_over_for_what_does() -> None:
    assert nodes(merged({0: [context("big", tokens=99), context("small", 0.5)]}, EQUAL, 20)) == ["small"]


def found(text: str, aim: Aim) -> Evidence:
    return Evidence(text, (text, "both"), (context(text),), complete=True)


def test_the_evidence_names_its_parts_and_every_query_once() -> None:
    evidence = gather("which?", PARTS, found, budget=100)
    assert evidence.parts == PARTS
    assert evidence.queries == ("which?", "both", "water of Lake?", "water of North?")
    assert {one.node for one in evidence.contexts} == {"which?", "water of Lake?", "water of North?"}
    assert evidence.complete


def test_a_later_part_is_searched_with_the_answer_of_an_earlier_one() -> None:
    parts = (Part(1, "Who led Acme?"), Part(2, "Where was {1} born?"))
    evidence = gather("q", parts, found, budget=100, answer=lambda part, its: f"Ada\n of {its.question}")
    assert evidence.parts[1].text == "Where was Ada of Who led Acme? born?"


def test_without_an_answer_the_earlier_parts_words_stand_for_it() -> None:
    parts = (Part(1, "Who led Acme Works?"), Part(2, "Where was {1} born?"))
    assert gather("q", parts, found, budget=100).parts[1].text == "Where was led Acme Works born?"


def test_a_parts_failure_is_the_questions() -> None:
    def fails(text: str, aim: Aim) -> Evidence:
        raise ModelError("the embedder is down")

    with pytest.raises(ModelError):
        gather("q", PARTS, fails, budget=100)

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answerer.answer import Answer, Citation, Question
from answerer.prompts import arranged
from answerer.submission import UNANSWERED
from answerer.takes import cast, next_takes, takes, together
from answerer.vote import Rules
from kohaku.choices import Order
from kohaku.tree import Kind
from retriever.evidence import Context

QUESTION = Question("q", "How much?")
CONTEXTS = [Context("d", "D", f"d:p{n}", Kind.PARAGRAPH, None, (), 1.0 / (n + 1), "text", 1) for n in range(7)]
RULES = Rules(tiebreak="first")


def answer(value: str, *references: str) -> Answer:
    quotes = tuple(Citation(name, f"{name}:p1", None, f"{value} in {name}") for name in references)
    return Answer(QUESTION, f"It is {value}.", value, "", references, quotes, is_blank=value == "is_blank")


def planned(total: int, models: tuple[str, ...] = ("a", "b"), seed: int | None = None) -> list[tuple[object, ...]]:
    made = takes(total, models, temperature=0.0, others_temperature=0.7, seed=seed, order="best_first")
    return [(take.model, take.temperature, take.seed) for take in made]


def test_the_first_reading_is_as_a_single_one_and_the_others_differ() -> None:
    assert planned(3) == [("a", 0.0, None), ("b", 0.7, 1000), ("a", 0.7, 2000)]
    assert planned(2, ("a",), seed=5) == [("a", 0.0, 5), ("a", 0.7, 1005)]


def test_more_readings_leave_those_before_as_they_were() -> None:
    assert planned(7)[:3] == planned(3)


def test_readings_see_the_evidence_in_different_orders_the_first_in_the_one_that_is_set() -> None:
    def orders(first: Order) -> list[Order]:
        return [one.order for one in takes(4, ("a",), temperature=0, others_temperature=1, seed=None, order=first)]

    assert orders("best_first") == ["best_first", "best_last", "ends", "best_first"]
    assert orders("ends") == ["ends", "best_first", "best_last", "ends"]
    shown = [[CONTEXTS.index(one) for one in arranged(CONTEXTS, order)] for order in orders("best_first")[:3]]
    assert shown == [[0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0], [0, 2, 4, 6, 5, 3, 1]]


def test_as_many_readings_are_made_as_could_decide_and_no_more() -> None:
    assert next_takes([], [], 5, RULES) == [0, 1, 2]
    assert next_takes(cast({0: answer("5"), 1: answer("5")}), [0, 1], 3, RULES) == []
    assert next_takes(cast({0: answer("5"), 1: answer("4")}), [0, 1], 3, RULES) == [2]
    said = cast({0: answer("5"), 1: answer("4"), 2: answer("5")})
    assert next_takes(said, [0, 1, 2], 5, RULES) == [3]


def test_what_failed_is_passed_over() -> None:
    assert next_takes(cast({0: answer("5")}), [0, 1], 3, RULES) == [2]
    assert next_takes([], [0, 1, 2], 3, RULES) == []


VALUES = st.lists(st.sampled_from(["4", "5", "is_blank"]), min_size=1, max_size=7)


def finished(values: list[str], kept: set[int]) -> set[int]:
    """The readings that there are in the end, where those kept were there at the beginning."""
    made = set(kept)
    while due := next_takes(cast({n: answer(values[n]) for n in made}), made, len(values), RULES):
        made |= set(due)
    return made


@given(VALUES, st.data())
def test_a_run_killed_at_any_point_ends_with_the_same_readings(values: list[str], data: st.DataObject) -> None:
    whole = finished(values, set())
    made: set[int] = set()
    while due := next_takes(cast({n: answer(values[n]) for n in made}), made, len(values), RULES):
        came_back = data.draw(st.sets(st.sampled_from(due)))  # before the kill, in whatever order
        if len(came_back) < len(due):
            assert finished(values, made | came_back) == whole
        made |= set(due)
    assert made == whole


# ---- one answer of several


def test_the_answer_is_that_of_the_voted_value_s_first_reading() -> None:
    found = together(QUESTION, {0: answer("4", "x"), 1: answer("5", "a"), 2: answer("5", "a", "b")}, RULES)
    assert (found.value, found.text, found.references) == ("5", "It is 5.", ("a",))
    assert [citation.document for citation in found.citations] == ["a"]


def test_citations_of_a_document_that_another_reading_cites_come_with_it() -> None:
    said = {0: answer("5", "a"), 1: answer("5", "a", "b"), 2: answer("5", "b"), 3: answer("5", "a", "b")}
    found = together(QUESTION, said, Rules("union"))
    assert found.references == ("a", "b")
    assert [citation.document for citation in found.citations] == ["a", "b"]


def test_readings_that_tie_abstain_where_that_is_asked_for() -> None:
    said = {0: answer("4", "x"), 1: answer("5", "a")}
    assert together(QUESTION, said, RULES).value == "4"
    found = together(QUESTION, said, Rules(tiebreak="blank"))
    assert found.is_blank and found.references == () and found.explanation not in ("", UNANSWERED)


def test_readings_that_mostly_abstain_abstain() -> None:
    assert together(QUESTION, {0: answer("is_blank"), 1: answer("5", "a"), 2: answer("is_blank")}, RULES).is_blank

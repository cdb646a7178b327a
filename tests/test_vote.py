from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answerer.ballots import Ballot, ballots
from answerer.references import read_references, write_references
from answerer.submission import COLUMNS
from answerer.vote import Rules, Voted, agreement, vote
from kohaku.choices import Blanks, Tiebreak, VoteMode

Run = dict[str, dict[str, str]]

MODES: tuple[VoteMode, ...] = get_args(VoteMode)
PLAIN = MODES[1:]
any_votes = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=50)
WEIGHTED = Rules()


def row(value: str, *references: str, id: str = "q", unit: str = "", **cells: str) -> dict[str, str]:
    """A run's row, whose other columns tell whose it is."""
    return {
        "id": id,
        "question": "What was it?",
        "answer": f"It is {value}.",
        "answer_value": value,
        "answer_unit": unit or "is_blank",
        "ref_id": write_references(references),
        "ref_url": write_references(f"http://x/{name}" for name in references),
        "supporting_materials": f"“{value}”",
        "explanation": f"By {value} in {references}.",
        **cells,
    }


def blank(*references: str, id: str = "q") -> dict[str, str]:
    return row("is_blank", *references, id=id)


def voted(*rows: dict[str, str], rules: Rules = WEIGHTED) -> Voted:
    """The outcome for one question."""
    [found] = vote([{one["id"]: one} for one in rows], rules)
    return found


def value(*rows: dict[str, str], rules: Rules = WEIGHTED) -> str:
    return voted(*rows, rules=rules).row["answer_value"]


def runs_of(rates: Sequence[int], questions: int = 12) -> list[Run]:
    """Runs of which each is right on its first so many questions and gives a value of its own on the others."""
    return [
        {
            f"q{n}": row("7" if n < rate else f"{run + 1}.{n + 10}", "d", id=f"q{n}", explanation=f"run {run}")
            for n in range(questions)
        }
        for run, rate in enumerate(rates)
    ]


# ---- values


def test_spellings_of_one_value_vote_together() -> None:
    assert value(row("12"), row("13"), row("12.0"), row("13 units"), row("12,0")) in ("12", "12.0")
    assert value(row("80-90"), row("1"), row("[80, 90]")) == "[80,90]"
    assert value(row("Water consumption"), row("1"), row("water consumption.")) in (
        "Water consumption",
        "water consumption.",
    )


def test_numbers_in_other_units_vote_together_and_a_row_keeps_its_own() -> None:
    found = voted(row("1300", unit="kWh"), row("1.3", unit="MWh"), row("1.3", unit="MWh"), row("1300", unit="MWh"))
    assert (found.row["answer_value"], found.row["answer_unit"], found.runs) == ("1.3", "MWh", (0, 1, 2))


@pytest.mark.parametrize("mode", MODES)
def test_a_row_is_taken_whole_from_a_run_that_gives_the_value(mode: VoteMode) -> None:
    found = voted(row("3", "c"), row("5", "a"), row("5", "a"), rules=Rules(mode))
    assert found.row == row("5", "a")
    assert (found.lead, found.runs, found.row["ref_id"]) == (1 if mode in PLAIN else found.lead, (1, 2), "['a']")


def test_of_the_runs_that_agree_the_most_reliable_gives_the_row() -> None:
    runs = runs_of([4, 12, 11, 12, 3])
    runs[1]["q0"]["explanation"] = "run 1"
    found = {one.row["id"]: one for one in vote(runs, WEIGHTED)}
    assert {found[f"q{n}"].row["explanation"] for n in range(11)} <= {"run 1", "run 3"}


def test_reliable_runs_outweigh_a_like_number_of_poor_ones() -> None:
    runs = runs_of([12, 12, 11, 3, 3, 3])
    for run in runs[:2]:
        run["x"] = row("good", id="x")
    for run in runs[3:5]:
        run["x"] = row("bad", id="x")
    assert [one.row["answer_value"] for one in vote(runs, WEIGHTED) if one.row["id"] == "x"] == ["good"]
    assert [one.row["answer_value"] for one in vote(runs[::-1], WEIGHTED) if one.row["id"] == "x"] == ["good"]


def test_a_value_that_more_than_half_of_the_runs_give_wins_whatever_they_weigh() -> None:
    runs = runs_of([12, 12, 2, 2, 2])
    for run, said in zip(runs, ("good", "good", "bad", "bad", "bad"), strict=True):
        run["x"] = row(said, id="x")
    assert [one.row["answer_value"] for one in vote(runs, WEIGHTED) if one.row["id"] == "x"] == ["bad"]


# ---- blanks


def test_blanks_win_as_most_of_all_votes_only() -> None:
    assert value(blank(), blank(), row("5")) == "is_blank"
    assert value(blank(), blank(), row("5"), row("6")) != "is_blank"
    assert value(blank(), row("5")) == "5"


def test_blanks_count_like_a_value_or_are_left_out_where_that_is_asked_for() -> None:
    said = (blank(), blank(), row("5"), row("6"))
    for mode in MODES:
        assert value(*said, rules=Rules(mode, "count")) == "is_blank"
        assert value(*said, rules=Rules(mode, "filter")) in ("5", "6")
        assert value(blank(), blank(), rules=Rules(mode, "filter")) == "is_blank"


def test_a_tie_is_looked_for_among_what_is_left_after_blanks_are_filtered_out() -> None:
    assert value(blank(), row("5"), rules=Rules("union", "filter", "blank")) == "5"
    assert value(row("4"), row("5"), rules=Rules("union", "filter", "blank")) == "is_blank"


def test_abstaining_runs_that_mostly_cite_nothing_leave_a_row_blank_in_all_that_says_where() -> None:
    found = voted(blank("a"), blank(), blank()).row
    assert {found[name] for name in ("answer_value", "ref_id", "ref_url", "supporting_materials")} == {"is_blank"}
    assert voted(blank("a"), blank("a"), blank()).row["ref_id"] == "['a']"


def test_a_run_that_said_nothing_at_all_does_not_vote() -> None:
    nothing = row("", answer="", supporting_materials="", explanation="", ref_id="[]", ref_url="[]")
    assert voted(nothing, nothing, row("5", "a")).confidence == 1.0
    assert value(nothing, nothing) == "is_blank"


# ---- references


def test_documents_are_voted_on_one_by_one_among_those_that_give_the_value() -> None:
    found = voted(row("5", "a", "b"), row("5", "B", "c"), row("5", "b"), row("4", "d"), row("3", "d"))
    assert found.row["ref_id"].casefold() == "['b']"
    assert found.row["ref_url"].casefold() == "['http://x/b']"
    assert found.references == {"b": 1.0, "a": 0.3333, "c": 0.3333}


def test_without_a_document_that_most_cite_a_run_s_own_references_stay() -> None:
    assert voted(row("5", "a"), row("5", "b"), row("4", "c")).row["ref_id"] in ("['a']", "['b']")
    assert voted(row("5"), row("5", "b"), row("5", "c")).row["ref_id"] in ("['b']", "['c']")


def test_rows_that_cite_nothing_are_no_votes_against_a_document() -> None:
    assert voted(row("5", "a"), row("5"), row("5")).row["ref_id"] == "['a']"


def test_references_are_read_however_models_write_them() -> None:
    for written in ('["a"]', "a", "['[ref_id=a]']", "ref_id=a", "['a', 'is_blank']"):
        assert voted(row("5", ref_id=written)).row["ref_id"] == "['a']"
    assert voted(row("is_blank", ref_id='["is_blank"]')).row["ref_id"] == "is_blank"


@pytest.mark.parametrize(
    ("mode", "references"),
    [("union", ("a", "b", "c")), ("intersection", ("a",)), ("answer_priority", ("a", "b")), ("independent", ("x",))],
)
def test_the_plain_modes_make_references_of_those_that_give_the_value(mode: VoteMode, references: tuple[str]) -> None:
    said = (row("5", "a", "b"), row("5", "a", "c"), row("5", "b", "a"), *(row(str(n), "x") for n in range(6, 9)))
    found = voted(*said, rules=Rules(mode)).row
    assert (found["answer_value"], read_references(found["ref_id"])) == ("5", references)
    assert read_references(found["ref_url"]) == tuple(f"http://x/{name}" for name in references)


def test_references_first_then_the_value_among_those_that_cite_them() -> None:
    said = (row("5", "a"), row("5", "b"), row("5", "c"), row("4", "x"), row("4", "x"), row("3", "x"))
    assert voted(*said, rules=Rules("ref_priority")).row["answer_value"] == "4"


# ---- ties


def test_a_tie_goes_to_the_run_named_first_or_to_a_blank_as_asked() -> None:
    for mode in MODES:
        assert value(row("6"), row("5"), rules=Rules(mode, tiebreak="first")) == "6"
        found = voted(row("6"), row("5"), rules=Rules(mode, tiebreak="blank"))
        assert (found.is_blank, found.lead, found.row["ref_id"]) == (True, None, "is_blank")


def test_a_tie_of_weighted_votes_is_broken_alike_in_any_order() -> None:
    assert value(row("6"), row("5")) == value(row("5"), row("6")) == "5"
    assert value(row("b"), row("5"), row("a")) == "5"


# ---- questions that not all runs have


def test_questions_that_some_runs_lack_are_voted_on_by_those_that_have_them() -> None:
    runs = [{"a": row("1", id="a")}, {"b": row("2", id="b"), "a": row("1", id="a")}, {}]
    assert [(one.row["id"], one.row["answer_value"], one.confidence) for one in vote(runs, WEIGHTED)] == [
        ("b", "2", 1.0),
        ("a", "1", 1.0),
    ]


# ---- when more runs would change nothing


def is_decided(cast: list[Ballot], total: int, rules: Rules) -> bool:
    """Whether no run of `total` that is still to come can change the value."""
    return 2 * agreement(cast, rules) > total


@pytest.mark.parametrize("mode", MODES)
def test_a_question_is_decided_when_more_than_half_of_all_runs_say_one_thing(mode: VoteMode) -> None:
    two = ballots({0: row("5", "a"), 1: row("5.0", "a")})
    assert is_decided(two, 3, Rules(mode))
    assert not is_decided(two, 4, Rules(mode))
    assert not is_decided(ballots({0: row("5", "a"), 1: row("4", "a")}), 3, Rules(mode))


def test_blanks_decide_only_where_they_may_win() -> None:
    blanks = ballots({0: blank(), 1: blank()})
    assert is_decided(blanks, 3, Rules())
    assert not is_decided(blanks, 3, Rules(blanks="filter"))


def test_references_that_come_first_must_agree_too() -> None:
    two = ballots({0: row("5", "a"), 1: row("5", "b")})
    assert is_decided(two, 3, Rules()) and not is_decided(two, 3, Rules("ref_priority"))


# ---- what holds of any votes

VALUES = st.sampled_from(["is_blank", "", "5", "5.0", "5.004", "6", "[5,6]", "5-6", "a", "the A", "a, b", "=1+1|x"])
REFERENCES = st.lists(st.sampled_from(["a", "A", "b", "c's"]), max_size=3).map(
    lambda names: tuple(dict.fromkeys(names))
)
ROWS = st.builds(lambda value, references: row(value, *references), VALUES, REFERENCES)
RUNS = st.lists(
    st.dictionaries(st.sampled_from("pqrs"), ROWS).map(
        lambda rows: {id: {**one, "id": id, "explanation": f"{one} of {id}"} for id, one in rows.items()}
    ),
    min_size=1,
    max_size=6,
)
RULES = st.builds(
    Rules,
    st.sampled_from(MODES),
    st.sampled_from([None, *get_args(Blanks)]),
    st.sampled_from([None, *get_args(Tiebreak)]),
)


def by_id(found: Sequence[Voted]) -> dict[str, dict[str, str]]:
    return {one.row["id"]: one.row for one in found}


@any_votes
@given(RUNS, st.randoms(), st.sampled_from([None, "blank"]), st.sampled_from([None, *get_args(Blanks)]))
def test_the_order_of_the_runs_changes_no_row(
    runs: list[Run], dice: object, tiebreak: Tiebreak | None, blanks: Blanks | None
) -> None:
    rules = Rules("weighted", blanks, tiebreak)
    turned = list(runs)
    dice.shuffle(turned)  # type: ignore[attr-defined]
    assert by_id(vote(runs, rules)) == by_id(vote(turned, rules))


@any_votes
@given(ROWS, st.integers(1, 5), RULES)
def test_a_unanimous_row_stays_itself(one: dict[str, str], times: int, rules: Rules) -> None:
    found = voted(*[one] * times, rules=rules)
    once = voted(found.row, rules=rules)
    assert once.row == found.row
    assert found.confidence == 1.0
    plain = one["answer_value"] in ("5", "6", "a", "[5,6]") and len(read_references(one["ref_id"])) == len(
        {name.casefold() for name in read_references(one["ref_id"])}
    )
    if plain:
        assert found.row == one


@any_votes
@given(RUNS, RULES)
def test_every_row_is_whole_and_its_value_is_of_the_run_whose_words_it_has(runs: list[Run], rules: Rules) -> None:
    for one in vote(runs, rules):
        assert list(one.row) == list(COLUMNS) and all(one.row.values())
        assert 0 <= one.confidence <= 1
        if one.lead is None:
            assert one.is_blank
            continue
        own = voted(runs[one.lead][one.row["id"]]).row
        for column in ("question", "answer", "answer_value", "answer_unit", "explanation"):
            assert one.row[column] == own[column]


@any_votes
@given(RUNS, RULES)
def test_references_are_only_those_of_the_runs_and_each_stands_once(runs: list[Run], rules: Rules) -> None:
    for one in vote(runs, rules):
        cited = [name.casefold() for name in read_references(one.row["ref_id"])]
        assert len(cited) == len(set(cited))
        said = {n.casefold() for run in runs for r in run.values() for n in read_references(r["ref_id"])}
        assert set(cited) <= said
        urls = read_references(one.row["ref_url"])
        assert {url.casefold() for url in urls} == {f"http://x/{name}" for name in cited}


@any_votes
@given(RUNS, RULES)
def test_a_value_wins_only_where_a_run_gave_it(runs: list[Run], rules: Rules) -> None:
    for one in vote(runs, rules):
        given_by: list[Mapping[str, str]] = [run[one.row["id"]] for run in runs if one.row["id"] in run]
        assert one.is_blank or one.row["answer_value"] in {voted(dict(r)).row["answer_value"] for r in given_by}


@any_votes
@given(RUNS, st.integers(1, 7), RULES)
def test_what_is_decided_stays_so_whatever_comes(runs: list[Run], more: int, rules: Rules) -> None:
    said = [run["q"] for run in runs if "q" in run]
    for cut in range(1, len(said) + 1):
        if is_decided(ballots(dict(enumerate(said[:cut]))), len(said), rules):
            early, late = voted(*said[:cut], rules=rules), voted(*said, rules=rules)
            assert ballots({0: early.row, 1: late.row})[0].label == ballots({0: early.row, 1: late.row})[1].label

"""The engine behind `kohaku.open`: an index, settings, and submissions by a scripted model."""

from __future__ import annotations

import csv
import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import LetterEmbedder
from corpus import use_letters, write
from fake_server import FakeServer, Step, fails, says

import kohaku
from kohaku.doors.display import evidence_object
from kohaku.doors.engine import Engine
from kohaku.errors import (
    KohakuError,
    ModelError,
    NoAccess,
    NoSuchStore,
    ProfileError,
    SettingsError,
    TableError,
    WrongEmbedder,
)

QUESTIONS = {f"q{number}": f"How much water did Lake Site draw, take {number}?" for number in range(6)}
COLUMNS = "id,question,answer,answer_value,answer_unit,ref_id,ref_url,supporting_materials,explanation"


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    use_letters(monkeypatch)
    kohaku.index([write(tmp_path / "files")], tmp_path / "my.db")
    return tmp_path / "my.db"


@pytest.fixture
def server(server: FakeServer) -> FakeServer:
    server.otherwise = answers
    return server


@pytest.fixture
def opened(db: Path, server: FakeServer) -> Iterator[Callable[..., Engine]]:
    """Opens the index with the scripted model and settings."""
    engines: list[Engine] = []

    def opened(**settings: Any) -> Engine:
        engines.append(kohaku.open(db, **{"model": "scripted", "base_url": server.url, "tries": 1, **settings}))
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


def answers(body: dict[str, Any], value: str = "7", blank: bool = False) -> Step:
    """What the scripted model says: its plan, or an answer with the first document of the evidence."""
    if asked_for(body) == "query_plan":
        return says(json.dumps({"queries": ["water drawn", "litres"]}))
    document = re.findall(r"\[ref_id=(\S+) node", text(body))
    reply = {"explanation": "", "answer": f"It is {value}.", "answer_value": value, "ref_id": document[:1]}
    return says(json.dumps({**reply, "quotes": [], "is_blank": blank}))


def asked_for(body: dict[str, Any]) -> str:
    return str(body["response_format"]["json_schema"]["name"])


def text(body: dict[str, Any]) -> str:
    return "\n".join(message["content"] for message in body["messages"])


def calls(server: FakeServer, schema: str) -> int:
    return sum(asked_for(body) == schema for body in server.requests)


def questions(path: str = "questions.csv", chosen: dict[str, str] = QUESTIONS) -> Path:
    lines = ["id,question,answer_unit", *(f'{id},"{text}",litres' for id, text in chosen.items())]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Path(path)


def rows(path: str | Path) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# ---- opening


def test_an_index_is_opened_and_asked_in_one_line(db: Path) -> None:
    answer = kohaku.open(db).ask("How much water did Lake Site draw in 2023?", unit="litres")
    assert answer.value == "5500000"
    assert answer.references == ("lake",)
    assert answer.citations[0].quote == "Lake Site drew 5.5 million litres of water in 2023."


def test_opening_makes_no_file() -> None:
    with pytest.raises(NoSuchStore, match="kohaku index"):
        kohaku.open("none.db")
    assert not Path("none.db").exists()


def test_an_unknown_setting_is_named_before_anything_is_opened() -> None:
    with pytest.raises(SettingsError, match="unknown setting 'budgt' in flags: did you mean 'budget'"):
        kohaku.open("none.db", budgt=3)


def test_the_index_remembers_which_embedder_filled_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_letters(monkeypatch)
    kohaku.index([write(tmp_path / "files")], "my.db", embedder="other")
    with kohaku.open("my.db") as engine:
        assert engine.embedder.fingerprint == "letters-other/26"
        assert engine.retrieve("water").contexts


def test_another_embedder_is_refused_for_questions_and_for_files(db: Path, tmp_path: Path) -> None:
    with kohaku.open(db, embedder="other") as engine, pytest.raises(WrongEmbedder, match="letters-default/26"):
        engine.retrieve("water")
    with pytest.raises(WrongEmbedder, match="another file with --db"):
        kohaku.index([tmp_path / "files"], db, embedder="other")


def test_reading_the_index_leaves_no_model_loaded(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*arguments: object, **options: object) -> LetterEmbedder:
        raise AssertionError("loaded")

    monkeypatch.setattr("kohaku.embedders.load", load)
    with kohaku.open(db) as engine:
        assert len(engine.store.documents()) == 3


# ---- planning, parts, filters


def replies(**by_schema: object) -> Callable[[dict[str, Any]], Step]:
    """A scripted model that replies so to these schemas, to others as it does elsewhere."""
    return lambda body: says(json.dumps(by_schema[asked_for(body)])) if asked_for(body) in by_schema else answers(body)


def test_a_part_is_searched_with_the_answer_that_was_read_for_an_earlier_one(
    opened: Callable[..., Engine], server: FakeServer
) -> None:
    parts = [{"id": 1, "query": "How much water was drawn?"}, {"id": 2, "query": "Who drew {1} litres?"}]
    server.otherwise = replies(
        decomposition={"needs_decomposition": True, "sub_queries": parts, "logic_flow": "1, then 2"}
    )
    evidence = opened(decompose="on").retrieve("Who drew as much as was drawn?")
    assert [part.text for part in evidence.parts] == ["How much water was drawn?", "Who drew 7 litres?"]
    assert {number for context in evidence.contexts for number in context.serves} == {1, 2}


def test_a_comparison_is_split_without_a_model_and_shown_in_json(db: Path) -> None:
    with kohaku.open(db) as engine:
        evidence = engine.retrieve("Did Lake Site or North Hall use more water in 2023?")
        assert [part.id for part in evidence.parts] == [1, 2]
        assert evidence_object("", evidence)["parts"][0]["question"] == "Did Lake Site use more water in 2023?"
        assert kohaku.open(db, decompose="off").retrieve(evidence.question).parts == ()


def test_the_documents_that_a_model_chose_are_searched_and_the_share_removed_is_told(
    opened: Callable[..., Engine], server: FakeServer
) -> None:
    server.otherwise = replies(source_filter={"useful": [1]})
    evidence = opened(source_filter=True).retrieve("How much water did Lake Site draw?")
    assert {context.document for context in evidence.contexts} == {"lake"}
    [filtered] = evidence_object("", evidence)["filters"]
    assert (filtered["what"], filtered["kept"]) == ("documents", 1)
    assert filtered["removed"] > 0
    assert not evidence.complete


def test_the_sections_that_a_model_chose_come_in_its_order(
    opened: Callable[..., Engine], server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retriever.filters.KEPT", 0)
    plain = opened().retrieve("How much water?")
    server.otherwise = replies(section_filter={"useful": [2, 1]})
    evidence = opened(section_filter=True).retrieve("How much water?")
    assert [one.node for one in evidence.contexts] == [one.node for one in plain.contexts[1::-1]]


def test_a_reading_after_an_abstention_sees_what_the_filters_removed(
    opened: Callable[..., Engine], server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retriever.filters.KEPT", 0)
    blank = {"explanation": "", "answer": "is_blank", "answer_value": "is_blank", "ref_id": [], "quotes": []}
    server.otherwise = replies(section_filter={"useful": [1]}, answer={**blank, "is_blank": True})
    answer = opened(section_filter=True, retries=1).ask("How much water?")
    assert (answer.attempts, calls(server, "section_filter")) == (2, 1)


def test_an_imagined_passage_is_searched_by_meaning(opened: Callable[..., Engine], server: FakeServer) -> None:
    server.otherwise = replies(draft={"draft": "North Hall is cooled by outside air."})
    evidence = opened(hyde=True).retrieve("zzz")
    assert evidence.queries[-1] == "North Hall is cooled by outside air."


@pytest.mark.parametrize("setting", ["hyde", "source_filter", "section_filter"])
def test_what_needs_a_model_says_so_where_there_is_none(db: Path, setting: str) -> None:
    with pytest.raises(SettingsError, match=f"{setting} needs a model: give --planner-model or --model"):
        kohaku.open(db, **{setting: True})


def test_a_filter_that_fails_leaves_all_and_is_told_once(
    opened: Callable[..., Engine], server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.otherwise = lambda body: fails(400, "no") if asked_for(body) == "section_filter" else answers(body)
    with caplog.at_level(logging.WARNING):
        evidence = opened(section_filter=True).retrieve("How much water?")
    assert evidence.filters[0].fell_back
    assert len(evidence.contexts) > 1
    assert len(caplog.records) == 1


def test_the_planner_s_own_model_plans_and_the_other_answers(opened: Callable[..., Engine], server: FakeServer) -> None:
    answer = opened(planner_model="thinker").ask("How much water?")
    assert [(body["model"], asked_for(body)) for body in server.requests] == [
        ("thinker", "query_plan"),
        ("scripted", "answer"),
    ]
    assert answer.queries == ("How much water?", "water drawn", "litres")


def test_rules_plan_where_the_planner_fails_which_is_said_once_a_run(
    opened: Callable[..., Engine], server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.otherwise = lambda body: fails(400, "no plans today") if asked_for(body) == "query_plan" else answers(body)
    engine = opened()
    with caplog.at_level(logging.WARNING):
        assert engine.submit(questions(), "out.csv") == []
    assert [row["answer_value"] for row in rows("out.csv")] == ["7"] * 6
    [warning] = [record.getMessage() for record in caplog.records if record.name == "kohaku"]
    assert "rules plan instead" in warning
    assert calls(server, "query_plan") == 6


def test_a_plan_is_made_once_however_often_the_evidence_is_read(
    opened: Callable[..., Engine], server: FakeServer
) -> None:
    server.otherwise = lambda body: answers(body, blank=True)
    answer = opened(budget=60, retries=2).ask("How much water did Lake Site draw?")
    assert answer.is_blank
    assert answer.attempts == 3
    assert (calls(server, "query_plan"), calls(server, "answer")) == (1, 3)
    reads = [text(body) for body in server.requests if asked_for(body) == "answer"]
    assert len(set(reads)) == 3  # each of something new


# ---- submissions


def test_every_question_has_its_row_in_the_order_asked(opened: Callable[..., Engine]) -> None:
    assert opened().submit(questions(), "out.csv") == []
    found = rows("out.csv")
    assert list(found[0]) == COLUMNS.split(",")
    assert {row["id"]: row["question"] for row in found} == QUESTIONS
    assert [row["id"] for row in found] == list(QUESTIONS)
    assert {row["ref_id"] for row in found} <= {"['lake']", "['north']", "['songdeli']"}
    assert {row["answer_unit"] for row in found} == {"litres"}


def test_metadata_fills_in_where_a_document_stands(opened: Callable[..., Engine]) -> None:
    Path("metadata.csv").write_text(
        "id,title,type,year,citation,url\n"
        + "".join(f"{id},,,,,http://x/{id}\n" for id in ("lake", "north", "songdeli"))
    )
    opened().submit(questions(), "out.csv", metadata="metadata.csv")
    for row in rows("out.csv"):
        assert row["ref_url"] == row["ref_id"].replace("['", "['http://x/")


def test_a_row_that_fails_is_reported_and_missing_and_the_next_run_adds_it(
    opened: Callable[..., Engine], server: FakeServer
) -> None:
    server.otherwise = lambda body: fails(400, "I won't") if "take 2" in text(body) else answers(body)
    [failed] = opened().submit(questions(), "out.csv")
    assert failed.question.id == "q2"
    assert "I won't" in failed.reason
    assert [row["id"] for row in rows("out.csv")] == ["q0", "q1", "q3", "q4", "q5"]

    server.otherwise = lambda body: answers(body, value="8")
    before = calls(server, "answer")
    assert opened().submit(questions(), "out.csv") == []
    assert calls(server, "answer") == before + 1
    assert [row["answer_value"] for row in rows("out.csv")] == ["7", "7", "8", "7", "7", "7"]


def test_what_failed_in_passing_is_asked_again_in_the_same_run(
    opened: Callable[..., Engine], server: FakeServer
) -> None:
    server.otherwise = lambda body: (
        fails(500, "busy") if asked_for(body) == "answer" and calls(server, "answer") <= 4 else answers(body)
    )
    assert opened().submit(questions(), "out.csv") == []
    assert len(rows("out.csv")) == 6


def test_progress_counts_the_finished_rows(opened: Callable[..., Engine]) -> None:
    seen: list[tuple[int, int]] = []
    opened(concurrency=1).submit(questions(), "out.csv", progress=lambda done, total, name: seen.append((done, total)))
    assert seen == [(number, 6) for number in range(1, 7)]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (fails(401, "Incorrect API key"), "takes no such key"),
        (fails(404, "no such model"), "no model 'scripted'"),
        (fails(429, "You exceeded your current quota", code="insufficient_quota"), "no quota"),
    ],
)
def test_a_server_that_takes_no_call_stops_the_run_at_once(
    opened: Callable[..., Engine], server: FakeServer, step: Step, words: str
) -> None:
    many = {f"q{number}": f"Question {number}?" for number in range(20)}
    server.otherwise = lambda body: step
    with pytest.raises(NoAccess, match=words):
        opened(concurrency=1).submit(questions(chosen=many), "out.csv")
    assert len(server.requests) == 1
    assert rows("out.csv") == []


def test_what_was_answered_before_the_key_ran_out_is_kept(opened: Callable[..., Engine], server: FakeServer) -> None:
    server.otherwise = lambda body: fails(401, "expired") if "take 3" in text(body) else answers(body)
    with pytest.raises(NoAccess):
        opened(concurrency=1).submit(questions(), "out.csv")
    assert [row["id"] for row in rows("out.csv")] == ["q0", "q1", "q2"]


def test_a_refusal_of_one_prompt_stops_no_other(opened: Callable[..., Engine], server: FakeServer) -> None:
    server.otherwise = lambda body: fails(403, "flagged") if "take 0" in text(body) else answers(body)
    [failed] = opened().submit(questions(), "out.csv")
    assert failed.question.id == "q0"
    assert len(rows("out.csv")) == 5


def test_a_model_without_key_or_server_is_an_error_before_any_question(db: Path) -> None:
    with kohaku.open(db, model="m") as engine, pytest.raises(ModelError, match="OPENAI_API_KEY"):
        engine.submit(questions(), "out.csv")


def test_questions_that_can_t_be_read_are_an_error_before_any_is_asked(
    opened: Callable[..., Engine], server: FakeServer
) -> None:
    Path("bad.csv").write_text("number,text\n1,Why?\n")
    with pytest.raises(TableError, match="no column id, question"):
        opened().submit("bad.csv", "out.csv")
    with pytest.raises(KohakuError):
        opened().retrieve_to("bad.csv", "out.jsonl")
    assert server.requests == []


# ---- evidence for many questions


def test_the_evidence_for_every_question_is_written_as_one_object_a_line(db: Path) -> None:
    with kohaku.open(db, budget=100) as engine:
        engine.retrieve_to(questions(), "out.jsonl")
        engine.retrieve_to(questions(), "again.jsonl")
    written = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(one["id"], one["question"]) for one in written] == list(QUESTIONS.items())
    assert Path("out.jsonl").read_bytes() == Path("again.jsonl").read_bytes()


def test_the_best_evidence_stands_first_and_last_in_the_prompt_where_that_is_set(
    opened: Callable[..., Engine], server: FakeServer
) -> None:
    nodes: dict[str, list[str]] = {}
    for order in ("best_first", "ends"):
        opened(order=order, retries=0).ask("How much water did Lake Site draw?")
        nodes[order] = re.findall(r"^\[ref_id=\S+ node=(\S+?)[ \]]", text(server.requests[-1]), re.MULTILINE)
    assert len(nodes["ends"]) > 2
    assert nodes["ends"] == nodes["best_first"][::2] + nodes["best_first"][1::2][::-1]


def test_a_profile_is_a_setting(db: Path, server: FakeServer) -> None:
    server.otherwise = lambda body: answers(body, "5500000")
    with kohaku.open(db, model="m", base_url=server.url, profile="finance") as engine:
        engine.ask("How much water did Lake Site draw in 2023?")
    said = "".join(text(body) for body in server.requests if asked_for(body) == "answer")
    assert "Brackets mean a negative amount" in said
    with pytest.raises(ProfileError, match="did you mean 'law'"):
        kohaku.open(db, profile="laws")

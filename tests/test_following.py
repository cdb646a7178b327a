"""A question followed on a terminal: on stderr how it goes and what is written, on stdout the checked answer alone."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corpus import use_letters, write
from fake_server import FakeServer, Step, says, writes

import kohaku
from kohaku.doors.cli import main
from kohaku.doors.following import Follower
from kohaku.doors.searcher import Plan
from kohaku.streaming import Called, Waiting, Written
from retriever.evidence import Evidence

REPLY = {
    "explanation": "The report says so. \x1b[31m",
    "answer": "5.5 million litres",
    "answer_value": "5500000",
    "ref_id": ["lake"],
    "quotes": [],
    "is_blank": False,
}


def answers(body: dict[str, Any]) -> Step:
    plan = body["response_format"]["json_schema"]["name"] == "query_plan"
    text = json.dumps({"queries": ["water drawn"]} if plan else REPLY)
    return writes(text) if "stream" in body else says(text)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    use_letters(monkeypatch)
    kohaku.index([write(Path("files"))], "kohaku.db")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kohaku", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


def test_a_models_words_are_shown_as_they_come_and_the_answer_alone_is_the_result(
    run: Callable[..., tuple[int, str, str]], server: FakeServer
) -> None:
    server.otherwise = answers
    model = ("--model", "scripted", "--base-url", server.url)
    code, out, err = run("answer", "How much water did Lake Site draw in 2023?", "--stream", *model)
    assert code == 0 and out.startswith("5.5 million litres\nvalue: 5500000")
    lines = err.splitlines()
    assert lines[0] == "searching for How much water did Lake Site draw in 2023?; water drawn"
    assert lines[1] == "reading 3 pieces of 2 documents"
    assert lines[2:] == [
        "explanation: The report says so. \\x1b[31m",
        "answer: 5.5 million litres",
        "answer_value: 5500000",
        "checking",
    ]
    assert run("answer", "How much water did Lake Site draw in 2023?", *model)[1] == out


def test_the_built_in_reader_can_be_followed_too(run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = run("answer", "How much water did Lake Site draw in 2023?", "--stream", "--json")
    assert code == 0 and json.loads(out)["value"] and "searching for" in err and "checking" in err


def test_one_question_alone_can_be_followed(run: Callable[..., tuple[int, str, str]]) -> None:
    assert run("answer", "--questions", "q.csv", "--out", "o.csv", "--stream")[0] == 2


def test_words_that_begin_anew_stand_on_a_line_of_their_own() -> None:
    out = io.StringIO()
    follow = Follower(out)
    follow(Plan(("how much?",)))
    follow(Written(1, "draft", '{"draft": "an imagined passage'))  # before there is evidence: no answer
    follow(Evidence("how much?", ("how much?",), ()))
    follow(Written(2, "answer", '{"answer": "It is 4'))
    follow(Waiting("m", "answer", 2.0))
    follow(Written(3, "answer", '{"answer": "It is'))
    follow(Written(3, "answer", '{"answer": "It is 5'))
    assert out.getvalue().splitlines() == [
        "searching for how much?",
        "reading 0 pieces of 0 documents",
        "answer: It is 4",
        "m is busy or was not reached (answer): again in 2.0 s",
        "answer: It is 5",
    ]


def test_of_several_that_write_at_once_one_is_shown_until_it_is_done() -> None:
    out = io.StringIO()
    follow = Follower(out)
    follow(Evidence("how much?", ("how much?",), ()))
    follow(Written(1, "answer", '{"answer": "It'))
    follow(Written(2, "answer", '{"answer": "Ab'))
    follow(Written(1, "answer", '{"answer": "It is 4'))
    follow(Called("m", "answer", call=1))
    follow(Written(2, "answer", '{"answer": "About 5'))
    assert out.getvalue().splitlines()[1:] == ["answer: It is 4", "answer: About 5"]

"""What other documents say against an answer is told and makes it less sure; what only differs in words is not."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from corpus import use_letters
from fake_server import FakeServer, says

import kohaku
from answerer.conflicts import agrees
from kohaku.doors.display import answer_lines, answer_object
from kohaku.doors.engine import Engine
from kohaku.doors.report import markdown

QUESTION = "How many litres of water did Lake Site draw in 2023?"
TRUE = {
    "report": "# Water\n\nLake Site drew 5.5 million litres of water in 2023.\n",
    "review": "# Sites\n\nIn 2023 Lake Site drew 5,500,000 litres of water from the lake.\n",
}
LIE = {"leaflet": "# Facts\n\nIn 2023, Lake Site drew 9.9 million litres of water, whatever others claim.\n"}
OTHERS = {
    "hill": "# Hill\n\nHill Site drew 7 million litres of water in 2023. Lake Site drew 4 million litres in 2019.\n",
    "rest": "# Rest\n\nIn 2023 Lake Site drew some 5.53 million litres of water. Its roof was mended.\n",
}


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Engine]]:
    use_letters(monkeypatch)
    engines: list[Engine] = []

    def open(documents: dict[str, str], **settings: Any) -> Engine:
        folder = tmp_path / "-".join(documents)
        folder.mkdir()
        for name, text in documents.items():
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
        kohaku.index([folder], folder / "my.db")
        engines.append(kohaku.open(folder / "my.db", **settings))
        return engines[-1]

    yield open
    for engine in engines:
        engine.close()


def test_a_document_that_contradicts_two_others_is_named_and_the_answer_less_sure(
    opened: Callable[..., Engine],
) -> None:
    agreed = opened({**TRUE, **OTHERS}).ask(QUESTION, unit="litres")
    assert agreed.value == "5500000" and agreed.conflicts == ()
    lied = opened({**TRUE, **LIE, **OTHERS})
    answer = lied.ask(QUESTION, unit="litres")
    assert answer.value == "5500000" and answer.confidence < agreed.confidence
    [conflict] = answer.conflicts
    assert (conflict.value, conflict.citation.document) == ("9900000", "leaflet")
    assert any("But leaflet says 9900000" in line for line in answer_lines(answer))
    assert "*Conflict:* leaflet says" in markdown(lied.report(QUESTION))
    assert answer_object(answer)["conflicts"][0]["citation"]["quote"] == conflict.citation.quote


def test_a_model_that_believes_the_lie_is_contradicted_by_the_other_documents(
    opened: Callable[..., Engine], server: FakeServer, tmp_path: Path
) -> None:
    lie = "In 2023, Lake Site drew 9.9 million litres of water"
    reply = {"explanation": "It says so.", "answer": "9.9 million", "answer_value": "9900000", "ref_id": ["leaflet"]}
    server.otherwise = lambda body: says(json.dumps({**reply, "quotes": [lie], "is_blank": False}))
    settings = {"model": "fooled", "base_url": server.url, "tries": 1, "queries": 1}
    alone = opened(LIE, **settings).ask(QUESTION, unit="litres")
    engine = opened({**TRUE, **LIE}, **settings)
    answer = engine.ask(QUESTION, unit="litres")
    assert answer.is_grounded and alone.conflicts == ()
    assert {one.citation.document for one in answer.conflicts} == {"report", "review"}
    assert answer.confidence < alone.confidence / 2
    written = markdown(engine.report(QUESTION))
    assert "*Conflict:* report says 5500000 [" in written and "*Conflict:* review says" in written
    (tmp_path / "q.csv").write_text(f"id,question,answer_unit\nq1,{QUESTION},litres\n", encoding="utf-8")
    engine.submit(tmp_path / "q.csv", tmp_path / "out.csv")
    with open(tmp_path / "out.csv", encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert row["answer_value"] == "9900000" and "But report says 5500000" in row["explanation"]


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ("5500000", "5530000", True),
        ("5500000", "9900000", False),
        ("1.18", "1.19", False),
        ("85", "[80,90]", True),
        ("[80,90]", "[95,99]", False),
        ("10", "14", False),
        ("0", "0", True),
        ("2019", "2020", False),
        ("Ada Lovelace", "Lovelace", True),
        ("Ada Lovelace", "Grace Hopper", False),
    ],
)
def test_rounded_numbers_and_parts_of_names_contradict_nothing(one: str, other: str, may: bool) -> None:
    assert agrees(one, other) is may and agrees(other, one) is may

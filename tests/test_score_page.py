"""A scoring as lines, as JSON and as a page of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from answerer.diagnosis import Error
from kohaku.doors.page import part
from kohaku.doors.score_page import RIGHT, score_page
from kohaku.doors.scoring import Scoring, scored, scoring_lines, scoring_object
from kohaku.errors import TableError
from kohaku.tables import write_rows

HOSTILE = "</style><script>alert(1)</script>\"'><img src=x onerror=alert(1)> {{ 7 * 7 }} {% raw %} \u202e\x1b"
COLUMNS = ("id", "question", "answer", "answer_value", "answer_unit", "ref_id", "supporting_materials", "explanation")


def row(id: str, value: str, refs: str = "['a']", text: str = "Quote.") -> dict[str, str]:
    return dict(zip(COLUMNS, (id, f"How much is {id}?", text, value, "kWh", refs, text, text), strict=True))


def scoring(*, text: str = "Quote.", against: bool = False, rows: int = 3) -> Scoring:
    write_rows("truth.csv", COLUMNS, [row(f"q{n}", str(n + 3), text=text) for n in range(rows)])
    write_rows("pred.csv", COLUMNS, [row("q0", "3", text=text), row("q1", "5"), row("x", "1")])
    write_rows("other.csv", COLUMNS, [row("q0", "9", text=text), row("q1", "4"), row("q2", "5")])
    other = Path("other.csv") if against else None
    return scored(Path("truth.csv"), Path("pred.csv"), against=other, has_long=True)


def test_every_wrong_question_stands_on_the_page_with_the_truth_beside_it() -> None:
    page = BeautifulSoup(score_page(scoring()), "html.parser")
    cards = page.select("article")
    assert [str(card["id"]) for card in cards] == ["q-q2", "q-q1", "q-q0"]
    assert [str(card["class"]) for card in cards] == ["['e-format']", "['e-value']", "['e-right']"]
    assert "There is no row." in cards[0].text
    values = [str(side.select_one(".value").text) for side in cards[1].select(".sides > section")]  # type: ignore[union-attr]
    assert values == ["4 kWh", "5 kWh"]
    assert "not in the truth" in page.text.lower()


def test_the_page_loads_nothing_runs_nothing_and_shows_what_files_say_as_text() -> None:
    html = score_page(scoring(text=HOSTILE, against=True))
    page = BeautifulSoup(html, "html.parser")
    assert not page.select("script, img, link, iframe, [onerror], [style]")
    [policy] = [str(one["content"]) for one in page.select("meta[http-equiv]")]
    assert policy.startswith("default-src 'none'") and "script-src" not in policy
    assert "{{ 7 * 7 }}" in page.text and "\u202e" not in html and "\x1b" not in html


def test_each_error_can_be_chosen_on_the_page() -> None:
    style = part("score_page.css")
    for kind in (*(error.name.lower() for error in Error), RIGHT):
        assert f"body:has(#k-{kind}:checked) article:not(.e-{kind}" in style
        assert f".e-{kind} {{ --k:" in style


def test_the_page_says_which_questions_changed() -> None:
    page = BeautifulSoup(score_page(scoring(against=True)), "html.parser")
    changes = {str(one.select_one("summary").text): one.select("li") for one in page.select("main details")[:2]}  # type: ignore[union-attr]
    assert list(changes) == ["1 gained", "2 lost"]
    assert "9 (a) → 3 (a)" in " ".join(changes["1 gained"][0].text.split())


def test_json_holds_every_question_with_its_error_and_both_rows() -> None:
    found = json.loads(json.dumps(scoring_object(scoring(against=True))))
    assert {"score", "value", "ref", "na", "n", "missing", "rouge_l"} <= found.keys()
    assert [(one["id"], one["error"]) for one in found["questions"]] == [
        ("q2", "format"),
        ("q1", "wrong value"),
        ("q0", None),
    ]
    assert found["questions"][1]["truth"]["answer_value"] == "4"
    assert found["questions"][0]["predicted"] is None
    assert found["errors"]["wrong value"] == {"n": 1, "lost": 0.75}
    assert found["against"]["gained"][0]["id"] == "q0" and found["against"]["difference"]["p"] <= 1
    assert found["unknown"] == ["x"]


def test_a_list_that_is_cut_says_how_to_see_the_rest() -> None:
    lines = list(scoring_lines(scoring(rows=20), worst=10))
    assert "and 9 more: --worst 19 lists them all, --html FILE shows why" in lines
    assert sum("\t" in line and line.startswith("q") for line in lines) == 10
    assert not any("more" in line for line in scoring_lines(scoring(rows=20), worst=19))


def test_lines_say_what_a_page_says() -> None:
    text = "\n".join(scoring_lines(scoring(against=True)))
    assert "score\t0.5833" not in text and "score\t0.4167" in text
    assert "wrong value                 1    0.75" in text
    assert "q1\t0.25\twrong value\t4 (a)\t5 (a)" in text
    assert "1 gained, 2 lost, 0 otherwise, 0 the same" in text


@pytest.mark.parametrize("line", ["{", "[]", '{"id": 1}', "null"])
def test_evidence_of_another_kind_is_one_line(line: str) -> None:
    scoring()
    Path("evidence.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(TableError, match="is no evidence"):
        scored(Path("truth.csv"), Path("pred.csv"), evidence=Path("evidence.jsonl"))


def test_a_truth_without_rows_is_one_line() -> None:
    write_rows("empty.csv", COLUMNS, [])
    with pytest.raises(TableError, match="no rows"):
        scored(Path("empty.csv"), Path("empty.csv"))

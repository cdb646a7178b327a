"""Results in a notebook: HTML in which all text is text, and rows that a table takes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from corpus import FILES, indexed, letters, use_letters

import kohaku
from answerer.synthesize import Report, Section
from kohaku.doors.engine import Engine
from kohaku.shown import Shown, html, records

QUESTION = "How much water did Lake Site draw in 2023?"
DOCS = Path(__file__).parent.parent / "docs" / "python.md"
HOSTILE = "The <img src=x onerror=alert(1)> hall drew 9 litres </div><script>alert(2)</script> \x1b[31mof water."


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notebook")
    files = {**FILES, "<b>bad.txt": HOSTILE, "long.txt": "Long Hall drew water. " * 40}
    indexed(folder, files, embedder=letters()).close()
    return folder / "corpus.db"


@pytest.fixture
def engine(db: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    use_letters(monkeypatch)
    with kohaku.open(db) as engine:
        yield engine


def results(engine: Engine) -> list[Shown]:
    answer = engine.ask(QUESTION, unit="litres")
    blank = engine.ask("Who painted the ceiling of the chapel?", unit="")
    report = Report(QUESTION, answer, (Section(QUESTION, answer, (answer,)), Section("Why?", blank)), HOSTILE)
    return [engine.retrieve("How much water did the hall draw?"), answer, blank, report, engine.documents()]


def test_every_result_shows_as_html_in_which_all_text_is_text(engine: Engine) -> None:
    for result in results(engine):
        shown = result._repr_html_()
        page = BeautifulSoup(shown, "html.parser")
        assert {tag.name for tag in page.find_all(True)} <= {
            "div", "b", "span", "details", "summary", "table", "thead", "tbody", "tr", "th", "td"
        }  # fmt: skip
        assert {name for tag in page.find_all(True) for name in tag.attrs} <= {"style", "dir"}
        assert "\x1b" not in shown and "color:" not in shown.replace("border-color:", "")


def test_evidence_shows_its_pieces_with_where_they_stand(engine: Engine) -> None:
    page = BeautifulSoup(engine.retrieve("What did Long Hall draw?")._repr_html_(), "html.parser")
    assert page.find_all("b")[0].text == "What did Long Hall draw?"
    assert "long:" in page.text
    [details] = page.find_all("details")
    [lead], [whole] = details.find_all("summary"), details.find_all("div")
    assert len(lead.text) < len(whole.text)


def test_an_answer_shows_its_value_its_confidence_and_its_quotes(engine: Engine) -> None:
    answer = engine.ask(QUESTION, unit="litres")
    text = BeautifulSoup(answer._repr_html_(), "html.parser").text
    assert "5500000 litres" in text and f"confidence {answer.confidence:.2f}" in text
    assert "“Lake Site drew 5.5 million litres of water in 2023.”" in text


def test_rows_all_have_the_same_keys_and_plain_values(engine: Engine) -> None:
    for result in results(engine):
        rows = result.to_records()
        assert rows
        assert len({tuple(row) for row in rows}) == 1
        assert all(type(value) in (str, int, float, bool, type(None)) for row in rows for value in row.values())
        writer = csv.DictWriter(io.StringIO(), rows[0])
        writer.writerows(rows)


def test_evidence_and_answers_give_a_row_a_piece_and_a_quote(engine: Engine) -> None:
    evidence = engine.retrieve(QUESTION)
    assert [row["node"] for row in evidence.to_records()] == [context.node for context in evidence.contexts]
    [row] = engine.ask(QUESTION, unit="litres").to_records()
    assert (row["value"], row["doc"], row["quote"]) == (
        "5500000", "lake", "Lake Site drew 5.5 million litres of water in 2023."
    )  # fmt: skip
    assert [row["id"] for row in engine.documents().to_records()] == [one.id for one in engine.documents()]


def test_pandas_takes_the_rows(engine: Engine) -> None:
    import pandas

    frame = pandas.DataFrame(engine.retrieve(QUESTION).to_records())
    assert list(frame["rank"]) == list(range(1, len(frame) + 1))


def test_the_python_of_the_documentation_works(
    db: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_letters(monkeypatch)
    Path("papers.db").write_bytes(db.read_bytes())
    blocks = re.findall(r"^```python\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    exec(compile("\n".join(blocks), str(DOCS), "exec"), {})
    assert capsys.readouterr().out.startswith("question,rank,doc,title,node")


def test_what_nothing_knows_to_show_shows_as_it_is() -> None:
    assert html(Path("<b>")) == "<pre>PosixPath(&#x27;&lt;b&gt;&#x27;)</pre>"
    with pytest.raises(TypeError, match="open the index with"):
        records(Path())

"""Parts of the user's own: the examples in the documentation run, and what is wrong with a part is said."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Sequence
from contextlib import chdir, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pymupdf
import pytest
from conftest import LetterEmbedder, letters
from pictures import bars

import kohaku
from answerer.answer import Answer, Question, abstention
from kohaku.errors import EmbedderError, SettingsError, WrongEmbedder
from retriever.evidence import Evidence

ROOT = Path(__file__).parent.parent
EXAMPLES = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "docs" / "extending.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "lake.md").write_text("# Lake\n\nThe lake site drew 120 m3 of water in 2023.\n\nIts hall is blue.\n")
    return folder


def test_the_examples_of_the_documentation_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOHAKU_WORKERS", "1")
    (tmp_path / "papers").mkdir()
    shutil.copy(ROOT / "data" / "sample" / "fennmark2023.pdf", tmp_path / "papers")
    known: dict[str, Any] = {}
    said = []
    for code in EXAMPLES:
        with chdir(tmp_path), redirect_stdout(io.StringIO()) as out:
            exec(compile(code, "extending.md", "exec"), known)
        said.append(out.getvalue())
    assert said[0] == "4.35\n"
    assert len(said[1].splitlines()) >= 3
    assert said[2].strip()
    assert said[3].startswith("4.35 stated ") and "rate of 4.35%" in said[3]


def test_an_embedder_of_ones_own_may_give_rows_of_any_length_and_type(folder: Path, tmp_path: Path) -> None:
    class Lists(LetterEmbedder):
        fingerprint = "lists"

        def embed_passages(self, passages: Sequence[str]) -> Any:
            return [[float(100 * number) for number in row] for row in super().embed_passages(passages)]

    kohaku.index([folder], tmp_path / "own.db", embedder=Lists())
    with kohaku.open(tmp_path / "own.db", embedder=Lists()) as engine:
        assert engine.retrieve("How much water did the lake site draw?").contexts
        assert engine.embedder.embed_passages(["aab"])[0][:2] == pytest.approx([0.894427, 0.447214])


def test_an_embedder_of_ones_own_that_sees_finds_figures_by_their_pictures(tmp_path: Path) -> None:
    class Seeing(LetterEmbedder):
        takes_images = True

        def embed_images(self, images: Sequence[bytes]) -> Any:
            return [[7.0 * number for number in row] for row in self.embed_questions(["zzz"] * len(images))]

    with pymupdf.open() as pdf:
        page = pdf.new_page(width=300, height=400)
        page.insert_image((50, 50, 250, 200), stream=bars(160, 120))
        page.insert_text((50, 220), "Figure 1: The wheel of the mill.", fontsize=10)
        pdf.save(tmp_path / "mill.pdf")
    kohaku.index([tmp_path / "mill.pdf"], tmp_path / "own.db", embedder=Seeing())
    with kohaku.open(tmp_path / "own.db", embedder=Seeing()) as engine:
        [[hit]] = engine.store.nearest_pictures(letters(["zzz"]), 5)
        assert hit.score == pytest.approx(1)


@pytest.mark.parametrize("rows", [[[1.0]], [[float("nan")] * 26], [["a"] * 26], "nothing"])
def test_an_embedder_that_gives_no_vectors_is_named_and_nothing_is_stored(
    folder: Path, tmp_path: Path, rows: Any
) -> None:
    class Wrong(LetterEmbedder):
        fingerprint = "wrong"

        def embed_passages(self, passages: Sequence[str]) -> Any:
            return rows * len(passages)

    with pytest.raises(EmbedderError, match=r"embedder wrong gave an array of .* check its embed_questions"):
        kohaku.index([folder], tmp_path / "own.db", embedder=Wrong())
    with kohaku.open(tmp_path / "own.db") as engine:
        assert list(engine.documents()) == []


def test_an_index_made_with_ones_own_embedder_says_so_where_that_is_not_given(folder: Path, tmp_path: Path) -> None:
    kohaku.index([folder], tmp_path / "own.db", embedder=LetterEmbedder())
    with (
        kohaku.open(tmp_path / "own.db") as engine,
        pytest.raises(SettingsError, match=r"of your own \(letters/26\).*embedder=…"),
    ):
        engine.retrieve("How much water?")
    other = LetterEmbedder()
    other.fingerprint = "others"
    with kohaku.open(tmp_path / "own.db", embedder=other) as engine, pytest.raises(WrongEmbedder, match="letters/26"):
        engine.retrieve("How much water?")


def test_a_reader_of_ones_own_answers_by_itself_and_writes_submissions(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[Question] = []

    def read(question: Question, evidence: Evidence) -> Answer:
        asked.append(question)
        if "hall" not in question.text:
            return abstention(question, "only halls are known")
        return Answer(question, "Blue it is.", "blue", "", (evidence.contexts[0].document,))

    kohaku.index([folder], tmp_path / "own.db", embedder=LetterEmbedder())
    questions = tmp_path / "questions.csv"
    questions.write_text("id,question\nq1,What colour has the hall?\nq2,How much water?\n")
    with kohaku.open(tmp_path / "own.db", embedder=LetterEmbedder(), reader=read, runs=3) as engine:
        assert engine.submit(questions, tmp_path / "out.csv") == []
    assert "readings by the reader that was given would be the same" in caplog.text
    assert {question.id for question in asked} == {"q1", "q2"}
    rows = (tmp_path / "out.csv").read_text().splitlines()
    assert rows[1].startswith("q1,What colour has the hall?,Blue it is.,blue,")
    assert "is_blank" in rows[2]


def test_a_reranker_of_ones_own_orders_the_finds(folder: Path, tmp_path: Path) -> None:
    class Blue:
        def scores(self, question: str, passages: Sequence[str]) -> list[float]:
            return [float("blue" in passage) for passage in passages]

    (folder / "hill.md").write_text("# Hill\n\nHow much water the hill site drew is unknown.\n")
    kohaku.index([folder], tmp_path / "own.db", embedder=LetterEmbedder())
    with kohaku.open(tmp_path / "own.db", embedder=LetterEmbedder(), reranker=Blue()) as engine:
        assert "blue" in engine.retrieve("How much water did the hill site draw?").contexts[0].text


@pytest.mark.parametrize(
    ("part", "given", "lacking"),
    [
        ("embedder", object(), "fingerprint, dimensions, max_tokens, embed_questions, embed_passages"),
        ("embedder", SimpleNamespace(**vars(LetterEmbedder), takes_images=True), "embed_images"),
        ("reranker", len, "scores"),
        ("reader", 3, "__call__"),
    ],
)
def test_a_part_that_lacks_something_is_refused(tmp_path: Path, part: str, given: object, lacking: str) -> None:
    with pytest.raises(SettingsError, match=f"the {part} that was given has no {lacking}: see"):
        kohaku.open(tmp_path / "no.db", **{part: given})

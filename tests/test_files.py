"""Which files are indexed, and how they are named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from indexer.files import content_hash, find, name_of, names_of, printable
from indexer.metadata import finder, read_metadata
from kohaku.errors import TableError


def touch(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(name)


def found(*paths: str) -> list[str]:
    return [str(path.relative_to(Path.cwd())) for path in find(paths)]


def test_folders_give_files_with_a_reader_sorted_and_hidden_ones_not() -> None:
    touch("in/b.MD", "in/sub/a.txt", "in/.hidden.md", "in/.git/c.md", "in/metadata.csv", "in/x.bin", "in/a.html")
    assert found("in") == ["in/a.html", "in/b.MD", "in/sub/a.txt"]


def test_a_file_named_by_hand_is_there_whatever_it_is() -> None:
    touch("x.bin", "in/a.md")
    assert found("x.bin", "in", "in/a.md", "gone.md") == ["gone.md", "in/a.md", "x.bin"]


def test_a_link_that_leads_back_ends_somewhere() -> None:
    touch("in/sub/a.md")
    Path("in/sub/up").symlink_to(Path("in").resolve())
    Path("in/broken.md").symlink_to("nowhere")
    assert found("in") == ["in/sub/a.md"]


def test_a_name_that_is_not_utf8_can_be_shown() -> None:
    path = os.fsencode(Path.cwd()) + b"/caf\xe9.txt"
    try:
        Path(os.fsdecode(path)).write_text("x")
    except OSError:
        pytest.skip("this file system takes only UTF-8")
    [file] = find(["."])
    assert name_of(file) == "caf\\xe9"
    assert printable(file).encode().endswith(b"caf\\xe9.txt")


def test_a_name_is_composed_as_a_table_would_have_it() -> None:
    assert names_of(Path("papers/U\u0308ber uns.v2.pdf")) == ("papers/Über uns.v2", "Über uns.v2")


def test_equal_contents_have_equal_hashes() -> None:
    touch("a.md")
    Path("b.md").write_text("a.md")
    assert content_hash(Path("a.md")) == content_hash(Path("b.md"))


def test_a_metadata_row_is_found_by_case_first_then_without() -> None:
    Path("m.csv").write_text("id,title\nSmith2020,Big\nsmith2020,Small\nÜber,Umlaut\n")
    find_row = finder(read_metadata("m.csv"))
    titles = [
        (find_row([name]) or {}).get("title") for name in ("smith2020", "Smith2020", "SMITH2020", "u\u0308ber", "x")
    ]
    assert titles == ["Small", "Big", "Small", "Umlaut", None]


@pytest.mark.parametrize("content", ["title\nx\n", "id\na\na\n", ""])
def test_a_metadata_table_needs_one_id_a_row(content: str) -> None:
    Path("m.csv").write_text(content)
    with pytest.raises(TableError):
        read_metadata("m.csv")

from __future__ import annotations

import csv
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku.errors import TableError
from kohaku.tables import check_unique, read_rows, write_rows
from kohaku.text import storable


def file(folder: Path, content: bytes) -> Path:
    path = folder / "rows.csv"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_utf8_is_read_with_and_without_byte_order_mark(tmp_path: Path, start: bytes) -> None:
    path = file(tmp_path, start + "id,question\n1,Où est 東京?\n".encode())
    assert read_rows(path, ["id", "question"]) == [{"id": "1", "question": "Où est 東京?"}]


def test_other_encodings_are_read_as_cp1252_and_it_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = file(tmp_path, "id,title\n1,Café – “x”\n".encode("cp1252"))
    with caplog.at_level(logging.WARNING, "kohaku"):
        assert read_rows(path) == [{"id": "1", "title": "Café – “x”"}]
    assert "cp1252" in caplog.text and str(path) in caplog.text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8"])
@pytest.mark.parametrize("between", ["\t", ";", ","])
def test_what_spreadsheets_save_is_read_whatever_stands_between_the_cells(
    tmp_path: Path, encoding: str, between: str
) -> None:
    text = '\n\nid|question\r\n1|"Où est 東京; or, or\tnot""?"\r\n'.replace("|", between)
    bom = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path = file(tmp_path, bom + text.encode(encoding))
    assert read_rows(path, ["id", "question"]) == [{"id": "1", "question": 'Où est 東京; or, or\tnot"?'}]


@pytest.mark.parametrize(
    "content",
    [
        "id,question\n1,why\n".encode("utf-16-le"),  # no BOM
        "id,question\n1,why\n".encode("utf-32"),
        "id,question\n1,why\n".encode("utf-16")[:-1],
        b"PK\x03\x04\x00\x00\xff\xff",
    ],
)
def test_what_is_no_csv_is_one_line_that_says_what_to_save(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(TableError, match=r"rows\.csv is no CSV in UTF-8, UTF-16 with a BOM, or cp1252 .*: save it"):
        read_rows(file(tmp_path, content), ["id", "question"])


def test_cells_may_hold_line_breaks_quotes_and_commas(tmp_path: Path) -> None:
    path = file(tmp_path, b'id,question\r\n1,"two\nlines, ""quoted"""\r\n')
    assert read_rows(path) == [{"id": "1", "question": 'two\nlines, "quoted"'}]


def test_short_rows_are_padded_which_is_said_and_empty_lines_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = file(tmp_path, b"id,question,answer_unit\n1,why\n\n ,,\n2\n")
    assert [row["answer_unit"] for row in read_rows(path)] == ["", ""]
    assert "rows lack cells (cut off?)" in caplog.text


def test_cells_beyond_the_header_are_dropped_and_it_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert read_rows(file(tmp_path, b"id\n1,2\n")) == [{"id": "1"}]
    assert "line 2" in caplog.text


def test_a_missing_column_is_named_with_the_file_and_what_it_has(tmp_path: Path) -> None:
    path = file(tmp_path, b"no,asked\n1,why\n")
    with pytest.raises(
        TableError,
        match=r"rows\.csv has no column id, question: add it, or give another file \(its columns are no, asked",
    ):
        read_rows(path, ["id", "question"])


@pytest.mark.parametrize("header", ["id,question,answer_unit", "ID,Question,Answer Unit", "Id , QUESTION,ANSWER_UNIT"])
def test_columns_are_found_whatever_their_case_or_space(tmp_path: Path, header: str) -> None:
    [row] = read_rows(file(tmp_path, f"{header},Note\n1,why,kg,x\n".encode()), ["id", "question"], ["answer_unit"])
    assert row == {"id": "1", "question": "why", "answer_unit": "kg", "Note": "x"}


def test_a_column_that_stands_there_letter_by_letter_is_taken_before_one_in_capitals(tmp_path: Path) -> None:
    assert read_rows(file(tmp_path, b"ID,id\n1,2\n"), ["id"]) == [{"ID": "1", "id": "2"}]


@pytest.mark.parametrize("header", [b"ID,Id", b"Id,Question,ID"])
def test_two_columns_that_differ_in_case_only_are_refused(tmp_path: Path, header: bytes) -> None:
    with pytest.raises(TableError, match="two columns id"):
        read_rows(file(tmp_path, header + b"\n1,2,3\n"), ["id"])


def test_two_columns_of_a_required_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="two columns id"):
        read_rows(file(tmp_path, b"id,id\n1,2\n"), ["id"])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xef\xbb\xbf",
        b"\n\n",
        b"PK\x03\x04\x00\x00\xff\xfe",
        "id,question\n1,é".encode("utf-16-le"),
        b"\x81\x8d\x90,",
    ],
)
def test_what_is_no_csv_is_a_table_error_in_one_line(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(TableError) as error:
        read_rows(file(tmp_path, content))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["missing.csv", ".", "nul\0.csv"])
def test_a_path_that_cannot_be_read_is_a_table_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(TableError):
        read_rows(tmp_path / name)


def test_a_quote_that_never_closes_is_an_error_and_swallows_no_rows(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="line"):
        read_rows(file(tmp_path, b'id,question\n1,"why\n2,how\n'))


def test_huge_cells_are_read(tmp_path: Path) -> None:
    [row] = read_rows(file(tmp_path, b"id,text\n1," + b"x" * 1_000_000 + b"\n"))
    assert len(row["text"]) == 1_000_000


def test_nul_and_lone_surrogates_are_read(tmp_path: Path) -> None:
    path = file(tmp_path, b"id,text\n1,a\x00b\xed\xa0\xb5\n")
    assert read_rows(path) == [{"id": "1", "text": "a\0b\ud835"}]


def test_an_id_twice_or_empty_is_refused() -> None:
    check_unique([{"id": "1"}, {"id": "2"}], "id", "q.csv")
    with pytest.raises(TableError, match="'1' stands in two rows"):
        check_unique([{"id": "1"}, {"id": "1"}], "id", "q.csv")
    with pytest.raises(TableError, match="row 1 has no id"):
        check_unique([{"id": " "}], "id", "q.csv")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = file(tmp_path, b"id\nold\n")

    def rows() -> Iterator[dict[str, str]]:
        yield {"id": "new"}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_rows(path, ["id"], rows())
    assert path.read_bytes() == b"id\nold\n"
    assert list(tmp_path.iterdir()) == [path]


def test_writing_where_no_folder_is_says_so(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="can't be written"):
        write_rows(tmp_path / "none" / "a.csv", ["id"], [])


@given(cells=st.lists(st.text(st.characters(), max_size=30), min_size=2, max_size=2))
def test_any_text_is_written_as_utf8_and_read_back(tmp_path_factory: pytest.TempPathFactory, cells: list[str]) -> None:
    path = tmp_path_factory.mktemp("csv") / "rows.csv"
    write_rows(path, ["id", "text"], [{"id": "x" + cells[0], "text": cells[1]}])
    assert read_rows(path) == [{"id": storable("x" + cells[0]), "text": storable(cells[1])}]
    with path.open(encoding="utf-8", newline="") as written:
        assert len(list(csv.reader(written))) == 2


@pytest.mark.parametrize("place", ["folder", "/dev/null"])
def test_only_a_file_is_written_to(tmp_path: Path, place: str) -> None:
    Path("folder").mkdir()
    with pytest.raises(TableError, match="no file that can be written"):
        write_rows(place, ["id"], [])
    assert not Path("/dev/null").is_file() and list(tmp_path.iterdir()) == [tmp_path / "folder"]

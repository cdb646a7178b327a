"""CSV files in and out: questions, metadata, submissions."""

from __future__ import annotations

import codecs
import csv
import io
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from kohaku.errors import TableError
from kohaku.text import storable

_log = logging.getLogger("kohaku")

_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
DELIMITERS = ",\t;"
"""Between cells: spreadsheets save "Unicode text" with tabs, and semicolons where a comma is in numbers."""


def read_rows(path: str | Path, required: Sequence[str] = (), known: Sequence[str] = ()) -> list[dict[str, str]]:
    """The rows of a CSV as text by column; short rows are padded with "", cells beyond the header are dropped.

    The names `required`, and those `known` beside them, are found whatever their case, "Answer Unit" for answer_unit.

    UTF-8 with or without BOM, UTF-16 with one, else cp1252; cells between commas, tabs or semicolons, whichever the
    first line has first. What a user should hear about (cp1252, short rows, dropped cells) is a warning of the logger
    "kohaku".
    TableError for a file that is not there, is empty or no CSV, or lacks a required column.
    """
    header, records = _headed(_records(_text(Path(path)), path), required, path, known=known)
    if short := _short(header, records):
        _log.warning("%s, line %s: %d rows lack cells (cut off?), and are read as empty there", path, *short)
    return [_row(header, cells, line, path) for line, cells in records]


def read_whole_rows(path: str | Path, required: Sequence[str] = ()) -> list[dict[str, str]]:
    """The same of a CSV that a full disk or a broken transfer may have cut: rows that are not whole are left out.

    A row is whole that has a cell for each column, and its line end; a warning says which are not.
    """
    header, records = _headed(_records(_text(Path(path), cut=True), path, cut=True), required, path)
    if short := _short(header, records):
        _log.warning("%s, line %s: %d rows are cut off, and count as not there", path, *short)
    return [_row(header, cells, line, path) for line, cells in records if len(cells) >= len(header)]


def _short(header: Sequence[str], records: Sequence[tuple[int, list[str]]]) -> tuple[str, int] | None:
    """The first lines of records with fewer cells than columns, and how many there are."""
    lines = [line for line, cells in records if len(cells) < len(header)]
    return (", ".join(map(str, lines[:5])) + (", …" if len(lines) > 5 else ""), len(lines)) if lines else None


def check_unique(rows: Iterable[Mapping[str, str]], column: str, path: str | Path) -> None:
    """Raises TableError where two rows have the same text in a column, or a row has none."""
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        if not row[column].strip():
            raise TableError(f"{path}: row {number} has no {column}: give every row one of its own")
        if row[column] in seen:
            raise TableError(f"{path}: {column} {row[column]!r} stands in two rows: give every row one of its own")
        seen.add(row[column])


def write_rows(path: str | Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Writes a whole CSV at once: whoever reads the path sees the old file or the new one, never a part."""
    with _whole(path) as file:
        writer = csv.writer(file, lineterminator="\r\n")  # with "\n" alone, Python 3.11 leaves a "\r" in a cell bare
        writer.writerow(columns)
        writer.writerows([storable(row.get(column, "")) for column in columns] for row in rows)


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Writes a whole file of lines at once, as `write_rows` does."""
    with _whole(path) as file:
        file.writelines(f"{storable(line)}\n" for line in lines)


def check_target(path: str | Path) -> None:
    """Raises TableError where something that is no file stands at a path to write to: a folder, a device."""
    if Path(path).exists() and not Path(path).is_file():
        raise TableError(f"{path} is no file that can be written: give another path")


@contextmanager
def _whole(path: str | Path) -> Iterator[TextIO]:
    """A file to write to that takes the path's place only when all is written."""
    check_target(path)
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise TableError(
            f"{path} can't be written ({error.strerror or error}): make room, or give another path"
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def _text(path: Path, *, cut: bool = False) -> str:
    """The file's text; of one that may be `cut`, without the letter that it was cut in."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise TableError(f"no file at {path}: give another path") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise TableError(
            f"{path} can't be read ({getattr(error, 'strerror', None) or error}): give another file"
        ) from None
    utf_8 = (("utf-8-sig", "strict"), ("utf-8-sig", "surrogatepass"), ("cp1252", "strict"))
    for encoding, errors in (("utf-16", "surrogatepass"),) if data.startswith(_BOMS) else utf_8:
        try:
            text = codecs.getincrementaldecoder(encoding)(errors).decode(data, final=not cut)
        except UnicodeDecodeError:
            continue
        if "\x00" in (text if encoding == "cp1252" else text.partition("\n")[0]):
            break  # a workbook, a PDF, UTF-16 without BOM: cp1252 gives a letter to nearly every byte
        if encoding == "cp1252":
            _log.warning("%s is not UTF-8: read as cp1252", path)
        return text
    raise TableError(f"{path} is no CSV in UTF-8, UTF-16 with a BOM, or cp1252 (a workbook?): save it as CSV in UTF-8")


def _headed(
    records: Sequence[tuple[int, list[str]]], required: Sequence[str], path: str | Path, *, known: Sequence[str] = ()
) -> tuple[list[str], Sequence[tuple[int, list[str]]]]:
    """The columns' names, and the records below them."""
    if not records:
        raise TableError(f"{path} is empty: give a CSV whose first line names the columns")
    header = _named([name.strip() for name in records[0][1]], (*required, *known))
    _check_columns(header, required, path)
    return header, records[1:]


def _named(header: Sequence[str], known: Sequence[str]) -> list[str]:
    """The header with known names as they are known; one that stands there letter by letter is no other's.

    >>> _named(["ID", "Answer Unit", "Note"], ["id", "answer_unit"]), _named(["ID", "id"], ["id"])
    (['id', 'answer_unit', 'Note'], ['ID', 'id'])
    """
    wanted = {name: name for name in known if name not in header}
    return [wanted.get("_".join(name.casefold().split()), name) for name in header]


def _records(text: str, path: str | Path, *, cut: bool = False) -> list[tuple[int, list[str]]]:
    """The records with the line each ends on, empty lines left out; of a `cut` text the last may have no cells."""
    csv.field_size_limit(2**31 - 1)  # the default of 128 KiB is less than a long quotation
    # Strict, because a quote that is never closed would otherwise swallow all rows that follow without a word.
    source, mark = io.StringIO(text, newline=""), _delimiter(text)
    reader = csv.reader(source, strict=True, delimiter=mark)
    records: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                records.append((reader.line_num, cells))
        unended = not text.endswith(("\n", "\r"))
        if cut and unended and len(records) > 1 and records[-1][0] == reader.line_num:
            records[-1] = (reader.line_num, [])
    except csv.Error as error:
        if not cut or not records or source.read(1) or _swallowed(text, records, mark):
            raise TableError(
                f"{path}, line {reader.line_num}: broken quotes ({error}): write a quote in a cell twice"
            ) from None
        records.append((reader.line_num, []))
    return records


def _swallowed(text: str, records: Sequence[tuple[int, list[str]]], mark: str) -> bool:
    """Whether a quote that is not closed after the records has whole rows behind it, which no cut leaves."""
    after = io.StringIO(text, newline="").readlines()[records[-1][0] + 1 :]
    return any(line.count(mark) >= len(records[0][1]) - 1 for line in after)


def _delimiter(text: str) -> str:
    r"""What stands between the cells: the first such mark of the first line that says anything.

    >>> [_delimiter(text) for text in ("id,question; in words", "id\tquestion, in words", "\nid;question", "id")]
    [',', '\t', ';', ',']
    """
    head = next(filter(str.strip, text.splitlines()), "")
    return next((mark for mark in head if mark in DELIMITERS), ",")


def _check_columns(header: Sequence[str], required: Sequence[str], path: str | Path) -> None:
    missing = [name for name in required if name not in header]
    if missing:
        found = ", ".join(header)
        found = found if len(found) <= 200 else found[:200] + "…"
        raise TableError(
            f"{path} has no column {', '.join(missing)}: add it, or give another file (its columns are {found})"
        )
    for name in required:
        if header.count(name) > 1:
            raise TableError(f"{path} has two columns {name}: rename one")


def _row(header: Sequence[str], cells: Sequence[str], line: int, path: str | Path) -> dict[str, str]:
    if any(cells[len(header) :]):
        _log.warning("%s, line %d: %d cells under %d columns: the rest is dropped", path, line, len(cells), len(header))
    padded = [*cells, *[""] * (len(header) - len(cells))]
    return dict(zip(header, padded, strict=False))

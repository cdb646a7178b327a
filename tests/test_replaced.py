"""An index whose name another file takes while something has it open, or left a log beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from kohaku.errors import DamagedStore, ForeignLog, NotAStore, ReplacedStore, StoreError
from kohaku.store import Store, log
from kohaku.tree import Document, Kind, Node, Tree

READER = """
import sys
from kohaku.store import Store
with Store.open(sys.argv[1]) as store:
    store.documents()
    print("open", flush=True)
    sys.stdin.readline()
"""


def put(path: Path, *ids: str, words: int = 1) -> Path:
    """An index with documents more, which is closed."""
    with Store.create(path, fingerprint="f", dimensions=2) as store:
        for id in ids:
            add(store, id, words)
    return path


def add(store: Store, id: str, words: int = 1) -> None:
    texts = [f"{id} says {number}. " * 40 for number in range(words)]
    nodes = [Node(id, 0, words, None, Kind.DOCUMENT, id, "", 0, title=id)]
    nodes += [Node(id, n + 1, n + 1, 0, Kind.PARAGRAPH, f"{id}:p{n}", text, 9) for n, text in enumerate(texts)]
    store.put(
        Tree(Document(id, id, (f"/{id}",), id, "f", 0, {}), tuple(nodes), {}, {}, ()),
        np.ones((len(nodes), 2), np.float32),
    )


def ids(path: Path) -> list[str]:
    with Store.open(path) as store:
        assert store.check() == []
        return [document.id for document in store.documents()]


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Another process reads the index."""
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout is not None and reader.stdin is not None
        assert reader.stdout.readline() == "open\n"
        yield
        reader.stdin.close()


def move(new: Path, path: Path) -> None:
    new.replace(path)


def restore(new: Path, path: Path) -> None:
    path.unlink()
    shutil.copyfile(new, path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "my.db"


@pytest.mark.parametrize(("replaced", "old", "new"), [(move, 1, 300), (move, 300, 1), (restore, 1, 300)])
def test_a_file_that_takes_the_place_of_one_that_is_read_elsewhere_is_read_and_written_as_it_is(
    path: Path, replaced: Callable[[Path, Path], None], old: int, new: int
) -> None:
    put(path, "old", words=old)
    other = put(path.with_name("other.db"), "new", words=new)
    with held(path), Store.open(path) as reader:
        assert [document.id for document in reader.documents()] == ["old"]
        replaced(other, path)
        assert ids(path) == ["new"]
        put(path, "more")
        assert ids(path) == ["more", "new"]
        with pytest.raises(ReplacedStore, match=r"my\.db was replaced or removed while it was open"):
            reader.documents()
    assert ids(path) == ["more", "new"]


def test_of_two_that_are_opened_after_it_neither_takes_anything_from_the_other(path: Path) -> None:
    put(path, "old")
    other = put(path.with_name("other.db"), "new")
    with Store.open(path):
        move(other, path)
        with Store.open(path) as reader:
            assert [document.id for document in reader.documents()] == ["new"]
            with Store.edit(path) as writer:
                add(writer, "more")
                assert [document.id for document in reader.documents()] == ["more", "new"]
    assert ids(path) == ["more", "new"]


def test_an_index_made_anew_where_one_was_deleted_is_whole_while_the_old_one_is_still_read(path: Path) -> None:
    put(path, "old", words=300)
    with held(path):
        path.unlink()
        put(path, "new")
        assert ids(path) == ["new"]
        put(path, "more", words=300)
        assert ids(path) == ["more", "new"]


def test_what_is_read_at_once_stays_of_the_old_file(path: Path) -> None:
    put(path, "old", words=300)
    other = put(path.with_name("other.db"), "new")
    with Store.open(path) as reader:
        with reader.snapshot():
            other.replace(path)
            assert ids(path) == ["new"]
            put(path, "more", words=300)
            assert ids(path) == ["more", "new"]
            assert [document.id for document in reader.documents()] == ["old"]
            assert len(reader.subtree("old")) == 301
        with pytest.raises(ReplacedStore), reader.snapshot():
            pass


def test_changes_that_wait_are_shared_with_no_other_file_within_a_process(path: Path) -> None:
    put(path, "old")
    other = put(path.with_name("other.db"), "new")
    with Store.open(path) as reader:
        with reader.snapshot(), Store.edit(path) as writer:
            add(writer, "late", words=300)
            other.replace(path)
            with pytest.raises(ForeignLog):
                Store.open(path)
            with pytest.raises(ReplacedStore):
                add(writer, "later")
            assert [document.id for document in reader.documents()] == ["old"]
        assert path.stat().st_size


def test_a_deleted_index_is_read_on_until_there_is_another(path: Path) -> None:
    put(path, "old")
    with Store.open(path) as reader:
        path.unlink()
        assert [document.id for document in reader.documents()] == ["old"]
        put(path, "new")
        with pytest.raises(ReplacedStore):
            reader.documents()


def test_a_writer_stops_at_the_first_change_after_its_file_was_replaced(path: Path) -> None:
    put(path, "old")
    other = put(path.with_name("other.db"), "new")
    with Store.edit(path) as writer:
        other.replace(path)
        with pytest.raises(ReplacedStore):
            add(writer, "late")
    assert ids(path) == ["new"]


@pytest.fixture
def killed(path: Path) -> Path:
    """An index whose writer was killed: two changes stand in its log alone."""
    put(path, "one")
    shutil.copyfile(path, path.with_name("backup.db"))
    with Store.edit(path) as writer, Store.open(path) as reader, reader.snapshot():
        add(writer, "two")
        writer._db.execute("pragma wal_checkpoint(passive)")
        add(writer, "three")
        add(writer, "four")
        for ending in ("", "-wal"):
            shutil.copyfile(f"{path}{ending}", path.with_name(f"killed.db{ending}"))
    return path.with_name("killed.db")


def test_the_log_of_a_killed_writer_is_read_with_its_own_file(killed: Path) -> None:
    assert log.has_log(killed)
    assert ids(killed) == ["four", "one", "three", "two"]
    put(killed, "five")
    assert ids(killed) == ["five", "four", "one", "three", "two"]
    assert not log.has_log(killed)


@pytest.mark.parametrize("other", ["another index", "a later state of the same"])
def test_a_log_is_read_through_no_other_file_and_nothing_of_it_is_lost(killed: Path, path: Path, other: str) -> None:
    if other == "another index":
        put(new := path.with_name("other.db"), "other", words=300)
    else:
        put(new := path, "five")
    away = killed.with_name("away.db")
    killed.rename(away)
    shutil.copyfile(new, killed)
    for opening in (Store.open, Store.edit):
        with pytest.raises(ForeignLog, match=r"killed\.db-wal holds changes of another index.*put it back, or"):
            opening(killed)
    away.replace(killed)
    assert ids(killed) == ["four", "one", "three", "two"]


def test_a_log_left_where_an_index_is_made_anew_is_no_part_of_it(killed: Path) -> None:
    killed.unlink()
    put(killed, "new")
    assert ids(killed) == ["new"]


def test_whoever_reads_leaves_nothing_beside_an_index(path: Path) -> None:
    put(path, "one")
    with Store.open(path) as first, Store.open(path) as second:
        assert first.documents() == second.documents()
    assert [file.name for file in path.parent.iterdir()] == ["my.db"]


def test_a_reader_that_ends_takes_nothing_from_one_that_stays(path: Path) -> None:
    put(path, "one")
    with held(path):
        ids(path)
        with Store.open(path) as reader:
            Store.open(path).close()
            put(path, "two")
            assert [document.id for document in reader.documents()] == ["one", "two"]
            assert ids(path) == ["one", "two"]


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00" + b"\xff" * 200, b"x" * 5000])
def test_what_is_no_index_is_refused_and_nothing_is_left_beside_it(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for opening in (Store.open, Store.edit):
        with pytest.raises(StoreError):
            opening(path)
    assert path.read_bytes() == content
    assert [file.name for file in path.parent.iterdir()] == ["my.db"]


def test_a_pipe_is_no_index_and_nobody_waits_for_it(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(NotAStore):
        Store.open(path)


def test_a_file_that_is_damaged_while_it_is_open_is_told_as_such_each_time(path: Path) -> None:
    put(path, "one")
    with Store.open(path) as reader:
        put(path, "two")
        path.write_bytes(b"\0" * path.stat().st_size)
        for _ in range(2):
            with pytest.raises(DamagedStore), reader.snapshot():
                pass

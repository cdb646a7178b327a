"""What waits in a file while a long document is read."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from indexer import blocks, prepare
from indexer.blocks import Block, Mark, shelved
from indexer.kept import keep
from indexer.shelf import Shelf
from kohaku.tree import Box, Document, Kind, Node, Tree


@pytest.mark.parametrize("room", [0, 3, 100])
def test_a_shelf_is_a_sequence_whatever_is_in_memory(room: int) -> None:
    shelf: Shelf[list[int]] = Shelf(pickle.dumps, pickle.loads, room)
    things = [[number] * number for number in range(9)]
    for thing in things:
        shelf.add(thing, len(thing))
    assert list(shelf) == things == list(shelf[:]) == [shelf[place] for place in range(-9, 0)]
    assert (len(shelf), shelf[-1], shelf[2:4]) == (9, things[8], things[2:4])
    assert (shelf.held == things) == (room == 100)
    assert [pickle.loads(data) for data in shelf.packed()] == things
    again: Shelf[list[int]] = Shelf(pickle.dumps, pickle.loads, room)
    for data in shelf.packed():
        again.put(data)
    assert list(again) == things and again.packed_bytes > 0
    with pytest.raises(IndexError):
        shelf[9]


def test_blocks_come_back_from_a_file_as_they_went(monkeypatch: pytest.MonkeyPatch) -> None:
    marks = (Mark(0, 4, Box(1, 2.5, 3.0, 4.0, 5.1)), Mark(5, 9, Box(2, 0.0, 1.0, 2.0, 3.0)))
    image = keep(b"a picture")
    given = [
        Block(Kind.SECTION, "Heat", level=2, marks=marks),
        Block(Kind.TABLE, "a | b", title="Table 1", page=3, sentences=("a: b", "")),
        Block(Kind.FIGURE, "", image=image),
        Block(Kind.FIGURE, "", image=b"another"),
    ]
    monkeypatch.setattr(blocks, "ROOM", 0)
    found = shelved(given)
    assert isinstance(found, Shelf) and list(found) == given == list(found)
    assert found[2].image is image


def test_the_tree_is_the_same_whether_its_parts_waited_in_files_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = "# Part {0}\n\nThe heat was {0}.5. It fell.\n\n- one\n- two\n\n"
    text = "".join(part.format(n) for n in range(99))
    (tmp_path / "a.md").write_text(text)

    def tree() -> Tree:
        return prepare.prepare(tmp_path / "a.md", 50).named(Document("a", "A", (), "", "")).tree()

    whole = tree()
    assert [node.position for node in whole.nodes] == list(range(len(whole.nodes)))
    monkeypatch.setattr(blocks, "ROOM", 5)
    monkeypatch.setattr(prepare, "ROOM", 5)
    assert tree() == whole


def test_a_node_comes_back_from_another_process_as_it_was() -> None:
    box = Box(2, 1.0, 2.0, 3.0, 4.0)
    node = Node("a", 1, 1, 0, Kind.FIGURE, "a:p1", "A lake.", 3, "Lake", 0, (2, 3), (box,), ("One",), "hash", 7, 9)
    assert pickle.loads(pickle.dumps(node)) == node

"""What a reader makes of a file: headings and paragraphs as a flat list, in reading order."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from indexer.kept import Kept
from indexer.shelf import Shelf
from kohaku.tree import Box, Kind

ROOM = 25_000  # marks of blocks: those of about 500 pages


class Mark(NamedTuple):
    """The characters start..end of a block's text stand in this box of a page."""

    start: int
    end: int
    box: Box


@dataclass(frozen=True, slots=True)
class Block:
    """One heading (kind SECTION, with its depth as `level`, 1 the highest) or one paragraph of any paragraph kind.

    `sentences` are given only where the reader knows better than a sentence splitter: a table's rows (each with its
    header cells repeated; "" for a row that only labels those below), a list's items. `title` is a table's or figure's
    caption. `page` is for formats that know the page but no boxes (document JSON); where `marks` are given, pages come
    from them. `image` is a figure's picture: a reader that may meet many has them kept out of memory.
    """

    kind: Kind
    text: str
    level: int = 0
    title: str = ""
    marks: tuple[Mark, ...] = ()
    page: int | None = None
    sentences: tuple[str, ...] = ()
    image: bytes | Kept | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file as its reader understood it.

    `id` and `metadata` come from formats that carry them (document JSON), `notes` are one-line remarks for the user
    ("2 of 9 pages hold no text (scanned?)"), `pages` the number of pages where there are such, `met` names what of the
    way of reading made a difference ("cut": a limit, "ocr": pictures of text): another way may give another tree.
    """

    title: str
    blocks: Sequence[Block]
    pages: int = 0
    id: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    met: tuple[str, ...] = ()


def shelved(blocks: Iterable[Block]) -> Sequence[Block]:
    """The same blocks; of many, those after the first wait in a file, and come back anew each time."""
    images: list[bytes | Kept] = []  # their bytes wait in files of their own

    def packed(block: Block) -> bytes:
        marks = [(start, end, box.page, box.x0, box.y0, box.x1, box.y1) for start, end, box in block.marks]
        if block.image:
            images.append(block.image)
        image = len(images) - 1 if block.image else None
        fields = (block.kind.value, block.text, block.level, block.title, marks, block.page, block.sentences, image)
        return marshal.dumps(fields)

    def unpacked(data: bytes) -> Block:
        kind, text, level, title, marks, page, sentences, image = marshal.loads(data)
        places = tuple([Mark(start, end, Box(*box)) for start, end, *box in marks])
        held = None if image is None else images[image]
        return Block(Kind(kind), text, level, title, places, page, sentences, held)

    shelf = Shelf(packed, unpacked, ROOM)
    for block in blocks:
        shelf.add(block, 1 + len(block.marks))
    return shelf if shelf.held is None else tuple(shelf.held)

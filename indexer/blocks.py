"""What a reader makes of a file: headings and paragraphs as a flat list, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from indexer.kept import Kept
from kohaku.tree import Box, Kind

Thing = TypeVar("Thing")


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
    ("2 of 9 pages hold no text: scanned?"), `pages` the number of pages where there are such, `met` names what of the
    way of reading made a difference ("cut": a limit, "ocr": pictures of text): another way may give another tree.
    """

    title: str
    blocks: tuple[Block, ...]
    pages: int = 0
    id: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    met: tuple[str, ...] = ()


def handed_over(held: list[Thing]) -> Iterator[Thing]:
    """The things in their order, each no longer in the list once it is given: a long document's would fill memory."""
    held.reverse()
    while held:
        yield held.pop()

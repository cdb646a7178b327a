"""What layout makes of pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from indexer.blocks import Block
from indexer.layout import document
from indexer.layout.book import ROOM, Book
from indexer.layout.flow import Shot
from indexer.layout.outline import Entry
from indexer.layout.page import Page


@dataclass(frozen=True)
class Laid:
    """Blocks, where their pictures are, and what the first page calls the document."""

    blocks: tuple[Block, ...]
    shots: tuple[Shot | None, ...]
    title: str


def lay_out(pages: Iterable[Page], entries: Sequence[Entry] = (), *, room: int = ROOM) -> Laid:
    """What layout makes of a document that has these pages."""
    laid = document.lay_out(Book(pages, room), entries)
    pairs = list(laid.blocks)
    return Laid(tuple(block for block, _ in pairs), tuple(shot for _, shot in pairs), laid.title)

"""What layout makes of pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from indexer.layout import document
from indexer.layout.book import ROOM, Book
from indexer.layout.document import Laid
from indexer.layout.outline import Entry
from indexer.layout.page import Page


def lay_out(pages: Iterable[Page], entries: Sequence[Entry] = (), *, room: int = ROOM) -> Laid:
    """The same of a document that has these pages."""
    return document.lay_out(Book(pages, room), entries)

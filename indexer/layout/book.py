"""A document's pages one after another: what they tell together, and what is read from them, within little memory."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import overload

from indexer.layout import figures
from indexer.layout.faces import monospaced, untelling, with_plain
from indexer.layout.flow import OnPage
from indexer.layout.furniture import Edges, Furniture
from indexer.layout.packed import Packer
from indexer.layout.page import Line, Page, Picture, Style
from indexer.shelf import Shelf

ROOM = 20_000  # pieces of text, those of about 500 pages: 15 MB; what comes after them waits in a file
PAGES_AT_HAND = 4


class Book:
    """The pages of a document, each gone through without furniture and with code alone in monospaced faces.

    `numbers` are the pages' own, `packer` packs what is read from them.
    """

    def __init__(self, pages: Iterable[Page], room: int = ROOM) -> None:
        self.packer = packer = Packer()
        self.numbers: list[int] = []
        self.room = room
        self._shelf: Shelf[tuple[Page, Edges | None]] = Shelf(
            lambda seen: packer.page(seen[0]), lambda data: (packer.page_of(data), None), room
        )
        self._furniture = Furniture()
        self._images = Counter[int]()  # pages on which each stands
        mono: set[Style] = set()
        for page in pages:
            self.numbers.append(page.number)
            self._shelf.add((page, self._furniture.see(page)), len(page.fragments))
            self._images.update({picture.key for picture in page.pictures})
            mono |= monospaced(page)
        self._plain = untelling(self._as_they_came) if mono else set()

    def __iter__(self) -> Iterator[Page]:
        # Where nothing but furniture is left, it was the text: a slide's number, a form's only words.
        return self._cleared() if any(page.fragments for page in self._cleared()) else self._as_they_came()

    def pictures(self, page: Page) -> list[Picture]:
        """A page's pictures that may be figures."""
        return figures.pictures(page, self._images)

    def _cleared(self) -> Iterator[Page]:
        for page, edges in self._shelf:
            cleared = self._furniture.without(page, edges)
            yield with_plain(cleared, self._plain) if self._plain else cleared

    def _as_they_came(self) -> Iterator[Page]:
        return (page for page, _ in self._shelf)


class Flow:
    """What stands on a document's pages in reading order."""

    def __init__(self, pages: Iterable[OnPage], packer: Packer, room: int) -> None:
        self._packer, self._room = packer, room
        self._shelf = Shelf(packer.on_page, packer.on_page_of, room)
        for page in pages:
            self._shelf.add(page, len(page.items) + len(page.notes))

    def __iter__(self) -> Iterator[OnPage]:
        return iter(self._shelf)

    def lines(self) -> Sequence[Line]:
        """The lines alone."""
        if self._shelf.held is not None:
            return [item for page in self._shelf.held for item in page.items if isinstance(item, Line)]
        return _Lines(self._shelf)

    def replaced(self, pages: Iterable[OnPage]) -> Flow:
        """Other pages, held as these are."""
        return Flow(pages, self._packer, self._room)


class _Lines(Sequence[Line]):
    """The lines of pages that are not all in memory: a few pages' are at a time."""

    def __init__(self, shelf: Shelf[OnPage]) -> None:
        self._shelf = shelf
        self._starts = [0]
        for page in shelf:
            self._starts.append(self._starts[-1] + sum(isinstance(item, Line) for item in page.items))
        self._at_hand: dict[int, list[Line]] = {}
        self._start, self._lines = 0, self._on(0)

    def __len__(self) -> int:
        return self._starts[-1]

    def __iter__(self) -> Iterator[Line]:
        return chain.from_iterable(self._on(number) for number in range(len(self._shelf)))

    @overload
    def __getitem__(self, place: int) -> Line: ...
    @overload
    def __getitem__(self, place: slice) -> list[Line]: ...
    def __getitem__(self, place: int | slice) -> Line | list[Line]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        within = place - self._start
        if 0 <= within < len(self._lines):  # as nearly always
            return self._lines[within]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        place %= len(self)
        number = bisect_right(self._starts, place) - 1
        self._start, self._lines = self._starts[number], self._on(number)
        return self._lines[place - self._start]

    def _on(self, number: int) -> list[Line]:
        found = self._at_hand.get(number)
        if found is None:
            while len(self._at_hand) >= PAGES_AT_HAND:
                del self._at_hand[next(iter(self._at_hand))]
            found = [item for item in self._shelf[number].items if isinstance(item, Line)]
            self._at_hand[number] = found
        return found

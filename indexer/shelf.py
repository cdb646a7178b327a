"""What a long document is made of, on its way: what does not fit into little memory waits in a temporary file."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Generic, TypeVar, overload

from indexer.spool import Spool
from kohaku.errors import ReadError

Thing = TypeVar("Thing")

IN_MEMORY = 1_000_000  # bytes of the file


class Shelf(Sequence[Thing]):
    """Things in the order they came; as many as weigh `room` stay as they are, those after them are packed.

    A packed thing comes back as another object, equal to the one that was put there. ReadError where the disk has no
    room.
    """

    def __init__(self, pack: Callable[[Thing], bytes], unpack: Callable[[bytes], Thing], room: float) -> None:
        self._pack, self._unpack = pack, unpack
        self._room = room
        self._held: list[Thing] = []
        self._places = array("Q", [0])
        self._file: Spool | None = None

    def add(self, thing: Thing, weight: float = 1) -> None:
        """Puts a thing behind the others."""
        self._room -= weight
        if self._file is None and self._room >= 0:
            self._held.append(thing)
            return
        self.put(self._pack(thing))

    def put(self, data: bytes) -> None:
        """Puts a packed thing behind the others."""
        if self._file is None:
            self._file = Spool(IN_MEMORY, lambda room: ReadError(f"finds no {room}"))
        self._file.put(self._places[-1], data)
        self._places.append(self._places[-1] + len(data))

    @property
    def packed_bytes(self) -> int:
        """How large the packed things are together."""
        return self._places[-1]

    @property
    def held(self) -> list[Thing] | None:
        """The things where all of them are in memory."""
        return self._held if self._file is None else None

    def __len__(self) -> int:
        return len(self._held) + len(self._places) - 1

    @overload
    def __getitem__(self, place: int) -> Thing: ...
    @overload
    def __getitem__(self, place: slice) -> list[Thing]: ...
    def __getitem__(self, place: int | slice) -> Thing | list[Thing]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        place %= len(self)
        behind = place - len(self._held)
        if behind < 0:
            return self._held[place]
        return self._unpack(self._read(self._places[behind], self._places[behind + 1]))

    def __iter__(self) -> Iterator[Thing]:
        yield from self._held
        for start, end in pairwise(self._places):
            yield self._unpack(self._read(start, end))

    def packed(self) -> Iterator[bytes]:
        """All things packed."""
        yield from map(self._pack, self._held)
        for start, end in pairwise(self._places):
            yield self._read(start, end)

    def _read(self, start: int, end: int) -> bytes:
        assert self._file is not None
        return self._file.get(start, end - start)


class Anew(Generic[Thing]):
    """Things that are made anew each time they are gone through."""

    def __init__(self, make: Callable[[], Iterator[Thing]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[Thing]:
        return self._make()

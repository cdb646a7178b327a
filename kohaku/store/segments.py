"""What the files beside an index hold of it, and when they are made anew: small changes leave the large ones alone.

A file holds the nodes of a part from one key to another. Keys only rise, so that what comes later is in none of them,
and the index keeps the keys that went later.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kohaku.store.beside import Beside, sweep
from kohaku.store.file import File

Made = TypeVar("Made")
Spans = NDArray[np.int64]
"""Stretches of keys, one a row, each from its first to its last, rising and apart."""

# Each row goes into a larger file a few times, as in a log-structured merge tree (O'Neil et al. 1996): a change costs
# by its own size, and a search asks few files. The largest is made anew when a quarter as much came after it.
SWALLOWED = 4  # times as much as comes new, at most, has a file that is made anew with it
MOST_GONE = 0.2  # of a file's keys: more of it would be read for nothing


@dataclass(frozen=True, slots=True)
class Segment:
    """A file beside an index, by its token: the nodes of a part from key `first` to `last`, in so many rows.

    `removals` is the number of the last removal from the index before it was made.
    """

    token: str
    part: str
    first: int
    last: int
    rows: int
    removals: int


def renewed(rows: Sequence[int], gone: Sequence[float], fresh: int) -> int:
    """From which file on all are made anew as one, with so many rows that are in none; the count of files: from none.

    `rows` are those of the files in their order, `gone` the shares of them that went since.

    >>> renewed([1000, 200, 10], [0, 0, 0], 20), renewed([1000, 200], [0.3, 0], 0), renewed([1000], [0], 0)
    (2, 0, 1)
    """
    first = next((place for place, share in enumerate(gone) if share > MOST_GONE), len(rows))
    size = fresh + sum(rows[first:])
    while size and first and rows[first - 1] < SWALLOWED * size:
        first -= 1
        size += rows[first]
    return first


class Segments(File):
    """What an index says of the files beside it."""

    def _segments(self, part: str, suffix: str) -> list[Segment]:
        """The files of a part, in the order of their keys."""
        if self._version < 6:
            return []
        query = """
            select token, part, first, last, rows, removals from beside
            where part = :part and suffix = :suffix order by first
        """
        return [Segment(*row) for row in self._rows(query, {"part": part, "suffix": suffix})]

    def _gone(self, segment: Segment) -> Spans:
        """The keys that went since a file was made."""
        rows = self._rows(
            """
            select max(first, :first), min(last, :last) from removal
            where number > :removals and first <= :last and last >= :first order by first
            """,
            {"removals": segment.removals, "first": segment.first, "last": segment.last},
        )
        return _joined(np.array(rows, np.int64).reshape(-1, 2))

    def _last_key(self) -> int:
        """The last key of a node that there is."""
        return int(self._rows("select coalesce(max(key), 0) from node")[0][0])

    def _next_key(self) -> int:
        """The key that comes next: none that a file beside was made with."""
        [(listed,)] = self._rows("select coalesce(max(last), 0) from beside")
        return max(self._last_key(), int(listed)) + 1

    def _note_removal(self, document: int) -> None:
        """Keeps which keys go with a document, where files beside the index have them."""
        self._db.execute(
            """
            insert into removal (first, last) select min(key), max(key) from node
            where document = :document and exists (select 1 from beside) having min(key) is not null
            """,
            {"document": document},
        )

    def _settle(
        self,
        beside: Beside[Made],
        part: str,
        *,
        least: int,
        count: Callable[[int], int],
        make: Callable[[Path, int], None],
    ) -> None:
        """Makes the files of a part where the index has come away from them, none of fewer rows than `least`.

        `count` says how many rows there are from a key on, `make` writes a file of them. Raises OSError where it can't.
        """
        with self._snapshot():
            state, last = self.setting("state"), self._last_key()
            known = self._segments(part, beside.suffix)
            usable = known if beside.of(part, [segment.token for segment in known]) is not None else []
            fresh = count(usable[-1].last + 1 if usable else 0)
            gone = [_share(self._gone(segment), segment) for segment in usable]
            start = renewed([one.rows for one in usable], gone, fresh if fresh >= least else 0)
            if start == len(known) and fresh < least:
                return
            first = usable[start - 1].last + 1 if start else 0
            rows = count(first) if start < len(usable) else fresh
            [(removals,)] = self._rows("select coalesce(max(number), 0) from removal")
            made = Segment(secrets.token_hex(8), part, first, last, rows, removals) if rows >= least else None
            path = beside.path(part, made.token) if made else None
            if path:
                make(path, first)
        with self._change():
            if self.setting("state") != state:  # whoever changed the index meanwhile makes its files after that
                return
            self._db.execute(
                "delete from beside where part = :part and suffix = :suffix and first >= :first",
                {"part": part, "suffix": beside.suffix, "first": first},
            )
            if made and path and path.exists():
                self._db.execute(
                    "insert into beside values (:token, :part, :suffix, :first, :last, :rows, :removals)",
                    {"suffix": beside.suffix} | {name: getattr(made, name) for name in made.__slots__},
                )
            self._listed()

    def _unlist(self, part: str, suffix: str) -> None:
        """Lets go of the files of a part."""
        if self._segments(part, suffix):
            with self._change():
                self._db.execute("delete from beside where part = ? and suffix = ?", (part, suffix))
                self._listed()

    def _listed(self) -> None:
        """Other files are listed now: removals that all of them know are forgotten."""
        self._db.execute(
            """
            delete from removal
            where not exists (select 1 from beside) or number <= (select min(removals) from beside)
            """
        )
        self._has_changed()

    def _has_changed(self) -> None:
        """What was read from the index before may be out of date."""
        self._db.execute("insert or replace into meta values ('state', ?)", (secrets.token_hex(8),))

    def _sweep(self, *kinds: Beside[Any]) -> None:
        """Removes the files beside the index that it does not list."""
        known = {kind.suffix: kind for kind in kinds}
        rows = self._rows("select part, suffix, token from beside")
        sweep(self.path, {known[suffix].path(part, token) for part, suffix, token in rows})


def _share(gone: Spans, segment: Segment) -> float:
    return float((gone[:, 1] - gone[:, 0] + 1).sum()) / (segment.last - segment.first + 1)


def _joined(spans: Spans) -> Spans:
    """Spans in the order of their beginnings, those that touch as one.

    >>> _joined(np.array([[1, 4], [5, 6], [9, 9]])).tolist()
    [[1, 6], [9, 9]]
    """
    if not len(spans):
        return spans
    begins = np.flatnonzero(np.concatenate([[True], spans[1:, 0] > spans[:-1, 1] + 1]))
    ends = np.concatenate([begins[1:] - 1, [len(spans) - 1]])
    return np.stack([spans[begins, 0], spans[ends, 1]], axis=1)

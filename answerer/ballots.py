"""What a run says on a question: its row, read so that it can be compared with others."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from answerer.classes import Reading, classes, reading
from answerer.references import clean, read_references
from answerer.units import unit_asked
from answerer.values import normalise

Row = Mapping[str, str]

BLANK_CLASS = -1


@dataclass(frozen=True, slots=True)
class Ballot:
    """One run's row for a question: the value in a submission's form, its class among the rows, its documents.

    `label` is BLANK_CLASS for an abstention; `weight` what it counts.
    """

    run: int
    row: Row
    value: str
    label: int
    references: tuple[str, ...]
    weight: float = 1.0

    @property
    def documents(self) -> frozenset[str]:
        """The references as they are compared: case is no difference."""
        return frozenset(map(str.casefold, self.references))


def ballots_of(runs: Sequence[Mapping[str, Row]]) -> list[list[Ballot]]:
    """What runs, each its rows by question id, say on each question of any, in the order of the first run."""
    order: list[str] = reduce(_merged, runs, [])
    return [ballots({n: run[id] for n, run in enumerate(runs) if id in run}) for id in order]


def ballots(rows: Mapping[int, Row]) -> list[Ballot]:
    """What the runs say on one question; a row with neither value, answer nor reference says nothing, as if missing."""
    said = {run: row for run, row in rows.items() if not _says_nothing(row)} or dict(rows)
    wanted = _commonest_unit(said.values())
    read = {run: _reading(row, wanted) for run, row in said.items()}
    answering = [(run, found) for run, found in read.items() if found is not None]
    labels = dict(zip((run for run, _ in answering), classes([found for _, found in answering]), strict=True))
    return [
        Ballot(run, row, _value(row), labels.get(run, BLANK_CLASS), _documents(row))
        for run, row in sorted(said.items())
    ]


def located(ballot: Ballot) -> list[tuple[str, str]]:
    """The documents of a row with their URLs, where it gives one for each."""
    urls = listed(ballot.row.get("ref_url", ""))
    return list(zip(ballot.references, urls, strict=True)) if len(urls) == len(ballot.references) else []


def commonest(counts: Mapping[str, int]) -> str:
    """What counts most, the first by its letters of such; "" of nothing."""
    return min(counts, key=lambda text: (-counts[text], text), default="")


def _merged(order: Sequence[str], run: Iterable[str]) -> list[str]:
    """An order of ids with those that only another has, each behind what stands before it there.

    >>> _merged(["c", "a"], ["x", "a", "b", "c"])
    ['x', 'c', 'a', 'b']
    """
    known = frozenset(order)
    behind: dict[str | None, list[str]] = defaultdict(list)
    last = None
    for id in run:
        if id in known:
            last = id
        else:
            behind[last].append(id)
    return [*behind[None], *(one for id in order for one in (id, *behind[id]))]


def _reading(row: Row, wanted: str) -> Reading | None:
    unit = row.get("answer_unit", "")
    return reading(row.get("answer_value", ""), unit, row.get("question", ""), wanted=wanted)


def _value(row: Row) -> str:
    return normalise(row.get("answer_value", ""), row.get("answer_unit", ""), row.get("question", ""))


def _commonest_unit(rows: Iterable[Row]) -> str:
    counts = Counter(unit for row in rows if unit_asked(unit := row.get("answer_unit", "").strip()) is not None)
    return commonest(counts)


def _says_nothing(row: Row) -> bool:
    said = any(row.get(column, "").strip() for column in ("answer", "answer_value"))
    return not said and not _documents(row)


_HEADER = re.compile(r"^\[?\s*ref_id\s*=\s*([^\]]+?)\s*\]?$", re.IGNORECASE)


def _documents(row: Row) -> tuple[str, ...]:
    """The documents that a row cites, also where a model copied the header around an id."""
    return clean(_HEADER.sub(r"\1", id) for id in clean(read_references(row.get("ref_id", ""))))


def listed(cell: str) -> tuple[str, ...]:
    """The URLs of a cell; one that stands there without brackets is one, whatever commas it has."""
    cell = cell.strip()
    return clean(read_references(cell) if cell.startswith("[") else [cell])

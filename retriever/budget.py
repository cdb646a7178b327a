"""Whole units within a number of tokens, best first, nothing twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from kohaku.tree import Node
from retriever.fuse import Ranked


class Cause(StrEnum):
    """Why a unit is not among the evidence."""

    DUPLICATE = "duplicate"
    COVERED = "covered"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Unit:
    """A node that may become evidence, with its score, the find that it comes from, and the nodes that say the same."""

    node: Node
    score: float
    found: Ranked | None = None
    also: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Loss:
    """A unit that is not among the evidence, and the node that says the same or covers it (None: it did not fit)."""

    unit: Unit
    cause: Cause
    to: Node | None = None


def fill(
    units: Iterable[Unit],
    budget: int,
    cost: Callable[[Node], int],
    *,
    alike: Callable[[Node, Node], bool] = lambda one, other: False,
    facts: Callable[[Node], Hashable] = lambda node: None,
    on_loss: Callable[[Loss], None] = lambda loss: None,
) -> list[Unit]:
    """The best units whose costs together stay within the budget; a node costs no less than its tokens.

    A unit that doesn't fit is passed over for smaller ones. Of a node and its ancestor only the larger is kept: the
    ancestor takes the place of what it covers where it fits, else it is passed over and what was there stays. Of units
    that are `alike` the better is kept, and names the others; only those of the same `facts` can be.
    """
    kept = _Kept()
    spent = 0
    for unit in units:
        near = kept.documents[unit.node.document].values()
        if holder := next((other for other in near if other.node.covers(unit.node)), None):
            on_loss(Loss(unit, Cause.COVERED, holder.node))
            continue
        covered = [other for other in near if unit.node.covers(other.node)]
        freed = sum(cost(other.node) for other in covered)
        room = budget - spent + freed
        if unit.node.tokens > room or (price := cost(unit.node)) > room:  # the first is known, the second is counted
            on_loss(Loss(unit, Cause.BUDGET))
            continue
        shared = facts(unit.node)
        twin = None if covered else next((one for one in kept.with_facts(shared) if alike(one.node, unit.node)), None)
        if twin is not None:
            kept.put(replace(twin, also=_joined(twin.also, (unit.node, *unit.also))), shared)
            on_loss(Loss(unit, Cause.DUPLICATE, twin.node))
            continue
        spent += price - freed
        for other in covered:
            unit = replace(unit, also=_joined(unit.also, other.also))
            on_loss(Loss(other, Cause.COVERED, unit.node))
        kept.put(unit, shared, instead=covered)
    return kept.units


class _Kept:
    """The units taken so far, found by their document and by their facts."""

    def __init__(self) -> None:
        self.documents: dict[str, dict[int, Unit]] = defaultdict(dict)
        self._facts: dict[Hashable, dict[int, str]] = defaultdict(dict)  # the documents of nodes, by key
        self._places: dict[int, int] = {}

    @property
    def units(self) -> list[Unit]:
        """All of them in their places."""
        kept = [unit for units in self.documents.values() for unit in units.values()]
        return sorted(kept, key=lambda unit: self._places[unit.node.key])

    def with_facts(self, facts: Hashable) -> Iterator[Unit]:
        """Those of the same facts, in the order they came."""
        for key, document in self._facts[facts].items():
            if key in self.documents[document]:
                yield self.documents[document][key]

    def put(self, unit: Unit, facts: Hashable, *, instead: Sequence[Unit] = ()) -> None:
        """Takes a unit, in the place of the first that it covers, or its own again, or at the end."""
        key = unit.node.key
        places = [self._places[other.node.key] for other in instead]
        self._places[key] = min(places, default=self._places.get(key, len(self._places)))
        for other in instead:
            del self.documents[other.node.document][other.node.key]
        self.documents[unit.node.document][key] = unit
        self._facts[facts][key] = unit.node.document


def _joined(known: Sequence[Node], more: Iterable[Node]) -> tuple[Node, ...]:
    return tuple({node.key: node for node in (*known, *more)}.values())

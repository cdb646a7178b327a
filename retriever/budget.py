"""Whole units within a number of tokens, best first, nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kohaku.tree import Node


@dataclass(frozen=True, slots=True)
class Unit:
    """A node that may become evidence, with its score."""

    node: Node
    score: float


def fill(units: Iterable[Unit], budget: int, cost: Callable[[Node], int]) -> list[Unit]:
    """The best units whose costs together stay within the budget; a node costs no less than its tokens.

    A unit that doesn't fit is passed over for smaller ones. Of a node and its ancestor only the larger is kept: the
    ancestor takes the place of what it covers where it fits, else it is passed over and what was there stays.
    """
    kept: list[Unit] = []
    costs: dict[int, int] = {}
    spent = 0
    for unit in units:
        near = [other for other in kept if other.node.document == unit.node.document]
        if any(other.node.covers(unit.node) for other in near):
            continue
        covered = [other for other in near if unit.node.covers(other.node)]
        freed = sum(costs[other.node.key] for other in covered)
        room = budget - spent + freed
        if unit.node.tokens > room or (price := cost(unit.node)) > room:  # the first is known, the second is counted
            continue
        costs[unit.node.key] = price
        spent += price - freed
        kept = _replaced(kept, covered, unit)
    return kept


def _replaced(kept: Sequence[Unit], covered: Sequence[Unit], unit: Unit) -> list[Unit]:
    """The list with a unit in the place of the first that it covers, or at the end."""
    if not covered:
        return [*kept, unit]
    place = kept.index(covered[0])
    rest = [other for other in kept if other not in covered]
    return [*rest[:place], unit, *rest[place:]]

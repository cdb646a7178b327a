"""Whole units within a number of tokens, best first, nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
    on_loss: Callable[[Loss], None] = lambda loss: None,
) -> list[Unit]:
    """The best units whose costs together stay within the budget; a node costs no less than its tokens.

    A unit that doesn't fit is passed over for smaller ones. Of a node and its ancestor only the larger is kept: the
    ancestor takes the place of what it covers where it fits, else it is passed over and what was there stays. Of units
    that are `alike` the better is kept, and names the others.
    """
    kept: list[Unit] = []
    costs: dict[int, int] = {}
    spent = 0
    for unit in units:
        near = [other for other in kept if other.node.document == unit.node.document]
        if holder := next((other for other in near if other.node.covers(unit.node)), None):
            on_loss(Loss(unit, Cause.COVERED, holder.node))
            continue
        covered = [other for other in near if unit.node.covers(other.node)]
        freed = sum(costs[other.node.key] for other in covered)
        room = budget - spent + freed
        if unit.node.tokens > room or (price := cost(unit.node)) > room:  # the first is known, the second is counted
            on_loss(Loss(unit, Cause.BUDGET))
            continue
        twin = next((place for place, other in enumerate(kept) if alike(other.node, unit.node)), None)
        if twin is not None and not covered:
            kept[twin] = replace(kept[twin], also=_joined(kept[twin].also, (unit.node, *unit.also)))
            on_loss(Loss(unit, Cause.DUPLICATE, kept[twin].node))
            continue
        costs[unit.node.key] = price
        spent += price - freed
        for other in covered:
            unit = replace(unit, also=_joined(unit.also, other.also))
            on_loss(Loss(other, Cause.COVERED, unit.node))
        kept = _replaced(kept, covered, unit)
    return kept


def _joined(known: Sequence[Node], more: Iterable[Node]) -> tuple[Node, ...]:
    return tuple({node.key: node for node in (*known, *more)}.values())


def _replaced(kept: Sequence[Unit], covered: Sequence[Unit], unit: Unit) -> list[Unit]:
    """The list with a unit in the place of the first that it covers, or at the end."""
    if not covered:
        return [*kept, unit]
    place = kept.index(covered[0])
    rest = [other for other in kept if other not in covered]
    return [*rest[:place], unit, *rest[place:]]

"""Lines that stand alone between two rules as wide as the text, as heads of some manuals do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from indexer.layout.mesh import THIN
from indexer.layout.page import Line, Rect

WIDEST_GAP = 60.0  # points between the rules
LEAST_WIDTH = 0.5  # of the page's that the rules have at least
DOUBLE = 4.0  # points: rules as close as this are one
SAME_EDGE = 2.0  # points
MOST_RULES = 12  # of one width on a page: more are a form's
MOST_CELLS = 3  # a number, a name, what it is
LEAST_BELOW = 2  # lines that it heads


def with_banners(columns: list[list[Line]], rulings: Sequence[Rect], width: float) -> list[list[Line]]:
    """A page's lines, those marked that stand alone between two rules; `width` is the page's."""
    long = [rule for rule in rulings if rule[3] - rule[1] <= THIN and rule[2] - rule[0] >= LEAST_WIDTH * width]
    if len(long) < 2:
        return columns
    lines = [line for column in columns for line in column]
    found = {id(line) for rules in _alike(long) for line in _between(rules, lines)}
    if not found:
        return columns
    return [[line._replace(is_ruled=True) if id(line) in found else line for line in column] for column in columns]


def _alike(rules: Iterable[Rect]) -> Iterator[list[Rect]]:
    """The rules that begin and end at the same places, from the top, double ones as one."""
    groups: dict[tuple[int, int], list[Rect]] = defaultdict(list)
    for rule in sorted(rules, key=lambda rule: rule.y0):
        group = groups[round(rule.x0 / SAME_EDGE), round(rule.x1 / SAME_EDGE)]
        if not group or rule.y0 - group[-1].y1 > DOUBLE:
            group.append(rule)
    yield from groups.values()


def _between(rules: Sequence[Rect], lines: Sequence[Line]) -> list[Line]:
    """The line in each pair of rules; none where one pair holds other than a line, as a table's rules do."""
    if len(rules) % 2 or len(rules) > MOST_RULES:
        return []
    result: list[Line] = []
    for upper, lower in zip(rules[::2], rules[1::2], strict=True):
        inside = [line for line in lines if upper.y1 < line.base < lower.y0 and upper.x0 - 1 <= line.rect.x0 < upper.x1]
        below = [line for line in lines if line.base > lower.y1 and line.rect.x0 < lower.x1]
        if lower.y0 - upper.y1 > WIDEST_GAP or len(inside) != 1 or len(inside[0].cells) > MOST_CELLS:
            return []
        after = next((rule.y0 for rule in rules if rule.y0 > lower.y1), float("inf"))
        headed = sorted((line for line in below if line.base < after), key=lambda line: line.base)
        is_code = all(cell.style.mono for cell in inside[0].cells)
        if len(headed) >= LEAST_BELOW and len(headed[0].cells) < 2 and not is_code:
            result += inside
    return result

"""Boxes with a shade of their own beside the text: read apart from it."""

from __future__ import annotations

from collections.abc import Sequence

from indexer.layout.lines import rows
from indexer.layout.page import Fragment, Rect
from indexer.layout.values import is_value

NARROWEST, WIDEST = 60.0, 0.6  # points; of the page's width
LEAST_LINES = 3
LEAST_LETTERS = 10  # characters of its lines on average
REACH = 60.0  # points above and below a box within which a line may run over it
SHARED = 0.5  # of its lines that stand on lines of the text beside it: more, and it is a shaded column of a table
SAME_LINE = 1.5  # points
MOST_SHADES = 40  # on a page: more are cells


def without_sidebars(
    fragments: Sequence[Fragment], shades: Sequence[Rect], width: float
) -> tuple[Sequence[Fragment], list[list[Fragment]]]:
    """The fragments outside of shaded boxes that stand beside text, and those of each box; `width` is the page's."""
    boxes: list[list[Fragment]] = []
    if len(shades) > MOST_SHADES:
        return fragments, boxes
    rest = fragments
    for shade in shades:
        if not NARROWEST <= shade.width <= WIDEST * width:
            continue
        inside = [part for part in rest if shade.holds(part.rect)]
        if len(inside) < LEAST_LINES:
            continue
        held = set(map(id, inside))
        outside = [part for part in rest if id(part) not in held]
        beside = [part for part in outside if shade.y0 < part.base < shade.y1]
        if _is_apart(inside, beside) and any(_runs_over(part.rect, shade) for part in outside):
            boxes.append(inside)
            rest = outside
    return rest, boxes


def _runs_over(rect: Rect, shade: Rect) -> bool:
    """Whether a line close above or below a box runs over it and the text beside it: the box was set into that text."""
    close = -REACH < rect.y0 - shade.y1 < REACH or -REACH < shade.y0 - rect.y1 < REACH
    over = rect.x0 < shade.x0 - NARROWEST / 2 and rect.x1 > shade.x0 + NARROWEST / 2
    return close and (over or (rect.x0 < shade.x1 - NARROWEST / 2 and rect.x1 > shade.x1 + NARROWEST / 2))


def _is_apart(inside: Sequence[Fragment], beside: Sequence[Fragment]) -> bool:
    """Whether a box's text is no part of what stands beside it: lines of words that its lines do not share."""
    lines = rows(inside)
    words = [part for part in inside if not is_value(part.text)]
    if len(lines) < LEAST_LINES or len(words) * 2 < len(inside) or len(beside) < LEAST_LINES:
        return False
    if all(part.style.mono for part in inside):
        return False  # code in its own column
    if sum(len(part.text) for part in words) < LEAST_LETTERS * len(lines):
        return False
    shared = sum(any(abs(line[0].base - part.base) < SAME_LINE for part in beside) for line in lines)
    return shared < SHARED * len(lines)

"""What a page holds before anyone has understood it, and the lines that are read from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from kohaku.tree import Box

LARGEST = 1500  # points: nearly all pages are smaller
TENTHS = tuple(number / 10 for number in range(10 * LARGEST + 1))
"""The coordinates of boxes: a long document has millions, of which each is one of these, not a number of its own."""
NOT_CODE = 0.25  # of a line's characters in a proportional face make it prose


class Style(NamedTuple):
    """How text looks; sizes are rounded to half points, since LaTeX's 10 pt is 9.963."""

    size: float
    bold: bool = False
    italic: bool = False
    mono: bool = False
    color: int = 0


class Rect(NamedTuple):
    """A box in points from the top left corner of a page as it is read."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """From the left edge to the right."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """From the upper edge to the lower."""
        return self.y1 - self.y0

    def overlaps(self, other: Rect) -> bool:
        """Whether the two have an area in common."""
        x0, y0, x1, y1 = self
        left, top, right, bottom = other
        return x0 < right and left < x1 and y0 < bottom and top < y1

    def holds(self, other: Rect) -> bool:
        """Whether the other's middle lies in this one."""
        x0, y0, x1, y1 = self
        left, top, right, bottom = other
        return x0 <= (left + right) / 2 <= x1 and y0 <= (top + bottom) / 2 <= y1

    def encloses(self, other: Rect) -> bool:
        """Whether the other lies wholly in this one."""
        return self.x0 <= other.x0 and other.x1 <= self.x1 and self.y0 <= other.y0 and other.y1 <= self.y1

    def spanned(self, other: Rect) -> Rect:
        """The smallest rectangle that holds both."""
        x0, y0, x1, y1 = self
        left, top, right, bottom = other
        sides = (
            x0 if x0 < left else left,
            y0 if y0 < top else top,
            x1 if x1 > right else right,
            y1 if y1 > bottom else bottom,
        )
        return tuple.__new__(Rect, sides)  # as Rect(*sides), without a call in between: there are tens of a page

    def on(self, page: int) -> Box:
        """The box on a page, as the tree keeps it, to a tenth of a point."""
        x0, y0, x1, y1 = self
        if x0 >= 0 and y0 >= 0 and x1 < LARGEST and y1 < LARGEST:
            left, top, right, bottom = round(10 * x0), round(10 * y0), round(10 * x1), round(10 * y1)
            return Box(page, TENTHS[left], TENTHS[top], TENTHS[right], TENTHS[bottom])
        return Box(page, round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1))


class Fragment(NamedTuple):
    """A stretch of text without a wide gap in it, on one baseline (a tuple: a file has hundreds of thousands)."""

    text: str
    rect: Rect
    base: float
    style: Style
    lead: Style
    """The style of its first letters: a run-in head's differs from its paragraph's."""
    lead_length: int = 0
    """How many characters are in that style, where another follows; 0 where none does."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image on a page; `key` finds its bytes in the file, which are turned or mirrored unless it stands upright."""

    rect: Rect
    key: int
    is_upright: bool = True


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it came: fragments in the file's order, thin lines drawn on it, pictures, drawings of many paths."""

    number: int
    width: float
    height: float
    fragments: tuple[Fragment, ...]
    rulings: tuple[Rect, ...] = ()
    pictures: tuple[Picture, ...] = ()
    drawings: tuple[Rect, ...] = ()
    shades: tuple[Rect, ...] = ()
    """What is filled with a color and may stand behind a table's cells."""


class Line(NamedTuple):
    """A line of one column: fragments beside each other, left to right (right to left in scripts that run so)."""

    page: int
    cells: tuple[Fragment, ...]
    rect: Rect
    base: float
    style: Style
    text: str
    column: Rect
    """The column that the line stands in."""
    run_in: bool = False
    """Whether it is a run-in head, cut from the line that it begins."""
    is_ruled: bool = False
    """Whether it stands alone between two rules as wide as the text."""

    @property
    def box(self) -> Box:
        """The line's place, as the tree keeps it."""
        return self.rect.on(self.page)


def around(rects: Iterable[Rect]) -> Rect:
    """The smallest rectangle that holds all of them (at least one)."""
    x0, y0, x1, y1 = zip(*rects)  # noqa: B905 (each is of four; strict takes half as long again)
    return tuple.__new__(Rect, (min(x0), min(y0), max(x1), max(y1)))


class Styled(Protocol):
    """Text of one style."""

    @property
    def text(self) -> str: ...

    @property
    def style(self) -> Style: ...


def main_style(parts: Sequence[Styled]) -> Style:
    """The style of most of the characters."""
    first = parts[0].style
    if all([part.style == first for part in parts]):  # noqa: C419 (mostly few: a list takes half as long)
        return first
    weights: dict[Style, int] = {}
    for part in parts:
        weights[part.style] = weights.get(part.style, 0) + len(part.text)
    found = max(weights, key=lambda style: weights[style])
    if found.mono:  # a paragraph's line may name many functions: code is code throughout
        prose = {style: weight for style, weight in weights.items() if not style.mono}
        if sum(prose.values()) > NOT_CODE * sum(weights.values()):
            return max(prose, key=lambda style: prose[style])
    return found

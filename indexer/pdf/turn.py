"""How a page is turned for reading."""

from __future__ import annotations

from dataclasses import dataclass

from indexer.layout.page import Rect
from kohaku.tree import Box


@dataclass(frozen=True, slots=True)
class Turn:
    """How a page is turned: from the file's coordinates to those it is read in, and from there to those it shows."""

    quarters: int
    width: float
    height: float
    shown: tuple[float, ...]
    """The page's own rotation as a matrix, empty for none."""

    @property
    def is_none(self) -> bool:
        """Whether the page is read as its file has it."""
        return not (self.quarters or self.shown)

    def read(self, rect: Rect) -> Rect:
        """The rectangle as the page is read."""
        if self.quarters == 0:
            return rect
        if self.quarters == 1:
            return Rect(self.height - rect.y1, rect.x0, self.height - rect.y0, rect.x1)
        if self.quarters == 2:
            return Rect(self.width - rect.x1, self.height - rect.y1, self.width - rect.x0, self.height - rect.y0)
        return Rect(rect.y0, self.width - rect.x1, rect.y1, self.width - rect.x0)

    def direction(self, way: tuple[float, float]) -> float:
        """How far a line of the file runs from left to right once turned: 1 fully, 0 across."""
        x, y = way
        return (x, -y, -x, y)[self.quarters]

    def box(self, box: Box) -> Box:
        """A box of the page as read, as the page shows it."""
        if self.quarters == 0:
            x0, y0, x1, y1 = box.x0, box.y0, box.x1, box.y1
        elif self.quarters == 1:
            x0, y0, x1, y1 = box.y0, self.height - box.x1, box.y1, self.height - box.x0
        elif self.quarters == 2:
            x0, y0, x1, y1 = self.width - box.x1, self.height - box.y1, self.width - box.x0, self.height - box.y0
        else:
            x0, y0, x1, y1 = self.width - box.y1, box.x0, self.width - box.y0, box.x1
        if self.shown:
            a, b, c, d, e, f = self.shown
            xs = sorted((a * x0 + c * y0 + e, a * x1 + c * y1 + e))
            ys = sorted((b * x0 + d * y0 + f, b * x1 + d * y1 + f))
            (x0, x1), (y0, y1) = xs, ys
        return Rect(x0, y0, x1, y1).on(box.page)

"""The grids that lines drawn on a page make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from indexer.layout.page import Rect, around

THIN = 3.0  # points: a drawn rectangle no thicker is a line
TOUCH = 3.0  # points between lines that meet
MOST_COLUMNS = 18  # of a table: lines at more places, from left to right and from top to bottom, are a drawing


@dataclass(frozen=True, slots=True)
class Mesh:
    """The grid that touching lines make: the places of its vertical and horizontal lines, and the lines themselves."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    uprights: tuple[Rect, ...]
    levels: tuple[Rect, ...]

    @property
    def area(self) -> Rect:
        """All that the grid holds."""
        return Rect(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def is_parted(self, row: int, column: int) -> bool:
        """Whether a line is drawn between a cell and the one to its right."""
        x, y = self.xs[column + 1], (self.ys[row] + self.ys[row + 1]) / 2
        return any(abs((rect.x0 + rect.x1) / 2 - x) <= TOUCH and rect.y0 <= y <= rect.y1 for rect in self.uprights)

    def is_closed(self, row: int, column: int) -> bool:
        """Whether a line is drawn between a cell and the one below it."""
        x, y = (self.xs[column] + self.xs[column + 1]) / 2, self.ys[row + 1]
        return any(abs((rect.y0 + rect.y1) / 2 - y) <= TOUCH and rect.x0 <= x <= rect.x1 for rect in self.levels)


def meshes(rulings: Sequence[Rect]) -> list[Mesh]:
    """The grids that touching lines make."""
    uprights = _standing(rulings)
    levels = _lying(rulings) if len(uprights) > 2 else []
    if len(levels) < 3:
        return []
    groups: list[list[Rect]] = []
    reached: list[list[Rect]] = []  # groups that end no higher than the line at hand: no later one touches the others
    for rect in sorted(uprights + levels, key=lambda rect: (rect[1], rect[0])):
        left, top, right, bottom = rect[0] - TOUCH, rect[1] - TOUCH, rect[2] + TOUCH, rect[3] + TOUCH
        reached = [group for group in reached if group[0][3] > top]
        touching = [group for group in reached if (hull := group[0])[0] < right and left < hull[2] and hull[1] < bottom]
        if not touching:
            groups.append([rect, rect])
            reached.append(groups[-1])
            continue
        home = touching[0]
        home.append(rect)
        home[0] = home[0].spanned(rect)
        for group in touching[1:]:
            home[0] = home[0].spanned(group[0])
            home += group[1:]
            groups.remove(group)
            reached.remove(group)
    found: list[Mesh] = []
    for hull, *group in groups:
        if len(group) < 6:
            continue  # as most are: three lines either way make a grid
        standing, lying = tuple(_standing(group)), tuple(_lying(group))
        xs = _places([(rect.x0 + rect.x1) / 2 for rect in standing])
        ys = _places([(rect.y0 + rect.y1) / 2 for rect in lying])
        if len(xs) > 2 and len(ys) > 2 and hull.width > 60:
            found.append(Mesh(tuple(xs), tuple(ys), standing, lying))
    return found


def within_frame(mesh: Mesh) -> list[Rect]:
    """The lines of a mesh without the frame around all of them; none where it has no frame."""
    area = mesh.area
    left = [rect for rect in mesh.uprights if rect.x0 - area.x0 <= TOUCH and rect.height > 0.95 * area.height]
    right = [rect for rect in mesh.uprights if area.x1 - rect.x1 <= TOUCH and rect.height > 0.95 * area.height]
    top = [rect for rect in mesh.levels if rect.y0 - area.y0 <= TOUCH and rect.width > 0.95 * area.width]
    foot = [rect for rect in mesh.levels if area.y1 - rect.y1 <= TOUCH and rect.width > 0.95 * area.width]
    if not (left and right and top and foot):
        return []
    frame = {*left, *right, *top, *foot}
    return [rect for rect in (*mesh.uprights, *mesh.levels) if rect not in frame]


def is_full(mesh: Mesh) -> bool:
    """Whether every line runs from side to side."""
    width, height = mesh.area.width - 2 * TOUCH, mesh.area.height - 2 * TOUCH
    return all(rect.height >= height for rect in mesh.uprights) and all(rect.width >= width for rect in mesh.levels)


def drawing(rulings: Sequence[Rect]) -> Rect | None:
    """Where a page's lines make a drawing, such as a plot or a circuit, whose labels are no table."""
    if len(rulings) <= 2 * MOST_COLUMNS:
        return None
    uprights = _standing(rulings)
    if len(uprights) <= MOST_COLUMNS or len({round(rect.x0 / 2) for rect in uprights}) <= MOST_COLUMNS:
        return None
    rows = {round(rect.y0 / 2) for rect in _lying(rulings)}
    return around(uprights) if len(rows) > MOST_COLUMNS else None


def whole_lines(lines: Sequence[Rect], *, upright: bool) -> list[Rect]:
    """Lines drawn in pieces, one a cell, as one each; dots and dashes alone are left out."""
    along, across = (1, 0) if upright else (0, 1)
    result: list[Rect] = []
    for line in sorted(lines, key=lambda rect: (round(rect[across]), rect[along])):
        last = result[-1] if result else None
        if last and abs(last[across] - line[across]) <= 1.5 and line[along] <= last[along + 2] + TOUCH:
            result[-1] = last.spanned(line)
        else:
            result.append(line)
    return [line for line in result if max(line.width, line.height) > 6]


def with_open_ends(ys: list[float], xs: Sequence[float], uprights: Sequence[Rect]) -> list[float]:
    """The places of horizontal lines, and the ends of the vertical ones where they all reach beyond: a page's end."""
    if not ys or len(xs) < 3:
        return ys
    columns = [[rect for rect in uprights if abs((rect.x0 + rect.x1) / 2 - x) <= TOUCH] for x in xs]
    if not all(columns):
        return ys
    tops = [min(rect.y0 for rect in column) for column in columns]
    feet = [max(rect.y1 for rect in column) for column in columns]
    above = [min(tops)] if max(tops) - min(tops) <= TOUCH and min(tops) < ys[0] - 6 else []
    below = [max(feet)] if max(feet) - min(feet) <= TOUCH and max(feet) > ys[-1] + 6 else []
    return [*above, *ys, *below]


def _standing(rulings: Sequence[Rect]) -> list[Rect]:
    """The lines that run from top to bottom."""
    return [rect for rect in rulings if rect[2] - rect[0] <= THIN and rect[3] - rect[1] > 6]


def _lying(rulings: Sequence[Rect]) -> list[Rect]:
    """The lines that run from left to right."""
    return [rect for rect in rulings if rect[3] - rect[1] <= THIN and rect[2] - rect[0] > 6]


def _places(values: Sequence[float]) -> list[float]:
    result: list[float] = []
    for value in sorted(values):
        if not result or value - result[-1] > TOUCH:
            result.append(value)
    return result

"""Tables whose cells have lines drawn around them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from indexer import tables
from indexer.layout.cells import joined
from indexer.layout.lines import is_right_to_left
from indexer.layout.lines import rows as baseline_rows
from indexer.layout.mesh import THIN, Mesh, is_full, meshes, whole_lines, with_open_ends, within_frame
from indexer.layout.page import Fragment, Rect, around
from indexer.layout.plausible import mean_length
from indexer.layout.tables import Row, Table, without_scale
from indexer.layout.values import LONGEST_CELL, is_datum, is_value

CUT = re.compile(r"[^\W\d_]-$")  # a line's end that cuts a word
MOST_RULINGS = 3000  # a page with more is a drawing
CENTRED = 0.1  # of its width that a text is off the middle of a cell of several columns, at most
LEAST_BESIDE = 20.0  # points that rules run out of a grid where its rows do
MOST_PIECED = 200  # lines of grids drawn in pieces, once these are joined


def grids(fragments: Sequence[Fragment], rulings: Sequence[Rect], page: int) -> list[tuple[Table, set[int]]]:
    """Tables drawn as grids, each with the ids of the fragments that it holds."""
    if not 4 <= len(rulings) <= MOST_RULINGS:
        return []
    found: list[tuple[Table, set[int]]] = []
    for mesh in meshes(rulings):
        if _goes_beyond(mesh, fragments):
            continue
        inside = [fragment for fragment in fragments if mesh.area.holds(fragment.rect)]
        table = gridded(inside, mesh, page) if len(inside) >= 4 else None
        if table:
            found.append((table, set(map(id, inside))))
        elif len(inside) >= 4 and not _are_mostly_values(inside) and (within := within_frame(mesh)):
            found += grids(inside, within, page)
    return found


def pieced(fragments: Sequence[Fragment], rulings: Sequence[Rect], page: int) -> list[tuple[Table, set[int]]]:
    """Tables of words drawn as grids whose lines are pieces, one a cell, and may end open at a page's end."""
    if not 8 <= len(rulings) <= MOST_RULINGS:
        return []
    standing = [rect for rect in rulings if rect[2] - rect[0] <= THIN < rect[3] - rect[1]]
    if len(standing) < 3:
        return []
    uprights = whole_lines(standing, upright=True)
    levels = whole_lines([rect for rect in rulings if rect[3] - rect[1] <= THIN < rect[2] - rect[0]], upright=False)
    if len(uprights) < 3 or len(levels) < 3 or len(uprights) + len(levels) > MOST_PIECED:
        return []
    found: list[tuple[Table, set[int]]] = []
    for mesh in meshes([*uprights, *levels]):
        if not is_full(mesh):
            continue
        mesh = replace(mesh, ys=tuple(with_open_ends(list(mesh.ys), mesh.xs, mesh.uprights)))
        inside = [fragment for fragment in fragments if mesh.area.holds(fragment.rect)]
        table = gridded(inside, mesh, page) if len(inside) >= 4 and not _are_mostly_values(inside) else None
        if table:
            found.append((table, set(map(id, inside))))
    return found


def _goes_beyond(mesh: Mesh, fragments: Sequence[Fragment]) -> bool:
    """Whether rows go on beside the grid, between the rules that run out of it: its uprights part only some columns."""
    area, reach = mesh.area, around(mesh.levels)
    if reach.x0 > area.x0 - LEAST_BESIDE and reach.x1 < area.x1 + LEAST_BESIDE:
        return False
    beside = [
        rect
        for _, rect, *_ in fragments
        if area.y0 < (rect.y0 + rect.y1) / 2 < area.y1
        and (reach.x0 <= (rect.x0 + rect.x1) / 2 < area.x0 or area.x1 < (rect.x0 + rect.x1) / 2 <= reach.x1)
    ]
    return len(beside) > 1


def _are_mostly_values(fragments: Sequence[Fragment]) -> bool:
    """Whether so many are values that alignment tells their columns better than lines do."""
    return sum(is_value(fragment.text) for fragment in fragments) * 4 >= len(fragments)


def gridded(fragments: Sequence[Fragment], mesh: Mesh, page: int) -> Table | None:
    """The table that a grid makes of the fragments in it; None where its lines are not around cells."""
    mesh = _with_rows(mesh, fragments)
    xs, ys = mesh.xs, mesh.ys
    slots: dict[tuple[int, int], list[Fragment]] = {}
    for fragment in fragments:
        x, y = (fragment.rect.x0 + fragment.rect.x1) / 2, (fragment.rect.y0 + fragment.rect.y1) / 2
        column = max(0, bisect_right(xs, x) - 1)
        # A fragment over several columns starts where its left edge is.
        if fragment.rect.width > 1.1 * (xs[min(column + 1, len(xs) - 1)] - xs[column]):
            column = max(0, bisect_right(xs, fragment.rect.x0 + 2) - 1)
        row = max(0, bisect_right(ys, y) - 1)
        slots.setdefault((row, column), []).append(fragment)
    width, height = len(xs) - 1, len(ys) - 1
    if len(slots) < 4 or len(slots) * 4 < width * height:
        return None
    if sum(_holds_rows(held) for held in slots.values()) > 1:
        return None  # lines around blocks of rows, not around cells
    texts = [[_slot_text(slots.get((row, column), ())) for column in range(width)] for row in range(height)]
    if mean_length([text for row in texts for text in row if text]) > 3 * LONGEST_CELL:
        return None
    kept = [row for row in range(height) if any(texts[row])]
    used = [column for column in range(width) if any(texts[row][column] for row in kept)]
    if is_right_to_left("".join(map("".join, texts))):
        used.reverse()
    if len(kept) < 2 or len(used) < 2:
        return None
    heads = _grid_heads(texts, kept, mesh)
    middles = {spot: _middle(held) for spot, held in slots.items() if spot[0] < kept[heads]}
    filled = _spread_cells(texts, kept[heads], mesh, middles)
    rows = [
        Row(tuple(filled[row][column] for column in used), Rect(xs[0], ys[row], xs[-1], ys[row + 1]), page)
        for row in kept
    ]
    whole = mesh.area
    columns = tuple((xs[column], xs[column + 1]) for column in used)
    if not heads:
        return Table(page, whole, ("",) * len(used), tuple(rows), columns=columns, is_drawn=True)
    head = tables.merged([row.cells for row in rows[:heads]], len(used))
    header, scale = without_scale(head, "")
    rect = around(row.rect for row in rows[:heads])
    return Table(page, whole, header, tuple(rows[heads:]), rect, "", scale, columns, is_drawn=True)


def _with_rows(mesh: Mesh, fragments: Sequence[Fragment]) -> Mesh:
    """The mesh with its rows parted where columns have text on the same lines, a rule under the last only.

    Where some lines have an empty cell, most and the last must have none, and each begin with a capital or a digit.
    """
    ys = list(mesh.ys)
    ordered = sorted(fragments, key=_middle_height)
    heights = list(map(_middle_height, ordered))
    for top, bottom in pairwise(mesh.ys):
        inside = ordered[bisect_left(heights, top) : bisect_left(heights, bottom)]
        if len(inside) < 3:
            continue
        lines = baseline_rows(inside)
        if len(lines) > 2 and _are_rows(lines, mesh.xs):
            ys += [(around(p.rect for p in a).y1 + around(p.rect for p in b).y0) / 2 for a, b in pairwise(lines)]
    return replace(mesh, ys=tuple(sorted(ys)))


def _are_rows(lines: Sequence[Sequence[Fragment]], xs: Sequence[float]) -> bool:
    """Whether each line of a mesh's row, none of them a cell's further line, is a row."""
    filled = [{bisect_right(xs, (part.rect.x0 + part.rect.x1) / 2) for part in line} for line in lines]
    full = [len(columns) == len(xs) - 1 for columns in filled]
    if all(full):
        return True
    begins = [line[0].text[:1] for line in lines]
    is_labelled = all(1 in columns and len(columns) > 1 for columns in filled)
    return (
        is_labelled
        and full[-1]
        and 2 * sum(full) >= len(full)
        and all(one.isupper() or one.isdigit() for one in begins)
    )


def _middle_height(fragment: Fragment) -> float:
    return (fragment.rect.y0 + fragment.rect.y1) / 2


def _grid_heads(texts: Sequence[Sequence[str]], kept: Sequence[int], mesh: Mesh) -> int:
    """How many rows head the grid: the first, and those below as long as a cell above spans several of theirs."""
    first = [cell for cell in texts[kept[0]] if cell]
    if sum(map(is_datum, first)) * 2 > len(first):
        return 0
    heads = 1
    while heads < min(3, len(kept) - 1):
        above, row = kept[heads - 1], kept[heads]
        spans = any(
            not mesh.is_parted(above, column) and mesh.is_parted(row, column) and texts[row][column + 1]
            for column in range(len(mesh.xs) - 2)
        )
        if not spans or any(map(is_datum, texts[row])):
            break
        heads += 1
    return heads


def _middle(fragments: Sequence[Fragment]) -> float:
    rect = around(part.rect for part in fragments)
    return (rect.x0 + rect.x1) / 2


def _spread_cells(
    texts: Sequence[Sequence[str]], body: int, mesh: Mesh, middles: Mapping[tuple[int, int], float]
) -> list[list[str]]:
    """The cells, one that spans columns of the head or rows from `body` on repeated in each.

    `middles` are those of the head's texts by row and column: one set over the middle of several is that of all. Lines
    that are not drawn between rows make a cell that spans them in the first column, elsewhere only where that column
    has them.
    """
    filled = [list(row) for row in texts]
    for row in range(body):
        first = 0
        for column in range(len(filled[row])):
            if column + 1 < len(filled[row]) and not mesh.is_parted(row, column):
                continue
            left, right = mesh.xs[first], mesh.xs[column + 1]
            spots = [(row, place) for place in range(first, column + 1)]
            found = [middles[spot] for spot in spots if spot in middles]
            if len(found) == 1 and abs(found[0] - (left + right) / 2) < CENTRED * (right - left):
                _fill(filled, spots)
            for place in range(first + 1, column + 1):  # several texts in one cell: each as far as the next
                filled[row][place] = filled[row][place] or filled[row][place - 1]
            first = column + 1
    for column in range(len(filled[0])):
        first = body
        for row in range(body, len(filled)):
            if row + 1 < len(filled) and not mesh.is_closed(row, column):
                continue
            span = range(first, row + 1)
            if column == 0 or all(mesh.is_closed(place, 0) for place in span[:-1]):
                _fill(filled, [(place, column) for place in span])
            first = row + 1
    return filled


def _fill(cells: Sequence[list[str]], spots: Sequence[tuple[int, int]]) -> None:
    """Repeats the only text that stands at the spots, which may be in the middle of them, at each."""
    texts = [text for row, column in spots if (text := cells[row][column])]
    if len(texts) == 1:
        for row, column in spots:
            cells[row][column] = texts[0]


def _holds_rows(fragments: Sequence[Fragment]) -> bool:
    """Whether values stand below each other in a cell."""
    lines = baseline_rows(fragments)
    return len(lines) > 1 and sum(all(is_value(part.text) for part in line) for line in lines) > 1


def _slot_text(fragments: Sequence[Fragment]) -> str:
    text = ""
    for row in baseline_rows(fragments):
        line = joined(row)
        is_cut = CUT.search(text) is not None and line[:1].islower()
        text = text + line if is_cut else f"{text} {line}".strip()
    return text

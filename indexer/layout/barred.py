"""Tables whose rows are parted cell by cell: by a rule under each cell, or by shades behind them.

Such a table's cells may have several lines, those of a column set in the middle of the row or at its top, so that no
line of text tells the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from indexer.layout.cells import CURRENCIES, CURRENCY
from indexer.layout.column_heads import LONGEST_HEAD
from indexer.layout.grids import gridded
from indexer.layout.lines import left_edge
from indexer.layout.lines import rows as baseline_rows
from indexer.layout.mesh import THIN, TOUCH, Mesh
from indexer.layout.page import Fragment, Rect, around
from indexer.layout.tables import Row, Table
from indexer.layout.values import is_datum, is_value

LEAST_ROWS = 3
LEAST_CELL = 12.0  # points that a rule under a cell is wide
MOST_RULES = 1500  # on a page: more make a drawing
HEAD_LINES = 4  # over the first rule
NEAR = 1.5  # times the letter size from a line of the head to the next
GUTTER = 0.8  # of the letter size between columns that shades don't part, at least
LEAST_SHADE = 60.0  # points in all that a table's shades are high
HIGHEST_ROW = 70.0  # points of a row without a shade between two with
CLOSE = 0.8  # of the letter size from a row's edge to its text, and from line to line
STRIP = 0.1  # of the letter size that the white between rows within a shade is wider than that between lines

Found = tuple[Table, set[int]]
Columns = list[tuple[float, float]]


def barred(fragments: Sequence[Fragment], rulings: Sequence[Rect], shades: Sequence[Rect], page: int) -> list[Found]:
    """Tables of rows parted cell by cell, each with the ids of the fragments that it holds.

    Those whose rows are a line each are left: alignment tells them as well.
    """
    found: list[Found] = []
    for columns, heights in (*_ruled(rulings), *_shaded(shades, fragments)):
        made = _table(fragments, columns, heights, page)
        if made and not any(made[1] & held for _, held in found):
            found.append(made)
    return found


# Rules under cells


def _ruled(rulings: Sequence[Rect]) -> Iterator[tuple[Columns, list[float]]]:
    """Columns by the pieces that the rules under rows are drawn in, and the heights of these rules."""
    levels = [rule for rule in rulings if rule[3] - rule[1] <= THIN]
    if not 2 * LEAST_ROWS <= len(levels) <= MOST_RULES:
        return
    held: tuple[Columns, list[float]] | None = None
    for height, pieces in _pieces(levels):
        if held and _are_same(held[0], pieces):
            held[1].append(height)
            continue
        if held and len(held[1]) >= LEAST_ROWS:
            yield held
        held = (pieces, [height]) if len(pieces) > 1 else None
    if held and len(held[1]) >= LEAST_ROWS:
        yield held


def _pieces(levels: Sequence[Rect]) -> list[tuple[float, Columns]]:
    """The rules at each height as the pieces that stand apart, from the top."""
    rows: list[list[Rect]] = []
    for rule in sorted(levels, key=lambda rule: rule.y0):
        if rows and rule.y0 - rows[-1][0].y0 < TOUCH:
            rows[-1].append(rule)
        else:
            rows.append([rule])
    result: list[tuple[float, Columns]] = []
    for row in rows:
        pieces: Columns = []
        for rule in sorted(row):
            if pieces and rule.x0 <= pieces[-1][1] + 1:
                pieces[-1] = (pieces[-1][0], max(pieces[-1][1], rule.x1))
            else:
                pieces.append((rule.x0, rule.x1))
        pieces = [piece for piece in pieces if piece[1] - piece[0] >= LEAST_CELL]
        if pieces:
            result.append(((row[0].y0 + row[0].y1) / 2, pieces))
    return result


def _are_same(one: Columns, other: Columns) -> bool:
    return len(one) == len(other) and all(
        abs(a[0] - b[0]) <= TOUCH and abs(a[1] - b[1]) <= TOUCH for a, b in zip(one, other, strict=True)
    )


# Shades behind cells


def _shaded(shades: Sequence[Rect], fragments: Sequence[Fragment]) -> Iterator[tuple[Columns, list[float]]]:
    """Columns by the white between what stands on stacked shades and beside them, and the heights that part these."""
    seen: set[tuple[int, int]] = set()
    middles = list(map(_middle, fragments)) if len(shades) >= LEAST_ROWS else []
    for stack in _stacks(shades):
        top, foot = stack[0].y0, stack[-1].y1
        place = round(top), round(foot)
        if len(stack) < LEAST_ROWS or foot - top < LEAST_SHADE or place in seen:
            continue  # each column's shades tell the same
        seen.add(place)
        inside = [part for part, middle in zip(fragments, middles, strict=True) if top <= middle <= foot]
        columns = _gutters(inside)
        heights = [top, *(y for above, below in pairwise(stack) for y in _edges(above, below)), foot]
        alternate = len(heights) > len(stack) + 1
        if len(columns) < 2 or (alternate and _are_values(inside, columns)):
            continue
        yield columns, [*heights, *(_row_after(fragments, columns, foot) if alternate else ())]


def _are_values(parts: Sequence[Fragment], columns: Columns) -> bool:
    """Whether much of what stands beside the labels is values: alignment tells their rows better than shades do."""
    end = columns[0][1]
    beside = [text for text, rect, *_ in parts if rect[0] > end]
    return sum([is_value(text) or CURRENCY.fullmatch(text) is not None for text in beside]) * 3 > len(beside)


def _row_after(fragments: Sequence[Fragment], columns: Columns, foot: float) -> list[float]:
    """Where the row ends that follows the last shade, if every other row has one."""
    below = [part for part in _within(fragments, columns) if foot < _middle(part) < foot + HIGHEST_ROW]
    end, filled = foot, set[int]()
    for line in baseline_rows(below):
        rect, size = around(part.rect for part in line), max(part.style.size for part in line)
        if rect.y0 - end > CLOSE * size or any(_crossed(part, columns) for part in line):
            break
        filled |= {place for place, (x0, x1) in enumerate(columns) for part in line if x0 <= part.rect.x0 < x1}
        end = rect.y1
    return [end + 1] if len(filled) > 1 else []


def _edges(above: Rect, below: Rect) -> tuple[float, ...]:
    """What parts the rows of two shades: where they touch, or both edges of the row without a shade between them."""
    return ((above.y1 + below.y0) / 2,) if below.y0 - above.y1 <= 2 * TOUCH else (above.y1, below.y0)


def _stacks(shades: Sequence[Rect]) -> list[list[Rect]]:
    """Shades below each other from the same left edge, a row between them at most; those beside the first are left."""
    result: list[list[Rect]] = []
    for shade in sorted(shades, key=lambda rect: (rect.x0, rect.y0)):
        last = result[-1][-1] if result else None
        if last and abs(shade.x0 - last.x0) <= TOUCH and -1 <= shade.y0 - last.y1 <= HIGHEST_ROW:
            result[-1].append(shade)
        elif not last or abs(shade.y0 - last.y0) > 1 or abs(shade.x0 - last.x0) > TOUCH:
            result.append([shade])
    return result


def _gutters(parts: Sequence[Fragment]) -> Columns:
    """The stretches from left to right that hold text; signs of a currency go with the numbers to their right."""
    if not parts:
        return []
    gap = GUTTER * median([part.style.size for part in parts])
    result: Columns = []
    signs = False  # nothing else so far
    for text, (x0, _, x1, _), *_ in sorted(parts, key=left_edge):
        sign = text[-1] in CURRENCIES and CURRENCY.fullmatch(text) is not None
        if result and (signs or x0 - result[-1][1] < gap):
            start, end = result[-1]
            result[-1] = start, x1 if x1 > end else end
            signs = signs and sign
        else:
            result.append((x0, x1))
            signs = sign
    return result


# Cells


def _table(fragments: Sequence[Fragment], columns: Columns, heights: Sequence[float], page: int) -> Found | None:
    """The table between the first height and the last, with the lines of heads above; None where a line is a row."""
    top, foot = heights[0], heights[-1]
    rows = [part for part in fragments if top <= ((rect := part[1])[1] + rect[3]) / 2 <= foot]
    if len(_within(rows, columns)) < len(rows) or _are_others(rows):
        return None
    head = _head(_within(fragments, columns), columns, heights[0])
    columns = _widened(columns, head)
    ys = [around(part.rect for part in head).y0 - 1, *heights] if head else list(heights)
    held = [*head, *rows]
    over = [part for part in held if _crossed(part, columns)]
    if any(_middle(part) > ys[1] or not _may_span(part, columns) for part in over):
        return None
    bands = [[part for part in held if top <= _middle(part) < foot] for top, foot in pairwise(ys)]
    if all(len(baseline_rows(band)) < 2 for band in bands[bool(head) :]):
        return None
    made = gridded(*_meshed(bands, ys, columns, over, heads=bool(head or over)), page)
    if made is None or any(map(is_datum, made.header)):
        return None  # a row of values was taken for heads
    return replace(made, rows=tuple(_labelled(made.rows))), set(map(id, held))


def _within(parts: Sequence[Fragment], columns: Columns) -> list[Fragment]:
    left, right = columns[0][0] - TOUCH, columns[-1][1] + TOUCH
    return [part for part in parts if left <= ((rect := part[1])[0] + rect[2]) / 2 <= right]


def _widened(columns: Columns, head: Sequence[Fragment]) -> Columns:
    """The columns, as wide as the heads that stand over one of them alone."""
    result = list(columns)
    for part in head:
        over = [place for place, (left, right) in enumerate(columns) if part.rect.x0 < right and left < part.rect.x1]
        if len(over) == 1:
            left, right = result[over[0]]
            result[over[0]] = min(left, part.rect.x0), max(right, part.rect.x1)
    return result


def _meshed(
    bands: Sequence[Sequence[Fragment]], ys: Sequence[float], columns: Columns, over: Sequence[Fragment], *, heads: bool
) -> tuple[list[Fragment], Mesh]:
    """The grid that the bands between the heights make, and what stands in it; `heads` are in the first band."""
    xs = [columns[0][0] - TOUCH, *((a[1] + b[0]) / 2 for a, b in pairwise(columns)), columns[-1][1] + TOUCH]
    tops = [ys[0], *(_under(place, over, columns, ys[0]) for place in range(1, len(columns))), ys[0]]
    uprights = [Rect(x - 0.5, top, x + 0.5, ys[-1]) for x, top in zip(xs, tops, strict=True)]
    levels = [Rect(xs[0], y - 0.5, xs[-1], y + 0.5) for y in (*ys, *(part.rect.y1 for part in over))]
    parts: list[Fragment] = []
    for place, band in enumerate(bands):
        strips = _strips(band, xs[1:]) if len(columns) > 2 and (place or not heads) else []
        levels += [Rect(xs[1] + 1, y - 0.5, xs[-1], y + 0.5) for y in strips]
        parts += _with_one_label(band, xs[1]) if strips else band
    places = sorted({(level.y0 + level.y1) / 2 for level in levels})
    return parts, Mesh(tuple(xs), tuple(places), tuple(uprights), tuple(levels))


def _labelled(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows, those whose first cell is empty with that of the one above."""
    label = ""
    for row in rows:
        label = row.cells[0] or label
        yield replace(row, cells=(label, *row.cells[1:]))


def _are_others(parts: Sequence[Fragment]) -> bool:
    """Whether what stands between the heights is no table that needs them: values, which alignment tells, or names."""
    values = sum([is_datum(part[0]) for part in parts])
    return values * 2 > len(parts) or any("/s/" in part.text for part in parts)


def _head(parts: Sequence[Fragment], columns: Columns, edge: float) -> list[Fragment]:
    """The lines close above the first height, as many as keep within the columns."""
    held: list[Fragment] = []
    lines = baseline_rows([part for part in parts if _middle(part) < edge])
    for row in reversed(lines[-HEAD_LINES:]):
        size = max(part.style.size for part in row)
        if edge - around(part.rect for part in row).y1 > NEAR * size or (not held and len(row) < 2):
            break
        if held and not _are_heads(row, columns):
            break
        if not held and any(_crossed(part, columns) for part in row):
            break
        held += row
        edge = min(part.rect.y0 for part in row)
    return held


def _are_heads(row: Sequence[Fragment], columns: Columns) -> bool:
    """Whether a line above heads is one of theirs, not the last of a text."""
    if all(part.rect.x0 < columns[0][1] for part in row) or row[-1].text[-1] in ".:;":
        return False
    return all(len(part.text) <= LONGEST_HEAD and _may_span(part, columns) for part in row)


def _crossed(part: Fragment, columns: Columns) -> list[int]:
    """The columns but the first that text reaches into from the one before."""
    x0, _, x1, _ = part.rect
    return [
        place
        for place, ((_, end), (start, _)) in enumerate(pairwise(columns), start=1)
        if x0 < end - 2 and x1 > start + 2
    ]


def _may_span(part: Fragment, columns: Columns) -> bool:
    """Whether text, where it runs over columns, is a head of theirs: short, over their middle, and not over labels."""
    crossed = _crossed(part, columns)
    if not crossed:
        return True
    middle = (columns[crossed[0] - 1][0] + columns[crossed[-1]][1]) / 2
    off = abs((part.rect.x0 + part.rect.x1) / 2 - middle)
    return crossed[0] > 1 and len(part.text) <= LONGEST_HEAD and off < 2 * part.style.size


def _under(place: int, over: Sequence[Fragment], columns: Columns, top: float) -> float:
    """Where the edge before a column begins: under the heads that run over it."""
    return max([top, *(part.rect.y1 for part in over if place in _crossed(part, columns))])


def _with_one_label(band: Sequence[Fragment], edge: float) -> list[Fragment]:
    """What stands on a shade that several rows share, the lines of its first column as one."""
    label = [part for part in band if part.rect.x0 < edge]
    if len(label) < 2:
        return list(band)
    text = " ".join(part.text for row in baseline_rows(label) for part in row)
    return [
        label[0]._replace(text=text, rect=around(part.rect for part in label)),
        *(p for p in band if p not in label),
    ]


def _strips(given: Sequence[Fragment], xs: Sequence[float]) -> list[float]:
    """The heights of white strips through all of the columns, wider than between the lines of their cells."""
    parts = [part for part in given if part.rect.x0 > xs[0] - 1]
    columns = [
        [part for part in parts if part.rect.x0 < right and left <= part.rect.x0] for left, right in pairwise(xs)
    ]
    whites = [
        below[0].rect.y0 - above[0].rect.y1 for column in columns for above, below in pairwise(baseline_rows(column))
    ]
    if not whites:
        return []
    least = median(whites) + STRIP * median([part.style.size for part in parts])
    result: list[float] = []
    ordered = sorted(parts, key=lambda part: part.rect.y0)
    foot = ordered[0].rect.y1
    for part in ordered:
        if part.rect.y0 - foot > least:
            result.append((part.rect.y0 + foot) / 2)
        foot = max(foot, part.rect.y1)
    return result


def _middle(part: Fragment) -> float:
    _, top, _, foot = part[1]
    return (top + foot) / 2

"""The order in which a person reads a page: bands from the top, columns within them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

from indexer.layout.lines import are_right_to_left
from indexer.layout.page import Fragment, Rect, around
from indexer.letters import has_letters

STEP = 2.0  # points between the places where gutters are sought
LEAST_GUTTER = 4.0  # points in whole steps: narrower gaps are between words
MOST_CROSSING = 0.25  # of a page's text may run across a gutter: titles, full-width tables, abstracts
EDGE = 0.12  # of the text's width on either side in which no gutter stands
DEEPEST = 3  # cuts into columns within columns
LEAST_NARROW = 10  # lines of prose that may be columns where no gutter runs down all of the text
WIDE = 0.7  # of the text's width: a line that no gutter is beside
PROSE = 18  # characters: the lines of a text column have more, the cells of a table fewer


def columns(fragments: Sequence[Fragment], walls: Sequence[Rect] = ()) -> list[list[Fragment]]:
    """The fragments in groups, one a column or band, in reading order.

    `walls` are what may part a page from side to side: pictures, tables, rules; columns end above and begin anew below.
    """
    if not fragments:
        return []
    right_to_left = are_right_to_left([fragment.text for fragment in fragments])
    return _merged(_cut(list(fragments), walls, right_to_left, 0))


def _cut(fragments: list[Fragment], walls: Sequence[Rect], right_to_left: bool, depth: int) -> list[list[Fragment]]:
    if depth >= DEEPEST or len(fragments) < 4:
        return [fragments]
    gutter = _gutter(fragments)
    if gutter is None:
        return _stacked(fragments, walls, right_to_left, depth) if _may_be_columns(fragments) else [fragments]
    result: list[list[Fragment]] = []
    crossing: list[Fragment] = []  # bands in a row that this gutter does not part; another may (a sidebar's)
    for band in [*_bands(fragments, gutter, walls), []]:
        sides = _sides(band, gutter)
        if not _are_columns(band, sides):
            crossing += band
            continue
        if crossing:
            whole = len(crossing) == len(fragments)
            result += [crossing] if whole else _cut(crossing, walls, right_to_left, depth + 1)
            crossing = []
        for side in reversed(sides) if right_to_left else sides:
            if side:
                result += _cut(side, walls, right_to_left, depth + 1)
    return result


def _may_be_columns(fragments: Sequence[Fragment]) -> bool:
    """Whether enough lines of prose are at most half as wide as the text: a figure may hide the gutter between them."""
    lines = [part.rect for part in fragments if len(part.text) >= 2 * PROSE]
    if len(lines) < LEAST_NARROW:
        return False
    width = 0.55 * (max(rect.x1 for rect in lines) - min(rect.x0 for rect in lines))
    return sum(rect.width < width for rect in lines) >= LEAST_NARROW


def _stacked(fragments: list[Fragment], walls: Sequence[Rect], right_to_left: bool, depth: int) -> list[list[Fragment]]:
    """The text cut at white strips from side to side, where one of the stretches between them has columns."""
    stretches = _stretches(fragments)
    if not _holds_columns(stretches):
        stretches = _off_wide(fragments)
        if not _holds_columns(stretches):
            return [fragments]
    result: list[list[Fragment]] = []
    plain: list[Fragment] = []
    for stretch in stretches:
        cut = _cut(stretch, walls, right_to_left, depth + 1) if len(stretch) >= LEAST_NARROW else [stretch]
        if len(cut) == 1:
            plain += stretch
            continue
        result += [plain, *cut] if plain else cut
        plain = []
    return [*result, plain] if plain else result


def _holds_columns(stretches: Sequence[Sequence[Fragment]]) -> bool:
    """Whether one of several stretches has columns."""
    return len(stretches) > 1 and any(len(part) >= LEAST_NARROW and _gutter(part) for part in stretches)


def _stretches(fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    """The fragments in stretches with white strips between them, from the top."""
    leading = 1.4 * median([fragment.rect.height for fragment in fragments])
    result: list[list[Fragment]] = []
    bottom = 0.0
    for fragment in sorted(fragments, key=lambda fragment: fragment.rect.y0):
        if not result or fragment.rect.y0 - bottom > leading:
            result.append([])
        result[-1].append(fragment)
        bottom = max(bottom, fragment.rect.y1) if len(result[-1]) > 1 else fragment.rect.y1
    return result


def _off_wide(fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    """The fragments parted where lines as wide as the text end, or begin: around the longest stretch without any."""
    left, right = min(part.rect.x0 for part in fragments), max(part.rect.x1 for part in fragments)
    top, foot = min(part.base for part in fragments) - 3, max(part.base for part in fragments) + 3
    bases = sorted(part.base for part in fragments if part.rect.width > WIDE * (right - left))
    above, below = max(pairwise([top, *bases, foot]), key=lambda span: span[1] - span[0])
    inside = [part for part in fragments if above + 1 < part.base < below - 1]
    gutter = _gutter(inside) if len(inside) >= 2 * LEAST_NARROW else None
    if gutter is None or not all(
        sum(len(p.text) >= PROSE for p in side) >= LEAST_NARROW for side in _sides(inside, gutter)
    ):
        return []
    parts = [
        [part for part in fragments if part.base <= above + 1],
        inside,
        [part for part in fragments if part.base >= below - 1],
    ]
    return [part for part in parts if part]


def _gutter(fragments: Sequence[Fragment]) -> tuple[float, float] | None:
    """The emptiest strip that parts the text in two columns, where there is one."""
    if _is_filled(fragments):
        return None
    flat = chain.from_iterable([fragment.rect for fragment in fragments])  # numpy is slow with tuples
    rects = np.fromiter(flat, np.float64, 4 * len(fragments)).reshape(-1, 4)
    left, right = rects[:, 0].min(), rects[:, 2].max()
    if right - left < 100:
        return None
    crossing, total = _crossing(rects, left, right)
    low, high = int(len(crossing) * EDGE), int(len(crossing) * (1 - EDGE))
    empty = crossing <= MOST_CROSSING * crossing.max()
    if not empty[low:high].any():
        return None
    strips: list[tuple[float, float, float]] = []
    edges = np.flatnonzero(np.diff(np.concatenate(([False], empty[low:high], [False])))) + low
    for place, end in edges.reshape(-1, 2).tolist():
        # The strip holds the places that are as empty as its emptiest.
        least = crossing[place:end].min()
        inside = np.flatnonzero(crossing[place:end] <= least + 0.02 * total) + place
        strips.append((float(least), float(left + inside[0] * STEP), float(left + (inside[-1] + 1) * STEP)))
    for _, start, stop in sorted(strips, key=lambda strip: (round(strip[0] / total, 2), strip[1] - strip[2])):
        if stop - start >= LEAST_GUTTER and _parts_prose(fragments, start, stop):
            return start, stop
    return None


def _is_filled(fragments: Sequence[Fragment]) -> bool:
    """Whether so many lines run from side to side that no strip can be empty, as on most pages: told at once."""
    left, right = min([part[1][0] for part in fragments]), max([part[1][2] for part in fragments])
    margin = EDGE * (right - left) - 2 * STEP
    start, end = left + margin, right - margin
    whole = filled = 0.0
    for _, (x0, y0, x1, y1), *_ in fragments:
        whole += y1 - y0
        if x0 <= start and x1 >= end:
            filled += y1 - y0
    return filled > MOST_CROSSING * whole


def _crossing(rects: NDArray[np.float64], left: float, right: float) -> tuple[NDArray[np.float64], float]:
    """How much text, by its height, stands at each step from left to right, and all of it."""
    count = int((right - left) / STEP) + 2
    heights = rects[:, 3] - rects[:, 1]
    first = np.maximum(((rects[:, 0] - left) / STEP).astype(np.int64), 0)
    last = np.minimum(((rects[:, 2] - left) / STEP).astype(np.int64), count - 1)
    begun = np.bincount(first, heights, count + 1)
    ended = np.bincount(last + 1, heights, count + 1)
    crossing = np.maximum(np.cumsum(begun - ended)[:count].round(6), 0.0)
    return crossing, max(float(heights.sum()), 1e-6)


def _parts_prose(fragments: Sequence[Fragment], left: float, right: float) -> bool:
    """Whether both sides of the strip are columns of text, not of a table's cells, whose values mostly stand right."""
    return _is_prose([part for part in fragments if part[1][0] >= left]) and _is_prose(
        [part for part in fragments if part[1][2] <= right]
    )


def _is_prose(side: Sequence[Fragment]) -> bool:
    if len(side) < 3 or not _is_prose_side(side):
        return False
    text = "".join([fragment.text for fragment in side]).replace(".", "")  # a contents' dots say nothing
    return has_letters(text, len(text) / 2)


def _bands(fragments: Sequence[Fragment], gutter: tuple[float, float], walls: Sequence[Rect]) -> list[list[Fragment]]:
    """The fragments cut at those that cross the gutter, and at wide white strips; from the top."""
    middle = (gutter[0] + gutter[1]) / 2
    result: list[list[Fragment]] = []
    spans = False
    bottom = 0.0
    leading = 1.6 * median([fragment.rect.height for fragment in fragments])
    for fragment in sorted(fragments, key=lambda fragment: (fragment.base, fragment.rect.x0)):
        crosses = fragment.rect.x0 < gutter[0] - 1 and fragment.rect.x1 > gutter[1] + 1
        crosses = crosses or (fragment.rect.x0 < middle < fragment.rect.x1)
        if not result or crosses != spans or (fragment.rect.y0 - bottom > leading and not crosses):
            result.append([])
            bottom = fragment.rect.y1
        result[-1].append(fragment)
        spans, bottom = crosses, max(bottom, fragment.rect.y1)
    return _rejoined(_with_neighbours(result), gutter, walls)


def _with_neighbours(bands: list[list[Fragment]]) -> list[list[Fragment]]:
    """Bands whose first baseline is the last one of the band before belong to it: one row, cut in two by the order."""
    result: list[list[Fragment]] = []
    for band in bands:
        if result and abs(band[0].base - result[-1][-1].base) < 0.3 * band[0].rect.height:
            result[-1] += band
        else:
            result.append(band)
    return result


def _rejoined(bands: list[list[Fragment]], gutter: tuple[float, float], walls: Sequence[Rect]) -> list[list[Fragment]]:
    """Neighbouring bands of two columns as one, so that a column is read to its end; not through a wall."""
    across = [(wall.y0 + wall.y1) / 2 for wall in walls if wall.x0 < gutter[0] and wall.x1 > gutter[1]]
    result: list[list[Fragment]] = []
    before, end = False, 0.0
    for band in bands:
        now = _are_columns(band, _sides(band, gutter))
        begin = min(fragment.base for fragment in band)
        if result and before and now and not any(end < wall < begin for wall in across):
            result[-1] += band
        else:
            result.append(band)
        before, end = now, max(fragment.base for fragment in band)
    return result


def _sides(band: Sequence[Fragment], gutter: tuple[float, float]) -> tuple[list[Fragment], list[Fragment]]:
    """What stands to the left of the gutter, and to the right of it; what stands in it, on the side it is nearer to."""
    start, end = gutter
    left: list[Fragment] = []
    right: list[Fragment] = []
    for fragment in band:
        x0, _, x1, _ = fragment.rect
        if x1 <= end and (x0 < start or x0 - start <= end - x1):
            left.append(fragment)
        elif x0 >= start:
            right.append(fragment)
    return left, right


def _are_columns(band: Sequence[Fragment], sides: tuple[Sequence[Fragment], Sequence[Fragment]]) -> bool:
    """Whether the sides hold all of the band, and are not the cells of a table."""
    return len(sides[0]) + len(sides[1]) == len(band) and not _is_table(*sides)


def _is_table(left: Sequence[Fragment], right: Sequence[Fragment]) -> bool:
    """Whether two sides are the cells of one table: short, and row by row on the same baselines."""
    if min(len(left), len(right)) < 2:
        return False
    if _is_row_of_fields(left, right) or _is_row_of_fields(right, left):
        return True
    if _is_prose_side(left) and _is_prose_side(right):
        return False
    bases = [fragment.base for fragment in left]
    shared = sum(any(abs(fragment.base - base) < 1.5 for base in bases) for fragment in right)
    return shared >= 0.7 * len(right)


def _is_row_of_fields(side: Sequence[Fragment], other: Sequence[Fragment]) -> bool:
    """Whether a side of a few lines is the end of rows of three short parts or more, as forms have them."""
    if len(side) >= LEAST_NARROW:
        return False
    bases = [fragment.base for fragment in other if len(fragment.text) < PROSE]
    rows = sum(sum(abs(base - fragment.base) < 1.5 for base in bases) > 1 for fragment in side)
    return rows * 2 > len(side)


def _is_prose_side(side: Sequence[Fragment]) -> bool:
    """Whether most of the text stands in lines as long as a column's: raised figures and the like weigh little."""
    first = side[0].text
    wide = not first.isascii() and any("\u2e80" <= character <= "\u9fff" for character in first)
    least = PROSE // 2 if wide else PROSE
    lengths = [len(part[0]) for part in side]
    return 2 * sum([length for length in lengths if length < least]) < sum(lengths)


def _merged(groups: list[list[Fragment]]) -> list[list[Fragment]]:
    """Groups one below the other in the same column as one."""
    result: list[list[Fragment]] = []
    for group in groups:
        if result and _same_column(around(f.rect for f in result[-1]), around(f.rect for f in group)):
            result[-1] = result[-1] + group
        else:
            result.append(group)
    return result


def _same_column(above: Rect, below: Rect) -> bool:
    return above.y1 <= below.y0 + 2 and abs(above.x0 - below.x0) < 20 and abs(above.x1 - below.x1) < 40

"""The heads of a table's columns: which lines above its values they are, and what each stands over."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from indexer.layout.cell_columns import hits
from indexer.layout.cells import Cell
from indexer.layout.page import Line, Rect, around
from indexer.layout.values import LONGEST_CELL, MARK, PERIOD, YEAR, is_datum
from indexer.tables import CAPTION
from kohaku import rows as written

HEAD_GAP = 2.6  # times the letter size between lines of a head, at most
LABEL_GAP = 3.2  # the same from a label, or from heads of all columns, to the first row of values
HEAD_LINES = 8
FARTHEST_LINE = 8  # of a head above the first row of values
HEAD_REACH = 40.0  # points that a head may stand left of its values
LONGEST_HEAD = 60  # characters of a line of a head
CENTRED = 8.0  # points that the middle of a head is off that of its columns, as a rule
TIGHT = 1.1  # times a line's height to the next line of the same head, at most
LOOSE = 1.35  # the same, where both stand over the same columns
ALIGNED = 2.0  # points that the ends of a head's lines are apart, where they are set to one side
SAME_MIDDLE = 6.0  # points that their middles are, where they are centred


class Part(NamedTuple):
    """A line of a head, and the columns that it stands over."""

    text: str
    rect: Rect
    over: tuple[int, ...]


def head_lines(
    lines: Sequence[Line],
    cells: Sequence[Sequence[Cell]],
    columns: Sequence[tuple[float, float]],
    first: int,
    lowest: int,
) -> tuple[int, int, str]:
    """The first line of the head, the line after its last (labels lie between it and the values), and the scale."""
    left, right = columns[0][0], columns[-1][1]
    values = columns[1][0]
    top = under = first
    scale = ""
    for place in range(first - 1, max(lowest, first - FARTHEST_LINE) - 1, -1):
        row, line = cells[place], lines[place]
        over = [cell for cell in row if _stands_over_values(cell, columns)]
        whole = len(over) == len(columns) - 1 and top == first  # a head a column: often there is a rule below them
        most = LABEL_GAP if whole or not (over or top < first) else HEAD_GAP
        if lines[place + 1].base - line.base > most * max(line.style.size, lines[place + 1].style.size):
            break
        middle = (row[0].rect.x0 + row[0].rect.x1) / 2
        is_title = len(row) == 1 and abs(middle - (left + right) / 2) < 8 < abs(middle - (values + right) / 2)
        long = not is_scale(row) and any(
            len(cell.text) > (LONGEST_HEAD if cell in over else LONGEST_CELL) for cell in row
        )
        if long or CAPTION.match(line.text) or top <= first - HEAD_LINES:
            break
        if is_scale(row):
            scale = scale or line.text
            top, under = place, under if top < first else place + 1
        elif over and not is_title and not has_data(row):
            under = under if top < first else place + 1
            top = place
        elif top < first or len(row) > 1:
            break
    return top, under, scale


def header_over(
    rows: Sequence[Sequence[Cell]], columns: Sequence[tuple[float, float]]
) -> tuple[tuple[str, ...], list[tuple[float, float]]]:
    """A head for each column, and the columns as wide as their heads.

    Lines of one head are joined, a head over several columns stands before each of theirs.
    """
    heads: list[list[Part]] = [[] for _ in columns]
    widths = list(columns)
    tops: dict[int, Rect] = {}  # of the lines so far that are one column's own
    below: Rect | None = None
    bare = {place for place, column in enumerate(columns) if place and not any(hits(row, column) for row in rows)}
    for row in reversed(rows):  # from the values up: a head is as wide as what it stands over
        rect = around(cell.rect for cell in row)
        is_tight = below is not None and below.y0 - rect.y0 < TIGHT * rect.height
        spread = _over_years(row, heads, widths) or _spread(
            row, widths, tops, is_lowest=below is None, is_tight=is_tight
        )
        spread = _shared(spread, widths, bare) if bare and below is None else spread
        below = rect
        for cell, over in spread:
            for place in over:
                heads[place].insert(0, Part(cell.text, cell.rect, tuple(over)))
            if len(over) == 1 and over[0] > 0:
                tops[over[0]] = cell.rect
                left, right = widths[over[0]]
                before = widths[over[0] - 1][1]
                after = widths[over[0] + 1][0] if over[0] + 1 < len(widths) else cell.rect.x1
                left, right = min(left, cell.rect.x0), max(right, cell.rect.x1)
                widths[over[0]] = (
                    max(left, min(before, widths[over[0]][0])),
                    min(right, max(after, widths[over[0]][1])),
                )
    return tuple(map(_head, heads)), widths


def with_shares(header: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The heads, that of amounts also over the percentages beside them which no head but one over both stands over.

    >>> with_shares(["", "Ended › 2023", "Ended"], [["Sales", "$90", "100.0%"], ["Costs", "60", "66.7%"]])
    ('', 'Ended › 2023', 'Ended › 2023')
    """
    result = list(header)
    for place in range(2, len(result)):
        before, own = result[place - 1], result[place]
        is_bare = own and before.startswith(own)
        if is_bare and _is_of_shares(rows, place) and not _is_of_shares(rows, place - 1):
            result[place] = before
    return tuple(result)


def _is_of_shares(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether most values of a column are percentages."""
    values = [row[place] for row in rows if is_datum(row[place])]
    return sum("%" in value for value in values) * 2 > len(values)


def is_scale(row: Sequence[Cell]) -> bool:
    """Whether a line says nothing but in what the values are given."""
    return all(written.says_scale(cell.text) for cell in row)


def has_data(row: Sequence[Cell]) -> bool:
    """Whether a value stands anywhere but first in the line."""
    return any(is_datum(text) for text, _ in row[1:])


def _stands_over_values(cell: Cell, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a cell of a head stands over values, not over their labels (the first column)."""
    (left, labels), (values, _) = columns[0], columns[1]
    near = values - cell.rect.x1 < HEAD_REACH and cell.rect.x0 > (left + values) / 2
    return cell.rect.x0 > labels - 4 or cell.middle > values - 6 or near


def _over_years(
    row: Sequence[Cell], heads: Sequence[Sequence[Part]], columns: Sequence[tuple[float, float]]
) -> list[tuple[Cell, list[int]]]:
    """A period alone in its line with all columns of bare years below it, wherever it is set; else nothing."""
    over = [cell for cell in row if _stands_over_values(cell, columns)]
    years = [place for place, parts in enumerate(heads) if place and parts and YEAR.fullmatch(parts[0].text)]
    if len(row) != 1 or len(over) != 1 or len(years) < 2 or not PERIOD.fullmatch(over[0].text):
        return []
    return [(over[0], years)]


def _head(parts: Sequence[Part]) -> str:
    """A column's head: its lines in one, after what stands over it and others."""
    text = parts[0].text if parts else ""
    for above, part in pairwise(parts):
        goes_on = len(above.over) == 1 or _goes_on_over(above, part)
        text = f"{text} {part.text}".strip() if goes_on else f"{text.rstrip(' ,:')}{written.LEVEL}{part.text}"
    return text


def _goes_on_over(above: Part, part: Part) -> bool:
    """Whether a line goes on with a head over several columns: it is a remark, or close below it over the same."""
    is_remark = part.text[0] == "(" and part.text[-1] == ")"
    is_close = part.rect.y0 - above.rect.y0 < LOOSE * above.rect.height
    return is_remark or (above.over == part.over and is_close and not PERIOD.match(part.text))


def _spread(
    row: Sequence[Cell],
    columns: Sequence[tuple[float, float]],
    tops: Mapping[int, Rect],
    *,
    is_lowest: bool,
    is_tight: bool,
) -> list[tuple[Cell, list[int]]]:
    """The cells of a line of a head, each with the columns that it stands over."""
    row = [cell for cell in row if not MARK.fullmatch(cell.text)]
    over = [cell for cell in row if _stands_over_values(cell, columns)]
    stub = [cell for cell in row if cell not in over]
    result: list[tuple[Cell, list[int]]] = [(cell, [0]) for cell in stub]
    places = range(1, len(columns))
    if over and len(over) < len(places) and not is_lowest:
        groups: list[list[int]] = [[] for _ in over]
        for place in places:
            middle = sum(columns[place]) / 2
            groups[min(range(len(over)), key=lambda n: abs(over[n].middle - middle))].append(place)
        groups = [_trimmed(cell, group, columns) for cell, group in zip(over, groups, strict=True)]
        pairs = zip(over, groups, strict=True)
        if all(group and _is_over(cell, group, columns, tops, is_tight) for cell, group in pairs):
            return result + list(zip(over, groups, strict=True))
    return result + [(cell, _under(cell, columns)) for cell in over]


def _shared(
    found: Sequence[tuple[Cell, list[int]]], columns: Sequence[tuple[float, float]], bare: Collection[int]
) -> list[tuple[Cell, list[int]]]:
    """The heads of the lowest line, each with the column beside its own that no head is over, if it reaches for it."""
    bare = set(bare)
    result: list[tuple[Cell, list[int]]] = []
    for cell, places in found:
        left, right = columns[places[0]][0], columns[places[-1]][1]
        before, after = places[0] - 1, places[-1] + 1
        spans = [places]
        if cell.rect.x0 < left and before in bare:
            spans.append([before, *places])
        if cell.rect.x1 > right and after in bare:
            spans.append([*places, after])
        best = min(spans, key=lambda span: _off(cell, span, columns))
        bare -= set(best)
        result.append((cell, best))
    return result


def _off(cell: Cell, span: Sequence[int], columns: Sequence[tuple[float, float]]) -> float:
    """How far a head's middle is from that of the columns."""
    return abs(cell.middle - (columns[span[0]][0] + columns[span[-1]][1]) / 2)


def _trimmed(cell: Cell, group: list[int], columns: Sequence[tuple[float, float]]) -> list[int]:
    """The columns next to each other that a head is set over the middle of, where it is not over that of them all."""
    parts = [group[a:b] for a in range(len(group)) for b in range(a + 1, len(group) + 1)] if len(group) < 9 else []
    best = min(parts, key=lambda part: (_off(cell, part, columns), -len(part)), default=group)
    return best if group and _off(cell, best, columns) < _off(cell, group, columns) - 10 else group


def _is_over(
    cell: Cell,
    group: Sequence[int],
    columns: Sequence[tuple[float, float]],
    tops: Mapping[int, Rect],
    is_tight: bool,
) -> bool:
    """Whether a head is that of a group of columns: set over their middle, and no line of one column's own head."""
    left, right = columns[group[0]][0], columns[group[-1]][1]
    own = [
        place
        for place in group
        if (is_tight and abs(cell.middle - sum(columns[place]) / 2) < SAME_MIDDLE)
        or (place in tops and _goes_on(cell.rect, tops[place]))
    ]
    if len(group) > 1 and own and len(_under(cell, columns)) < 2:
        return False
    return abs(cell.middle - (left + right) / 2) < CENTRED + 0.15 * (right - left)


def _goes_on(above: Rect, below: Rect) -> bool:
    """Whether a line of a head is the next of the one above: close under it, and set to the same middle or side."""
    off = abs(above.x0 + above.x1 - below.x0 - below.x1) / 2
    is_aligned = off < SAME_MIDDLE or min(abs(above.x0 - below.x0), abs(above.x1 - below.x1)) < ALIGNED
    return is_aligned and below.y0 - above.y0 < TIGHT * above.height


def _under(cell: Cell, columns: Sequence[tuple[float, float]]) -> list[int]:
    """The columns that a head stands over, at least the nearest; the first is the labels' own."""
    x0, _, x1, _ = cell.rect
    over = [
        place
        for place, (left, right) in enumerate(columns)
        if place and left < x1 and x0 < right and min(x1, right) - max(x0, left) > 0.3 * min(x1 - x0, right - left)
    ]
    return over or [min(range(1, len(columns)), key=lambda place: abs(sum(columns[place]) / 2 - cell.middle))]

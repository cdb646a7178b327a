"""Tables of words between rules that part no columns: over and under the head, and at the end."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from operator import itemgetter
from statistics import median

from indexer.layout.column_heads import LONGEST_HEAD
from indexer.layout.lines import is_right_to_left, rows_down, top_down
from indexer.layout.lines import rows as baseline_rows
from indexer.layout.mesh import THIN, TOUCH
from indexer.layout.page import Fragment, Rect, around, main_style
from indexer.layout.tables import Row, Table
from indexer.layout.values import MARKER, NUMBER, YEAR

LEAST_RULE = 20.0  # points: shorter rules underline a word
LEAST_WIDTH = 100.0  # points of a table
MOST_RULES = 300  # on a page: more make a drawing
HEAD_LINES = 3  # at most
COLUMN_GAP = 0.9  # of the letter size, at least
ROW_GAP = 2.2  # times the letter size from baseline to baseline under underlined heads, at most
WRAPPED = 1.5  # the same, within a cell
LONGEST_LABEL = 45  # characters of a line of the first column, as a rule: longer ones are prose
FULL_LINE = 25  # characters: a column most of whose lines are longer and reach its edge is prose
FILLED = 0.6  # of the cells, at least

BEGINS_AS_VALUE = re.compile(r"[\s$€£¥(<>~≈±+−–-]*\d")  # "14,325 tons", "$3 per share"

_base = itemgetter(Fragment._fields.index("base"))

Columns = list[tuple[float, float]]
Found = tuple[Table, set[int]]


def ruled(fragments: Sequence[Fragment], rulings: Sequence[Rect], page: int) -> list[Found]:
    """Tables of words between rules, each with the ids of the fragments that it holds; tables of values are left."""
    levels = [rule for rule in rulings if rule[3] - rule[1] <= THIN and rule[2] - rule[0] >= LEAST_RULE]
    if not 2 <= len(levels) <= MOST_RULES:
        return []
    levels.sort(key=lambda rule: (rule.y0, rule.x0))
    found: list[Found] = []
    gone: set[int] = set()
    for table, held in (*_between(fragments, levels, page), *_underlined(fragments, levels, page)):
        if not held & gone:
            found.append((table, held))
            gone |= held
    return found


# Rules as wide as the table


def _between(fragments: Sequence[Fragment], levels: Sequence[Rect], page: int) -> Iterator[Found]:
    """Tables whose head stands between two rules, their rows between it and one or more rules of the same width."""
    groups = [group for group in _of_one_width(levels) if len(group) > 2]
    middles = sorted([((part[1][1] + part[1][3]) / 2, place) for place, part in enumerate(fragments)]) if groups else []
    for group in groups:
        zones = [_inside(fragments, middles, above, below) for above, below in pairwise(group)]
        start = 0
        while start + 2 < len(group):
            made = _longest(group[start:], zones[start:], page)
            if made:
                yield made[0], made[1]
            start += made[2] if made else 1


def _of_one_width(levels: Sequence[Rect]) -> list[list[Rect]]:
    """Rules below each other with the same ends, from the top; two at one height are one."""
    groups: list[list[Rect]] = []
    for rule in levels:
        if rule.width < LEAST_WIDTH:
            continue
        same = (group for group in groups if abs(group[0].x0 - rule.x0) + abs(group[0].x1 - rule.x1) < 2 * TOUCH)
        home = next(same, None)
        if home is None:
            groups.append([rule])
        elif rule.y0 - home[-1].y0 > 2 * TOUCH:
            home.append(rule)
    return groups


def _longest(
    rules: Sequence[Rect], zones: Sequence[Sequence[Fragment]], page: int
) -> tuple[Table, set[int], int] | None:
    """The table that begins at the first rule, with as many of the next, and of the text between, as keep columns."""
    head = baseline_rows(zones[0])
    if not 1 <= len(head) <= HEAD_LINES or max(map(len, head)) < 2:
        return None
    best: tuple[Table, set[int], int] | None = None
    for count in range(2, len(zones) + 1):
        if not zones[count - 1]:
            break
        table = _table(zones[0], zones[1:count], page)
        if table is None:
            texts = [part.text for part in zones[count - 1]]
            of_values = sum(NUMBER.fullmatch(text) is not None for text in texts) * 2 > len(texts)
            best = None if of_values else best  # the rows so far were heads of these values
            break
        whole = Rect(rules[0].x0, rules[0].y0, rules[0].x1, rules[count].y1)
        best = replace(table, rect=whole), {id(part) for zone in zones[:count] for part in zone}, count
    return best


def _inside(
    fragments: Sequence[Fragment], middles: Sequence[tuple[float, int]], above: Rect, below: Rect
) -> list[Fragment]:
    """The fragments between two rules; `middles` are their heights with their places, from the top."""
    left, right = above.x0 - TOUCH, above.x1 + TOUCH
    between = middles[bisect_left(middles, (above.y0, -1)) : bisect_left(middles, (below.y1, len(middles)))]
    parts = [fragments[place] for place in sorted([place for _, place in between])]
    return [part for part in parts if left <= ((rect := part[1])[0] + rect[2]) / 2 <= right]


# A rule under each head


def _underlined(fragments: Sequence[Fragment], levels: Sequence[Rect], page: int) -> Iterator[Found]:
    """Tables whose heads of words are underlined one by one, with their rows under them."""
    groups = _beside(levels)
    ordered = sorted(fragments, key=top_down) if groups else []
    wide = [rule for rule in levels if rule.width > 300] if groups else []
    for rules in groups:
        edges = [(a.x1 + b.x0) / 2 for a, b in pairwise(rules)]
        y = rules[0].y0
        under = islice(ordered, bisect_right(ordered, y + 2, key=_base), None)
        body = _rows_under(under, edges, y, [rule for rule in wide if rule.y0 > y + TOUCH])
        head = _heads_over(fragments, edges, rules) if body else []
        if not head:
            continue
        foot = body[-1][0].base
        again = any(y + TOUCH < other[0].y0 < foot and other[0].x0 < rules[-1].x1 for other in groups)
        if (again and len(rules) == 2) or any(part.text.startswith("/s/") for part in head):
            continue  # lines to sign on
        table = _table(head, [[part for row in body for part in row]], page, edges=edges)
        if table:
            yield table, set(map(id, head)) | {id(part) for row in body for part in row}


def _beside(levels: Sequence[Rect]) -> list[list[Rect]]:
    """Rules beside each other at one height, from left to right; several at one place are one."""
    groups: list[list[Rect]] = []
    for rule in levels:
        if groups and rule.y0 - groups[-1][0].y0 < 1.5:
            groups[-1].append(rule)
        else:
            groups.append([rule])
    result: list[list[Rect]] = []
    for group in groups:
        apart: list[Rect] = []
        for rule in sorted(group):
            if not apart or rule.x0 > apart[-1].x1 + 2:
                apart.append(rule)
        if 2 <= len(apart) <= 8 and apart[-1].x1 - apart[0].x0 > LEAST_WIDTH:
            result.append(apart)
    return result


def _rows_under(
    fragments: Iterable[Fragment], edges: Sequence[float], top: float, ends: Sequence[Rect]
) -> list[list[Fragment]]:
    """The lines below underlined heads, as long as they stand close and nothing runs over the columns' edges.

    The fragments are those under the heads, top down.
    """
    result: list[list[Fragment]] = []
    before = top
    for row in rows_down(fragments):
        size, base = max([part[3][0] for part in row]), row[0][2]
        if base - before > ROW_GAP * size or (ends and before < ends[0][1] < base):
            break
        columns = [bisect_right(edges, part[1][0]) for part in row]
        twice = any(here == after for here, after in pairwise(columns))
        across = twice or any(
            place < len(edges) and edges[place] < part[1][2] for part, place in zip(row, columns, strict=True)
        )
        near = base - before <= WRAPPED * size
        if across and (near or len(result) < 2 or any(NUMBER.fullmatch(part.text) for part in row)):
            return []  # what is underlined heads the columns that begin here
        if across or (len(row) < 2 and not (result and near)):
            break
        result.append(row)
        before = base
    return result


def _heads_over(fragments: Sequence[Fragment], edges: Sequence[float], rules: Sequence[Rect]) -> list[Fragment]:
    """The heads that the rules underline, each with the lines right above it; nothing where one has none."""
    bounds = [rules[0].x0 - 2 * TOUCH, *edges, rules[-1].x1 + 2 * TOUCH]
    result: list[Fragment] = []
    for (left, right), rule in zip(pairwise(bounds), rules, strict=True):
        over = [
            part for part in fragments if left <= part.rect.x0 and part.rect.x1 <= right and part.base < rule.y1 + 1
        ]
        held: list[Fragment] = []
        edge = rule.y0
        for part in sorted(over, key=lambda part: -part.base):
            if edge - part.base > (1.3 if held else 0.8) * part.style.size or len(held) >= HEAD_LINES:
                break
            held.append(part)
            edge = part.base
        if not held or all(NUMBER.fullmatch(part.text) for part in held):
            return []
        result += held
    return result


# Cells


def _table(
    head: Sequence[Fragment], zones: Sequence[Sequence[Fragment]], page: int, *, edges: Sequence[float] = ()
) -> Table | None:
    """Head and rows as a table of words; None where the text has no columns, is prose or a list, or mostly values."""
    body = [part for zone in zones for part in zone]
    columns = _columns([*head, *body], edges) if edges else _headed(_columns(body), head)
    if is_right_to_left("".join(part.text for part in body)):
        columns.reverse()
    if len(columns) < 2 or _is_prose(body, columns) or _are_values(body, columns, lone=bool(edges)):
        return None
    header = _cells(head, columns)
    rows = [row for zone in zones for row in _rows(zone, columns, one=len(zones) > 1)]
    if any(NUMBER.fullmatch(part.text) and not YEAR.fullmatch(part.text) for part in head):
        return None
    if not all(header[1:]) or not _are_words([cells for cells, _ in rows]):
        return None
    placed = tuple(Row(tuple(cells), rect, page, columns[0][0]) for cells, rect in rows)
    rect = around(part.rect for part in (*head, *body))
    held = around(part.rect for part in head)
    if len(zones) == len(rows) > 1 and _is_row(head, body, header, placed):
        placed = (Row(tuple(header), held, page, columns[0][0]), *placed)
        return Table(page, rect, ("",) * len(columns), placed, columns=tuple(columns), is_drawn=True)
    return Table(page, rect, tuple(header), placed, held, columns=tuple(columns), is_drawn=True)


def _is_row(head: Sequence[Fragment], body: Sequence[Fragment], texts: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether what stands first is a row as the others are: in their style, and a term, long, or like one of them."""
    if main_style(head) != main_style(body):
        return False
    if len(texts) == 2 or max(map(len, texts)) > LONGEST_HEAD:
        return True
    again = any(text == row.cells[place] for row in rows for place, text in enumerate(texts) if text)
    return again or any(character.isdigit() for text in texts for character in text)


def _columns(body: Sequence[Fragment], edges: Sequence[float] = ()) -> Columns:
    """The columns' ends: the stretches that hold text, with white strips between them or cut at the edges."""
    if not body:
        return []
    gap = COLUMN_GAP * median(part.style.size for part in body)
    spans: list[list[float]] = []
    for part in sorted(body, key=lambda part: part.rect.x0):
        x0, x1 = part.rect.x0, part.rect.x1
        cut = bool(spans) and any(spans[-1][0] < edge <= x0 for edge in edges)
        if spans and not cut and (bool(edges) or x0 - spans[-1][1] < gap):
            spans[-1][1] = max(spans[-1][1], x1)
        else:
            spans.append([x0, x1])
    return [(left, right) for left, right in spans]


def _headed(columns: Columns, head: Sequence[Fragment]) -> Columns:
    """The columns, those that no head stands over as part of the one to their left."""
    if not columns:
        return []
    heads = _cells(head, columns)
    result = columns[:1]
    for column, text in zip(columns[1:], heads[1:], strict=True):
        if text:
            result.append(column)
        else:
            result[-1] = (result[-1][0], column[1])
    return result


def _is_prose(body: Sequence[Fragment], columns: Columns) -> bool:
    """Whether the first column is no labels: its lines are long, or most of them run to its edge."""
    left, right = columns[0]
    lines = [part for part in body if _column(part, columns) == 0]
    if not lines or median(len(part.text) for part in lines) > LONGEST_LABEL:
        return True
    full = [part for part in lines if part.rect.x1 > right - 0.05 * (right - left) and len(part.text) > FULL_LINE]
    return len(lines) > 3 and len(full) * 2 > len(lines)


def _are_values(body: Sequence[Fragment], columns: Columns, *, lone: bool) -> bool:
    """Whether most of what stands beside the labels is values, or `lone` begins as they do: alignment tells these."""
    texts = [part.text for part in body if _column(part, columns)]
    values = sum(NUMBER.fullmatch(text) is not None for text in texts)
    begun = sum(BEGINS_AS_VALUE.match(text) is not None for text in texts)
    return values * 2 >= len(texts) or (lone and begun * 3 > len(texts) * 2)


def _cells(parts: Sequence[Fragment], columns: Columns) -> list[str]:
    """The text in each column, line by line."""
    texts = [""] * len(columns)
    for row in baseline_rows(parts):
        for part in row:
            place = _column(part, columns)
            texts[place] = f"{texts[place]} {part.text}".strip()
    return texts


def _column(part: Fragment, columns: Columns) -> int:
    """The column that shares most with the fragment, else the nearest."""
    return max(
        range(len(columns)),
        key=lambda place: min(part.rect.x1, columns[place][1]) - max(part.rect.x0, columns[place][0]),
    )


def _rows(zone: Sequence[Fragment], columns: Columns, *, one: bool) -> list[tuple[list[str], Rect]]:
    """The rows between two rules: `one` where rules part rows and hardly a line fills all columns; else one a label."""
    lines = baseline_rows(zone)
    filled = [{_column(part, columns) for part in line} for line in lines]
    if one and sum(len(places) == len(columns) for places in filled) <= 1:
        return [(_cells(zone, columns), around(part.rect for part in zone))]
    groups: list[list[Fragment]] = []
    for line, places in zip(lines, filled, strict=True):
        own = 0 in places or len(places) == len(columns) - 1 > 1
        rest = len(places) < len(columns) and all(part.text[:1].islower() for part in line)
        if groups and (not own or rest):
            groups[-1] += line
        else:
            groups.append(list(line))
    rows = [(_cells(group, columns), around(part.rect for part in group)) for group in groups]
    for (before, _), (cells, _) in pairwise(rows):
        cells[0] = cells[0] or before[0]
    return rows


def _are_words(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows are a table of words: most cells filled, and no list's markers."""
    texts = [text for row in rows for text in row[1:] if text]
    firsts = [row[0] for row in rows if row[0]]
    if not texts or not firsts or len(rows) < (2 if len(rows[0]) < 3 else 1):
        return False
    if sum(MARKER.fullmatch(text.rstrip(":")) is not None for text in firsts) * 2 > len(firsts):
        return False
    filled = sum(bool(text) for row in rows for text in row)
    return filled >= FILLED * sum(map(len, rows))

"""Fractions set with a bar, as one piece of text each: "a/b"."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import itemgetter

from indexer.layout.cells import joined
from indexer.layout.lines import rows
from indexer.layout.page import Fragment, Rect, around

THICKEST, NARROWEST, WIDEST = 1.5, 3.0, 120.0  # points of a bar
MOST_BARS = 400  # on a page: more are a drawing's
LONGEST = 30  # characters over or under it
TALLEST = 24.0  # points that a part of it reaches from the bar
OVER, UNDER = 0.7, 1.3  # of its size that the foot of a numerator, of a denominator is from the bar, at most
BESIDE = 1.5  # of the text's size to what stands before or after it
SIMPLE = re.compile(r"[\w.,′∗*]+")  # needs no brackets

_base = itemgetter(Fragment._fields.index("base"))


def with_fractions(fragments: Sequence[Fragment], rulings: Sequence[Rect]) -> Sequence[Fragment]:
    """The fragments, those over and under the bar of a fraction as one on the line that it stands in."""
    bars = [rule for rule in rulings if rule[3] - rule[1] <= THICKEST and NARROWEST <= rule[2] - rule[0] <= WIDEST]
    if not 0 < len(bars) <= MOST_BARS:
        return fragments
    ordered = sorted(fragments, key=_base)
    bases = list(map(_base, ordered))
    largest = max([part[3][0] for part in ordered], default=0.0)
    reach = min(TALLEST, OVER * largest), min(TALLEST, UNDER * largest)
    made: dict[int, Fragment] = {}
    gone: set[int] = set()
    for bar in bars:
        found = _fraction(bar, ordered, bases, reach, gone)
        if found:
            fraction, parts = found
            made[id(parts[0])] = fraction
            gone |= set(map(id, parts))
    return list(_replaced(fragments, made, gone)) if made else fragments


def _replaced(fragments: Iterable[Fragment], made: dict[int, Fragment], gone: set[int]) -> Iterator[Fragment]:
    for part in fragments:
        if id(part) in made:
            yield made[id(part)]
        elif id(part) not in gone:
            yield part


def _fraction(
    bar: Rect,
    ordered: Sequence[Fragment],
    bases: Sequence[float],
    reach: tuple[float, float],
    gone: Collection[int],
) -> tuple[Fragment, list[Fragment]] | None:
    """The fraction that a bar makes of what is near it, with its parts; None where it is another rule.

    Text beside it stands on a line between them: what a sum's rule is between has none. The text is in the order of its
    baselines, which come with it, `reach` how far these are from any bar above and below it; what is gone belongs to
    other fractions.
    """
    x0, y0, x1, y1 = bar
    inside = x0 - 2, x1 + 2
    over = [
        part
        for part in ordered[bisect_left(bases, y0 - reach[0]) : bisect_right(bases, y0)]
        if y0 - part[2] <= OVER * part[3][0] and _within(part, inside) and id(part) not in gone
    ]
    if not over:
        return None
    under = [
        part
        for part in ordered[bisect_right(bases, y1) : bisect_right(bases, y1 + reach[1])]
        if part[2] - y1 <= UNDER * part[3][0] and _within(part, inside) and id(part) not in gone
    ]
    if not under:
        return None
    top, foot = max(map(_base, over)), min(map(_base, under))
    between = ordered[bisect_right(bases, top) : bisect_left(bases, foot)]
    beside = (part for part in between if not _within(part, inside) and id(part) not in gone)
    line = next((part for part in beside if _is_beside(part, bar, top, foot)), None)
    if line is None:
        return None
    texts = [_text(over), _text(under)]
    if max(map(len, texts)) > LONGEST:
        return None
    parts = [*over, *under]
    rect = around([bar, *(part.rect for part in parts)])
    return Fragment("/".join(texts), rect, line.base, line.style, line.style), parts


def _within(part: Fragment, ends: tuple[float, float]) -> bool:
    """Whether text stands between two places from left to right."""
    return ends[0] <= part[1][0] and part[1][2] <= ends[1]


def _is_beside(part: Fragment, bar: Rect, top: float, foot: float) -> bool:
    size = part.style.size
    gap = max(bar.x0 - part.rect.x1, part.rect.x0 - bar.x1)
    return -0.2 * size < gap < BESIDE * size and top + 0.15 * size < part.base < foot - 0.1 * size


def _text(parts: Sequence[Fragment]) -> str:
    text = " ".join(map(joined, rows(parts)))
    return text if SIMPLE.fullmatch(text) else f"({text})"

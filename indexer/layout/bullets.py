"""Bullets that are drawn, not set as text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from indexer.layout.page import Fragment, Rect

LEAST, MOST = 1.5, 7.0  # points a side
REACH = 2.5  # times the letter size from a bullet to its text, at most
LOWEST = 0.8  # of the letter size that a bullet's middle stands above the text's foot, at most
MOST_DOTS = 200  # on a page: more are a drawing's
ALIKE = 2  # bullets one below the other on a page, at least


def with_bullets(fragments: Sequence[Fragment], shades: Sequence[Rect]) -> Sequence[Fragment]:
    """The fragments, those with a dot drawn before them with a bullet, where several dots stand below each other."""
    dots: dict[tuple[int, int], list[Rect]] = defaultdict(list)
    for shade in shades:
        x0, y0, x1, y1 = shade
        if LEAST < x1 - x0 < MOST and abs(x1 - x0 - y1 + y0) < 0.5:
            dots[round(x0), round(x1 - x0)].append(shade)
    if sum(map(len, dots.values())) > MOST_DOTS:
        return fragments
    found: dict[int, Fragment] = {}
    for alike in dots.values():
        items = [(dot, item) for dot in alike if (item := _item(dot, fragments))] if len(alike) >= ALIKE else []
        if len(items) >= ALIKE and len({round(item.rect.x0) for _, item in items}) == 1:
            found |= {id(item): _bulleted(item, dot) for dot, item in items}
    return [found.get(id(fragment), fragment) for fragment in fragments] if found else fragments


def _item(dot: Rect, fragments: Sequence[Fragment]) -> Fragment | None:
    """The text right of the dot, with nothing left of the dot on its line."""
    middle = (dot.y0 + dot.y1) / 2
    on_line = [part for part in fragments if 0 < part.base - middle < LOWEST * part.style.size]
    first = min(on_line, key=lambda part: part.rect.x0, default=None)
    if first is None or not 0 < first.rect.x0 - dot.x1 < REACH * first.style.size or not first.text[0].isalnum():
        return None
    return first


def _bulleted(item: Fragment, dot: Rect) -> Fragment:
    lead = item.lead_length + 2 if item.lead_length else 0
    return item._replace(text=f"• {item.text}", rect=item.rect.spanned(dot), lead_length=lead)

"""Pages and what stands on them as bytes, for those of a long document that wait for their turn.

marshal's plain tuples take half of the time that pickle needs for the same.
"""

from __future__ import annotations

import marshal
import pickle
from collections.abc import Sequence
from typing import Any

from indexer.layout.flow import Item, OnPage, Reading
from indexer.layout.page import Fragment, Line, Page, Picture, Rect, Style

_made = tuple.__new__


class Packer:
    """Packs and unpacks what one document holds; how its text looks is kept once."""

    def __init__(self) -> None:
        self._numbers: dict[Style, int] = {}
        self._styles: list[Style] = []

    def page(self, page: Page) -> bytes:
        """A page as bytes."""
        pictures = [(tuple(one.rect), one.key, one.is_upright) for one in page.pictures]
        areas = [list(map(tuple, rects)) for rects in (page.rulings, page.drawings, page.shades)]
        fragments = list(map(self._fragment, page.fragments))
        return marshal.dumps((page.number, page.width, page.height, fragments, pictures, areas))

    def page_of(self, data: bytes) -> Page:
        """The page that was packed."""
        number, width, height, fragments, pictures, areas = marshal.loads(data)
        rulings, drawings, shades = (tuple([_made(Rect, rect) for rect in rects]) for rects in areas)
        shown = tuple([Picture(_made(Rect, rect), key, is_upright) for rect, key, is_upright in pictures])
        return Page(number, width, height, self._fragments_of(fragments), rulings, shown, drawings, shades)

    def reading(self, reading: Reading) -> bytes:
        """A page as it was read as bytes."""
        number, height, columns, *others = reading
        return marshal.dumps((number, height, list(map(self._lines, columns)), pickle.dumps(others)))

    def reading_of(self, data: bytes) -> Reading:
        """The page that was packed."""
        number, height, columns, others = marshal.loads(data)
        return Reading(number, height, list(map(self._lines_of, columns)), *pickle.loads(others))

    def on_page(self, found: OnPage) -> bytes:
        """A page's items and footnotes as bytes."""
        items, notes = found
        lines = [item for item in items if isinstance(item, Line)]
        others = [(place, item) for place, item in enumerate(items) if not isinstance(item, Line)]
        return marshal.dumps((self._lines(lines), pickle.dumps(others) if others else b"", self._lines(notes)))

    def on_page_of(self, data: bytes) -> OnPage:
        """The items and footnotes that were packed."""
        packed, others, notes = marshal.loads(data)
        items: list[Item] = list(self._lines_of(packed))
        for place, item in pickle.loads(others) if others else ():
            items.insert(place, item)
        return OnPage(items, self._lines_of(notes))

    def _lines(self, lines: Sequence[Line]) -> tuple[list[Any], list[Any]]:
        columns: dict[Rect, int] = {}
        packed: list[Any] = []
        for page, cells, rect, base, style, text, column, *marks in lines:
            place = columns.setdefault(column, len(columns))
            if len(cells) == 1 and cells[0][1] is rect and cells[0][0] is text:  # as most are: the cell says all of it
                packed.append((page, place, marks, self._fragment(cells[0]), None))
            else:
                whole = (tuple(rect), base, self._number(style), text)
                packed.append((page, place, marks, list(map(self._fragment, cells)), whole))
        return list(map(tuple, columns)), packed

    def _lines_of(self, data: tuple[list[Any], list[Any]]) -> list[Line]:
        columns = [_made(Rect, column) for column in data[0]]
        styles = self._styles
        lines: list[Line] = []
        for page, place, marks, cells, whole in data[1]:
            if whole is None:
                text, x0, y0, x1, y1, base, number, lead, length = cells
                rect, style = _made(Rect, (x0, y0, x1, y1)), styles[number]
                cell = _made(Fragment, (text, rect, base, style, styles[lead], length))
                lines.append(_made(Line, (page, (cell,), rect, base, style, text, columns[place], *marks)))
            else:
                sides, base, number, text = whole
                rect, held = _made(Rect, sides), self._fragments_of(cells)
                lines.append(_made(Line, (page, held, rect, base, styles[number], text, columns[place], *marks)))
        return lines

    def _fragment(self, fragment: Fragment) -> tuple[Any, ...]:
        text, (x0, y0, x1, y1), base, style, lead, length = fragment
        return text, x0, y0, x1, y1, base, self._number(style), self._number(lead), length

    def _fragments_of(self, packed: Sequence[Any]) -> tuple[Fragment, ...]:
        styles = self._styles
        return tuple(
            [
                _made(Fragment, (text, _made(Rect, (x0, y0, x1, y1)), base, styles[style], styles[lead], length))
                for text, x0, y0, x1, y1, base, style, lead, length in packed
            ]
        )

    def _number(self, style: Style) -> int:
        number = self._numbers.get(style)
        if number is None:
            number = self._numbers[style] = len(self._styles)
            self._styles.append(style)
        return number

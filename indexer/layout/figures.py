"""Pictures worth keeping, and the captions that belong to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from indexer.layout.page import Line, Page, Picture, Rect

SMALLEST = 40.0  # points a side: smaller pictures are bullets, icons, rules
SMALLEST_AREA = 0.01  # of the page's
LARGEST_AREA = 0.9  # of the page's: larger ones are scans and backgrounds
REPEATED = 3  # pages: a picture on so many is a logo
NEAR = 40.0  # points between a picture and its caption

CAPTION = re.compile(r"(?:fig(?:ure|\.)?|abb(?:ildung|\.)|figura|chart|图|図)\s*[A-Z]?\.?\s?\d", re.IGNORECASE)


def pictures(pages: Sequence[Page]) -> dict[int, list[Picture]]:
    """The pictures of real size that are no decoration, by page; several at one place count once."""
    places = Counter(
        picture.key for page in pages for picture in {picture.key: picture for picture in page.pictures}.values()
    )
    kept: dict[int, list[Picture]] = {}
    for page in pages:
        seen: list[Picture] = []
        for picture in page.pictures:
            if places[picture.key] < REPEATED and _is_real(picture.rect, page) and picture not in seen:
                seen.append(picture)
        kept[page.number] = seen
    return kept


def caption_of(rect: Rect, lines: Sequence[Line], starts: Sequence[int]) -> int | None:
    """Which of the captions (places in `lines`) belongs to the picture: the nearest below, else the nearest above."""

    def distance(place: int) -> float:
        below, above = lines[place].rect.y0 - rect.y1, rect.y0 - lines[place].rect.y1
        return below if below > -10 else above + NEAR / 2 if above > -10 else 2 * NEAR

    beside = [place for place in starts if _beside(lines[place].rect, rect) and distance(place) <= NEAR]
    return min(beside, key=distance, default=None)


def _beside(line: Rect, picture: Rect) -> bool:
    return line.x0 < picture.x1 and picture.x0 < line.x1


def _is_real(rect: Rect, page: Page) -> bool:
    area, whole = rect.width * rect.height, max(page.width * page.height, 1.0)
    return min(rect.width, rect.height) >= SMALLEST and SMALLEST_AREA <= area / whole <= LARGEST_AREA

"""Pictures for the page: those of documents' pages, drawn once, and those of figures."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

from indexer import pictures
from indexer.files import content_hash
from indexer.pictures import CLOSE_RESOLUTION, PagePicture
from kohaku.doors.reading import drawing_of
from kohaku.errors import ReadError
from kohaku.images import KINDS
from kohaku.settings import Settings
from kohaku.tree import Document

KEPT = 64  # pictures of pages, some 200 KB each
AT_ONCE = 2  # processes that draw


class PagePictures:
    """The pictures of pages that were asked for last; any number of threads may ask."""

    def __init__(self, settings: Settings) -> None:
        self._reading = drawing_of(settings)
        self._kept: OrderedDict[tuple[str, int], PagePicture] = OrderedDict()
        self._turn = threading.Lock()
        self._places = threading.BoundedSemaphore(AT_ONCE)

    def picture(self, document: Document, number: int) -> PagePicture:
        """The picture of a document's page; ReadError where its file is gone, has changed or can't be drawn."""
        key = document.content, number
        if (known := self._known(key)) is not None:
            return known
        with self._places:
            if (known := self._known(key)) is not None:
                return known
            source = _source(document)
            drawn = pictures.drawn(source, [number], self._reading, resolution=CLOSE_RESOLUTION)
        if number not in drawn:
            raise ReadError(f"page {number} of {document.id} can't be drawn: repair its file, and index it again")
        with self._turn:
            self._kept[key] = drawn[number]
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return drawn[number]

    def _known(self, key: tuple[str, int]) -> PagePicture | None:
        with self._turn:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)


def _source(document: Document) -> Path:
    """The file of a document, as it was when it was indexed: what is cited would not stand there in another one."""
    paths = [path for path in map(Path, document.sources) if path.is_file()]
    if not paths:
        raise ReadError(f"the file of {document.id} is gone: put it back where it was")
    for path in paths:
        try:
            if content_hash(path) == document.content:
                return path
        except OSError:
            continue
    raise ReadError(f"the file of {document.id} has changed: index it again")


def media_type(image: bytes) -> str | None:
    """The media type of a picture that browsers show; None for what is none of those."""
    kind = next((kind for start, kind in KINDS.items() if image.startswith(start)), None)
    return f"image/{kind}" if kind else None

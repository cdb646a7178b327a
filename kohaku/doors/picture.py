"""A page as a picture, with a node marked on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kohaku import mupdf
from kohaku.errors import KohakuError
from kohaku.store import Store
from kohaku.tree import Node

RESOLUTION = 144  # dots an inch: twice the page's points, so that small print can be read
MARK = (1.0, 0.85, 0.1)


def page_picture(store: Store, node: Node, passwords: Sequence[str] = ()) -> bytes:
    """PNG bytes of the first page a node stands on, its boxes there marked; the source PDF must still be there."""
    if not node.boxes:
        raise KohakuError(f"{node.id} has no place on a page: only what was read from a PDF has")
    document = store.document(node.document)
    sources = [Path(source) for source in document.sources] if document else []
    source = next((path for path in sources if path.is_file()), None)
    if source is None:
        raise KohakuError(f"the file of {node.document} is gone ({', '.join(map(str, sources))}): put it back")
    pymupdf = mupdf.load()

    first = node.boxes[0].page
    try:
        with pymupdf.open(source, filetype="pdf") as pdf:
            if pdf.needs_pass and not any(pdf.authenticate(password) for password in passwords):
                raise KohakuError(f"{source} needs a password: give it with --password")
            page = pdf[first - 1]
            for box in node.boxes:
                if box.page == first:
                    rectangle = pymupdf.Rect(box.x0, box.y0, box.x1, box.y1) * page.derotation_matrix
                    page.draw_rect(rectangle, color=None, fill=MARK, fill_opacity=0.35)
            return bytes(page.get_pixmap(dpi=RESOLUTION).tobytes("png"))
    except (IndexError, pymupdf.FileDataError):  # no such page any more, or no PDF
        raise KohakuError(f"{source} has changed since it was indexed: index it again") from None

"""A page as a picture, with a node marked on it."""

from __future__ import annotations

from pathlib import Path

from indexer import pictures
from indexer.reading import AS_EVER, Reading
from kohaku.errors import KohakuError, ReadError
from kohaku.store import Store
from kohaku.tree import Node, Tier


def page_picture(store: Store, node: Node, reading: Reading = AS_EVER) -> bytes:
    """PNG bytes of the first page a node stands on, all of it there marked; the source PDF must still be there."""
    parts = [node] if node.tier in (Tier.PARAGRAPH, Tier.SENTENCE) else store.subtree(node.id)
    boxes = [box for part in parts if part is node or part.tier is not Tier.SENTENCE for box in part.boxes]
    if not boxes:
        raise KohakuError(f"{node.id} has no place on a page: only what was read from a PDF has")
    document = store.document(node.document)
    sources = [Path(source) for source in document.sources] if document else []
    source = next((path for path in sources if path.is_file()), None)
    if source is None:
        raise KohakuError(f"the file of {node.document} is gone ({', '.join(map(str, sources))}): put it back")
    first = boxes[0].page
    try:
        return pictures.marked(source, [box for box in boxes if box.page == first], reading)
    except ReadError as error:
        raise ReadError(f"{source}: {error}") from None

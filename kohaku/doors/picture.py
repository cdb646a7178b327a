"""Pages as pictures or PDFs of one page, with nodes or the quotes of an answer marked on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from answerer.answer import Answer
from indexer import pictures
from indexer.reading import AS_EVER, Reading
from kohaku.errors import KohakuError, ReadError
from kohaku.store import Store
from kohaku.tree import Box, Node, Tier

Form = Literal["png", "pdf", "small"]
"""What a page is made into; small: PNG, or JPEG where that has less bytes."""


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A page that an answer quotes, as a picture; `name` can be a file's."""

    document: str
    page: int
    name: str
    data: bytes


def page_picture(store: Store, nodes: Sequence[Node], reading: Reading = AS_EVER, *, form: Form = "png") -> bytes:
    """The bytes of the first page that the first node stands on, with what of the nodes is there marked.

    Raises KohakuError where a node has no place on that page, or the document's PDF is not there any more.
    """
    first, *others = nodes
    boxes = _boxes(store, first)
    if not boxes:
        raise KohakuError(
            f"{first.id} has no place on a page, as only what was read from a PDF has: give its text instead"
        )
    page = boxes[0].page
    marks = [box for box in boxes if box.page == page]
    for node in others:
        there = [box for box in _boxes(store, node) if box.page == page and node.document == first.document]
        if not there:
            raise KohakuError(f"{node.id} is not on page {page} of {first.document}, as {first.id} is: give it alone")
        marks += there
    return _drawn(_source(store, first.document), marks, reading, form)


def cited_pages(
    store: Store, answer: Answer, reading: Reading = AS_EVER, *, form: Literal["png", "pdf"] = "png"
) -> Iterator[CitedPage]:
    """The pages that an answer quotes, each once, in the order of its citations, with all that it quotes marked.

    Quotes without a place on a page have no picture. Raises KohakuError where a document's PDF is not there any more.
    """
    marks: dict[tuple[str, int], list[Box]] = {}
    for citation in answer.citations:
        for box in citation.boxes:
            marks.setdefault((citation.document, box.page), []).append(box)
    for number, ((document, page), boxes) in enumerate(marks.items(), start=1):
        data = _drawn(_source(store, document), boxes, reading, form)
        yield CitedPage(document, page, f"{number}-{_file_name(document)}-p{page}.{form}", data)


def form_of(path: Path) -> Literal["png", "pdf"]:
    """What a file of this name is to be; raises KohakuError where its ending says neither PNG nor PDF."""
    if path.suffix.lower() == ".png":
        return "png"
    if path.suffix.lower() == ".pdf":
        return "pdf"
    raise KohakuError(f"a page is written as .png or .pdf, not as {path.name}: give one of these endings")


def _boxes(store: Store, node: Node) -> list[Box]:
    """Where a node stands; of a document or a section, where its paragraphs do."""
    parts = [node] if node.tier in (Tier.PARAGRAPH, Tier.SENTENCE) else store.subtree(node.id)
    return [box for part in parts if part is node or part.tier is not Tier.SENTENCE for box in part.boxes]


def _source(store: Store, id: str) -> Path:
    """The file that a document was read from; raises KohakuError where it is gone."""
    document = store.document(id)
    sources = [Path(source) for source in document.sources] if document else []
    source = next((path for path in sources if path.is_file()), None)
    if source is None:
        raise KohakuError(f"the file of {id} is gone ({', '.join(map(str, sources))}): put it back")
    return source


def _drawn(source: Path, boxes: Sequence[Box], reading: Reading, form: Form) -> bytes:
    try:
        if form == "pdf":
            return pictures.highlighted(source, boxes, reading)
        return pictures.marked(source, boxes, reading, small=form == "small")
    except ReadError as error:
        raise ReadError(f"{source}: {error}") from None


def _file_name(id: str) -> str:
    """What of a document's id can be part of any file's name.

    >>> _file_name("../a b/../Zürich 2024")
    'a-b-Zürich-2024'
    """
    return re.sub(r"[\W_]+", "-", id).strip("-")[:60] or "document"

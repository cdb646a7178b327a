"""The tree of a document: document ▸ section ▸ paragraph ▸ sentence.

A tree is a flat list of nodes in reading order; a node's subtree is the range position..last, so there are
no child lists, no recursion and no parsing of ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Self, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"  # what reads files needs no numpy, which takes as long to load as all else
"""One vector a row, each of length 1 (or all zeros where there was nothing to embed)."""


class Tier(StrEnum):
    """The four levels of a tree; vectors are partitioned by it."""

    DOCUMENT = "document"
    SECTION = "section"
    PARAGRAPH = "paragraph"
    SENTENCE = "sentence"


class Kind(StrEnum):
    """What a node is; everything from PARAGRAPH to REFERENCE stands on the paragraph tier."""

    DOCUMENT = "document"
    SECTION = "section"
    PARAGRAPH = "paragraph"
    TABLE = "table"
    FIGURE = "figure"
    LIST = "list"
    CODE = "code"
    FORMULA = "formula"
    FOOTNOTE = "footnote"
    QUOTE = "quote"
    REFERENCE = "reference"
    SENTENCE = "sentence"

    @property
    def tier(self) -> Tier:
        """The level of the tree a node of this kind stands on.

        >>> Kind.TABLE.tier.value
        'paragraph'
        """
        return _TIERS[self]


_TIERS = {kind: Tier(kind.value) if kind.value in set(Tier) else Tier.PARAGRAPH for kind in Kind}


class Packed:
    """What goes from process to process by its fields in their order, in a third of a dataclass's time for it."""

    __slots__: ClassVar[tuple[str, ...]] = ()

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        return type(self), tuple(getattr(self, name) for name in self.__slots__)


@dataclass(frozen=True, slots=True)
class Box(Packed):
    """Where text stands on a page: points from the page's top left corner, pages counted from 1."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Node(Packed):
    """A part of a document.

    `position` counts nodes in reading order from 0, the document itself; the subtree is position..last.
    `id` is readable and stable (`DOC:s2.1:p4:s3`), for people: nothing parses it.
    `text` is the node's whole text: a section's or document's is that of its subtree, never only its title.
    `title` is a section's heading, a document's title, a table's or figure's caption, else empty.
    `level` is a section's depth (1 the highest), else 0. `pages` is (first, last), None where the format has none.
    `headings` are the titles of the sections that hold the node, outermost first; a section's own is its last.
    `key` is the store's number for the node, 0 before it is stored.
    `shown_tokens` are those of the text under its headings (`shown`), None where an index of an older version is read.
    """

    document: str
    position: int
    last: int
    parent: int | None
    kind: Kind
    id: str
    text: str
    tokens: int
    title: str = ""
    level: int = 0
    pages: tuple[int, int] | None = None
    boxes: tuple[Box, ...] = ()
    headings: tuple[str, ...] = ()
    image: str | None = None
    key: int = 0
    shown_tokens: int | None = None

    @property
    def tier(self) -> Tier:
        """The level of the tree the node stands on."""
        return self.kind.tier

    def covers(self, other: Node) -> bool:
        """Whether the other node is this one or stands in its subtree."""
        return self.document == other.document and self.position <= other.position <= self.last


def shown(headings: Sequence[str], text: str) -> str:
    """A node's text under the path of its headings, as evidence shows it.

    >>> shown(["Report", "Water"], "It fell.")
    'Report › Water\\nIt fell.'
    """
    return "\n".join((" › ".join(headings), text))


@dataclass(frozen=True, slots=True)
class Document:
    """A document as the store knows it.

    `sources` are the paths its content was read from (several where the same content has several names);
    `content` is the hash of the bytes, `fingerprint` that of parser and settings: equal both, nothing to do.
    `metadata` holds the metadata CSV's columns (type, year, citation, url, …), all text.
    """

    id: str
    title: str
    sources: tuple[str, ...]
    content: str
    fingerprint: str
    pages: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tree:
    """A document's nodes in reading order, the images its figures point to by content hash, its acronyms.

    `mentions` are (figure, sentence) pairs of positions: where the text speaks of "Figure 3".
    """

    document: Document
    nodes: tuple[Node, ...]
    images: Mapping[str, bytes] = field(default_factory=dict)
    acronyms: Mapping[str, str] = field(default_factory=dict)
    """Short form to long form, as the document defines them: {"PUE": "power usage effectiveness"}."""
    mentions: tuple[tuple[int, int], ...] = ()

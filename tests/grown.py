"""Trees that grow of blocks, as those of files do."""

from __future__ import annotations

from collections.abc import Callable

from indexer import grow as growing
from indexer.acronyms import acronyms
from indexer.blocks import Parsed
from indexer.grow import PASSAGE_TOKENS, in_order
from indexer.kept import Kept, Pictures
from indexer.mentions import mentions
from kohaku.tree import Document, Tree


def grow(parsed: Parsed, document: Document, *, count: Callable[[str], int], max_tokens: int = PASSAGE_TOKENS) -> Tree:
    """The tree of a document that a reader made these blocks of."""
    images: dict[str, Kept] = {}
    nodes = growing.grown(parsed.blocks, document, images, pages=parsed.pages, count=count, max_tokens=max_tokens)
    found = in_order(nodes)
    return Tree(document, found, Pictures(images), acronyms(found[0].text), mentions(found))

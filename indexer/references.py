"""References: what stands under the heading of a bibliography and looks like its entries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from indexer.blocks import Block
from kohaku.tree import Kind

BIBLIOGRAPHY = re.compile(
    r"(?:[\dIVXA-Z]{1,4}[.)]?\s+)?(?:references?(?: cited)?|bibliography|works cited|literature(?: cited)?|literatur"
    r"(?:verzeichnis)?|quellen(?:verzeichnis)?|bibliographie|références|referencias|bibliografía|riferimenti"
    r"|bibliografia|参考文献|參考文獻|참고문헌|список литературы)\s*:?",
    re.IGNORECASE,
)
# A year, a number in brackets before the entry, or where it can be found.
ENTRY = re.compile(
    r"\b(?:1[5-9]|20)\d\d[a-z]?\b|^\s*\[\w{1,12}\]|\bdoi\b|https?://|\barXiv\b|\bISBN\b|forthcoming|in press", re.I
)


def with_references(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, those being entries that stand under the heading of a bibliography.

    >>> head, entry = Block(Kind.SECTION, "References", level=1), Block(Kind.PARAGRAPH, "[1] A. Bee. Heat. 2020.")
    >>> [block.kind.value for block in with_references([entry, head, entry])]
    ['paragraph', 'section', 'reference']
    """
    level = 0  # of the bibliography's heading; 0 outside of one
    for block in blocks:
        if block.kind is Kind.SECTION and (not level or block.level <= level):
            level = max(block.level, 1) if BIBLIOGRAPHY.fullmatch(block.text) else 0
        is_entry = level and block.kind in (Kind.PARAGRAPH, Kind.LIST) and ENTRY.search(block.text)
        yield replace(block, kind=Kind.REFERENCE) if is_entry else block

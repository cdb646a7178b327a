"""Captions that are paragraphs of their own, as in Word and Markdown: they go to the table or figure they stand at."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from indexer.blocks import Block
from indexer.tables import told
from kohaku import rows
from kohaku.tree import Kind

CAPTIONED = re.compile(
    r"(?P<what>fig(?:ure|\.)?|abb(?:ildung|\.)?|図|图|table|tab(?:elle|leau|la|\.)?|tabela|表)\s*[A-Z]?\d+(?:[.-]\d+)*"
    r"(?:\s*[.:|)–—-]|\s*$|\s+(?-i:[^\W\d_a-z]))",  # what goes on in lower case is a sentence that speaks of one
    re.IGNORECASE,
)
TABLE_WORDS = re.compile(r"tab|表", re.IGNORECASE)
LONGEST = 500  # characters of a caption
PLACES = {  # where a caption of each kind looks for what it stands at: (before it?, kind)
    Kind.TABLE: ((False, Kind.TABLE), (True, Kind.TABLE)),
    Kind.FIGURE: ((True, Kind.FIGURE), (False, Kind.FIGURE)),
    None: ((True, Kind.FIGURE), (False, Kind.TABLE), (False, Kind.FIGURE), (True, Kind.TABLE)),
}


def captioned(given: Iterable[tuple[Block, bool]]) -> list[Block]:
    """The blocks with captions at their tables and figures, each given with whether its style makes it a caption.

    A caption between two tables belongs to the one below, between two figures to the one above.
    """
    result: list[Block] = []
    waiting = _scaled(given)[::-1]
    while waiting:
        block, is_styled = waiting.pop()
        following = waiting[-1][0] if waiting else None
        before = result[-1] if result else None
        for is_before, kind in _places(block, is_styled):
            one = before if is_before else following
            if one and one.kind is kind and not CAPTIONED.match(one.title):
                break
        else:
            result.append(block)
            continue
        if is_before:
            result[-1] = _with_caption(one, block.text)
        else:
            waiting[-1] = (_with_caption(one, block.text), False)
    return result


def _places(block: Block, is_styled: bool) -> tuple[tuple[bool, Kind], ...]:
    """Where to look for what a paragraph is the caption of; nowhere for one that is none."""
    if block.kind is not Kind.PARAGRAPH or len(block.text) > LONGEST:
        return ()
    found = CAPTIONED.match(block.text)
    if found is None:
        return PLACES[None] if is_styled else ()
    return PLACES[Kind.TABLE if TABLE_WORDS.match(found["what"]) else Kind.FIGURE]


def _scaled(given: Iterable[tuple[Block, bool]]) -> list[tuple[Block, bool]]:
    """The blocks, tables with the scale that the paragraph above says; one that says nothing else is gone."""
    result: list[tuple[Block, bool]] = []
    for block, is_styled in given:
        if result and (scale := _scale(result[-1][0], block)):
            if result[-1][0].text == scale:
                result.pop()
            block = told(block, scale=scale)
        result.append((block, is_styled))
    return result


def _scale(block: Block, following: Block) -> str:
    """What a paragraph above a table says of the scale of its figures: "(in thousands of euros)"; "" for nothing.

    It may say more than that: "Sales by region were as follows (in millions):".
    """
    if following.kind is not Kind.TABLE or block.kind is not Kind.PARAGRAPH or CAPTIONED.match(block.text):
        return ""
    if rows.says_scale(block.text):
        return block.text
    found = rows.SCALE_PART.search(block.text, max(len(block.text) - LONGEST, 0))
    return found[0] if found else ""


def _with_caption(block: Block, caption: str) -> Block:
    if block.kind is Kind.TABLE:
        return told(block, caption=caption)
    return replace(block, title=caption, text="\n\n".join(filter(None, (caption, block.text))))

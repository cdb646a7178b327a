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
PLACES = {  # where a caption of a table, of a figure, of either looks for what it stands at: (before it?, kind)
    Kind.TABLE: ((False, Kind.TABLE), (True, Kind.TABLE)),
    Kind.FIGURE: ((True, Kind.FIGURE), (False, Kind.FIGURE)),
    Kind.PARAGRAPH: ((True, Kind.FIGURE), (False, Kind.TABLE), (False, Kind.FIGURE), (True, Kind.TABLE)),
}


def captioned(given: Iterable[tuple[Block, Kind | None]]) -> list[Block]:
    """The blocks with captions at their tables and figures, none of which takes two.

    Each block comes with what its style makes it the caption of: TABLE, FIGURE, PARAGRAPH (either), None for nothing.
    A caption between two tables belongs to the one below, between two figures to the one above.
    """
    result: list[Block] = []
    taken: list[bool] = []  # by the blocks of the result
    waiting = [(block, styled, False) for block, styled in _scaled(given)][::-1]
    while waiting:
        block, styled, has_caption = waiting.pop()
        following, _, next_has_caption = waiting[-1] if waiting else (None, None, False)
        for is_before, kind in _places(block, styled):
            if is_before and result and result[-1].kind is kind and not taken[-1]:
                result[-1], taken[-1] = _with_caption(result[-1], block.text), True
                break
            if not is_before and following and following.kind is kind and not next_has_caption:
                waiting[-1] = (_with_caption(following, block.text), None, True)
                break
        else:
            result.append(block)
            taken.append(has_caption or CAPTIONED.match(block.title) is not None)
    return result


def _places(block: Block, styled: Kind | None) -> tuple[tuple[bool, Kind], ...]:
    """Where to look for what a paragraph is the caption of; nowhere for one that is none."""
    if block.kind is not Kind.PARAGRAPH or len(block.text) > LONGEST:
        return ()
    found = CAPTIONED.match(block.text)
    if found is None:
        return PLACES[styled] if styled else ()
    return PLACES[Kind.TABLE if TABLE_WORDS.match(found["what"]) else Kind.FIGURE]


def _scaled(given: Iterable[tuple[Block, Kind | None]]) -> list[tuple[Block, Kind | None]]:
    """The blocks, tables with the scale that the paragraph above says; one that says nothing else is gone."""
    result: list[tuple[Block, Kind | None]] = []
    for block, styled in given:
        if result and (scale := _scale(result[-1][0], block)):
            if result[-1][0].text == scale:
                result.pop()
            block = told(block, scale=scale)
        result.append((block, styled))
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

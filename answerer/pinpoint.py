"""Where on the pages a quote stands: in the sentences and rows that it was taken from, not in the whole paragraph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from answerer.answer import Citation
from answerer.quotes import key
from kohaku import rows
from kohaku.tree import Node, Tier
from retriever.evidence import GAP


def pinpointed(citation: Citation, nodes: Iterable[Node]) -> Citation:
    """The citation with the pages and boxes of its sentences alone, as far as the nodes below its own say them."""
    sentences = [node for node in nodes if node.tier is Tier.SENTENCE and node.document == citation.document]
    lines = (line for part in citation.quote.split(GAP) for line in _pieces(part))
    numbers = sorted({number for line in lines for number in quoted(line, [node.text for node in sentences])})
    held = [sentences[number] for number in numbers]
    boxes = tuple(dict.fromkeys(box for node in held for box in node.boxes))
    pages = [page for node in held if node.pages for page in node.pages]
    if not held:
        return citation
    return replace(
        citation,
        boxes=boxes or citation.boxes,
        pages=(min(pages), max(pages)) if pages else citation.pages,
    )


def quoted(words: str, sentences: Sequence[str]) -> list[int]:
    """The numbers of the sentences that words, or a line of a table, were taken from; none where they are in none.

    >>> quoted("rose. It fell", ["Then it rose.", "It fell again.", "It rose."])
    [0, 1]
    >>> quoted("| Sales | 5 |", ["Sales; 2022: 4", "Sales; 2023: 5"])
    [1]
    """
    keys = [key(sentence).text for sentence in sentences]
    wanted = key(words).text
    if not wanted:
        return []
    if words.lstrip().startswith("|"):
        cells = [key(cell).text for cell in rows.cells_of(words)[1]]
        found = [number for number, held in enumerate(keys) if all(cell in held for cell in cells)]
        return found[:1]
    at = "".join(keys).find(wanted)
    if at < 0:  # sentences of a table's row have more around them, and white space may part them otherwise
        return [number for number, held in enumerate(keys) if wanted in held or (held and held in wanted)]
    ends = list(accumulate(map(len, keys)))
    return [
        number
        for number, (end, held) in enumerate(zip(ends, keys, strict=True))
        if held and end > at and end - len(held) < at + len(wanted)
    ]


def _pieces(part: str) -> list[str]:
    """A quote's lines where it is of a table, else the whole."""
    lines = [line for line in part.split("\n") if line.strip()]
    return lines if any(line.startswith("|") for line in lines) else [part]

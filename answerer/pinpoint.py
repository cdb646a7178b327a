"""Where on the pages a quote stands: in the sentences and rows that it was taken from, not in the whole paragraph.

A row of a table that was quoted as Markdown is cited as its sentence, which says heads, labels and scale.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from answerer.answer import Citation
from answerer.quotes import key
from kohaku import rows
from kohaku.tree import Kind, Node, Tier
from retriever.evidence import GAP

_MARKS = re.compile(rf"^\|\s*(?:{rows.UNDER.strip()}\s*)+", re.MULTILINE)


def pinpointed(citation: Citation, nodes: Iterable[Node]) -> Citation:
    """The citation with the pages and boxes of its sentences alone, as far as the nodes below its own say them.

    Where it is one row of a table, that row is its node, and the row's sentence its quote.
    """
    nodes = [node for node in nodes if node.document == citation.document]
    sentences = [node for node in nodes if node.tier is Tier.SENTENCE]
    row = row_of(citation.quote, _of_tables(nodes))
    if row is not None:
        return replace(
            citation, node=row.id, quote=row.text, boxes=row.boxes or citation.boxes, pages=row.pages or citation.pages
        )
    lines = (line for part in citation.quote.split(GAP) for line in _pieces(part))
    numbers = sorted({number for line in lines for number in quoted(line, [node.text for node in sentences])})
    held = [sentences[number] for number in numbers]
    boxes = tuple(dict.fromkeys(box for node in held for box in node.boxes))
    pages = [page for node in held if node.pages for page in node.pages]
    if not held:
        return citation
    return replace(
        citation,
        quote=_MARKS.sub("| ", citation.quote),
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
        exact = [number for number, sentence in enumerate(sentences) if _is_row(words, sentence)]
        cells = _cells(words)
        found = exact or [number for number, held in enumerate(keys) if all(cell in held for cell in cells)]
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


def row_of(quote: str, found: Sequence[Node]) -> Node | None:
    """The one row of tables that a quote of their Markdown is of, its head or not; None where it is of none or more."""
    if "|" not in quote or GAP in quote:
        return None
    lines = [line for line in quote.split("\n") if "|" in line]
    held = [row for line in lines for row in found if _is_row(line, row.text)]
    return held[0] if len(held) == 1 else None


def _is_row(line: str, sentence: str) -> bool:
    """Whether the cells of a line of Markdown are among those of a row's sentence; the first may be cut.

    >>> [_is_row("| › Rent | 5 |", row) for row in ("Costs › Rent; 2023: 5 (in millions)", "Rent; 2023: 15")]
    [True, False]
    """
    cells = list(filter(None, _cells(line)))
    held = [key(sentence[slice(*span)]).text for span in rows.spans(sentence)]
    values = {part.rpartition(":")[2] for part in held} | set(held)
    return len(cells) > 1 and any(part.endswith(cells[0]) for part in held) and values.issuperset(cells[1:])


def _cells(line: str) -> list[str]:
    return [key(cell).text for cell in rows.cells_of(f"|{line.strip().strip('|')}|")[1]]


def _of_tables(nodes: Sequence[Node]) -> list[Node]:
    """The rows' sentences among the nodes."""
    tables = [node for node in nodes if node.kind is Kind.TABLE]
    return [node for node in nodes if node.tier is Tier.SENTENCE and any(table.covers(node) for table in tables)]


def _pieces(part: str) -> list[str]:
    """A quote's lines where it is of a table, else the whole."""
    lines = [line for line in part.split("\n") if line.strip()]
    return lines if any(line.startswith("|") for line in lines) else [part]

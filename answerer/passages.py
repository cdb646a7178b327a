"""The sentences and rows of the evidence, each with what stands around it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from answerer import cells
from answerer.asking import terms
from answerer.cells import Row
from answerer.figures import pieces
from answerer.units import CODES, SIGNS
from kohaku import rows
from kohaku.words import parts
from retriever.evidence import Context


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or a table's row, with what is around it.

    `words` are its own terms, `nearby` those of its headings, title and neighbours, `held` those of all its context,
    `spoken` those of all the evidence from its document, `named` those of that document's title and id: all of it is
    about them. `of_money` is whether that evidence names a currency, which each piece of a long table need not. A row
    of a table has its cells, and `caption`, the line before the table.
    """

    context: Context
    rank: int
    text: str
    words: frozenset[str]
    nearby: frozenset[str]
    held: frozenset[str]
    spoken: frozenset[str]
    named: frozenset[str]
    row: Row
    caption: str = ""
    of_money: bool = False


MONEY = re.compile(
    rf"[${SIGNS}]|\b(?:{CODES})\b"
    r"|\b(?i:usd|eur|gbp|jpy|cny|rmb|dollars?|euros?|pounds?|yen|yuan|francs?|rupees?|roubles?|rubles?)\b"
)
"""Words and signs of money."""
_END = re.compile(r"(?<=[.!?])[\"”’)\]]*\s+(?=[\"“‘(\[]?[A-Z0-9])|(?<=[。！？])")
_NO_END = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|vs|cf|Fig|Figs|Eq|Tab|Sec|No|approx|Dr|Mr|Ms|St|U\.S|Inc|Ltd|ca)|\b[A-Z])\.\W*$"
)


_EXCEPTED = re.compile(r",?\s(?:except|unless|other than)\b[^()]{0,200}\)", re.IGNORECASE)  # of a table's scale


def sentences(contexts: Sequence[Context]) -> list[Sentence]:
    """Every distinct sentence of the contexts, with its surroundings."""
    found: list[Sentence] = []
    seen: set[str] = set()
    documents: dict[str, set[str]] = defaultdict(set)
    of_money = {context.document for context in contexts if MONEY.search(context.text)}
    for context in contexts:
        documents[context.document].update(_heads(context), terms(context.text))
    for rank, context in enumerate(contexts):
        head = _heads(context)
        named = frozenset(terms(f"{context.title} {_called(context)}"))
        texts = list(split(context.text))
        labels = _labels(context.text)
        held = head.union(*(terms(text) for text, _ in texts))
        spoken = frozenset(documents[context.document])
        caption = ""
        for number, (text, is_row) in enumerate(texts):
            around = texts[max(0, number - 1) : number] + texts[number + 1 : number + 2]
            caption = caption if is_row or text in labels else text
            if is_row and number:
                around += [texts[0], (caption, False)]
            nearby = head.union(*(terms(near) for near, _ in around))
            if text not in seen:
                row = cells.row(text) if is_row else Row(text)
                own = frozenset(terms(_EXCEPTED.sub(")", text[row.over()[1] :]) if is_row else text))
                nearby = nearby.union(terms(text[slice(*row.over())]))
                above, is_money = caption if is_row else "", context.document in of_money
                found.append(Sentence(context, rank, text, own, nearby, held, spoken, named, row, above, is_money))
            seen.add(text)
    return found


def _heads(context: Context) -> frozenset[str]:
    return frozenset(terms(" ".join((context.title, *context.headings, _called(context)))))


def _called(context: Context) -> str:
    """The id of a context's document, and the words at whose seams it comes apart: ACME_2022_10K is Acme's."""
    return " ".join((context.document, *filter(str.isalpha, parts(context.document))))


def _labels(text: str) -> frozenset[str]:
    """The labels that stand over rows of the tables in a text."""
    lines = (rows.cells_of(line)[1] for line in text.split("\n") if line.startswith("|"))
    return frozenset(held[0] for held in lines if rows.is_label(held))


def split(text: str) -> Iterator[tuple[str, bool]]:
    """Sentences, and table rows as their sentences, with whether it is a row."""
    for line, is_row in rows.read(text):
        parts = [line] if is_row else _prose(line)
        yield from ((part.strip(), is_row) for part in parts if part.strip())


def _prose(line: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(line):
        if _NO_END.search(line, max(start, match.start() - LONGEST_SHORT), match.start()):
            continue
        yield from (line[slice(*piece)] for piece in pieces(line, start, match.end()))
        start = match.end()
    yield from (line[slice(*piece)] for piece in pieces(line, start, len(line)))


LONGEST_SHORT = 20  # characters of what is short for something, with the marks behind it

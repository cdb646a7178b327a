"""Rows of tables as text: how indexing writes them, and how answering reads them back.

A table is Markdown for the eye, and a sentence a row for the search. Labels that stand over rows ("Operating
expenses:") are rows of one cell in Markdown, and what stands under one begins with a mark; in a sentence they precede
the row's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

LEVEL = " › "
"""Between a head and those under it, a label and those under it."""
UNDER = "› "
"""Before a row's first cell in Markdown, once for each label over it."""
LONGEST_CAPTION = 140  # characters of it that a row repeats

LONGEST_SCALE = 160  # characters of a line that says nothing but the scale

_SIZES = r"hundreds|thousands?|millions?|billions?|trillions?|mill?|bn|mn|000s?"
_SCALE_WORD = re.compile(rf"\b(?:{_SIZES})\b", re.IGNORECASE)
SCALE_PART = re.compile(rf"\((?=[^()]*\b(?:{_SIZES})\b)[^()]*\)", re.IGNORECASE)
_UNIT_LINE = re.compile(r"[(\[]?(?:units?\s?:|in\s(?!\d)|単位|单位|單位)", re.IGNORECASE)
_MONEY = re.compile(r"(?:US|U\.S\.|[ACS]|HK|NT)?\s?[$€£¥]|U\.S\.")
_COUNTED = re.compile(
    r"\s+of\s+(?!(?:us|u\.s|dollar|euro|yen|usd|eur|share|[$€£¥]))", re.IGNORECASE
)  # millions of people
_BEFORE_SCALE = frozenset(
    re.findall(
        r"\w+",
        """
        a all amounts and are canadian cents currency data dollar dollars eur euro euros except expressed figures gbp
        in information is of otherwise presented reported rmb shares shown stated tabular unaudited us usd values yen
        years
        """,
    )
)
_BAR = re.compile(r"(?<!\\)\|")  # between cells; one that a cell holds is escaped
_RULE = re.compile(r":?-+:?")
_TAIL = re.compile(rf"(?: {SCALE_PART.pattern})?(?: \[[^\[\]]*\])?$", re.IGNORECASE)
_CAPTION_TAIL = re.compile(r" \[[^\[\]]*\]$")
_CELL = re.compile(r"[^;]+")


def sentence(
    header: Sequence[str], cells: Sequence[str], labels: Sequence[str] = (), scale: str = "", caption: str = ""
) -> str:
    """A row that makes sense read alone: every cell after its column's head, the labels over it before its own.

    >>> sentence(["Model", "kWh", ""], ["GPT-3", "1287", "yes"])
    'Model: GPT-3; kWh: 1287; yes'
    >>> sentence(["", "2022"], ["Sales", "$5"], ["Revenue:"], "(in millions)", "Table 1: Income.")
    'Revenue › Sales; 2022: $5 (in millions) [Table 1: Income]'
    """
    above = LEVEL.join(label.rstrip(": ") for label in labels)
    first = LEVEL.join(filter(None, (above, cells[0]))) if cells else above
    said: set[tuple[str, str]] = set()
    parts: list[str] = []
    for name, cell in zip(header, (first, *cells[1:]), strict=True):
        if cell and (not name or (name, cell) not in said):  # a cell that spans columns of one name is said once
            parts.append(f"{name}: {cell}" if name else cell)
        said.add((name, cell))
    row = "; ".join(parts)
    return row + tail(scale, caption, "".join(header)) if len(parts) > 1 else row


def tail(scale: str, caption: str, header: str = "") -> str:
    """What a row's sentence ends with: the scale, where neither head nor caption says it, and the caption.

    >>> tail("In millions", "Table 2 [new]: Sales of a year. All are estimates.")
    ' (In millions) [Table 2 (new): Sales of a year]'
    """
    scale = scale.strip(" :.")
    bare = scale.strip("()[]")
    named = shortened(caption)
    end = f" ({bare.replace('(', '').replace(')', '')})" if bare and bare not in header and bare not in named else ""
    return end + (f" [{named}]" if named else "")


def told(row: str, scale: str, caption: str, header: str = "") -> str:
    """A row's sentence with this scale, where it has none, and this caption instead of the one that it has.

    >>> told("a; x: 3 [Table 1]", "(in millions)", "Table 1: Use")
    'a; x: 3 (in millions) [Table 1: Use]'
    """
    if len(spans(row)) < 2:
        return row
    found = _CAPTION_TAIL.search(row)
    return (row[: found.start()] if found else row) + tail(scale, caption, header)


def shortened(caption: str) -> str:
    """A caption as a row repeats it: its first sentence, at most LONGEST_CAPTION characters, whole words."""
    text = caption.replace("[", "(").replace("]", ")")
    if len(text) > LONGEST_CAPTION:
        text = text[:LONGEST_CAPTION].rsplit(" ", 1)[0] + " …"
    for end in re.finditer(r"[.。](?=\s|$)", text):
        if end.start() > 14 and not re.search(r"\b(?:vs|e\.g|i\.e|al|Fig|Tab|No|approx|[A-Z])$", text[: end.start()]):
            return text[: end.start()]  # the dot of "Table 12." ends no sentence
    return text.strip()


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown: head, rule, and a line a row."""
    return "\n".join([line(header), line(["---"] * len(header)), *map(line, rows)]) if header else ""


def line(cells: Sequence[str], labels: int = 0) -> str:
    """Cells as a line of a Markdown table, under so many labels.

    >>> line(["a|b", ""], 1)
    '| › a\\\\|b |  |'
    """
    text = " | ".join(cell.replace("|", "\\|") for cell in cells)
    return f"| {UNDER * labels}{text} |"


def head(text: str) -> str:
    """What stands over the first row of a table in a text: caption, scale and the names of columns; "" without a table.

    >>> head("Table 1\\n| a | b |\\n| --- | --- |\\n| 1 | 2 |"), head("no table")
    ('Table 1\\n| a | b |', '')
    """
    lines = text.split("\n")
    for place, found in enumerate(lines):
        if _is_line(found) and all(_RULE.fullmatch(cell) for cell in cells_of(found)[1]):
            return "\n".join(lines[:place])
    return ""


def cells_of(text: str) -> tuple[int, list[str]]:
    """How many labels stand over a line of a Markdown table, and its cells."""
    cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(text.strip()[1:-1])]
    depth = 0
    while cells and (cells[0] + " ").startswith(UNDER):
        depth, cells[0] = depth + 1, cells[0][len(UNDER) :].strip()
    return depth, cells


def _is_line(text: str) -> bool:
    return text.startswith("|") and text.rstrip().endswith("|")


def is_label(cells: Sequence[str]) -> bool:
    """Whether a line of a table only says what the rows under it are."""
    return len(cells) > 1 and bool(cells[0]) and not any(cells[1:])


def open_labels(lines: Sequence[str]) -> list[str]:
    """The lines of labels that still hold after these lines of a table.

    >>> open_labels(["| Costs: |  |", "| › Fixed: |  |", "| › › Rent | 5 |"])
    ['| Costs: |  |', '| › Fixed: |  |']
    """
    held: list[str] = []
    for text in filter(_is_line, lines):
        depth, cells = cells_of(text)
        held = held[:depth]
        if is_label(cells):
            held.append(text)
    return held


def read(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text with whether each is a row; lines of a Markdown table as the sentences of its rows."""
    header: list[str] = []
    labels: list[str] = []
    last = scale = ""
    for found in text.split("\n"):
        if not _is_line(found):
            header, last = [], found if found.strip() else last
            yield found, is_row(found)
            continue
        depth, cells = cells_of(found)
        if all(_RULE.fullmatch(cell) for cell in cells):
            continue
        if not header:
            header, labels, scale = cells, [], last.strip() if says_scale(last) else ""
            continue
        labels = labels[:depth]
        cells += [""] * (len(header) - len(cells))
        if is_label(cells):
            labels.append(cells[0])
            yield cells[0], False
        else:
            yield sentence(header, cells[: len(header)], labels, scale), True


@lru_cache(maxsize=1024)  # a cell's text is asked about some three times
def says_scale(text: str) -> bool:
    """Whether a line says in which scale or unit a table's values are, and nothing else.

    >>> [says_scale(text) for text in ("($ in millions, except per share data)", "MILLIONS", "Unit: MWh", "5 million")]
    [True, True, True, False]
    """
    bare = text.strip(" ()[]:.")
    if not bare or len(bare) > LONGEST_SCALE or text.count("(") != text.count(")"):
        return False
    if _UNIT_LINE.match(text) and (text[0] in "([" or (len(bare) < 40 and ":" in bare)):
        return True
    found = _SCALE_WORD.search(bare)
    before = _MONEY.sub(" ", bare[: found.start()]) if found else "5"
    is_whole = (
        found is not None
        and ". " not in bare
        and not any(map(str.isdigit, before))
        and not _COUNTED.match(bare[found.end() :])
    )
    return is_whole and all(word.lower() in _BEFORE_SCALE for word in re.findall(r"[^\W\d_]+", before))


def is_row(text: str) -> bool:
    """Whether a line of text is a row's sentence."""
    return text.count("; ") >= 1 and text.count(": ") >= 2


def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where the cells of a row's sentence stand in it, each with its head at the front.

    >>> [text[slice(*span)] for text in ["a; x: 3 (in millions) [Table 1]"] for span in spans(text)]
    ['a', ' x: 3']
    """
    ends = _TAIL.search(text)
    return tuple(match.span() for match in _CELL.finditer(text, 0, ends.start() if ends else len(text)))

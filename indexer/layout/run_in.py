"""Run-in heads: a heading set in the first line of the paragraph that it heads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from indexer.layout.page import Line, Rect, Style, main_style
from indexer.layout.paragraphs import TERMINAL

LONGEST = 80  # characters of a run-in head
MOST_WORDS = 12
ALIKE = 3  # of one look that a document has at least: fewer are emphasis
LETTERS_AFTER = 8  # characters of the paragraph that stand behind the head
CLOSED = re.compile(r"[.?!—–。？]\s*$")  # a colon closes the term of a list, or a label
OPENED = re.compile(r"\s*[.—–。]")
COUNTED = re.compile(r"\w+\s+[\d.]+\W*")  # Property 3.
STATEMENT = re.compile(
    r"(?:theorem|lemma|proof|definition|corollary|proposition|remark|example|exercise|claim|note|notes|nb|warning"
    r"|caution|tip|important|keywords?|key words|index terms|fig(?:ure|\.)|tab(?:le|\.)|source|q|a|question|answer"
    r"|algorithm|listing|step|http|www|e-?mail|tel|fax|phone|address|date|note to editors)\b",
    re.IGNORECASE,
)
MARK = re.compile(r"[•▪◦●○■□☐☒☑‣–—*·»➢✓¾-]|\(?[a-z0-9]{1,3}\)|\[\w+\]|\d+\.\s")


@dataclass(frozen=True, slots=True)
class Look:
    """What makes two run-in heads alike."""

    size: float
    bold: bool
    italic: bool
    color: int


def run_ins(lines: Sequence[Line], body: Style) -> dict[int, tuple[Line, Line]]:
    """The lines that begin with a run-in head, by place: the head and the rest, as lines of their own."""
    found: dict[int, tuple[Look, int]] = {}
    for place, line in enumerate(lines):
        cell = line.cells[0]
        if cell.lead_length and cell.lead != body and _begins(lines, place):
            length = _head(line.text, cell.lead_length, cell.lead, body)
            if length:
                found[place] = (Look(cell.lead.size, cell.lead.bold, cell.lead.italic, cell.lead.color), length)
    looks = Counter(look for look, _ in found.values())
    return {place: _cut(lines[place], length, body) for place, (look, length) in found.items() if looks[look] >= ALIKE}


def _head(text: str, length: int, lead: Style, body: Style) -> int:
    """How many characters of the line are a run-in head; 0 for none."""
    if not lead.bold or body.bold or lead.mono:
        return 0  # italics are as often emphasis, a title that is cited, "Proof."
    if abs(lead.size - body.size) > 1.6 or length > LONGEST or len(text) - length < LETTERS_AFTER:
        return 0
    opened = OPENED.match(text, length)
    if opened:
        length = opened.end()
    head = text[:length].strip()
    if not CLOSED.search(head) or not len(head) > 3 or len(head.split()) > MOST_WORDS:
        return 0
    if not (head[0].isupper() or head[0].isdigit() or head[0] > "\u2e7f") or MARK.match(head):
        return 0
    if STATEMENT.match(head) or COUNTED.fullmatch(head):
        return 0
    return length if sum(map(str.isalpha, head)) * 2 > len(head.replace(" ", "")) else 0


def _begins(lines: Sequence[Line], place: int) -> bool:
    """Whether a paragraph begins with the line."""
    line, above = lines[place], lines[place - 1] if place else None
    if above is None or above.page != line.page or above.column != line.column:
        return True
    size = line.style.size
    if line.base - above.base > 1.5 * size or abs(above.style.size - size) > 1:
        return True
    if not TERMINAL.search(above.text[-12:]):
        return False
    return line.rect.x0 - above.rect.x0 > 0.7 * size or above.rect.x1 < line.column.x1 - 0.12 * line.column.width


def _cut(line: Line, length: int, body: Style) -> tuple[Line, Line]:
    """The head and the rest as lines; where the cut is, is reckoned from the characters."""
    cell = line.cells[0]
    x = cell.rect.x0 + cell.rect.width * length / max(len(cell.text), 1)
    head, rest = cell.text[:length].strip(), cell.text[length:].strip()
    left = Rect(cell.rect.x0, cell.rect.y0, x, cell.rect.y1)
    right = Rect(x, cell.rect.y0, cell.rect.x1, cell.rect.y1)
    after = body if cell.style == cell.lead else cell.style
    first = cell._replace(text=head, rect=left, style=cell.lead, lead_length=0)
    others = (cell._replace(text=rest, rect=right, style=after, lead=after, lead_length=0), *line.cells[1:])
    return (
        line._replace(cells=(first,), rect=left, style=cell.lead, text=head, run_in=True),
        line._replace(
            cells=others,
            rect=Rect(x, line.rect.y0, line.rect.x1, line.rect.y1),
            style=main_style(others),
            text=line.text[len(cell.text[:length]) :].strip(),
        ),
    )

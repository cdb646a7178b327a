"""Lines to paragraphs, list items, code and footnotes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from indexer.blocks import Block, Mark
from indexer.clean import joints
from indexer.layout.contents import DOTS, has_dots
from indexer.layout.page import Line, Style
from kohaku.tree import Kind

JOINING_GAP = 1.5  # times the line height: text closer than this belongs together
LOOSER = 1.3  # times the usual distance of baselines: a gap that parts paragraphs in closely set text
INDENT = 0.7  # of the letter size
HANGING = 0.5  # of the letter size that an item's lines after the first are set in, at least
LEAST_CUT = 0.5  # of the column's width that the last line of a paragraph leaves free which a column's end cut, at most
SHORT = 0.12  # of the column's width that a paragraph's last line leaves free
NUMBER_IN_NAME = re.compile(r"\d{3}|\d{1,2}[A-Z](?![a-z])")
NOTE_GAP = 4.0  # times the letter size between a page's notes, at most
FOOTNOTE_SIZE = 0.93  # of the body's, at most

FORMULA_LINES = 4
LONGEST_BIT = 24  # characters of a formula's part that alone would be none
BIT_REACH = 1.8  # times the letter size between the baselines of a formula's parts
OPERATION = re.compile(r"[=≤≥≈≠≡∝∑∏∫√∂∇∈⊂⊆∀∃→←↦⇒≪≫±×·÷]")
LONG_WORD = re.compile(r"[^\W\d_]{4,}")
FIRST_WORD = re.compile(r"[^\W\d_A-Z]{6,}\s")  # of a sentence's rest: no function's name is as long
FORMULA_NUMBER = re.compile(r"\s\(\d{1,2}(?:\.\d{1,2}){0,2}[a-z]?\)$")
QUOTE_MARKS = '“„«‘"「『'
BULLET = re.compile(r"[•▪◦●○■□‣➢✓✔☐☑☒❑❏]\s*\w{2}|[•▪◦●○■□‣➢✓✔☐☑☒❑❏»·*–—-]\s+\S")
DASHES = "–—-"
ITEM_NUMBER = re.compile(r"(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})\)|\d{1,2}\.|\[\d{1,3}\])\s+\S")
FOOTNOTE_MARK = re.compile(r"(?:\d{1,3}(?!\d)|[¹²³⁰⁴-⁹]+|[*†‡§¶∗#]|\([a-z0-9]\)|[a-z](?=\s?[A-Z]))[.)\s]?\s*\S")
NOTE_MARK = re.compile(r"(\((?:\d{1,2}|[a-z])\)|[*†‡§¶]{1,3}|[¹²³⁴-⁹]{1,2})\s*\S")
TERMINAL = re.compile(r"[.?!:;。！？：；؟۔][\"'”’)\]»\d]*$")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together, and what they are."""

    kind: Kind
    lines: tuple[Line, ...]

    @property
    def is_item(self) -> bool:
        """Whether it starts as an item of a list does, or is an entry of contents."""
        return is_item(self.lines[0].text) or has_dots(self.lines[-1].text)


def is_item(text: str) -> bool:
    """Whether a line starts with a bullet or an item's number."""
    if text[:1].isalpha() and ")" not in text[1:5]:
        return False  # as nearly always
    return bool(BULLET.match(text) or ITEM_NUMBER.match(text))


def paragraphs(lines: Sequence[Line], usual: Mapping[float, float]) -> list[Paragraph]:
    """The lines of consecutive columns, without headings, tables and footnotes among them, as paragraphs."""
    groups: list[list[Line]] = []
    for line in lines:
        if groups and _belongs(groups[-1], line, usual):
            groups[-1].append(line)
        else:
            groups.append([line])
    return _with_whole_formulas([Paragraph(_kind(group), tuple(group)) for group in groups])


def footnotes(lines: Sequence[Line], body: Style, height: float) -> int:
    """How many lines from the end of a column are footnotes: small, at the page's foot, the first one marked."""
    count = 0
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        if line.style.size > FOOTNOTE_SIZE * body.size or line.rect.y0 < 0.4 * height:
            break
        if place + 1 < len(lines) and lines[place + 1].base - line.base > NOTE_GAP * line.style.size:
            break
        if FOOTNOTE_MARK.match(line.text) and not _is_name(line):
            count = len(lines) - place
    return count


def _is_name(line: Line) -> bool:
    """Whether a number that is not raised begins the line as part of a name: "200 Long Street", "3D printers"."""
    return NUMBER_IN_NAME.match(line.text) is not None and line.cells[0].lead.size >= line.style.size - 0.9


def split_footnotes(lines: Sequence[Line]) -> list[Paragraph]:
    """Footnote lines as one paragraph a note."""
    groups: list[list[Line]] = []
    for line in lines:
        if not groups or (FOOTNOTE_MARK.match(line.text) and _marked(line, groups[-1][0])):
            groups.append([line])
        else:
            groups[-1].append(line)
    return [Paragraph(Kind.FOOTNOTE, tuple(group)) for group in groups]


def note_mark(part: Paragraph) -> str:
    """The mark that a note under a table begins with, as the table bears it; "" for none."""
    found = NOTE_MARK.match(part.lines[0].text)
    return found[1] if found and part.kind in (Kind.PARAGRAPH, Kind.LIST) else ""


def goes_on(before: Paragraph, after: Paragraph) -> bool:
    """Whether a paragraph is the rest of one that a column's or page's end cut."""
    if before.kind is not Kind.PARAGRAPH or after.kind is not Kind.PARAGRAPH:
        return False
    last, first = before.lines[-1], after.lines[0]
    if (last.page, last.column) == (first.page, first.column) or abs(last.style.size - first.style.size) > 0.6:
        return False
    if _ends(last) or has_dots(last.text) or is_item(first.text) or last.style.bold != first.style.bold:
        return False
    free = last.column.x1 - last.rect.x1
    if last.text.endswith("-") or (first.text[0].islower() and free < LEAST_CUT * last.column.width):
        return True
    full = last.rect.x1 > last.column.x1 - 0.05 * last.column.width
    return full and len(last.text) > 30 and len(first.text) > 30 and _indent(first) < INDENT * first.style.size


def block(lines: Sequence[Line], kind: Kind, vocabulary: Collection[str], *, level: int = 0) -> Block:
    """The lines as one block, each line's characters marked with its place."""
    text, marks = marked([(line.text, line) for line in lines], vocabulary)
    return Block(kind, text, level=level, marks=marks)


def list_block(items: Sequence[Paragraph], vocabulary: Collection[str]) -> Block:
    """List items as one block, one item a line, the items its sentences."""
    text, marks, sentences = "", [], []
    for item in items:
        item_text, item_marks = marked([(line.text, line) for line in item.lines], vocabulary)
        offset = len(text) + (1 if text else 0)
        text += ("\n" if text else "") + item_text
        marks += [Mark(mark.start + offset, mark.end + offset, mark.box) for mark in item_marks]
        sentences.append(item_text)
    return Block(Kind.LIST, text, marks=tuple(marks), sentences=tuple(sentences))


def marked(lines: Sequence[tuple[str, Line]], vocabulary: Collection[str]) -> tuple[str, tuple[Mark, ...]]:
    """The joined text of lines, and where each stands in it; dots that lead to a page's number are three."""
    parts = joints([_without_leaders(text) for text, _ in lines], vocabulary)
    marks: list[Mark] = []
    start = 0
    for part, (_, line) in zip(parts, lines, strict=True):
        marks.append(Mark(start, start + len(part.rstrip()), line.box))
        start += len(part)
    return "".join(parts), tuple(marks)


def _without_leaders(text: str) -> str:
    """A line of contents without its row of dots.

    >>> _without_leaders("2.1 Results ........ 17"), _without_leaders("and so on...")
    ('2.1 Results … 17', 'and so on...')
    """
    if ".." not in text and ". ." not in text:
        return text
    return " ".join(DOTS.sub(" … ", text).split())


def _belongs(group: Sequence[Line], line: Line, usual: Mapping[float, float]) -> bool:
    """Whether the line goes on the paragraph."""
    last = group[-1]
    if last.page != line.page or last.column != line.column or has_dots(last.text):
        return False
    if abs(last.style.size - line.style.size) > 1.1:
        return False
    if last.style.mono != line.style.mono and not _wraps_into_mono(group, line):
        return False
    size = line.style.size
    distance = line.base - last.base
    most = max(LOOSER * usual.get(size, 1.2 * size), 1.2 * size)
    if not -0.2 * size < distance <= max(min(most, (1 + JOINING_GAP) * size), 1.05 * size):
        return False
    if is_item(line.text) and not _is_inside(group, line):
        return False
    if line.style.mono and group[0].style.mono:
        return True
    return not _starts_anew(group, last, line)


def _wraps_into_mono(group: Sequence[Line], line: Line) -> bool:
    """Whether a line that is monospaced is a sentence's, or the line after it: an address, a name that was wrapped."""
    if group[0].style.mono:
        return False
    last = group[-1]
    return last.style.mono or (_mid_sentence(last) and abs(line.rect.x0 - last.rect.x0) < INDENT * line.style.size)


def _is_inside(group: Sequence[Line], line: Line) -> bool:
    """Whether what looks like an item's start only stands there by chance: a dash or number within a sentence."""
    last = group[-1]
    if not _mid_sentence(last):
        return False
    if not BULLET.match(line.text):
        return True
    in_line = abs(line.rect.x0 - last.rect.x0) < INDENT * line.style.size
    return line.text[0] in DASHES and in_line and not is_item(group[0].text)


def _starts_anew(group: Sequence[Line], last: Line, line: Line) -> bool:
    size = line.style.size
    item = is_item(group[0].text)
    shift = line.rect.x0 - last.rect.x0
    indented = shift > INDENT * size and len(group) > 1 and not item
    if indented and _indent(last) < INDENT * size and shift < 6 * size and not _mid_sentence(last):
        return True
    hanging = len(group) > 1 and group[1].rect.x0 - group[0].rect.x0 > INDENT * size
    if hanging and line.rect.x0 < last.rect.x0 - INDENT * size and line.rect.x0 - group[0].rect.x0 < size:
        return True
    if item and _hangs(group, line):
        return False
    free = last.column.x1 - last.rect.x1
    ended = free > SHORT * last.column.width and _ends(last)
    if ended and not line.text[0].islower():
        return True
    if last.style.bold != line.style.bold and all(part.style.bold == last.style.bold for part in group):
        return free > SHORT * last.column.width and not line.text[0].islower()
    # A first line's indent in a paragraph of two lines shows only against the column's edge.
    return len(group) == 1 and shift > INDENT * size and _ends(last) and not item


def _hangs(group: Sequence[Line], line: Line) -> bool:
    """Whether a line is set under an item's text, as all lines of it after the first."""
    after = group[1:2] or [line]
    first, under = group[0].rect.x0, after[0].rect.x0
    return under - first > HANGING * line.style.size and abs(line.rect.x0 - under) < 1


def _ends(line: Line) -> bool:
    return TERMINAL.search(line.text[-12:]) is not None


def _mid_sentence(line: Line) -> bool:
    free = line.column.x1 - line.rect.x1
    return not _ends(line) and free < SHORT * line.column.width


def _indent(line: Line) -> float:
    return line.rect.x0 - line.column.x0


def _marked(line: Line, first: Line) -> bool:
    """Whether a footnote line is set as a first line: its mark is small or sticks out."""
    return line.cells[0].lead.size < line.style.size - 0.9 or line.rect.x0 <= first.rect.x0 + 1


def _kind(group: Sequence[Line]) -> Kind:
    if all(line.style.mono for line in group):
        return Kind.CODE
    if BULLET.match(group[0].text):
        return Kind.LIST
    if len(group) <= FORMULA_LINES and _is_formula(group):
        return Kind.FORMULA
    return Kind.QUOTE if _is_quote(group) else Kind.PARAGRAPH


def _is_formula(group: Sequence[Line]) -> bool:
    """Whether the lines are a formula set apart: signs of operations, hardly a word, away from the column's edge."""
    text = " ".join(line.text for line in group)
    if not OPERATION.search(text):
        return False
    named = LONG_WORD.findall(text)
    apart = min(map(_indent, group)) > 2 * group[0].style.size
    if FORMULA_NUMBER.search(text):
        return len(named) < 2 or (apart and sum(map(len, named)) < 0.5 * len(text))
    return apart and len(named) < 2 and not FIRST_WORD.match(text)


def _with_whole_formulas(found: Sequence[Paragraph]) -> list[Paragraph]:
    """The paragraphs, a formula's limits, numerators and further lines with it as one formula."""
    result: list[Paragraph] = []
    run: list[Paragraph] = []

    def flush() -> None:
        if len(run) > 1 and any(part.kind is Kind.FORMULA for part in run):
            result.append(Paragraph(Kind.FORMULA, tuple(line for part in run for line in part.lines)))
        else:
            result.extend(run)
        run.clear()

    for part in found:
        if run and not (
            _is_bit(part) and _is_beside(run[-1], part) and not (_numbered(part) and any(map(_numbered, run)))
        ):
            flush()
        if run or _is_bit(part):
            run.append(part)
        else:
            result.append(part)
    flush()
    return result


def _is_bit(part: Paragraph) -> bool:
    """Whether the paragraph is a formula, or so little text, apart from the column's edge, that it may be of one."""
    if part.kind is Kind.FORMULA:
        return True
    [line, *more] = part.lines
    short = not more and len(line.text) <= LONGEST_BIT and not LONG_WORD.search(line.text)
    return short and part.kind is Kind.PARAGRAPH and _indent(line) > 2 * line.style.size


def _is_beside(above: Paragraph, below: Paragraph) -> bool:
    """Whether two parts of a column stand as close to each other as a formula's parts do."""
    last, first = above.lines[-1], below.lines[0]
    if (last.page, last.column) != (first.page, first.column):
        return False
    size = max(last.style.size, first.style.size)
    return abs(first.base - last.base) < BIT_REACH * size and last.rect.x0 < first.rect.x1 + 9 * size


def _numbered(part: Paragraph) -> bool:
    return any(FORMULA_NUMBER.search(line.text) for line in part.lines)


def _is_quote(group: Sequence[Line]) -> bool:
    """Whether the lines are a block between quotation marks, set in on both sides."""
    size = group[0].style.size
    if len(group) < 2 or group[0].text[0] not in QUOTE_MARKS:
        return False
    left = min(map(_indent, group))
    right = min(line.column.x1 - line.rect.x1 for line in group)
    return left > 1.5 * size and right > 1.5 * size

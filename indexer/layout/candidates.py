"""Lines that may be headings: what stands out by size, weight, capitals or numbering, and stands alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from indexer.layout.body import SAME_SIZE
from indexer.layout.contents import contents, has_dots
from indexer.layout.covers import asks
from indexer.layout.lines import leadings
from indexer.layout.numbering import (
    COUNT,
    LABEL,
    LABEL_NAME,
    NUMBER,
    SPELT,
    is_keyword,
    numbering_depth,
)
from indexer.layout.page import Line, Style
from indexer.layout.paragraphs import TERMINAL, is_item
from indexer.layout.values import PERIOD, YEAR
from indexer.letters import has_small_letters

LARGER = 1.2  # times the body's size: a heading by size alone
SLIGHTLY_LARGER = 1.07  # enough beside numbering or weight
LONGEST = 220  # characters of a heading over all its lines
LONGEST_OF_BODY_SIZE = 120
LONGEST_KEYWORD = 40
MOST_LINES = 4
LEAST_RULED = 3  # lines between rules that make them a document's way to set heads
LEADING_GAP = 0.5  # lines of white space above a heading that a colon ends, at least
APART = 0.15  # lines of white space beyond the usual
WRAPS = 0.06  # of the column's width that a wrapped line may leave free beyond the word that did not fit
CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|tab(?:le|\.)?|tableau|tabelle|tabla|cuadro|figura|abb(?:ildung|\.)|carte|map|photo|graphique"
    r"|图|表|圖|algorithm|listing|exhibit|scheme|plate|chart|box)\s*\d",
    re.IGNORECASE,
)
LIST_MARK = re.compile(r"[•▪◦●○■□☐☒☑‣–—*·»➢✓¾-]\s*")
SENTENCE_END = re.compile(r"[.;,]$|[。；，]$")
JOINS = re.compile(  # no heading ends so
    r"(?:^|\s)(?:and|or|of|the|a|an|for|in|on|to|with|by|from|at|und|der|die|das|des|de|du|la|le|les|et|y|e|del|&)$",
    re.IGNORECASE,
)
JOINING = 5  # characters of a line's end that hold such a word and what is before it
GOES_ON = re.compile(r"[;,；，]$")
STATEMENT = re.compile(
    r"(?:theorem|lemma|definition|corollary|proposition|remark|example|property|observation|claim|proof|assumption"
    r"|conjecture|exercise|equation|step)\s+[\dA-Z]",
    re.IGNORECASE,
)
CODE = re.compile(r"[{}]|\S\s?[=<>]=?\s?\S|\$\(|;\s*$")
CALL = re.compile(r"\\|\w\(\)$")  # code too, but for what looks as only a heading of a manual does
CLOSES = re.compile(r"[^(]{4,}\)")  # what no bracket before it opens
ASIDE = re.compile(r"\(.*\)?$|\[.*\]$|https?:|www\.")


class Look(NamedTuple):
    """What makes two headings alike."""

    size: float
    bold: bool
    italic: bool
    capitals: bool
    color: int
    run_in: bool = False
    ruled: bool = False
    """Whether rules above and below set it off: how its letters look then says nothing."""


class Candidate(NamedTuple):
    """Lines of one style that stand together, and what is known about them."""

    first: int
    last: int
    text: str
    look: Look
    depth: int
    """Of its numbering: 2 for 1.2, 0 for none."""
    gap: float
    """White space above in line heights; large at the top of a column."""
    good: bool

    @property
    def named(self) -> bool:
        """Whether a number or a word that only headings have makes it one."""
        return self.depth > 0 or is_keyword(self.text)


def candidates(lines: Sequence[Line], body: Style) -> Iterator[Candidate]:
    """Every stretch of lines of one look outside tables of contents; those that stand out are `good`."""
    entries = contents(lines)
    leading = usual_leading(lines, body)
    ruled = _ruled(lines)
    before: Candidate | None = None
    for first, last, capitals in _stretches(lines):
        if first in entries:
            continue
        if first in ruled:
            candidate = _banner(lines, first)
        else:
            candidate = _candidate(lines, first, last, _look(lines[first], capitals), body, leading)
        if before and _counts(before, candidate, lines):
            candidate = candidate._replace(
                first=before.first, text=f"{before.text} {candidate.text}", depth=1, gap=before.gap, good=True
            )
        elif before and _labels(before, candidate, lines):
            candidate = _as_one(before, candidate)
        elif before:
            yield before
        before = candidate
    if before:
        yield before


def _ruled(lines: Iterable[Line]) -> set[int]:
    """The places of lines between rules, where a document has enough for them to be its way to set heads."""
    found = {place for place, line in enumerate(lines) if line.is_ruled}
    return found if len(found) >= LEAST_RULED else set()


def _banner(lines: Sequence[Line], place: int) -> Candidate:
    """A line between rules: they make it stand out and alone."""
    text = lines[place].text
    letters = sum(map(str.isalpha, text))
    is_short = len(text) <= LONGEST_OF_BODY_SIZE and not SENTENCE_END.search(text)
    good = is_short and letters >= 2 and letters * 2 >= len(text) and may_head(text)
    look = Look(lines[place].style.size, bold=True, italic=False, capitals=False, color=0, ruled=True)
    return Candidate(place, place, text, look, numbering_depth(text), 9.0, good)


def _stretches(lines: Iterable[Line]) -> Iterator[tuple[int, int, bool]]:
    """The places of the first and the last line of each stretch of one look, and whether it is in capitals."""
    first, last = 0, -1
    before: Line | None = None
    in_capitals = False
    for last, line in enumerate(lines):
        capitals = _in_capitals(line.text)
        if before and not (capitals == in_capitals and _goes_on(before, line)):
            yield first, last - 1, in_capitals
            first = last
        before, in_capitals = line, capitals
    if before:
        yield first, last, in_capitals


def usual_leading(lines: Iterable[Line], body: Style) -> float:
    """The usual distance from baseline to baseline of the body's text, in its size."""
    return max(1.1, min(leadings(lines).get(body.size, 0.0) / body.size, 2.5))


def look_of(line: Line) -> Look:
    """How the line looks, as far as headings are compared by it."""
    return _look(line, _in_capitals(line.text))


def _look(line: Line, capitals: bool) -> Look:
    style = line.style
    return Look(style.size, style.bold, style.italic, capitals, style.color, line.run_in)


def prominence(look: Look) -> tuple[bool, float, bool, bool, bool, bool, int]:
    """A key that sorts looks, the one that stands out most first."""
    return (look.run_in, -look.size, not look.ruled, not look.capitals, not look.bold, look.italic, look.color)


def _goes_on(line: Line, following: Line) -> bool:
    """Whether the next line is a further line of the same candidate."""
    page, _, rect, base, style, _, column, run_in, _ = line
    after = following.style
    return (
        0 < following.base - base < 1.55 * max(style.size, 0.8 * rect.height)
        and page == following.page
        and (style == after or _alike(style, after))
        and column == following.column
        and run_in == following.run_in
        and _wraps(line, following)
        and numbering_depth(following.text) == 0
    )


def _alike(style: Style, other: Style) -> bool:
    """Whether two styles may be those of one heading's lines."""
    return abs(style.size - other.size) <= SAME_SIZE / 2 and (style.bold, style.italic, style.color) == (
        other.bold,
        other.italic,
        other.color,
    )


def _wraps(line: Line, following: Line) -> bool:
    """Whether a line may end where it does because the next word did not fit; one that is centred may end anywhere."""
    x0, _, x1, _ = line.rect
    left, _, right, _ = following.rect
    if abs(x0 - left) > 0.5 * line.style.size and left < x1:
        return True
    text = following.text
    if text[0].islower():
        return True
    if JOINS.search(line.text[-JOINING:]):
        return True
    word = text.split(" ", 1)[0]
    width = (right - left) * len(word) / max(len(text), 1)
    return x1 + width > line.column.x1 - WRAPS * line.column.width or "\u2e80" < word[0] < "\uffef"


def _in_capitals(text: str) -> bool:
    """Whether nearly all letters are capitals."""
    if has_small_letters(text[:60], 9):
        return False
    text = text[: 2 * LONGEST]
    letters = sum(map(str.isalpha, text))
    return letters > 3 and sum(map(str.isupper, text)) > 0.85 * letters


def _labels(label: Candidate, candidate: Candidate, lines: Sequence[Line]) -> bool:
    """Whether the first is only "Chapter 3", or "Three", and the second its title."""
    return (
        label.last + 1 == candidate.first
        and candidate.good
        and not candidate.depth
        and candidate.look.size >= label.look.size - SAME_SIZE
        and lines[label.last].page == lines[candidate.first].page
        and (LABEL.fullmatch(label.text) is not None or SPELT.fullmatch(label.text) is not None)
    )


def _counts(label: Candidate, candidate: Candidate, lines: Sequence[Line]) -> bool:
    """Whether the first is only "Chapter" and the second only which, in a line of its own."""
    return (
        label.last + 1 == candidate.first
        and LABEL_NAME.fullmatch(label.text) is not None
        and COUNT.fullmatch(candidate.text) is not None
        and lines[label.last].page == lines[candidate.first].page
    )


def _as_one(label: Candidate, candidate: Candidate) -> Candidate:
    """The title with its label, but for one that spells its number: outlines and references leave that out."""
    if SPELT.search(label.text):
        return candidate._replace(depth=1)
    return candidate._replace(
        first=label.first, text=f"{label.text} {candidate.text}", depth=1, gap=label.gap, good=True
    )


def _candidate(lines: Sequence[Line], first: int, last: int, look: Look, body: Style, leading: float) -> Candidate:
    line = lines[first]
    if last - first >= MOST_LINES:
        return Candidate(first, last, "", look, 0, 0.0, good=False)
    text = line.text if first == last else " ".join([line.text for line in lines[first : last + 1]])
    if line.run_in:
        return Candidate(first, last, text, look, numbering_depth(text), 0.0, good=True)
    lowly = (
        line.style == body and not look.capitals and not (text[0].isdigit() or text[0].isupper() or text[0] > "\x7f")
    )
    if lowly and (len(text) > LONGEST_KEYWORD or not is_keyword(text)):
        return Candidate(first, last, text, look, 0, 0.0, good=False)
    gap, below = white(lines, first, leading), white(lines, last + 1, leading)
    if below < APART and last + 1 < len(lines) and _is_cut(lines[last], lines[last + 1]):
        return Candidate(first, last, text, look, 0, gap, good=False)
    depth = numbering_depth(text)
    good = _stands_out(text, line, look, depth, body, gap, below)
    candidate = Candidate(first, last, text, look, depth, gap, good)
    if good and (_is_rest(lines, first, gap) or _is_filled_in(lines, last)):
        return candidate._replace(good=False)
    if (
        good
        and leads_on(candidate, body)
        and not (look.bold > body.bold and gap > LEADING_GAP and _heads_text(lines, last))
    ):
        return candidate._replace(good=False)
    return candidate


def leads_on(candidate: Candidate, body: Style) -> bool:
    """Whether a colon ends what is no larger than text: it leads to a list as a rule, but in some documents heads."""
    large = candidate.look.size >= LARGER * body.size - 0.1
    return candidate.text[-1:] in (":", "：") and not large and not candidate.named


def _is_filled_in(lines: Sequence[Line], last: int) -> bool:
    """Whether the line under it says in brackets what a form asks for there, or under more of the same look."""
    line = lines[last]
    if line.page > lines[0].page + 1:
        return False  # it is a form's cover that names its maker so
    below = lines[last + 1 : last + 4]
    while len(below) > 1 and not asks(below[0]) and below[0].style == line.style and below[0].page == line.page:
        below = below[1:]
    if not below or below[0].page != line.page or below[0].base - line.base > 6 * line.style.size:
        return False
    return asks(below[0])


def _heads_text(lines: Sequence[Line], last: int) -> bool:
    """Whether something other than a list stands under the line."""
    return last + 1 < len(lines) and not is_item(lines[last + 1].text)


def white(lines: Sequence[Line], place: int, leading: float) -> float:
    """The white space above a line beyond the usual, in lines; 9 where another column or page begins."""
    if place == 0 or place >= len(lines):
        return 9.0
    above, line = lines[place - 1], lines[place]
    if above.page != line.page or above.column != line.column or line.base < above.base:
        return 9.0
    usual = leading * (line.style.size + above.style.size) / 2
    return (line.base - above.base) / max(usual, 1.0) - 1.0


def _is_cut(line: Line, following: Line) -> bool:
    """Whether the line's sentence goes on in text of another look: emphasis that ran to the line's end."""
    full = line.rect.x1 > line.column.x1 - WRAPS * line.column.width
    return (full and following.text[0].islower()) or (line.text[-1:] in "-‐" and line.text[-2:-1].isalpha())


def _is_rest(lines: Sequence[Line], first: int, gap: float) -> bool:
    """Whether a line right under a full one ends its sentence: a link, or a name, made most of it look otherwise."""
    if first < 2:
        return False
    before, above, line = lines[first - 2 : first + 1]
    if gap > APART and abs(line.base + before.base - 2 * above.base) > APART * line.style.size:
        return False
    full = above.rect.x1 > above.column.x1 - 2 * WRAPS * above.column.width and len(above.text) > LONGEST_KEYWORD
    same = abs(above.style.size - line.style.size) <= SAME_SIZE and above.style.bold == line.style.bold
    return full and same and SENTENCE_END.search(line.text) is not None and not TERMINAL.search(above.text)


def _stands_out(text: str, line: Line, look: Look, depth: int, body: Style, gap: float, below: float) -> bool:
    if len(text) > LONGEST or (line.style.mono and not body.mono):
        return False
    bold = look.bold and not body.bold
    differs = bold or look.capitals or look.size >= SLIGHTLY_LARGER * body.size
    slanted = look.italic > body.italic and gap > LEADING_GAP and _alone(line, gap, below) and not text[0].isdigit()
    if not (differs or slanted or depth or (len(text) < LONGEST_KEYWORD and is_keyword(text))):
        return False
    number = NUMBER.match(text) if depth else None
    words = text[number.end() :] if number and depth > 1 else text
    letters = sum(2 if character > "\u2e7f" else 1 for character in words if character.isalpha())
    if letters < 2 or letters * 2 < len(words.replace(" ", "")):
        return False
    if not may_head(text):
        return False
    if STATEMENT.match(text) or CLOSES.match(text) or CODE.search(text):
        return False
    alone = bold and _alone(line, gap, below)
    large = look.size >= LARGER * body.size - 0.1
    if CALL.search(text) and not (large or (depth and bold)):
        return False
    if text[0].islower() and not depth and not alone and not (large and gap > APART) and not is_keyword(text):
        return False
    if _is_row(line):
        return False
    if large:
        return not GOES_ON.search(text) and not (SENTENCE_END.search(text) and len(text) > 100)
    if look.size < body.size - 1.1 and not depth:
        return False
    if len(text) > (LONGEST if depth and bold else LONGEST_OF_BODY_SIZE):
        return False
    if SENTENCE_END.search(text) and not (depth and look.bold):
        return False
    if slanted and not differs:
        return True
    if differs:
        by_case_alone = not bold and look.size < SLIGHTLY_LARGER * body.size  # it must begin something: "NYSE: AMCR"
        return gap > APART or (below > APART and not by_case_alone) or alone
    if is_keyword(text):
        return gap > 2 * APART
    # Of the body's look: only numbers of several parts are no list's.
    if depth > 1:
        return gap > APART or below > APART
    return gap > APART and depth == 1 and look.italic and not body.italic


def may_head(text: str) -> bool:
    """Whether the text is none of those that never head a section: captions, items, addresses, asides, periods."""
    period = YEAR.search(text) and PERIOD.fullmatch(text)
    marked = period or has_dots(text) or CAPTION.match(text) or LIST_MARK.match(text) or ASIDE.match(text)
    return not marked and "@" not in text


def _alone(line: Line, gap: float, below: float) -> bool:
    """Whether a line without white space around it still is one of its own: short, and nothing closer than usual."""
    return gap > -APART and below > -APART and line.rect.width < 0.6 * line.column.width


def _is_row(line: Line) -> bool:
    """Whether the line's parts stand apart as a table's cells do; a heading's number may."""
    cells = sorted(line.cells, key=lambda cell: cell.rect.x0)
    gaps = [b.rect.x0 - a.rect.x1 for a, b in pairwise(cells)]
    return any(gap > 3 * line.style.size for gap in gaps[1:] if gap) or len(cells) > 6

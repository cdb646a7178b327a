"""Which lines are headings, and how deep.

Lines of one style close together are one candidate. A candidate must stand out (size, weight, capitals, numbering)
and stand alone; then whole styles are taken or left, so that of equal lines all are headings or none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from indexer.layout.lines import leadings
from indexer.layout.page import Line, Style

LARGER = 1.2  # times the body's size: a heading by size alone
SLIGHTLY_LARGER = 1.07  # enough beside numbering or weight
SAME_SIZE = 0.6  # points within which two sizes are the same
LONGEST = 220  # characters of a heading over all its lines
LONGEST_OF_BODY_SIZE = 120
MOST_LINES = 4
DEEPEST = 6
APART = 0.15  # lines of white space beyond the usual
FRONT_PAGES = 6  # title page, declarations and the like come before the text
SHARE = 0.5  # of a style's candidates that must look like headings

NUMBER = re.compile(
    r"(?:(?P<keyword>chapter|section|appendix|part|item|annex|article|chapitre|kapitel|第)\s*)?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})+|[IVX]{1,5}(?=[.:)\s])|[A-H](?=[.:)]\s))"
    r"(?P<end>\s*[a-z]?[.:)章节節]?)(?=\s|$|[^\W\d])",
    re.IGNORECASE,
)
KEYWORDS = """
abstract acknowledgements acknowledgments acknowledgement acknowledgment appendix appendices bibliography
conclusion conclusions contents discussion glossary index introduction methods preface references results
summary 摘要 参考文献 目录 致谢 引言 结论
"""
KEYWORD_HEADS = frozenset(KEYWORDS.split())
PAGE_AT_END = re.compile(r"\w\W*\s(?:\d{1,4}|[ivxl]{1,7})$")
DOTS = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}")
CAPTION = re.compile(r"(?:fig(?:ure|\.)?|tab(?:le|\.)?|图|表|abb\.|algorithm|listing|exhibit)\s*\d", re.IGNORECASE)
LIST_MARK = re.compile(r"[•▪◦●○■□‣–—*·»➢✓-]\s*")
SENTENCE_END = re.compile(r"[.;,]$|[。；，]$")


@dataclass(frozen=True, slots=True)
class Heading:
    """Lines first..last (places in the sequence given) are one heading."""

    first: int
    last: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Look:
    """What makes two headings alike."""

    size: float
    bold: bool
    italic: bool
    capitals: bool
    color: int


@dataclass(frozen=True, slots=True)
class Candidate:
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


def body_style(lines: Sequence[Line]) -> Style:
    """The style that most characters have: the median size, and its commonest weight."""
    weights: Counter[Style] = Counter()
    for line in lines:
        weights[line.style] += len(line.text)
    if not weights:
        return Style(10.0)
    half, held = sum(weights.values()) / 2, 0
    size = 10.0
    for style, weight in sorted(weights.items(), key=lambda item: item[0].size):
        held += weight
        size = style.size
        if held >= half:
            break
    near = [style for style in weights if abs(style.size - size) <= SAME_SIZE]
    return max(near, key=lambda style: weights[style])


def headings(lines: Sequence[Line], known: Mapping[int, tuple[int, int]] | None = None) -> list[Heading]:
    """The headings among the lines, in order; `known` are those an outline vouches for: first place → (last, level)."""
    body = body_style(lines)
    vouched = _vouched(lines, known or {})
    candidates = [
        candidate
        for candidate in _candidates(lines, body)
        if not any(place in vouched for place in range(candidate.first, candidate.last + 1))
    ]
    chosen = _without_front(_consistent(candidates, body), lines, body)
    if known:
        return _beside_outline(lines, known, chosen, body)
    levels = _levels(chosen)
    ranks = {level: rank for rank, level in enumerate(sorted(set(levels)), start=1)}
    return [
        Heading(candidate.first, candidate.last, min(ranks[level], DEEPEST), candidate.text)
        for candidate, level in zip(chosen, levels, strict=True)
    ]


def numbering_depth(text: str) -> int:
    """How deep the number at a heading's start is: 1 for "3 Methods", 2 for "A.1 Proofs", 0 for none."""
    found = NUMBER.match(text)
    if not found or not any(character.isalpha() for character in text[found.end() :]):
        return 1 if found and found["keyword"] else 0
    number = found["number"]
    if not number[0].isdigit() and not number[0].isupper():
        return 0
    if re.fullmatch(r"\d{3,}", number) and not found["keyword"]:
        return 0  # a year or a quantity
    return number.count(".") + 1


def _vouched(lines: Sequence[Line], known: Mapping[int, tuple[int, int]]) -> set[int]:
    return {place for first, (last, _) in known.items() for place in range(first, last + 1)}


def _look(line: Line) -> Look:
    letters = [character for character in line.text[: 2 * LONGEST] if character.isalpha()]
    capitals = len(letters) > 3 and sum(letter.isupper() for letter in letters) > 0.85 * len(letters)
    style = line.style
    return Look(style.size, style.bold, style.italic, capitals, style.color)


def _candidates(lines: Sequence[Line], body: Style) -> list[Candidate]:
    contents = _contents(lines)
    leading = max(1.1, min(leadings(lines).get(body.size, 0.0) / body.size, 2.5))
    result: list[Candidate] = []
    first = 0
    while first < len(lines):
        last = first
        while last + 1 < len(lines) and _goes_on(lines, first, last):
            last += 1
        if first not in contents:
            result.append(_candidate(lines, first, last, body, leading))
        first = last + 1
    return result


def _goes_on(lines: Sequence[Line], first: int, last: int) -> bool:
    """Whether the next line is a further line of the same candidate."""
    line, following = lines[last], lines[last + 1]
    return (
        line.page == following.page
        and line.column == following.column
        and abs(line.style.size - following.style.size) <= SAME_SIZE / 2
        and (line.style.bold, line.style.italic, line.style.color)
        == (following.style.bold, following.style.italic, following.style.color)
        and 0 < following.base - line.base < 1.55 * max(line.style.size, 0.8 * line.rect.height)
        and numbering_depth(following.text) == 0
        and _look(line).capitals == _look(following).capitals
    )


def _candidate(lines: Sequence[Line], first: int, last: int, body: Style, leading: float) -> Candidate:
    line = lines[first]
    text = " ".join(line.text for line in lines[first : last + 1])
    look = _look(line)
    gap, below = _white(lines, first, leading), _white(lines, last + 1, leading)
    depth = numbering_depth(text)
    good = _stands_out(text, line, look, depth, body, gap, below) and last - first < MOST_LINES
    return Candidate(first, last, text, look, depth, gap, good)


def _white(lines: Sequence[Line], place: int, leading: float) -> float:
    """The white space above a line beyond the usual, in lines; 9 where another column or page begins."""
    if place == 0 or place >= len(lines):
        return 9.0
    above, line = lines[place - 1], lines[place]
    if above.page != line.page or above.column != line.column or line.base < above.base:
        return 9.0
    usual = leading * (line.style.size + above.style.size) / 2
    return (line.base - above.base) / max(usual, 1.0) - 1.0


def _stands_out(text: str, line: Line, look: Look, depth: int, body: Style, gap: float, below: float) -> bool:
    if len(text) > LONGEST or line.style.mono:
        return False
    letters = sum(character.isalpha() for character in text)
    if letters < 2 or letters * 2 < len(text.replace(" ", "")):
        return False
    if DOTS.search(text) or CAPTION.match(text) or LIST_MARK.match(text) or "@" in text:
        return False
    if text[0].islower() and not depth:
        return False
    if _is_row(line):
        return False
    if look.size >= LARGER * body.size - 0.1:
        return not (SENTENCE_END.search(text) and len(text) > 100)
    if look.size < body.size - 1.1 and not depth:
        return False
    if len(text) > LONGEST_OF_BODY_SIZE or (SENTENCE_END.search(text) and not (depth and look.bold)):
        return False
    differs = (look.bold and not body.bold) or look.capitals or look.size >= SLIGHTLY_LARGER * body.size
    if differs:
        return gap > APART or below > APART or (look.bold and not body.bold and _alone(line, gap, below))
    if _is_keyword(text):
        return gap > 2 * APART
    # Of the body's look: only numbers of several parts are no list's.
    return gap > APART and (depth > 1 or (depth == 1 and look.italic and not body.italic))


def _alone(line: Line, gap: float, below: float) -> bool:
    """Whether a line without white space around it still is one of its own: short, and nothing closer than usual."""
    return gap > -APART and below > -APART and line.rect.width < 0.6 * line.column.width


def _is_row(line: Line) -> bool:
    """Whether the line's parts stand apart as a table's cells do; a heading's number may."""
    cells = sorted(line.cells, key=lambda cell: cell.rect.x0)
    gaps = [b.rect.x0 - a.rect.x1 for a, b in pairwise(cells)]
    return any(gap > 3 * line.style.size for gap in gaps[1:] if gap) or len(cells) > 6


def _is_keyword(text: str) -> bool:
    return text.strip(" .:").casefold() in KEYWORD_HEADS


def _contents(lines: Sequence[Line]) -> set[int]:
    """The places of lines of a table of contents: on a page where many lines end in a page number, those that do."""
    ends: dict[int, list[int]] = defaultdict(list)
    for place, line in enumerate(lines):
        if _is_entry(line):
            ends[line.page].append(place)
    found: set[int] = set()
    for places in ends.values():
        dotted = sum(DOTS.search(lines[place].text) is not None for place in places)
        if dotted >= 3 or len(places) >= 6:
            found.update(places)
    return found


def _is_entry(line: Line) -> bool:
    return bool(DOTS.search(line.text) or PAGE_AT_END.search(line.text[-40:]))


def _consistent(candidates: Sequence[Candidate], body: Style) -> list[Candidate]:
    """The candidates whose look is that of headings throughout the document."""
    alike: dict[Look, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        alike[candidate.look].append(candidate)
    chosen: list[Candidate] = []
    for look, group in alike.items():
        good = [candidate for candidate in group if candidate.good]
        if not good:
            continue
        plain = abs(look.size - body.size) <= SAME_SIZE and look.bold == body.bold and not look.capitals
        if plain or len(good) >= SHARE * len(group):
            chosen += good
        else:
            chosen += [candidate for candidate in good if candidate.depth and candidate.gap > APART]
    return sorted(chosen, key=lambda candidate: candidate.first)


def _without_front(chosen: Sequence[Candidate], lines: Sequence[Line], body: Style) -> list[Candidate]:
    """Without the lines of a title page: those before any prose whose look no later heading has."""
    prose = _first_prose(lines, body)
    later = {candidate.look for candidate in chosen if candidate.first >= prose}
    if not later:
        return list(chosen)
    return [
        candidate
        for candidate in chosen
        if candidate.look in later or candidate.depth or candidate.last >= prose - 1 or _is_keyword(candidate.text)
    ]


def _first_prose(lines: Sequence[Line], body: Style) -> int:
    """The place of the first three lines of text in a row; the end of page 1 where the first pages have none."""
    first_page = lines[0].page if lines else 0
    run = 0
    for place, line in enumerate(lines):
        if line.page >= first_page + FRONT_PAGES:
            break
        width = sum(2 if character > "\u2e7f" else 1 for character in line.text[:60])
        run = run + 1 if width >= 40 and abs(line.style.size - body.size) <= 1.1 else 0
        if run == 3:
            return place - 2
    return sum(line.page == first_page for line in lines)


def _levels(chosen: Sequence[Candidate]) -> list[int]:
    """A level for each: numbered ones by their numbers, the same look the same level, larger looks higher."""
    looks = sorted({candidate.look for candidate in chosen}, key=_prominence)
    depths: dict[Look, int] = {}
    for look in looks:
        found = Counter(candidate.depth for candidate in chosen if candidate.look == look)
        [(depth, _)] = found.most_common(1)
        numbered = Counter({depth: count for depth, count in found.items() if depth})
        if depth == 0 and numbered and sum(numbered.values()) * 3 >= found[0]:
            depth = numbered.most_common(1)[0][0]
        depths[look] = depth
    base = next((place for place, look in enumerate(looks, start=1) if depths[look]), 0)
    level_of: dict[Look, int] = {}
    before, size = 0, 0.0
    for look in looks:
        if depths[look]:
            level_of[look] = base + depths[look] - 1
        elif level_of and abs(look.size - size) <= SAME_SIZE / 2 and look.bold and look.capitals:
            level_of[look] = before
        else:
            level_of[look] = before + 1
        before, size = max(before, level_of[look]), look.size
    return [
        base + candidate.depth - 1 if candidate.depth and depths[candidate.look] else level_of[candidate.look]
        for candidate in chosen
    ]


def _prominence(look: Look) -> tuple[float, bool, bool, bool, int]:
    return (-look.size, not look.capitals, not look.bold, look.italic, look.color)


def _beside_outline(
    lines: Sequence[Line], known: Mapping[int, tuple[int, int]], chosen: Sequence[Candidate], body: Style
) -> list[Heading]:
    """The outline's headings with its levels; others only in looks the outline's headings have, or numbered."""
    looks: dict[Look, Counter[int]] = defaultdict(Counter)
    for first, (_, level) in known.items():
        looks[_look(lines[first])][level] += 1
    result = [
        Heading(first, last, min(level, DEEPEST), " ".join(line.text for line in lines[first : last + 1]))
        for first, (last, level) in known.items()
    ]
    deepest = min(DEEPEST, max((level for _, level in known.values()), default=0) + 1)
    for candidate in chosen:
        if candidate.look in looks:
            level = looks[candidate.look].most_common(1)[0][0]
        elif candidate.look.size > body.size or candidate.look.bold or candidate.depth:
            level = deepest
        else:
            continue
        result.append(Heading(candidate.first, candidate.last, level, candidate.text))
    return sorted(result, key=lambda heading: heading.first)

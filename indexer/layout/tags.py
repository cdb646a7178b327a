"""Headings that a file's structure tree names, believed only as far as the pages bear them out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from indexer.layout import outline
from indexer.layout.body import SAME_SIZE, first_prose
from indexer.layout.candidates import (
    APART,
    LONGEST,
    LONGEST_OF_BODY_SIZE,
    SENTENCE_END,
    Candidate,
    look_of,
    may_head,
    usual_leading,
    white,
)
from indexer.layout.headings import headings
from indexer.layout.labels import without_front
from indexer.layout.levels import levels_of
from indexer.layout.numbering import numbering_depth
from indexer.layout.page import Line, Style

LEAST = 2  # headings that make a tree worth following
WHOLE = 0.5  # as many as the looks alone tell, at least: else a part only was tagged, or another edition
SOUND = 0.5  # of those that stand on the pages must be fit to be headings, else the tags say something else
MOST_PLAIN = 0.15  # of the text that looks like the body may be tagged: more, and the body is


def believed(entries: Sequence[outline.Entry], lines: Sequence[Line], body: Style) -> dict[int, tuple[int, int]]:
    """Where the entries' titles stand, as `outline.placed` says it, without those that can't be headings.

    Empty where the tree says nothing, or calls lines and paragraphs headings that are none.
    """
    placed = outline.placed(entries, lines)
    if not placed or _covers_body(placed, lines, body):
        return {}
    leading = usual_leading(lines, body)
    found = [_candidate(lines, first, last, leading) for first, (last, _) in placed.items()]
    sound = [candidate for candidate in found if _is_sound(candidate, lines, body, leading)]
    if len(sound) < max(LEAST, SOUND * len(found)):
        return {}
    sound = without_front(sound, lines, first_prose(lines, body))
    if len(sound) < WHOLE * len(headings(lines)):
        return {}
    levels = _levels(sound, [placed[candidate.first][1] for candidate in sound])
    return {one.first: (one.last, level) for one, level in zip(sound, levels, strict=True)}


def _covers_body(placed: dict[int, tuple[int, int]], lines: Sequence[Line], body: Style) -> bool:
    """Whether running text is tagged: every line of it, or paragraphs that were to be large and no longer are."""
    named = sum(
        len(lines[place].text)
        for first, (last, _) in placed.items()
        for place in range(first, last + 1)
        if _is_plain(lines[place], body)
    )
    return named > 0 and named > MOST_PLAIN * sum(len(line.text) for line in lines if _is_plain(line, body))


def _is_plain(line: Line, body: Style) -> bool:
    """Whether a line looks like the body's."""
    style = line.style
    return (
        abs(style.size - body.size) <= SAME_SIZE
        and style.bold <= body.bold
        and style.italic <= body.italic
        and style.color == body.color
        and not look_of(line).capitals
    )


def _candidate(lines: Sequence[Line], first: int, last: int, leading: float) -> Candidate:
    text = " ".join(line.text for line in lines[first : last + 1])
    gap = white(lines, first, leading)
    return Candidate(first, last, text, look_of(lines[first]), numbering_depth(text), gap, good=True)


def _is_sound(candidate: Candidate, lines: Sequence[Line], body: Style, leading: float) -> bool:
    text = candidate.text
    if len(text) > LONGEST or not may_head(text) or not any(map(str.isalpha, text)):
        return False
    if not _is_plain(lines[candidate.first], body) or candidate.named:
        return True
    # What looks like text must stand apart as a heading does.
    below = white(lines, candidate.last + 1, leading)
    is_short = len(text) <= LONGEST_OF_BODY_SIZE and not SENTENCE_END.search(text)
    return is_short and max(candidate.gap, below) > APART


def _levels(found: Sequence[Candidate], tagged: Sequence[int]) -> list[int]:
    """The levels by the tags; by the looks where they call what is larger deeper."""
    sizes: dict[int, list[float]] = defaultdict(list)
    for candidate, level in zip(found, tagged, strict=True):
        sizes[level].append(candidate.look.size)
    usual = [median(sizes[level]) for level in sorted(sizes)]
    agree = all(above > below - SAME_SIZE for above, below in pairwise(usual))
    levels = list(tagged) if agree else levels_of(found)
    ranks = {level: rank for rank, level in enumerate(sorted(set(levels)), start=1)}
    return [ranks[level] for level in levels]

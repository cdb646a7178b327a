"""What stands out and heads nothing: title pages, names, labels of drawings and forms."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from indexer.layout.body import is_text, parted
from indexer.layout.candidates import Candidate, Look, prominence
from indexer.layout.numbering import is_keyword
from indexer.layout.page import Line

LABELS = 0.4  # of a look's headings have something under them: fewer, and on a page of scraps all are labels
SCRAPS = 12  # lines of a few letters that make a page one of a drawing, a form or names
STAMPED = 3  # such pages that bear the same words: a drawing's frame
SCRAPPY = 2.5  # times as many of them as lines of text
INITIAL = re.compile(r"[A-Z]\.\s")  # of an author, where a title page may name one
NEAR_PROSE = 8  # lines between a title page's last head and the text that it heads, at most
LEAST_LINE = 60  # characters of a line that only prose has
NUMBERED = 0.7  # of a look's headings that have numbers, so that those without must earn their place


def without_front(chosen: Sequence[Candidate], lines: Sequence[Line], prose: int) -> list[Candidate]:
    """Without the lines of a title page: what stands before any prose, unless it names itself or heads that prose.

    What looks as later headings do stays where a line of text is under it, or once an abstract's heading has come.
    """
    later = [candidate for candidate in chosen if candidate.first >= prose]
    if not later:
        return list(chosen)
    looks = {candidate.look for candidate in later}
    front = [candidate for candidate in chosen if candidate.first < prose]
    named = min((candidate.first for candidate in front if is_keyword(candidate.text)), default=prose)
    heads = [
        candidate
        for candidate in front
        if (candidate.named and not INITIAL.match(candidate.text))
        or (
            candidate.look in looks
            and (
                (candidate is front[-1] and prose - candidate.last <= NEAR_PROSE)
                or candidate.first > named
                or _heads_line(candidate, lines)
            )
        )
    ]
    return [*heads, *later]


def _heads_line(candidate: Candidate, lines: Sequence[Line]) -> bool:
    """Whether a line as long as prose stands right under the heading, not centred as a title page's are."""
    after = candidate.last + 1
    if after >= len(lines) or lines[after].page != lines[candidate.last].page:
        return False
    if abs(lines[after].rect.x0 - lines[candidate.last].rect.x0) > 2 * lines[after].style.size:
        return False
    return len(lines[after].text) >= LEAST_LINE and is_text(lines[after]) and not parted(lines[after])


def without_labels(
    chosen: Sequence[Candidate], lines: Sequence[Line], prose: int, followed: Collection[int]
) -> list[Candidate]:
    """Without what has nothing under it, nor its like: names, labels of drawings and forms, rows of large words."""
    scrappy = _scrappy(lines)
    stamps = Counter(candidate.text for candidate in chosen if lines[candidate.first].page in scrappy)
    chosen = [one for one in chosen if one.named or stamps[one.text] < STAMPED]
    under = _under(chosen, lines, followed)
    alike: dict[Look, list[bool]] = defaultdict(list)
    numbers: dict[Look, list[bool]] = defaultdict(list)
    for candidate, held in zip(chosen, under, strict=True):
        alike[candidate.look].append(held)
        numbers[candidate.look].append(candidate.depth > 0)
    elsewhere = {candidate.look for candidate in chosen if lines[candidate.first].page not in scrappy}

    def heads(candidate: Candidate, held: bool) -> bool:
        look = candidate.look
        like_numbered = candidate.depth > 0 or sum(numbers[look]) < NUMBERED * len(numbers[look])
        if is_keyword(candidate.text):
            return True
        if lines[candidate.first].page in scrappy:
            return look in elsewhere and like_numbered and (held or sum(alike[look]) >= LABELS * len(alike[look]))
        alike_held = sum(alike[look]) >= 2 and sum(alike[look]) * 2 > len(alike[look])
        return candidate.depth > 0 or held or (like_numbered and (candidate.first >= prose or alike_held))

    return [candidate for candidate, held in zip(chosen, under, strict=True) if heads(candidate, held)]


def _scrappy(lines: Sequence[Line]) -> set[int]:
    """The pages whose lines are mostly scraps: drawings, forms, lists of names."""
    scraps, texts = Counter[int](), Counter[int]()
    for line in lines:
        if is_text(line):
            texts[line.page] += 1
        else:
            scraps[line.page] += 1
    return {page for page, count in scraps.items() if count >= SCRAPS and count > SCRAPPY * texts[page]}


def _under(chosen: Sequence[Candidate], lines: Sequence[Line], followed: Collection[int]) -> list[bool]:
    """Whether each heading has text, a table or a figure under it, or a lesser heading that has."""
    result: list[bool] = []
    ends = [*(candidate.first for candidate in chosen[1:]), len(lines)][: len(chosen)]
    lesser: Candidate | None = None
    for candidate, end in zip(reversed(chosen), reversed(ends), strict=True):
        held = any(place in followed for place in range(candidate.last, end)) or any(
            is_text(lines[place]) for place in range(candidate.last + 1, end)
        )
        if not held and lesser and result[-1]:
            deeper = lesser.depth > candidate.depth if candidate.depth and lesser.depth else lesser.depth > 0
            held = deeper or prominence(candidate.look) < prominence(lesser.look)
        result.append(held)
        lesser = candidate
    return result[::-1]

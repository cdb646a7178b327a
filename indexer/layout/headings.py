"""Which lines are headings, and how deep.

Lines of one style close together are one candidate. A candidate must stand out (size, weight, capitals, numbering)
and stand alone; then whole styles are taken or left, so that of equal lines all are headings or none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from indexer.layout.body import SAME_SIZE, body_style, first_prose
from indexer.layout.candidates import APART, LEADING_GAP, Candidate, Look, candidates, leads_on, look_of
from indexer.layout.covers import asked
from indexer.layout.labels import without_front, without_labels
from indexer.layout.levels import levels_of
from indexer.layout.numbering import is_keyword
from indexer.layout.page import Line, Style

DEEPEST = 6
LEADS = 3  # headings of one look that a colon ends, at least
SHORT = 50  # characters of a head whose look emphasis has too
SHARE = 0.5  # of a style's candidates that must look like headings


@dataclass(frozen=True, slots=True)
class Heading:
    """Lines first..last (places in the sequence given) are one heading."""

    first: int
    last: int
    level: int
    text: str


def headings(
    lines: Sequence[Line],
    known: Mapping[int, tuple[int, int]] = MappingProxyType({}),
    followed: Collection[int] = (),
) -> list[Heading]:
    """The headings among the lines, in order.

    `known` are those an outline vouches for: first place → (last, level); `followed` the lines right before a table
    or figure, which is as good as text under a heading.
    """
    body = body_style(lines)
    vouched = _vouched(known)
    free = (
        candidate
        for candidate in candidates(lines, body)
        if not vouched or vouched.isdisjoint(range(candidate.first, candidate.last + 1))
    )
    prose = first_prose(lines, body)
    chosen = without_front(_off_cover(_consistent(free, body), lines), lines, prose)
    chosen = without_labels(chosen, lines, prose, followed)
    if known:
        return _beside_outline(lines, known, chosen, body)
    levels = levels_of(chosen)
    ranks = {level: rank for rank, level in enumerate(sorted(set(levels)), start=1)}
    return [
        Heading(candidate.first, candidate.last, min(ranks[level], DEEPEST), candidate.text)
        for candidate, level in zip(chosen, levels, strict=True)
    ]


def _off_cover(chosen: Sequence[Candidate], lines: Sequence[Line]) -> list[Candidate]:
    """Without what stands out on a form's cover: its name, and what is filled in."""
    places = asked(lines)
    return [one for one in chosen if not places or one.first > places[-1] or is_keyword(one.text)]


def _vouched(known: Mapping[int, tuple[int, int]]) -> set[int]:
    return {place for first, (last, _) in known.items() for place in range(first, last + 1)}


def _consistent(found: Iterable[Candidate], body: Style) -> list[Candidate]:
    """The candidates whose look is that of headings throughout the document."""
    alike, apart = Counter[Look](), Counter[Look]()
    those: dict[Look, list[Candidate]] = defaultdict(list)
    for candidate in found:
        alike[candidate.look] += 1
        # Bold without white space above is a paragraph's emphasis that ran to a line.
        apart[candidate.look] += candidate.good or candidate.gap > APART
        if candidate.good:
            those[candidate.look].append(candidate)
    chosen: list[Candidate] = []
    for look, group in those.items():
        good = _without_leads(group, body)
        if not good:
            continue
        plain = abs(look.size - body.size) <= SAME_SIZE and look.bold == body.bold and not look.capitals
        if plain or len(good) >= SHARE * alike[look]:
            chosen += good
        else:
            bold = look.bold > body.bold and len(good) >= SHARE * apart[look]
            chosen += [
                candidate
                for candidate in good
                if candidate.gap > APART
                and (candidate.depth or is_keyword(candidate.text) or (bold and _is_short(candidate)))
            ]
    return sorted(chosen, key=lambda candidate: candidate.first)


def _is_short(candidate: Candidate) -> bool:
    """Whether it is no sentence: a few words with much white space above."""
    return candidate.gap > LEADING_GAP and len(candidate.text) <= SHORT and candidate.text[0].isupper()


def _without_leads(good: Sequence[Candidate], body: Style) -> list[Candidate]:
    """Without what a colon ends at the body's size, where too few of one look do for them to be headings."""
    leads = [one for one in good if leads_on(one, body)]
    return list(good) if len(leads) >= LEADS else [one for one in good if one not in leads]


def _beside_outline(
    lines: Sequence[Line], known: Mapping[int, tuple[int, int]], chosen: Sequence[Candidate], body: Style
) -> list[Heading]:
    """The outline's headings with its levels; others only in looks the outline's headings have, or numbered."""
    looks: dict[Look, Counter[int]] = defaultdict(Counter)
    for first, (_, level) in known.items():
        looks[look_of(lines[first])][level] += 1
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

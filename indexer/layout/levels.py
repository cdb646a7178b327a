"""How deep each heading is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from indexer.layout.body import SAME_SIZE
from indexer.layout.candidates import Candidate, Look, prominence
from indexer.layout.numbering import CHAPTER, LABELLED, PART, is_matter

SPINE = 3  # headings of one depth that number a document


def levels_of(chosen: Sequence[Candidate]) -> list[int]:
    """A level for each: numbered ones by their numbers, the same look the same level, larger looks higher."""
    chosen = _below_parts(chosen)
    depths = _look_depths(chosen)
    looks = list(depths)
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
    levels = [
        base + candidate.depth - 1 if candidate.depth and depths[candidate.look] else level_of[candidate.look]
        for candidate in chosen
    ]
    return _with_matter(chosen, _below_spine(chosen, levels))


def _with_matter(chosen: Sequence[Candidate], levels: Sequence[int]) -> list[int]:
    """The levels, abstract and references that look like lesser headings put beside the document's own sections."""
    looks = Counter(candidate.look for candidate in chosen)
    own = [level for candidate, level in zip(chosen, levels, strict=True) if looks[candidate.look] >= SPINE]
    if not own:
        return list(levels)
    main = min(own)
    places = [place for place, level in enumerate(levels) if level == main]
    return [
        main if level > main and not places[0] < place < places[-1] and is_matter(candidate.text) else level
        for place, (candidate, level) in enumerate(zip(chosen, levels, strict=True))
    ]


def _look_depths(chosen: Sequence[Candidate]) -> dict[Look, int]:
    """How deep the numbers of each look are, the most prominent look first; 0 where too few have numbers."""
    result: dict[Look, int] = {}
    for look in sorted({candidate.look for candidate in chosen}, key=prominence):
        found = Counter(candidate.depth for candidate in chosen if candidate.look == look)
        [(depth, _)] = found.most_common(1)
        numbered = Counter({depth: count for depth, count in found.items() if depth})
        if depth == 0 and numbered:
            spelt = sum(LABELLED.match(candidate.text) is not None for candidate in chosen if candidate.look == look)
            if sum(numbered.values()) * 3 >= found[0] or spelt >= SPINE:
                depth = numbered.most_common(1)[0][0]
        result[look] = depth
    return result


def _below_spine(chosen: Sequence[Candidate], levels: Sequence[int]) -> list[int]:
    """The levels, what has no number put below the numbered headings of its size or larger that it stands among."""
    depths = Counter(candidate.depth for candidate in chosen if candidate.depth and not PART.match(candidate.text))
    top = min((depth for depth, count in depths.items() if count >= SPINE), default=0)
    spine = [place for place, candidate in enumerate(chosen) if top and candidate.depth == top]
    if not spine:
        return list(levels)
    level = Counter(levels[place] for place in spine).most_common(1)[0][0]
    size = median(chosen[place].look.size for place in spine) + SAME_SIZE
    spelt = sum(LABELLED.match(chosen[place].text) is not None for place in spine) * 2 > len(spine)
    # The same look is the same level, but "Item 7" heads what looks like it.
    siblings = set() if spelt else {chosen[place].look for place in spine}
    among = [
        place
        for place in range(spine[0], spine[-1])
        if not chosen[place].named
        and chosen[place].look.size <= size
        and levels[place] <= level
        and chosen[place].look not in siblings
    ]
    return [level + 1 if place in among else found for place, found in enumerate(levels)]


def _below_parts(chosen: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, numbers one deeper where parts or chapters hold them ("Part II" holds "Item 5", "Chapter 3")."""
    for container in (CHAPTER, PART):
        holds = [candidate.depth == 1 and container.match(candidate.text) is not None for candidate in chosen]
        held = [candidate for candidate, one in zip(chosen, holds, strict=True) if candidate.depth == 1 and not one]
        holders = [candidate for candidate, one in zip(chosen, holds, strict=True) if one]
        least = min((prominence(candidate.look) for candidate in held), default=None)
        if holders and least and (container is PART or max(prominence(one.look) for one in holders) < least):
            chosen = [
                candidate._replace(depth=candidate.depth + 1) if candidate.depth and not one else candidate
                for candidate, one in zip(chosen, holds, strict=True)
            ]
    return list(chosen)

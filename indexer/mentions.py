"""Where the text speaks of a figure: "see Figure 3", "Figs. 2–4", "Abb. 2a"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from kohaku.tree import Kind, Node

NUMBER = r"[A-Z]{0,2}\.?\d{1,4}(?:[.-]\d{1,3}){0,3}(?:[a-z](?![a-z]))?"
MENTION = re.compile(
    r"(?:(?P<figure>図|图|(?<![^\W\d_])(?:fig(?:ure)?s?\.?|abb(?:ildung(?:en)?|\.)|figuras?))"
    r"|(?<![^\W\d_])(?:(?P<chart>charts?)|(?P<scheme>schemes?)|(?P<plate>plates?))"
    rf")\s*(?P<numbers>(?-i:{NUMBER})"
    rf"(?:\s*(?:,|&|–|-|,?\s*(?:and|or|und|oder|to|bis|et|y|à|和|及|と))\s*(?-i:{NUMBER}|[a-h](?![a-zA-Z])))*)",
    re.IGNORECASE,
)
CAPTION_GOES_ON = re.compile(r"\s*(?:[.:|：–—]|$)")
PIECE = re.compile(rf"(?P<to>(?:–|-|\bto|\bbis)\s*)?(?P<number>{NUMBER})")
MOST_OF_RANGE = 20  # figures: "Figures 2–400" is something else

Label = tuple[str, str]
"""What a figure is called: its family and number, ("figure", "3.1")."""


def mentions(nodes: Iterable[Node]) -> tuple[tuple[int, int], ...]:
    """(figure, sentence) pairs of positions, in the order of the sentences.

    A figure goes by the number that its title begins with; of several of one number the nearest is meant. Each
    paragraph is to stand right before its sentences; where there are figures, the nodes are gone through twice.
    """
    figures: dict[Label, list[int]] = defaultdict(list)
    for node in nodes:
        if node.kind is Kind.FIGURE and (label := label_of(node.title)):
            figures[label].append(node.position)
    if not figures:
        return ()
    found: dict[tuple[int, int], None] = {}
    paragraph = Kind.PARAGRAPH
    for node in nodes:
        if node.kind is not Kind.SENTENCE:
            paragraph = node.kind
        elif paragraph is not Kind.REFERENCE:
            for label in _labels(node.text, figures):
                figure = min(figures[label], key=lambda place: abs(place - node.position))
                if figure != node.parent:
                    found[figure, node.position] = None
    return tuple(found)


def label_of(title: str) -> Label | None:
    """What a figure's caption calls it.

    >>> label_of("Fig. 3. Water use"), label_of("Water use")
    (('figure', '3'), None)
    """
    found = MENTION.match(title)
    first = PIECE.match(found["numbers"]) if found else None
    return (_family(found), _plain(first["number"])) if found and first else None


def _labels(text: str, known: Collection[Label]) -> Iterator[Label]:
    """The known figures that a text speaks of."""
    for found in MENTION.finditer(text):
        if found.start() == 0 and CAPTION_GOES_ON.match(text, found.end()):
            continue  # a caption that stands apart, or a line of a list of figures
        family, last = _family(found), ""
        for piece in PIECE.finditer(found["numbers"]):
            number = _plain(piece["number"])
            first, dash, end = number.partition("-")
            if dash and (family, number) not in known:  # "Figures 2-4"
                numbers = [first, *_between(first, end), end]
            else:
                numbers = [*(_between(last, number) if piece["to"] else ()), number]
            last = numbers[-1]
            for one in numbers:
                whole, part_of = (family, one), (family, one.rstrip("abcdefghijklmnopqrstuvwxyz"))
                if whole in known or part_of in known:
                    yield whole if whole in known else part_of


def _family(found: re.Match[str]) -> str:
    return next(name for name in ("figure", "chart", "scheme", "plate") if found[name])


def _plain(number: str) -> str:
    """A number however it is written: A.1 is A1."""
    return re.sub(r"^([A-Z]+)\.", r"\1", number)


def _between(first: str, last: str) -> list[str]:
    """The numbers between two, where these are numbers."""
    if not (first.isdecimal() and last.isdecimal()) or int(last) - int(first) > MOST_OF_RANGE:
        return []
    return [str(number) for number in range(int(first) + 1, int(last))]

"""Which monospaced faces say something: those of code, not those of a typed page's or a mislabelled font's prose."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from statistics import median

from indexer.layout.page import Fragment, Page, Style

TYPED = 0.6  # of the text in monospaced faces: they say nothing then
LEAST_LETTERS = 8  # of a fragment, so that its letters' mean width says something
LEAST_FRAGMENTS = 8  # of a style
SAME_WIDTH = 0.03  # a monospaced face's letters are as wide on every line, but for stretched spaces
UNEVEN = 0.6  # of its lines must be so


def with_telling_faces(pages: Sequence[Page]) -> Sequence[Page]:
    """The pages, monospaced styles as plain ones where they are not code's."""
    if not any(style.mono for style in {fragment.style for page in pages for fragment in page.fragments}):
        return pages  # as in most documents, told in a third of the time
    weights = Counter[Style]()
    for page in pages:
        for fragment in page.fragments:
            weights[fragment.style] += len(fragment.text)
    mono = {style for style in weights if style.mono}
    if sum(weights[style] for style in mono) <= TYPED * weights.total():
        mono = _uneven(pages, mono)
    return [_plain(page, mono) for page in pages] if mono else pages


def _uneven(pages: Sequence[Page], styles: Collection[Style]) -> set[Style]:
    """The styles whose letters differ in width: their fonts only say that they are monospaced.

    Where all that can be told are so, the others are taken to be.
    """
    widths: dict[Style, list[float]] = defaultdict(list)
    for page in pages:
        for fragment in page.fragments:
            if fragment.style in styles and not fragment.lead_length and len(fragment.text) >= LEAST_LETTERS:
                widths[fragment.style].append(fragment.rect.width / len(fragment.text))
    even = {style: _are_even(found) for style, found in widths.items() if len(found) >= LEAST_FRAGMENTS}
    if even and not any(even.values()):
        return set(styles)
    return {style for style, is_even in even.items() if not is_even}


def _are_even(widths: Sequence[float]) -> bool:
    usual = median(widths)
    return sum(abs(width - usual) <= SAME_WIDTH * usual for width in widths) >= UNEVEN * len(widths)


def _plain(page: Page, mono: Collection[Style]) -> Page:
    def plain(fragment: Fragment) -> Fragment:
        if fragment.style not in mono and fragment.lead not in mono:
            return fragment
        style, lead = (one._replace(mono=False) if one in mono else one for one in (fragment.style, fragment.lead))
        return fragment._replace(style=style, lead=lead)

    return replace(page, fragments=tuple(map(plain, page.fragments)))

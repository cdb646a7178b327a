"""Which monospaced faces say something: those of code, not those of a typed page's or a mislabelled font's prose."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from statistics import median

from indexer.layout.page import Fragment, Page, Style

TYPED = 0.6  # of the text in monospaced faces: they say nothing then
LEAST_LETTERS = 8  # of a fragment, so that its letters' mean width says something
LEAST_FRAGMENTS = 8  # of a style
SAME_WIDTH = 0.03  # a monospaced face's letters are as wide on every line, but for stretched spaces
UNEVEN = 0.6  # of its lines must be so


def monospaced(page: Page) -> set[Style]:
    """The page's styles whose fonts say that they are monospaced."""
    return {style for style in {fragment.style for fragment in page.fragments} if style.mono}


def untelling(pages: Callable[[], Iterable[Page]]) -> set[Style]:
    """The monospaced styles that are not code's; `pages` gives all pages, and again."""
    weights = Counter[Style]()
    for page in pages():
        for fragment in page.fragments:
            weights[fragment.style] += len(fragment.text)
    mono = {style for style in weights if style.mono}
    return mono if sum(weights[style] for style in mono) > TYPED * weights.total() else _uneven(pages(), mono)


def _uneven(pages: Iterable[Page], styles: Collection[Style]) -> set[Style]:
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


def with_plain(page: Page, mono: Collection[Style]) -> Page:
    """The page, those monospaced styles as plain ones."""

    def plain(fragment: Fragment) -> Fragment:
        if fragment.style not in mono and fragment.lead not in mono:
            return fragment
        style, lead = (one._replace(mono=False) if one in mono else one for one in (fragment.style, fragment.lead))
        return fragment._replace(style=style, lead=lead)

    return replace(page, fragments=tuple(map(plain, page.fragments)))

"""What a page's file sets piece by piece, as fragments of text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from indexer.clean import clean
from indexer.layout.page import Fragment, Rect, Style, around, main_style

WORD_GAP = 0.8  # of the letter size: what is farther apart are cells of their own
SPACE = 0.15  # of the letter size: what is closer is one word
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdfb\ufe70-\ufefc]")
LEFT_TO_RIGHT = re.compile(r"[A-Za-zÀ-ʯΑ-ӿ]")
LETTER_DIGIT = re.compile("([\u0590-\u065f\u066e-\u06ef])(\\d)")
CLOSED = re.compile(r"[\d%.:!)»،؛؟]$")
RAISED = 0.85  # of the size of the number before: exponents and notes' marks are smaller
EXPONENT = re.compile(r"\s*[-−–+]?\d{1,3}(?:,\d{1,2})*\s*")
SUPERSCRIPTS = str.maketrans("0123456789-−–+,", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁻⁺˒")
# TeX's old fonts set accents before their letters.
ACCENTS = {"¨": "\u0308", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "ˇ": "\u030c"}
ACCENT_BEFORE = re.compile("([¨´ˆ˜ˇ])([A-Za-z])")


class Ink(NamedTuple):
    """A span of one style, turned for reading."""

    text: str
    rect: Rect
    base: float
    style: Style


def fragments(inks: Iterable[Ink]) -> Iterator[Fragment]:
    """What touches on one baseline, as one fragment each stretch; what holds no visible text is left out."""
    held: list[Ink] = []
    for ink in map(_logical, inks):
        if held and not _follows(held[-1], ink):
            yield from _fragment(held)
            held = []
        held.append(ink)
    if held:
        yield from _fragment(held)


def _logical(ink: Ink) -> Ink:
    """The ink as its script is read: a space before words that run leftwards stands at their left, their end."""
    text = ink.text
    if text.isascii() or text[0] != " " or not RIGHT_TO_LEFT.search(text):
        return ink
    words = text.lstrip(" ")
    parted, found = LETTER_DIGIT.subn(r"\1 \2", words, count=1)
    return ink._replace(text=parted if found else f"{words} ")


def _follows_leftwards(before: Ink, ink: Ink) -> bool:
    """Whether text of a script that runs leftwards goes on, with the marks between its words."""
    if before.text.isascii() and ink.text.isascii():
        return False
    size = before.style.size
    return (
        ink.style.size == size
        and abs(ink.base - before.base) < 0.15 * size
        and -0.5 * size < before.rect.x0 - ink.rect.x1 < 2 * SPACE * size
        and RIGHT_TO_LEFT.search(before.text + ink.text) is not None
        and not LEFT_TO_RIGHT.search(before.text + ink.text)
        and not ink.text.strip().isdigit()
    )


def _follows(before: Ink, ink: Ink) -> bool:
    """Whether the text goes on the text before it: some files set every word, even every letter, on its own."""
    _, (left, _, right, _), base, style = before
    size, start = style.size, ink.rect.x0
    same = ink.style is style or ink.style.size == size
    if not same:
        size = max(size, ink.style.size)
    if start < left:
        return _follows_leftwards(before, ink)
    return -0.5 * size < start - right < WORD_GAP * size and (abs(ink.base - base) < (0.15 if same else 0.45) * size)


def _fragment(inks: Sequence[Ink]) -> Iterator[Fragment]:
    text = _text(inks[0].text if len(inks) == 1 else _joined(inks))
    if not text:
        return
    if len(inks) > 1:
        inks = [ink for ink in inks if not ink.text.isspace()] or inks
    lead = inks[0].style
    if len(inks) == 1:
        yield Fragment(text, _inked(inks[0]), inks[0].base, lead, lead)
        return
    rect = around([_inked(inks[0]), *[ink.rect for ink in inks[1:]]])
    if all(ink.style is lead or ink.style == lead for ink in inks):
        yield Fragment(text, rect, inks[0].base, lead, lead)
        return
    style = main_style(inks)
    base = next(ink.base for ink in inks if ink.style == style)
    yield Fragment(text, rect, base, style, lead, _lead_length(text, inks, lead))


def _inked(ink: Ink) -> Rect:
    """The ink's place without the spaces before it: code is set in by them."""
    leftwards = ink.text[-1] == " " and not ink.text.isascii() and RIGHT_TO_LEFT.search(ink.text)
    if ink.text[0] != " " and not leftwards:
        return ink.rect
    spaces = len(ink.text) - len(ink.text.rstrip() if leftwards else ink.text.lstrip())
    x0, y0, x1, y1 = ink.rect
    return Rect(x0 + (x1 - x0) * spaces / len(ink.text), y0, x1, y1)


def _joined(inks: Sequence[Ink]) -> str:
    """The texts of inks beside each other, with a space where they stand apart."""
    parts = [inks[0].text]
    right, size, foot = inks[0].rect.x1, inks[0].style.size, inks[0].base
    for text, rect, base, style in inks[1:]:
        if rect.x0 - right > SPACE * min(size, style.size):
            parts.append(" ")
        elif text[:1] > "\u058f" and CLOSED.search(parts[-1]) and RIGHT_TO_LEFT.match(text):
            parts.append(" ")  # set by distance alone, or not at all
        elif style.size < RAISED * size and base < foot - 0.1 * size and parts[-1][-1:].isdigit():
            text = raised(text)
        parts.append(text)
        right, size, foot = rect.x1, style.size, base
    return "".join(parts)


def raised(text: str) -> str:
    """Digits raised behind a number, as characters that make no other number of it; other text as it is.

    >>> raised("6"), raised("−12"), raised("th")
    ('⁶', '⁻¹²', 'th')
    """
    return text.translate(SUPERSCRIPTS) if EXPONENT.fullmatch(text) else text


def _text(raw: str) -> str:
    if not raw.isascii():
        raw = ACCENT_BEFORE.sub(_accented, raw)
    return clean(raw)


def _lead_length(text: str, inks: Sequence[Ink], lead: Style) -> int:
    """How many characters of the text stand in the style that it begins with."""
    begun = takewhile(lambda ink: ink.style == lead, inks)
    letters = sum(len("".join(clean(ink.text).split())) for ink in begun)
    for place, character in enumerate(text):
        if letters <= 0:
            return place
        letters -= not character.isspace()
    return 0


def _accented(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", found[2] + ACCENTS[found[1]])

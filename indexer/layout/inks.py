"""What a page's file sets piece by piece, as fragments of text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from operator import itemgetter
from typing import NamedTuple

from indexer.clean import clean
from indexer.layout.page import Fragment, Rect, Style, around, main_style
from indexer.letters import beyond_ascii

WORD_GAP = 0.8  # of the letter size: what is farther apart are cells of their own
SPACE = 0.15  # of the letter size: what is closer is one word
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdfb\ufe70-\ufefc]")
LEFT_TO_RIGHT = re.compile(r"[A-Za-zÀ-ʯΑ-ӿ]")
LETTER_DIGIT = re.compile("([\u0590-\u065f\u066e-\u06ef])(\\d)")
# Numbers or words between those that run leftwards.
MIXED = re.compile(r"[\u0590-\u06ef]\W*[0-9A-Za-z].*[\u0590-\u06ef]")
SOFT_HYPHEN = "\u00ad"
STOP_FIRST = re.compile(r"^([.،؛!؟:])([\u0590-\u06ef].*[\u0590-\u06ef])$")  # where the text ends, from left to right
RUNS = re.compile(
    r"[\u0590-\u065f\u066e-\u06ef][^0-9A-Za-z]*[\u0590-\u065f\u066e-\u06ef]|\s+|[0-9A-Za-z][^\s\u0590-\u06ef()%]*|."
)
BRACKET_OPENS, BRACKET_CLOSES = re.compile(r"[(\[]$"), re.compile(r"[)\]]")
CLOSED = re.compile(r"[\d%.:!)»،؛؟]$")
RAISED = 0.85  # of the size of the number before: exponents and notes' marks are smaller
EXPONENT = re.compile(r"\s*[-−–+]?\d{1,3}(?:,\d{1,2})*\s*")
SUPERSCRIPTS = str.maketrans("0123456789-−–+,", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁻⁺˒")
# TeX's old fonts set accents before their letters.
ACCENTS = {"¨": "\u0308", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "ˇ": "\u030c"}
SPACED = re.compile(r"(?:[a-z] ){3,}[a-z]|(?:[A-Z] ){3,}[A-Z]")  # a word whose letters are set apart
ACCENT_BEFORE = re.compile("([¨´ˆ˜ˇ])([A-Za-z])")

_place = itemgetter(0)


class Ink(NamedTuple):
    """A span of one style, turned for reading."""

    text: str
    rect: Rect
    base: float
    style: Style


def fragments(inks: Iterable[Ink], uprights: Sequence[Rect] = ()) -> Iterator[Fragment]:
    """What touches on one baseline, as one fragment each stretch; what holds no visible text is left out.

    `uprights` are lines drawn from top to bottom, which part what stands close on either side: a grid's cells.
    """
    walls = sorted([((x0 + x1) / 2, top, foot) for x0, top, x1, foot in uprights])
    held: list[Ink] = []
    for ink in inks:
        if not ink[0].isascii():
            ink = _logical(ink)
        if held and (not _follows(held[-1], ink) or (walls and _is_parted(held, ink, walls))):
            if fragment := _fragment(held):
                yield fragment
            held = []
        held.append(ink)
    if held and (fragment := _fragment(held)):
        yield fragment


def _is_parted(held: Sequence[Ink], ink: Ink, walls: Sequence[tuple[float, float, float]]) -> bool:
    """Whether a line (its place from the left, its ends) is drawn between an ink and the last visible one before it."""
    last = next((one for one in reversed(held) if not one.text.isspace()), None)
    if last is None or ink.text.isspace() or ink.rect.x0 - last.rect.x1 < SPACE * ink.style.size:
        return False
    left, right, middle = last.rect.x1 - 1, ink.rect.x0 + 1, (ink.rect.y0 + ink.rect.y1) / 2
    between = walls[bisect_left(walls, (left,)) : bisect_right(walls, right, key=_place)]
    return any(top <= middle <= foot for _, top, foot in between)


def _in_reading_order(text: str) -> str:
    """A line's words that run leftwards and the numbers between them as they are read; they came from left to right.

    >>> _in_reading_order("גד2023 אב")
    'אב 2023 גד'
    """
    parts = RUNS.findall(text)
    ordered = [part for part in reversed(parts) if not part.isspace()]
    if sum(map(bool, map(RIGHT_TO_LEFT.search, ordered))) < 2:
        return text
    result = ""
    for part in ordered:
        glued = (BRACKET_OPENS.search(result) or BRACKET_CLOSES.match(part) or part[0] in "%.،؛") and result
        result = f"{result}{part}" if glued or not result else f"{result} {part}"
    return result


def _logical(ink: Ink) -> Ink:
    """The ink as its script is read: a space before words that run leftwards stands at their left, their end."""
    if not RIGHT_TO_LEFT.search(beyond_ascii(ink.text)):
        return ink
    text = _in_reading_order(ink.text) if MIXED.search(ink.text) else STOP_FIRST.sub(r"\2\1", ink.text)
    if text != ink.text:
        return ink._replace(text=text)
    if text[0] != " ":
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
    _, (start, _, _, _), own_base, own_style = ink
    if start < left:
        return _follows_leftwards(before, ink)
    size, own_size = style[0], own_style[0]
    if size == own_size:
        return -0.5 * size < start - right < WORD_GAP * size and abs(own_base - base) < 0.15 * size
    size = max(size, own_size)
    return -0.5 * size < start - right < WORD_GAP * size and abs(own_base - base) < 0.45 * size


def _fragment(inks: Sequence[Ink]) -> Fragment | None:
    if len(inks) == 1:
        raw, rect, base, lead = inks[0]
        text = _text(raw)
        if not text:
            return None
        if text is not raw:
            rect = _inked(inks[0])
        return tuple.__new__(Fragment, (text, rect, base, lead, lead, 0))  # saves a call
    text = _text(_joined(inks))
    if not text:
        return None
    inks = [ink for ink in inks if not ink[0].isspace()] or inks
    _, _, base, lead = inks[0]
    rect = _inked(inks[0])
    if len(inks) > 1:
        rect = around([rect, *[ink[1] for ink in inks[1:]]])
        if any(style is not lead and style != lead for _, _, _, style in inks):
            style = main_style(inks)
            base = next(ink.base for ink in inks if ink.style == style)
            return Fragment(text, rect, base, style, lead, _lead_length(text, inks, lead))
    return Fragment(text, rect, base, lead, lead)


def _inked(ink: Ink) -> Rect:
    """The ink's place without the spaces before it: code is set in by them."""
    text, rect = ink.text, ink.rect
    if text[0] != " " and (text[-1] != " " or text.isascii()):
        return rect
    leftwards = text[-1] == " " and not text.isascii() and RIGHT_TO_LEFT.search(text)
    if text[0] != " " and not leftwards:
        return rect
    spaces = len(text) - len(text.rstrip() if leftwards else text.lstrip())
    x0, y0, x1, y1 = rect
    return Rect(x0 + (x1 - x0) * spaces / len(text), y0, x1, y1)


def _joined(inks: Sequence[Ink]) -> str:
    """The texts of inks beside each other, with a space where they stand apart."""
    text, (_, _, right, _), foot, style = inks[0]
    parts, size = [text], style[0]
    for text, (left, _, end, _), base, style in inks[1:]:
        own = style[0]
        if left - right > SPACE * (size if size < own else own):
            parts.append(" ")
        elif text[:1] > "\u058f" and CLOSED.search(parts[-1]) and RIGHT_TO_LEFT.match(text):
            parts.append(" ")  # set by distance alone, or not at all
        elif own < RAISED * size and base < foot - 0.1 * size and parts[-1][-1:].isdigit():
            text = raised(text)
        parts.append(text)
        right, size, foot = end, own, base
    return "".join(parts)


def raised(text: str) -> str:
    """Digits raised behind a number, as characters that make no other number of it; other text as it is.

    >>> raised("6"), raised("−12"), raised("th")
    ('⁶', '⁻¹²', 'th')
    """
    return text.translate(SUPERSCRIPTS) if EXPONENT.fullmatch(text) else text


def _text(raw: str) -> str:
    text = clean(raw) if raw.isascii() else clean(ACCENT_BEFORE.sub(_accented, raw))
    if raw[-1:] == SOFT_HYPHEN and text[-1:].isalpha():  # shown where a line's end cuts a word, and only there
        text += "-"
    if len(text) > 6 and text[1] == text[3] == text[5] == " " and SPACED.fullmatch(text):
        return _closed(text)
    return text


def _closed(spaced: str) -> str:
    """A word set with spaces between its letters as a word; letters that stand for themselves as they are.

    >>> _closed("r e f e r e n c e s"), _closed("a b c d"), _closed("x y z t")
    ('references', 'a b c d', 'x y z t')
    """
    word = spaced.replace(" ", "")
    vowels = sum(map(word.lower().count, "aeiou"))
    is_word = 0 < vowels < len(word) and list(word) != sorted(word) and (word.islower() or len(word) > 5)
    return word if is_word else spaced


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

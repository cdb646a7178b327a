"""Quotes that a model gave, found again in the evidence."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from answerer.answer import Citation
from answerer.quantities import spelled
from kohaku.words import CJK
from retriever.evidence import GAP, Context

SHORT = 12
"""Letters below which a quote is found by its exact words only: near misses of short texts are everywhere."""
ALIKE = 90.0
"""How alike (0 to 100) a longer quote and its place must be: OCR and typing errors pass, other wording does not."""
SHORTEST_SHARE = 0.85
"""How much of the quote its place must cover: less is another sentence with the same beginning."""

WORD_ALIKE = 80.0
"""How alike each of its words of four letters and more must be: "increase" for "decrease" (75) does not pass."""

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
_DROPPED = frozenset("\"'`´‘’‚‛“”„‟«»‹›\u00ad\u200b\u200c\u200d\ufeff*_")  # quotation marks, invisible, emphasis
_AROUND = ".,;:()[]"
_OMITTED = re.compile(r"(?:\[\s*(?:\.\.\.|…)\s*\]|\(\s*(?:\.\.\.|…)\s*\)|\.\.\.+|…)\s*")
_UNSPACED = re.compile(f"[{CJK}]")
_LETTER_AFTER = re.compile(r"\s*[^\W\d_]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = re.compile(r"\b(?:not?|never|none|neither|nor|without|cannot|un(?:able|likely|available))\b|n[’']t\b", re.I)


_SENTENCE_ENDS = re.compile(r"[.!?…](?=\s|$)|[。！？]|\n")

Place = tuple[int, int]
"""Where a span begins and ends in a text."""


@dataclass(frozen=True, slots=True)
class Key:
    """A text reduced to what must agree, and where each of its characters came from."""

    text: str
    places: tuple[int, ...]


def align(quote: str, contexts: Sequence[Context]) -> Citation | None:
    """The quote as the evidence has it and where; None where it is not there, or its numbers or negations differ.

    Parts around an ellipsis are found in one context, one after the other; what it leaves out of a sentence may be
    neither a negation nor a number in another's place.
    """
    parts = [part for part in _OMITTED.split(quote) if any(map(str.isalnum, part))]
    if not parts:
        return None
    for find in (exact, alike):
        for context in contexts:
            found = _in_order(parts, context.text, find)
            if found:
                words = GAP.join(context.text[start:end] for start, end in found)
                return Citation(context.document, context.node, context.pages, words, context.boxes)
    return None


def _in_order(parts: Sequence[str], text: str, find: Callable[[str, str], Place | None]) -> list[Place]:
    """Where the parts stand in a text one after the other; nothing where they don't, or what is left out matters."""
    found: list[Place] = []
    for part in parts:
        after = found[-1][1] if found else 0
        place = find(part, text[after:])
        if place is None:
            return []
        start, end = place[0] + after, place[1] + after
        if found and _matters(text[after:start], text[start:end]):
            return []
        found.append((start, end))
    return found


def _matters(left_out: str, then: str) -> bool:
    """Whether words that an ellipsis left out change what those after it say.

    >>> _matters(" did not ", "approve the sale"), _matters(" of 4.35%, then ", "11,250"), _matters(". No. ", "It fell")
    (True, True, False)
    """
    if _SENTENCE_ENDS.search(left_out):
        return False
    return bool(_NEGATION.search(left_out) or (then[:1].isdigit() and _NUMBER.search(left_out)))


def exact(quote: str, text: str) -> Place | None:
    """Where the quote's words stand in a text, whatever its spaces, case, dashes and quotation marks."""
    wanted, held = key(quote), key(text)
    at = held.text.find(wanted.text) if wanted.text else -1
    while at >= 0:
        start, end = held.places[at], held.places[at + len(wanted.text) - 1] + 1
        if _stands_alone(text, start, end):
            return start, end
        at = held.text.find(wanted.text, at + 1)
    return None


def alike(quote: str, text: str) -> Place | None:
    """Where a text has nearly the quote's words, with the same numbers and negations; short quotes never."""
    wanted, held = key(quote), key(text)
    if len(wanted.text) < SHORT or len(held.text) < SHORTEST_SHARE * len(wanted.text):
        return None
    found = fuzz.partial_ratio_alignment(wanted.text, held.text, score_cutoff=ALIKE)
    if found is None or found.dest_end - found.dest_start < SHORTEST_SHARE * len(wanted.text):
        return None
    start, end = _whole_words(text, *_without_neighbours(text, held, found.dest_start, found.dest_end))
    return (start, end) if _same_facts(quote, text[start:end]) else None


@lru_cache(maxsize=512)
def key(text: str) -> Key:
    """The text without white space, quotation marks and hyphens within words, in one case and one kind of dash.

    >>> key("The  “energy-\\nuse” ﬁgure").text
    'theenergyusefigure'
    """
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace() or character in _DROPPED:
            continue
        for letter in unicodedata.normalize("NFKC", character).translate(_DASHES).casefold():
            if letter.isspace() or (letter == "-" and _inside_word(text, place)):
                continue
            letters.append(letter)
            places.append(place)
    return Key("".join(letters), tuple(places))


def _inside_word(text: str, place: int) -> bool:
    """Whether a hyphen joins letters, over a line's end too, which a quote may have as a blank."""
    return text[place - 1 : place].isalpha() and _LETTER_AFTER.match(text, place + 1) is not None


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a span begins and ends between words, and cuts no number: "5" does not stand in "1.5" or "5%"."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if (before.isalnum() and text[start].isalnum()) or (after.isalnum() and text[end - 1].isalnum()):
        return _UNSPACED.match(text, start) is not None or _UNSPACED.match(text, end - 1) is not None
    cut_before = re.search(r"\d[.,]$", text[max(0, start - 2) : start]) and text[start].isdigit()
    cut_after = re.match(r"[.,]\d", text[end : end + 2]) and text[end - 1].isdigit()
    return not (cut_before or cut_after)


_NEIGHBOURS = ".,;:!?)]}|"


def _without_neighbours(text: str, held: Key, start: int, end: int) -> tuple[int, int]:
    """The span of letters first to last, without what closes the sentence or the cell before."""
    while start < end - 1 and text[held.places[start]] in _NEIGHBOURS:
        start += 1
    return held.places[start], held.places[end - 1] + 1


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    def inside(place: int) -> bool:
        return 0 < place < len(text) and all(
            one.isalnum() or (one in ".," and text[place - 2 : place - 1].isdigit())
            for one in text[place - 1 : place + 1]
        )

    while inside(start):
        start -= 1
    while inside(end):
        end += 1
    return start, end


def _same_facts(quote: str, words: str) -> bool:
    held = key(words).text
    names = (key(word).text for word in quote.split())
    return (
        _facts(quote) == _facts(words)
        and all(fuzz.partial_ratio(name, held) >= WORD_ALIKE for name in names if len(name) >= 4)
        and not _is_rearranged(quote.split(), words.split())
    )


def _is_rearranged(quote: Sequence[str], words: Sequence[str]) -> bool:
    """Whether a word of a quote stands elsewhere among the others than it does in the evidence, or a negation does.

    >>> _is_rearranged("Oslo sold water to Bergen".split(), "Bergen sold water to Oslo".split())
    True
    """
    said, held = ([key(word).text.strip(_AROUND) for word in text] for text in (quote, words))
    edits = Indel.editops(said, held)
    gone = {said[edit.src_pos] for edit in edits if edit.tag == "delete"}
    come = {held[edit.dest_pos] for edit in edits if edit.tag == "insert"}
    return any(len(word) > 1 for word in gone & come) or any(map(_NEGATION.fullmatch, gone))


def _facts(text: str) -> tuple[Counter[str], int]:
    text = unicodedata.normalize("NFKC", text)
    numbers = [number.replace(",", "") for number in _NUMBER.findall(text)]
    return Counter([*numbers, *(str(number.low) for number in spelled(text))]), len(_NEGATION.findall(text))

"""Texts cut into sentences, and what is too long for a model into pieces; nothing is ever lost at a cut."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

Count = Callable[[str], int]
"""How many tokens a text has."""

# Ordinary words (min, max, sun) are left out: a lower-case letter after the full stop tells those apart.
ABBREVIATIONS = """
fig figs eq eqs eqn eqns tab tabs tbl sec secs sect chap alg thm lem prop cor vol vols pp p ed eds ref refs
al et.al i.e e.g cf c.f viz vs v approx resp incl excl ca w.r.t s.t a.k.a etc ibid op.cit esp ff
z.b d.h u.a bzw vgl abb nr mio mrd
dr mr mrs ms prof st jr sr rev hon capt lt sgt ph.d m.d b.sc m.sc
inc ltd corp co cos dept univ assoc bros llc plc intl natl govt u.s u.k u.n e.u u.s.a d.c n.y
jan feb aug sep sept oct nov dec tues thur thurs a.m p.m b.c a.d
"""
TINY = 15  # characters: a shorter piece without a letter is a stray number or mark, not a sentence
STRETCH = 5000  # characters given to Punkt at once: its time grows faster than its text
LEADERS = 500  # characters that are a full stop every fifth: dot leaders, not prose, and Punkt takes minutes over them

# Where a quotation ends and と follows, its speaker is named in the same sentence.
OTHER_MARKS = re.compile(
    r"(?:(?:[。！？；]|．(?!\d))++(?![”’」』）】》)]+\s?と)[”’」』）】》)]*|[؟۔।॥։።။។]+[»”\"']*)\s*"
)
# What a full stop after a number, or after "No." before one, does not end: No. 7; 3. Mai.
COUNTED = re.compile(r"(?:\b[Nn]os?|\bart|\bArt)\.\s*$")
ORDINAL = re.compile(r"\b\d{1,2}\.\s*$")
AFTER_ORDINAL = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert|Quartal)\b"
)
CITED = re.compile(r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]\s*")  # a reference that stands after the full stop
ENDING = re.compile(r"[.?!](?=\s|[^\w\s])")
MARKER = re.compile(r"\W*(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})?(?:\.\d{1,3})*[.):]?\W*", re.UNICODE)
GOOD_CUT = re.compile(r".*[,;:，、；：]\s*", re.DOTALL)
ANY_CUT = re.compile(r".*\s", re.DOTALL)


def split(text: str) -> list[str]:
    """The sentences of a text, white space kept at their ends: "".join(split(text)) == text.

    >>> split("Yan et al. [2004] used 3.5 kWh (Fig. 2) vs. 4.1. See there.")
    ['Yan et al. [2004] used 3.5 kWh (Fig. 2) vs. 4.1. ', 'See there.']
    """
    if not text:
        return []
    sentences: list[str] = []
    for stretch in _cut_after(text, OTHER_MARKS):
        sentences += _punkt(stretch)
    return _whole(sentences)


def pieces(text: str, max_tokens: int, count: Count) -> list[str]:
    """The text in pieces of at most `max_tokens`, cut after commas, spaces or anywhere; joined they are the text.

    Only a single character that counts for more stays above. No stretch much longer than a piece is ever counted,
    since tokenizers can take quadratic time over a long word.
    """
    result: list[str] = []
    start, width = 0, max(1, max_tokens * 4)
    while start < len(text):
        piece = text[start : start + width]
        if start + width < len(text):
            piece = _good_end(piece)
        tokens = count(piece)
        if tokens * 3 < max_tokens * 2 and start + width < len(text) and width < max_tokens * 64:
            width *= 2  # room for more: long words, or a script with few tokens
            continue
        while tokens > max_tokens and len(piece) > 1:
            piece = _good_end(piece[: max(1, min(len(piece) - 1, len(piece) * max_tokens * 9 // (tokens * 10)))])
            tokens = count(piece)
        result.append(piece)
        start += len(piece)
        width = max(max_tokens * 4, len(piece))
    return result


def passages(text: str, max_tokens: int, count: Count) -> list[list[str]]:
    """The sentences of a text, as many together as have at most `max_tokens`; joined they are the text."""
    groups: list[list[str]] = []
    held = 0
    for sentence in _fitting(split(text), max_tokens, count):
        tokens = count(sentence)
        if groups and held + tokens <= max_tokens and count("".join([*groups[-1], sentence])) <= max_tokens:
            groups[-1].append(sentence)
            held += tokens
        else:
            groups.append([sentence])
            held = tokens
    return groups


def _fitting(sentences: Iterable[str], max_tokens: int, count: Count) -> Iterable[str]:
    for sentence in sentences:
        yield from pieces(sentence, max_tokens, count)


def _good_end(piece: str) -> str:
    """The piece up to its last comma or space, when that is not in its first half."""
    for pattern in (GOOD_CUT, ANY_CUT):
        found = pattern.match(piece)
        if found and found.end() * 2 > len(piece):
            return found[0]
    return piece


def _cut_after(text: str, marks: re.Pattern[str]) -> list[str]:
    ends = [found.end() for found in marks.finditer(text)]
    starts = [0, *ends]
    return [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True) if start < end]


def _punkt(text: str) -> list[str]:
    if not ENDING.search(text):
        return [text]
    sentences: list[str] = []
    for stretch in _stretches(text):
        dense = len(stretch) > LEADERS and len(ENDING.findall(stretch)) * 5 > len(stretch)
        starts = [] if dense else [start for start, _ in _tokenizer().span_tokenize(stretch)]
        starts = [0, *starts[1:]]
        sentences += [stretch[a:b] for a, b in zip(starts, [*starts[1:], len(stretch)], strict=True)]
    return sentences


def _stretches(text: str) -> list[str]:
    """The text in stretches that end where a sentence may, else after a space, else anywhere."""
    result: list[str] = []
    start = 0
    while len(text) - start > STRETCH:
        stretch = text[start : start + STRETCH]
        ends = [stretch.rfind(mark, STRETCH // 2) for mark in (". ", "? ", "! ")]
        end = max(ends) + 2 if max(ends) >= 0 else stretch.rfind(" ", STRETCH // 2) + 1
        result.append(stretch[: end or STRETCH])
        start += len(result[-1])
    return [*result, text[start:]]


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    punkt = _punkt_alone()
    parameters = punkt.PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS.split())
    return punkt.PunktSentenceTokenizer(parameters)


def _punkt_alone() -> Any:
    """nltk's Punkt without the rest of nltk, whose import brings SciPy and scikit-learn: 0.1 s instead of 3."""
    if "nltk" in sys.modules:
        return import_module("nltk.tokenize.punkt")
    found = find_spec("nltk")
    folders = list(found.submodule_search_locations or ()) if found else []
    for name, inner in (("nltk", ""), ("nltk.tokenize", "tokenize")):
        bare = ModuleType(name)  # a package that has run nothing, so that only what is asked for is imported
        bare.__path__ = [str(Path(folder, inner)) for folder in folders]
        sys.modules[name] = bare
    try:
        return import_module("nltk.tokenize.punkt")
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "nltk"]:
            del sys.modules[name]  # whoever imports nltk later gets it whole


def _whole(sentences: list[str]) -> list[str]:
    """List markers go to the sentence that follows them, scraps and lower-case beginnings to the one before."""
    result: list[str] = []
    marker = ""
    for sentence in sentences:
        if _is_marker(sentence):
            marker += sentence
        elif result and not marker and (_is_scrap(sentence) or _goes_on(result[-1], sentence)):
            result[-1] += sentence
        elif result and not marker and not result[-1][-1].isspace() and (cited := CITED.match(sentence)):
            result[-1] += cited[0]
            result += [sentence[cited.end() :]] if cited.end() < len(sentence) else []
        else:
            result.append(marker + sentence)
            marker = ""
    if marker and result:
        result[-1] += marker
    elif marker:
        result.append(marker)
    return result


def _is_marker(sentence: str) -> bool:
    return len(sentence) < TINY and MARKER.fullmatch(sentence) is not None


def _is_scrap(sentence: str) -> bool:
    return len(sentence) < TINY and not any(character.isalpha() for character in sentence)


def _goes_on(before: str, sentence: str) -> bool:
    before = before[-80:]
    if sentence[0].isdigit() and COUNTED.search(before):
        return True
    if AFTER_ORDINAL.match(sentence) and ORDINAL.search(before):
        return True
    return sentence[0].islower() and before.rstrip().endswith(".")

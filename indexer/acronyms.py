"""Acronyms as a text defines them, after Schwartz & Hearst 2003: "power usage effectiveness (PUE)"."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

PARENTHESES = re.compile(r"\(([^()]{2,100})\)")
SHORT = re.compile(r"(?=[^\s]*[^\W\d_])[^\W_][\w.&/+-]{1,9}")
LONGEST = 102  # characters of such a parenthesis with its marks
BEFORE = 200  # characters: a long form is at most min(|short| + 5, 2 × |short|) words
AT_ONCE = 50_000  # characters that are looked at together


class Acronyms:
    """What a text defines, which comes piece by piece, an empty line between two.

    >>> found = Acronyms()
    >>> found.read("The power usage effectiveness (PUE) was 1.1; WUE (water usage effectiveness) was 0.2.")
    >>> found.defined()
    {'PUE': 'power usage effectiveness', 'WUE': 'water usage effectiveness'}
    """

    def __init__(self) -> None:
        self._found: dict[str, Counter[str]] = defaultdict(Counter)
        self._pieces: list[str] = []  # not looked at yet, after what may belong to them
        self._size, self._start = 0, 0
        self.is_blank = True

    def read(self, piece: str) -> None:
        """Takes the text's next piece."""
        if piece:
            self.is_blank &= piece.isspace()
            self._pieces.append(piece)
            self._size += len(piece)
        if self._size > AT_ONCE:
            text = "\n\n".join(self._pieces)
            end = max(len(text) - LONGEST, 0)  # what begins later may not be whole yet
            self._look(text, end)
            kept = max(end - BEFORE, 0)
            self._pieces, self._size, self._start = [text[kept:]], 0, end - kept

    def defined(self) -> dict[str, str]:
        """Short form to the long form that the text most often defines it by."""
        text = "\n\n".join(self._pieces)
        self._look(text, len(text))
        self._pieces = []
        return {short: longs.most_common(1)[0][0] for short, longs in self._found.items()}

    def _look(self, text: str, end: int) -> None:
        """Notes the definitions whose parenthesis begins before `end`, of those not looked at yet."""
        for parenthesis in PARENTHESES.finditer(text, self._start):
            if parenthesis.start() >= end:
                break
            before = text[max(0, parenthesis.start() - BEFORE) : parenthesis.start()].rstrip()
            inside = re.split(r"[;,]\s", parenthesis[1])[0].strip()
            for short, long in _candidates(before, inside):
                self._found[short][long] += 1


def _candidates(before: str, inside: str) -> list[tuple[str, str]]:
    """The definition a parenthesis gives, either way round."""
    if _is_short(inside):
        long = _long(inside, before)
        return [(inside, long)] if long else []
    words = before.split()
    short = words[-1].strip("\"'“”‘’") if words else ""
    if _is_short(short) and " " in inside and _long(short, inside) == inside:
        return [(short, inside)]
    return []


def _is_short(text: str) -> bool:
    """Whether a text looks like an acronym: one word of 2 to 10 characters with a capital beyond a name's first."""
    return SHORT.fullmatch(text) is not None and sum(character.isupper() for character in text) >= 2


def _long(short: str, before: str) -> str | None:
    """The shortest end of a text whose letters hold the short form's in order, its first one beginning a word."""
    letters = [character.lower() for character in short if character.isalnum()]
    if len(letters) > 1 and short.endswith("s") and sum(c.isupper() for c in short) == len(short) - 1:
        letters.pop()  # LLMs: a plural
    at = len(before)
    for number, letter in reversed(list(enumerate(letters))):
        at -= 1
        while at >= 0 and (before[at].lower() != letter or (number == 0 and at > 0 and before[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return None
    long = " ".join(before[at:].split())
    size = len(letters)
    fits = len(long) > len(short) and size <= len(long) and len(long.split()) <= min(size + 5, size * 2)
    broken = any(mark in long for mark in "()[]{};") or re.search(r"[.!?:]\s", long) is not None
    return None if not fits or broken or short in long.split() else long.strip("\"'“”‘’ ")

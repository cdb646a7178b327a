"""Text as everything takes it: UTF-8, SQLite, models and CSV readers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SURROGATES = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"[^\W\d_]{2,}")  # "A1" and "5 m" are of every language
# Not "in", "is" and "on", which other languages have too.
_ENGLISH = frozenset({"the", "of", "and", "to", "for", "that", "with", "by", "from", "are"})
ENGLISH_SHARE = 0.04  # of words: prose has four times as many, tables half as many, other languages next to none
WHOLE = 60  # of 100: how like a name must be to be meant as a whole, before parts of names are looked at
ENOUGH = 100  # words to tell a language by; texts without spaces have as many in far fewer


def storable(text: str) -> str:
    """The text without NUL, and with a mark for each half of a surrogate pair, which bad character maps give.

    >>> storable("a\\x00b \\ud835")
    'ab �'
    """
    text = text.replace("\x00", "")
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def few(names: Sequence[str], most: int = 10) -> str:
    """The first of many names in a line, and how many more there are.

    >>> few(["a", "b"]), few(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def nearest(name: str, known: Iterable[str]) -> str:
    """Of the known names, of which there is at least one, that which a user most likely meant.

    >>> nearest("scor", ["bert_score", "score"]), nearest("netflix", ["out-of-the-tar-pit", "NETFLIX_2015_10K"])
    ('score', 'NETFLIX_2015_10K')
    """
    from rapidfuzz import fuzz, process, utils

    names = list(known)
    tidy = utils.default_process
    found = process.extractOne(name, names, scorer=fuzz.ratio, processor=tidy, score_cutoff=WHOLE)
    found = found or process.extractOne(name, names, scorer=fuzz.WRatio, processor=tidy)
    return found[0] if found else names[0]


def in_english(text: str) -> bool:
    """Whether a text is in English, or too short to say.

    >>> in_english("The water of the lake " * 30), in_english("Das Wasser des Sees " * 30), in_english("湖水" * 90)
    (True, False, False)
    >>> in_english("A1 7 B2 38 " * 90)
    True
    """
    words = _WORD.findall(text)
    letters = sum(map(len, words))
    latin = sum(len(word) for word in words if word[0] < "\u0250")
    if letters > ENOUGH and latin < letters / 2:
        return False
    return len(words) < ENOUGH or sum(word.lower() in _ENGLISH for word in words) >= ENGLISH_SHARE * len(words)

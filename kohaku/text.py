"""Text as everything takes it: UTF-8, SQLite, models and CSV readers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_SURROGATES = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """The text without NUL, and with a mark for each half of a surrogate pair, which bad character maps give.

    >>> storable("a\\x00b \\ud835")
    'ab �'
    """
    text = text.replace("\x00", "")
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def nearest(name: str, known: Iterable[str]) -> str:
    """Of the known names, of which there is at least one, that which a user most likely meant.

    >>> nearest("buget", ["db", "budget"])
    'budget'
    """
    return difflib.get_close_matches(name, list(known), n=1, cutoff=0)[0]

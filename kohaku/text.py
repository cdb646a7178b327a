"""Text as everything takes it: UTF-8, SQLite, models and CSV readers."""

from __future__ import annotations

import re

_SURROGATES = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """The text without NUL, and with a mark for each half of a surrogate pair, which bad character maps give.

    >>> storable("a\\x00b \\ud835")
    'ab �'
    """
    return _SURROGATES.sub("\ufffd", text.replace("\x00", ""))

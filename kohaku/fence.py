"""Lines around the part of a prompt that others wrote, which nothing in it can forge."""

from __future__ import annotations

import hashlib


def fenced(name: str, text: str, rules: str, *, salt: str = "") -> tuple[str, str]:
    """A text between its lines, and the rules that have them in place of {opening} and {closing}."""
    opening, closing = fence(name, text, salt=salt)
    return f"{opening}\n{text}\n{closing}", rules.replace("{opening}", opening).replace("{closing}", closing)


def fence(name: str, text: str, *, salt: str = "") -> tuple[str, str]:
    """The lines before and after a text. What is in them hangs on the whole text, so no part of it can hold them.

    >>> opening, closing = fence("EVIDENCE", "water")
    >>> opening[:15], closing[:15], opening[15:31] == closing[15:31]
    ('<<<<< EVIDENCE ', '>>>>> EVIDENCE ', True)
    """
    number, mark = 0, ""
    while not mark or mark in text:
        whole = f"{number}\n{salt}\n{text}".encode(errors="surrogatepass")
        number, mark = number + 1, hashlib.sha256(whole).hexdigest()[:16]
    return f"<<<<< {name} {mark} BEGINS", f">>>>> {name} {mark} ENDS"

"""Roman numerals, as headings and pages bear them."""

from __future__ import annotations

VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def roman(numeral: str) -> int:
    """The number that a numeral of such letters, in either case, stands for.

    >>> roman("XIV"), roman("lii")
    (14, 52)
    """
    values = [VALUES[letter] for letter in numeral.lower()]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))

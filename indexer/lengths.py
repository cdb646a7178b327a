"""How many tokens joined texts have, by those of each: a book's need not be in memory at once to be counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

Count = Callable[[str], int]


class Length(NamedTuple):
    """The tokens of some texts with an empty line between them, and of the same with another one behind them.

    They add up, since no token goes on over the end of a line into a line that begins with a letter or a mark.

    >>> from kohaku.tokens import count
    >>> both = Length.of("It fell.", count).and_then(Length.of("It rose.", count))
    >>> both.tokens == count("It fell.\\n\\nIt rose.")
    True
    """

    tokens: int = 0
    parted: int = 0

    @classmethod
    def of(cls, text: str, count: Count) -> Self:
        """One text's length."""
        return cls(count(text), count(f"{text}\n\n")) if text else cls()

    def and_then(self, other: Self) -> Self:
        """The length of these texts and others after them; empty ones leave no line."""
        return type(self)(self.parted + other.tokens, self.parted + other.parted) if other.parted else self


EMPTY = Length()

"""Whether rows of cells are a table at all, not a list, formulas, a contents page or prose in columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexer.layout.values import LONGEST_CELL, MARKER, is_datum, is_value

SPARSE = 0.34  # of a row's cells: tables fill more than drawings do
OPERATORS = frozenset("=≤≥≈∑∏∫∥√∂∇∈∉⊂⊆∪∩∀∃→←↔⇒⊤⊥⊗⊕×·∘≡≜∼∝")
NUMBERED = re.compile(r"\(\d{1,2}(?:\.\d{1,2})?[a-z]?\)")
PAIRS = ("..", "__", "._", "_.", ". .")  # of ASCII's dots in a row
LEADER = re.compile(r"[.·…⋅_]{4,}|(?:[.·…⋅]\s){4,}")


def plausible(placed: Sequence[Sequence[str]], header: Sequence[str], numeric: bool) -> bool:
    """Whether rows by column, with their heads, are a table's."""
    texts = [text for row in placed for text in row if text]
    several = [row for row in placed if sum(map(bool, row)) > 1]
    if not texts or mean_length(texts) > LONGEST_CELL or any("@" in text for text in texts[:12]):
        return False
    firsts = [row[0] for row in several if row[0]]
    if firsts and sum(MARKER.fullmatch(text) is not None for text in firsts) * 2 > len(firsts):
        return False  # a list: markers and text
    if _are_formulas([*texts, *filter(None, header)]) or _are_contents(several):
        return False
    filled = sum(sum(map(bool, row)) for row in several) / len(several) / len(header) if several else 0.0
    if numeric:
        return _are_values(several, header) and (filled > SPARSE or len(header) < 5)
    words = sum(len(text.split()) for text in texts)
    return len(several) >= 3 and len(header) > 2 and filled > 0.7 and words < 6 * len(texts)


def mean_length(texts: Sequence[str]) -> float:
    """Of the texts, in characters."""
    return sum(map(len, texts)) / len(texts)


def _are_values(rows: Sequence[Sequence[str]], header: Sequence[str]) -> bool:
    """Whether rows of values are a table: enough of them, and labels or heads that say what they are."""
    values = sum(is_value(text) for row in rows for text in row[1:])
    labels = sum(bool(row[0]) and not is_datum(row[0]) for row in rows)
    headed = sum(map(bool, header[1:]))
    if labels * 2 < len(rows) and headed * 2 < len(header) - 1:
        return False  # the marks of a drawing's axis
    numbers = [text for row in rows for text in row[1:] if text]
    if not headed and all(NUMBERED.fullmatch(text) for text in numbers):
        return False  # formulas and their numbers
    return (len(rows) > 1 and values > 2) or (len(rows) == 1 and values > 1 and headed == len(header) - 1)


def _are_contents(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows are titles and their pages, a line of dots between."""
    whole = "|".join([text for row in rows for text in row])
    if whole.isascii() and not any(pair in whole for pair in PAIRS):
        return False  # as nearly always, at a hundredth of the cost
    led = [row for row in rows if any(LEADER.search(text) for text in row)]
    pages = [int(row[-1]) for row in led if row[-1].isdecimal() and len(row[-1]) < 5]
    return len(led) > 2 and len(led) * 2 > len(rows) and len(pages) == len(led) and pages == sorted(pages)


def _are_formulas(texts: Sequence[str]) -> bool:
    """Whether cells are pieces of formulas: several hold an operator, and most others are scraps of them."""
    formulas = sum(map(_is_formula, texts))
    scraps = sum(len(text) < 3 for text in texts)
    return formulas * 4 > len(texts) or (formulas > 1 and (formulas + scraps) * 5 > len(texts) * 2)


def _is_formula(text: str) -> bool:
    """Whether a cell is part of a formula: it holds an operator, and is no value.

    >>> [_is_formula(text) for text in ("(1 − ǫ)∥x∥2 ≤ 1", "=", "Sales", "<0.01", "A + B")]
    [True, True, False, False, False]
    """
    if text.isascii():
        return text == "="
    return not is_value(text) and any(character in OPERATORS for character in text)

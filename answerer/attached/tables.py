"""Whether a cell of a table is in another column or row than the one asked for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from answerer.aim import Aim
from answerer.asking import terms
from answerer.changes import State
from answerer.grid import Place, places
from answerer.periods import quarters


def other_cell(aim: Aim, text: str, own: Place) -> str:
    """Whether another column or row of the table is the one whose head or label the question names."""
    return of_other_column(aim, text, own) or of_other_row(aim, text, own) or _is_level_of_year(aim, text, own)


def of_other_column(aim: Aim, text: str, own: Place) -> str:
    """Why a column of a table is none of what is asked: the row has one that the question names."""
    return _other_line("column", own.head, aim, _asked_in(aim, text, "row", own.table, own.row))


def of_other_row(aim: Aim, text: str, own: Place) -> str:
    """Why a row of a table is none of what is asked: the column has one that the question names."""
    return _other_line("row", own.label, aim, _asked_in(aim, text, "column", own.table, own.column))


def _other_line(line: str, said: str, aim: Aim, others: Mapping[str, frozenset[str]]) -> str:
    mine = _named(said)
    for other, theirs in others.items():
        if mine & _wanted(aim) <= theirs and mine != theirs:
            return f"it stands in the {line} “{said.strip()}”, not “{other.strip()}”"
    return ""


def _is_level_of_year(aim: Aim, text: str, own: Place) -> str:
    """Why a cell is no difference between two years: it is of the one, and another one of its row of the other."""
    mine = _named(own.head) & aim.years
    others = (theirs & aim.years for theirs in _asked_in(aim, text, "row", own.table, own.row).values())
    if aim.states == {State.DIFFERENCE} and mine and any(theirs and theirs != mine for theirs in others):
        return f"it is what was so in {min(mine)}, not by how much it changed"
    return ""


def _wanted(aim: Aim) -> frozenset[str]:
    return aim.terms | aim.years | {f"Q{quarter}" for quarter in aim.quarters}


def _asked_in(aim: Aim, text: str, line: str, table: int, number: int) -> Mapping[str, frozenset[str]]:
    return _asked_lines(text, _wanted(aim)).get((line, table, number), {})


@lru_cache(maxsize=64)
def _asked_lines(text: str, wanted: frozenset[str]) -> Mapping[tuple[str, int, int], Mapping[str, frozenset[str]]]:
    """Of each row of a text's tables the heads, of each column the labels, that the question names, with their terms.

    Only of cells that hold a number.
    """
    found: dict[tuple[str, int, int], dict[str, frozenset[str]]] = defaultdict(dict)
    for one in places(text):
        if not any(map(str.isdigit, text[one.start : one.end])):
            continue
        for line, number, said in (("row", one.row, one.head), ("column", one.column, one.label)):
            theirs = _named(said)
            if theirs and theirs <= wanted:
                found[line, one.table, number][said] = theirs
    return found


@lru_cache(maxsize=4096)
def _named(text: str) -> frozenset[str]:
    bare = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", text)
    return frozenset(terms(bare)) | frozenset(f"Q{quarter}" for quarter in quarters(bare))

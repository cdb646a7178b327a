"""Lists of ids in a CSV field."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterable

BLANKS = frozenset({"", "is_blank", "none", "n/a"})

_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")


def read_references(text: str) -> tuple[str, ...]:
    """The ids of a field, each once, in order: a Python or JSON list, or bare ids; "" and is_blank are none.

    What stands in a list is an id whatever it says, as the contest counts it: see `clean`.

    >>> read_references("['a','b']"), read_references('["a"]'), read_references("a, b"), read_references("is_blank")
    (('a', 'b'), ('a',), ('a', 'b'), ())
    """
    text = text.strip()
    if text.startswith(("[", "(")):
        items = (id.strip() for id in _listed(text))
        return tuple(dict.fromkeys(id for id in items if id))
    return clean(re.split(r"[,;\n]", text))


def clean(ids: Iterable[str]) -> tuple[str, ...]:
    """The ids trimmed, each once, in order, without those that only say "blank".

    >>> clean(["a ", "is_blank", "a"])
    ('a',)
    """
    trimmed = (id.strip() for id in ids)
    return tuple(dict.fromkeys(id for id in trimmed if id.casefold() not in BLANKS))


def write_references(ids: Iterable[str]) -> str:
    """The field for ids: a Python list of quoted strings, "is_blank" for none.

    >>> write_references(["a", "b's"])
    "['a','b\\\\'s']"
    """
    quoted = ["'" + id.replace("\\", "\\\\").replace("'", "\\'").translate(_BREAKS) + "'" for id in ids]
    return f"[{','.join(quoted)}]" if quoted else "is_blank"


_BREAKS = {ord(character): repr(character)[1:-1] for character in "\n\r\0"}


def _listed(text: str) -> list[str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = _literal(text)
    if isinstance(found, list | tuple):
        return [item if isinstance(item, str) else str(item) for item in found]
    # a list that was cut off, or with a quote too many: what stands in quotes, else what stands between commas
    quoted = [single or double for single, double in _QUOTED.findall(text)]
    return quoted or re.split(r"[,;\n]", text.strip("[]()"))


def _literal(text: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a backslash in an id is no affair of the user's
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return None

"""Results in notebooks and tables: a base class for those of all stages; what shows them is a door's.

`kohaku.doors.notebook` says for each type what its HTML and its rows are; without it a result shows as any object does.
"""

from __future__ import annotations

from functools import singledispatch
from html import escape
from typing import Any


@singledispatch
def html(result: object) -> str:
    """A result as HTML."""
    return f"<pre>{escape(repr(result))}</pre>"


@singledispatch
def records(result: object) -> list[dict[str, Any]]:
    """A result as rows of plain values, all with the same keys; TypeError where nothing says how."""
    raise TypeError(f"nothing says what the rows of a {type(result).__name__} are: open the index with kohaku.open")


class Shown:
    """A result that notebooks show as HTML, and tables take as rows."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return html(self)

    def to_records(self) -> list[dict[str, Any]]:
        """Rows of plain values, all with the same keys: what `pandas.DataFrame` or `csv.DictWriter` takes."""
        return records(self)

"""Units that the table in `units.py` does not know, by pint: psi, BTU, acre-feet, °F."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Any

_NAME = re.compile(r"[A-Za-z°µ][\w°µ]{0,24}(?:[ -][A-Za-z]\w{1,24})?(?:\s?/\s?[A-Za-z]\w{0,24})?[²³]?")
_WRITTEN = {"°f": "degF", "fahrenheit": "degF", "°c": "degC", "celsius": "degC", "°": "degree"}
_NO_UNITS = re.compile(  # what pint knows and documents count: no inches of a point
    r"(?:points?|hands?|counts?|rods?|chains?|links?|bits?|cups?|drops?|dozens?|degrees?|pages?|turns?|poles?|particles?"
    r"|bars?|sheets?|lines?|ells?|reams?|quires?|barns?|teams?|cycles?|rounds?|revolutions?|events?|[A-Za-z])",
    re.IGNORECASE,
)


def converted(amount: Decimal, name: str, wanted: str) -> Decimal | None:
    """An amount in another unit, by their names; None where one is no unit or they measure different things.

    >>> converted(Decimal(50), "°F", "°C"), converted(Decimal(2), "trees", "m3")
    (Decimal('10'), None)
    """
    one, other = None if _NO_UNITS.fullmatch(name.strip()) else _measure(name), _measure(wanted)
    if one is None or other is None or one.dimensionality != other.dimensionality:
        return None
    result = float(_registry().Quantity(float(amount), one).to(other).magnitude)
    return Decimal(f"{result:.12g}") if abs(result) < 1e30 else None


@lru_cache(maxsize=512)
def _measure(name: str) -> Any | None:
    """A unit of pint's by a name that documents may hold: only plain names reach its parser."""
    name = _WRITTEN.get(name.strip().lower(), name.strip())
    if not _NAME.fullmatch(name):
        return None
    from pint.errors import PintError

    written = re.sub(r"[\s-]feet\b", "_foot", re.sub(r"(?<=[a-z])([23])\b", r"**\1", name))
    for spelling in (written, re.sub(r"(?<=\w)[\s-](?=\w)", "_", written)):
        try:
            found = _registry().parse_units(spelling.translate({ord("²"): "**2", ord("³"): "**3"}))
        except (PintError, ValueError, TypeError, AttributeError, KeyError):
            continue
        return None if found.dimensionless else found
    return None


@lru_cache(maxsize=1)
def _registry() -> Any:
    """pint's table: it takes as long to load as a question to be answered, so only where it is needed."""
    import pint

    return pint.UnitRegistry(cache_folder=None)

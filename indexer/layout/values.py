"""What the text of a table's cell is: a value, a year, a period, the mark of a note or of a list."""

from __future__ import annotations

import re
from functools import lru_cache

NUMBER = re.compile(
    r"[\s($€£¥~<>≈≤≥±+\-−–—]*\d[\d,.\s]*(?:[eE×]\s?[-−]?\d+)?\s*(?:%|[xX]|bps|pp|[KMBT])?[\s)%*†‡]*(?:\([a-z0-9]\))?"
    r"|[-–—−*]+|n\.?[/.]?[am]\.?|nm|–\s?%|[-—–]\s*%",
    re.IGNORECASE,
)
YEAR = re.compile(r"(?:FY\s?|Q[1-4]\s?)?(?:19|20)\d\d[A-Z]?\*?(?:\s?\([a-z0-9]\))?")
MARK = re.compile(r"(?:\(?[a-z0-9]{1,2}\)|\[\d+\]|[*†‡§¶]+)(?:[,\s]*(?:\(?[a-z0-9]{1,2}\)|[*†‡§¶]+))*")
MARKER = re.compile(r"[•▪◦●○■□‣–—*·]|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]+)[.)]|\[\d+\]")
# What heads of bare years are years of: "Years ended December 31", "As of June 30,".
PERIOD = re.compile(
    r"(?:for )?(?:the )?(?:"
    r"(?:three|six|nine|twelve|thirteen|twenty-six|thirty-nine|fifty-two|\d+)[\s-](?:months?|weeks?)"
    r"|(?:fiscal |calendar )?years?(?= end)|quarters?(?= end)"
    r"|(?:quarterly |annual |interim |transition )?periods?(?= end)|as of|as at|at (?=[a-z]+ \d|year)"
    r")\b.{0,50}",
    re.IGNORECASE,
)
LONGEST_CELL = 90  # characters on average: longer ones are columns of prose


@lru_cache(maxsize=4096)  # a cell's text is looked at some ten times
def is_value(text: str) -> bool:
    """Whether a cell holds a number, with its signs and its unit, or says that there is none."""
    return NUMBER.fullmatch(text.strip()) is not None


@lru_cache(maxsize=4096)
def is_datum(text: str) -> bool:
    """Whether a cell holds a value that is no year: years are heads as a rule."""
    return is_value(text) and not YEAR.fullmatch(text.strip())

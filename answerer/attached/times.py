"""Whether a value is of another year, quarter or month than the one asked for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from answerer.aim import Aim
from answerer.asking import terms
from answerer.attached.counted import may_be_alike
from answerer.attached.said import LEAD, Said, Span, clause
from answerer.changes import State, grows, state
from answerer.periods import MONTH, ORDINALS
from answerer.quantities import Quantity
from kohaku.words import stem


def other_period(aim: Aim, said: Said) -> str | None:
    """Why a number is of another year, or part of one; "" where it is of the one asked for, None where of none."""
    if aim.wants_date:
        return None
    found = [
        _other_of_these(aim, said, wanted, pattern) if wanted and (needed is None or needed.search(said.text)) else None
        for wanted, pattern, needed in (
            (aim.years, _YEARS, None),
            (aim.quarters, _QUARTERS, _QUARTER),
            (aim.halves, _HALVES, _HALF),
            (aim.months, _MONTHS, None),
        )
    ]
    return next(filter(None, found), "" if "" in found else None)


def _other_of_these(aim: Aim, said: Said, wanted: frozenset[str], pattern: re.Pattern[str]) -> str | None:
    """Why a number is of another one of periods of the same length than those wanted."""
    held = [
        (match.span(), _period(match))
        for match in pattern.finditer(said.text)
        if not _covers(said.number, match.start())
    ]
    own = _paired(said, [span for span, _ in held])
    if own is None:
        return None
    span, period = held[own]
    shown = f"“{said.text[slice(*span)].strip()}”"
    if period not in wanted:
        is_told = any(name in wanted for _, name in held) or _is_told_elsewhere(aim, said, wanted)
        return f"it is of {shown}" if is_told else None
    if why := _is_level(aim, said, held, wanted, period):
        return why
    is_event = wanted is aim.years and _is_event(said.text, span[0]) and _is_told_elsewhere(aim, said, wanted)
    return f"{shown} is the year of something else" if is_event else ""


def only_part_of_year(aim: Aim, said: Said) -> str | None:
    """Why a number is of a month, a quarter or a half, where a number beside it is of the whole year asked for."""
    if not aim.years or aim.quarters | aim.halves | aim.months or aim.terms & _LENGTHS or aim.wants_date:
        return None
    part = _PART.search(clause(said.text, said.number))
    clauses = [
        clause(text, one)
        for text, one in (said.around if part else ())
        if may_be_alike(said.text, said.number, text, one)
    ]
    is_told = any(years_of(other) & aim.years and not _PART.search(other) for other in clauses)
    return f"it is of “{part[0]}”, a part of the year" if part and is_told else None


_LENGTHS = frozenset(
    map(stem, ("month", "monthly", "quarter", "quarterly", "half", "period", "season", "end", "start", "beginning"))
)
"""Stems of words by which a question may ask for a part of a year, or a day of it."""
_PART = re.compile(
    rf"(?<!\d\s)\b(?:{MONTH})\b(?!\s\d{{1,2}}\b)|\bQ[1-4]\b|\bH[12]\b"
    r"|\b(?i:(?:first|second|third|fourth)[\s-](?:quarter|half))\b"
)
_YEAR_BESIDE = (
    r"\b(?:(?P<next>the\s(?:following|next)\syear|(?:a|one)\syear\slater)"
    r"|(?:a|one|the)\syear\searlier|the\s(?:previous|prior|preceding)\syear|(?:a|the)\syear\sbefore(?=[.,;)]|$))"
)
_RELATIVE = re.compile(rf"[^;,.\d]{{0,25}}?{_YEAR_BESIDE}", re.IGNORECASE)
_LATER = re.compile(rf"(?:^|[;,.]|\b(?:and|but|while|in))\s?{_YEAR_BESIDE},?[^;,.\d]{{0,40}}$", re.IGNORECASE)


def other_relative_year(aim: Aim, said: Said) -> str | None:
    """Why a number is of another year than the one asked for, where its year or another's is told as "the year before".

    "" where it is of that; None where the sentence names no year, or several, or nothing is of the one before or after.
    """
    told = {match[1] for match in _YEARS.finditer(said.text) if not _covers(said.number, match.start())}
    if len(told) != 1 or not aim.years or aim.wants_date:
        return None
    year = int(told.pop())
    own, *others = (_relative(said.text, one) for one in (said.number, *said.others))
    if own:
        return "" if _year_of(own, year) in aim.years else f"it is of “{own[0].strip()}”, after or before {year}"
    is_other = str(year) not in aim.years and any(one and _year_of(one, year) in aim.years for one in others)
    return f"it is of “{year}”" if is_other else None


def _relative(text: str, one: Quantity) -> re.Match[str] | None:
    """What tells the year of a number, behind it or before: "a year later it lent 5"."""
    return _RELATIVE.match(text, one.end) or _LATER.search(text[max(0, one.start - LEAD) : one.start])


def _year_of(match: re.Match[str], year: int) -> str:
    return str(year + (1 if match["next"] else -1))


def other_end_of_span(aim: Aim, said: Said) -> str | None:
    """Why a number is of the other end of a time: "between 2010 and 2015 it grew from 120 to 180"; None for others."""
    span = _SPAN.search(said.text)
    side = state(said.text, said.number, said.end)
    if span is None or side not in (State.BEFORE, State.AFTER) or len(aim.years & {span[1], span[2]}) != 1:
        return None
    year = span[1] if side is State.BEFORE else span[2]
    return "" if year in aim.years else f"it is of “{year}”"


_SPAN = re.compile(r"\b(?:between|from)\s((?:19|20)\d\d)\s(?:and|to|until)\s((?:19|20)\d\d)\b", re.IGNORECASE)


def _is_level(aim: Aim, said: Said, held: Sequence[tuple[Span, str]], wanted: frozenset[str], period: str) -> str:
    """Why a number is no difference between two periods: it is what was so in the one, another in the other."""
    if aim.states != {State.DIFFERENCE} or len(wanted) < 2 or grows(said.text, said.number):
        return ""
    for one in said.others:
        other = _paired(replace(said, number=one, others=(said.number,)), [span for span, _ in held])
        if other is not None and held[other][1] in wanted - {period}:
            return f"it is what was so in {period}, not by how much it changed"
    return ""


def _is_told_elsewhere(aim: Aim, said: Said, wanted: frozenset[str]) -> bool:
    """Whether another sentence has such a number of a year asked for, in the same unit or of the same thing."""
    for text, one in said.elsewhere:
        if any(match[1] in wanted and not _is_event(text, match.start()) for match in _YEARS.finditer(text)):
            like = one.unit is not None or one.scale > 1 or one.words.split()[:1] == said.number.words.split()[:1] != []
            if like or aim.terms & frozenset(terms(text)):
                return True
    return False


def _is_event(text: str, place: int) -> bool:
    """Whether the year at a place is when something else happened: "since it opened in 2021", ", built in 2021"."""
    return _EVENT.search(text, max(0, place - LEAD), place) is not None


_EVENT = re.compile(
    r"(?:\b(?:since|after|before|until|when|which|who|whose|where)(?:\s[\w'’-]+){1,8}"
    r"|,\s(?:founded|built|opened|born|made|sold|bought|created|set up|\w+ed)(?:\s\w+){0,3})\s(?:in\s|of\s)?$",
    re.IGNORECASE,
)
_YEARS = re.compile(r"(?<!\d)(?:[CF]Y\s?)?((?:19|20)\d\d)(?!\d)")
_QUARTERS = re.compile(r"\bQ([1-4])\b|\b(first|second|third|fourth)\b", re.IGNORECASE)
_MONTHS = re.compile(rf"\b({MONTH})\b(?!\s\d)")
_QUARTER = re.compile(r"quarter|\bQ[1-4]\b", re.IGNORECASE)
_HALVES = re.compile(r"\bH([12])\b|\b(first|second)\b", re.IGNORECASE)
_HALF = re.compile(r"\bhalf\b|\bH[12]\b", re.IGNORECASE)


def _period(match: re.Match[str]) -> str:
    name = next(group for group in match.groups() if group).lower()
    return str(ORDINALS.index(name) + 1) if name in ORDINALS else name


def _covers(one: Quantity, place: int) -> bool:
    return one.start <= place < one.end


_COSTS = (
    (re.compile(r"\b(?:while|but|whereas|compared|versus|against|up|down)\b|[;；。]", re.IGNORECASE), 3),
    (re.compile(r"\b(?:and|und|et|y|e|en|och|when|after|before|since|until)\b", re.IGNORECASE), 2),
    (re.compile(r"[,，、]"), 1),
)


def _paired(said: Said, spans: Sequence[Span]) -> int | None:
    """Which of the spans the number goes with: the nearer by what stands between, None where another number does."""
    found: list[tuple[int, int, int]] = []
    behind = bisect_left(spans, (said.number.start, said.number.end))
    for index in range(max(0, behind - 1), min(len(spans), behind + 1)):
        start, end = spans[index]
        first, last = sorted(((start, end), (said.number.start, said.number.end)))
        gap = said.text[first[1] : last[0]]
        if not any(first[1] <= one.start < last[0] for one in said.others):
            cost = next((cost for pattern, cost in _COSTS if pattern.search(gap)), 0)
            follows = start > said.number.start and re.search(r"\b(?:in|for|of|during|by)\s*(?:the\s)?$|\($", gap[-20:])
            found.append((cost, 0 if follows else 1, index))
    best = min(found, default=None)
    return best[2] if best is not None and best[0] < 3 else None


def years_of(text: str) -> frozenset[str]:
    """The years that a text names."""
    return frozenset(match[1] for match in _YEARS.finditer(text))

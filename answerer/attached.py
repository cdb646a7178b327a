"""Whether a number or a name is said of something else than what is asked, though it stands in the same sentence.

Each rule needs two things: the value is attached to another thing (a noun, a year, a row, a side of a change), and what
is asked has a value of its own beside it, or the value is denied. Where a rule finds neither, the value stands.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from answerer.aim import PLANS, Aim, is_plural, sign
from answerer.asking import terms
from answerer.changes import State, grows, state
from answerer.figures import Number, line_at, lines, numbers
from answerer.grid import Place, places
from answerer.periods import MONTHS, quarters
from answerer.quantities import Quantity
from answerer.units import unit
from answerer.where import held
from kohaku import rows
from kohaku.words import is_year, stem

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Said:
    """A number in its sentence: the sentence, where the number stands in it, and the others of its kind there.

    `elsewhere` are the sentences around that have one of its kind, each with that, `beside` those of them that are
    the next before and behind.
    """

    text: str
    number: Quantity
    others: tuple[Quantity, ...]
    elsewhere: tuple[tuple[str, Quantity], ...]
    beside: tuple[tuple[str, Quantity], ...]

    @property
    def before(self) -> str:
        """What stands before the number."""
        return self.text[: self.number.start]

    @property
    def after(self) -> str:
        """What stands behind it."""
        return self.text[self.number.end :]


def is_of_other(aim: Aim, text: str, number: Number, end: int = 0, *, positive: bool = False) -> str:
    """Why a number of a text is none of what is asked, "" where nothing says so.

    `end` is which end of the number was meant: -1 the low one of a range, 1 the high one, 0 where it has one alone;
    `positive`: whether more than nothing is claimed.
    """
    if positive and (why := _of_other_sign(aim, text, number)):
        return why
    if number.place is not None:
        return _in_other_cell(aim, text, number.place)
    said = _said(text, number)
    if why := _denied(aim, said) or _of_other_unit(aim, said) or _points(aim, said) or _one_end(aim, said, end):
        return why
    if (
        why := _planned(aim, said)
        or _is_only_share(aim, said)
        or _other_part(aim, said)
        or _is_one_of_two(aim, said, counted(said.text, said.number))
        or of_other_sentence(aim, text, (number.quantity.start, number.quantity.end))
    ):
        return why
    for of_period in (_of_end_of_span(aim, said, end), _of_relative_year(aim, said), _other_period(aim, said)):
        if of_period is not None:
            return of_period
    of_noun = _other_noun(aim, said)
    return (
        of_noun
        or _other_side(aim, said, end)
        or _listed_elsewhere(aim, said)
        or _other_clause(aim, said, is_counted=of_noun is not None)
    )


LEAD = 80  # characters before a number that the word, the sign or the label before it stands in
NEAR = 24
"""Numbers before one and behind it that are looked at beside it: in any text as many, however long that is."""


def _said(text: str, number: Number) -> Said:
    own, (start, stop) = number.quantity, number.line
    found = numbers(text)
    at = bisect_left(found, own.start, key=lambda one: one.quantity.start)
    near = found[max(0, at - NEAR) : at + NEAR + 1]
    alike = [one for one in near if one.quantity.start != own.start and _is_alike(one.quantity, own)]
    others = tuple(_moved(one.quantity, -start) for one in alike if one.line == number.line)
    away = [one for one in alike if one.line != number.line]
    beside = {lines(text)[place] for place in _next_to(text, number.line)}
    return Said(
        text[start:stop],
        _moved(own, -start),
        others,
        tuple(_told(text, one) for one in away),
        tuple(_told(text, one) for one in away if one.line in beside),
    )


def _told(text: str, one: Number) -> tuple[str, Quantity]:
    return text[slice(*one.line)], _moved(one.quantity, -one.line[0])


def _next_to(text: str, line: Span) -> Iterator[int]:
    """The numbers of the lines before and behind one."""
    at = bisect_left(lines(text), line)
    yield from (place for place in (at - 1, at + 1) if 0 <= place < len(lines(text)))


def _moved(one: Quantity, by: int) -> Quantity:
    return replace(one, start=one.start + by, end=one.end + by)


def _is_alike(one: Quantity, other: Quantity) -> bool:
    """Whether two numbers may answer one question: neither is a year, and they measure the same."""
    if _is_year(one) != _is_year(other):
        return False
    dimensions = {found.unit.dimension for found in (one, other) if found.unit is not None}
    return len(dimensions) <= 1


def _is_year(one: Quantity) -> bool:
    return one.unit is None and is_year(one.digits)


# --- tables


def _in_other_cell(aim: Aim, text: str, own: Place) -> str:
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


# --- sentences

_NOT = re.compile(
    r"(?:\b(?:not|never|no longer|nicht|pas|niet|inte)\b"
    r"(?!\s(?:only|just|even|more|less|fewer|exceed\w*|above|below|over))"
    r"|\b(?:rather than|instead of|anstatt|statt)\b)(?:\s[\w-]+){0,3}\s?$",
    re.IGNORECASE,
)
_FALSE = re.compile(
    r"\b(?:is|was)\s(?:false|untrue|incorrect|wrong|not\strue)\sthat\b(?:\s[^\s;:,]+){0,8}\s?$", re.IGNORECASE
)


def _denied(aim: Aim, said: Said) -> str:
    found = None if aim.negates else _NOT.search(said.before) or _FALSE.search(said.before)
    return f"it is denied there: “{found[0].strip()} {_shown(said)}”" if found else ""


def _planned(aim: Aim, said: Said) -> str:
    """Why a number is only planned, where one of the same things is told that is so; and the reverse.

    The other one stands in another clause or in a sentence beside. Where the year asked for is the plan's and is not
    over yet, the plan is what is asked for.
    """
    planned = _plan(said.text, said.number)
    if bool(planned) is aim.plans:
        return ""
    around = [*((said.text, one) for one in said.others), *said.beside]
    rivals = [
        (text, one) for text, one in around if bool(_plan(text, one)) is aim.plans and _is_same(aim, said, text, one)
    ]
    if aim.plans:
        is_meant = aim.wants_plan and any(_is_of_year_asked(aim, *rival) for rival in rivals)
        return f"it is what was so, not what was planned: “{_shown(said)}”" if is_meant else ""
    is_asked = aim.years & _years_of(_clause(said.text, said.number))
    told = [rival for rival in rivals if not is_asked or (aim.is_past and _is_of_year_asked(aim, *rival))]
    return f"it is a plan: “{planned} {_shown(said)}”" if told else ""


def _is_of_year_asked(aim: Aim, text: str, one: Quantity) -> bool:
    """Whether the clause of a number names a year asked for, or none."""
    told = _years_of(_clause(text, one))
    return not told or not aim.years or bool(told & aim.years)


def _years_of(text: str) -> frozenset[str]:
    return frozenset(match[1] for match in _YEARS.finditer(text))


def _is_same(aim: Aim, said: Said, text: str, one: Quantity) -> bool:
    """Whether a number beside another one tells of the same: it counts that, or is said to be the true one, or nothing
    is counted, and its sentence goes on with that or has a word of the question.
    """
    own, theirs = counted(said.text, said.number), counted(text, one)
    if own and theirs:
        return bool(own & theirs)
    alike = [found.unit.dimension if found.unit else "" for found in (said.number, one)]
    if alike[0] != alike[1] or text == said.text:
        return False
    return _is_counterpart(text) or (not own and not theirs and bool(_PRONOUN.match(text) or aim.terms & held(text)))


def _is_counterpart(text: str) -> bool:
    return _COUNTERPART.match(text) is not None


_COUNTERPART = re.compile(r"(?:But|However|Yet|Only|Instead|In (?:the end|fact)|Actually|The actual|Eventually)\b")


def _plan(text: str, one: Quantity) -> str:
    """The words of a plan that lead to a number, "" where none do."""
    found = list(PLANS.finditer(text, 0, one.start))
    led = text[found[-1].start() : one.start] if found else ""
    return led.strip() if len(led.split()) <= LONGEST_PLAN and not re.search(r"[,;:]", led) else ""


LONGEST_PLAN = 7  # words from "plans" to the number: "plans to have no more than"


def _clause(text: str, one: Quantity) -> str:
    """What stands around a number up to the next semicolon, or joint that begins a clause of its own."""
    cuts = [0, *(match.end() for match in _CLAUSES.finditer(text)), len(text)]
    return next((text[start:end] for start, end in pairwise(cuts) if start <= one.start < end), text)


_CLAUSES = re.compile(r"[;；]|,?\s(?:while|but|whereas|although)\s|,\sand\s")
_NEGATIVE = re.compile(r"(?:[-−–]|\b(?:negative|minus)\s)\s?$", re.IGNORECASE)


def _of_other_sign(aim: Aim, text: str, number: Number) -> str:
    """Why more than nothing is none of it: a loss where a profit is asked for, or the reverse, or in brackets."""
    one = number.quantity
    line = text[slice(*number.line)] if number.place is None else number.place.label
    led, behind = text[max(0, one.start - LEAD) : one.start], text[one.end : one.end + LEAD]
    bracketed = led.rstrip("$€£¥ ").endswith("(") and behind.lstrip().startswith(")")
    if not aim.sign or one.low < 0 or _NEGATIVE.search(led):
        return ""
    if sign(line) == -aim.sign and not bracketed:
        return f"it is of a {'loss' if aim.sign > 0 else 'profit'}"
    before = led.rstrip("$€£¥( ")
    is_value = number.place is not None or before.endswith((" was", " were", " is", " of", " to"))
    return "it stands in brackets, as less than nothing" if aim.sign > 0 and bracketed and is_value else ""


def _of_other_unit(aim: Aim, said: Said) -> str:
    """A bare number that counts something, where another unit is asked for: "20 pumps" are no 20 percent."""
    if aim.unit is None or not aim.unit.known or said.number.unit is not None:
        return ""
    counted = _COUNTS.match(said.text, said.number.end)
    words = counted[0].split() if counted else []
    if not words or not is_plural(words[-1]) or any(unit(word).known for word in words):
        return ""
    return f"it counts “{words[-1]}”"


_COUNTS = re.compile(r"\s[a-z]{3,}\b")
_POINT = re.compile(r"[\s-]?(?:percentage[\s-])?points?\b|\s?pp\b", re.IGNORECASE)


def _points(aim: Aim, said: Said) -> str:
    """Percent where percentage points are asked for, and the reverse, beside a number of the other kind."""
    if said.number.unit is None or said.number.unit.dimension != "share":
        return ""
    own, others = _is_of_points(said, said.number), [_is_of_points(said, one) for one in said.others]
    if own is aim.points or aim.points not in others:
        return ""
    return "it is in percentage points" if own else "it is in percent, not in percentage points"


def _is_of_points(said: Said, one: Quantity) -> bool:
    return _POINT.search(said.text, one.start, one.end + 20) is not None and (
        _POINT.match(said.text, one.end) is not None or "point" in said.text[one.start : one.end].lower()
    )


def _is_only_share(aim: Aim, said: Said) -> str:
    """A share of something, where a change is asked for and another number of the place is one."""
    one = said.number
    is_share = one.unit is not None and one.unit.dimension == "share" and _OF.match(said.text, one.end)
    if State.DIFFERENCE not in aim.states or not is_share or grows(said.text, one):
        return ""
    around = [*((said.text, other) for other in said.others), *said.beside]
    has_rival = any(other.unit == one.unit and grows(text, other) for text, other in around)
    return f"it is a share, not a change: “{_shown(said)}”" if has_rival else ""


_OF = re.compile(r"\s(?:of|in)\s(?!(?:19|20)\d\d)")


def _one_end(aim: Aim, said: Said, end: int) -> str:
    """One end of a range where the other one or both are asked for."""
    if not end or not said.number.is_range or state(said.text, said.number) is not None:
        return ""
    if aim.wants_range or (aim.wants_most and end < 0) or (aim.wants_least and end > 0 and not aim.wants_most):
        return f"it is one end of a range: {_shown(said)}"
    return ""


def _other_period(aim: Aim, said: Said) -> str | None:
    """Why a number is of another year, quarter or month; "" where it is of the one asked for, None where of none."""
    for wanted, found in (
        (aim.years, _YEARS.finditer(said.text)),
        (aim.quarters, _QUARTERS.finditer(said.text if _QUARTER.search(said.text) else "")),
        (aim.months, _MONTHS.finditer(said.text)),
    ):
        held = [(match.span(), _period(match)) for match in found if not _covers(said.number, match.start())]
        if not wanted or not held or aim.wants_date:
            continue
        own = _paired(said, [span for span, _ in held])
        if own is None:
            continue
        period = held[own][1]
        if period in wanted:
            if why := _is_level(aim, said, held, wanted, period):
                return why
            if wanted is aim.years and _is_event(said.text, held[own][0][0]) and _is_told_elsewhere(aim, said, wanted):
                return f"“{said.text[slice(*held[own][0])].strip()}” is the year of something else"
            return ""
        if any(name in wanted for _, name in held) or _is_told_elsewhere(aim, said, wanted):
            return f"it is of “{said.text[slice(*held[own][0])].strip()}”"
    return None


_YEAR_BESIDE = (
    r"\b(?:(?P<next>the\s(?:following|next)\syear|(?:a|one)\syear\slater)"
    r"|(?:a|one|the)\syear\searlier|the\s(?:previous|prior|preceding)\syear|(?:a|the)\syear\sbefore(?=[.,;)]|$))"
)
_RELATIVE = re.compile(rf"[^;,.\d]{{0,25}}?{_YEAR_BESIDE}", re.IGNORECASE)
_LATER = re.compile(rf"(?:^|[;,.]|\b(?:and|but|while|in))\s?{_YEAR_BESIDE},?[^;,.\d]{{0,40}}$", re.IGNORECASE)


def _of_relative_year(aim: Aim, said: Said) -> str | None:
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


def _of_end_of_span(aim: Aim, said: Said, end: int) -> str | None:
    """Why a number is of the other end of a time: "between 2010 and 2015 it grew from 120 to 180"; None for others."""
    span = _SPAN.search(said.text)
    side = state(said.text, said.number, end)
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
_MONTHS = re.compile(rf"\b({'|'.join(map(str.capitalize, MONTHS))})\b(?!\s\d)")
_QUARTER = re.compile(r"quarter|\bQ[1-4]\b", re.IGNORECASE)
_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4"}


def _period(match: re.Match[str]) -> str:
    name = next(group for group in match.groups() if group).lower()
    return _ORDINALS.get(name, name)


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


def _other_noun(aim: Aim, said: Said) -> str | None:
    """Why a number counts other things than those asked for; "" where it counts those, None where that isn't told."""
    if not aim.nouns:
        return None
    own = counted(said.text, said.number) or frozenset(terms(_LETTERS_ONLY.sub(" ", _written(said))))
    rival = next((one for one in said.others if counted(said.text, one) & aim.nouns), None)
    if own & aim.nouns:
        return "" if rival is None else None
    if not own:
        return None
    if rival is None:
        return _counted_elsewhere(aim, said)
    return f"{_shown(said)} are counted beside “{said.text[rival.start : rival.end + 20].strip()}”"


def _other_part(aim: Aim, said: Said) -> str:
    """Why a number is of a whole where a part is asked for, or of the part: "1,200 paintings, 340 of them on show"."""
    found = _PART_OF.search(said.text)
    if found is None or aim.negates:
        return ""
    head, part = (
        frozenset(terms(words)) & aim.terms for words in (said.text[: found.start()], said.text[found.start() :])
    )
    is_part = said.number.start >= found.start()
    inside = [one for one in said.others if (one.start >= found.start()) is not is_part]
    if is_part and not part and head:
        return f"it is a part: “{said.text[found.start() :].strip(' ,.')}”"
    return f"it is the whole, not the part: “{_shown(said)}”" if inside and not is_part and part - head else ""


_PART_OF = re.compile(
    r",\s(?:and\s)?(?:of\s(?:which|whom|these|those)\b|[$€£¥]?\d[\d.,]*\s?(?:%|\w{1,12}\s)?\s?of\s(?:which|whom|them|these|those|it)\b)"
)
"""Where what is said of a part begins."""


def _is_one_of_two(aim: Aim, said: Said, own: frozenset[str]) -> str:
    """Why a number is no difference between two counts: it is the one of them, and the other is beside it."""
    if aim.states != {State.DIFFERENCE} or grows(said.text, said.number):
        return ""
    mine = own & aim.terms
    for one in said.others:
        theirs = counted(said.text, one) & aim.terms
        if mine - theirs and theirs - mine:
            return f"{_shown(said)} are counted, not how many more or less there are"
    spans = sorted((one.start, one.end) for one in (said.number, *said.others))
    told = _clause_terms(aim.terms, said.text, spans) or []
    of_own = next((words for span, words in zip(spans, told, strict=False) if span[0] == said.number.start), None)
    if of_own and any(of_own - theirs and theirs - of_own for theirs in told):
        return f"{_shown(said)} is said of the one of two, not by how much they differ"
    return ""


def _written(said: Said) -> str:
    return said.text[said.number.start : said.number.end] if said.number.unit is not None else ""


_LETTERS_ONLY = re.compile(r"[\W\d_]+")


def _counted_elsewhere(aim: Aim, said: Said) -> str | None:
    """Why a number counts other things: another sentence, of the same verb and more of what is asked, has those."""
    told = held(said.text) & aim.terms
    verb = said.before[-LEAD:].split()[-1:]
    for text, one in said.elsewhere:
        theirs = held(text) | (told if _PRONOUN.match(text) else frozenset())
        is_like = told < theirs & aim.terms and verb == text[max(0, one.start - LEAD) : one.start].split()[-1:]
        if verb and is_like and counted(text, one) & aim.nouns:
            return f"{_shown(said)} are counted beside “{text.strip()}”"
    return None


_PRONOUN = re.compile(r"(?:It|They)\b")
_PHRASE = re.compile(r"(?:[\s-](?!(?:and|or|of|in|on|at|to|for|with|by|per|und|et|y)\b)[^\W\d_][\w’'-]*){1,3}")
_LABEL = re.compile(r"(?<![\w-])([^\W\d_][\w-]*)\s?[:=(]\s?$")


def counted(text: str, one: Quantity) -> frozenset[str]:
    """The stems of what a number counts: the words behind it up to a noun, or the label before it."""
    label = _LABEL.search(text, max(0, one.start - LEAD), one.start)
    if label:
        return frozenset(terms(label[1]))
    phrase = _PHRASE.match(text, one.end)
    if phrase is None:
        return frozenset()
    words = re.findall(r"[^\W\d_][\w’'-]*", phrase[0])
    last = next((at for at, word in enumerate(words) if is_plural(word)), None)
    things = words[: last + 1] if last is not None else []
    return frozenset(map(stem, things)).union(*map(terms, things))


def _other_side(aim: Aim, said: Said, end: int) -> str:
    """Why a number is another side of a change than the one asked for."""
    own = state(said.text, said.number, end)
    if own is None or own in aim.states or aim.negates:
        return ""
    has_rival = said.number.is_range or any(
        (other := state(said.text, one)) is not None and other in aim.states for one in said.others
    )
    return f"it is {_SIDES[own]}" if has_rival or own is State.DIFFERENCE else ""


_SIDES = {
    State.BEFORE: "what it was before the change",
    State.AFTER: "what it was after the change",
    State.DIFFERENCE: "by how much it changed",
}


def _listed_elsewhere(aim: Aim, said: Said) -> str:
    """Why "respectively" gives a number to another of the things listed before."""
    if "respectively" not in said.after:
        return ""
    places = sorted([said.number, *said.others], key=lambda one: one.start)
    head = said.text[: places[0].start]
    items = [part for part in re.split(r",\s*(?:and\s)?|\sand\s", head) if part.strip()][-len(places) :]
    meant = [at for at, item in enumerate(items) if set(terms(item)) & aim.terms]
    if len(items) != len(places) or len(places) < 2 or len(meant) != 1 or places[meant[0]] is said.number:
        return ""
    return f"“respectively” gives it to “{items[places.index(said.number)].strip()}”"


_CUTS = (
    re.compile(r"[;；]"),
    re.compile(r",?\s(?:while|but|whereas|although)\s"),
    re.compile(r":\s"),
    re.compile(r",\s(?:and|or)\s|，"),
    re.compile(r"\s(?:and|or|und|et|y)\s|、"),
    re.compile(r",\s"),
)


def _other_clause(aim: Aim, said: Said, *, is_counted: bool) -> str:
    spans = [(one.start, one.end) for one in (said.number, *said.others)]
    why = _other_event(aim, said) if aim.wants_date else ""
    own = counted(said.text, said.number)
    shared = own if all(counted(said.text, one) <= own for one in said.others) else frozenset()
    if is_counted and not shared:
        return why
    return why or other_clause(aim.terms - shared, said.text, spans[0], spans[1:])


def _other_event(aim: Aim, said: Said) -> str:
    rivals = (match.start() for match in _ANY_YEAR.finditer(said.text))
    return _event_of_other(aim, said.text, [said.number.start, *(one for one in rivals if one != said.number.start)])


_ANY_YEAR = re.compile(r"(?<![\w.,])(?:1\d|20)\d\d(?![\d%]|[.,]\d)")  # of any century, where years are asked for


def _date_of_other_event(aim: Aim, sentence: str, start: int, end: int) -> str:
    """Why a day is of another event than the one asked for, where the sentence tells the day of that."""
    days = [date.start() for date in _DATES.finditer(sentence)]
    own = [day for day in days if start <= day < end]
    return _event_of_other(aim, sentence, [own[0], *(day for day in days if day not in own)]) if own else ""


_MONTH = "|".join(map(str.capitalize, MONTHS))
_DATES = re.compile(rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?(?:{_MONTH})|(?:{_MONTH})\s\d{{1,2}})\b")


def _event_of_other(aim: Aim, text: str, places: Sequence[int]) -> str:
    """Why the first of some dates is of another event: the last word before it is none of the question's, one before
    another of them is.
    """
    own, *others = (_last_term(text[max(0, place - LEAD) : place]) for place in places)
    wanted = set(map(_root, aim.terms))
    rival = next((word for word in others if _root(word) in wanted), "")
    return f"it is of what was “{own}”" if rival and own and _root(own) not in wanted else ""


def _root(word: str) -> str:
    """A stem without what is left of a verb's ending: "die" and "died", "marry" and "marri"."""
    return word.removesuffix("d").removesuffix("e").removesuffix("i").removesuffix("y") or word


def _last_term(text: str) -> str:
    words = [term for word in re.findall(r"[^\W\d_]+", text.lower()) for term in terms(word)]
    return words[-1] if words and words[-1] not in MONTHS else ""


def other_clause(wanted: frozenset[str], text: str, own: Span, others: Sequence[Span]) -> str:
    """Why another clause of a sentence, with a value of its own, is the one that speaks of what is asked.

    A clause is what stands between the last joint before its value and the first one after; what stands before the
    first value is said of all. One that has more of the question's words than the value's, and all of those, is meant.
    """
    spans = sorted([own, *others])
    told = _clause_terms(wanted, text, spans)
    if told is None:
        return ""
    mine = told[spans.index(own)]
    rival = next((at for at, theirs in enumerate(told) if mine < theirs), None)
    return f"“{text[slice(*spans[rival])]}” is what is said of that" if rival is not None else ""


def _clause_terms(wanted: frozenset[str], text: str, spans: Sequence[Span]) -> list[frozenset[str]] | None:
    """The question's words in the clause of each value, but for those said of all; None where nothing parts them.

    "It" and "they" stand for what the first clause ends with.
    """
    cuts = [_cut(text, one[1], other[0]) for one, other in pairwise(spans)]
    if not spans[1:] or None in cuts or "respectively" in text:
        return None
    edges = [spans[0][1], *(cut for cut in cuts if cut is not None), len(text)]
    edges[0] = _opening(text, spans, edges)
    shared = frozenset(terms(text[: edges[0]]))
    told: list[frozenset[str]] = []
    for first, last in pairwise(edges):
        own = frozenset(terms(text[first:last])) & wanted - shared
        named = {_last_term(text[edges[0] : edges[1]])} & wanted if told else frozenset()
        told.append(own | named if _STANDS_FOR.search(text, first, last) else own)
    return told


_STANDS_FOR = re.compile(r"\s(?:it|they|them)\b")


def _opening(text: str, spans: Sequence[Span], edges: Sequence[int]) -> int:
    """Up to where a sentence is said of all its values: to the first, or, where each has a subject of its own, less.

    That is to the last colon before the first value, or to nothing.

    >>> text = "Heights: the mill 12 m, the barn 9 m."
    >>> _opening(text, [(18, 22), (33, 36)], [22, 22, 37]), _opening("It has 3 and 4.", [(7, 8), (13, 14)], [8, 8, 15])
    (8, 7)
    """
    first = spans[0][0]
    colon = text.rfind(":", 0, first) + 1
    if colon and text[colon:first].strip():
        return colon
    leads = [text[cut:start] for cut, (start, _) in zip(edges[1:], spans[1:], strict=False)]
    return 0 if leads and all(_SUBJECT.match(lead) for lead in leads) else first


_SUBJECT = re.compile(
    r"(?:[;,，]?\s(?:and|while|but|whereas|although)\s|[;；,]\s)"
    r"(?:the|its|their|our|his|her)\s(?!(?:number|figure|total|rest|amount|value|sum|average|other|same|former|latter)\b)"
    r"[^\W\d_]\w+",
    re.IGNORECASE,
)
"""How a clause begins that has a subject of its own."""
_NAMES = re.compile(r"[^\W\d_a-zà-ÿ][\w&’'-]*(?:\s(?:(?:de|van|von|der|of|the|&)\s)*[^\W\d_a-zà-ÿ][\w&’'-]*)*")


def name_is_of_other(aim: Aim, sentence: str, start: int, end: int) -> str:
    """Why a name in a sentence is none of what is asked, "" where nothing says so.

    >>> from answerer.aim import aim
    >>> from answerer.answer import Question
    >>> text = "Alma Brandt leads sales and Carl Diaz leads research."
    >>> name_is_of_other(aim(Question("", "Who leads research?")), text, 0, 11) != ""
    True
    """
    if rows.is_row(sentence) or sentence.startswith("|"):
        return ""
    own = frozenset(terms(sentence[start:end]))
    others = [
        match.span()
        for match in _NAMES.finditer(sentence)
        if not (match.start() < end and start < match.end())
        and (found := frozenset(terms(match[0])))
        and not (found & aim.terms or found <= own or own <= found)
        and (match.start() > 0 or " " in match[0])
    ]
    denied = None if aim.negates else _NOT.search(sentence[:start]) or _FALSE.search(sentence[:start])
    if denied:
        return f"it is denied there: “{denied[0].strip()} {sentence[start:end]}”"
    if why := _date_of_other_event(aim, sentence, start, end):
        return why
    return other_clause(aim.terms, sentence, (start, end), others)


def of_other_sentence(aim: Aim, text: str, own: Span) -> str:
    """Why a value is of another name: another sentence says one of the name asked for, in the same words.

    >>> from answerer.aim import aim
    >>> from answerer.answer import Question
    >>> of_other_sentence(aim(Question("", "Who founded Holm?")), "Ada Lund founded Rask. Bo Ek founded Holm.", (0, 8))
    'it is said of “Rask”, and another one of “Holm”'
    """
    line = line_at(text, own[0]) or own
    if why := _of_parallel(aim, text, line, own):
        return why
    asked = _asked_names(text, aim.terms)
    if not asked:
        return ""
    at = bisect_left(asked, own[0], key=lambda one: one[1].start())
    asked = asked[max(0, at - NEAR) : at + NEAR]
    if rows.is_row(text[slice(*line)]) or text.startswith("|", line[0]) or aim.terms & _KIN:
        return ""
    for tie in _ties(text, line, own):
        mine = frozenset(terms(tie.name))
        for other, name, theirs in asked if mine else ():
            rival = _tied(text, other, name, tie) if other != line and mine & aim.terms < theirs else ""
            if rival and not _are_together(text, mine, theirs):
                alike = rival.strip() in text[slice(*own)]
                return "" if alike else f"it is said of “{tie.name}”, and another one of “{name[0]}”"
    return ""


def _of_parallel(aim: Aim, text: str, line: Span, own: Span) -> str:
    """Why a value is of another thing: a sentence beside says one, in the same words, of what is asked.

    The one has a word of the question where the other has one that is none: "the north wing has 12 rooms",
    "the south wing has 30 rooms". Names are told apart by `of_other_sentence`.
    """
    mine = text[slice(*line)]
    if rows.is_row(mine) or mine.startswith("|") or len(mine) > LONGEST_PARALLEL:
        return ""
    at = _words_at(mine, own[0] - line[0], own[1] - line[0])
    for place in _next_to(text, line):
        theirs = text[slice(*lines(text)[place])]
        if len(theirs) <= LONGEST_PARALLEL and (rival := _traded(aim, mine, theirs, at)):
            return f"“{rival}” is what is said of that"
    return ""


LONGEST_PARALLEL = 300  # letters of sentences that are compared word by word


def _words_at(text: str, start: int, end: int) -> Span:
    """The numbers of the words that a part of a text covers."""
    covered = [at for at, word in enumerate(_WORDS.finditer(text)) if word.start() < end and start < word.end()]
    return (covered[0], covered[-1] + 1) if covered else (0, 0)


def _traded(aim: Aim, mine: str, theirs: str, at: Span) -> str:
    """The sentence that has another value where the one has the words `at`, and a word of the question for another."""
    own, other = _WORDS.findall(mine), _WORDS.findall(theirs)
    traded, is_other_value = False, False
    for kind, first, last, begin, end in SequenceMatcher(None, own, other, autojunk=False).get_opcodes():
        if first < at[1] and at[0] < last:
            is_other_value = is_other_value or (
                kind == "replace" and _is_alike_value(own[first:last], other[begin:end])
            )
        elif kind == "replace" and last - first == end - begin <= 2 and " ".join(own[first:last]).islower():
            lost, won = held(" ".join(own[first:last])), held(" ".join(other[begin:end]))
            traded = traded or bool(lost and not lost & aim.terms and won & aim.terms and not won & held(mine))
    return theirs.strip() if traded and is_other_value else ""


def _is_alike_value(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether words may be another value of the same form: a number for a number, a name for a name."""
    forms = [
        (any(map(str.isdigit, "".join(words))), any(word[:1].isupper() for word in words)) for words in (one, other)
    ]
    return bool(other) and forms[0] == forms[1]


_WORDS = re.compile(r"[\w.,’'-]*\w")


@lru_cache(maxsize=64)
def _asked_names(text: str, wanted: frozenset[str]) -> tuple[tuple[Span, re.Match[str], frozenset[str]], ...]:
    """The names of a text that have words of the question: the line of each, where it stands, and those words."""
    return tuple(
        (line, name, words)
        for line in lines(text)
        for name in _NAMES.finditer(text, *line)
        if (words := held(name[0]) & wanted)
    )


@lru_cache(maxsize=1024)
def _are_together(text: str, one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a sentence speaks of both names: what is said of the one may then hold of the other."""
    return any(one | other <= held(text[slice(*line)]) for line in lines(text))


_KIN = frozenset(
    stem(word)
    for word in re.findall(
        r"\w+",
        """
        parent subsidiary owner successor predecessor competitor rival partner father mother wife husband son daughter
        brother sister
        """,
    )
)
"""What a question may name a thing by that is another's: whose name is in the question then is not what is asked."""


class _Tie(NamedTuple):
    """A name in the sentence of a value, the words between both, and whether it stands before that."""

    name: str
    words: str
    is_before: bool
    is_number: bool


def _ties(text: str, line: Span, own: Span) -> Iterator[_Tie]:
    """The names next to a value, with the words between."""
    is_number = any(map(str.isdigit, text[slice(*own)]))
    for name in _NAMES.finditer(text, *line):
        before = name.end() <= own[0]
        words = text[name.end() : own[0]] if before else text[own[1] : name.start()]
        if 0 < len(words) <= LONGEST_TIE and _LETTERS.search(words) and not re.search(r"[A-Z\d;:.]", words):
            yield _Tie(name[0], words, before, is_number)


def _tied(text: str, line: Span, name: re.Match[str], tie: _Tie) -> str:
    """What stands in a line at the other end of the same words from another name, "" where nothing of the kind."""
    what = _DIGITS if tie.is_number else _NAMES
    if tie.is_before:
        found = (
            what.match(text, name.end() + len(tie.words), line[1]) if text.startswith(tie.words, name.end()) else None
        )
        return found[0] if found else ""
    if not text.endswith(tie.words, line[0], name.start()):
        return ""
    end = name.start() - len(tie.words)
    return next((found[0] for found in what.finditer(text, line[0], end) if found.end() == end), "")


_DIGITS = re.compile(r"[$€£¥]?\s?\d(?:[\d.,]*\d)?")
LONGEST_TIE = 60  # letters between a value and the name that it is said of
_LETTERS = re.compile(r"[^\W\d_]")


def _cut(text: str, start: int, end: int) -> int | None:
    """Where the clause of one value ends and that of the next begins; None where nothing parts them."""
    for pattern in _CUTS:
        found = list(pattern.finditer(text, start, end))
        if found:
            return found[-1].start()
    return None


def _shown(said: Said) -> str:
    return " ".join(said.text[said.number.start : said.number.end + 15].split())

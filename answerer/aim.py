"""What a question asks for, as far as it tells one number of a sentence from the others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from answerer.answer import Question
from answerer.asking import Kind, asked, terms, years
from answerer.changes import State, asked_states
from answerer.periods import MONTH, halves, quarters
from answerer.units import Unit

_MONTH = re.compile(rf"\b(?:{MONTH})\b")
_CITED = re.compile(
    r"\([^()]*\b(?:19|20)\d\d[a-z]?\)|\b(?i:et al)\.,? \(?(?:19|20)\d\d\)?"
    r"|\b(?:19|20)\d\d (?:(?:[A-Z][\w.-]+ ){1,8}(?:et al\.? )?)?"
    r"(?i:paper|study|survey|report|article|edition|order|act|law|directive|regulation)\b",
)
MOST = re.compile(
    r"\b(?:most|maxim\w+|max|highest|largest|greatest|longest|at most|up to|upper|peak|top|latest|no more than)\b", re.I
)
LEAST = re.compile(
    r"\b(?:at least|minim\w+|min|lowest|smallest|least|shortest|fewest|lower (?:end|bound|limit)|earliest)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|never|no longer|without|except)\b|n[’']t\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:percentage[\s-])?points?\b|\bpp\b", re.IGNORECASE)
_HOW_FAR = re.compile(
    r"\b(?:how (?:much|many|far)|by what)\b[^?]*\b(?:fall|rise|drop|decline|increase|decrease|grow|shrink|fallen|risen|"
    r"dropped|declined|increased|decreased|grown|shrunk|reduced|raised|lowered|cut)\b(?!\s(?:to|from)\b)",
    re.IGNORECASE,
)
_TO_WHAT = re.compile(
    r"^\W*to (?:what|how)\b|\bto what (?:level|amount|value)\b|\b(?:fall|rise|grow|drop)\sto\b", re.IGNORECASE
)
_AT_FIRST = re.compile(
    r"\b(?:without|baseline|at the (?:start|outset|beginning)|start\w*|begin\w*|un[a-z]{3,}ed|pre-\w+|from what)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Aim:
    """What is asked, to be told from what stands beside it.

    `terms` are the stems of the question's words but for periods, `nouns` those of what is counted; `years`,
    `quarters`, `halves` and `months` the periods that are asked for; `states` the sides of a change that may answer;
    `plans`: whether what is to come may be asked for, `wants_plan`: whether nothing else is, `is_past`: whether what
    was is; `sign` is 1 for a profit, -1 for a loss, else 0.
    """

    terms: frozenset[str]
    nouns: frozenset[str]
    years: frozenset[str]
    quarters: frozenset[str]
    halves: frozenset[str]
    months: frozenset[str]
    states: frozenset[State]
    unit: Unit | None
    wants_most: bool
    wants_least: bool
    wants_date: bool
    negates: bool
    points: bool
    plans: bool
    wants_plan: bool
    is_past: bool
    sign: int


def aim(question: Question) -> Aim:
    """What a question asks for."""
    return _aim(question.text, question.unit)


@lru_cache(maxsize=256)
def _aim(text: str, unit: str) -> Aim:
    wanted = asked(Question("", text, unit))
    told = frozenset(terms(text))
    nouns = wanted.nouns & {*told, wanted.unit_noun}
    return Aim(
        terms=told - years(told),
        nouns=nouns,
        years=years(terms(_CITED.sub(" ", text))),
        quarters=frozenset(map(str, quarters(text))),
        halves=frozenset(map(str, halves(text))),
        months=frozenset(month.lower() for month in _MONTH.findall(text)),
        states=_states(text),
        unit=wanted.unit,
        wants_most=MOST.search(text) is not None,
        wants_least=LEAST.search(text) is not None,
        wants_date=wanted.kind is Kind.YEAR,
        negates=_NEGATED.search(text) is not None,
        points=_POINTS.search(f"{text} {unit}") is not None,
        plans=PLANS.search(text) is not None,
        wants_plan=_WANTS_PLAN.search(text) is not None,
        is_past=_PAST.search(text) is not None,
        sign=sign(text),
    )


PLANS = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|aim(?:s|ed|ing)?|target\w*|goals?|intend\w*|expect\w*|hope\w*|wants?|will|would|"
    r"propos\w+|projected|projections?|forecast\w*|commit\w*|pledg\w*|future|should|(?:is|are|was|were) to)\b",
    re.IGNORECASE,
)
_WANTS_PLAN = re.compile(
    r"\b(?:plan(?:s|ned)?|targets?|goals?|aim(?:s|ed)?|projected|projections?|forecasts?|pledged?|intend\w*)\b", re.I
)
_PAST = re.compile(
    r"\b(?:was|were|did|had|came|went|sold|made|took|rose|fell|grew|cost|spent|won|lost|got|paid|drew|ran|\w{3,}ed)\b",
    re.I,
)
_PROFIT = re.compile(
    r"\b(?:(?:net|operating|comprehensive) (?:income|earnings|profits?)|profits?|surplus)\b(?! tax)", re.IGNORECASE
)
_LOSS = re.compile(r"\b(?:(?:net|operating|comprehensive) loss(?:es)?|loss for the (?:year|period)|deficits?)\b", re.I)
_EITHER = re.compile(r"\b(?:attributable|loss\)|(?:or|and) (?:loss|deficit))", re.IGNORECASE)


def sign(text: str) -> int:
    """What of an account a text speaks of: 1 a profit, -1 a loss, 0 neither or both.

    >>> sign("The net loss was 5."), sign("net income (loss)")
    (-1, 0)
    """
    if _EITHER.search(text):
        return 0
    return (_PROFIT.search(text) is not None) - (_LOSS.search(text) is not None)


def named_years(text: str) -> frozenset[str]:
    """The years by which a text names a law or a work.

    >>> sorted(named_years("By the 2019 Mills Act the tax of 2023 is due, as Lund et al. (2021) say."))
    ['2019', '2021']
    """
    return years(term for match in _CITED.finditer(text) for term in terms(match[0]))


def _states(text: str) -> frozenset[State]:
    if _TO_WHAT.search(text):
        return frozenset({State.AFTER})
    if _HOW_FAR.search(text):
        return frozenset({State.DIFFERENCE})
    found = asked_states(text)
    return found | {State.BEFORE} if _AT_FIRST.search(text) else found


def is_plural(word: str) -> bool:
    """Whether a word after a number is what is counted: an English plural, or a noun of German.

    >>> is_plural("pumps"), is_plural("was"), is_plural("Kühler"), is_plural("new")
    (True, False, True, False)
    """
    lower = word.lower()
    if lower in _NO_NOUNS:
        return False
    return (
        (lower.endswith("s") and not lower.endswith("ss") and len(lower) > 3) or lower in _PLURALS or word[:1].isupper()
    )


_NO_NOUNS = frozenset(
    re.findall(r"\w+", "was has does is its this thus less plus versus across towards minus always others ones times")
)
_PLURALS = frozenset(("people", "men", "women", "children", "staff", "feet", "mice", "sheep", "fish"))

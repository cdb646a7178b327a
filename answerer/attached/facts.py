"""Whether a value is told as a fact: it is neither denied nor only planned."""

from __future__ import annotations

import re

from answerer.aim import PLANS, Aim
from answerer.attached.counted import counted
from answerer.attached.said import PRONOUN, Said, clause
from answerer.attached.times import years_of
from answerer.quantities import Quantity
from answerer.where import held

_NOT = re.compile(
    r"(?:\b(?:not|never|no longer|nicht|pas|niet|inte)\b"
    r"(?!\s(?:only|just|even|more|less|fewer|exceed\w*|above|below|over))"
    r"|\b(?:rather than|instead of|anstatt|statt)\b)(?:\s(?!(?:but|sondern|mais|maar|utan)\b)[\w-]+){0,3}\s?$",
    re.IGNORECASE,
)
_FALSE = re.compile(
    r"\b(?:is|was)\s(?:false|untrue|incorrect|wrong|not\strue)\sthat\b(?:\s[^\s;:,]+){0,8}\s?$", re.IGNORECASE
)


def denied(aim: Aim, said: Said) -> str | None:
    """Why a number is denied."""
    return denial(aim, said.before, said.shown) or None


def denial(aim: Aim, before: str, shown: str) -> str:
    """The note that what is shown is denied by the words before it, "" where it is not or the question denies too."""
    found = None if aim.negates else _NOT.search(before) or _FALSE.search(before)
    return f"it is denied there: “{found[0].strip()} {shown}”" if found else ""


def planned(aim: Aim, said: Said) -> str | None:
    """Why a number is only planned, where one of the same things is told that is so; and the reverse.

    The other one stands in another clause or in a sentence beside. Where the year asked for is the plan's and is not
    over yet, the plan is what is asked for.
    """
    planned = _plan(said.text, said.number)
    if bool(planned) is aim.plans:
        return None
    rivals = [
        (text, one)
        for text, one in said.around
        if bool(_plan(text, one)) is aim.plans and _is_same(aim, said, text, one)
    ]
    if aim.plans:
        is_meant = aim.wants_plan and any(_is_of_year_asked(aim, *rival) for rival in rivals)
        return f"it is what was so, not what was planned: “{said.shown}”" if is_meant else None
    is_asked = aim.years & years_of(clause(said.text, said.number))
    told = [rival for rival in rivals if not is_asked or (aim.is_past and _is_of_year_asked(aim, *rival))]
    return f"it is a plan: “{planned} {said.shown}”" if told else None


def _is_of_year_asked(aim: Aim, text: str, one: Quantity) -> bool:
    """Whether the clause of a number names a year asked for, or none."""
    told = years_of(clause(text, one))
    return not told or not aim.years or bool(told & aim.years)


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
    return _is_counterpart(text) or (not own and not theirs and bool(PRONOUN.match(text) or aim.terms & held(text)))


def _is_counterpart(text: str) -> bool:
    return _COUNTERPART.match(text) is not None


_COUNTERPART = re.compile(r"(?:But|However|Yet|Only|Instead|In (?:the end|fact)|Actually|The actual|Eventually)\b")


def _plan(text: str, one: Quantity) -> str:
    """The words of a plan that lead to a number, "" where none do."""
    found = list(PLANS.finditer(text, 0, one.start))
    led = text[found[-1].start() : one.start] if found else ""
    return led.strip() if len(led.split()) <= LONGEST_PLAN and not re.search(r"[,;:]", led) else ""


LONGEST_PLAN = 7  # words from "plans" to the number: "plans to have no more than"

"""The checks of whether a number or a name is said of something else than what is asked, in their order."""

from __future__ import annotations

from collections.abc import Callable

from answerer.aim import Aim
from answerer.attached.clauses import listed_elsewhere, other_clause
from answerer.attached.events import other_event
from answerer.attached.facts import denied, planned
from answerer.attached.kinds import one_end, only_share, other_limit, other_points, other_side, other_sign, other_unit
from answerer.attached.names import other_in_sentence
from answerer.attached.nouns import one_of_two, other_noun, other_part
from answerer.attached.parallels import of_other_sentence, other_sentence
from answerer.attached.said import Said, Span, said
from answerer.attached.tables import other_cell
from answerer.attached.times import only_part_of_year, other_end_of_span, other_period, other_relative_year
from answerer.figures import Number

Check = Callable[[Aim, Said], str | None]
"""Why a number is none of what is asked; "" where it is told to be of that, None where the check tells neither."""

CHECKS: tuple[Check, ...] = (
    denied,
    other_unit,
    other_points,
    one_end,
    other_limit,
    planned,
    only_share,
    other_part,
    one_of_two,
    other_sentence,
    other_end_of_span,
    other_relative_year,
    only_part_of_year,
    other_period,
    other_noun,
    other_side,
    listed_elsewhere,
    other_event,
    other_clause,
)
"""The first that tells anything decides."""


def is_of_other(aim: Aim, text: str, number: Number, end: int = 0, *, positive: bool = False) -> str:
    """Why a number of a text is none of what is asked, "" where nothing says so.

    `end` is which end of the number was meant, as `Said` has it; `positive`: whether more than nothing is claimed.
    """
    if positive and (sign := other_sign(aim, text, number)):
        return sign
    if number.place is not None:
        return other_cell(aim, text, number.place)
    one = said(text, number, end)
    return next((why for check in CHECKS if (why := check(aim, one)) is not None), "")


def name_is_of_other(aim: Aim, text: str, line: Span, own: Span) -> str:
    """Why a name in a line of a text is none of what is asked, "" where nothing says so.

    >>> from answerer.aim import aim
    >>> from answerer.answer import Question
    >>> text = "Alma Brandt leads sales and Carl Diaz leads research."
    >>> name_is_of_other(aim(Question("", "Who leads research?")), text, (0, len(text)), (0, 11)) != ""
    True
    """
    sentence, (start, end) = text[slice(*line)], (own[0] - line[0], own[1] - line[0])
    return other_in_sentence(aim, sentence, start, end) or of_other_sentence(aim, text, own)

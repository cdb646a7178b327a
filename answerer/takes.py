"""Several readings of one question: in what they differ, which is next, and when there have been enough."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from answerer.answer import Answer, Question, abstention
from answerer.ballots import Ballot, ballots
from answerer.references import read_references
from answerer.submission import row
from answerer.vote import UNKNOWN, Rules, agreement, elect
from kohaku.choices import Order

ORDERS: tuple[Order, ...] = get_args(Order)
SEED_STEP = 1000
"""From one reading's seed to the next one's: a reply that can't be read is asked for again with the seed after it."""


@dataclass(frozen=True, slots=True)
class Take:
    """One reading of several, the first is number 0: by which model, how freely, and in which order it sees things."""

    number: int
    model: str
    temperature: float
    seed: int | None
    order: Order


def takes(
    total: int,
    models: Sequence[str],
    *,
    temperature: float,
    others_temperature: float,
    seed: int | None,
    order: Order,
) -> tuple[Take, ...]:
    """So many readings; the first is as a single one would be, models and orders of the evidence take turns.

    What a reading is like does not hang on how many there are, so that one more asks nothing again.
    """
    orders = [order, *(other for other in ORDERS if other != order)]
    first = Take(0, models[0], temperature, seed, order)
    others = (
        Take(
            number,
            models[number % len(models)],
            others_temperature,
            (seed or 0) + number * SEED_STEP,
            orders[number % len(orders)],
        )
        for number in range(1, total)
    )
    return (first, *others)


def next_takes(said: Sequence[Ballot], tried: Collection[int], total: int, rules: Rules) -> list[int]:
    """The readings to make now: as many as could decide the vote if they agree, none where it is decided.

    `tried` are those that have been made, or failed. The lowest numbers come first, so which readings there are in the
    end hangs on what they say only, not on which came back first or where a run was killed.
    """
    needed = total // 2 + 1 - agreement(said, rules)
    waiting = [number for number in range(total) if number not in tried]
    return waiting[: max(0, needed)]


def cast(answers: Mapping[int, Answer]) -> list[Ballot]:
    """What readings of one question say in a vote."""
    return ballots({number: row(answer, {}) for number, answer in answers.items()})


def together(question: Question, answers: Mapping[int, Answer], rules: Rules) -> Answer:
    """The answer that several readings of one question make: that of the voted value's first reading.

    Its references are the voted ones, with the citations of all readings that gave the value; how far they agree is its
    confidence.
    """
    said = cast(answers)
    [voted] = elect([said], rules, dict.fromkeys(answers, UNKNOWN))  # one question tells of no reading how good it is
    if voted.lead is None:
        return replace(abstention(question, voted.row["explanation"]), confidence=voted.confidence)
    lead = answers[voted.lead]
    chosen = read_references(voted.row["ref_id"])
    quoted = (citation for number in (voted.lead, *voted.runs) for citation in answers[number].citations)
    citations = tuple(dict.fromkeys(one for one in quoted if one.document in chosen))
    return replace(lead, references=chosen, citations=citations, confidence=voted.confidence)

"""How far each run can be trusted, learned from how the runs agree, without any right answer.

The model of A. P. Dawid and A. M. Skene, "Maximum Likelihood Estimation of Observer Error-Rates Using the EM
Algorithm", Applied Statistics 28 (1979), with one rate a run in place of a table of confusions: a question's answers
are few, and no two questions share them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

SMOOTHING = 2.0
"""Answers, right as often as all runs' are, that each run is taken to have given beside its own: one who answered
little is no genius."""
SUREST = 0.98
"""No run is trusted or mistrusted more: with few questions the estimate runs to 0 or 1, and one run decides all."""
LEAST = 0.05
"""What a run weighs at least: one that is right no more often than chance still breaks ties."""
ROUNDS = 200
CLOSE = 1e-9


def reliabilities(
    questions: Iterable[Mapping[int, int]], kinds: Mapping[int, object] | None = None
) -> dict[int, float]:
    """How often each run is right where it answers; a question gives the class of the value that each run gave.

    Runs of one kind (by `kinds`: of one model, say) are taken to be right alike, and learned of together. Questions
    that fewer than two runs answered teach nothing. Sums are exact, so the order of runs changes no digit.

    >>> found = reliabilities([{0: 1, 1: 1, 2: 2}, {0: 1, 1: 1, 2: 1}, {0: 1, 1: 1, 2: 3}])
    >>> found[0] == found[1] > found[2]
    True
    """
    answers = [dict(one) for one in questions if len(one) > 1]
    right = [{label: _share(given, label) for label in given.values()} for given in answers]
    found: dict[int, float] = {}
    for _ in range(ROUNDS):
        before, found = found, _rates(answers, right, kinds or {})
        right = [_posterior(given, found) for given in answers]
        if before and max(abs(found[run] - before[run]) for run in found) < CLOSE:
            break
    return found


def weight(reliability: float, values: int) -> float:
    """What a run's vote weighs among so many different values: ln(p (k - 1) / (1 - p)), the log of how much likelier
    the value is for its saying so, if errors are spread over the others.

    >>> round(weight(0.9, 2), 2), round(weight(0.9, 5), 2), weight(0.3, 2)
    (2.2, 3.58, 0.05)
    """
    return max(LEAST, math.log(reliability * (max(2, values) - 1) / (1 - reliability)))


def _share(given: Mapping[int, int], label: int) -> float:
    return sum(other == label for other in given.values()) / len(given)


def _rates(
    answers: Iterable[Mapping[int, int]], right: Iterable[Mapping[int, float]], kinds: Mapping[int, object]
) -> dict[int, float]:
    """Each run's mean chance of being right, with the others of its kind, drawn towards that of all."""
    chances: dict[object, list[float]] = defaultdict(list)
    runs: set[int] = set()
    for given, chance in zip(answers, right, strict=True):
        runs |= given.keys()
        for run, label in given.items():
            chances[kinds.get(run, run)].append(chance[label])
    if not chances:
        return {}
    of_all = math.fsum(c for found in chances.values() for c in found) / sum(map(len, chances.values()))
    rates = {
        kind: (math.fsum(found) + SMOOTHING * of_all) / (len(found) + SMOOTHING) for kind, found in chances.items()
    }
    return {run: min(SUREST, max(1 - SUREST, rates[kinds.get(run, run)])) for run in sorted(runs)}


def _posterior(given: Mapping[int, int], rates: Mapping[int, float]) -> dict[int, float]:
    """How likely each value of a question is right, by the runs that give it."""
    labels = set(given.values())
    logs = {
        label: math.fsum(
            math.log(rates[run] * (max(2, len(labels)) - 1) / (1 - rates[run]))
            for run, said in given.items()
            if said == label
        )
        for label in labels
    }
    most = max(logs.values())
    total = math.fsum(math.exp(log - most) for log in logs.values())
    return {label: math.exp(log - most) / total for label, log in logs.items()}

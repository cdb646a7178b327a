"""How likely an answer is to be right: a logistic of a few things that can be seen without knowing the truth.

The weights were fitted by `scripts/fit_confidence.py` on the questions of `data/sample`, answered by the built-in
reader, with answers made worse on purpose: see there. On other documents they rank answers better than they count
them; `kohaku score --calibration` shows how well.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from answerer.answer import Answer, How, Question
from answerer.asking import asked
from answerer.candidates import Candidate
from answerer.extract import considered
from answerer.score import same_value
from retriever.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for and against an answer, each from 0 to 1.

    `bare`: its value follows from nothing that is cited. `dropped`: the share of its
    quotes and references that were not there. `own`: how well the best place of its value matches the question, by the
    built-in reader's measure; `rival`: the same for the best place of any other value. `late`: how far down the
    evidence the first place cited stands. `alone`: no second document bears the value. `unsaid`: how much of what is
    asked of the subject the best place of its value does not say.
    """

    bare: float
    dropped: float
    own: float
    rival: float
    late: float
    alone: float
    unsaid: float


WEIGHTS: Mapping[str, float] = {
    "bare": -1.08,
    "dropped": -1.40,
    "own": 7.71,
    "rival": -3.27,
    "late": -4.46,
    "alone": -2.27,
    "unsaid": -1.41,
}
BIAS = 1.17
MOST = 2.5  # the built-in reader's measure hardly goes beyond


def rated(answer: Answer, evidence: Evidence) -> Answer:
    """The answer with its confidence; an abstention's is how likely it is that the evidence holds no answer."""
    if answer.is_blank:
        found = _found(answer.question, evidence)
        rival = max((one.score for one in found), default=0.0) / MOST
        return replace(answer, confidence=round(1 - max(0.0, min(1.0, rival)), 4))
    return replace(answer, confidence=round(likely(signs(answer, evidence)), 4))


def likely(found: Signs) -> float:
    """The probability that an answer of these signs is right."""
    total = BIAS + sum(WEIGHTS[name] * value for name, value in asdict(found).items())
    return 1 / (1 + math.exp(-total))


def signs(answer: Answer, evidence: Evidence) -> Signs:
    """What can be seen of an answer in the evidence that it was read from."""
    found = _found(answer.question, evidence)
    same = [one for one in found if same_value(answer.value, one.value)]
    own = [one.score for one in same]
    rival = [one.score for one in found if not same_value(answer.value, one.value)]
    how = answer.grounding.how if answer.grounding else How.UNGROUNDED
    spans = answer.grounding.spans if answer.grounding else ()
    held = len(answer.citations) + len(answer.references)
    return Signs(
        bare=float(how in (How.SEEN, How.UNGROUNDED)),
        dropped=answer.dropped / (answer.dropped + held) if answer.dropped else 0.0,
        own=_share(own),
        rival=_share(rival),
        late=_late(answer, evidence),
        alone=float(len({span.document for span in spans}) < 2),
        unsaid=max(same, key=lambda one: one.score).unsaid if same else 1.0,
    )


def _found(question: Question, evidence: Evidence) -> list[Candidate]:
    return considered(question, asked(question), evidence)


def _share(scores: list[float]) -> float:
    return max(0.0, min(1.0, max(scores, default=0.0) / MOST))


def _late(answer: Answer, evidence: Evidence) -> float:
    cited = {citation.node for citation in answer.citations}
    place = next((rank for rank, context in enumerate(evidence.contexts) if context.node in cited), None)
    return 1.0 if place is None else 1 - 1 / (1 + place / 5)

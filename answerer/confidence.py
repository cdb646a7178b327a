"""How likely an answer is to be right: a logistic of a few things that can be seen without knowing the truth.

One for the built-in reader's answers and one for a model's, whose values stand where that reader would not look. The
weights were fitted by `scripts/fit_confidence.py` on questions over other documents than those that the figures in
docs/benchmarks.md are of: see there. `kohaku score --calibration` shows what they are worth on yours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from answerer.about import attribute, holds
from answerer.answer import Answer, Question
from answerer.asking import Kind, asked, terms
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


# Fitted before the reader's latest changes; fitted anew they were no better on questions over other documents.
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
VERDICTS = frozenset({"0", "1", "yes", "no"})
MOST = 2.5  # the built-in reader's measure hardly goes beyond


@dataclass(frozen=True, slots=True)
class ModelSigns:
    """What speaks for and against a model's answer, each from 0 to 1.

    `bare`: its value follows from nothing that is cited; a verdict may, since few sentences say what one asks them to.
    `dropped` as for the built-in reader. `rival`: by how much the best place of another value matches the question
    better than the best of this one, by the built-in reader's measure. `late`: how far down the evidence the first
    place cited stands, 0 where none is: `bare` tells that.
    """

    bare: float
    dropped: float
    rival: float
    late: float


MODEL_WEIGHTS: Mapping[str, float] = {
    "bare": -5.05,
    "dropped": -2.41,
    "rival": -3.13,
    "late": -0.54,
}
MODEL_BIAS = 2.90


@dataclass(frozen=True, slots=True)
class BlankSigns:
    """What tells whether there is no answer where the built-in reader has none, each from 0 to 1.

    `rival`: how well the best place of any value matches the question. `unheard`: the share of what is asked of the
    subject that no piece of the evidence has: it may be told in other words, of which the reader knows none.
    `strange`: the share of the question's names and years that no document of it has; they have no other words.
    """

    rival: float
    unheard: float
    strange: float


BLANK_WEIGHTS: Mapping[str, float] = {
    "rival": -3.65,
    "unheard": -3.31,
    "strange": 0.48,
}
BLANK_BIAS = 2.06


def rated(answer: Answer, evidence: Evidence, *, by_model: bool = False) -> Answer:
    """The answer with its confidence; an abstention's is how likely it is that the evidence holds no answer.

    `by_model` is whether a model gave it, not the built-in reader: what speaks for the two is not the same. Where the
    reader abstains, words of the question that the evidence lacks make that unsure, since it knows no synonyms.
    """
    if answer.is_blank:
        found = blank_signs(answer.question, evidence)
        if by_model or not evidence.contexts:
            return replace(answer, confidence=round(1 - found.rival, 4))
        return replace(answer, confidence=round(logistic(found, BLANK_WEIGHTS, BLANK_BIAS), 4))
    if by_model:
        return replace(answer, confidence=round(logistic(model_signs(answer, evidence), MODEL_WEIGHTS, MODEL_BIAS), 4))
    return replace(answer, confidence=round(logistic(signs(answer, evidence), WEIGHTS, BIAS), 4))


def logistic(found: Signs | ModelSigns | BlankSigns, weights: Mapping[str, float], bias: float) -> float:
    """The probability that an answer of these signs is right."""
    total = bias + sum(weights.get(name, 0.0) * value for name, value in asdict(found).items())
    return 1 / (1 + math.exp(-total))


def signs(answer: Answer, evidence: Evidence) -> Signs:
    """What can be seen of the built-in reader's answer in the evidence that it was read from."""
    found = _found(answer.question, evidence)
    same = [one for one in found if same_value(answer.value, one.value)]
    own = [one.score for one in same]
    rival = [one.score for one in found if not same_value(answer.value, one.value)]
    return Signs(
        bare=float(not answer.is_grounded),
        dropped=_dropped(answer),
        own=_share(own),
        rival=_share(rival),
        late=_late(answer, evidence),
        alone=_alone(answer),
        unsaid=max(same, key=lambda one: one.score).unsaid if same else 1.0,
    )


def model_signs(answer: Answer, evidence: Evidence) -> ModelSigns:
    """What can be seen of a model's answer in the evidence that it was read from."""
    wanted = asked(answer.question)
    found = considered(answer.question, wanted, evidence)
    own = [one.score for one in found if same_value(answer.value, one.value)]
    rival = [one.score for one in found if not same_value(answer.value, one.value)]
    is_verdict = wanted.kind in (Kind.STATEMENT, Kind.YES_OR_NO) and answer.value.casefold() in VERDICTS
    return ModelSigns(
        bare=float(not answer.is_grounded and not is_verdict),
        dropped=_dropped(answer),
        rival=max(0.0, _share(rival) - _share(own)),
        late=_late(answer, evidence) if answer.citations else 0.0,
    )


def blank_signs(question: Question, evidence: Evidence) -> BlankSigns:
    """What can be seen of a question without an answer in the evidence that was read."""
    wanted = asked(question)
    documents: dict[str, set[str]] = {}
    about = attribute(wanted) or wanted.terms
    unheard = len(about)
    for one in evidence.contexts:
        heard = frozenset(terms(" ".join((one.document, one.title, *one.headings, one.text))))
        documents.setdefault(one.document, set()).update(heard)
        unheard = min(unheard, sum(not holds(heard, word) for word in about))
    names = [*wanted.names, *(frozenset([year]) for year in wanted.years)]
    strange = [min((len(name - spoken) / len(name) for spoken in documents.values()), default=1.0) for name in names]
    return BlankSigns(
        rival=_share([one.score for one in _found(question, evidence)]),
        # what something is may be told in many ways, of which the reader knows few
        unheard=unheard / len(about) if about and wanted.kind is not Kind.DEFINITION else 1.0,
        strange=sum(strange) / len(strange) if strange else 0.0,
    )


def _dropped(answer: Answer) -> float:
    held = len(answer.citations) + len(answer.references)
    return answer.dropped / (answer.dropped + held) if answer.dropped else 0.0


def _alone(answer: Answer) -> float:
    spans = answer.grounding.spans if answer.grounding else ()
    return float(len({span.document for span in spans}) < 2)


def _found(question: Question, evidence: Evidence) -> list[Candidate]:
    return considered(question, asked(question), evidence)


def _share(scores: list[float]) -> float:
    return max(0.0, min(1.0, max(scores, default=0.0) / MOST))


def _late(answer: Answer, evidence: Evidence) -> float:
    cited = {citation.node for citation in answer.citations}
    place = next((rank for rank, context in enumerate(evidence.contexts) if context.node in cited), None)
    return 1.0 if place is None else 1 - 1 / (1 + place / 5)

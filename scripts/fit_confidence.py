"""Fits the weights of `answerer/confidence.py` on the questions of data/sample, and of others; prints them.

    python scripts/fit_confidence.py [--also INDEX.db=TRUTH.csv ...]

Each question is answered several times: from its evidence, and for the built-in reader from the same without the
documents that hold its answer, where the right thing is to abstain. Its answers are its own, its next best values, the
true one as a model that quotes would give it, and made up ones, with quotes that stand nowhere; on the sample's
questions alone, since its weights were worse for others that had more. A model's are replies, checked like any: the
true value where its document was found, with quotes or without; that altered; another value that stands in the
evidence; and one that was made up. How often each happens is a guess (`MODEL`). Few questions, made to measure: the
weights tell answers apart better than their numbers hold elsewhere.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

import kohaku
from answerer import extract
from answerer.about import attribute
from answerer.answer import Answer, Question
from answerer.asking import asked, terms
from answerer.candidates import Candidate
from answerer.confidence import BlankSigns, ModelSigns, Signs, blank_signs, model_signs, rated, signs
from answerer.extract import answered, considered
from answerer.prompts import AnswerReply
from answerer.reader import checked
from answerer.references import read_references
from answerer.score import Row, no_value, same_value
from answerer.submission import COLUMNS, read_questions
from answerer.values import number, pair
from kohaku.tables import read_rows
from retriever.evidence import Evidence, within

app = typer.Typer(add_completion=False, rich_markup_mode=None)

SAMPLE = Path(__file__).parent.parent / "data" / "sample"
PENALTY = 1.0  # on the weights' squares: with so few questions anything else finds accidents
MODEL_PENALTY = 0.05  # less, since what is altered or made up on purpose is no accident
UNUSUAL = 0.2
"""How much a question counts whose documents were taken out: as often as one in six cannot be answered."""
MODEL = {"right": 0.80, "altered": 0.08, "misread": 0.05, "made up": 0.07}
"""How often a model's answer is right, another number, another value of the evidence, or from nowhere."""
Matrix = NDArray[np.float64]
NEXT = 3  # values of the built-in reader after its best


@dataclass(frozen=True, slots=True)
class Example:
    """The signs of an answer, whether it is right, and how much it counts; `natural` if it would really be given."""

    signs: Signs | ModelSigns | BlankSigns
    right: bool
    weight: float
    natural: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its right row and the evidence for it; `is_whole` where no document was taken out."""

    question: Question
    row: Row
    evidence: Evidence
    is_whole: bool = True

    @property
    def value(self) -> str:
        """The right value."""
        return self.row["answer_value"]

    @property
    def gold(self) -> tuple[str, ...]:
        """The documents that hold it."""
        return () if no_value(self.value) else read_references(self.row["ref_id"])

    @property
    def quotes(self) -> list[str]:
        """What is quoted from them."""
        return re.findall(r'"([^"]+)"', self.row["supporting_materials"])


def cases(db: Path, truth: Path) -> Iterator[Case]:
    """The questions of a submission with right answers, each with its evidence, and without the documents of it."""
    rows = {row["id"]: row for row in read_rows(truth, COLUMNS)}
    with kohaku.open(db) as near, kohaku.open(db, budget=18_000, top_k=450) as far:
        for question in read_questions(truth):
            case = Case(question, rows[question.id], near.retrieve(question.text))
            yield case
            if case.gold:
                others = _without(far.retrieve(question.text), case.gold, case.evidence.tokens)
                yield replace(case, evidence=others, is_whole=False)


def by_reader(case: Case, other: str) -> Iterator[Example]:
    """The built-in reader's answer and its next best values; what is true, and `other`, with and without quotes."""
    for place, (answer, weight) in enumerate(_answers(case, other)):
        if not answer.is_blank:
            right = same_value(case.value, answer.value)
            natural = place == 0 and not extract.read(case.question, case.evidence).is_blank
            usual = UNUSUAL if natural and not case.is_whole else weight
            yield Example(signs(answer, case.evidence), right, usual if natural else weight, natural)


def _answers(case: Case, other: str) -> Iterator[tuple[Answer, float]]:
    ordered = _distinct(case)
    yield from ((answered(case.question, one), 0.3 if rank else 1.0) for rank, one in enumerate(ordered[: NEXT + 1]))
    for one in ordered[1:NEXT]:
        if not same_value(case.value, one.value):  # who misreads often misquotes
            broken = " ".join(reversed(one.sentence.text.split()))
            yield _replied(case, one.value, (one.sentence.context.document,), [broken]), 0.3
    if not no_value(case.value):
        for said in (case.quotes, []):
            yield _replied(case, case.value, case.gold, said, case.row["explanation"]), 0.3
    if not no_value(other) and case.evidence.contexts:
        stranger = case.evidence.contexts[len(other) % len(case.evidence.contexts)]
        for said in ([f"The value was {other} in the year that was looked at."], []):
            yield _replied(case, other, (stranger.document,), said), 0.5


def of_blanks(case: Case) -> Iterator[Example]:
    """The built-in reader's abstentions from a question, and from the same in words that no document has.

    A reworded question stands for one in synonyms: what it asks of its subject is told otherwise, or its names too.
    """
    asked_for = attribute(asked(case.question))
    named = asked_for.union(*asked(case.question).names)
    for question in (case.question, reworded(case.question, asked_for, 2), reworded(case.question, named, 1)):
        answer = rated(extract.read(question, case.evidence), case.evidence)
        if case.evidence.contexts and (answer.is_blank or answer.confidence < extract.LEAST):
            right = no_value(case.value) or not case.is_whole
            yield Example(blank_signs(question, case.evidence), right, 1.0 if case.is_whole else UNUSUAL)


def reworded(question: Question, about: frozenset[str], step: int) -> Question:
    """A question with every one, or every second, of its words of some stems made one that is unheard of."""
    found = [word for word in re.findall(r"[^\W\d_]{3,}", question.text) if about.intersection(terms(word))]
    text = question.text
    for word in dict.fromkeys(found[::step]):
        other = f"{word[::-1].lower()}q"
        text = re.sub(rf"\b{word}\b", other.capitalize() if word[0].isupper() else other, text)
    return replace(question, text=text)


def by_model(case: Case, others: Sequence[str], chance: random.Random) -> Iterator[Example]:
    """Answers as models make them to a question with all its evidence; each kind counts as often as it happens."""
    replies = [(kind, answer) for kind, answer in _replies(case, others, chance) if not answer.is_blank]
    for kind, answer in replies:
        weight = MODEL[kind] / sum(one == kind for one, _ in replies)
        yield Example(model_signs(answer, case.evidence), kind == "right", weight)


def _replies(case: Case, others: Sequence[str], chance: random.Random) -> Iterator[tuple[str, Answer]]:
    if case.gold:
        for said in (case.quotes, []):
            answer = _replied(case, case.value, case.gold, said, case.row["explanation"] if said else "")
            if answer.is_grounded or case.value in ("0", "1"):  # else no model could have read it
                yield "right", answer
        if changed := altered(case.value, chance):
            yield "altered", _replied(case, changed, case.gold)
    wrong = [one for one in _distinct(case) if not same_value(case.value, one.value)]
    for one in wrong[:NEXT]:
        for said in ([one.sentence.text], []):
            yield "misread", _replied(case, one.value, (one.sentence.context.document,), said)
    strange = chance.choice(others)
    if not same_value(case.value, strange) and case.evidence.contexts:
        stranger = chance.choice(case.evidence.contexts).document
        said = chance.choice([[], [f"The value was {strange} in the year that was looked at."]])
        yield "made up", _replied(case, strange, (stranger,), said)


def altered(value: str, chance: random.Random) -> str:
    """Another value of the same kind; "" of a name."""
    if value in ("0", "1"):
        return "10"[int(value)]
    plain, ends = number(value), pair(value)
    factor = chance.choice([0.1, 0.5, 1.1, 2, 10])
    if plain is not None:
        return f"{float(plain) * factor:.10g}"
    return f"[{float(ends[0]) * factor:.10g},{float(ends[1]) * factor:.10g}]" if ends else ""


def _distinct(case: Case) -> list[Candidate]:
    best = sorted(considered(case.question, asked(case.question), case.evidence), key=lambda one: -one.score)
    return list({one.value: one for one in reversed(best)}.values())[::-1]


def _replied(case: Case, value: str, documents: Sequence[str], quotes: Sequence[str] = (), said: str = "") -> Answer:
    reply = AnswerReply(
        explanation=said,
        answer=value,
        answer_value=value,
        ref_id=list(documents),
        quotes=list(quotes),
        is_blank=False,
    )
    return checked(case.question, case.evidence.contexts, reply)


def _without(evidence: Evidence, documents: tuple[str, ...], room: int) -> Evidence:
    """The evidence without some documents, in the room that it usually has."""
    others = (context for context in evidence.contexts if context.document not in documents)
    return replace(evidence, contexts=within(others, room))


def in_proportion(learned: list[Example], bias: float, weights: dict[str, float]) -> tuple[float, dict[str, float]]:
    """The same logistic, its odds scaled so that answers that are really given are right as often as it says.

    After Platt 1999: one slope and one offset, learned from the built-in reader's own answers.
    """
    given = [one for one in learned if one.natural]
    odds = [bias + sum(weights.get(name, 0.0) * value for name, value in asdict(one.signs).items()) for one in given]
    x = np.column_stack([np.ones(len(given)), odds])
    offset, slope = newton(x, given, np.diag([0.1, 0.1]), np.array([0.0, 1.0]))
    return offset + slope * bias, {name: slope * weight for name, weight in weights.items()}


AGAINST = ("bare", "dropped", "rival", "late", "alone", "unsaid", "unheard")


def sensible(learned: list[Example], penalty: float) -> tuple[float, dict[str, float]]:
    """The logistic without what speaks the wrong way: in so few answers that is an accident."""
    names = [field.name for field in fields(learned[0].signs)]
    while True:
        bias, weights = fitted(learned, names, penalty)
        wrong = [name for name in names if (weights[name] > 0) == (name in AGAINST)]
        if not wrong:
            return bias, weights
        names = [name for name in names if name not in wrong]


def fitted(learned: list[Example], names: list[str], size: float) -> tuple[float, dict[str, float]]:
    """Bias and weights of the logistic with the least loss, by Newton's method."""
    x = np.array([[1.0, *(asdict(one.signs)[name] for name in names)] for one in learned])
    penalty = np.diag([0.0] + [size] * len(names))
    beta = newton(x, learned, penalty, np.zeros(len(names) + 1))
    return beta[0], dict(zip(names, beta[1:], strict=True))


def newton(x: Matrix, learned: list[Example], penalty: Matrix, near: Matrix) -> list[float]:
    """The coefficients with the least loss, penalised for their distance from what they should be near to."""
    y = np.array([float(one.right) for one in learned])
    w = np.array([one.weight for one in learned])
    beta = near.copy()
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (w * (y - p)) - penalty @ (beta - near)
        curve = (x * (w * p * (1 - p))[:, None]).T @ x + penalty
        beta = beta + np.linalg.solve(curve, gradient)
    return [float(one) for one in beta]


@app.command()
def main(
    db: Annotated[Path | None, typer.Argument(help="An index of data/sample.", show_default="made anew")] = None,
    also: Annotated[
        list[str] | None, typer.Option(help="More questions: an index, =, a submission with right answers.")
    ] = None,
) -> None:
    """Fit the weights of confidence on the questions of data/sample, a model's on others too, and print them."""
    with tempfile.TemporaryDirectory() as folder:
        db = db or Path(folder) / "sample.db"
        if not db.exists():
            kohaku.index([SAMPLE], db, metadata=SAMPLE / "metadata.csv")
        places = [(db, SAMPLE / "truth.csv"), *((Path(one), Path(other)) for one, other in map(_split, also or []))]
        found = [list(cases(*place)) for place in places]
    own, chance = found[0], random.Random(0)
    told([one for at, case in enumerate(own) for one in by_reader(case, own[at - 7].value)], "", natural=True)
    told([one for case in own for one in of_blanks(case)], "BLANK_", natural=False)
    known = [case for cases in found for case in cases]
    others = [case.value for case in known if not no_value(case.value)]
    told([one for case in known if case.is_whole for one in by_model(case, others, chance)], "MODEL_", natural=False)


def told(learned: list[Example], name: str, *, natural: bool) -> None:
    """Prints the weights that examples give; in proportion to what is really given, where some of them are."""
    bias, weights = sensible(learned, PENALTY if natural else MODEL_PENALTY)
    if natural:
        bias, weights = in_proportion(learned, bias, weights)
    typer.echo(f"{len(learned)} answers, {sum(one.right for one in learned)} right")
    typer.echo(f"{name}BIAS = {bias:.2f}\n{name}WEIGHTS")
    for sign, weight in weights.items():
        typer.echo(f'    "{sign}": {weight:.2f},')


def _split(also: str) -> list[str]:
    return also.split("=", 1)


if __name__ == "__main__":
    app()

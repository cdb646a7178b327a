"""Fits the weights of `answerer/confidence.py` on the questions of data/sample; prints them.

Each question is answered several times: from its evidence, and from the same without the documents that hold its
answer, where the right thing is to abstain. Answers are the built-in reader's, its next best values, the true one as a
model that quotes would give it, and made up ones, with quotes that stand nowhere. Few questions, made to measure: the
weights tell answers apart better than their numbers hold elsewhere.

    python scripts/fit_confidence.py
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

import kohaku
from answerer import extract
from answerer.answer import Answer, Question
from answerer.asking import asked
from answerer.confidence import Signs, signs
from answerer.extract import answered, considered
from answerer.prompts import AnswerReply
from answerer.reader import checked
from answerer.references import read_references
from answerer.score import no_value, same_value
from answerer.submission import read_questions
from kohaku.tables import read_rows
from retriever.evidence import Evidence, within

app = typer.Typer(add_completion=False, rich_markup_mode=None)

SAMPLE = Path(__file__).parent.parent / "data" / "sample"
PENALTY = 1.0  # on the weights' squares: with forty questions anything else finds accidents
UNUSUAL = 0.2
"""How much a question counts whose documents were taken out: as often as one in six cannot be answered."""
Matrix = NDArray[np.float64]
NEXT = 3  # values of the built-in reader after its best


@dataclass(frozen=True, slots=True)
class Example:
    """The signs of an answer, whether it is right, and how much it counts."""

    signs: Signs
    right: bool
    weight: float
    natural: bool = False


def examples(db: Path) -> Iterator[Example]:
    """The answers to learn from."""
    truth = {row["id"]: row for row in read_rows(SAMPLE / "truth.csv", ("id", "answer_value", "ref_id"))}
    questions = read_questions(SAMPLE / "questions.csv")
    values = [truth[question.id]["answer_value"] for question in questions]
    with kohaku.open(db) as near, kohaku.open(db, budget=18_000, top_k=450) as far:
        for number, question in enumerate(questions):
            row = truth[question.id]
            gold = read_references(row["ref_id"])
            whole = near.retrieve(question.text)
            for evidence in [whole, _without(far.retrieve(question.text), gold, whole.tokens)] if gold else [whole]:
                for place, (answer, weight) in enumerate(_answers(question, evidence, row, values[number - 7])):
                    if not answer.is_blank:
                        right = same_value(row["answer_value"], answer.value)
                        natural = place == 0 and not extract.read(question, evidence).is_blank
                        usual = UNUSUAL if natural and evidence is not whole else weight
                        yield Example(signs(answer, evidence), right, usual if natural else weight, natural)


def _answers(question: Question, evidence: Evidence, row: dict[str, str], other: str) -> Iterator[tuple[Answer, float]]:
    best = sorted(considered(question, asked(question), evidence), key=lambda one: -one.score)
    distinct = {one.value: one for one in reversed(best)}
    ordered = sorted(distinct.values(), key=lambda one: -one.score)
    yield from ((answered(question, one), 1.0 if not rank else 0.3) for rank, one in enumerate(ordered[: NEXT + 1]))
    misread = [one for one in ordered[1:NEXT] if not same_value(row["answer_value"], one.value)]
    for one in misread:  # who misreads often misquotes
        context = one.sentence.context
        broken = " ".join(reversed(one.sentence.text.split()))
        yield _replied(question, evidence, one.value, (context.document,), [broken], ""), 0.3
    quotes = re.findall(r'"([^"]+)"', row["supporting_materials"])
    if not no_value(row["answer_value"]):
        references = read_references(row["ref_id"])
        for said in (quotes, []):
            yield _replied(question, evidence, row["answer_value"], references, said, row["explanation"]), 0.3
    if not no_value(other) and evidence.contexts:
        stranger = evidence.contexts[len(other) % len(evidence.contexts)]
        for said in ([f"The value was {other} in the year that was looked at."], []):
            yield _replied(question, evidence, other, (stranger.document,), said, ""), 0.5


def _replied(
    question: Question, evidence: Evidence, value: str, references: tuple[str, ...], quotes: list[str], said: str
) -> Answer:
    reply = AnswerReply(
        explanation=said, answer=value, answer_value=value, ref_id=list(references), quotes=quotes, is_blank=False
    )
    return checked(question, evidence.contexts, reply)


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


AGAINST = ("bare", "dropped", "rival", "late", "alone", "unsaid")


def sensible(learned: list[Example]) -> tuple[float, dict[str, float]]:
    """The logistic without what speaks the wrong way: in so few answers that is an accident."""
    names = [field.name for field in fields(Signs)]
    while True:
        bias, weights = fitted(learned, names)
        wrong = [name for name in names if (weights[name] > 0) == (name in AGAINST)]
        if not wrong:
            return bias, weights
        names = [name for name in names if name not in wrong]


def fitted(learned: list[Example], names: list[str]) -> tuple[float, dict[str, float]]:
    """Bias and weights of the logistic with the least loss, by Newton's method."""
    x = np.array([[1.0, *(asdict(one.signs)[name] for name in names)] for one in learned])
    penalty = np.diag([0.0] + [PENALTY] * len(names))
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
) -> None:
    """Fit the weights of confidence on the questions of data/sample, and print them."""
    with tempfile.TemporaryDirectory() as folder:
        db = db or Path(folder) / "sample.db"
        if not db.exists():
            kohaku.index([SAMPLE], db, metadata=SAMPLE / "metadata.csv")
        learned = list(examples(db))
    bias, weights = in_proportion(learned, *sensible(learned))
    lines = [f"{len(learned)} answers, {sum(one.right for one in learned)} right", f"BIAS = {bias:.2f}"]
    lines += [f'    "{name}": {weight:.2f},' for name, weight in weights.items()]
    typer.echo("\n".join(lines))


if __name__ == "__main__":
    app()

"""Why rows of a submission lost points: what kind of question each is, and which of seven errors it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from answerer.references import clean, read_references, write_references
from answerer.score import Figures, QuestionScore, Row, figures, is_near, no_value, question_score
from answerer.units import unit_asked, within_dimension
from answerer.values import BLANK, asks_true_or_false, normalise, number, pair

POWERS = tuple(Decimal(10) ** power for power in range(1, 13))
"""By what a value is out that was read without its scale: ten to a trillion."""


class Error(StrEnum):
    """What is wrong with a row; a row has the first of these, in this order, that holds of it."""

    FORMAT = "format"
    ANSWERED = "answered wrongly"
    MISSED = "right document, missed"
    BLANK = "blank wrongly"
    UNIT = "wrong unit or scale"
    DOCUMENT = "wrong document"
    VALUE = "wrong value"


RULES = {
    Error.FORMAT: "the row is missing, or earns more once its value and references are read as they were meant",
    Error.ANSWERED: "the truth has no answer, the row gives a value or a reference",
    Error.MISSED: "no value is given, though a document of the truth was cited (or stood in the evidence)",
    Error.BLANK: "no value is given, and no document of the truth either",
    Error.UNIT: "the value is the truth times a power of ten, or the truth in another unit of its kind",
    Error.DOCUMENT: "another value, and no document of the truth; or the right value with other references",
    Error.VALUE: "another value, though a document of the truth is cited",
}
"""The rules by which a row that lost points has one error, the first that holds."""


class Form(StrEnum):
    """What a right answer is."""

    NUMBER = "number"
    RANGE = "range"
    BOOLEAN = "true/false"
    NAME = "name"
    BLANK = "blank"


class Source(StrEnum):
    """From what the truth says that an answer comes; a question may have several."""

    QUOTE = "quote"
    TABLE = "table"
    FIGURE = "figure"
    MATHS = "maths"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A question with what it asks for, what a row earned on it, and the row's error (None: nothing was lost)."""

    form: Form
    sources: tuple[Source, ...]
    score: QuestionScore
    error: Error | None
    truth: Row
    predicted: Row | None


Evidence = Mapping[str, Collection[str]]
"""By question id, the documents that stood in its evidence."""


def diagnose(truth: Iterable[Row], predicted: Iterable[Row], evidence: Evidence | None = None) -> list[Diagnosis]:
    """The rows of a submission with their errors, what lost most first, then in the truth's order.

    `evidence` tells answers that were missed from documents that were not found, for rows that cite nothing.
    """
    rows = {row["id"].strip(): row for row in predicted}
    seen = evidence or {}
    found = [_diagnosis(row, rows.get(row["id"].strip()), seen.get(row["id"].strip(), ())) for row in truth]
    return sorted(found, key=lambda one: one.score.score)


def by_type(diagnoses: Sequence[Diagnosis]) -> dict[str, Figures]:
    """The means over the questions of each form, then over those of each source; none for what is not asked."""
    groups: dict[str, list[QuestionScore]] = {}
    for form in Form:
        groups[form.value] = [one.score for one in diagnoses if one.form is form]
    for source in Source:
        groups[source.value] = [one.score for one in diagnoses if source in one.sources]
    return {name: figures(scores) for name, scores in groups.items() if scores}


def by_error(diagnoses: Sequence[Diagnosis]) -> dict[Error, tuple[int, float]]:
    """How many rows have each error and how many points these cost together, the costliest first."""
    lost = {error: [1 - one.score.score for one in diagnoses if one.error is error] for error in Error}
    tallied = {error: (len(points), sum(points)) for error, points in lost.items() if points}
    return dict(sorted(tallied.items(), key=lambda item: -item[1][1]))


def form_of(truth: Row) -> Form:
    """What the right answer to a question is."""
    value = truth["answer_value"]
    if no_value(value):
        return Form.BLANK
    if asks_true_or_false(truth.get("question", "")) or value.strip().casefold() in ("true", "false"):
        return Form.BOOLEAN
    if number(value) is not None:
        return Form.NUMBER
    return Form.RANGE if pair(value) is not None else Form.NAME


def sources_of(truth: Row) -> tuple[Source, ...]:
    """From what the truth's explanation and materials say that the answer comes.

    >>> sources_of({"explanation": "Figure, Quote", "supporting_materials": "is_blank"})
    (<Source.QUOTE: 'quote'>, <Source.FIGURE: 'figure'>)
    """
    materials, explanation = truth.get("supporting_materials", ""), truth.get("explanation", "")
    named = f"{_QUOTED.sub(' ', materials)} {explanation}"
    holds = {
        Source.QUOTE: _QUOTED.search(materials) or re.search(r"\bquot(?:e|ed|es|ation)\b", explanation, re.IGNORECASE),
        Source.TABLE: re.search(r"\btables?\b", named, re.IGNORECASE),
        Source.FIGURE: re.search(r"\b(?:figures?|figs?|charts?)\b", named, re.IGNORECASE),
        Source.MATHS: _MATHS.search(explanation),
    }
    return tuple(source for source, found in holds.items() if found)


_QUOTED = re.compile(r"[“\"]\s*\w+\W+\w+\W+\w+[^”\"]*[”\"]")  # three words at least: else it is a name or a title
_OPERAND = r"\.?\d(?:[\d.,]*\d)?[^\d=≈→+×÷*/−–-]{0,20}"
_MATHS = re.compile(
    r"\b(?:maths?|mathematics|calculat\w*|arithmetic)\b"
    rf"|(?<![\w/.])(?<!\d,)(?:{_OPERAND}[×÷*]\s*\(?\d|\d[\d.,]*\s*/\s*\d[\d.,]*(?![\w/])|{_OPERAND}[/+−–→-].{{0,40}}[=≈]\s*\d)",
    re.IGNORECASE,
)


def error_of(truth: Row, predicted: Row | None, evidence: Collection[str] = ()) -> Error | None:
    """The error of a row by `RULES`, None where it earned all; `evidence` are documents that it may have seen."""
    earned = question_score(truth, predicted)
    if earned.score >= 1:
        return None
    if predicted is None:
        return Error.FORMAT
    meant = question_score(truth, _meant(truth, predicted))
    if meant.value > earned.value or (earned.value == 1 and meant.score > earned.score):
        return Error.FORMAT
    if no_value(truth["answer_value"]):
        return Error.ANSWERED
    right = {id.casefold() for id in read_references(truth["ref_id"])}
    cited = {id.casefold() for id in read_references(predicted["ref_id"])}
    if no_value(predicted["answer_value"]):
        return Error.MISSED if right & (cited | {id.casefold() for id in evidence}) else Error.BLANK
    if earned.value == 0 and form_of(truth) is not Form.BOOLEAN and _is_out_of_scale(truth, predicted):
        return Error.UNIT
    return Error.VALUE if earned.value == 0 and right & cited else Error.DOCUMENT


def _diagnosis(truth: Row, predicted: Row | None, evidence: Collection[str]) -> Diagnosis:
    return Diagnosis(
        form_of(truth),
        sources_of(truth),
        question_score(truth, predicted),
        error_of(truth, predicted, evidence),
        truth,
        predicted,
    )


def _meant(truth: Row, predicted: Row) -> Row:
    """The row as a careful writer would have put it: nothing that is not in it comes in."""
    value = normalise(predicted["answer_value"], truth.get("answer_unit", ""), truth.get("question", ""))
    if _letters(value) == _letters(truth["answer_value"]) and number(value) is None and pair(value) is None:
        value = truth["answer_value"]
    references = clean(_unmarked(id) for id in read_references(predicted["ref_id"]))
    return {**predicted, "answer_value": value or BLANK, "ref_id": write_references(references)}


_REF_MARK = re.compile(r"\[?\s*ref_id\s*=\s*(.*?)\s*\]?")  # as evidence is marked in prompts, ours and KohakuRAG's


def _unmarked(id: str) -> str:
    found = _REF_MARK.fullmatch(id)
    return found[1] if found else id


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _is_out_of_scale(truth: Row, predicted: Row) -> bool:
    """Whether both ends of a value are those of the truth by one factor that a scale or a unit has."""
    asked, given = _ends(truth["answer_value"]), _ends(predicted["answer_value"])
    if asked is None or given is None:
        return False
    unit = unit_asked(truth.get("answer_unit", ""))
    factors = [*POWERS, *(within_dimension(unit) if unit else ())]
    factors += [1 / factor for factor in factors]
    return any(
        all(end and is_near(end * factor, got) for end, got in zip(asked, given, strict=True)) for factor in factors
    )


def _ends(text: str) -> tuple[Decimal, Decimal] | None:
    one = number(text)
    return pair(text) if one is None else (one, one)

"""What a submission is worth and why: the contest's metric, kinds of questions and of errors, another submission."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from answerer.calibration import Calibration, calibration_of_files
from answerer.comparison import Change, Comparison, compare
from answerer.diagnosis import Diagnosis, Evidence, by_error, by_type, diagnose
from answerer.long_answers import LongScore, Meanings, long_score
from answerer.references import read_references
from answerer.score import Row, Score, no_value, read_answers, score
from kohaku.doors.display import calibration_lines, one_line
from kohaku.errors import TableError
from kohaku.text import few

WORST = 10  # rows listed under a score, where no other number is asked for
WIDTH = 60  # characters of a value in a list
TOLD = ("question", "answer", "answer_value", "answer_unit", "ref_id", "supporting_materials", "explanation")


@dataclass(frozen=True, slots=True)
class Scoring:
    """What there is to say of a submission.

    `diagnoses` are its rows, the worst first; `long` its long answers, `comparison` how it stands against another one,
    `calibration` what its confidences were worth, each None where that was not asked for. `names` are the files':
    truth, submission, and the other ("" for none).
    """

    names: tuple[str, str, str]
    score: Score
    diagnoses: tuple[Diagnosis, ...]
    long: LongScore | None = None
    comparison: Comparison | None = None
    calibration: Calibration | None = None


def scored(
    truth: Path,
    predicted: Path,
    *,
    against: Path | None = None,
    evidence: Path | None = None,
    confidence: Path | None = None,
    has_long: bool = False,
    meanings: Meanings | None = None,
) -> Scoring:
    """A submission scored against the truth, and compared with another one; raises TableError for an unusable file.

    `evidence` is what `kohaku retrieve --questions` wrote, `confidence` what `kohaku answer --confidence` or a vote
    did. Long answers are scored where `has_long`, by meaning too where `meanings` says what their tokens mean.
    """
    columns = ("answer_value", "ref_id", *(("answer",) if has_long else ()))
    right, given = read_answers(truth, columns), read_answers(predicted, columns)
    if not right:
        raise TableError(f"{truth} has no rows: give a file with right answers")
    other = None if against is None else read_answers(against)
    seen = None if evidence is None else read_evidence(evidence)
    return Scoring(
        (truth.name, predicted.name, "" if against is None else against.name),
        score(right, given),
        tuple(diagnose(right, given, seen)),
        long_score(right, given, meanings) if has_long else None,
        None if other is None else compare(right, given, other),
        None if confidence is None else calibration_of_files(truth, predicted, confidence),
    )


def has_only_long(truth: Path) -> bool:
    """Whether a truth has answers in words, and no values to compare."""
    rows = read_answers(truth, ())
    return bool(rows) and "answer" in rows[0] and "answer_value" not in rows[0]


def long_scored(truth: Path, predicted: Path, meanings: Meanings | None = None) -> LongScore:
    """The score of long answers alone: both files need no more than the columns id and answer."""
    return long_score(read_answers(truth, ("answer",)), read_answers(predicted, ("answer",)), meanings)


def read_evidence(path: Path) -> Evidence:
    """The documents in the evidence for each question, as `kohaku retrieve --questions` wrote it."""
    try:
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        return {str(one["id"]).strip(): [str(context["doc"]) for context in one["contexts"]] for one in found}
    except OSError as error:
        raise TableError(f"{path} can't be read ({error.strerror or error}): give another file") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TableError(f"{path} is no evidence: `kohaku retrieve --questions CSV --out {path}` writes it") from None


# ---- as JSON


def scoring_object(scoring: Scoring) -> dict[str, Any]:
    """All of a scoring as JSON, every question with it, the worst first."""
    found: dict[str, Any] = {**scoring.score.summary(), "unknown": list(scoring.score.unknown)}
    if scoring.long is not None:
        found |= scoring.long.summary()
    found["types"] = by_type(scoring.diagnoses)
    found["errors"] = {
        error.value: {"n": count, "lost": round(lost, 6)}
        for error, (count, lost) in by_error(scoring.diagnoses).items()
    }
    found["questions"] = [_question_object(one, _long_of(scoring)) for one in scoring.diagnoses]
    if scoring.comparison is not None:
        found["against"] = comparison_object(scoring.comparison)
    if scoring.calibration is not None:
        found["calibration"] = asdict(scoring.calibration)
    return found


def comparison_object(comparison: Comparison) -> dict[str, Any]:
    """A comparison as JSON: the other's score, the difference to it, and which questions changed."""
    return {
        "score": comparison.before,
        "difference": asdict(comparison.difference),
        "gained": [_change_object(change) for change in comparison.gained],
        "lost": [_change_object(change) for change in comparison.lost],
        "changed": [_change_object(change) for change in comparison.changed],
        "same": comparison.same,
    }


def _question_object(one: Diagnosis, long: Mapping[str, Mapping[str, float | None]]) -> dict[str, Any]:
    earned = one.score
    return {
        "id": earned.id,
        "type": one.form.value,
        "sources": [source.value for source in one.sources],
        "error": one.error.value if one.error else None,
        "score": earned.score,
        "value": earned.value,
        "ref": earned.ref,
        "na": earned.na,
        **long.get(earned.id, {}),
        "truth": _told(one.truth),
        "predicted": None if one.predicted is None else _told(one.predicted),
    }


def _change_object(change: Change) -> dict[str, Any]:
    return {
        "id": change.id,
        "before": change.before.score,
        "after": change.after.score,
        "was": change.was["answer_value"] if change.was else None,
        "now": change.now["answer_value"] if change.now else None,
    }


def _told(row: Row) -> dict[str, str]:
    return {name: row[name] for name in TOLD if name in row}


def _long_of(scoring: Scoring) -> dict[str, dict[str, float | None]]:
    answers = scoring.long.answers if scoring.long else ()
    return {one.id: {"rouge_l": one.rouge_l, "bert_score": one.bert_score} for one in answers}


# ---- for a terminal


def scoring_lines(scoring: Scoring, worst: int = WORST) -> Iterator[str]:
    """A scoring as lines: figures, kinds of questions and of errors, the worst rows, the other file, confidences."""
    yield from figure_lines(scoring.score.summary())
    if scoring.long is not None:
        yield from figure_lines(scoring.long.summary())
    if scoring.score.unknown:
        yield one_line(f"not in the truth, and earning nothing: {few(scoring.score.unknown)}")
    yield ""
    yield from _type_lines(scoring.diagnoses)
    yield from _error_lines(scoring.diagnoses)
    yield from _row_lines(scoring.diagnoses, worst)
    if scoring.comparison is not None:
        yield ""
        yield from comparison_lines(scoring.comparison, scoring.names[2], worst)
    if scoring.calibration is not None:
        yield ""
        yield from calibration_lines(scoring.calibration)


def figure_lines(figures: Mapping[str, float | int]) -> Iterator[str]:
    """Figures by name, a line each."""
    for name, figure in figures.items():
        yield f"{name}\t{figure:.4f}" if isinstance(figure, float) else f"{name}\t{figure}"


def _type_lines(diagnoses: Sequence[Diagnosis]) -> Iterator[str]:
    yield f"{'type':<24}{'n':>5}{'score':>8}{'value':>8}{'ref':>8}"
    for name, mean in by_type(diagnoses).items():
        yield f"{name:<24}{mean['n']:>5}{mean['score']:>8.3f}{mean['value']:>8.3f}{mean['ref']:>8.3f}"


def _error_lines(diagnoses: Sequence[Diagnosis]) -> Iterator[str]:
    tallied = by_error(diagnoses)
    if tallied:
        yield ""
        yield f"{'error':<24}{'n':>5}{'lost':>8}"
    for error, (count, lost) in tallied.items():
        yield f"{error.value:<24}{count:>5}{lost:>8.2f}"


def _row_lines(diagnoses: Sequence[Diagnosis], worst: int) -> Iterator[str]:
    wrong = [one for one in diagnoses if one.error]
    if wrong[:worst]:
        yield ""
        yield "id\tscore\terror\ttruth\tanswer"
    for one in wrong[:worst]:
        given = "(no row)" if one.predicted is None else brief(one.predicted)
        yield one_line(f"{one.score.id}\t{one.score.score:.2f}\t{one.error}\t{brief(one.truth)}\t{given}")
    if len(wrong) > worst:
        yield f"and {len(wrong) - worst} more: --worst {len(wrong)} lists them all, --html FILE shows why"


def comparison_lines(comparison: Comparison, name: str, worst: int = WORST) -> Iterator[str]:
    """A comparison as lines: by how much, how surely, and the questions that changed."""
    apart = comparison.difference
    yield one_line(
        f"against {name}: {comparison.before:.4f} → {comparison.after:.4f}, {apart.mean:+.4f} "
        f"(95 %: {apart.low:+.4f} to {apart.high:+.4f}, p {apart.p:.3f})"
    )
    kinds = {"gained": comparison.gained, "lost": comparison.lost, "otherwise": comparison.changed}
    yield ", ".join(f"{len(changes)} {kind}" for kind, changes in kinds.items()) + f", {comparison.same} the same"
    for kind, changes in kinds.items():
        for change in changes[:worst]:
            values = " → ".join("(no row)" if row is None else brief(row) for row in (change.was, change.now))
            yield one_line(f"{kind}\t{change.id}\t{change.gain:+.2f}\t{values}")
        if len(changes) > worst:
            yield f"and {len(changes) - worst} more {kind}: --worst {len(changes)} lists them"


def brief(row: Row) -> str:
    """A row's value and references, short enough for a line; tabs part the columns of a list."""
    value = "blank" if no_value(row["answer_value"]) else " ".join(row["answer_value"].split())
    value = value if len(value) <= WIDTH else f"{value[: WIDTH - 1]}…"
    references = ", ".join(read_references(row["ref_id"]))
    return f"{value} ({references})" if references else value

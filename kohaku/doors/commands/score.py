"""`kohaku score`: what a submission is worth, and why."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kohaku.doors.commands.options import AsJson
from kohaku.doors.commands.terminal import print_json, refuse, say, spare

if TYPE_CHECKING:
    from answerer.long_answers import Meanings


def score(
    truth: Annotated[Path, typer.Option("--truth", help="CSV with the right answers.")],
    pred: Annotated[Path, typer.Option("--pred", help="A submission CSV.")],
    against: Annotated[
        Path | None, typer.Option("--against", help="Another submission: which questions changed, and how surely.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page: each question, its evidence, the truth beside it.")
    ] = None,
    worst: Annotated[int, typer.Option("--worst", min=0, help="Questions listed, those that lost most first.")] = 10,
    evidence: Annotated[
        Path | None,
        typer.Option("--evidence", help="What `retrieve --questions` wrote: tells what was found but missed."),
    ] = None,
    rouge: Annotated[bool, typer.Option("--rouge", help="Score the column answer by ROUGE-L too.")] = False,
    bert_score: Annotated[
        str | None, typer.Option("--bert-score", help="And by BERTScore, with this model: its name or folder.")
    ] = None,
    layer: Annotated[
        int | None, typer.Option("--layer", min=1, help="Of that model.", show_default="by the model")
    ] = None,
    calibrate: Annotated[
        bool, typer.Option("--calibration", help="What the confidences were worth: risk by coverage, AURC, AUROC, ECE.")
    ] = False,
    confidence: Annotated[
        Path | None, typer.Option("--confidence", help="For --calibration: the CSV that answer or vote wrote.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score a submission by the contest's metric, and say why it lost what it lost.

    Example: kohaku score --truth truth.csv --pred submission.csv --html why.html
    """
    from kohaku.doors import scoring
    from kohaku.doors.display import stages
    from kohaku.doors.score_page import score_page

    refuse(calibrate != (confidence is not None), "--calibration and --confidence CSV go together")
    refuse(layer and bert_score is None, "--layer goes with --bert-score")
    spare(html, truth, pred, against, evidence, confidence)
    meanings = _meanings(bert_score, layer)
    has_long = rouge or meanings is not None
    if has_long and scoring.has_only_long(truth):
        refuse(html or against or evidence or calibrate, f"{truth} has answers in words only: they are scored alone")
        _show_long(truth, pred, meanings, as_json=as_json)
        return
    with stages() as tell:
        tell("comparing answers")
        found = scoring.scored(
            truth,
            pred,
            against=against,
            evidence=evidence,
            confidence=confidence,
            has_long=has_long,
            meanings=meanings,
        )
    if as_json:
        print_json(scoring.scoring_object(found))
    else:
        for line in scoring.scoring_lines(found, worst):
            typer.echo(line)
    if html is not None:
        html.write_text(score_page(found), encoding="utf-8")
        say(f"wrote {html}")


def _meanings(model: str | None, layer: int | None) -> Meanings | None:
    if model is None:
        return None
    from kohaku.doors.display import stages
    from kohaku.token_vectors import TokenVectors

    with stages() as tell:
        tell(f"loading {model}")
        return TokenVectors(model, layer=layer).of


def _show_long(truth: Path, pred: Path, meanings: Meanings | None, *, as_json: bool) -> None:
    from kohaku.doors.display import stages
    from kohaku.doors.scoring import figure_lines, long_scored

    with stages() as tell:
        tell("comparing answers")
        found = long_scored(truth, pred, meanings)
    if as_json:
        print_json({**found.summary(), "questions": [asdict(one) for one in found.answers]})
    else:
        for line in figure_lines(found.summary()):
            typer.echo(line)

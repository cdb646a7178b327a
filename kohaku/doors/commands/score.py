"""`kohaku score`: what a submission is worth."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from kohaku.doors.commands.options import AsJson
from kohaku.doors.commands.terminal import print_json, refuse


def score(
    truth: Annotated[Path, typer.Option("--truth", help="CSV with the right answers.")],
    pred: Annotated[Path, typer.Option("--pred", help="A submission CSV.")],
    calibrate: Annotated[
        bool, typer.Option("--calibration", help="What the confidences were worth: risk by coverage, AURC, ECE.")
    ] = False,
    confidence: Annotated[
        Path | None, typer.Option("--confidence", help="For --calibration: the CSV that answer or vote wrote.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score a submission by the contest's metric.

    Example: kohaku score --truth truth.csv --pred submission.csv
    """
    from answerer.score import score_files
    from kohaku.doors.display import calibration_lines, score_lines

    refuse(calibrate != (confidence is not None), "--calibration and --confidence CSV go together")
    result = score_files(truth, pred)
    if confidence is None:
        if as_json:
            print_json(result.summary())
        else:
            for line in score_lines(result):
                typer.echo(line)
        return
    from answerer.calibration import calibration_of_files

    worth = calibration_of_files(truth, pred, confidence)
    if as_json:
        print_json({**result.summary(), "calibration": asdict(worth)})
    else:
        for line in (*score_lines(result), *calibration_lines(worth)):
            typer.echo(line)

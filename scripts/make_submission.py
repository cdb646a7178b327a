"""Answer a CSV of questions: python scripts/make_submission.py questions.csv --db sample.db --out submission.csv."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kohaku
from answerer.score import score_files

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def main(
    questions: Path,
    db: Annotated[Path, typer.Option(help="The index file.")],
    out: Annotated[Path, typer.Option(help="The submission CSV.")],
    model: Annotated[str | None, typer.Option(help="Chat model; without one the built-in reader answers.")] = None,
    truth: Annotated[Path | None, typer.Option(help="CSV with the right answers, to score by.")] = None,
) -> None:
    """Write the submission; rows that are there from a run before are kept."""
    with kohaku.open(db, model=model) as engine:
        failed = engine.submit(questions, out, on_done=lambda outcome: typer.echo(outcome.question.id, err=True))
    for outcome in failed:
        typer.echo(f"{outcome.question.id}: {outcome.reason}", err=True)
    if truth:
        for name, figure in score_files(truth, out).summary().items():
            typer.echo(f"{name}\t{figure:.4g}")
    if failed:
        raise typer.Exit(1)


if __name__ == "__main__":
    app()

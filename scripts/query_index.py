"""Ask an index: python scripts/query_index.py "How much water did the port use?" --db sample.db."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kohaku

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def main(
    question: str,
    db: Annotated[Path, typer.Option(help="The index file.")],
    model: Annotated[str | None, typer.Option(help="Chat model; without one the built-in reader answers.")] = None,
    budget: Annotated[int, typer.Option(help="Tokens of evidence.")] = 2000,
) -> None:
    """Show where the evidence stands, then the answer with its quotes."""
    with kohaku.open(db, model=model, budget=budget) as engine:
        for context in engine.retrieve(question).contexts:
            typer.echo(f"{context.score:.2f}  {context.node}  {' › '.join(context.headings)}")
        answer = engine.ask(question)
    typer.echo(f"\n{answer.text}")
    for citation in answer.citations:
        page = f" p. {citation.pages[0]}" if citation.pages else ""
        typer.echo(f"  “{citation.quote}” ({citation.document}{page})")


if __name__ == "__main__":
    app()

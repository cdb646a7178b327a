"""Build an index of files and folders: python scripts/build_index.py data/sample --db sample.db."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kohaku

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def main(
    paths: list[Path],
    db: Annotated[Path, typer.Option(help="The index file.")],
    metadata: Annotated[Path | None, typer.Option(help="CSV: id,title,type,year,citation,url.")] = None,
) -> None:
    """Index the files, and say what became of them."""
    report = kohaku.index(
        paths, db, metadata=metadata, progress=lambda at: typer.echo(f"{at.done}/{at.total} {at.current}", err=True)
    )
    for path, reason in report.failed:
        typer.echo(f"{path}: {reason}", err=True)
    typer.echo(f"{report.added} added, {report.replaced} replaced, {report.skipped} unchanged")
    typer.echo(", ".join(f"{count} {kind}" for kind, count in report.nodes.items()))


if __name__ == "__main__":
    app()

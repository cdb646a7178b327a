"""`kohaku import-kohakurag`: what KohakuRAG has indexed."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kohaku.doors.commands.options import AsJson, configured
from kohaku.doors.commands.terminal import print_json, say

if TYPE_CHECKING:
    from kohaku.settings import Settings


@configured("db", "embedder", "dimensions", "device", "paragraph_vectors", "workers", "base_url")
def import_kohakurag(
    *,
    settings: Settings,
    file: Annotated[Path, typer.Argument(help="A database of KohakuRAG's, or a config (.py).")],
    documents: Annotated[
        Path | None,
        typer.Option("--documents", help="A folder for its documents as JSON.", show_default="beside the index"),
    ] = None,
    prefix: Annotated[
        str | None, typer.Option("--prefix", help="KohakuRAG's table_prefix.", show_default="the one that is there")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Index what a KohakuRAG database holds: its documents as JSON files, then an index of these.

    Of a config file of KohakuRAG's, print the settings as kohaku.toml has them.

    Example: kohaku import-kohakurag artifacts/wattbot.db --db papers.db
    """
    if file.suffix == ".py":
        from kohaku.doors.kohakurag_config import translated

        found = translated(file)
        if as_json:
            print_json(asdict(found))
        else:
            typer.echo(found.toml)
        return
    from kohaku.doors.display import progress_bar, report_lines, step_by_step
    from kohaku.doors.kohakurag import take_over

    folder = documents or settings.db.with_name(f"{settings.db.stem}-documents")
    with progress_bar() as advance:
        taken = take_over(
            file,
            settings,
            folder=folder,
            prefix=prefix,
            progress=step_by_step(advance),
        )
    if taken.unreadable:
        say(f"{taken.unreadable} records are no nodes of KohakuRAG's: left out")
    say(f"wrote {len(taken.files)} documents in {folder}: keep them, `kohaku index {folder}` reads them again")
    for line in report_lines(taken.report, settings.db):
        say(line)
    if as_json:
        print_json(
            {"files": [str(path) for path in taken.files], "unreadable": taken.unreadable, **asdict(taken.report)}
        )
    if taken.report.failed:
        raise typer.Exit(1)

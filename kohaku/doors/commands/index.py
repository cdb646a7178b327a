"""`kohaku index`: files and folders into an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kohaku.doors.commands.options import AsJson, Metadata, configured
from kohaku.doors.commands.terminal import print_json, refuse, say
from kohaku.errors import KohakuError

if TYPE_CHECKING:
    from kohaku.settings import Settings


@configured(
    "db",
    "embedder",
    "dimensions",
    "device",
    "paragraph_vectors",
    "workers",
    "ocr",
    "ocr_language",
    "password",
    "captions",
    "caption_model",
    "profile",
    "base_url",
    "reply_cache",
    "concurrency",
)
def index(
    *,
    settings: Settings,
    given: Mapping[str, Any],
    paths: Annotated[list[Path], typer.Argument(help="Files and folders: pdf, docx, pptx, html, md, txt, json.")],
    metadata: Metadata = None,
    prune: Annotated[bool, typer.Option("--prune", help="Drop documents whose files are gone.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Read unchanged files again too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Index files and folders; unchanged files are skipped.

    Example: kohaku index papers --db papers.db --metadata papers/metadata.csv
    """
    from kohaku.doors.display import outcomes, progress_bar, report_lines, step_by_step
    from kohaku.doors.indexing import index as run

    refuse(given["caption_model"] and not settings.captions, "--caption-model goes with --captions")
    refuse(
        given["profile"] and not settings.captions, "--profile goes with --captions: it says how figures are described"
    )
    with progress_bar() as advance:
        report = run(
            paths,
            settings,
            metadata=metadata,
            prune=prune,
            force=force,
            progress=step_by_step(advance),
        )
    for line in report_lines(report, settings.db):
        say(line)
    if as_json:
        print_json(asdict(report))
    if not sum(outcomes(report).values()):
        raise KohakuError(f"no file to read in {', '.join(map(str, paths))}: `kohaku index -h` names the formats")
    if report.failed or report.uncaptioned:
        raise typer.Exit(1)

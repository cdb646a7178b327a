"""`kohaku map`: a picture of an index."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kohaku.doors.commands.options import AsJson, configured
from kohaku.doors.commands.terminal import print_json, refuse, refuse_empty, say, spare, typed

if TYPE_CHECKING:
    from kohaku.scope import Scope
    from kohaku.settings import Settings

Dots = Literal["document", "section", "paragraph", "sentence"]


@configured("db", "embedder", "planner_model", "base_url")
def map(
    *,
    settings: Settings,
    scope: Scope,
    out: Annotated[Path, typer.Option("--out", help="The picture to write: .png, .svg, or .html to point and zoom.")],
    question: Annotated[
        str | None, typer.Option("--question", help="Show where a question lies, and the evidence for it.")
    ] = None,
    dots: Annotated[Dots, typer.Option("--dots", help="What each dot is.")] = "paragraph",
    by: Annotated[
        Literal["document", "section"], typer.Option("--by", help="What has a colour and shape of its own.")
    ] = "document",
    method: Annotated[
        Literal["pca", "umap"],
        typer.Option("--method", help="How the plane is laid; umap needs pip install 'kohaku[umap]'."),
    ] = "pca",
    most: Annotated[int, typer.Option("--most", min=3, help="Dots to draw; more nodes are sampled.")] = 5000,
    sample_seed: Annotated[int, typer.Option("--seed", min=0, help="Of the sample, and of umap.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Draw a map of an index: its parts as dots, near each other where they speak of the same.

    Example: kohaku map --db papers.db --question "How much water did the site use?" --out map.html
    """
    refuse_empty(question)
    refuse(scope.kinds and dots != "paragraph", "--kind goes with --dots paragraph")
    spare(out, settings.db)
    from kohaku.doors.display import stages
    from kohaku.doors.map import map_of
    from kohaku.doors.map_file import write
    from kohaku.doors.searcher import Searcher
    from kohaku.tree import Tier

    with Searcher.within(settings) as searcher, stages() as tell:
        made = map_of(
            searcher,
            level=Tier(dots),
            by=by,
            method=method,
            question=typed(question or ""),
            scope=scope,
            most=most,
            seed=sample_seed,
            tell=tell,
        )
        tell("drawing")
        write(made, out)
    if as_json:
        print_json(asdict(made))
    for note in made.notes:
        say(note)
    say(f"wrote {out}")

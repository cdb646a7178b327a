"""`kohaku sweep`: many settings tried on the same questions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kohaku.doors.commands.options import AsJson, Metadata, Questions, configured
from kohaku.doors.commands.terminal import print_json, say
from kohaku.errors import KohakuError

if TYPE_CHECKING:
    from kohaku.doors.sweep.report import Story
    from kohaku.doors.sweep.spec import Spec
    from kohaku.settings import Settings


@configured(
    "db",
    "model",
    "models",
    "planner_model",
    "filter_model",
    "base_url",
    "embedder",
    "reply_cache",
    "concurrency",
    "max_cost",
)
def sweep(
    *,
    settings: Settings,
    given: Mapping[str, Any],
    spec: Annotated[Path, typer.Argument(metavar="SPEC.toml", help="What to try: see docs/sweeps.md.")],
    out: Annotated[Path | None, typer.Option("--out", help="Folder of the runs, plots and reports.")] = None,
    questions: Questions = None,
    truth: Annotated[
        Path | None, typer.Option("--truth", help="CSV with the right answers; its questions are asked by default.")
    ] = None,
    metadata: Metadata = None,
    documents: Annotated[
        list[Path] | None, typer.Option("--documents", help="Files and folders to index, once a way to index; repeat.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option("--repeats", min=1, help="Runs of each, with the seeds 1, 2, …", show_default="SPEC's")
    ] = None,
    only_list: Annotated[bool, typer.Option("--list", help="List the runs, and make none.")] = False,
    as_json: AsJson = False,
) -> None:
    """Try many settings on the same questions: runs, plots, and a report of what differs more than by chance.

    Example: kohaku sweep sweep.toml --out sweep --db papers.db --truth truth.csv --model my-model
    """
    from kohaku.doors.display import progress_bar
    from kohaku.doors.sweep import sweep as run
    from kohaku.doors.sweep.report import lines, problems
    from kohaku.doors.sweep.spec import read_spec
    from kohaku.doors.sweep.trials import trials
    from kohaku.text import few

    named = {"questions": questions, "truth": truth, "metadata": metadata}
    asked = _with_flags(read_spec(spec), given, named, documents, repeats)
    if only_list:
        for trial in trials(asked, settings, spec.name):
            if as_json:
                print_json({"run": trial.name, "settings": trial.told})
            else:
                typer.echo(trial.name)
        return
    if out is None:
        raise typer.BadParameter("--out FOLDER says where runs, plots and reports go")
    with progress_bar() as advance:
        story = run(asked, out, settings, where=spec.name, progress=advance)
    kept = sum(one.run.was_there for standing in story.found.standings for one in standing.runs)
    if kept:
        say(f"{kept} of {story.runs} runs were finished before")
    if as_json:
        _print_runs(story)
    else:
        for line in lines(story):
            typer.echo(line)
    for problem, names in problems(story).items():
        say(f"{few(names)}: {problem}")
    say(f"wrote {out / 'report.html'}")
    if story.unfinished:
        raise KohakuError(f"{len(story.unfinished)} runs are not finished: run the same command again for them")


def _with_flags(
    spec: Spec,
    given: Mapping[str, Any],
    named: Mapping[str, Path | None],
    documents: list[Path] | None,
    repeats: int | None,
) -> Spec:
    """The spec with what was typed in place of what it says."""
    typed: dict[str, Any] = {name: path for name, path in named.items() if path is not None}
    typed["settings"] = {**spec.settings, **{name: value for name, value in given.items() if value is not None}}
    if documents:
        typed["documents"] = tuple(documents)
    if repeats is not None:
        typed |= {"seeds": tuple(range(1, repeats + 1)), "repeat": ()}
    return spec.model_copy(update=typed)


def _print_runs(story: Story) -> None:
    for standing in story.found.standings:
        for one in standing.runs:
            spent = one.run.spent
            print_json(
                {
                    "place": one.run.trial.point.place,
                    "repeat": one.run.trial.repeat,
                    **{name: one.mean(name) for name in one.measures},
                    "p": standing.p,
                    "calls": spent.total("calls"),
                    "cached": spent.total("cached"),
                    "cost": spent.cost,
                    "seconds": spent.seconds,
                    "folder": str(one.run.folder),
                }
            )

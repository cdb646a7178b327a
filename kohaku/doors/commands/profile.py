"""`kohaku profile`: the profiles that there are, and one to copy."""

from __future__ import annotations

from typing import Annotated

import typer

from kohaku.doors.commands.options import AsJson
from kohaku.doors.commands.terminal import print_json, typed


def profile(
    *,
    name: Annotated[str | None, typer.Argument(help="A profile's name, or a file of yours, which is checked.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the profiles, or print one: prompts, axes, terms and examples of a field, to be copied and edited.

    Example: kohaku profile medicine > mine.toml
    """
    from kohaku.profile import load, names, path_of

    if name is None:
        for one in names():
            if as_json:
                print_json({"name": one, "description": load(one).description})
            else:
                typer.echo(f"{one}\t{load(one).description}")
    else:
        found = load(typed(name))
        if as_json:
            print_json(found.model_dump(mode="json"))
        else:
            typer.echo(path_of(typed(name)).read_text(encoding="utf-8-sig"), nl=False)

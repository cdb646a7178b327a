"""`kohaku profile`: the profiles that there are, and one to copy."""

from __future__ import annotations

from typing import Annotated

import typer

from kohaku.doors.commands.terminal import typed


def profile(
    *,
    name: Annotated[str | None, typer.Argument(help="A profile's name, or a file of yours, which is checked.")] = None,
) -> None:
    """List the profiles, or print one: prompts, axes, terms and examples of a field, to be copied and edited.

    Example: kohaku profile medicine > mine.toml
    """
    from kohaku.profile import load, names, path_of

    if name is None:
        for one in names():
            typer.echo(f"{one}\t{load(one).description}")
    else:
        load(typed(name))
        typer.echo(path_of(typed(name)).read_text(encoding="utf-8-sig"), nl=False)

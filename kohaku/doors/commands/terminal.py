"""How a command speaks: results on stdout, everything else on stderr, a wrong use as one line."""

from __future__ import annotations

from pathlib import Path

import typer

from kohaku.errors import KohakuError


def say(line: str) -> None:
    """One line for the user on stderr, where all goes that is no result."""
    from kohaku.doors.display import one_line

    typer.echo(one_line(line), err=True)


def print_json(value: object) -> None:
    """One value as one line of JSON on stdout."""
    from kohaku.doors.display import json_line

    typer.echo(json_line(value))


def typed(argument: str) -> str:
    """An argument as the UTF-8 that was typed, also where the locale made Python take it for ASCII.

    >>> typed("caf\\udcc3\\udca9")
    'café'
    """
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def refuse(option: object, why: str) -> None:
    """Raises BadParameter where an option was given that nothing would come of."""
    if option:
        raise typer.BadParameter(why)


def refuse_empty(question: str | None) -> None:
    """Raises BadParameter for a question that asks nothing."""
    if question is not None and not question.strip():
        raise typer.BadParameter("the QUESTION is empty")


def one_or_many(question: str | None, questions: Path | None, out: Path | None, form: str) -> None:
    """Raises BadParameter unless there is one question that asks something, or a file of them and one to write."""
    if (question is None) == (questions is None) or (questions is None) != (out is None):
        raise typer.BadParameter(f"give a QUESTION, or --questions CSV with --out {form}")
    refuse_empty(question)


def refuse_twice(out: Path | None, other: Path | None) -> None:
    """Raises BadParameter where two files to be written are one."""
    if out is not None and other is not None:
        refuse(out.absolute() == other.absolute(), f"{out} is to be two files: give another path to one of them")


def spare(out: Path | None, *inputs: Path | None) -> None:
    """Raises KohakuError where what is to be written would take the place of what is read."""
    if out is not None and out.exists():
        for path in inputs:
            if path is not None and path.exists() and out.samefile(path):
                raise KohakuError(f"{out} would be overwritten, and it is read: give another path to write to")

"""The command line: its commands, and the one place where errors become text."""

from __future__ import annotations

import logging
import os
import sys
from typing import Annotated

import typer

from kohaku.doors.commands import (
    answer,
    contents,
    index,
    map,
    mcp,
    migrate,
    parse,
    profile,
    retrieve,
    score,
    serve,
    sweep,
    vote,
)
from kohaku.doors.commands.terminal import say
from kohaku.errors import KohakuError

app = typer.Typer(
    name="kohaku",
    help="Questions over your documents, answered with evidence that can be checked, or not at all.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    rich_markup_mode=None,  # rich takes longer to load than all else that help and a wrong option need
    pretty_exceptions_enable=False,
)

INTERRUPTED = 130


def main() -> None:
    """Runs the command line; an expected error is one line on stderr and exit status 1."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    _speak_utf8()
    # pydantic would look for plugins, of which we use none, in the metadata of every installed package
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        try:
            app(prog_name="kohaku")  # also where another program started it
        finally:
            sys.stdout.flush()  # here a full disk is an error of ours, at Python's end a riddle
    except KohakuError as error:
        _fail(str(error))
    except BrokenPipeError:  # the reader of our output left: nothing more to say to it
        _stop_writing()
        sys.exit(1)
    except OSError as error:  # of the machine: no room on the disk, a folder that can't be made
        _stop_writing()
        _fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))
    except (KeyboardInterrupt, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != INTERRUPTED:
            raise
        # mostly typer has caught the interrupt, and said nothing
        say("stopped: what is finished is kept; run the same command again to go on")
        sys.exit(INTERRUPTED)


class _OneLine(logging.Formatter):
    """Warnings as lines that act on no terminal."""

    def format(self, record: logging.LogRecord) -> str:
        from kohaku.doors.display import one_line

        return one_line(super().format(record))


def _fail(line: str) -> None:
    say(f"error: {line}")
    sys.exit(1)


def _speak_utf8() -> None:
    """Output is UTF-8 whatever the locale; what it can't hold is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _stop_writing() -> None:
    """What still waits to be written goes nowhere: at its end Python would try once more, and complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(version("kohaku"))
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version.")
    ] = False,
) -> None:
    pass


for _command in (
    index.index,
    parse.parse,
    retrieve.retrieve,
    answer.answer,
    vote.vote,
    score.score,
    sweep.sweep,
    contents.docs,
    contents.show,
    contents.info,
    contents.remove,
    contents.check,
    serve.serve,
    profile.profile,
    map.map,
    mcp.mcp,
    migrate.import_kohakurag,
):
    app.command(short_help=(_command.__doc__ or "").partition("\n")[0])(_command)  # whole: click would cut it

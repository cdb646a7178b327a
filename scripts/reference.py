#!/usr/bin/env python3
"""Writes the pages of the documentation that come from the code: docs/settings.md and docs/commands.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import typer
from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo
from typer.testing import CliRunner

from kohaku.doors.cli import app
from kohaku.settings import Settings

program = typer.Typer(add_completion=False, rich_markup_mode=None)

DOCS = Path(__file__).parent.parent / "docs"

BEFORE_SETTINGS = """\
# Settings

<!-- Written by scripts/reference.py from the code: change that, and run it again. -->

Each may stand in `kohaku.toml` in the working directory (or in the file that `--config` names), in the environment as
`KOHAKU_` and its name in capitals, or, where there is a flag, on the command line; the later of these wins. In Python
they are keyword arguments: `kohaku.open("papers.db", budget=4000)`. An unknown name is an error that says the nearest
known one. `OPENAI_BASE_URL` and `OPENAI_API_KEY` serve where no setting gives these.

```toml
model = "my-model"
base_url = "http://localhost:8000/v1"
budget = 4000
```
"""

BEFORE_COMMANDS = """\
# Commands

<!-- Written by scripts/reference.py from the code: change that, and run it again. -->

What `--help` says of each. Exit status 0: done; 1: failed, or done in part, with a line on stderr that says what to do
next; 2: wrong usage. Results go to stdout, everything else to stderr. Options without a default here are
[settings](settings.md), which have theirs.
"""

CHAPTERS = {
    "db": "The index",
    "top_k": "Finding evidence",
    "model": "Models and answers",
    "runs": "Several readings",
    "token": "Serving",
}
"""The first setting of each chapter, in the order of `Settings`."""


HEAD = ("| setting | default | flag | what |", "| --- | --- | --- | --- |")


def settings_page() -> str:
    """The page of all settings, in the order in which `Settings` has them."""
    flags = _flags()
    lines = [BEFORE_SETTINGS.rstrip()]
    for name, field in Settings.model_fields.items():
        if name in CHAPTERS:
            lines += ["", f"## {CHAPTERS[name]}", "", *HEAD]
        default = "" if field.default is None else f"`{field.default}`"
        flag = f"`{flags[name]}`" if name in flags else ""
        told = "; ".join(filter(None, (field.description, _taken(field)))).replace("|", "\\|")
        lines.append(f"| `{name}` | {default} | {flag} | {told} |")
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """The page of all commands, each with its help."""
    run = CliRunner()
    lines = [BEFORE_COMMANDS]
    for name in typer.main.get_command(app).commands:  # type: ignore[attr-defined]
        said = run.invoke(app, [name, "--help"], prog_name="kohaku").stdout
        lines += [f"## kohaku {name}", "", "```text", *(line.rstrip() for line in said.strip().splitlines()), "```", ""]
    return "\n".join(lines)


def _flags() -> dict[str, str]:
    """The longest spelling of the flag of each setting that has one."""
    return {
        parameter.name: max(parameter.opts, key=len)
        for command in typer.main.get_command(app).commands.values()  # type: ignore[attr-defined]
        for parameter in command.params
        if parameter.param_type_name == "option"
    }


def _taken(field: FieldInfo) -> str:
    """The values that a setting takes, where not any of its type will do."""
    choices = [value for value in _choices(field.annotation) if isinstance(value, str)]
    if choices:
        return " | ".join(f"`{choice}`" for choice in choices)
    least = next((one for one in field.metadata if isinstance(one, Ge | Gt)), None)
    most = next((one for one in field.metadata if isinstance(one, Le)), None)
    if least is None:
        return ""
    lowest = f"{least.ge}" if isinstance(least, Ge) else f"more than {least.gt}"
    return f"{lowest} to {most.le}" if most else lowest if isinstance(least, Gt) else f"{lowest} or more"


def _choices(annotation: Any) -> list[Any]:
    """What the Literals in an annotation allow."""
    found: list[Any] = []
    for part in get_args(annotation):
        found += [part] if isinstance(part, str) else _choices(part)
    return found


PAGES = {"settings.md": settings_page, "commands.md": commands_page}


@program.command()
def main() -> None:
    """Write docs/settings.md and docs/commands.md from the code."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    program()

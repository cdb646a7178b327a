"""`kohaku parse`: the tree of one file, shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kohaku.doors.commands.options import AsJson, configured
from kohaku.doors.commands.terminal import print_json, refuse, say, spare
from kohaku.errors import KohakuError, ReadError

if TYPE_CHECKING:
    from kohaku.settings import Settings


@configured("ocr", "ocr_language", "password")
def parse(
    *,
    settings: Settings,
    file: Annotated[Path, typer.Argument(help="A document.")],
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write the tree beside its pages' pictures as one HTML file; - prints it."),
    ] = None,
    pages: Annotated[
        str | None, typer.Option("--pages", help="For --html: 1-20, 3 or 1-4,9-.", show_default="the first 50")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the tree of one file; nothing is stored.

    Example: kohaku parse paper.pdf --html paper.html
    """
    from kohaku.doors.display import stages, tree_lines, tree_objects
    from kohaku.doors.indexing import page_of, tree_of

    if html is None:
        refuse(pages, "--pages goes with --html: it says of which pages pictures are drawn")
    else:
        refuse(as_json, "--json and --html are two forms of one tree: give one of them")
        spare(html, file)
    if file.is_dir():
        raise KohakuError(f"{file} is a folder: give one file, or `kohaku index {file}`")
    try:
        with stages() as tell:
            tell(f"reading {file.name}")
            tree, notes = tree_of(file, settings)
    except ReadError as error:
        raise ReadError(f"{file}: {error}") from None
    for note in notes:
        say(f"{file}: {note}")
    if html is not None:
        with stages() as tell:
            page = page_of(file, tree, notes, settings, pages, tell=tell)
        if str(html) == "-":
            typer.echo(page)
        else:
            html.write_text(page, encoding="utf-8")
            say(f"wrote {html}")
    elif as_json:
        for part in tree_objects(tree.nodes):
            print_json(part)
    else:
        for line in tree_lines(tree.nodes):
            typer.echo(line)

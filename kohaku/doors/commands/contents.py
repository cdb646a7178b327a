"""What an index holds: listed, shown, counted, removed, verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kohaku.doors.commands.options import AsJson, configured
from kohaku.doors.commands.terminal import print_json, refuse, say, spare, typed
from kohaku.errors import KohakuError

if TYPE_CHECKING:
    from kohaku.settings import Settings


@configured("db")
def docs(*, settings: Settings, as_json: AsJson = False) -> None:
    """List the documents of an index.

    Example: kohaku docs --db papers.db
    """
    from kohaku.doors.display import document_line
    from kohaku.store import Store

    with Store.open(settings.db) as store:
        for document in store.documents():
            if as_json:
                print_json(asdict(document))
            else:
                typer.echo(document_line(document))


@configured("db", "password")
def show(
    *,
    settings: Settings,
    node: Annotated[str, typer.Argument(help="A node's id, as other commands print it.")],
    picture: Annotated[Path | None, typer.Option("--picture", help="Write its page as PNG, the node marked.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a node with its headings and neighbours, or its page as a picture.

    Example: kohaku show "report:s2:p4" --db papers.db --picture page.png
    """
    from kohaku.doors.display import links_of, node_lines, node_object
    from kohaku.doors.picture import page_picture
    from kohaku.doors.reading import drawing_of
    from kohaku.store import Store

    if picture is not None:
        refuse(as_json, "--json shows a node's text, --picture its page: give one of them")
    spare(picture, settings.db)
    with Store.open(settings.db) as store:
        found = store.node(typed(node))
        if found is None:
            raise KohakuError(f"no node {node!r}: `kohaku retrieve` and `kohaku parse --json` print ids")
        if picture is not None:
            picture.write_bytes(page_picture(store, found, drawing_of(settings)))
            say(f"wrote {picture}")
        elif as_json:
            print_json(node_object(found, links_of(store, found)))
        else:
            for line in node_lines(found, store.ancestors(found), store.siblings(found), links_of(store, found)):
                typer.echo(line)


@configured("db")
def info(*, settings: Settings, as_json: AsJson = False) -> None:
    """Show an index's figures: documents, nodes by kind, embedder, size.

    Example: kohaku info --db papers.db
    """
    from kohaku.store import Store

    with Store.open(settings.db) as store:
        facts: dict[str, Any] = {
            "path": str(store.path),
            "bytes": store.path.stat().st_size,
            "embedder": store.fingerprint,
            "dimensions": store.dimensions,
            "documents": len(store.documents()),
            "nodes": store.counts(),
        }
    if as_json:
        print_json(facts)
    else:
        from kohaku.doors.display import one_line

        for name, value in _flat(facts):
            typer.echo(one_line(f"{name}\t{value}"))


@configured("db")
def remove(
    *,
    settings: Settings,
    document: Annotated[str, typer.Argument(help="A document's id, as `kohaku docs` lists it.")],
) -> None:
    """Remove a document from an index; its file stays.

    Example: kohaku remove report --db papers.db
    """
    from kohaku.store import Store

    with Store.edit(settings.db) as store:
        if not store.remove(typed(document)):
            raise KohakuError(f"no document {document!r}: `kohaku docs` lists them")
    say(f"removed {document}")


@configured("db")
def check(*, settings: Settings) -> None:
    """Verify an index file: its pages, and that nodes, vectors and full text agree.

    Example: kohaku check --db papers.db
    """
    from kohaku.doors.display import one_line
    from kohaku.store import Store

    with Store.open(settings.db) as store:
        faults = store.check()
    for fault in faults:
        typer.echo(one_line(fault))
    if faults:
        raise KohakuError("the index is damaged: delete it and index again, or restore a copy")
    say("all is well")


def _flat(facts: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{key}", inner) for key, inner in value.items())
        else:
            yield name, value

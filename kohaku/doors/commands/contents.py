"""What an index holds: listed, shown, counted, removed, verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kohaku.doors.commands.options import AsJson, configured
from kohaku.doors.commands.terminal import print_json, refuse, say, spare, typed
from kohaku.errors import KohakuError

if TYPE_CHECKING:
    from kohaku.settings import Settings
    from kohaku.store import Store
    from kohaku.tree import Node

IDS = "`kohaku retrieve` and `kohaku show DOCUMENT --tree` print ids"


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
    nodes: Annotated[list[str], typer.Argument(help="Ids of nodes or documents, as other commands print them.")],
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Write their page, with them marked, as .png or .pdf.")
    ] = None,
    tree: Annotated[bool, typer.Option("--tree", help="The tree below each, a line a node.")] = False,
    levels: Annotated[
        int | None, typer.Option("--depth", min=0, help="For --tree: levels below it.", show_default="all")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show nodes with their headings and neighbours, the tree below them, or their page with them marked.

    Example: kohaku show "report:s2:p4" --db papers.db --picture page.png
    """
    refuse(picture and (as_json or tree), "--picture shows a page, --json and --tree a text: give one of them")
    refuse(levels is not None and not tree, "--depth goes with --tree")
    spare(picture, settings.db)
    from kohaku.doors.naming import node_of
    from kohaku.store import Store

    with Store.open(settings.db) as store:
        found = [node_of(store, typed(id), IDS) for id in nodes]
        if picture is not None:
            _draw(store, found, picture, settings)
            return
        for number, node in enumerate(found):
            if number and not as_json:
                typer.echo("")
            if tree:
                _show_tree(store, node, levels, as_json)
            else:
                _show_node(store, node, as_json)


def _draw(store: Store, nodes: Sequence[Node], path: Path, settings: Settings) -> None:
    from kohaku.doors.picture import form_of, page_picture
    from kohaku.doors.reading import drawing_of

    form = form_of(path)
    path.write_bytes(page_picture(store, nodes, drawing_of(settings), form=form))
    say(f"wrote {path}")


def _show_tree(store: Store, node: Node, depth: int | None, as_json: bool) -> None:
    from kohaku.doors.display import tree_lines, tree_objects

    nodes = store.subtree(node.id)
    if as_json:
        for one in tree_objects(nodes, depth=depth):
            print_json(one)
    else:
        for line in tree_lines(nodes, ids=True, depth=depth):
            typer.echo(line)


def _show_node(store: Store, node: Node, as_json: bool) -> None:
    from kohaku.doors.display import links_of, node_lines, node_object

    links = links_of(store, node)
    if as_json:
        print_json(node_object(node, links))
    else:
        for line in node_lines(node, store.ancestors(node), store.siblings(node), links):
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
    as_json: AsJson = False,
) -> None:
    """Remove a document from an index; its file stays.

    Example: kohaku remove report --db papers.db
    """
    from kohaku.store import Store

    id = typed(document)
    with Store.edit(settings.db) as store:
        if not store.remove(id):
            from kohaku.doors.naming import guess, near_document

            raise KohakuError(f"no document {id!r}: {guess(near_document(store, id))}`kohaku docs` lists them")
        store.settle(settings.exact_below)
    if as_json:
        print_json({"removed": id})
    else:
        say(f"removed {id}")


@configured("db")
def check(*, settings: Settings, as_json: AsJson = False) -> None:
    """Verify an index file: its pages, and that nodes, vectors and full text agree.

    Example: kohaku check --db papers.db
    """
    from kohaku.doors.display import one_line, stages
    from kohaku.store import Store

    with Store.open(settings.db) as store, stages() as tell:
        faults = store.check(tell)
    if as_json:
        print_json({"path": str(settings.db), "sound": not faults, "faults": faults})
    for fault in () if as_json else faults:
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

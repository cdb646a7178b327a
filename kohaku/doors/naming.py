"""Nodes by the names that users type, and what a name that is none may have meant."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from kohaku.errors import KohakuError
from kohaku.store import Store
from kohaku.tree import Node

NEAR = 70.0  # of 100, that a guess must be like the name: `lake:s11` is like `lake:s1`, `nosuch` like nothing


def node_of(store: Store, id: str, hint: str) -> Node:
    """The node of an id; KohakuError, which ends with the hint, where there is none."""
    found = store.node(id)
    if found is None:
        raise KohakuError(f"no node {id!r}: {guess(near_node(store, id))}{hint}")
    return found


def guess(name: str | None) -> str:
    """A question whether that was meant, with a blank after it; "" for nothing."""
    return f"did you mean {name!r}? " if name else ""


def near_document(store: Store, name: str) -> str | None:
    """The document's id that is most like a name; None where none is near."""
    return _near(name, (document.id for document in store.documents()))


def near_node(store: Store, name: str) -> str | None:
    """The id most like a name among those of the document that it begins like; None where none is near."""
    ids = [document.id for document in store.documents()]
    folded = name.casefold()
    meant = max(ids, key=lambda id: (fuzz.ratio(folded[: len(id)], id.casefold()), len(id)), default=None)
    return None if meant is None else _near(name, (meant, *store.node_ids(meant)))


def _near(name: str, known: Iterable[str]) -> str | None:
    found = process.extractOne(name, list(known), scorer=fuzz.ratio, processor=str.casefold, score_cutoff=NEAR)
    return found[0] if found else None

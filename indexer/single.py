"""One file → its tree, nothing stored."""

from __future__ import annotations

from pathlib import Path

from indexer.files import name_of
from indexer.grow import PASSAGE_TOKENS
from indexer.pool import prepare_all
from indexer.reading import AS_EVER, Reading
from kohaku.errors import ReadError
from kohaku.tree import Document, Tree


def tree_of(
    path: str | Path, reading: Reading = AS_EVER, *, max_tokens: int = PASSAGE_TOKENS
) -> tuple[Tree, tuple[str, ...]]:
    """The tree of one file, nothing stored, and remarks about it for the user; ReadError where there is none."""
    path = Path(path)
    [(_, outcome)] = prepare_all([path], max_tokens, reading)
    if isinstance(outcome, ReadError):
        raise outcome
    id = outcome.id or name_of(path)
    document = Document(id, outcome.title or id, (str(path),), "", "", outcome.pages, outcome.metadata)
    return outcome.named(document).tree(), outcome.notes

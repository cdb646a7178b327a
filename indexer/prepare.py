"""What is done to a file before it has a place in an index: reading it and growing its tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from indexer.files import name_of
from indexer.grow import PASSAGE_TOKENS, grow
from indexer.readers import read
from kohaku.errors import ReadError
from kohaku.tokens import count
from kohaku.tree import Document, Tree


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file's tree, as a document without a name, and what the file says of itself."""

    tree: Tree
    id: str | None
    title: str
    pages: int
    metadata: Mapping[str, str]
    notes: tuple[str, ...]


@contextmanager
def blamed_on_the_file() -> Iterator[None]:
    """Whatever goes wrong inside is a ReadError, even a reader's bug: a file that brings one out stops no other."""
    try:
        yield
    except ReadError:
        raise
    except Exception as error:
        raise ReadError(f"its reader failed: {type(error).__name__}: {error}") from error


def prepare(path: Path, max_tokens: int) -> Prepared:
    """Reads a file and grows its tree; ReadError for one that can't be read or holds no text."""
    parsed = read(path)
    tree = grow(parsed, Document("", parsed.title, (), "", ""), count=count, max_tokens=max_tokens)
    if not tree.nodes[0].text.strip():
        raise ReadError(f"no text in it ({'; '.join(parsed.notes) or 'a scan?'}): run OCR over it first")
    return Prepared(tree, parsed.id, parsed.title, parsed.pages, parsed.metadata, parsed.notes)


def tree_of(path: str | Path, *, max_tokens: int = PASSAGE_TOKENS) -> tuple[Tree, tuple[str, ...]]:
    """The tree of one file, nothing stored, and remarks about it for the user."""
    path = Path(path)
    with blamed_on_the_file():
        parsed = read(path)
        id = parsed.id or name_of(path)
        document = Document(id, parsed.title or id, (str(path),), "", "", parsed.pages, parsed.metadata)
        return grow(parsed, document, count=count, max_tokens=max_tokens), parsed.notes

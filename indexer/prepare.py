"""What is done to a file before it has a place in an index: reading it and growing its tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.blocks import handed_over
from indexer.grow import grow
from indexer.images import without_ornaments
from indexer.kept import Kept, Pictures
from indexer.readers import read
from indexer.reading import AS_EVER, FileLimits, Reading
from kohaku.errors import ReadError
from kohaku.tokens import count
from kohaku.tree import Document, Node, Tree

NODES_A_PIECE = 1000
Piece = tuple[Node, ...] | dict[str, Kept]
"""Nodes in reading order, or a picture by its hash."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file's tree, as a document without a name, and what the file says of itself."""

    tree: Tree
    id: str | None
    title: str
    pages: int
    metadata: Mapping[str, str]
    notes: tuple[str, ...]
    met: tuple[str, ...] = ()

    def parted(self) -> tuple[Prepared, Iterator[Piece]]:
        """The outcome without its nodes and pictures, and these piece by piece."""
        return replace(self, tree=replace(self.tree, nodes=(), images={})), self._pieces()

    def joined(self, pieces: Iterable[Piece]) -> Prepared:
        """The outcome whole again."""
        nodes: list[Node] = []
        images: dict[str, Kept] = {}
        for piece in pieces:
            if isinstance(piece, dict):
                images |= piece
            else:
                nodes += piece
        return replace(self, tree=replace(self.tree, nodes=tuple(nodes), images=Pictures(images)))

    def _pieces(self) -> Iterator[Piece]:
        nodes = self.tree.nodes
        for start in range(0, len(nodes), NODES_A_PIECE):
            yield nodes[start : start + NODES_A_PIECE]
        for name, picture in Pictures.of(self.tree.images).kept().items():
            yield {name: picture}


def attempt(max_tokens: int, path: Path, reading: Reading) -> Prepared | ReadError:
    """The outcome of preparing one file; whatever is wrong with it, even a reader's bug, stops no other."""
    try:
        return prepare(path, max_tokens, reading)
    except ReadError as error:
        return error
    except MemoryError:
        return no_memory(reading.limits)
    except Exception as error:
        return ReadError(_without(reading.passwords, f"its reader failed: {type(error).__name__}: {error}"))


def prepare(path: Path, max_tokens: int, reading: Reading = AS_EVER) -> Prepared:
    """Reads a file and grows its tree; ReadError for one that can't be read or holds no text."""
    parsed = read(path, reading)
    blocks = list(without_ornaments(parsed.blocks))
    parsed = replace(parsed, blocks=())
    document = Document("", parsed.title, (), "", "")
    tree = grow(parsed, document, count=count, max_tokens=max_tokens, blocks=handed_over(blocks))
    if not tree.nodes[0].text.strip():
        raise ReadError(f"no text in it{_because(parsed.notes)}")
    return Prepared(tree, parsed.id, parsed.title, parsed.pages, parsed.metadata, parsed.notes, parsed.met)


def no_memory(limits: FileLimits) -> ReadError:
    """What is said of a file that takes more memory than it may."""
    return ReadError(
        f"took more than {limits.memory_mb} MB to read: leave it out, or allow it more with file_memory_mb"
    )


def _because(notes: Sequence[str]) -> str:
    return f" ({'; '.join(notes)})" if notes else ": leave it out, or get the file again"


def _without(secrets: Sequence[str], text: str) -> str:
    for secret in secrets:
        text = text.replace(secret, "***")
    return text

"""What is done to a file before it has a place in an index: reading it and growing its tree."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

from indexer.acronyms import acronyms
from indexer.grow import grown, in_order
from indexer.images import without_ornaments
from indexer.kept import Kept, Pictures
from indexer.mentions import mentions
from indexer.readers import read
from indexer.reading import AS_EVER, FileLimits, Reading
from indexer.shelf import Each, Shelf
from kohaku.errors import ReadError
from kohaku.tokens import count
from kohaku.tree import Document, Node, Tree

NODES_A_PIECE = 200
ROOM = 10_000  # nodes that stay in memory: those of about 500 pages
Nodes = tuple[Node, ...]
Piece = Nodes | dict[str, Kept]
"""Some nodes, or a picture by its hash."""


def packed(piece: Piece) -> bytes:
    """A piece as it is sent from process to process: a list of it alone."""
    return pickle.dumps([piece], protocol=pickle.HIGHEST_PROTOCOL)


def _unpacked(data: bytes) -> Nodes:
    [nodes] = pickle.loads(data)
    return nodes  # type: ignore[no-any-return]


def shelf() -> Shelf[Nodes]:
    """Where the nodes of a tree wait that may be large."""
    return Shelf(packed, _unpacked, ROOM)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file's tree, as a document without a name, and what the file says of itself.

    Its nodes but the document's wait on a shelf, sections after all that is in them; `whole` has them in the tree.
    """

    tree: Tree
    id: str | None
    title: str
    pages: int
    metadata: Mapping[str, str]
    notes: tuple[str, ...]
    met: tuple[str, ...] = ()
    nodes: Shelf[Nodes] = field(default_factory=shelf, repr=False, compare=False)

    def parted(self) -> tuple[Prepared, Iterator[bytes]]:
        """The outcome without its nodes and pictures, and these piece by piece, packed."""
        images = Pictures.of(self.tree.images).kept()
        pictures = (packed({name: picture}) for name, picture in images.items())
        bare = replace(self, tree=replace(self.tree, nodes=(), images={}), nodes=shelf())
        return bare, chain(self.nodes.packed(), map(packed, [self.tree.nodes]), pictures)

    def whole(self) -> Prepared:
        """The outcome with its nodes in the tree."""
        return self.joined([*self.nodes, self.tree.nodes, Pictures.of(self.tree.images).kept()])

    def joined(self, pieces: Iterable[Piece | Mapping[str, Kept]]) -> Prepared:
        """The outcome with these nodes and pictures in its tree."""
        nodes: list[Node] = []
        images: dict[str, Kept] = {}
        for piece in pieces:
            if isinstance(piece, tuple):
                nodes += piece
            else:
                images |= piece
        tree = replace(self.tree, nodes=in_order(nodes), images=Pictures(images))
        return replace(self, tree=tree, nodes=shelf())


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
    blocks = without_ornaments(parsed.blocks)
    parsed = replace(parsed, blocks=())
    document = Document("", parsed.title, (), "", "")
    images: dict[str, Kept] = {}
    nodes = grown(blocks, document, images, pages=parsed.pages, count=count, max_tokens=max_tokens)
    held = shelf()
    root: Nodes = ()
    while piece := tuple(islice(nodes, NODES_A_PIECE)):
        if piece[-1].position == 0:
            piece, root = piece[:-1], piece[-1:]
        held.add(piece, len(piece))
    text = root[0].text
    if not text.strip():
        raise ReadError(f"no text in it{_because(parsed.notes)}")
    tree = Tree(document, root, Pictures(images), acronyms(text), mentions(Each(held)))
    return Prepared(tree, parsed.id, parsed.title, parsed.pages, parsed.metadata, parsed.notes, parsed.met, held)


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

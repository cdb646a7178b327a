"""What is done to a file before it has a place in an index: reading it and growing its tree."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path

from indexer.acronyms import Acronyms
from indexer.grow import Grown, adopted, grown
from indexer.images import without_ornaments
from indexer.kept import Kept, Pictures
from indexer.mentions import mentions
from indexer.readers import read
from indexer.reading import AS_EVER, FileLimits, Reading
from indexer.shelf import Anew, Shelf
from kohaku.errors import ReadError
from kohaku.tokens import count
from kohaku.tree import Document, Node

NODES_A_PIECE = 200
ROOM = 10_000  # nodes that stay in memory: those of about 500 pages
Nodes = tuple[Node, ...]


def packed(nodes: Nodes) -> bytes:
    """Nodes as they go from process to process, and into files."""
    return pickle.dumps(nodes, protocol=pickle.HIGHEST_PROTOCOL)


def _unpacked(data: bytes) -> Nodes:
    nodes: Nodes = pickle.loads(data)
    return nodes


def shelf(nodes: Iterable[Node] = ()) -> Shelf[Nodes]:
    """Where the nodes of a tree wait that may be large."""
    held = Shelf(packed, _unpacked, ROOM)
    rest = iter(nodes)
    while piece := tuple(islice(rest, NODES_A_PIECE)):
        held.add(piece, len(piece))
    return held


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file's tree, as one of a document without a name, and what the file says of itself.

    Its nodes wait on a shelf in the order in which they grew, its pictures in a file.
    """

    id: str | None
    title: str
    pages: int
    metadata: Mapping[str, str]
    notes: tuple[str, ...]
    met: tuple[str, ...] = ()
    images: Mapping[str, Kept] = field(default_factory=dict)
    acronyms: Mapping[str, str] = field(default_factory=dict)
    mentions: tuple[tuple[int, int], ...] = ()
    nodes: Shelf[Nodes] = field(default_factory=shelf, repr=False, compare=False)

    def named(self, document: Document) -> Grown:
        """The tree as a document's."""
        nodes = Anew(lambda: (adopted(node, document) for nodes in self.nodes for node in nodes))
        return Grown(document, nodes, Pictures(self.images), self.acronyms, self.mentions)

    def parted(self) -> tuple[Prepared, Iterator[bytes], Iterator[dict[str, Kept]]]:
        """The outcome without its nodes and pictures, its nodes packed, and its pictures one by one."""
        pictures = ({name: picture} for name, picture in self.images.items())
        return replace(self, nodes=shelf(), images={}), self.nodes.packed(), pictures

    def joined(self, nodes: Shelf[Nodes], images: Mapping[str, Kept]) -> Prepared:
        """The outcome with these nodes and pictures."""
        return replace(self, nodes=nodes, images=images)


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
    text = Acronyms()
    nodes = grown(blocks, document, images, pages=parsed.pages, count=count, max_tokens=max_tokens, tell=text.read)
    held = shelf(nodes)
    if text.is_blank:
        raise ReadError(f"no text in it{_because(parsed.notes)}")
    said = parsed.id, parsed.title, parsed.pages, parsed.metadata, parsed.notes, parsed.met
    return Prepared(*said, images, text.defined(), mentions(Anew(partial(chain.from_iterable, held))), held)


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

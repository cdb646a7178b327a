"""Files → an index that is up to date with them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

from indexer.captions import with_captions
from indexer.changes import Fingerprint, Task, candidates, digest, tasks
from indexer.files import absolute, content_hash, find, name_of, printable
from indexer.grow import PASSAGE_TOKENS, adopt
from indexer.metadata import read_metadata
from indexer.pool import prepare_all
from indexer.prepare import Prepared
from indexer.readers import READERS, known
from indexer.reading import AS_EVER, Reading
from indexer.vectors import vectors
from kohaku.choices import ParagraphVectors
from kohaku.embedders.protocol import Embedder
from kohaku.errors import ReadError
from kohaku.store import Store
from kohaku.tokens import count
from kohaku.tree import Document, Vectors

PARSER = 16  # raised with every change in what readers or the tree make of a file: all files are then read anew


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: documents done of those that have to be read, and the one in hand."""

    done: int
    total: int
    current: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did: counts of documents (added, replaced, removed) and of files (skipped, duplicates).

    `failed` and `notes` are (path, line) pairs, `nodes` what the index holds now by kind. `captions` are pictures that
    a model has described, `uncaptioned` (figure, line) pairs of those where it failed.
    """

    added: int = 0
    replaced: int = 0
    skipped: int = 0
    removed: int = 0
    duplicates: int = 0
    failed: tuple[tuple[str, str], ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    nodes: Mapping[str, int] = field(default_factory=dict)
    captions: int = 0
    uncaptioned: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0


@dataclass(slots=True)
class _Tally:
    """The report in the making."""

    added: int = 0
    replaced: int = 0
    skipped: int = 0
    removed: int = 0
    duplicates: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def build(
    paths: Iterable[str | Path],
    store: Store,
    embedder: Embedder,
    *,
    metadata: str | Path | None = None,
    reading: Reading = AS_EVER,
    workers: int = 0,
    prune: bool = False,
    force: bool = False,
    paragraph_vectors: ParagraphVectors = "mean",
    progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Brings the store up to date with files and folders, a transaction a document; what is bad is said and skipped.

    Files whose content, settings and metadata row are as stored are not read again (unless `force`). With `prune`,
    files that are gone from under the given paths go from the store, and documents with their last file. Without
    `metadata`, documents keep what a former run gave them.
    """
    started = time.monotonic()
    given = [absolute(path) for path in paths]
    rows = None if metadata is None else read_metadata(metadata)
    tally = _Tally()
    max_tokens = passage_tokens(embedder)
    files = _readable(given, store, prune, tally)
    settings = f"p{PARSER}-{max_tokens}-{paragraph_vectors}"

    def wanted(stored: str) -> str:
        return settings + reading.again(stored)

    todo: dict[Path, Task] = {}
    listed = list(tasks(files, store.documents(), rows, wanted, _content_of))
    if rows and listed and not any(task.row for task in listed):  # another folder's, or misnamed: wipe nothing
        tally.notes.append((str(metadata), f"none of its {len(rows)} ids is a file's name without suffix: not used"))
        listed = list(tasks(files, store.documents(), None, wanted, _content_of))
    for task in listed:
        if task.is_done and not force:
            _note_sources(task, store, tally)
        else:
            todo[task.path] = task
    for number, (path, outcome) in enumerate(prepare_all(todo, max_tokens, reading, workers=workers)):
        if progress:
            progress(Progress(number, len(todo), path.name))
        if isinstance(outcome, ReadError):
            tally.failed.append((printable(path), _reason(outcome, todo[path], store)))
        else:
            task = todo[path]
            former = {} if force else _former_vectors(task.known, store)
            met = replace(task.fingerprint, settings=settings + reading.fingerprint(outcome.met))
            _enter(replace(task, fingerprint=met), outcome, store, embedder, paragraph_vectors, former, tally)
    for document in store.documents():
        if not document.sources:  # its files hold other documents' content now
            store.remove(document.id)
    if prune:
        tally.removed += _prune(given, files, store)
    if progress:
        progress(Progress(len(todo), len(todo), ""))
    return Report(
        added=tally.added,
        replaced=tally.replaced,
        skipped=tally.skipped,
        removed=tally.removed,
        duplicates=tally.duplicates,
        failed=tuple(tally.failed),
        notes=tuple(tally.notes),
        nodes=store.counts(),
        seconds=time.monotonic() - started,
    )


def passage_tokens(embedder: Embedder) -> int:
    """The most tokens a paragraph may have."""
    return min(PASSAGE_TOKENS, embedder.max_tokens)


def tell(store: Store, embedder: Embedder) -> int:
    """Puts captions that came after their documents into these; how many documents that were."""
    ids = store.untold()
    for id in ids:
        tree = store.tree(id)
        if tree is not None:
            known = store.captions({node.image for node in tree.nodes if node.image})
            told = with_captions(tree, known, count=count, max_tokens=passage_tokens(embedder))
            former = _former_vectors(tree.document, store)
            store.put(told, *vectors(told.nodes, embedder, _mode(tree.document), known=former))
    return len(ids)


def _mode(document: Document) -> ParagraphVectors:
    """How the document's paragraphs got their vectors."""
    named = Fingerprint.read(document.fingerprint).settings.split("+")[0].rsplit("-", 1)[-1]
    return next((mode for mode in get_args(ParagraphVectors) if mode == named), "mean")


# ---- what there is


def _readable(given: Sequence[Path], store: Store, prune: bool, tally: _Tally) -> dict[str, tuple[Path, str]]:
    """The files that can be read, by source, with their content's hash; the others are said to have failed."""
    files: dict[str, tuple[Path, str]] = {}
    for path in find(given):
        source = printable(path)
        if not path.exists() and prune and store.document_of(source):
            continue  # named, and gone
        reason = _unreadable(path)
        if reason:
            tally.failed.append((source, reason))
            continue
        try:
            files[source] = (path, content_hash(path))
        except OSError as error:
            tally.failed.append((source, f"can't be read: {error.strerror or error}"))
    return files


def _unreadable(path: Path) -> str | None:
    if not path.exists():
        return "no such file or folder"
    if not path.is_file():
        return "not a file"
    if not known(path):
        return f"no reader for {path.suffix or 'a name without a suffix'}; there are {', '.join(READERS)}"
    return None


def _content_of(source: str) -> str | None:
    """The hash of a file that the store knows but this run was not given; None where it is not there."""
    try:
        return content_hash(Path(source))
    except (OSError, ValueError):
        return None


def _note_sources(task: Task, store: Store, tally: _Tally) -> None:
    """Keeps further names of a content that is stored."""
    document = task.known
    assert document is not None
    for source in task.sources:
        if source in document.sources:
            tally.skipped += 1
        else:
            store.add_source(document.id, source)
            tally.duplicates += 1


def _reason(error: ReadError, task: Task, store: Store) -> str:
    stays = task.known is not None and store.document(task.known.id) is not None
    return f"{error}; the version indexed before stays" if stays else str(error)


# ---- what goes in


def _former_vectors(document: Document | None, store: Store) -> dict[str, Vectors]:
    """The vectors of sentences and the like that a document has by now: what stays of them is not embedded again."""
    leaves = [node for node in store.subtree(document.id) if node.last == node.position] if document else []
    stored = store.vectors([node.key for node in leaves])
    return {node.text: stored[node.key] for node in leaves if node.key in stored}


def _enter(
    task: Task,
    prepared: Prepared,
    store: Store,
    embedder: Embedder,
    mode: ParagraphVectors,
    former_vectors: Mapping[str, Vectors],
    tally: _Tally,
) -> None:
    """Stores a document whole, in place of what its files held before."""
    document = _document(task, prepared, _id(task, prepared, store))
    tree = adopt(prepared.tree, document)
    known = store.captions(tree.images)
    tree = with_captions(tree, known, count=count, max_tokens=passage_tokens(embedder))
    rows, direct = vectors(tree.nodes, embedder, mode, known=former_vectors)
    former = task.known
    if former and former.id != document.id:
        store.remove(former.id)
        former = None
    now = store.document(former.id) if former and former.content != task.content else None
    for source in set(now.sources if now else ()) - set(task.sources):
        store.drop_source(source)  # it held the former content, and does no more
    store.put(tree, rows, direct)
    tally.added += task.known is None
    tally.replaced += task.known is not None
    tally.duplicates += sum(task.known is None or source not in task.known.sources for source in task.sources[1:])
    tally.notes += [(printable(task.path), note) for note in prepared.notes]


def _document(task: Task, prepared: Prepared, id: str) -> Document:
    """What is known of a document: its metadata row before what the file says of itself."""
    said = {name: value for name, value in (task.row or {}).items() if value and name != "id"}
    if task.known and task.row is None and task.fingerprint.row != digest(None):
        said = {"title": task.known.title, **task.known.metadata}  # a former run's row
    title = said.pop("title", "") or prepared.title or name_of(task.path)
    metadata = {**prepared.metadata, **said}
    return Document(id, title, task.sources, task.content, str(task.fingerprint), prepared.pages, metadata)


def _id(task: Task, prepared: Prepared, store: Store) -> str:
    """The row's id where there is a row, else the one it has, else the file's own, else its name's; never another's."""
    mine = task.known.id if task.known else None

    def is_free(id: str) -> bool:
        return id == mine or store.document(id) is None

    if task.row and is_free(task.row["id"]):
        return task.row["id"]
    if mine is not None:
        return mine
    wanted = task.row["id"] if task.row else prepared.id or name_of(task.path)
    return next(filter(is_free, _endless(candidates(wanted, task.path), wanted)))


def _endless(ids: Iterator[str], wanted: str) -> Iterator[str]:
    yield from ids
    number = 2
    while True:
        yield f"{wanted} ({number})"
        number += 1


# ---- what goes out


def _prune(given: Sequence[Path], files: Mapping[str, tuple[Path, str]], store: Store) -> int:
    """Drops sources under the given paths that are not there any more; how many documents went with them."""
    folders = [Path(printable(path)) for path in given if path.is_dir()]
    named = {printable(path) for path in given if not path.exists()}
    gone = [
        source
        for document in store.documents()
        for source in document.sources
        if source not in files and (source in named or any(Path(source).is_relative_to(folder) for folder in folders))
    ]
    return sum(store.drop_source(source) for source in gone if not Path(source).exists())

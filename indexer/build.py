"""Files → an index that is up to date with them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import get_args

from indexer.captions import with_captions
from indexer.changes import Fingerprint, Task, candidates, digest, tasks
from indexer.files import absolute, content_hash, find, name_of, passed_over, printable
from indexer.grow import PASSAGE_TOKENS, Grown
from indexer.mentions import mentions
from indexer.metadata import Row, read_metadata
from indexer.pool import prepare_all
from indexer.prepare import Prepared, shelf
from indexer.readers import known, no_reader
from indexer.reading import AS_EVER, Reading
from indexer.report import Progress, Report
from indexer.shelf import Anew
from indexer.vectors import Embedded, embedded
from kohaku.choices import ParagraphVectors
from kohaku.embedders.protocol import Embedder, is_english
from kohaku.errors import ReadError
from kohaku.store import Store
from kohaku.text import in_english
from kohaku.tokens import count
from kohaku.tree import Document, Node, Tier, Vectors

PARAGRAPHS = 200  # by which a document's language is told
PARSER = 46  # raised with every change in what readers or the tree make of a file: all files are then read anew


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
    max_tokens = passage_tokens(embedder)
    settings = f"p{PARSER}-{max_tokens}-{paragraph_vectors}"
    files, unread = _readable(given, store, prune)
    listed, is_used = _listed(files, store, rows, lambda stored: settings + reading.again(stored))
    report = unread + Report(readerless=_readerless(given, metadata, store))
    if rows and not is_used:
        note = f"none of its {len(rows)} ids is a file's name without suffix: not used"
        report += Report(notes=((str(metadata), note),))
    todo: dict[Path, Task] = {}
    for task in listed:
        if task.is_done and not force:
            report += _note_sources(task, store)
        else:
            todo[task.path] = task
    for number, (path, outcome) in enumerate(prepare_all(todo, max_tokens, reading, workers=workers)):
        task = todo[path]
        if progress:
            progress(Progress(number, len(todo), path.name))
        if isinstance(outcome, ReadError):
            reason = _reason(outcome, task, store)
            report += Report(failed=tuple((source, reason) for source in task.sources))
        else:
            met = replace(task.fingerprint, settings=settings + reading.fingerprint(outcome.met))
            task = replace(task, fingerprint=met)
            report += _enter(task, outcome, store, embedder, paragraph_vectors, anew=force)
    for document in store.documents():
        if not document.sources:  # its files hold other documents' content now
            store.remove(document.id)
    gone = _gone(given, files, store)
    report += Report(removed=sum(map(store.drop_source, gone))) if prune else Report(gone=len(gone))
    if progress:
        progress(Progress(len(todo), len(todo), ""))
    return report + Report(nodes=store.counts(), seconds=time.monotonic() - started)


def passage_tokens(embedder: Embedder) -> int:
    """The most tokens a paragraph may have."""
    return min(PASSAGE_TOKENS, embedder.max_tokens)


def tell(store: Store, embedder: Embedder) -> None:
    """Puts captions that came after their documents into these."""
    for id in store.untold():
        document = store.document(id)
        if document is not None:
            held = shelf(store.growing(id))  # what is stored goes before it comes again
            nodes = Anew(partial(chain.from_iterable, held))
            captions = store.captions({node.image for node in nodes if node.image})
            grown = _told(Grown(document, nodes, {}, store.acronyms(id), ()), captions, embedder)
            _put(grown, _embedded(grown, store, embedder, _mode(document), former=id), store)


def _mode(document: Document) -> ParagraphVectors:
    """How the document's paragraphs got their vectors."""
    named = Fingerprint.read(document.fingerprint).settings.split("+")[0].rsplit("-", 1)[-1]
    return next((mode for mode in get_args(ParagraphVectors) if mode == named), "mean")


# ---- what there is


Files = dict[str, tuple[Path, str]]
"""Files by source, with their content's hash."""


def _readable(given: Sequence[Path], store: Store, prune: bool) -> tuple[Files, Report]:
    """The files that can be read; the others are said to have failed."""
    files: Files = {}
    failed: list[tuple[str, str]] = []
    for path in find(given):
        source = printable(path)
        if not path.exists() and prune and store.document_of(source):
            continue  # named, and gone
        reason = _unreadable(path)
        if reason:
            failed.append((source, reason))
            continue
        try:
            files[source] = (path, content_hash(path))
        except OSError as error:
            failed.append((source, f"can't be read: {error.strerror or error}"))
    return files, Report(failed=tuple(failed))


def _readerless(given: Sequence[Path], metadata: str | Path | None, store: Store) -> dict[str, int]:
    """How many files of the folders no reader is for, by suffix; the run's own files are none."""
    own = printable(absolute(store.path))  # what lies beside the index begins with its name
    others = passed_over(given) - ({absolute(metadata)} if metadata else set())
    return dict(Counter(printable(path.suffix.lower()) for path in others if not printable(path).startswith(own)))


def _unreadable(path: Path) -> str | None:
    if not path.exists():
        return "no such file or folder"
    if not path.is_file():
        return "not a file"
    if not known(path):
        return str(no_reader(path))
    return None


def _content_of(source: str) -> str | None:
    """The hash of a file that the store knows but this run was not given; None where it is not there."""
    try:
        return content_hash(Path(source))
    except (OSError, ValueError):
        return None


def _listed(
    files: Files, store: Store, rows: Mapping[str, Row] | None, wanted: Callable[[str], str]
) -> tuple[list[Task], bool]:
    """The tasks for the files, and whether they use the rows: others' or misnamed ones wipe nothing."""
    listed = list(tasks(files, store.documents(), rows, wanted, _content_of))
    if not rows or not listed or any(task.row for task in listed):
        return listed, True
    return list(tasks(files, store.documents(), None, wanted, _content_of)), False


def _note_sources(task: Task, store: Store) -> Report:
    """Keeps further names of a content that is stored."""
    document = task.known
    assert document is not None
    new = [source for source in task.sources if source not in document.sources]
    for source in new:
        store.add_source(document.id, source)
    return Report(skipped=len(task.sources) - len(new), duplicates=len(new))


def _reason(error: ReadError, task: Task, store: Store) -> str:
    stays = task.known is not None and store.document(task.known.id) is not None
    return f"{error}; the version indexed before stays" if stays else str(error)


# ---- what goes in


def _enter(
    task: Task,
    prepared: Prepared,
    store: Store,
    embedder: Embedder,
    mode: ParagraphVectors,
    *,
    anew: bool,
) -> Report:
    """Stores a document whole, in place of what its files held before; `anew`: its texts are embedded again."""
    document = _document(task, prepared, _id(task, prepared, store))
    grown = prepared.named(document)
    captions = store.captions(prepared.images)
    grown = _told(grown, captions, embedder) if captions else grown
    former = task.known
    made = _embedded(grown, store, embedder, mode, former=former.id if former else None, anew=anew)
    if former and former.id != document.id:
        store.remove(former.id)
        former = None
    now = store.document(former.id) if former and former.content != task.content else None
    for source in set(now.sources if now else ()) - set(task.sources):
        store.drop_source(source)  # it held the former content, and does no more
    _put(grown, made, store)
    known_sources = task.known.sources if task.known else ()
    return Report(
        added=int(task.known is None),
        replaced=int(task.known is not None),
        duplicates=sum(source not in known_sources for source in task.sources[1:]),
        foreign=() if not is_english(embedder) or in_english(_beginning(grown.nodes)) else (document.id,),
        notes=tuple((printable(task.path), note) for note in prepared.notes),
    )


def _told(grown: Grown, captions: Mapping[str, str], embedder: Embedder) -> Grown:
    """The document with what a model said of its pictures in the text of its figures."""
    most = passage_tokens(embedder)
    nodes = Anew(lambda: with_captions(grown.nodes, captions, count=count, max_tokens=most))
    return replace(grown, nodes=nodes, mentions=mentions(nodes))


def _embedded(
    grown: Grown,
    store: Store,
    embedder: Embedder,
    mode: ParagraphVectors,
    *,
    former: str | None,
    anew: bool = False,
) -> Embedded:
    """The document's vectors: what stays of the former one (by its id) is not embedded again."""

    def texts(wanted: Sequence[str]) -> Mapping[str, Vectors]:
        return store.text_vectors(former, wanted) if former is not None and not anew else {}

    def pictures(wanted: Sequence[str]) -> Mapping[str, Vectors]:
        return store.picture_vectors(former, wanted) if former is not None else {}

    return embedded(grown.nodes, grown.images, embedder, mode, known=texts, known_pictures=pictures)


def _put(grown: Grown, made: Embedded, store: Store) -> None:
    entries = made.entries(grown.nodes)
    store.enter(grown.document, entries, grown.images, grown.acronyms, grown.mentions)


def _beginning(nodes: Iterable[Node]) -> str:
    """Enough of a document's text to tell its language."""
    paragraphs = (node.text for node in nodes if node.tier is Tier.PARAGRAPH)
    return "\n".join(islice(paragraphs, PARAGRAPHS))


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


def _gone(given: Sequence[Path], files: Files, store: Store) -> list[str]:
    """The sources under the given paths that are not there any more."""
    folders = [Path(printable(path)) for path in given if path.is_dir()]
    named = {printable(path) for path in given if not path.exists()}
    return [
        source
        for document in store.documents()
        for source in document.sources
        if source not in files
        and (source in named or any(Path(source).is_relative_to(folder) for folder in folders))
        and not Path(source).exists()
    ]

"""What an index has to do about the files there are: nothing, a new document, or one in place of another."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from indexer.files import names_of
from indexer.metadata import Row, finder
from kohaku.tree import Document


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a document's tree and vectors depend on beside its bytes: parser and settings, its metadata row.

    >>> Fingerprint.read("p1-200-mean/none")
    Fingerprint(settings='p1-200-mean', row='none')
    """

    settings: str
    row: str

    def __str__(self) -> str:
        return f"{self.settings}/{self.row}"

    @classmethod
    def read(cls, text: str) -> Fingerprint:
        """The fingerprint that was written as this text."""
        settings, _, row = text.rpartition("/")
        return cls(settings, row)


@dataclass(frozen=True, slots=True)
class Task:
    """A content, the files that hold it, and the document that the store has for it or for what they held before."""

    content: str
    path: Path
    sources: tuple[str, ...]
    known: Document | None
    row: Row | None
    fingerprint: Fingerprint

    @property
    def is_done(self) -> bool:
        """Whether the store has this content as it would be stored now."""
        known = self.known
        return known is not None and known.content == self.content and known.fingerprint == str(self.fingerprint)


def tasks(
    files: Mapping[str, tuple[Path, str]],
    documents: Sequence[Document],
    rows: Mapping[str, Row] | None,
    settings: Callable[[str], str],
    content_of: Callable[[str], str | None],
) -> Iterator[Task]:
    """One task for each content among the files (source → path and content), in the order of the files.

    `settings` gives those in force for a document that was stored with some (with none, where there is no document).
    Rows None: no metadata was given, so that what documents have stays. `content_of` looks at a source that is not
    among the files.
    """
    row_for = finder(rows or {})
    groups: dict[str, list[str]] = defaultdict(list)
    for source, (_, content) in files.items():
        groups[content].append(source)
    documents_of = _matched(groups, files, documents, content_of)
    for content, sources in groups.items():
        known = documents_of.get(content)
        names = [name for source in sources for name in names_of(files[source][0])]
        row = row_for([*names, known.id] if known else names)
        kept = Fingerprint.read(known.fingerprint).row if known and rows is None else digest(row)
        now = settings(Fingerprint.read(known.fingerprint).settings if known else "")
        yield Task(content, files[sources[0]][0], tuple(sources), known, row, Fingerprint(now, kept))


def _matched(
    groups: Mapping[str, Sequence[str]],
    files: Mapping[str, tuple[Path, str]],
    documents: Sequence[Document],
    content_of: Callable[[str], str | None],
) -> dict[str, Document]:
    """The document for each content that has one: that of its files, whatever they held, before one merely equal."""
    by_content = {document.content: document for document in documents}
    by_source = {source: document for document in documents for source in document.sources}

    def now(source: str) -> str | None:
        return files[source][1] if source in files else content_of(source)

    matched: dict[str, Document] = {}
    free = {document.id for document in documents}

    def match(content: str, candidates: Iterable[Document]) -> None:
        document = next((candidate for candidate in candidates if candidate.id in free), None)
        if document and content not in matched:
            matched[content] = document
            free.discard(document.id)

    for content, sources in groups.items():
        match(content, [by_source[s] for s in sources if s in by_source and by_source[s].content == content])
    for content, sources in groups.items():
        match(content, [by_source[s] for s in sources if s in by_source and _is_left(by_source[s], now)])
    for content in groups:
        match(content, [by_content[content]] if content in by_content else [])
    return matched


def _is_left(document: Document, now: Callable[[str], str | None]) -> bool:
    """Whether none of a document's files holds its content any more, so that another may take its place."""
    return all(now(source) != document.content for source in document.sources)


def digest(row: Row | None) -> str:
    """A metadata row's part of a fingerprint."""
    if row is None:
        return "none"
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:16]


def candidates(wanted: str, path: Path) -> Iterator[str]:
    """Ids for a document, the wanted one first, then with more and more of the path, which is its own at last."""
    yield wanted
    *_, stem = names_of(path)
    if stem != wanted:
        yield stem
    folders = [part for part in path.parent.parts if part != path.anchor]
    for depth in range(1, len(folders) + 1):
        above = "/".join(folders[-depth:])
        yield f"{above}/{stem}"
        yield f"{above}/{path.name}"
    yield f"{path}"

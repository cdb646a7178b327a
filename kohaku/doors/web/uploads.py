"""Files that come in over HTTP: kept under names of our own, and indexed one after the other as `kohaku index` does."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import queue
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.files import printable
from indexer.readers import READERS, known, no_reader
from indexer.report import Progress, Report
from kohaku.doors.indexing import index
from kohaku.doors.models import Models
from kohaku.doors.web.problems import Busy, TooLarge
from kohaku.doors.web.shapes import JobOut, State
from kohaku.doors.web.telling import last_part
from kohaku.embedders.protocol import Embedder, takes_images
from kohaku.errors import KohakuError, ReadError
from kohaku.settings import Settings
from kohaku.store import Store
from kohaku.tree import Vectors

log = logging.getLogger("kohaku")

KEPT = 100  # jobs that can be asked after, the latest
MOST_WAITING = 20  # files
LOOK = 0.1  # seconds between looks at a job
SLAB = 256  # texts embedded between two words about it
LONGEST_NAME = 80
_ODD = re.compile(r"[^\w-]+")

FORMATS = tuple(READERS)


@dataclass(frozen=True, slots=True)
class Job:
    """A file on its way into the index, as it is now."""

    id: str
    name: str
    path: Path
    bytes: int
    started: float
    state: State = "waiting"
    done: int = 0
    total: int = 0
    ended: float | None = None
    document: str = ""
    line: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ("done", "failed")

    def out(self) -> JobOut:
        """The job as it goes over the wire."""
        seconds = (self.ended or time.monotonic()) - self.started
        return JobOut(
            id=self.id,
            name=self.name,
            bytes=self.bytes,
            state=self.state,
            done=self.done,
            total=self.total,
            seconds=round(seconds, 1),
            document=self.document,
            line=self.line,
            notes=list(self.notes),
        )


def safe_name(name: str) -> str:
    """A file name of ours after what a client calls its file: letters, digits, - and _, and a suffix we know.

    Raises ReadError where no reader is for the suffix.

    >>> safe_name("../../etc/Annual report (2023).PDF"), safe_name("..\\\\con:.pdf")
    ('Annual-report-2023.pdf', 'con.pdf')
    """
    stem, dot, suffix = last_part(name).rpartition(".")
    if not known(Path(f"file{dot}{suffix}")):
        raise no_reader(Path(f"file{dot}{_ODD.sub('', suffix)[:20]}"))
    kept = _ODD.sub("-", stem).strip("-_")[:LONGEST_NAME] or "file"
    return f"{kept}.{suffix.lower()}"


class Uploads:
    """Takes files in beside the index (`papers.db.files/`) and indexes them, one at a time."""

    def __init__(self, settings: Settings, models: Models) -> None:
        self.most = settings.upload_mb * 1_000_000
        self._settings, self._models = settings, models
        self.folder = settings.db.with_name(f"{settings.db.name}.files")
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._todo: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._turn = threading.Lock()
        threading.Thread(target=self._work, daemon=True).start()

    async def take(self, name: str, pieces: AsyncIterator[bytes]) -> Job:
        """Writes a file as it comes, and makes the job that indexes it.

        Raises ReadError where its name has no reader, or it is empty, TooLarge, or Busy.
        """
        kept = safe_name(name)
        with self._turn:
            if sum(not job.is_over for job in self._jobs.values()) >= MOST_WAITING:
                raise Busy("too many files are waiting: send it again in a while")
        self.folder.mkdir(mode=0o700, exist_ok=True)
        coming = self.folder / f".{secrets.token_hex(8)}.part"
        digest, size = hashlib.sha256(), 0
        try:
            with coming.open("xb") as file:
                async for piece in pieces:
                    size += len(piece)
                    if size > self.most:
                        raise TooLarge(f"a file may have {self.most / 1e6:g} MB: index it with `kohaku index` instead")
                    digest.update(piece)
                    file.write(piece)
            if not size:
                raise ReadError("the file is empty: send it again")
            # by its content: the same file again is the same place, another of its name takes nobody's
            place = self.folder / digest.hexdigest()[:16]
            place.mkdir(mode=0o700, exist_ok=True)
            path = place / kept
            coming.replace(path)
        finally:
            coming.unlink(missing_ok=True)
        job = Job(secrets.token_urlsafe(12), kept, path, size, time.monotonic())
        with self._turn:
            self._jobs[job.id] = job
            for id in [id for id, one in self._jobs.items() if one.is_over][: max(0, len(self._jobs) - KEPT)]:
                del self._jobs[id]
        self._todo.put(job.id)
        return job

    def job(self, id: str) -> Job | None:
        """A job as it is now, None where it is not known (any more)."""
        with self._turn:
            return self._jobs.get(id)

    async def follow(self, id: str) -> AsyncIterator[Job]:
        """A job whenever it has changed, until it is over."""
        last: Job | None = None
        while (job := self.job(id)) is not None:
            if job != last:
                yield job
            if job.is_over:
                return
            last = job
            await asyncio.sleep(LOOK)

    def _change(self, id: str, **changes: object) -> None:
        with self._turn:
            self._jobs[id] = replace(self._jobs[id], **changes)  # type: ignore[arg-type]

    def _work(self) -> None:
        while True:
            id = self._todo.get()
            try:
                self._index(id)
            except Exception:
                log.exception("a file could not be indexed")
                line = "it could not be indexed by a fault of kohaku: its log tells more"
                self._change(id, state="failed", line=line, ended=time.monotonic())

    def _index(self, id: str) -> None:
        """Indexes a job's file, and says what came of it."""
        job = self._jobs[id]
        self._change(id, state="reading", started=time.monotonic())
        try:
            with Store.open(self._settings.db) as store:
                name = self._settings.embedder or store.setting("embedder") or "default"

            def embedded(done: int, total: int) -> None:
                self._change(id, state="embedding" if done < total else "storing", done=done, total=total)

            def progress(at: Progress) -> None:
                if at.done == at.total:
                    self._change(id, state="storing")

            embedder = Told(self._models.embedder(name), embedded)
            settings = self._settings.model_copy(update={"embedder": name, "workers": 1})
            report = index([job.path], settings, embedder=embedder, progress=progress)
        except KohakuError as error:
            self._change(id, state="failed", line=str(error), ended=time.monotonic())
            self._drop(job.path)
            return
        self._change(id, **_outcome(report), document=self._document(job.path), ended=time.monotonic())
        if report.failed:
            self._drop(job.path)

    def _document(self, path: Path) -> str:
        with Store.open(self._settings.db) as store:
            document = store.document_of(printable(path.absolute()))
            return document.id if document else ""

    def _drop(self, path: Path) -> None:
        """Removes a file that did not get in."""
        path.unlink(missing_ok=True)
        if not any(path.parent.iterdir()):
            path.parent.rmdir()


class Told:
    """An embedder that says how far it is with a document's passages."""

    def __init__(self, embedder: Embedder, tell: Callable[[int, int], None]) -> None:
        self._embedder, self._tell = embedder, tell

    @property
    def fingerprint(self) -> str:
        """Which embedder it is."""
        return self._embedder.fingerprint

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._embedder.dimensions

    @property
    def max_tokens(self) -> int:
        """The most tokens of a text that it reads."""
        return self._embedder.max_tokens

    @property
    def takes_images(self) -> bool:
        """Whether it embeds pictures too."""
        return takes_images(self._embedder)

    def embed_images(self, images: Sequence[bytes]) -> Vectors:
        """A vector a picture; only of an embedder that takes them."""
        assert takes_images(self._embedder)
        return self._embedder.embed_images(images)

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """A vector a question."""
        return self._embedder.embed_questions(questions)

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        """A vector a passage."""
        import numpy as np

        rows = []
        for start in range(0, len(passages), SLAB):
            self._tell(start, len(passages))
            rows.append(self._embedder.embed_passages(passages[start : start + SLAB]))
        self._tell(len(passages), len(passages))
        return np.concatenate(rows) if rows else self._embedder.embed_passages(passages)


def _outcome(report: Report) -> dict[str, object]:
    """What a run over one file came to, as changes of its job."""
    notes = tuple(note for _, note in report.notes)
    if report.failed:
        return {"state": "failed", "line": report.failed[0][1], "notes": notes}
    if report.added or report.replaced:
        return {"state": "done", "line": "indexed", "notes": notes}
    return {"state": "done", "line": "the index holds it already", "notes": notes}

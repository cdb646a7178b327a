"""The engine behind `kohaku.open(path)`: an index, the settings, and what can be asked of them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from answerer import extract, reader
from answerer.answer import Answer, Question
from answerer.respond import Outcome, respond, respond_all
from answerer.submission import Submission, read_questions, row
from indexer.build import Progress, Report, build
from indexer.metadata import read_metadata
from kohaku import embedders
from kohaku.chat import OpenAIChat, Usage
from kohaku.doors.display import Advance, evidence_object, json_line
from kohaku.embedders.protocol import Embedder
from kohaku.errors import KohakuError, WrongEmbedder
from kohaku.settings import Settings, load
from kohaku.store import Store
from kohaku.tables import write_lines
from kohaku.tokens import count
from retriever.evidence import Evidence
from retriever.plan import plan
from retriever.retrieve import Limits, retrieve

log = logging.getLogger("kohaku")


def index(
    paths: Iterable[str | Path],
    settings: Settings,
    *,
    metadata: str | Path | None = None,
    prune: bool = False,
    force: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Brings the index at `settings.db` up to date with files and folders, making it where there is none."""
    embedder = load_embedder(settings, settings.embedder or "default")
    with Store.create(settings.db, fingerprint=embedder.fingerprint, dimensions=embedder.dimensions) as store:
        store.remember("embedder", settings.embedder or "default")
        return build(
            paths,
            store,
            embedder,
            metadata=metadata,
            workers=settings.workers,
            prune=prune,
            force=force,
            paragraph_vectors=settings.paragraph_vectors,
            progress=progress,
        )


def load_embedder(settings: Settings, name: str) -> Embedder:
    """The embedder of a name, as the settings want it."""
    return embedders.load(
        name,
        dimensions=settings.dimensions,
        device=settings.device,
        base_url=settings.base_url,
        api_key=settings.api_key.get_secret_value() if settings.api_key else None,
        cache=settings.cache,
    )


PASSES = 4  # over the questions of a submission: a fault that one call in five meets is gone by then


class Engine:
    """An index opened for questions; use it as a context manager, or call `close`."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings = store, settings
        self._planner_failed = threading.Lock()  # taken by the first failure, the only one that is told

    @classmethod
    def open(cls, path: str | Path, **settings: Any) -> Self:
        """Opens the index at a path; keyword arguments are settings."""
        known = load({**settings, "db": path})
        return cls(Store.open(path), known)

    def close(self) -> None:
        """Closes the index, and the connections to models' servers where there are such."""
        self._planner_failed.acquire(blocking=False)  # calls still in flight fail from here on: that is no news
        self.store.close()
        for name in ("chat", "planner", "embedder"):
            client: Any = self.__dict__.get(name)  # a cached property that was never used has opened nothing
            if hasattr(client, "close"):
                client.close()

    def usage(self) -> dict[str, Usage]:
        """What the models that were asked have cost so far, by name."""
        clients = (self.__dict__.get(name) for name in ("chat", "planner"))
        return {client.model: client.usage for client in clients if client is not None}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder that filled the index; raises WrongEmbedder where the settings name another."""
        name = self.settings.embedder or self.store.setting("embedder") or "default"
        embedder = load_embedder(self.settings, name)
        if embedder.fingerprint != self.store.fingerprint:
            raise WrongEmbedder(self.store.fingerprint, embedder.fingerprint)
        return embedder

    @cached_property
    def chat(self) -> OpenAIChat | None:
        """The model that answers; None where none is configured, and the built-in reader does."""
        return self._chat(self.settings.model)

    @cached_property
    def planner(self) -> OpenAIChat | None:
        """The model that plans queries; None where rules do."""
        named = self.settings.planner_model
        return self._chat(named) if named and named != self.settings.model else self.chat

    def plan(self, question: str) -> tuple[str, ...]:
        """The queries for a question, itself first."""
        return plan(
            question, self.store, limit=self.settings.queries, chat=self.planner, on_failure=self._tell_of_planner
        )

    def retrieve(self, question: str) -> Evidence:
        """The evidence for a question, best first, within the token budget."""
        return self._retrieve(question, self.plan(question), 1)

    def ask(self, question: str | Question, *, unit: str = "") -> Answer:
        """An answer with its citations, or an abstention."""
        asked = question if isinstance(question, Question) else Question("", question, unit)
        queries = self.plan(asked.text)
        return respond(
            asked,
            lambda times: self._retrieve(asked.text, queries, times),
            self._read,
            retries=self.settings.retries,
        )

    def ask_all(self, questions: Sequence[Question], *, on_done: Callable[[Outcome], None]) -> None:
        """Answers many questions at once; a failed one is an outcome with an error, and stops no other."""
        _ = self.embedder, self.chat, self.planner  # made once, before threads want them
        respond_all(questions, self.ask, concurrency=self.settings.concurrency, on_done=on_done)

    def retrieve_to(self, questions: str | Path, out: str | Path) -> None:
        """Writes the evidence for every question of a CSV, one JSON object a line; the file appears whole."""
        asked = read_questions(questions)
        write_lines(out, (json_line(evidence_object(one.id, self.retrieve(one.text))) for one in asked))

    def submit(
        self,
        questions: str | Path,
        out: str | Path,
        *,
        metadata: str | Path | None = None,
        restart: bool = False,
        on_done: Callable[[Outcome], None] = lambda outcome: None,
        progress: Advance | None = None,
    ) -> list[Outcome]:
        """Answers a CSV's questions into a submission CSV; the outcomes that failed, which the next run tries again.

        Rows that an earlier run finished are kept, unless `restart`. A killed run goes on where it was. What failed is
        asked again at the end, a few times, as long as that helps: faults of a busy server pass. Raises NoAccess, with
        the finished rows written, where the model's server takes no call at all.
        """
        documents = {document.id: document.metadata for document in self.store.documents()}
        if metadata is not None:
            documents |= read_metadata(metadata)
        failed: dict[str, Outcome] = {}
        with Submission(out, read_questions(questions), restart=restart) as submission:
            total = len(submission.waiting)

            def done(outcome: Outcome) -> None:
                if outcome.answer is None:
                    failed[outcome.question.id] = outcome
                else:
                    failed.pop(outcome.question.id, None)
                    submission.add(row(outcome.answer, documents))
                if progress:
                    progress(total - len(submission.waiting), total, outcome.question.id)
                on_done(outcome)

            for _ in range(PASSES):
                waiting = submission.waiting
                self.ask_all(waiting, on_done=done)
                if len(submission.waiting) in (0, len(waiting)):
                    break
        return list(failed.values())

    def _tell_of_planner(self, error: KohakuError) -> None:
        if self._planner_failed.acquire(blocking=False):
            log.warning("the planner failed, rules plan instead (said once): %s", error)

    def _retrieve(self, question: str, queries: Sequence[str], times: int) -> Evidence:
        limits = Limits(self.settings.top_k, self.settings.budget).wider(times)
        return retrieve(question, queries, self.store, self.embedder, limits, fusion=self.settings.fusion, count=count)

    def _read(self, question: Question, evidence: Evidence) -> Answer:
        return extract.read(question, evidence) if self.chat is None else reader.read(question, evidence, self.chat)

    def _chat(self, model: str | None) -> OpenAIChat | None:
        if model is None:
            return None
        settings = self.settings
        return OpenAIChat(
            model,
            base_url=settings.base_url,
            api_key=settings.api_key.get_secret_value() if settings.api_key else None,
            temperature=settings.temperature,
            seed=settings.seed,
            max_output=settings.max_output,
            timeout=settings.timeout,
            tries=settings.tries,
            concurrency=settings.concurrency,
        )

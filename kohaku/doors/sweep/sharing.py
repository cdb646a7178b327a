"""What the runs of a sweep share: threads, a purse, embedders, indexes, and evidence that is the same for several."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from answerer.answer import Answer, Question
from answerer.respond import Sought
from kohaku.doors.engine import Engine
from kohaku.doors.models import Models
from kohaku.doors.searcher import Plan
from kohaku.embedders.protocol import Embedder
from kohaku.errors import Abandoned
from kohaku.scope import Scope
from kohaku.settings import Settings
from kohaku.spending import Purse
from kohaku.store import Store
from retriever.evidence import Evidence
from retriever.rerank import Reranker

T = TypeVar("T")

MOST_EVIDENCE = 2_000  # kept at once, the latest used: some 50 kB each
READING = frozenset(
    {"model", "models", "planner_model", "filter_model", "base_url", "endpoints", "temperature", "runs_temperature"}
    | {"seed", "max_output", "timeout", "tries", "deadline", "max_cost", "prices", "reply_cache", "concurrency"}
    | {"order", "passes", "examples", "retries", "strict", "min_confidence", "runs", "vote", "blanks", "tiebreak"}
    | {"self_check", "check_model", "first_share", "api_key", "password"}
)
"""Settings that evidence does not hang on where no model had a hand in it but by the plan."""


class Turn:
    """One limit for the questions in hand in all runs; use it as a context manager around each."""

    def __init__(self, limit: int) -> None:
        self._free = threading.BoundedSemaphore(limit)
        self._is_over = threading.Event()

    def end(self) -> None:
        """Nobody waits any more: whoever comes for a turn from now on gets Abandoned."""
        self._is_over.set()

    def __enter__(self) -> None:
        self._free.acquire()
        if self._is_over.is_set():
            self._free.release()
            raise Abandoned("the sweep was stopped: the same command goes on from here")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._free.release()


class Once:
    """What is made once a key, however many threads want it; beyond `most`, what was not used longest is made again."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._turn = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made for a key; made now where nothing was."""
        with self._turn:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._turn:
                if key in self._made:
                    self._made.move_to_end(key)
                    known: T = self._made[key]
                    return known
            made = make()
            with self._turn:
                self._made[key] = made
                self._making.pop(key, None)
                while self._most is not None and len(self._made) > self._most:
                    self._made.popitem(last=False)
            return made

    def values(self) -> list[Any]:
        """All that is kept."""
        with self._turn:
            return list(self._made.values())


class Shared:
    """What runs share; close it when all are done."""

    def __init__(self, settings: Settings) -> None:
        self.turn, self.purse = Turn(settings.concurrency), Purse(settings.max_cost)
        self.evidence, self._loaded, self._stores = Once(MOST_EVIDENCE), Once(), Once()

    def store(self, path: Path, memory_mb: int) -> Store:
        """The index at a path, opened once."""
        return self._stores.get(path, lambda: Store.open(path, memory_mb=memory_mb))

    def loaded(self, key: Hashable, load: Callable[[], T]) -> T:
        """A model of ours, loaded once."""
        return self._loaded.get(key, load)

    def close(self) -> None:
        """Closes the indexes and what was loaded."""
        for one in (*self._stores.values(), *self._loaded.values()):
            if hasattr(one, "close"):
                one.close()


class RunModels(Models):
    """A run's own chat models, which count what it spends from the common purse; the others are common too."""

    def __init__(self, settings: Settings, shared: Shared) -> None:
        super().__init__(settings, shared.purse)
        self._shared = shared

    def embedder(self, name: str) -> Embedder:
        """The embedder of a name, the same for all runs that mean the same."""
        settings = self._settings
        key = ("embedder", name, settings.dimensions, settings.device, settings.base_url)
        return self._shared.loaded(key, lambda: super(RunModels, self).embedder(name))

    def reranker(self, name: str) -> Reranker:
        """The CrossEncoder of a name or a folder, the same for all runs."""
        key = ("reranker", name, self._settings.device)
        return self._shared.loaded(key, lambda: super(RunModels, self).reranker(name))


class RunEngine(Engine):
    """An engine that takes turns with those of other runs, and finds nothing that one of them has found.

    `seconds` is how long it has worked on questions, turns waited for not counted.
    """

    def __init__(self, settings: Settings, shared: Shared) -> None:
        store = shared.store(settings.db, settings.search_memory_mb)
        super().__init__(store, settings, RunModels(settings, shared))
        self.seconds = 0.0
        self._shared, self._counting = shared, threading.Lock()
        found_by = settings.model_dump(mode="json", exclude=set(READING))
        self._found_by = repr(sorted(found_by.items()))

    def close(self) -> None:
        """Closes this run's connections; what is shared stays open."""
        self.models.close()

    def read(self, asked: Question, sought: Sought[Plan], number: int) -> Answer:
        """One reading of a question, when its turn comes."""
        with self._shared.turn:
            begun = time.monotonic()
            try:
                return super().read(asked, sought, number)
            finally:
                with self._counting:
                    self.seconds += time.monotonic() - begun

    def _retrieve(self, question: str, planned: Plan, times: int, *, scope: Scope, explain: bool) -> Evidence:
        def find() -> Evidence:
            return super(RunEngine, self)._retrieve(question, planned, times, scope=scope, explain=explain)

        chosen = self.settings.source_filter or self.settings.section_filter
        if chosen or planned.parts or self.ranking_chat is not None:
            return find()  # a model has a hand in it, and may say something else
        return self._shared.evidence.get((self._found_by, question, planned, times, str(scope), explain), find)

"""Where questions are asked: engines that share what is loaded, a bounded number at once, and the answers given."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from answerer.answer import Question
from kohaku import deadline
from kohaku.doors.engine import Engine
from kohaku.doors.models import Models
from kohaku.doors.web.course import Course, Event
from kohaku.doors.web.problems import FAULT, Busy, status_of
from kohaku.doors.web.shapes import AnswerOut, Ask, Choices, Problem, Where
from kohaku.doors.web.telling import answer_out
from kohaku.errors import Abandoned, KohakuError, SettingsError, StoreError
from kohaku.scope import Scope
from kohaku.settings import Settings
from kohaku.store import Store
from kohaku.watch import watched_by

log = logging.getLogger("kohaku")

LONGEST = 600.0  # seconds a question may take where the settings say nothing
MOST_WAITING = 32  # questions; more are turned away
KEPT = 200  # answers that can be fetched again, the latest
PATIENCE = 0.5  # seconds between looks whether whoever asked is still there
QUIET = 15.0  # seconds after which a stream says that it lives: proxies close what is silent
BUILT_IN = "built-in reader"


class Desk:
    """An index that many ask at once, each question with a connection of its own to one state of it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.models = Models(settings)
        self._places = threading.BoundedSemaphore(settings.concurrency)
        self._idle: list[tuple[int, Store]] = []  # the last one used is taken first: it holds most in memory
        self._waiting, self._is_closed = 0, False
        self._turn = threading.Lock()
        self._answers: OrderedDict[str, AnswerOut] = OrderedDict()

    def warm(self) -> None:
        """Loads the embedder, so that the first question need not wait for it; what fails is said then."""

        def load() -> None:
            with suppress(KohakuError), self.engine(Choices()) as engine:
                engine.embedder.embed_questions(["warm up"])

        threading.Thread(target=load, daemon=True).start()

    def close(self) -> None:
        """Closes the index and the connections to models' servers."""
        with self._turn:
            idle, self._idle, self._is_closed = self._idle, [], True
        for _, store in idle:
            store.close()
        self.models.close()

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The index as it is now, for one request alone: stores are kept, since what they hold makes searches fast."""
        place = self._place()
        store = self._taken(place)
        try:
            with store.snapshot():
                yield store
        except StoreError:
            store.close()
            raise
        except BaseException:
            self._put_back(place, store)
            raise
        self._put_back(place, store)

    def _place(self) -> int:
        """Which file the index is now: one may be deleted, and made anew."""
        try:
            return self.settings.db.stat().st_ino
        except OSError:
            return 0

    def _taken(self, place: int) -> Store:
        """A store of that file that nobody uses, or a new one."""
        with self._turn:
            old = [store for known, store in self._idle if known != place]
            self._idle = [one for one in self._idle if one[0] == place]
            store = self._idle.pop()[1] if self._idle else None
        for one in old:
            one.close()
        # all together they hold what the settings allow one
        share = self.settings.search_memory_mb // self.settings.concurrency
        return store or Store.open(self.settings.db, memory_mb=share)

    def _put_back(self, place: int, store: Store) -> None:
        with self._turn:
            if not self._is_closed:
                self._idle.append((place, store))
                return
        store.close()

    @contextmanager
    def engine(self, choices: Choices) -> Iterator[Engine]:
        """An engine with these choices; raises SettingsError where they don't go together."""
        settings = chosen(self.settings, choices)
        with self.store() as store:
            yield Engine(store, settings, self.models)

    def given(self, id: str) -> AnswerOut | None:
        """An answer that was given a while ago, None where it is not kept any more."""
        with self._turn:
            return self._answers.get(id)

    async def ask(self, asked: Ask) -> AsyncGenerator[Event | None, None]:
        """The events of a question, "answer" or "error" the last; None now and then where nothing happens.

        The work goes on in a thread of its own, and is given up when the iterator is closed.
        """
        with self._turn:
            if self._waiting >= MOST_WAITING:
                raise Busy("too many questions are waiting: ask again in a while")
            self._waiting += 1
        loop, events = asyncio.get_running_loop(), asyncio.Queue[Event | None]()
        gone = threading.Event()

        def put(event: Event | None) -> None:
            with suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(events.put_nowait, event)

        def emit(event: Event) -> None:
            if gone.is_set():
                raise Abandoned("nobody waits for the answer any more")
            put(event)

        def work() -> None:
            try:
                self._work(asked, emit, gone)
            finally:
                put(None)
                with self._turn:
                    self._waiting -= 1

        # a daemon: a model's server that says nothing must not hold up the end of this one
        threading.Thread(target=work, daemon=True).start()
        try:
            while True:
                try:
                    event = await asyncio.wait_for(events.get(), QUIET)
                except TimeoutError:
                    yield None
                    continue
                if event is None:
                    return
                yield event
        finally:
            gone.set()

    def _work(self, asked: Ask, emit: Callable[[Event], None], gone: threading.Event) -> None:
        """Answers a question in its turn, or says why it is not answered."""
        while not self._places.acquire(timeout=PATIENCE):
            if gone.is_set():
                return
        try:
            emit(Event("answer", self._answer(asked, emit)))
        except Abandoned:
            return
        except KohakuError as error:
            with suppress(Abandoned):
                emit(Event("error", Problem(detail=str(error)), status_of(error)))
        except Exception:
            log.exception("a question failed")
            with suppress(Abandoned):
                emit(Event("error", Problem(detail=FAULT), 500))
        finally:
            self._places.release()

    def _answer(self, asked: Ask, emit: Callable[[Event], None]) -> AnswerOut:
        started = time.monotonic()
        course = Course(emit)
        scope = scope_of(asked.scope)
        with self.engine(asked.settings) as engine, deadline.within(engine.settings.deadline or LONGEST):
            question = Question("q1", asked.question.strip(), asked.unit.strip())
            with watched_by(course):
                answer = engine.ask(question, scope=scope, explain=True)
            id = secrets.token_urlsafe(16)
            told = answer_out(
                answer,
                engine.store,
                course.trace,
                id=id,
                reader=", ".join(engine.settings.readers) or BUILT_IN,
                seconds=time.monotonic() - started,
            )
        with self._turn:
            self._answers[id] = told
            while len(self._answers) > KEPT:
                self._answers.popitem(last=False)
        return told


def scope_of(where: Where) -> Scope:
    """The scope that a request names; raises ScopeError."""
    return Scope.of(where.where, where.documents, where.without, where.kinds)


def chosen(settings: Settings, choices: Choices) -> Settings:
    """The server's settings with a question's choices; SettingsError where these need or name what is not there."""
    changes: dict[str, Any] = choices.model_dump(exclude_none=True)
    model = changes.pop("model", None)
    if model == "":
        changes |= {"model": None, "models": None}
    elif model is not None:
        if model not in offered(settings):
            raise SettingsError(f"no model {model!r} is offered here: name one that /api/info lists")
        changes |= {"model": model, "models": None}
    return settings.model_copy(update=changes)


def offered(settings: Settings) -> tuple[str, ...]:
    """The models that a question may name."""
    named = (*settings.readers, settings.planner_model)
    return tuple(dict.fromkeys(name for name in named if name))

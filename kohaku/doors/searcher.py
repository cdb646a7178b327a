"""An index opened for searching: what needs neither the indexer nor the answerer, and so starts soonest."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from kohaku import watch
from kohaku.chat import Chat, OpenAIChat, attempt
from kohaku.doors.models import Models
from kohaku.doors.own import Own, parted
from kohaku.embedders.protocol import Embedder
from kohaku.errors import KohakuError, SettingsError, WrongEmbedder
from kohaku.profile import load as load_profile
from kohaku.scope import EVERYWHERE, Scope
from kohaku.settings import Settings, load
from kohaku.spending import Usage
from kohaku.store import Store
from kohaku.tokens import count
from kohaku.words import words
from retriever.decompose import Aim, Part, decompose
from retriever.deepen import Deepening, Find, in_context
from retriever.evidence import Evidence, Filtered
from retriever.filters import sections, sources
from retriever.parts import gather
from retriever.plan import asked, imagined, plan
from retriever.rerank import ChatReranker, Reranker, Second
from retriever.retrieve import Limits, Method, retrieve
from retriever.trust import rarities

log = logging.getLogger("kohaku")

LLM = "llm"  # the reranker that is a chat model
OFFERED = 3  # budgets of evidence that a filter of sections chooses one from
FIRST_LINES = 3  # paragraphs of a document that a filter of documents is shown, as far as they are short
INSTEAD = {  # of what failed
    "planner": "rules plan instead",
    "filter": "nothing is left out",
    "self-check": "answers stay as they are",
    "reranker": "its finds stay in their order",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to search for: the queries, the question first; its parts, if it has several; passages imagined for it."""

    queries: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    passages: tuple[str, ...] = ()

    def further(self, queries: Sequence[str]) -> Plan:
        """The plan with more queries, for another reading: then of the whole question, not of its parts."""
        return replace(self, queries=(*self.queries, *queries), parts=()) if queries else self


class Searcher:
    """An index with settings, and the evidence in it; use it as a context manager, or call `close`.

    With `models` it shares what these have loaded, and leaves them open. What is in `own` serves in their place.
    """

    def __init__(
        self, store: Store, settings: Settings, models: Models | None = None, *, own: Own | None = None
    ) -> None:
        for name in ("hyde", "source_filter", "section_filter"):
            able = (settings.first_model, settings.planner_model, None if name == "hyde" else settings.filter_model)
            if getattr(settings, name) and not any(able):
                raise SettingsError(f"{name} needs a model: give --planner-model or --model, or leave it out")
        self.store, self.settings, self.profile = store, settings, load_profile(settings.profile)
        self.models, self._owns_models, self.own = models or Models(settings), models is None, own or Own()
        # each is taken by the first failure, the only one that is told
        self._failed = {what: threading.Lock() for what in INSTEAD}

    @classmethod
    def open(cls, path: str | Path, **settings: Any) -> Self:
        """Opens the index at a path; keyword arguments are settings, or parts of one's own in place of their names."""
        own, settings = parted(settings)
        return cls.within(load({**settings, "db": path}), own)

    @classmethod
    def within(cls, settings: Settings, own: Own | None = None) -> Self:
        """Opens the index that the settings name."""
        return cls(Store.open(settings.db, memory_mb=settings.search_memory_mb), settings, own=own)

    def close(self) -> None:
        """Closes the index, and the connections to models' servers where there are such."""
        for failed in self._failed.values():
            failed.acquire(blocking=False)  # calls still in flight fail from here on: that is no news
        self.store.close()
        if self._owns_models:
            self.models.close()

    def _clients(self) -> list[OpenAIChat]:
        """The models that were asked, each once: a cached property that was never used has opened nothing."""
        asked = (self.__dict__.get(name) for name in ("chat", "planner", "filtering", "ranking_chat"))
        return list({id(client): client for client in asked if client is not None}.values())

    def usage(self) -> dict[str, Usage]:
        """What the models that were asked have spent so far, by name."""
        spent: dict[str, Usage] = {}
        for client in self._clients():
            spent.setdefault(client.name, Usage()).join(client.usage)
        return spent

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder that filled the index; raises WrongEmbedder where the settings name another."""
        name = self.settings.embedder or self.store.setting("embedder") or "default"
        embedder = self.own.embedder or self.models.embedder(name)
        if embedder.fingerprint != self.store.fingerprint:
            raise WrongEmbedder(self.store.fingerprint, embedder.fingerprint)
        return embedder

    @cached_property
    def chat(self) -> OpenAIChat | None:
        """The model that answers; None where none is configured, and the built-in reader does."""
        return self._chat(self.settings.first_model)

    @cached_property
    def planner(self) -> OpenAIChat | None:
        """The model that plans queries; None where rules do."""
        named = self.settings.planner_model
        return self._chat(named) if named and named != self.settings.first_model else self.chat

    @cached_property
    def filtering(self) -> OpenAIChat | None:
        """The model that chooses documents and sections; None where nothing is left out."""
        named = self.settings.filter_model
        return self._chat(named) if named else self.planner

    @cached_property
    def ranking_chat(self) -> OpenAIChat | None:
        """The model that reranks; None where none does."""
        kind, _, named = (self.settings.reranker or "").partition(":")
        if kind != LLM:
            return None
        chat = self._chat(named) if named and named != self.settings.first_model else self.chat
        if chat is None:
            raise SettingsError(f"reranker {LLM} needs a model: name one with --model, or as {LLM}:MODEL")
        return chat

    @cached_property
    def reranker(self) -> Reranker | None:
        """What puts the first finds in order; None where nothing does. RerankerError where it can't be loaded."""
        if self.own.reranker is not None or self.settings.reranker is None:
            return self.own.reranker
        if self.ranking_chat is not None:
            return ChatReranker(self.ranking_chat, self.profile)
        return self.models.reranker(self.settings.reranker)

    def plan(self, question: str) -> Plan:
        """What to search for, settled once for all readings of the evidence."""
        settings, chat, profile, tell = self.settings, self.planner, self.profile, self._tell("planner")
        queries = plan(question, self.store, limit=settings.queries, chat=chat, on_failure=tell, profile=profile)
        parts = decompose(question, by=settings.decompose, chat=chat, on_failure=tell, profile=profile)
        hyde = settings.hyde and chat
        passage = imagined(question, hyde, on_failure=tell, profile=profile) if hyde else ""
        planned = Plan(queries, parts, (passage,) if passage else ())
        watch.tell(planned)
        return planned

    def retrieve(self, question: str, *, scope: Scope = EVERYWHERE, explain: bool = False) -> Evidence:
        """The evidence for a question, best first, within the token budget; only of the scope.

        With `explain`, each context says why it is there (`why`), and the evidence how it came about (`ledger`).
        """
        return self._retrieve(question, self.plan(question), 1, scope=scope, explain=explain)

    def _tell(self, what: str) -> Callable[[KohakuError], None]:
        """What is to be called with the failures of something, of which the first is told."""

        def tell(error: KohakuError) -> None:
            if self._failed[what].acquire(blocking=False):
                log.warning("the %s failed, %s (said once): %s", what, INSTEAD[what], error)

        return tell

    def _retrieve(self, question: str, planned: Plan, times: int, *, scope: Scope, explain: bool) -> Evidence:
        """The evidence for a planned question; filters serve the first reading, a later one sees what they removed."""
        settings = self.settings
        chat = self.filtering if times == 1 else None
        limits = Limits(settings.top_k, settings.budget).wider(times)
        filters: list[Filtered] = []
        if settings.source_filter and chat is not None:
            scope, chosen = self._chosen(question, planned, limits, scope, chat)
            filters.append(chosen)
        choosing = settings.section_filter and chat is not None
        wide = replace(limits, budget=limits.budget * OFFERED) if choosing else limits

        def find(text: str, aim: Aim, more: Sequence[str] = ()) -> Evidence:
            own = planned if text == question else Plan((*self._ruled(text), *more))
            looked = replace(wide, top_k=wide.top_k * 2) if aim is Aim.OVERVIEW else wide
            return self._find(text, own, looked, scope=scope, explain=explain)

        if planned.parts:
            deepen = self._deepening(question, find, wide.budget)
            evidence = gather(
                question,
                planned.parts,
                lambda text, aim: find(text, aim) if text == question else deepen(text, aim, settings.depth),
                budget=wide.budget,
                answer=self._answer_part,
            )
        else:
            evidence = find(question, Aim.FACT)
        if choosing and chat is not None:
            contexts, kept = sections(
                question,
                evidence.contexts,
                chat,
                budget=limits.budget,
                on_failure=self._tell("filter"),
                profile=self.profile,
            )
            evidence = replace(evidence, contexts=contexts, complete=evidence.complete and len(contexts) == kept.shown)
            filters.append(kept)
        evidence = replace(
            evidence, filters=tuple(filters), complete=evidence.complete and not any(one.removed for one in filters)
        )
        watch.tell(evidence)
        return evidence

    def _deepening(self, question: str, find: Find, budget: int) -> Deepening:
        """How the question's parts are looked for again where their evidence is thin."""
        settings, chat, tell = self.settings, self.planner, self._tell("planner")

        def reword(part: str) -> list[str]:
            said = (
                attempt(lambda: asked(part, chat, max(1, settings.queries - 1), self.profile), tell) if chat else None
            )
            return said or [in_context(part, question)]

        return Deepening(
            find,
            rare=lambda part: rarities(set(words(part)), self.store),
            split=lambda part: decompose(part, by=settings.decompose, chat=chat, on_failure=tell, profile=self.profile),
            reword=reword,
            answer=self._answer_part,
            budget=budget,
        )

    def _ruled(self, part: str) -> tuple[str, ...]:
        """What to search for a part by."""
        return plan(part, self.store, limit=self.settings.queries, profile=self.profile)

    def _find(self, question: str, planned: Plan, limits: Limits, *, scope: Scope, explain: bool = False) -> Evidence:
        """The evidence for one question or part."""
        settings, reranker = self.settings, self.reranker
        method = Method(
            fusion=settings.fusion,
            append=settings.append_k,
            second=Second(reranker, settings.rerank_top, self._tell("reranker")) if reranker else None,
            condense=settings.condense,
            level=settings.level,
            images=settings.images,
        )
        return retrieve(
            question,
            planned.queries,
            self.store,
            self.embedder,
            limits,
            method,
            count=count,
            passages=planned.passages,
            scope=scope,
            explain=explain,
        )

    def _chosen(self, question: str, planned: Plan, limits: Limits, scope: Scope, chat: Chat) -> tuple[Scope, Filtered]:
        """The scope with the documents that a model chose among those of a first search."""
        first = self._find(question, planned, limits, scope=scope)
        ids = dict.fromkeys(context.document for context in first.contexts)
        documents = [document for id in ids if (document := self.store.document(id))]
        useful, filtered = sources(
            question,
            documents,
            self.store.beginnings(ids, FIRST_LINES),
            chat,
            on_failure=self._tell("filter"),
            profile=self.profile,
        )
        return (scope if filtered.fell_back else replace(scope, documents=tuple(useful))), filtered

    def _answer_part(self, part: Part, evidence: Evidence) -> str:
        """The answer to a part that a later one needs; "" here, where nothing answers."""
        return ""

    def _chat(self, model: str | None) -> OpenAIChat | None:
        return None if model is None else self.models.chat(model)

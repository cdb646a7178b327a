"""An index opened for searching: what needs neither the indexer nor the answerer, and so starts soonest."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from kohaku import embedders
from kohaku.cache import folder
from kohaku.chat import OpenAIChat, Usage
from kohaku.embedders.protocol import Embedder
from kohaku.errors import KohakuError, SettingsError, WrongEmbedder
from kohaku.reply_cache import ReplyCache
from kohaku.scope import EVERYWHERE, Scope
from kohaku.settings import Settings, load
from kohaku.store import Store
from kohaku.tokens import count
from retriever.evidence import Evidence
from retriever.plan import plan
from retriever.rerank import ChatReranker, Reranker, Second
from retriever.retrieve import Limits, retrieve

log = logging.getLogger("kohaku")

LLM = "llm"  # the reranker that is a chat model
REPLIES = "replies.db"  # in the cache folder, for all indexes


def load_embedder(settings: Settings, name: str) -> Embedder:
    """The embedder of a name, as the settings want it."""
    return embedders.load(
        name,
        dimensions=settings.dimensions,
        device=settings.device,
        base_url=settings.base_url,
        api_key=settings.key,
        cache=settings.cache,
    )


def load_reranker(name: str, *, device: str) -> Reranker:
    """The CrossEncoder of a name or a folder."""
    from kohaku.cross_encoder import CrossEncoderReranker

    return CrossEncoderReranker(name, device=device)


def load_chat(settings: Settings, model: str) -> OpenAIChat:
    """The chat model of a name, as the settings want it."""
    return OpenAIChat(
        model,
        base_url=settings.base_url,
        api_key=settings.key,
        temperature=settings.temperature,
        seed=settings.seed,
        max_output=settings.max_output,
        timeout=settings.timeout,
        tries=settings.tries,
        concurrency=settings.concurrency,
        cache=ReplyCache(folder(settings.cache) / REPLIES) if settings.reply_cache else None,
    )


class Searcher:
    """An index with settings, and the evidence in it; use it as a context manager, or call `close`."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings = store, settings
        # each is taken by the first failure, the only one that is told
        self._planner_failed, self._reranker_failed = threading.Lock(), threading.Lock()

    @classmethod
    def open(cls, path: str | Path, **settings: Any) -> Self:
        """Opens the index at a path; keyword arguments are settings."""
        known = load({**settings, "db": path})
        return cls(Store.open(path), known)

    def close(self) -> None:
        """Closes the index, and the connections to models' servers where there are such."""
        for failed in (self._planner_failed, self._reranker_failed):
            failed.acquire(blocking=False)  # calls still in flight fail from here on: that is no news
        self.store.close()
        for name in ("chat", "planner", "ranking_chat", "embedder"):
            client: Any = self.__dict__.get(name)  # a cached property that was never used has opened nothing
            if hasattr(client, "close"):
                client.close()

    def usage(self) -> dict[str, Usage]:
        """What the models that were asked have cost so far, by name."""
        clients = (self.__dict__.get(name) for name in ("chat", "planner", "ranking_chat"))
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

    @cached_property
    def ranking_chat(self) -> OpenAIChat | None:
        """The model that reranks; None where none does."""
        kind, _, named = (self.settings.reranker or "").partition(":")
        if kind != LLM:
            return None
        chat = self._chat(named) if named and named != self.settings.model else self.chat
        if chat is None:
            raise SettingsError(f"reranker {LLM} needs a model: name one with --model, or as {LLM}:MODEL")
        return chat

    @cached_property
    def reranker(self) -> Reranker | None:
        """What puts the first finds in order; None where nothing does. RerankerError where it can't be loaded."""
        if self.settings.reranker is None:
            return None
        if self.ranking_chat is not None:
            return ChatReranker(self.ranking_chat)
        return load_reranker(self.settings.reranker, device=self.settings.device)

    def plan(self, question: str) -> tuple[str, ...]:
        """The queries for a question, itself first."""
        return plan(
            question, self.store, limit=self.settings.queries, chat=self.planner, on_failure=self._tell_of_planner
        )

    def retrieve(self, question: str, *, scope: Scope = EVERYWHERE, explain: bool = False) -> Evidence:
        """The evidence for a question, best first, within the token budget; only of the scope.

        With `explain`, each context says why it is there (`why`), and the evidence how it came about (`ledger`).
        """
        return self._retrieve(question, self.plan(question), 1, scope=scope, explain=explain)

    def _tell_of_planner(self, error: KohakuError) -> None:
        if self._planner_failed.acquire(blocking=False):
            log.warning("the planner failed, rules plan instead (said once): %s", error)

    def _tell_of_reranker(self, error: KohakuError) -> None:
        if self._reranker_failed.acquire(blocking=False):
            log.warning("the reranker failed, its finds stay in their order (said once): %s", error)

    def _retrieve(self, question: str, queries: Sequence[str], times: int, *, scope: Scope, explain: bool) -> Evidence:
        reranker = self.reranker
        second = Second(reranker, self.settings.rerank_top, self._tell_of_reranker) if reranker else None
        limits = Limits(self.settings.top_k, self.settings.budget).wider(times)
        return retrieve(
            question,
            queries,
            self.store,
            self.embedder,
            limits,
            fusion=self.settings.fusion,
            append=self.settings.append_k,
            second=second,
            count=count,
            scope=scope,
            explain=explain,
        )

    def _chat(self, model: str | None) -> OpenAIChat | None:
        return None if model is None else load_chat(self.settings, model)

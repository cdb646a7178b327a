"""What settings name: the embedder, chat models and rerankers, each loaded once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from kohaku import embedders
from kohaku.cache import folder
from kohaku.chat import OpenAIChat
from kohaku.embedders.protocol import Embedder
from kohaku.errors import SettingsError
from kohaku.reply_cache import ReplyCache
from kohaku.settings import Settings
from kohaku.spending import Purse
from retriever.rerank import Reranker

Loaded = TypeVar("Loaded")

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


def load_chat(settings: Settings, model: str, purse: Purse | None = None) -> OpenAIChat:
    """The chat model of a name, as the settings want it; what it costs is taken from the purse.

    Raises SettingsError where costs are limited and the model's price is not known.
    """
    access = settings.access(model)
    if settings.max_cost is not None and access.price is None:
        table, name = (f"[endpoints.{model}]", "price") if model in settings.endpoints else ("[prices]", f'"{model}"')
        raise SettingsError(
            f"max_cost needs to know what {model!r} costs a million tokens: "
            f"add {name} = [prompt, reply] under {table} in kohaku.toml"
        )
    return OpenAIChat(
        access.model,
        name=model,
        base_url=access.base_url,
        api_key=access.key,
        temperature=settings.temperature,
        seed=settings.seed,
        max_output=settings.max_output,
        timeout=settings.timeout,
        tries=settings.tries,
        concurrency=settings.concurrency,
        cache=ReplyCache(folder(settings.cache) / REPLIES) if settings.reply_cache else None,
        price=access.price,
        images=access.images,
        purse=purse or Purse(settings.max_cost),
    )


class Models:
    """What settings name: the embedder, chat models, rerankers; each loaded once, on use, for any number of threads.

    Several searchers may share one: then what models cost all together is limited, and whoever made it closes it.
    """

    def __init__(self, settings: Settings, purse: Purse | None = None) -> None:
        self._settings = settings
        self._purse = purse or Purse(settings.max_cost)
        self._loaded: dict[tuple[str, str], Any] = {}
        self._turn = threading.RLock()

    def embedder(self, name: str) -> Embedder:
        """The embedder of a name."""
        return self._once("embedder", name, lambda: load_embedder(self._settings, name))

    def chat(self, name: str) -> OpenAIChat:
        """The client of the chat model of a name."""
        return self._once("chat", name, lambda: load_chat(self._settings, name, self._purse))

    def reranker(self, name: str) -> Reranker:
        """The CrossEncoder of a name or a folder."""
        return self._once("reranker", name, lambda: load_reranker(name, device=self._settings.device))

    def close(self) -> None:
        """Closes the connections to models' servers."""
        for loaded in self._loaded.values():
            if hasattr(loaded, "close"):
                loaded.close()

    def _once(self, what: str, name: str, load: Callable[[], Loaded]) -> Loaded:
        with self._turn:
            if (what, name) not in self._loaded:
                self._loaded[what, name] = load()
            loaded: Loaded = self._loaded[what, name]
            return loaded

"""Parts of the user's own, in place of those that settings name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kohaku.errors import SettingsError

if TYPE_CHECKING:
    from answerer.answer import Answer, Question
    from kohaku.embedders.own import OwnEmbedder
    from retriever.evidence import Evidence
    from retriever.rerank import Reranker

    Reader = Callable[[Question, Evidence], Answer]

OFFERS = {
    "embedder": ("fingerprint", "dimensions", "max_tokens", "embed_questions", "embed_passages"),
    "reranker": ("scores",),
    "reader": ("__call__",),
}
"""What each part must have."""


@dataclass(frozen=True, slots=True)
class Own:
    """What embeds, reranks and reads instead of what settings name; None where they do name it.

    A reader makes an answer of a question and its evidence. All of them may be called from several threads at once.
    """

    embedder: OwnEmbedder | None = None
    reranker: Reranker | None = None
    reader: Reader | None = None


def parted(given: Mapping[str, Any]) -> tuple[Own, dict[str, Any]]:
    """What `kohaku.open` was given as parts, those that are no names, and as settings.

    Raises SettingsError for a part that lacks something.
    """
    parts = {name: given[name] for name in OFFERS if not isinstance(given.get(name), str | None)}
    settings = {name: value for name, value in given.items() if name not in parts}
    for name, part in parts.items():
        pictures = ("embed_images",) if name == "embedder" and getattr(part, "takes_images", False) else ()
        lacking = [one for one in (*OFFERS[name], *pictures) if not hasattr(part, one)]
        if lacking:
            raise SettingsError(f"the {name} that was given has no {', '.join(lacking)}: see docs/extending.md")
    if "embedder" in parts:
        from kohaku.embedders.own import OwnEmbedder

        parts["embedder"] = OwnEmbedder(parts["embedder"])
        settings["embedder"] = parts["embedder"].name
    if given.get("reader", "") is None:
        del settings["reader"]
    return Own(**parts), settings

"""Text to vectors: `load(name)` gives an embedder by name."""

from __future__ import annotations

from pathlib import Path

from kohaku.embedders.protocol import OWN, Embedder
from kohaku.errors import SettingsError

__all__ = ["Embedder", "load"]


def load(
    name: str = "default",
    *,
    dimensions: int | None = None,
    device: str = "auto",
    base_url: str | None = None,
    api_key: str | None = None,
    cache: Path | None = None,
) -> Embedder:
    """The embedder of a name: `default`, `multilingual`, `openai:MODEL`, or a sentence-transformers name or folder.

    Each adapter is imported here, so that a library is paid for only by whom it serves.
    """
    if name == "default":
        from kohaku.embedders.minilm import DIMENSIONS, MiniLM

        _refuse_cut("default", DIMENSIONS, dimensions)
        return MiniLM(cache)
    if name == "multilingual":
        from kohaku.embedders.multilingual import DIMENSIONS, Multilingual

        _refuse_cut("multilingual", DIMENSIONS, dimensions)
        return Multilingual()
    if name.startswith(OWN):
        raise SettingsError(
            f"the index was made with an embedder of your own ({name.removeprefix(OWN)}): it can be given in Python "
            "only, kohaku.open(…, embedder=…)"
        )
    if name.startswith("openai:"):
        from kohaku.embedders.openai_api import OpenAIEmbedder

        return OpenAIEmbedder(name.removeprefix("openai:"), dimensions=dimensions, base_url=base_url, api_key=api_key)
    from kohaku.embedders.sentence_transformer import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(name, dimensions=dimensions, device=device)


def _refuse_cut(name: str, has: int, asked: int | None) -> None:
    """Raises SettingsError where a model that is no Matryoshka model is asked for fewer dimensions."""
    if asked not in (None, has):
        raise SettingsError(
            f"dimensions: the {name} embedder's {has} can't be cut (it is no Matryoshka model): "
            "leave the setting out, or give another --embedder"
        )

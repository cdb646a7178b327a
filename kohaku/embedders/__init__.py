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
    """The embedder of a name: `default`, `openai:MODEL`, or a sentence-transformers model's name or folder.

    Each adapter is imported here, so that a library is paid for only by whom it serves.
    """
    if name == "default":
        from kohaku.embedders.minilm import DIMENSIONS, MiniLM

        if dimensions not in (None, DIMENSIONS):
            raise SettingsError(
                f"dimensions: the default embedder's {DIMENSIONS} can't be cut (it is no Matryoshka model): "
                "leave the setting out, or give another --embedder"
            )
        return MiniLM(cache)
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

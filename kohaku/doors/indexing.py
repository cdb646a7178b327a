"""The door to the indexer, behind `kohaku.index`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from indexer.build import Progress, Report, build
from kohaku.doors.searcher import load_embedder
from kohaku.settings import Settings
from kohaku.store import Store


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

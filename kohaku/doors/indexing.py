"""The door to the indexer, behind `kohaku.index`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from indexer import pictures, single
from indexer.build import build, tell
from indexer.captions import Captioned, caption_all
from indexer.report import Progress, Report
from kohaku.chat import OpenAIChat
from kohaku.doors.models import load_chat, load_embedder
from kohaku.doors.reading import drawing_of, reading_of
from kohaku.doors.tree_page import FIRST_PAGES, chosen, has_pages, tree_page
from kohaku.embedders.background import background
from kohaku.embedders.protocol import Embedder
from kohaku.errors import KohakuError, SettingsError
from kohaku.profile import Profile
from kohaku.profile import load as load_profile
from kohaku.settings import Settings
from kohaku.store import Store
from kohaku.tokens import count
from kohaku.tree import Tree


def index(
    paths: Iterable[str | Path],
    settings: Settings,
    *,
    metadata: str | Path | None = None,
    prune: bool = False,
    force: bool = False,
    progress: Callable[[Progress], None] | None = None,
    embedder: Embedder | None = None,
) -> Report:
    """Brings the index at `settings.db` up to date with files and folders, making it where there is none.

    `embedder` is the one that the settings name, where it is loaded already. With `settings.captions` a model then
    describes the figures; raises SettingsError where there is no model.
    """
    given = [Path(path) for path in paths]
    if not settings.db.exists() and not any(path.exists() for path in given):
        raise KohakuError(
            f"no such file or folder: {', '.join(map(str, given))}: check the path ({settings.db} was not made)"
        )
    chat, profile = _captioner(settings), load_profile(settings.profile)
    name = settings.embedder or _known_embedder(settings.db) or "default"
    embedder = embedder or load_embedder(settings, name)
    with Store.create(settings.db, fingerprint=embedder.fingerprint, dimensions=embedder.dimensions) as store:
        store.remember("embedder", name)
        if store.setting("background") is None:
            store.remember("background", str(background(embedder)))
        report = build(
            given,
            store,
            embedder,
            metadata=metadata,
            reading=reading_of(settings),
            workers=settings.workers,
            prune=prune,
            force=force,
            paragraph_vectors=settings.paragraph_vectors,
            progress=progress,
        )
        started = time.monotonic()
        done = _captioned(store, chat, profile, settings.concurrency, progress)
        tell(store, embedder)  # also what a run that was stopped had asked for
        store.settle(settings.exact_below)
        seconds = time.monotonic() - started
        return report + Report(captions=done.made, uncaptioned=done.failed, nodes=store.counts(), seconds=seconds)


def _known_embedder(db: Path) -> str | None:
    """The name of the embedder that an index was made with; None where there is no index."""
    if not db.exists() or db.stat().st_size == 0:
        return None
    with Store.open(db) as store:
        return store.setting("embedder")


def _captioner(settings: Settings) -> OpenAIChat | None:
    """The model that describes figures; None where none is wanted."""
    if not settings.captions:
        return None
    model = settings.caption_model or settings.first_model
    if model is None:
        raise SettingsError("captions need a model that sees pictures: name one with --caption-model")
    return load_chat(settings, model)


def _captioned(
    store: Store,
    chat: OpenAIChat | None,
    profile: Profile,
    concurrency: int,
    progress: Callable[[Progress], None] | None,
) -> Captioned:
    if chat is None:
        return Captioned()
    with chat:
        return caption_all(
            store,
            chat,
            model=chat.model,
            concurrency=concurrency,
            count=count,
            profile=profile,
            progress=(lambda *at: progress(Progress(*at))) if progress else None,
        )


def tree_of(path: Path, settings: Settings) -> tuple[Tree, tuple[str, ...]]:
    """The tree of one file, nothing stored, and remarks about it for the user."""
    return single.tree_of(path, reading_of(settings))


def page_of(
    path: Path,
    tree: Tree,
    notes: Sequence[str],
    settings: Settings,
    pages: str | None = None,
    *,
    tell: Callable[[str], None] = lambda stage: None,
) -> str:
    """The tree of a file as one HTML page, over pictures of the pages named ("1-20"; the first ones) where it has such.

    Raises KohakuError where the pages named are not there.
    """
    if not has_pages(tree):
        if pages is not None:
            raise KohakuError(f"{path} has no pages to choose from, only PDFs have: leave --pages out")
        return tree_page(tree, notes)
    numbers = chosen(pages or f"1-{FIRST_PAGES}", tree.document.pages)

    def drawing(done: int) -> None:
        tell(f"drawing pages, {done} of {len(numbers)} done")

    return tree_page(
        tree, notes, pages=numbers, pictures=pictures.drawn(path, numbers, drawing_of(settings), tell=drawing)
    )

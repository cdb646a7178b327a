"""Questions over your documents, answered with evidence that can be checked, or not at all.

>>> import kohaku
>>> kohaku.index(["papers"], "my.db")  # doctest: +SKIP
>>> with kohaku.open("my.db") as engine:  # doctest: +SKIP
...     print(engine.ask("What was the power usage effectiveness?").text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from answerer.vote import Voted
    from indexer.report import Progress, Report
    from kohaku.doors.engine import Engine
    from kohaku.doors.sweep.report import Story

__all__ = ["index", "open", "sweep", "vote"]


def index(
    paths: Iterable[str | Path],
    path: str | Path,
    *,
    metadata: str | Path | None = None,
    prune: bool = False,
    force: bool = False,
    progress: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> Report:
    """Brings an index file up to date with files and folders; further keyword arguments are settings.

    `embedder` may be an embedder itself (see `kohaku.embedders.Embedder`), which `open` is to be given too.
    """
    from kohaku.doors.indexing import index as run
    from kohaku.doors.own import parted
    from kohaku.settings import load

    own, settings = parted(settings)
    return run(
        paths,
        load({**settings, "db": path}),
        metadata=metadata,
        prune=prune,
        force=force,
        progress=progress,
        embedder=own.embedder,
    )


def open(path: str | Path, **settings: Any) -> Engine:
    """An index file opened for questions; keyword arguments are settings (`model="…"`, `budget=4000`).

    `embedder` and `reranker` may be such themselves instead of names, and `reader` a function that makes an Answer of a
    Question and its Evidence; all three may be called from several threads at once.
    """
    from kohaku.doors.engine import Engine

    return Engine.open(path, **settings)


def vote(
    runs: Sequence[str | Path], out: str | Path, *, confidence: str | Path | None = None, **settings: Any
) -> tuple[Voted, ...]:
    """Makes one submission CSV of several; keyword arguments are settings (`vote="union"`, `blanks="filter"`)."""
    from kohaku.doors.voting import vote as run
    from kohaku.settings import load

    return run(runs, out, load(settings), confidence=confidence).voted


def sweep(spec: str | Path | Mapping[str, Any], out: str | Path, **settings: Any) -> Story:
    """Tries what a TOML file (or what one would hold) names, into a folder; keyword arguments are settings."""
    from pathlib import Path

    from kohaku.doors.sweep import sweep as run
    from kohaku.doors.sweep.spec import read_spec, spec_of
    from kohaku.settings import load

    if isinstance(spec, str | Path):
        return run(read_spec(Path(spec)), out, load(settings), where=Path(spec).name)
    return run(spec_of(spec, "the sweep"), out, load(settings))

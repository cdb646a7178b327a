"""How long a search alone takes as an index grows, and what it finds, beside exact search by numpy, faiss and bm25s.

python scripts/benchmark_search.py made.db --nodes 25000

Vectors and texts are made: topics within topics, words as frequent as Zipf (1949) has them. bm25s is compared where
it is installed. Times are of one process that is warm; the index is made once and stays.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from kohaku.store import Store
from kohaku.tree import Document, Kind, Node, Tier, Tree, Vectors

app = typer.Typer(add_completion=False, rich_markup_mode=None)

DIMENSIONS = 384
A_DOCUMENT = 500  # sentences
WORDS = 300_000
LENGTH = 22  # words a sentence
TOPICS = 4_000
QUESTIONS = 100
LIMIT = 150  # hits a list, as the engine asks for
DEFAULT = 200_000


class Made:
    """Sentences with their vectors, the same for the same number."""

    def __init__(self) -> None:
        random = np.random.default_rng(0)
        self._topics = _unit(random.normal(size=(TOPICS, DIMENSIONS)))
        frequency = 1 / (np.arange(1, WORDS + 1) + 2.7) ** 1.05
        self._below = np.cumsum(frequency / frequency.sum())

    def document(self, number: int) -> tuple[list[str], Vectors]:
        """The sentences of a document about one topic, each in its own way."""
        random = np.random.default_rng(number + 1)
        topic = self._topics[random.integers(TOPICS)]
        sides = _unit(random.normal(size=(8, DIMENSIONS)))[random.integers(8, size=A_DOCUMENT)]
        own = _unit(random.normal(size=(A_DOCUMENT, DIMENSIONS)))
        return self._texts(random, A_DOCUMENT), _unit(0.55 * topic + 0.45 * sides + 0.7 * own)

    def questions(self, documents: int) -> tuple[list[list[str]], Vectors]:
        """Half of a sentence's words with others, and a vector near the sentence's."""
        random = np.random.default_rng(10**9)
        terms, vectors = [], []
        for number in random.integers(documents, size=QUESTIONS):
            texts, rows = self.document(int(number))
            one = int(random.integers(A_DOCUMENT))
            words = texts[one].split()[: LENGTH // 2] + self._texts(random, 1)[0].split()[:4]
            terms.append(list(dict.fromkeys(words)))
            vectors.append(_unit(rows[one : one + 1] + 0.9 * _unit(random.normal(size=(1, DIMENSIONS))))[0])
        return terms, np.asarray(vectors, np.float32)

    def _texts(self, random: np.random.Generator, count: int) -> list[str]:
        ranks = np.searchsorted(self._below, random.random((count, LENGTH)))
        return [" ".join(f"w{rank}" for rank in row) for row in ranks]


def _unit(rows: NDArray[Any]) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def fill(path: Path, documents: int, made: Made) -> None:
    """An index of made documents; goes on where it was stopped."""
    with Store.create(path, fingerprint="made", dimensions=DIMENSIONS) as store:
        for number in range(len(store.documents()), documents):
            store.put(*_tree(f"made{number}", *made.document(number)))


def _tree(id: str, texts: Sequence[str], rows: Vectors) -> tuple[Tree, Vectors]:
    nodes = [Node(id, 0, len(texts), None, Kind.DOCUMENT, id, "", 0, title=id)]
    nodes += [
        Node(id, place, place, 0, Kind.SENTENCE, f"{id}:s{place}", text, LENGTH)
        for place, text in enumerate(texts, start=1)
    ]
    document = Document(id, id, (f"/{id}.txt",), id, "", 0, {})
    return Tree(document, tuple(nodes), {}, {}, ()), np.concatenate([_unit(rows.mean(axis=0))[None], rows])


@app.command()
def main(db: Path, nodes: int = 25_000, exact_below: int = DEFAULT) -> None:
    """Print times, recall and sizes of an index of so many made sentences."""
    made = Made()
    documents = -(-nodes // A_DOCUMENT)
    started = time.monotonic()
    fill(db, documents, made)
    typer.echo(f"{documents * A_DOCUMENT:,} sentences; written in {time.monotonic() - started:.0f} s")
    started = time.monotonic()
    with Store.edit(db) as store:
        store.settle(exact_below)
    beside = [file for kind in ("ivf", "words") for file in db.parent.glob(f"{db.name}-*.{kind}")]
    typer.echo(f"files beside it: {len(beside)} in {time.monotonic() - started:.0f} s")
    size = sum(file.stat().st_size for file in (db, *beside))
    typer.echo(f"{size / documents / A_DOCUMENT:,.0f} bytes a sentence")
    terms, vectors = made.questions(documents)
    started = time.monotonic()
    with Store.open(db) as store:
        store.nearest(vectors[:1], Tier.SENTENCE, LIMIT)
        typer.echo(f"opened, first search: {1000 * (time.monotonic() - started):.0f} ms")
        near = _timed("meaning", vectors, lambda v: store.nearest(v[None], Tier.SENTENCE, LIMIT)[0])
        found = _timed("words", terms, lambda t: store.matching(t, Tier.SENTENCE, LIMIT))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        typer.echo(f"peak memory {peak:,.0f} MB, mapped files included")
        base = min(node.key for node in store.subtree("made0"))
    everything = np.concatenate([rows for _, rows in map(made.document, range(documents))])
    _compare(near, everything, vectors, base)
    _compare_words(found, made, terms, documents, base)


def _timed(name: str, questions: Iterable[Any], search: Callable[[Any], Any]) -> list[Any]:
    results, times = [], []
    for question in questions:
        started = time.perf_counter()
        results.append(search(question))
        times.append(1000 * (time.perf_counter() - started))
    typer.echo(f"{name:24} p50 {np.percentile(times, 50):8.1f} ms   p99 {np.percentile(times, 99):8.1f} ms")
    return results


def _keys(places: Sequence[int], base: int) -> set[int]:
    """The keys of sentences by their place among all: each document's own node stands before them."""
    return {base + place + place // A_DOCUMENT + 1 for place in places}


def _recall(found: Sequence[Sequence[Any]], wanted: Iterator[set[int]]) -> float:
    return float(
        np.mean([len({hit.key for hit in hits[:10]} & keys) / 10 for hits, keys in zip(found, wanted, strict=True)])
    )


def _compare(near: Sequence[Any], everything: Vectors, vectors: Vectors, base: int) -> None:
    import faiss

    exact = _timed("meaning, numpy", vectors, lambda v: _best(everything @ v, LIMIT))
    flat = faiss.IndexFlatIP(DIMENSIONS)
    flat.add(everything)
    _timed("meaning, faiss flat", vectors, lambda v: flat.search(v[None], LIMIT))
    typer.echo(f"recall@10 of meaning {_recall(near, (_keys(row[:10], base) for row in exact)):.3f}")


def _best(scores: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    some = np.argpartition(-scores, count - 1)[:count]
    return some[np.argsort(-scores[some], kind="stable")]


def _compare_words(found: Sequence[Any], made: Made, terms: Sequence[list[str]], documents: int, base: int) -> None:
    try:
        import bm25s
    except ImportError:
        typer.echo("bm25s is not installed: words are not compared")
        return
    corpus = [text.split() for texts, _ in map(made.document, range(documents)) for text in texts]
    index = bm25s.BM25(k1=1.2, b=0.75, method="robertson")
    index.index(corpus, show_progress=False)
    exact = _timed("words, bm25s", terms, lambda t: index.retrieve([t], k=LIMIT, show_progress=False).documents[0])
    typer.echo(f"recall@10 of words {_recall(found, (_keys(row[:10], base) for row in exact)):.3f}")


if __name__ == "__main__":
    app()

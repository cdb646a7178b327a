"""How long a search alone takes as an index grows, and what it finds, beside exact search by numpy, faiss and bm25s.

python scripts/benchmark_search.py made.db --nodes 25000

Vectors and texts are made: topics within topics, words as frequent as Zipf (1949) has them. What is the best is found
by scoring all of them exactly, block by block; numpy, faiss and bm25s are timed where the index is small enough for
their memory (`--beside`). Times are of one process that is warm; the index is made once and stays: stopped, it goes on.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
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
BEST = 10  # of a list, that recall is of
DEFAULT = 200_000
BLOCK = 20  # documents that are scored at once
K1 = 1.2  # of BM25, whose b has no say here: all sentences are of one length


Words = NDArray[np.int32]
"""The words of sentences, by their ranks among all words: one row a sentence."""


class Made:
    """Sentences with their vectors, the same for the same number."""

    def __init__(self) -> None:
        random = np.random.default_rng(0)
        self._topics = _unit(random.normal(size=(TOPICS, DIMENSIONS)))
        frequency = 1 / (np.arange(1, WORDS + 1) + 2.7) ** 1.05
        self._below = np.cumsum(frequency / frequency.sum())

    def document(self, number: int) -> tuple[Words, Vectors]:
        """The sentences of a document about one topic, each in its own way: their words by rank, their vectors."""
        random = np.random.default_rng(number + 1)
        topic = self._topics[random.integers(TOPICS)]
        sides = _unit(random.normal(size=(8, DIMENSIONS)))[random.integers(8, size=A_DOCUMENT)]
        own = _unit(random.normal(size=(A_DOCUMENT, DIMENSIONS)))
        return self._words(random, A_DOCUMENT), _unit(0.55 * topic + 0.45 * sides + 0.7 * own)

    def questions(self, documents: int) -> tuple[list[list[int]], Vectors]:
        """Half of a sentence's words with others, and a vector near the sentence's."""
        random = np.random.default_rng(10**9)
        asked, vectors = [], []
        for number in random.integers(documents, size=QUESTIONS):
            words, rows = self.document(int(number))
            one = int(random.integers(A_DOCUMENT))
            asked.append(
                list(dict.fromkeys([*words[one, : LENGTH // 2].tolist(), *self._words(random, 1)[0, :4].tolist()]))
            )
            vectors.append(_unit(rows[one : one + 1] + 0.9 * _unit(random.normal(size=(1, DIMENSIONS))))[0])
        return asked, np.asarray(vectors, np.float32)

    def _words(self, random: np.random.Generator, count: int) -> Words:
        return np.searchsorted(self._below, random.random((count, LENGTH))).astype(np.int32)


def _text(words: Iterable[int]) -> str:
    return " ".join(f"w{rank}" for rank in words)


def _unit(rows: NDArray[Any]) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def fill(path: Path, documents: int, made: Made) -> None:
    """An index of made documents; goes on where it was stopped."""
    with Store.create(path, fingerprint="made", dimensions=DIMENSIONS) as store:
        for number in range(len(store.documents()), documents):
            store.put(*_tree(f"made{number}", *made.document(number)))


def _tree(id: str, words: Words, rows: Vectors) -> tuple[Tree, Vectors]:
    nodes = [Node(id, 0, len(words), None, Kind.DOCUMENT, id, "", 0, title=id)]
    nodes += [
        Node(id, place, place, 0, Kind.SENTENCE, f"{id}:s{place}", text, LENGTH)
        for place, text in enumerate(map(_text, words.tolist()), start=1)
    ]
    document = Document(id, id, (f"/{id}.txt",), id, "", 0, {})
    return Tree(document, tuple(nodes), {}, {}, ()), np.concatenate([_unit(rows.mean(axis=0))[None], rows])


@app.command()
def main(db: Path, nodes: int = 25_000, exact_below: int = DEFAULT, beside: int = 1_000_000) -> None:
    """Print times, recall and sizes of an index of so many made sentences."""
    made = Made()
    documents = -(-nodes // A_DOCUMENT)
    _took(f"{documents * A_DOCUMENT:,} sentences written", lambda: fill(db, documents, made))
    with Store.edit(db) as store:
        _took("files beside made", lambda: store.settle(exact_below))
    files = [db, *(file for kind in ("ivf", "words") for file in db.parent.glob(f"{db.name}-*.{kind}"))]
    sizes = [file.stat().st_size / documents / A_DOCUMENT for file in files]
    typer.echo(f"{sum(sizes):,.0f} bytes a sentence, {sum(sizes[1:]):,.0f} of them in {len(files) - 1} files beside")
    asked, vectors = made.questions(documents)
    terms = [_text(words).split() for words in asked]
    started = time.monotonic()
    with Store.open(db) as store:
        typer.echo(f"opened in {1000 * (time.monotonic() - started):.0f} ms; memory of the process {_memory()}")
        _timed("first", vectors[:1], lambda v: store.nearest(v[None], Tier.SENTENCE, LIMIT))
        near = _timed("meaning", vectors, lambda v: store.nearest(v[None], Tier.SENTENCE, LIMIT)[0])
        found = _timed("words", terms, lambda t: store.matching(t, Tier.SENTENCE, LIMIT))
        typer.echo(f"memory after the searches {_memory()}")
        base = min(node.key for node in store.subtree("made0"))
    by_meaning, by_words = exact(made, documents, asked, vectors)
    recalls = _recall(near, by_meaning, base), _recall(found, by_words, base)
    typer.echo(f"recall@{BEST} of meaning {recalls[0]:.3f}, of words {recalls[1]:.3f}")
    if documents * A_DOCUMENT <= beside:
        _beside(made, documents, terms, vectors)


def _took(what: str, work: Callable[[], None]) -> None:
    started, used = time.monotonic(), time.process_time()
    work()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    spent = f"{time.monotonic() - started:.0f} s, {time.process_time() - used:.0f} processor seconds"
    typer.echo(f"{what} in {spent}; at most {peak:,.0f} MB until here")


def _memory() -> str:
    """What the process holds of its own, and with what it maps of files, which the system may take back."""
    status = Path("/proc/self/status")  # Linux alone has it
    if not status.exists():
        return "is not known here"
    known = dict(line.split(":", 1) for line in status.read_text().splitlines())
    own, mapped = (int(known[name].split()[0]) / 1024 for name in ("RssAnon", "RssFile"))
    return f"{own:,.0f} MB, and {mapped:,.0f} MB of mapped files"


def _timed(name: str, questions: Iterable[Any], search: Callable[[Any], Any]) -> list[Any]:
    results, times = [], []
    used = time.process_time()
    for question in questions:
        started = time.perf_counter()
        results.append(search(question))
        times.append(1000 * (time.perf_counter() - started))
    processors = 1000 * (time.process_time() - used) / len(times)
    halves = f"p50 {np.percentile(times, 50):8.1f} ms   p99 {np.percentile(times, 99):8.1f} ms"
    typer.echo(f"{name:24} {halves}   {processors:8.1f} processor ms each")
    return results


class Best:
    """The places of the best of all rows for each question, block after block; of equal ones the first."""

    def __init__(self) -> None:
        self._scores, self._places = np.zeros((QUESTIONS, 0)), np.zeros((QUESTIONS, 0), np.int64)

    def add(self, scores: NDArray[Any], first: int) -> None:
        """Takes in the scores of the rows from `first` on: one row a question."""
        some = np.argpartition(-scores, BEST, axis=1)[:, : BEST + 1]
        known = np.concatenate([self._scores, np.take_along_axis(scores, some, 1)], axis=1)
        places = np.concatenate([self._places, some + first], axis=1)
        order = np.lexsort((places, -known))[:, :BEST]
        self._scores, self._places = np.take_along_axis(known, order, 1), np.take_along_axis(places, order, 1)

    def keys(self, base: int) -> list[set[int]]:
        """The nodes' keys at these places: each document's own node stands before its sentences."""
        return [{base + place + place // A_DOCUMENT + 1 for place in row} for row in self._places.tolist()]


def exact(made: Made, documents: int, asked: Sequence[Sequence[int]], vectors: Vectors) -> tuple[Best, Best]:
    """The best by the vectors' cosines, and by BM25 as FTS5 has it, of all sentences of so many documents."""
    by_meaning, by_words = Best(), Best()
    wanted = np.unique(np.concatenate([np.array(words) for words in asked]))
    numbers = np.full(WORDS + 1, -1)
    numbers[wanted] = np.arange(len(wanted))
    held = np.zeros(len(wanted))
    with tempfile.TemporaryFile() as file:
        for first in range(0, documents, BLOCK):
            drawn = [made.document(number) for number in range(first, min(first + BLOCK, documents))]
            words, rows = np.concatenate([one[0] for one in drawn]), np.concatenate([one[1] for one in drawn])
            by_meaning.add(vectors @ rows.T, first * A_DOCUMENT)
            times = _times(numbers[words], len(wanted))
            held += np.bincount(times.indices, minlength=len(wanted))
            words.tofile(file)
        total = documents * A_DOCUMENT
        weights = np.zeros((len(asked), len(wanted)))
        for row, some in zip(weights, asked, strict=True):
            row[numbers[some]] = [max(np.log((total - n + 0.5) / (n + 0.5)), 1e-6) for n in held[numbers[some]]]
        file.seek(0)
        size = BLOCK * A_DOCUMENT * LENGTH
        for first in range(0, total, BLOCK * A_DOCUMENT):
            times = _times(numbers[np.fromfile(file, np.int32, size).reshape(-1, LENGTH)], len(wanted))
            times.data = times.data * (K1 + 1) / (times.data + K1)
            by_words.add((times @ weights.T).T, first)
    return by_meaning, by_words


def _times(numbers: NDArray[Any], count: int) -> Any:
    """How often each sentence has each of so many words, sparse; -1 is any other word."""
    from scipy.sparse import csr_matrix

    rows, places = np.nonzero(numbers >= 0)
    return csr_matrix((np.ones(len(rows)), (rows, numbers[rows, places])), (len(numbers), count))


def _recall(found: Sequence[Sequence[Any]], best: Best, base: int) -> float:
    pairs = zip(found, best.keys(base), strict=True)
    return float(np.mean([len({hit.key for hit in hits[:BEST]} & keys) / BEST for hits, keys in pairs]))


def _nearest(everything: Vectors, vector: NDArray[np.float32]) -> NDArray[np.intp]:
    return np.argpartition(-(everything @ vector), LIMIT)[:LIMIT]


def _beside(made: Made, documents: int, terms: Sequence[list[str]], vectors: Vectors) -> None:
    """The times of those that hold all in memory."""
    import faiss

    everything = np.concatenate([made.document(number)[1] for number in range(documents)])
    _timed("meaning, numpy", vectors, partial(_nearest, everything))
    flat = faiss.IndexFlatIP(DIMENSIONS)
    flat.add(everything)
    _timed("meaning, faiss flat", vectors, lambda v: flat.search(v[None], LIMIT))
    try:
        import bm25s
    except ImportError:
        typer.echo("bm25s is not installed: words are not compared")
        return
    corpus = [_text(words).split() for number in range(documents) for words in made.document(number)[0].tolist()]
    index = bm25s.BM25(k1=K1, b=0.75, method="robertson")
    index.index(corpus, show_progress=False)
    del corpus
    _timed("words, bm25s", terms, lambda t: index.retrieve([t], k=LIMIT, show_progress=False))


if __name__ == "__main__":
    app()

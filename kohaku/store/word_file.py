"""Search by words in large indexes: which passages hold each word, kept beside the store, made from it.

For each word the file has the rows (places in `keys`, which rise) that hold it and what BM25 gives for it there but
for the word's own weight (Robertson & Zaragoza 2009, with FTS5's constants), by the mean length of its own passages. It
maps into memory: opening it reads nothing.
"""

from __future__ import annotations

import json
import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kohaku.store.beside import reserve, whole_or_not
from kohaku.store.hits import Numbers, Within
from kohaku.store.segments import Spans

Rows = NDArray[np.int32]
Scores = NDArray[np.float32]
NOTHING: Rows = np.zeros((0, 2), np.int32)
Vocabulary = Iterable[tuple[str, int, int]]
"""Each word in the order of its bytes: how many passages hold it, how often it stands in them."""
Instances = Iterator[tuple[int, float]]
"""Each time that a word stands in a passage, word after word: the passage's key, what the place weighs."""

K1, B = 1.2, 0.75  # as FTS5's bm25 has them
MAGIC = b"kohaku words 2\n"
HEAD = 4096  # bytes before the arrays: the magic, then which array stands where
ARRAYS = {"keys": "<i8", "sizes": "<f4", "letters": "u1", "ends": "<i8", "starts": "<i8", "rows": "<i4", "parts": "<f2"}
BLOCK = 4_000_000  # instances that are summed up at once

# The lists of a question's rarest words are added up whole, as far as they hold so many rows together; the other words
# are looked up for the best of those rows alone. On a million made sentences the 150 best are the same as by FTS5, in a
# hundredth of its time; with WHOLE = 60,000 .96 of them are.
WHOLE = 300_000
CANDIDATES = 5_000


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many words passages have, row by row, and the mean that a file was made by and the one that holds now."""

    sizes: Scores
    then: float
    now: float

    def adapted(self, rows: Rows, parts: Scores) -> Scores:
        """What BM25 gives in these rows by the mean of now.

        With p = (K1 + 1) t / (t + n) for a norm n, which holds the mean, p' = (K1 + 1) p / (p + (K1 + 1 - p) n' / n).
        """
        if math.isclose(self.now, self.then, rel_tol=1e-6):
            return parts
        sizes, most = self.sizes[rows], np.float32(K1 + 1)
        ratio = (1 - B + B * sizes / np.float32(self.now)) / (1 - B + B * sizes / np.float32(self.then))
        return np.asarray(parts * most / (parts + (most - parts) * ratio), np.float32)


@dataclass(frozen=True, slots=True)
class Postings:
    """A word's rows, rising, with what BM25 gives there but for the `weight`; with that, `most` at most."""

    rows: Rows
    parts: NDArray[Any]
    weight: float
    most: float
    lengths: Lengths | None = None

    @property
    def scores(self) -> Scores:
        """What the word gives, row by row."""
        return self._weighed(self.rows, self.parts)

    def of(self, admitted: NDArray[np.bool_]) -> Postings:
        """Of the admitted rows alone."""
        chosen = admitted[self.rows]
        return replace(self, rows=self.rows[chosen], parts=self.parts[chosen])

    def at(self, rows: Rows) -> Scores:
        """What the word gives in these rows: nothing where they lack it."""
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        there = self.rows[places] == rows
        return np.where(there, self._weighed(rows, self.parts[places]), np.float32(0))

    def _weighed(self, rows: Rows, parts: NDArray[Any]) -> Scores:
        scores = parts.astype(np.float32)
        if self.lengths:
            scores = self.lengths.adapted(rows, scores)
        return scores * np.float32(self.weight)


class WordFile:
    """An open file of words."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], mean: float) -> None:
        self.mean = mean
        self._keys, self._sizes = arrays["keys"], arrays["sizes"]
        self._letters, self._ends = arrays["letters"], arrays["ends"]
        self._starts, self._rows, self._parts = arrays["starts"], arrays["rows"], arrays["parts"]
        self._sums = np.zeros(len(self._keys), np.float32)  # of a search under way; zeros between searches

    def rows_of(self, spans: Spans) -> Rows:
        """The rows of stretches of keys: from the first to before the last, a pair for each."""
        firsts = np.searchsorted(self._keys, spans[:, 0], "left")
        return np.stack([firsts, np.searchsorted(self._keys, spans[:, 1], "right")], axis=1).astype(np.int32)

    def total(self, gone: Rows) -> tuple[int, float]:
        """How many passages there are and how many words they have together, but for those in the rows `gone`."""
        passages = len(self._keys) - int((gone[:, 1] - gone[:, 0]).sum())
        words = sum(float(self._sizes[first:last].sum(dtype=np.float64)) for first, last in gone)
        return passages, self.mean * len(self._keys) - words

    def held(self, word: str, gone: Rows = NOTHING) -> int:
        """How many passages hold a word, given as the index has it (folded and stemmed), but for the rows `gone`."""
        rows = self._rows[self._here(word)]
        return len(rows) - int(np.diff(np.searchsorted(rows, gone), axis=1).sum()) if len(rows) else 0

    def search(
        self,
        weights: Mapping[str, float],
        limit: int,
        *,
        mean: float,
        gone: Rows = NOTHING,
        more: Sequence[Mapping[int, float]] = (),
        within: Within | None = None,
    ) -> dict[int, float]:
        """The best passages by BM25, by key, with these weights of words and this mean length of passages.

        `more` are scores of other terms, which are added. Only keys that are `within` are found, and no rows that are
        `gone`. Not to be called by two threads at once.
        """
        admitted = None if within is None else within.of_rising(self._keys)
        lengths = Lengths(self._sizes, self.mean, mean)
        lists = [self._list(word, weight, lengths) for word, weight in weights.items()]
        lists += [self._own(scores) for scores in more]
        if admitted is not None:
            lists = [one.of(admitted) for one in lists]
        lists = sorted((one for one in lists if len(one.rows)), key=lambda one: len(one.rows))
        whole = _rarest(lists)
        rows, scores = self._added(lists[:whole])
        if len(gone):
            stay = np.searchsorted(gone[:, 0], rows, "right") == np.searchsorted(gone[:, 1], rows, "right")
            rows, scores = rows[stay], scores[stay]
        if lists[whole:]:
            rows, scores = _foremost(rows, scores, limit, sum(one.most for one in lists[whole:]))
        for one in lists[whole:]:
            scores = scores + one.at(rows)
        order = np.lexsort((rows, -scores))[:limit]
        return dict(zip(self._keys[rows[order]].tolist(), scores[order].tolist(), strict=True))

    def _added(self, lists: Sequence[Postings]) -> tuple[Rows, Scores]:
        """The rows of some lists, each once, with their sums."""
        for one in lists:
            self._sums[one.rows] += one.scores
        rows, scores = [np.zeros(0, np.int32)], [np.zeros(0, np.float32)]
        for one in lists:
            sums = self._sums[one.rows]
            self._sums[one.rows] = 0  # whoever stands in a later list too is taken here
            rows.append(one.rows[sums > 0])
            scores.append(sums[sums > 0])
        return np.concatenate(rows), np.concatenate(scores)

    def _list(self, word: str, weight: float, lengths: Lengths) -> Postings:
        here = self._here(word)
        return Postings(self._rows[here], self._parts[here], weight, weight * (K1 + 1), lengths)

    def _own(self, scores: Mapping[int, float]) -> Postings:
        keys = np.array(sorted(scores), np.int64)
        rows = np.searchsorted(self._keys, keys)
        here = self._keys[np.minimum(rows, len(self._keys) - 1)] == keys
        parts = np.array([scores[key] for key in keys[here].tolist()], np.float32)
        return Postings(rows[here].astype(np.int32), parts, 1.0, max(scores.values(), default=0))

    def _here(self, word: str) -> slice:
        """Where the rows that hold a word stand."""
        wanted = word.encode()
        place = bisect_left(range(len(self._ends)), wanted, key=self._word)
        if place < len(self._ends) and self._word(place) == wanted:
            return slice(int(self._starts[place]), int(self._starts[place + 1]))
        return slice(0, 0)

    def _word(self, place: int) -> bytes:
        return bytes(self._letters[self._ends[place - 1] if place else 0 : self._ends[place]])


class WordFiles:
    """Files of words one after another, searched as one: what weighs is counted in all of them."""

    def __init__(self, files: Sequence[WordFile], gone: Sequence[Spans]) -> None:
        self._files = [(file, file.rows_of(spans)) for file, spans in zip(files, gone, strict=True)]
        totals = [file.total(rows) for file, rows in self._files]
        self._passages = sum(passages for passages, _ in totals)
        self._mean = max(sum(words for _, words in totals) / max(self._passages, 1), 1e-9)

    def held(self, word: str) -> int:
        """How many passages hold a word, given as the index has it (folded and stemmed)."""
        return sum(file.held(word, gone) for file, gone in self._files)

    def search(
        self,
        words: Sequence[str],
        limit: int,
        *,
        more: Sequence[Mapping[int, float]] = (),
        within: Within | None = None,
    ) -> dict[int, float]:
        """The best passages by BM25, by key, `limit` of each file; see `WordFile.search`."""
        weights = {word: rarity(self._passages, self.held(word)) for word in words}
        found: dict[int, float] = {}
        for file, gone in self._files:
            found |= file.search(weights, limit, mean=self._mean, gone=gone, more=more, within=within)
        return found


def _rarest(lists: Sequence[Postings]) -> int:
    """How many of the lists, the shortest first, are added up whole: at least one."""
    sizes = np.cumsum([len(one.rows) for one in lists])
    return max(1, int(np.searchsorted(sizes, WHOLE, "right")))


def _foremost(rows: Rows, scores: Scores, limit: int, reach: float) -> tuple[Rows, Scores]:
    """Those that may be among the best when each gains up to `reach` more, at most CANDIDATES of them; rows rise."""
    most = max(CANDIDATES, limit)
    if len(scores) > most:
        best = np.flatnonzero(scores >= np.partition(scores, -most)[-most])
        rows, scores = rows[best], scores[best]
    if len(scores) > limit:
        near = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit] - reach)
        rows, scores = rows[near], scores[near]
    order = np.argsort(rows)
    return rows[order], scores[order]


def rarity(total: int, holding: int) -> float:
    """A word's weight as FTS5's bm25 has it (Robertson & Spärck Jones 1976), never below a millionth."""
    return max(math.log((max(total - holding, 0) + 0.5) / (holding + 0.5)), 1e-6)


def opened(path: Path) -> WordFile | None:
    """The file that `build` wrote; None where it is not there or can't be read."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
        if not head.startswith(MAGIC):
            return None
        places = json.loads(head[len(MAGIC) :].rstrip(b"\0"))
        mean = float(places.pop("mean"))
        whole = np.memmap(path, np.uint8, "r").view(np.ndarray)
        arrays = {name: whole[first:last].view(ARRAYS[name]) for name, (first, last) in places.items()}
        return WordFile(arrays, mean)
    except (OSError, ValueError, KeyError):
        return None


def build(path: Path, lengths: Iterable[tuple[int, int]], vocabulary: Vocabulary, instances: Instances) -> None:
    """Writes the file; it is there when whole. What comes in is read once, and held in arrays.

    `lengths` are the passages' keys, rising, and how many words each has; what `vocabulary` counts are `instances`.
    Raises OSError where they are fewer, or where the disk takes no more.
    """
    passages = np.fromiter(lengths, np.dtype([("key", np.int64), ("words", np.float32)]))
    keys, sizes = passages["key"].copy(), passages["words"]
    mean = max(float(sizes.mean(dtype=np.float64)), 1e-9) if len(sizes) else 1.0
    norms = K1 * (1 - B + B * sizes / mean)
    letters, ends, held, times = bytearray(), array("q"), array("q"), array("q")
    for word, holding, standing in vocabulary:
        letters += word.encode()
        ends.append(len(letters))
        held.append(holding)
        times.append(standing)
    starts = np.concatenate([[0], np.cumsum(held, dtype=np.int64)])
    known = {"keys": keys, "sizes": sizes, "letters": np.frombuffer(letters, np.uint8), "ends": np.asarray(ends)}
    known["starts"] = starts
    with whole_or_not(path) as part:
        views, mapped = _laid_out(part, {name: len(one) for name, one in known.items()}, int(starts[-1]), mean)
        for name, one in known.items():
            views[name][:] = one
        done = 0
        for rows, sums in _summed(instances, np.asarray(times), keys):
            views["rows"][done : done + len(rows)] = rows
            views["parts"][done : done + len(rows)] = sums * (K1 + 1) / (sums + norms[rows])
            done += len(rows)
        if done != starts[-1]:
            raise OSError(f"{path} can't be made: {done:,} of {starts[-1]:,} words are there")
        mapped.flush()


def _laid_out(part: Path, counts: Mapping[str, int], postings: int, mean: float) -> tuple[dict[str, NDArray[Any]], Any]:
    """A file with room for arrays of these lengths and for so many postings, mapped: each array by name, and all."""
    places = _places({**counts, "rows": postings, "parts": postings})
    with part.open("wb") as file:
        file.write(MAGIC + json.dumps({**places, "mean": mean}).encode())
        reserve(file, max(last for _, last in places.values()))
    mapped = np.memmap(part, np.uint8, "r+")
    return {name: mapped[first:last].view(ARRAYS[name]) for name, (first, last) in places.items()}, mapped


def _places(counts: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Where each array stands in the file, each from a multiple of 64 bytes on."""
    places: dict[str, tuple[int, int]] = {}
    first = HEAD
    for name, kind in ARRAYS.items():
        last = first + counts[name] * np.dtype(kind).itemsize
        places[name] = first, last
        first = -(-last // 64) * 64
    return places


def _summed(instances: Instances, times: Numbers, keys: Numbers) -> Iterator[tuple[Rows, Scores]]:
    """For word after word the rows that hold it, with their weights' sums, in blocks of whole words."""
    kind = np.dtype([("key", np.int64), ("weight", np.float32)])
    ends = np.cumsum(times)
    first = done = 0
    while first < len(times):
        last = max(first + 1, int(np.searchsorted(ends, done + BLOCK, "right")))
        found = np.fromiter(islice(instances, int(ends[last - 1]) - done), kind)
        words = np.repeat(np.arange(first, last), times[first:last])[: len(found)]
        rows = np.searchsorted(keys, found["key"])
        new = np.flatnonzero(np.concatenate([[True], (np.diff(words) != 0) | (np.diff(rows) != 0)])[: len(found)])
        if len(new):
            yield rows[new].astype(np.int32), np.add.reduceat(found["weight"], new)
        first, done = last, int(ends[last - 1])

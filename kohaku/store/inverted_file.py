"""Approximate search by meaning for large indexes: an inverted file of cells, kept beside the store, made from it.

A vector lies in the cell of the centroid nearest to it, in 8 bits a dimension; a question looks into the cells nearest
to it alone (Jégou, Douze & Schmid 2011, "Product quantization for nearest neighbor search"; faiss does it).
The file maps into memory: opening it reads nothing, and what a search touches is the system's to keep or to drop.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kohaku.store.hits import Numbers
from kohaku.tree import Vectors

Blocks = Iterable[tuple[Numbers, Vectors]]

PROBED = 16  # one cell in so many is searched; measured on a million made vectors: recall@10 .975, at 1 in 32 .966
SAMPLE = 40  # vectors a cell that its centroid is learned from: faiss asks for 39 or more
ROUNDS = 8  # of k-means: more move the centroids little
MOST_CELLS = 16_384  # to find the nearest cells costs as much as to look into them, beyond that


def cells_for(count: int) -> int:
    """How many cells so many vectors get: the power of two next to twice the root, of at least SAMPLE each."""
    return max(1, min(MOST_CELLS, count // SAMPLE, 1 << round(math.log2(2 * max(1, count) ** 0.5))))


class InvertedFile:
    """An open inverted file."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self._index.nprobe = max(1, index.nlist // PROBED)

    def search(self, vectors: Vectors, limit: int) -> list[dict[int, float]]:
        """For each vector the numbers nearest to it with their cosines, nearly always the same as by exact search."""
        scores, numbers = self._index.search(np.ascontiguousarray(vectors, np.float32), limit)
        return [
            {int(number): float(score) for number, score in zip(*row, strict=True) if number >= 0}
            for row in zip(numbers, scores, strict=True)
        ]


def opened(path: Path) -> InvertedFile | None:
    """The inverted file that `build` wrote; None where it is not there or can't be read: then search is exact."""
    if not path.exists():
        return None
    import faiss

    try:
        return InvertedFile(faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC))
    except RuntimeError:
        return None


def build(path: Path, blocks: Callable[[], Blocks], count: int, dimensions: int) -> None:
    """Writes the inverted file of `count` normalised vectors; they are streamed twice, the file is there when whole."""
    import faiss

    cells = cells_for(count)
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(dimensions), dimensions, cells, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.niter = ROUNDS
    index.train(np.concatenate(list(_sampled(blocks(), max(1, count // (SAMPLE * cells))))))
    for numbers, vectors in blocks():
        index.add_with_ids(vectors, numbers)
    part = path.with_name(f"{path.name}.part{os.getpid()}")  # another process may be at the same
    try:
        faiss.write_index(index, str(part))
        os.replace(part, path)
    except RuntimeError as error:
        raise OSError(f"{part} can't be written: {error}") from None
    finally:
        part.unlink(missing_ok=True)


def _sampled(blocks: Blocks, step: int) -> Iterator[Vectors]:
    """Every so manieth vector of all blocks."""
    ahead = 0
    for numbers, vectors in blocks:
        yield vectors[ahead::step]
        ahead = (ahead - len(numbers)) % step

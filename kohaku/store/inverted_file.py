"""Approximate search by meaning for large indexes: an inverted file of cells, kept beside the store, made from it.

A vector lies in the cell of the centroid nearest to it, in 8 bits a dimension; a question looks into the cells nearest
to it alone (Jégou, Douze & Schmid 2011, "Product quantization for nearest neighbor search"; faiss does it).
The file maps into memory: opening it reads nothing, and what a search touches is the system's to keep or to drop.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from kohaku.machine import cores
from kohaku.store.beside import reserve, whole_or_not
from kohaku.store.hits import Numbers
from kohaku.tree import Vectors

Blocks = Iterable[tuple[Numbers, Vectors]]

PROBED = 16  # one cell in so many is searched; measured on a million made vectors: recall@10 .975, at 1 in 32 .966
SAMPLE = 40  # vectors a cell that its centroid is learned from: faiss asks for 39 or more
NUMBER = 8  # bytes of a vector's number in the file
LISTS = b"ilar"  # begins the part of faiss's format that holds the cells
ROUNDS = 4  # of k-means: on a million made vectors recall@10 is .988 with 4, .989 with 8, .975 with 3
MOST_CELLS = 16_384  # to find the nearest cells costs as much as to look into them, beyond that

# Of more cells than FEW only the NEAR ones are compared with a vector whole: those nearest to it along the AXES on
# which centroids differ most. That takes half as long; of made vectors, whose axes are alike, .98 get the same cell.
FEW, AXES, NEAR = 4_096, 128, 8


def cells_for(count: int) -> int:
    """How many cells so many vectors get: the power of two next to twice the root, of at least SAMPLE each."""
    return max(1, min(MOST_CELLS, count // SAMPLE, 1 << round(math.log2(2 * max(1, count) ** 0.5))))


class InvertedFile:
    """An open inverted file."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self._index.nprobe = max(1, index.nlist // PROBED)

    def search(self, vectors: Vectors, limit: int, there: NDArray[np.uint8] | None = None) -> list[dict[int, float]]:
        """For each vector the numbers nearest to it with their cosines, nearly always the same as by exact search.

        With `there`, a bit for each number from 0 on, lowest first, only those whose bit is set are found.
        """
        faiss: Any = import_module("faiss")  # its types know neither
        parameters = None
        if there is not None:
            parameters = faiss.SearchParametersIVF(sel=faiss.IDSelectorBitmap(there), nprobe=self._index.nprobe)
        scores, numbers = self._index.search(np.ascontiguousarray(vectors, np.float32), limit, params=parameters)
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
    """Writes the inverted file of `count` normalised vectors; it is there when whole.

    They are streamed three times: a sample of them places the cells, then each finds its cell, then its place in the
    file. Raises OSError where the disk takes no more.
    """
    index = _trained(blocks(), count, dimensions)
    cells = _cells(index, blocks())
    with whole_or_not(path) as part:
        mapped, firsts = _laid_out(part, index, np.bincount(cells, minlength=index.nlist))
        _write(mapped, firsts, index, cells, blocks())
        mapped.flush()


def _trained(blocks: Blocks, count: int, dimensions: int) -> Any:
    """An empty index whose cells fit a sample of the vectors: every so manieth."""
    import faiss

    cells = cells_for(count)
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(dimensions), dimensions, cells, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.niter = ROUNDS
    step = max(1, count // (SAMPLE * cells))
    ahead, some = 0, []
    for numbers, vectors in blocks:
        some.append(vectors[ahead::step].copy())  # else the whole block would stay
        ahead = (ahead - len(numbers)) % step
    index.train(np.concatenate(some))
    return index


def _cells(index: Any, blocks: Blocks) -> NDArray[np.int32]:
    """The cell of each vector, a thread a block: threads that share one wait for each other, busily."""
    import faiss

    nearest = _nearest(index.quantizer.reconstruct_n(0, index.nlist))
    found: list[NDArray[np.int32]] = []
    with ThreadPoolExecutor(cores(), initializer=faiss.omp_set_num_threads, initargs=(1,)) as pool:
        waiting: deque[Future[NDArray[np.int64]]] = deque()
        for _, vectors in blocks:
            waiting.append(pool.submit(nearest, vectors))
            if len(waiting) > cores():
                found.append(waiting.popleft().result().astype(np.int32))
        found += [one.result().astype(np.int32) for one in waiting]
    return np.concatenate(found)


def _nearest(centroids: Vectors) -> Callable[[Vectors], NDArray[np.int64]]:
    """What finds the cell of each vector: the nearest one, of many cells nearly always."""
    import faiss

    count, dimensions = centroids.shape
    if count <= FEW:
        whole = faiss.IndexFlatIP(dimensions)
        whole.add(centroids)
        return lambda vectors: np.asarray(whole.assign(vectors, 1)[:, 0])
    axes = np.linalg.eigh(centroids.T @ centroids)[1].T[-AXES:]  # the last weigh most
    turn = faiss.LinearTransform(dimensions, len(axes))
    faiss.copy_array_to_vector(np.ascontiguousarray(axes).ravel(), turn.A)
    turn.is_trained = True
    short = faiss.IndexPreTransform(turn, faiss.IndexFlatIP(len(axes)))
    short.add(centroids)

    def found(vectors: Vectors) -> NDArray[np.int64]:
        near = short.assign(vectors, NEAR)
        best = np.einsum("nd,nkd->nk", vectors, centroids[near]).argmax(axis=1)
        return np.asarray(near[np.arange(len(near)), best])

    return found


def _laid_out(part: Path, index: Any, sizes: Numbers) -> tuple[np.memmap[Any, np.dtype[np.uint8]], Numbers]:
    """A file for cells of these sizes, mapped; and from which byte on the codes of each stand in it, then its numbers.

    faiss writes from memory alone what would take twice as many bytes there; this is its format, byte for byte.
    """
    import faiss

    index.ntotal = int(sizes.sum())
    head = bytes(faiss.serialize_index(index))
    counts = np.array([len(sizes), *sizes], "<u8").tobytes()
    head = head[: head.rindex(LISTS)] + LISTS + np.array([len(sizes), index.code_size], "<u8").tobytes()
    head += b"full" + counts
    ends = len(head) + np.cumsum(sizes * (index.code_size + NUMBER))
    with part.open("wb") as file:
        file.write(head)
        reserve(file, int(ends[-1]))
    return np.memmap(part, np.uint8, "r+"), np.concatenate([[len(head)], ends[:-1]])


def _write(mapped: NDArray[np.uint8], firsts: Numbers, index: Any, cells: NDArray[np.int32], blocks: Blocks) -> None:
    """Puts every vector in its place: among those of its cell the next one."""
    sizes = np.bincount(cells, minlength=len(firsts))
    centroids = index.quantizer.reconstruct_n(0, len(firsts))
    codes = sliding_window_view(mapped, index.code_size, writeable=True)
    numbers = sliding_window_view(mapped, NUMBER, writeable=True)
    taken = np.zeros(len(firsts), np.int64)
    done = 0
    for known, vectors in blocks:
        own = cells[done : done + len(known)]
        done += len(known)
        order = np.argsort(own, kind="stable")
        own = own[order]
        places = taken[own] + np.arange(len(own)) - np.searchsorted(own, own)
        codes[firsts[own] + places * index.code_size] = index.sq.compute_codes(vectors[order] - centroids[own])
        at = firsts[own] + sizes[own] * index.code_size + places * NUMBER
        numbers[at] = np.ascontiguousarray(known[order], "<i8").view(np.uint8).reshape(-1, NUMBER)
        taken += np.bincount(own, minlength=len(firsts))

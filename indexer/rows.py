"""A document's vectors on their way into an index: a long one's wait in a temporary file."""

from __future__ import annotations

import numpy as np

from indexer.spool import Spool
from kohaku.errors import StoreError
from kohaku.tree import Vectors

IN_MEMORY = 4_000_000  # bytes: some 2,500 vectors of the default embedder's


class Rows:
    """A vector for each position from 0; zeros where none was put."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._width = dimensions * np.dtype(np.float32).itemsize
        self._spool = Spool(IN_MEMORY, lambda room: StoreError(f"vectors find no {room}"))

    def __setitem__(self, position: int, vector: Vectors) -> None:
        self._spool.put(position * self._width, np.asarray(vector, np.float32).tobytes())

    def __getitem__(self, position: int) -> Vectors:
        data = self._spool.get(position * self._width, self._width)
        return np.frombuffer(data, np.float32) if len(data) == self._width else np.zeros(self._dimensions, np.float32)

"""A document's vectors on their way into an index: a long one's wait in a temporary file."""

from __future__ import annotations

import weakref
from tempfile import SpooledTemporaryFile

import numpy as np

from kohaku.errors import StoreError
from kohaku.tree import Vectors

IN_MEMORY = 4_000_000  # bytes: some 2,500 vectors of the default embedder's


class Rows:
    """A vector for each position from 0; zeros where none was put."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._width = dimensions * np.dtype(np.float32).itemsize
        self._file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 (gone with the rows)
        weakref.finalize(self, self._file.close)

    def __setitem__(self, position: int, vector: Vectors) -> None:
        try:
            self._file.seek(position * self._width)
            self._file.write(np.asarray(vector, np.float32).tobytes())
        except OSError as error:
            raise StoreError(f"vectors find no room in the temporary folder ({error.strerror}): make some") from error

    def __getitem__(self, position: int) -> Vectors:
        self._file.seek(position * self._width)
        data = self._file.read(self._width)
        return np.frombuffer(data, np.float32) if len(data) == self._width else np.zeros(self._dimensions, np.float32)

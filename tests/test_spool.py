"""Bytes that wait in the temporary folder: where that is full, one line says so, whenever it turns out."""

from __future__ import annotations

import gc
import pickle
from io import BytesIO
from typing import NoReturn

import numpy as np
import pytest

from indexer.rows import Rows
from indexer.shelf import Shelf
from kohaku.errors import ReadError, StoreError


class Full(BytesIO):
    """A file on a disk without room, which is only told of when what was written is looked for."""

    def _tell(self) -> NoReturn:
        raise OSError(28, "No space left on device")

    def read(self, size: int | None = -1) -> NoReturn:
        self._tell()

    def close(self) -> None:
        if self.getbuffer().nbytes:
            self._tell()


class FullAtOnce(Full):
    def write(self, data: object) -> NoReturn:
        self._tell()


@pytest.fixture(params=[Full, FullAtOnce])
def full_disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.spool.SpooledTemporaryFile", lambda size: request.param())


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_for_vectors_is_told() -> None:
    rows = Rows(3)
    with pytest.raises(StoreError, match=r"vectors find no room in the temporary folder .*: make some"):
        rows[0] = np.ones(3, np.float32)
        rows[0]


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_for_nodes_is_told() -> None:
    shelf = Shelf(pickle.dumps, pickle.loads, 0)
    with pytest.raises(ReadError, match="finds no room in the temporary folder"):
        shelf.add("something")
        shelf[0]


@pytest.mark.usefixtures("full_disk")
@pytest.mark.filterwarnings("error")
def test_a_full_disk_is_not_told_of_again_when_the_file_goes() -> None:
    rows = Rows(3)
    with pytest.raises(StoreError):
        rows[0] = np.ones(3, np.float32)
        rows[0]
    del rows
    gc.collect()

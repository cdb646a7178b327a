"""Pictures that wait in a file on their way into an index."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator

import pytest

from indexer import kept
from indexer.kept import Pictures, keep
from kohaku.errors import ReadError


@pytest.fixture(params=[10, 1_000_000], ids=["on disk", "in memory"])
def limits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(kept, "IN_MEMORY", request.param)
    monkeypatch.setattr(kept, "LARGEST_FILE", 2_500)
    yield


@pytest.mark.usefixtures("limits")
def test_pictures_come_back_as_they_were_from_memory_or_from_files() -> None:
    images = [bytes([number]) * 1_000 for number in range(7)]
    held = [keep(image) for image in images]
    assert [one.read() for one in reversed(held)] == images[::-1]
    assert len({one.hash for one in held}) == 7 and held[0] == keep(images[0])
    found = Pictures({one.hash: one for one in held})
    assert dict(found) == {one.hash: image for one, image in zip(held, images, strict=True)}


@pytest.mark.usefixtures("limits")
def test_a_picture_sent_to_another_process_is_kept_there() -> None:
    sent = pickle.loads(pickle.dumps({"name": keep(b"a picture")}))
    assert sent["name"].read() == b"a picture" and keep(sent["name"]) is sent["name"]


def test_a_file_goes_with_the_last_of_its_pictures() -> None:
    first, second = keep(b"one"), keep(b"two")
    assert list(kept._files) == [first._file] == [second._file]
    del first
    assert second.read() == b"two"
    del second
    assert not list(kept._files)


def test_a_full_disk_is_told_as_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile.SpooledTemporaryFile, "write", full)
    with pytest.raises(ReadError, match="no room in the temporary folder"):
        keep(b"a picture")

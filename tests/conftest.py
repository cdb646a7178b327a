"""Fakes that several test files share, and the sealing of the environment."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from fake_server import FakeServer

from indexer.prepare import Prepared, attempt
from indexer.reading import Reading
from kohaku.errors import ReadError
from kohaku.tree import Vectors

# A property that holds for 25 cases seldom fails at the next 25, and 3,000 tests are to end within five minutes; a busy
# machine is no reason to fail.
hypothesis.settings.register_profile("here", max_examples=25, deadline=None)
hypothesis.settings.load_profile("here")


class LetterEmbedder:
    """Counts letters: no model, no network, and like texts still get like vectors. Remembers what it was given."""

    fingerprint = "letters/26"
    dimensions = 26
    max_tokens = 256

    def __init__(self) -> None:
        self.passages: list[str] = []

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        return letters(questions)

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        self.passages.extend(passages)
        return letters(passages)


def letters(texts: Sequence[str]) -> Vectors:
    """How often each of a to z stands in a text, as vectors of length 1 (zeros where there is no letter)."""
    counts = np.array([[text.lower().count(chr(97 + i)) for i in range(26)] for text in texts], np.float32)
    counts = counts.reshape(len(texts), 26)
    norms = np.linalg.norm(counts, axis=1, keepdims=True)
    return np.asarray(counts / np.maximum(norms, 1), dtype=np.float32)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """A model's server on loopback, that says what a test tells it to."""
    fake = FakeServer()
    yield fake
    fake.close()


@pytest.fixture
def embedder() -> LetterEmbedder:
    return LetterEmbedder()


def prepared_here(
    paths: Iterable[Path], max_tokens: int, reading: Reading, *, workers: int = 0
) -> Iterator[tuple[Path, Prepared | ReadError]]:
    """Does what `prepare_all` does in this process: starting others takes longer than all else in most tests."""
    for path in paths:
        yield path, attempt(max_tokens, path, reading)


@pytest.fixture(autouse=True, scope="session")
def unboxed() -> Iterator[None]:
    """Files are read in this process; what processes of their own do is tested in test_sandbox.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("indexer.build.prepare_all", prepared_here)
        patch.setattr("indexer.single.prepare_all", prepared_here)
        yield


@pytest.fixture(autouse=True)
def sealed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the machine reaches a test, and no test writes outside its own folder."""
    for name in list(os.environ):
        if name.startswith(("KOHAKU_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("KOHAKU_REPLY_CACHE", "false")  # it lies in the user's cache folder
    monkeypatch.chdir(tmp_path)

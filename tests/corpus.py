"""A small made corpus for the tests of retrieval and of the doors, and its index."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import LetterEmbedder

from indexer.build import build
from kohaku.embedders.protocol import Embedder
from kohaku.store import Store

LAKE = """# Lake Site report

## Power

The power usage effectiveness (PUE) of Lake Site was 1.21 in 2023. It used 1,234 MWh of energy.

## Water

Lake Site drew 5.5 million litres of water in 2023. Of this, 60% came back to the lake.
"""
NORTH = """North Hall used 300 kWh a day. Its PUE was 1.4.

North Hall is cooled by outside air, and its water use was zero.
"""
CHINESE = """# 松德里校區

二〇二四年的電力量是四百度。冷卻用水很少。
"""
FILES = {"lake.md": LAKE, "north.txt": NORTH, "songdeli.md": CHINESE}


def write(folder: Path, files: dict[str, str] | None = None) -> Path:
    """The files of the corpus, or others, in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (FILES if files is None else files).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def indexed(folder: Path, files: dict[str, str] | None = None, *, embedder: Embedder | None = None) -> Store:
    """A new index of the files, open for reading."""
    model = embedder or LetterEmbedder()
    path = folder / "corpus.db"
    with Store.create(path, fingerprint=model.fingerprint, dimensions=model.dimensions) as store:
        report = build([write(folder / "files", files)], store, model, workers=1)
        assert not report.failed
    return Store.open(path)


def letters(name: str = "default", **options: object) -> LetterEmbedder:
    """An embedder in the place of whichever is asked for; another name is another embedder."""
    model = LetterEmbedder()
    model.fingerprint = f"letters-{name}/26"
    return model


def use_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model is loaded, and files are read in this process."""
    monkeypatch.setattr("kohaku.embedders.load", letters)
    monkeypatch.setenv("KOHAKU_WORKERS", "1")

"""What docstrings show is what comes out."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for room in ("kohaku", "indexer", "retriever", "answerer")
    for path in sorted((ROOT / room).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_docstrings_are_true(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(module.removesuffix(".__init__")))
    assert (failed, tried > 0) == (0, True)

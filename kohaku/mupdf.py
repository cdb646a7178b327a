"""PyMuPDF, loaded on use."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import Any

UNUSED = ("pymupdf.layout", "pymupdf4llm")  # a model of layout, and what brings ONNX Runtime


@cache  # asked for several times a page
def load() -> Any:
    """The module, without what it loads with itself where that is installed: three quarters of its time to start."""
    if "pymupdf" in sys.modules or any(name in sys.modules for name in UNUSED):
        return import_module("pymupdf")
    sys.modules.update(dict.fromkeys(UNUSED))  # type: ignore[arg-type]  # their import fails as where they are missing
    try:
        return import_module("pymupdf")
    finally:
        for name in UNUSED:
            del sys.modules[name]  # whoever wants it later can have it

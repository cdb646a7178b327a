"""PyMuPDF, loaded on use."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import Any

LAYOUT = "pymupdf.layout"


@cache  # asked for several times a page
def load() -> Any:
    """The module, without the layout model that it loads with itself: unused here, and half of its second to start."""
    if "pymupdf" in sys.modules or LAYOUT in sys.modules:
        return import_module("pymupdf")
    sys.modules[LAYOUT] = None  # type: ignore[assignment]  # its import fails as where it isn't installed
    try:
        return import_module("pymupdf")
    finally:
        del sys.modules[LAYOUT]  # whoever wants it later can have it

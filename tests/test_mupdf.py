from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from kohaku import mupdf
assert "pymupdf" not in sys.modules
assert mupdf.load().open().page_count == 0
assert mupdf.load() is mupdf.load()
assert "pymupdf.layout" not in sys.modules, "the layout model was loaded"
import pymupdf.layout
"""


def test_pymupdf_is_loaded_without_its_layout_model_which_others_can_still_have() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from kohaku import mupdf
assert "pymupdf" not in sys.modules
assert mupdf.load().open().page_count == 0
assert mupdf.load() is mupdf.load()
assert not {"pymupdf.layout", "pymupdf4llm", "onnxruntime"} & set(sys.modules), "what is unused was loaded"
import pymupdf.layout
import pymupdf4llm
"""


def test_pymupdf_is_loaded_without_what_is_unused_which_others_can_still_have() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

"""One reader a format: a file becomes headings and paragraphs."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

from indexer.blocks import Parsed
from indexer.references import with_references
from kohaku.errors import ReadError

READERS = {
    ".pdf": "pdf",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".json": "document_json",
    ".docx": "docx",
    ".pptx": "pptx",
}


def known(path: Path) -> bool:
    """Whether there is a reader for a file of that name."""
    return path.suffix.lower() in READERS


def read(path: Path) -> Parsed:
    """The file as its format's reader understands it; ReadError where that can't be done."""
    if not known(path):
        raise ReadError(f"no reader for {path.suffix or 'files without a suffix'}; there are {', '.join(READERS)}")
    reader = import_module(f"indexer.readers.{READERS[path.suffix.lower()]}")  # each brings its own heavy library
    try:
        parsed: Parsed = reader.read(path)
    except FileNotFoundError:
        raise ReadError("no such file") from None
    except OSError as error:
        raise ReadError(f"can't be read: {error.strerror or error}") from error
    return replace(parsed, blocks=with_references(parsed.blocks))

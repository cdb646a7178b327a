"""One reader a format: a file becomes headings and paragraphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from indexer.blocks import Block, Parsed, shelved
from indexer.readers.kinds import kind_of
from indexer.reading import AS_EVER, Reading
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


TAKE_READING = frozenset({".pdf"})  # whose readers know passwords, pages and pictures of text


def known(path: Path) -> bool:
    """Whether there is a reader for a file of that name."""
    return path.suffix.lower() in READERS


def no_reader(path: Path) -> ReadError:
    """What is said of a file of a name that no reader is for."""
    return ReadError(f"no reader for {path.suffix or 'a name without a suffix'}; there are {', '.join(READERS)}")


def read(path: Path, reading: Reading = AS_EVER) -> Parsed:
    """The file as its format's reader understands it; ReadError where that can't be done.

    A file is read as what it is, whatever its name says. Text beyond the characters allowed is left out, with a note.
    """
    if not known(path):
        raise no_reader(path)
    try:
        kind = kind_of(path)
        if kind not in READERS:
            raise ReadError(f"is {kind[1:].upper()}, which has no reader here: save it as PDF")
        reader = import_module(f"indexer.readers.{READERS[kind]}")  # each brings its own heavy library
        parsed: Parsed = reader.read(path, reading) if kind in TAKE_READING else reader.read(path)
    except FileNotFoundError:
        raise ReadError("no such file: give another path") from None
    except OSError as error:
        raise ReadError(f"can't be read ({error.strerror or error}): make it readable") from error
    if kind != path.suffix.lower():
        parsed = replace(parsed, notes=(f"is {kind[1:].upper()} by its content, and was read as that", *parsed.notes))
    return _within(parsed, reading.limits.characters)


def _within(parsed: Parsed, most: int) -> Parsed:
    """The blocks that stand within so many characters, references told apart; a note tells of the others."""
    blocks = shelved(_first(with_references(parsed.blocks), most))
    if len(blocks) == len(parsed.blocks):
        return replace(parsed, blocks=blocks)
    note = f"only its first {most:,} characters were read: allow it more with file_characters"
    return replace(parsed, blocks=blocks, notes=(*parsed.notes, note), met=(*parsed.met, "cut"))


def _first(blocks: Iterable[Block], most: int) -> Iterator[Block]:
    characters = 0
    for block in blocks:
        characters += len(block.text)
        if characters > most:
            return
        yield block

"""What a file is, by its first bytes: its name may say otherwise."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from indexer.office.package import of_old_file
from kohaku.errors import ReadError

REACH = 1024 * 1024  # bytes in which a PDF's mark must stand; what is before it is another program's
HEAD = 4096
PDF, ZIP, OLE = b"%PDF", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
WEB_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype html|html|head)\b",
    re.IGNORECASE | re.DOTALL,
)
PACKED = {"word/": ".docx", "ppt/": ".pptx", "xl/": ".xlsx"}
"""What stands in the ZIP archive that an Office file is, and the file's suffix."""

# What no reader reads: said by name, since "not a PDF" would leave one guessing.
OTHERS = (
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"{\\rtf", "an RTF file"),
    (b"%!PS", "a PostScript file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x7fELF", "a program"),
)
BINARY = frozenset({".pdf", ".docx", ".pptx"})


def kind_of(path: Path) -> str:
    """The suffix of what a file holds: its own, lower case, where nothing says otherwise; ReadError for nothing at all.

    Text may look like anything, so that only a binary format's first bytes overrule a text format's suffix, while a
    web page under a binary one's name is a web page.
    """
    named = path.suffix.lower()
    with path.open("rb") as stream:
        head = stream.read(HEAD)
        if named == ".pdf" and PDF not in head:
            head += stream.read(REACH - HEAD)
    if not head.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
        raise ReadError("is empty: get the file again")
    if PDF in head if named == ".pdf" else head.startswith(PDF):
        return ".pdf"
    if head.startswith(ZIP):
        return _packed(path)
    if head.startswith(OLE):
        raise ReadError(of_old_file(path))
    for mark, name in OTHERS:
        if head.startswith(mark):
            raise ReadError(f"is {name}, which has no reader here: save it as PDF")
    if named in BINARY:
        if WEB_PAGE.match(head[:HEAD]):
            return ".html"
        raise ReadError(f"is no {named[1:].upper()} file, nor any other that is known: check what it is and name it so")
    return named


def _packed(path: Path) -> str:
    """Which Office format a ZIP archive is."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise ReadError(f"is a damaged ZIP archive ({error}): get the file again") from error
    for start, suffix in PACKED.items():
        if any(name.startswith(start) for name in names):
            return suffix
    if "mimetype" in names and "content.xml" in names:
        raise ReadError("is an OpenDocument file, which has no reader here: save it as .docx, .pptx or PDF")
    raise ReadError("is a ZIP archive: unpack it, and index what is in it")

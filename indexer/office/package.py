"""An Office file's package, looked over before a library opens it: what it really is, whether it fits, what is broken.

The libraries stop at what Word and PowerPoint pass over: a relationship to a part that is not there, the content type
of a template or of a file with macros, the namespaces of "Strict Open XML", one slide of many that is no XML. Such a
package is mended in memory.
"""

from __future__ import annotations

import posixpath
import re
import zlib
from collections.abc import Callable, Collection, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO
from urllib.parse import unquote
from zipfile import BadZipFile, ZipFile, ZipInfo

from kohaku.errors import ReadError

MOST_PARTS = 20_000
MOST_XML = 256 * 2**20  # bytes unpacked: parsed, XML takes some five times as much memory
MOST_BYTES = 2**30  # bytes unpacked, with pictures, which are held as they are

TYPES = "[Content_Types].xml"
WORD, POWERPOINT, EXCEL = "docx", "pptx", "xlsx"
MAIN = {
    WORD: "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    POWERPOINT: "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    EXCEL: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
}
# Templates, slide shows and files with macros hold the same, under another type.
VARIANTS = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml": WORD,
    "application/vnd.ms-word.document.macroEnabled.main+xml": WORD,
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml": WORD,
    "application/vnd.openxmlformats-officedocument.presentationml.template.main+xml": POWERPOINT,
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml": POWERPOINT,
    "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml": POWERPOINT,
    "application/vnd.ms-powerpoint.template.macroEnabled.main+xml": POWERPOINT,
    "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml": POWERPOINT,
}
STRICT = (
    ("http://purl.oclc.org/ooxml/officeDocument/relationships/metadata/", "http://schemas.openxmlformats.org/package/2006/relationships/metadata/"),
    ("http://purl.oclc.org/ooxml/officeDocument/relationships", "http://schemas.openxmlformats.org/officeDocument/2006/relationships"),
    ("http://purl.oclc.org/ooxml/officeDocument/math", "http://schemas.openxmlformats.org/officeDocument/2006/math"),
    ("http://purl.oclc.org/ooxml/wordprocessingml/main", "http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
    ("http://purl.oclc.org/ooxml/presentationml/main", "http://schemas.openxmlformats.org/presentationml/2006/main"),
    ("http://purl.oclc.org/ooxml/drawingml/", "http://schemas.openxmlformats.org/drawingml/2006/"),
)  # fmt: skip
NAMES = {WORD: "Word document", POWERPOINT: "PowerPoint file", EXCEL: "Excel workbook"}

STREAMS = (  # of the old binary files, by what they say of them
    ("EncryptedPackage", "is a password-protected Office file: save it without the password"),
    ("WordDocument", "is an old Word document (.doc): save it as .docx"),
    ("PowerPoint Document", "is an old PowerPoint file (.ppt): save it as .pptx"),
    ("Workbook", "is an old Excel workbook (.xls): save its tables as .html or .md"),
)
RELATIONSHIP = re.compile(rb"<(?:\w+:)?Relationship\b[^>]*?(?:/>|>\s*</(?:\w+:)?Relationship\s*>)")
TARGET = re.compile(rb"""\bTarget\s*=\s*(?:"([^"]*)"|'([^']*)')""")
# Slides, their notes, charts, layouts: the others can be read without one. Without the presentation itself none can.
SPARED = re.compile(r"(?:ppt/(?!_rels/)[^/]+|docProps)/.+\.(?:xml|rels)", re.IGNORECASE)
EXTERNAL = re.compile(rb"""\bTargetMode\s*=\s*["']External["']""")

DAMAGE = (
    BadZipFile, LookupError, ValueError, TypeError, AttributeError, SyntaxError, RuntimeError, EOFError, zlib.error,
)  # fmt: skip
"""What the libraries raise over a damaged package; lxml's errors are SyntaxErrors, and XML of other names than they
expect ends in an AttributeError or TypeError."""


def package(path: Path, kind: str, parse: Callable[[bytes], object] | None = None) -> IO[bytes]:
    """The file, or a mended copy of it in memory, for a library to open; ReadError says what it is instead.

    Slides and what belongs to them are left out where `parse`, the library's own, can't read them.
    """
    try:
        with ZipFile(path) as archive:
            _check(archive, kind)
            mended = _mended(archive, kind, _broken(archive, parse) if parse else frozenset())
    except DAMAGE as error:
        raise damaged(error, kind) from error
    return mended or path.open("rb")


def damaged(error: Exception, kind: str) -> ReadError:
    """The line for a package that breaks while it is read."""
    reason = " ".join(str(error).split())[:120]
    if "password" in reason:
        return ReadError(STREAMS[0][1])
    return ReadError(f"this {NAMES[kind]} is damaged ({reason or type(error).__name__}): open and save it again")


def of_old_file(path: Path) -> str:
    """What a file of the old binary formats is, and what to do; encrypted Office files are packed in such a one."""
    everything = path.read_bytes()
    said = (reason for stream, reason in STREAMS if stream.encode("utf-16-le") in everything)
    return next(said, "is an old or a password-protected Office file: save it as .docx, .pptx or PDF, without")


def _check(archive: ZipFile, kind: str) -> None:
    """Raises ReadError for a package too large to be read, or of another kind."""
    parts = archive.infolist()
    if any(part.flag_bits & 1 for part in parts):
        raise ReadError(STREAMS[0][1])
    # What the directory says of sizes bounds what is unpacked: zipfile reads no byte more.
    xml = sum(part.file_size for part in parts if _is_xml(part.filename))
    everything = sum(part.file_size for part in parts)
    if len(parts) > MOST_PARTS or xml > MOST_XML or everything > MOST_BYTES:
        size = f"{len(parts)} parts, {everything // 2**20} MB unpacked, {xml // 2**20} MB of it text"
        raise ReadError(f"too large to be read ({size}): split it")
    if TYPES not in archive.namelist():
        raise ReadError(f"this is no {NAMES[kind]}, but another ZIP archive: unpack it, and index what is in it")
    found = _kind(archive.read(TYPES))
    if found is None:
        raise ReadError(f"this is no {NAMES[kind]}: its package names no main part (damaged?): save it again")
    if found != kind:
        raise ReadError(f"this is {_a(NAMES[found])} by its content: rename it to .{found}")


def _a(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"


def _kind(types: bytes) -> str | None:
    """The kind of a package by the content types it lists."""
    for kind, main in MAIN.items():
        if main.encode() in types:
            return kind
    return next((kind for variant, kind in VARIANTS.items() if variant.encode() in types), None)


def _is_xml(name: str) -> bool:
    return name.lower().endswith((".xml", ".rels", ".vml"))


# ---- mending


def _broken(archive: ZipFile, parse: Callable[[bytes], object]) -> frozenset[str]:
    """The parts that can't be read, of those that a file can be read without."""
    broken = set()
    for name in filter(SPARED.fullmatch, archive.namelist()):
        try:
            parse(archive.read(name))
        except DAMAGE:
            broken.add(name)
    return frozenset(broken)


def _mended(archive: ZipFile, kind: str, broken: Collection[str]) -> BytesIO | None:
    """The package in a form that the libraries read, without its broken parts; None where it is in one."""
    names = set(archive.namelist()) - set(broken)
    strict = _is_strict(archive, names)
    changed = {TYPES: _usual_types(archive.read(TYPES), kind)}
    for part in _relationships(archive, names):
        changed[part.filename] = _without_dangling(_transitional(archive.read(part), strict), part.filename, names)
    if not broken and not strict and all(archive.read(name) == content for name, content in changed.items()):
        return None
    copy = BytesIO()
    with ZipFile(copy, "w") as out:
        for name in dict.fromkeys(name for name in archive.namelist() if name in names):
            content = changed[name] if name in changed else archive.read(name)
            out.writestr(name, _transitional(content, strict and _is_xml(name)))
    copy.seek(0)
    return copy


def _relationships(archive: ZipFile, names: Collection[str]) -> Iterator[ZipInfo]:
    return (part for part in archive.infolist() if part.filename.endswith(".rels") and part.filename in names)


def _is_strict(archive: ZipFile, names: Collection[str]) -> bool:
    return any(b"purl.oclc.org/ooxml" in archive.read(part) for part in _relationships(archive, names))


def _usual_types(types: bytes, kind: str) -> bytes:
    for variant in VARIANTS:
        types = types.replace(variant.encode(), MAIN[kind].encode())
    return types


def _transitional(xml: bytes, strict: bool) -> bytes:
    for theirs, usual in STRICT if strict else ():
        xml = xml.replace(theirs.encode(), usual.encode())
    return xml


def _without_dangling(relationships: bytes, name: str, names: set[str]) -> bytes:
    """Relationships without those to parts of the package that are not there.

    >>> rels = b'<R><Relationship Id="a" Target="media/x.png"/><Relationship Id="b" Target="../NULL"/></R>'
    >>> _without_dangling(rels, "word/_rels/document.xml.rels", {"word/media/x.png"})
    b'<R><Relationship Id="a" Target="media/x.png"/></R>'
    """
    folder = posixpath.dirname(posixpath.dirname(name))

    def kept(found: re.Match[bytes]) -> bytes:
        target = TARGET.search(found[0])
        if EXTERNAL.search(found[0]) or target is None:
            return found[0]
        place = unquote((target[1] or target[2] or b"").decode("utf-8", "replace"))
        part = posixpath.normpath(posixpath.join("/", folder, place)).lstrip("/")
        return found[0] if part in names else b""

    return RELATIONSHIP.sub(kept, relationships)

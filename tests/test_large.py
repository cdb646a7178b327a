"""What a large index does otherwise: search by meaning in an inverted file, by words through the rare ones."""

from __future__ import annotations

import errno
import os
import weakref
from collections.abc import Iterator
from pathlib import Path

import faiss
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import COUNT, large
from numpy.typing import NDArray

from kohaku.store import Store, full_text, word_file
from kohaku.store import inverted_file as ivf
from kohaku.store.full_text import _parted
from kohaku.store.hits import Within
from kohaku.tree import Kind, Tier, Vectors


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "large.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.create(path, fingerprint="made", dimensions=16) as made:
        made.put(*large("report", COUNT))
        yield made


def files(path: Path) -> list[Path]:
    return sorted(path.parent.glob("*.ivf"))


def test_an_inverted_file_finds_nearly_what_an_exact_search_finds(store: Store, path: Path) -> None:
    questions = large("asked", 10, seed=1)[1]
    exact = store.nearest(questions, Tier.SENTENCE, 10)
    store.settle(COUNT)
    assert len(files(path)) == 2  # sentences and paragraphs: there are no paragraphs' own vectors
    near = store.nearest(questions, Tier.SENTENCE, 10)
    assert near != exact
    same = [len({h.key for h in a} & {h.key for h in b}) for a, b in zip(exact, near, strict=True)]
    assert sum(same) > 2 * len(same)  # noise has no cells: of real texts nearly all are found
    for known, found in zip(exact, near, strict=True):
        scores = {hit.key: hit.score for hit in known}
        assert all(abs(hit.score - scores[hit.key]) < 0.03 for hit in found if hit.key in scores)


def test_of_many_cells_a_vector_gets_the_nearest_nearly_always(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    centroids = np.asarray(random.normal(size=(256, 32)), np.float32)
    own = centroids[random.integers(256, size=2_000)]
    vectors = np.asarray(own + 0.5 * random.normal(size=own.shape), np.float32)
    exact = ivf._nearest(centroids)(vectors)
    assert exact.tolist() == (vectors @ centroids.T).argmax(axis=1).tolist()
    monkeypatch.setattr(ivf, "FEW", 100)
    monkeypatch.setattr(ivf, "AXES", 16)
    assert 0.97 < (ivf._nearest(centroids)(vectors) == exact).mean() < 1


def test_a_small_index_is_always_searched_exactly(store: Store, path: Path) -> None:
    store.settle(COUNT + 1)
    assert files(path) == [] == list(path.parent.glob("*.words"))


def test_the_files_of_an_index_with_a_like_name_stay(store: Store, path: Path) -> None:
    other = path.with_name(f"{path.name}-2.db-0123456789abcdef-sentence.ivf")
    other.touch()
    store.settle(COUNT + 1)
    assert other.exists()


def test_a_search_kept_to_documents_leaves_the_inverted_file(store: Store) -> None:
    tree, rows = large("other", 3, seed=2)
    store.put(tree, rows)
    store.settle(COUNT)
    [hits] = store.nearest(rows[-1:], Tier.SENTENCE, 10, documents=["other"])
    assert len(hits) == 3


def test_a_damaged_inverted_file_is_not_read(store: Store, path: Path) -> None:
    store.settle(COUNT)
    for file in files(path):
        file.write_bytes(b"no index")
    [hits] = store.nearest(large("report", COUNT)[1][-1:], Tier.SENTENCE, 1)
    assert hits[0].score == pytest.approx(1)


def test_a_zero_vector_finds_nothing_in_an_inverted_file_either(store: Store) -> None:
    store.settle(COUNT)
    assert store.nearest(np.zeros((1, 16), np.float32), Tier.SENTENCE, 5) == [[]]


@pytest.mark.parametrize("tier", [Tier.SENTENCE, Tier.PARAGRAPH])
def test_rare_words_first_gives_the_best_of_all_words(
    store: Store, monkeypatch: pytest.MonkeyPatch, tier: Tier
) -> None:
    terms = ["the", "water", "steam", "turbine", "valve", "n60", "n77"]
    exact = store.matching(terms, tier, 5)
    monkeypatch.setattr(full_text, "LARGE", 1)
    monkeypatch.setattr(full_text, "POSTINGS", 150)
    found = store.matching(terms, tier, 5)
    assert store.matching(terms, tier, 5) == found  # what was copied for the first search is in no one's way
    assert store.frequency(["the"]) == {"the": COUNT}
    assert {hit.key for hit in found[:2]} == {hit.key for hit in exact[:2]}
    assert [hit.score for hit in found[:2]] == pytest.approx([hit.score for hit in exact[:2]], rel=0.2)


def test_common_words_alone_are_searched_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full_text, "LARGE", 1)
    monkeypatch.setattr(full_text, "POSTINGS", 10)
    assert len(store.matching(["the", "water"], Tier.SENTENCE, 5)) == 5
    assert store.matching(["nowhere"], Tier.SENTENCE, 5) == []
    assert store.matching(['"', "NEAR("], Tier.SENTENCE, 5) == []


@given(st.dictionaries(st.text(min_size=1), st.integers(0, 1000), min_size=1), st.integers(0, 2000))
def test_every_word_is_rare_or_common_and_the_rare_stay_within_the_limit(held: dict[str, int], most: int) -> None:
    rare, common = _parted(held, most)
    assert rare
    assert sorted(rare + common) == sorted(held)
    assert len(rare) == 1 or sum(held[term] for term in rare) <= most
    assert max(held[term] for term in rare) <= min((held[term] for term in common), default=1000)


def test_the_tally_of_nodes_follows_what_is_put_and_removed(store: Store) -> None:
    assert store.size(Tier.SENTENCE) == COUNT
    store.put(*large("report", 5))
    assert store.size(Tier.SENTENCE) == 5
    store.remove("report")
    assert store.size(Tier.SENTENCE) == 0
    assert store.check() == []


def test_an_inverted_file_is_written_block_by_block_as_faiss_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ivf, "cores", lambda: 2)
    rows = np.random.default_rng(0).normal(size=(3000, 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    numbers = np.arange(3000, dtype=np.int64) * 3 + 7
    held: list[weakref.ref[Vectors]] = []

    def blocks() -> Iterator[tuple[NDArray[np.int64], Vectors]]:
        for first in range(0, 3000, 250):
            block = rows[first : first + 250].copy()
            assert sum(one() is not None for one in held) <= 3  # one a thread, and the last one in the caller's hand
            held[:] = [*held, weakref.ref(block)]
            yield numbers[first : first + 250], block
            del block

    ivf.build(tmp_path / "own.ivf", blocks, 3000, 16)
    faiss_index = faiss.read_index(str(tmp_path / "own.ivf"))
    assert faiss_index.ntotal == 3000
    faiss_index.reset()
    faiss_index.add_with_ids(rows, numbers)
    faiss.write_index(faiss_index, str(tmp_path / "theirs.ivf"))
    assert (tmp_path / "own.ivf").read_bytes() == (tmp_path / "theirs.ivf").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own.ivf", "theirs.ivf"]


def test_the_number_of_cells_grows_with_the_root_of_the_vectors() -> None:
    assert [ivf.cells_for(count) for count in (1, 100, 10_000, 1_000_000, 10_000_000)] == [1, 2, 250, 2048, 8192]


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="files are not reserved here")
def test_a_damaged_inverted_file_is_made_anew_and_one_that_can_t_be_written_is_told(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store.settle(COUNT)
    for file in files(path):
        file.write_bytes(b"no index")
    store.settle(COUNT)
    assert all(ivf.opened(file) for file in files(path))
    monkeypatch.setattr(os, "posix_fallocate", full)
    for file in files(path):
        file.unlink()
    store.settle(COUNT)
    assert "stays exact" in caplog.text
    assert files(path) == []


def full(file: int, first: int, size: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_exact_search_by_chunks_finds_what_sqlite_vec_finds_whatever_was_removed(store: Store) -> None:
    store.put(*large("other", 900, seed=3))
    store.put(*large("report", 40, seed=4))  # leaves gaps in the chunks of the former one
    questions = large("asked", 3, seed=5)[1]
    for question, hits in zip(questions, store.nearest(questions, Tier.SENTENCE, 20), strict=True):
        known = store._rows(
            "select number / 2, distance from vector where embedding match :q and k = 20 and tier = 'sentence' "
            "order by distance",
            {"q": question.tobytes()},
        )
        assert [hit.key for hit in hits] == [key for key, _ in known]
        assert [hit.score for hit in hits] == pytest.approx([1 - distance for _, distance in known], abs=1e-5)


def test_what_another_process_writes_is_found_by_who_searched_before(store: Store, path: Path) -> None:
    tree, rows = large("later", 1, seed=2)
    with Store.open(path) as reader:
        assert reader.nearest(rows[-1:], Tier.SENTENCE, 1)[0][0].score < 0.99
        store.put(tree, rows)
        assert reader.nearest(rows[-1:], Tier.SENTENCE, 1)[0][0].score == pytest.approx(1)
        store.remove("later")
        assert reader.nearest(rows[-1:], Tier.SENTENCE, 1)[0][0].score < 0.99


@pytest.mark.parametrize("memory_mb", [0, 1])
def test_vectors_beyond_what_may_be_held_are_read_each_time(store: Store, path: Path, memory_mb: int) -> None:
    questions = large("asked", 3, seed=5)[1]
    with Store.open(path, memory_mb=memory_mb) as reader:
        first = reader.nearest(questions, Tier.SENTENCE, 20)
        assert reader._held.rows == {}  # a process that searches once has no use for it
        found = [reader.nearest(questions, Tier.SENTENCE, 20) for _ in range(2)]
        assert found == [first] * 2 == [store.nearest(questions, Tier.SENTENCE, 20)] * 2
        assert bool(reader._held.rows) == bool(memory_mb)
        assert sum(rows.nbytes for rows in reader._held.rows.values()) <= memory_mb << 20


def test_equal_vectors_are_ordered_by_their_nodes_however_many_there_are(store: Store) -> None:
    tree, rows = large("same", 50)
    rows[:] = rows[0]
    store.put(tree, rows)
    [hits] = store.nearest(rows[:1], Tier.SENTENCE, 7, documents=["same"])
    sentences = sorted(node.key for node in store.subtree("same") if node.tier is Tier.SENTENCE)
    assert [hit.key for hit in hits] == sentences[:7]


ASKED = (
    ["the", "water", "steam", "n60"],
    ["n77", "valve-n419"],
    ["turbine n59", "harbour"],
    ["nowhere"],
    ["the"],
    ['"'],
)


@pytest.mark.parametrize("tier", [Tier.SENTENCE, Tier.PARAGRAPH])
@pytest.mark.parametrize("within", [{}, {"documents": ["other"]}, {"kinds": [Kind.PARAGRAPH]}, {"kinds": [Kind.TABLE]}])
def test_a_file_of_words_finds_what_the_full_text_finds_whatever_was_removed(
    store: Store, tier: Tier, within: dict[str, list[str]]
) -> None:
    store.put(*large("other", 300, seed=3))
    store.put(*large("report", 500, seed=4))
    store._correct_totals()
    exact = [store.matching(terms, tier, 1000, **within) for terms in ASKED]  # type: ignore[arg-type]
    store.settle(300)
    for terms, hits in zip(ASKED, exact, strict=True):
        found = store.matching(terms, tier, 1000, **within)  # type: ignore[arg-type]
        assert {hit.key for hit in found} == {hit.key for hit in hits}
        assert sorted(hit.score for hit in found) == pytest.approx(sorted(hit.score for hit in hits), rel=2e-3)
    assert store.frequency(["the", "steam", "nowhere"]) == {"the": 800, "steam": 267, "nowhere": 0}


def test_the_commonest_words_are_looked_up_for_what_holds_the_rare_ones(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms = ["the", "water", "steam", "turbine", "valve", "n60", "n77"]
    exact = store.matching(terms, Tier.SENTENCE, 5)
    store.settle(COUNT)
    monkeypatch.setattr(word_file, "WHOLE", 150)
    monkeypatch.setattr(word_file, "CANDIDATES", 10)
    found = store.matching(terms, Tier.SENTENCE, 5)
    assert [hit.key for hit in found[:2]] == [hit.key for hit in exact[:2]]
    assert [hit.score for hit in found[:2]] == pytest.approx([hit.score for hit in exact[:2]], rel=2e-3)
    assert store.matching(terms, Tier.SENTENCE, 5) == found


def test_a_damaged_file_of_words_is_not_read_and_one_of_another_state_neither(store: Store, path: Path) -> None:
    store.settle(COUNT)
    for file in path.parent.glob("*.words"):
        file.write_bytes(b"kohaku words 2\n{")
    assert len(store.matching(["n60"], Tier.SENTENCE, 5)) == 1
    store.settle(COUNT)
    store.put(*large("later", 3, seed=2))
    assert len(store.matching(["n1"], Tier.SENTENCE, 5)) == 2


@given(st.sets(st.integers(0, 60)), st.lists(st.integers(0, 9), max_size=6), st.none() | st.sets(st.integers(0, 60)))
def test_a_search_is_kept_to_the_same_keys_however_they_are_looked_up(
    searched: set[int], lengths: list[int], chosen: set[int] | None
) -> None:
    ends = np.cumsum([length + 2 for length in lengths], dtype=np.int64)  # spans of which none meets the next
    firsts = ends - np.array(lengths, np.int64) - 1
    wanted = None if chosen is None else np.array(sorted(chosen), np.int64)
    within, keys = Within(firsts, ends - 1, wanted), np.array(sorted(searched), np.int64)
    known = [any(a <= key <= b for a, b in zip(firsts, ends - 1, strict=True)) for key in keys]
    known = [inside and (chosen is None or key in chosen) for inside, key in zip(known, keys, strict=True)]
    assert within.of(keys).tolist() == known == within.of_rising(keys).tolist()
    assert not any(known) or within.meets(keys[:1], keys[-1:]).all()
    met = within.meets(keys, keys)
    assert all(meets for meets, inside in zip(met, known, strict=True) if inside)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="files are not reserved here")
def test_a_disk_without_room_for_a_file_of_words_is_told_and_leaves_the_full_text(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(os, "posix_fallocate", full)
    store.settle(COUNT)
    assert "stays with FTS5" in caplog.text
    assert list(path.parent.glob("*.words*")) == []
    assert len(store.matching(["n60"], Tier.SENTENCE, 5)) == 1

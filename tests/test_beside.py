"""The files beside a large index when it changes: what they hold stays of use, and what they lack is found."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import COUNT, large

from kohaku.store import Store, full_text
from kohaku.store import inverted_file as ivf
from kohaku.store.beside import Beside
from kohaku.store.segments import Segment, _joined
from kohaku.store.vector_table import _there
from kohaku.tree import Tier, Tree, Vectors


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


def test_what_changed_since_is_searched_exactly_and_leaves_the_files_as_they_are(store: Store, path: Path) -> None:
    store.settle(COUNT)
    made = files(path)
    tree, rows = large("later", 1, seed=2)
    store.put(tree, rows)
    for _ in range(2):
        [hits] = store.nearest(rows[-1:], Tier.SENTENCE, 1)
        assert hits[0].score == pytest.approx(1)  # it is in no inverted file
        words = set(path.parent.glob("*.words"))
        store.settle(COUNT)
        assert files(path) == made
        assert words < set(path.parent.glob("*.words")) or len(words) == 4  # one of the few words for each tier
    store.remove("later")
    assert store.nearest(rows[-1:], Tier.SENTENCE, 1)[0][0].score < 0.99
    store.settle(COUNT + 1)
    assert files(path) == []


def test_as_many_vectors_again_get_a_file_of_their_own_or_with_those_before(store: Store, path: Path) -> None:
    store.settle(COUNT // 6)
    made = files(path)
    store.put(*large("fifth", COUNT // 5, seed=2))
    store.settle(COUNT // 6)
    assert len(files(path)) == 4
    assert set(made) < set(files(path))
    tree, rows = large("more", COUNT // 6, seed=3)
    store.put(tree, rows)
    store.settle(COUNT // 6)  # with the fifth, this is more than a quarter of the first
    assert len(files(path)) == 2
    assert not set(made) & set(files(path))
    [hits] = store.nearest(rows[-1:], Tier.SENTENCE, 1)
    assert hits[0].score == pytest.approx(1, abs=0.03)


def test_a_file_of_which_much_is_gone_is_made_anew(store: Store, path: Path) -> None:
    store.put(*large("other", COUNT // 2))
    store.settle(COUNT)
    made = files(path)
    store.put(*large("report", COUNT // 2))
    store.settle(COUNT)
    assert len(files(path)) == 2
    assert not set(made) & set(files(path))
    assert store._rows("select count(*) from removal") == [(0,)]
    store.remove("other")
    store.settle(COUNT // 2)
    store.remove("report")
    store.settle(COUNT // 2)
    assert files(path) == []


def test_what_is_written_while_a_file_is_made_is_in_the_next_one(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = ivf.build

    def interrupted(*given: Any) -> None:
        build(*given)
        with Store.edit(path) as other:
            other.remove("report")

    monkeypatch.setattr(ivf, "build", interrupted)
    monkeypatch.setattr(full_text, "WORDS_FROM", 10 * COUNT)
    store.settle(COUNT)
    assert files(path) == []
    assert store.nearest(large("report", 1)[1][:1], Tier.SENTENCE, 5) == [[]]


@given(st.sets(st.integers(0, 40)), st.integers(0, 40))
def test_the_numbers_of_what_went_are_left_out_and_no_others(gone: set[int], last: int) -> None:
    spans = np.array([(key, key) for key in sorted(gone) if key <= last], np.int64).reshape(-1, 2)
    there = _there(Segment("token", "sentence", 0, last, last, 0), _joined(spans))
    bits = np.ones(2 * last + 2, np.uint8) if there is None else np.unpackbits(there, bitorder="little")
    assert [bool(bit) for bit in bits[: 2 * last + 2]] == [number // 2 not in gone for number in range(2 * last + 2)]


def test_what_another_process_settles_meanwhile_is_listed_once(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(*large("other", COUNT // 2))
    store.settle(COUNT)
    looked = Beside.of

    def interrupted(beside: Beside[Any], part: str, tokens: Iterable[str]) -> list[Any] | None:
        found = looked(beside, part, tokens)
        if beside.suffix != ".words":
            return found
        monkeypatch.setattr(Beside, "of", looked)
        with Store.edit(path) as other:
            other.remove("other")
            other.put(*large("later", 10, seed=2))
            other.settle(COUNT)
        return found

    monkeypatch.setattr(Beside, "of", interrupted)
    store.settle(COUNT)
    spans = store._rows("select part, suffix, first, last from beside order by part, suffix, first")
    assert all(one[:2] != other[:2] or one[3] < other[2] for one, other in pairwise(spans))
    assert spans


def test_passages_without_a_word_that_are_all_that_is_left_are_searched_in_silence(store: Store) -> None:
    store.put(*small("marks", ["…"] * COUNT))
    store.settle(COUNT)
    store.remove("report")
    assert store.matching(["the", "water"], Tier.SENTENCE, 5) == []


def test_totals_are_corrected_alike_by_what_was_removed_and_by_counting_all(store: Store, path: Path) -> None:
    store.put(*small("more", ["the steam of the turbine", "water"]))
    store.put(*large("report", 40))
    store.remove("more")
    blocks = [f"select block from {name}_words_data where id = 1" for name in ("paragraph", "sentence")]
    wrong = [store._rows(block) for block in blocks]
    store._correct_totals()
    corrected = [store._rows(block) for block in blocks]
    for name, [(block,)] in zip(("paragraph", "sentence"), wrong, strict=True):
        store._db.execute(f"update {name}_words_data set block = ? where id = 1", (block,))
    with Store.edit(path) as other:  # knows of no removal
        other._correct_totals()
        assert [other._rows(block) for block in blocks] == corrected != wrong


TEXTS = st.lists(st.sampled_from(["water steam", "the turbine", "steam", "the the valve-n1", "water " * 9]), max_size=5)
CHANGES = st.lists(
    st.tuples(st.sampled_from("abcd"), TEXTS | st.none(), st.booleans()), min_size=1, max_size=6
)  # a document's new sentences, None to remove it, and whether the files are brought up to date then


def small(id: str, texts: list[str]) -> tuple[Tree, Vectors]:
    """A document of one section, a paragraph a text."""
    tree, _ = large(id, len(texts))
    nodes = [
        node if node.position < 2 else replace(node, text=texts[(node.position - 2) // 2], title="")
        for node in tree.nodes
    ]
    seeds = [zlib.crc32(f"{id} {node.position} {node.text}".encode()) for node in nodes]
    rows = np.stack([np.random.default_rng(seed).normal(size=16) for seed in seeds]).astype(np.float32)
    return replace(tree, nodes=tuple(nodes)), rows / np.linalg.norm(rows, axis=1, keepdims=True)


def said_of(store: Store, tier: Tier) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """What searches by words and by meaning find, by the nodes' ids."""
    terms = [["the", "water", "steam"], ["turbine"], ["valve-n1", "the"], ["nowhere"]]
    vectors = large("asked", 2, seed=9)[1][:3]
    lists = [store.matching(one, tier, 100) for one in terms], store.nearest(vectors, tier, 100)
    names = store.nodes({hit.key for some in lists for hits in some for hit in hits})
    words, meaning = ([{names[hit.key].id: hit.score for hit in hits} for hits in some] for some in lists)
    return words, meaning


@given(CHANGES)
@settings(deadline=None, max_examples=15)
def test_after_any_changes_searches_find_what_they_find_in_an_index_made_at_once(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, list[str] | None, bool]]
) -> None:
    folder = tmp_path_factory.mktemp("changes")
    now: dict[str, list[str]] = {}
    with pytest.MonkeyPatch.context() as patch, Store.create(folder / "a", fingerprint="", dimensions=16) as store:
        patch.setattr(full_text, "WORDS_FROM", 2)
        for id, texts, is_settled in changes:
            now.pop(id, None)
            if texts is None:
                store.remove(id)
            else:
                now[id] = texts
                store.put(*small(id, texts))
            if is_settled:
                store.settle(4)
        store._correct_totals()
        with Store.create(folder / "b", fingerprint="", dimensions=16) as fresh:
            for id, texts in now.items():
                fresh.put(*small(id, texts))
            for tier in (Tier.SENTENCE, Tier.PARAGRAPH):
                (words, meaning), (known_words, known_meaning) = said_of(store, tier), said_of(fresh, tier)
                # halves of floats that lengths far from the former mean bring apart; eight bits of a vector's numbers
                assert words == [pytest.approx(known, rel=1e-2) for known in known_words]
                assert meaning == [pytest.approx(known, abs=0.05) for known in known_meaning]
            for word in ("the", "steam", "valve-n1"):
                assert store.frequency([word]) == fresh.frequency([word])
        assert store.check() == []

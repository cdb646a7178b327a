"""A map of an index: nodes on a plane, a question among them, as picture and as page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from corpus import FILES, indexed, letters, use_letters

from kohaku.doors.map import GROUPS, Map, flat, grouped, map_of
from kohaku.doors.map_file import write
from kohaku.doors.searcher import Searcher
from kohaku.errors import KohakuError
from kohaku.scope import Scope
from kohaku.tree import Tier

QUESTION = "How much water did Lake Site draw in 2023?"
COSTS = "# Costs\n\nWater costs $1 here and $2 there: 10^{9} in all, <script>alert(1)</script>."
MakeMap = Callable[..., Map]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("map")
    indexed(folder, {**FILES, "$x^2$ <i>.txt": COSTS}, embedder=letters()).close()
    return folder / "corpus.db"


@pytest.fixture
def map_with(db: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeMap]:
    use_letters(monkeypatch)
    with Searcher.open(db) as searcher:
        yield lambda **options: map_of(searcher, **options)


def test_each_node_of_a_level_is_a_dot_of_its_document_s_group(map_with: MakeMap) -> None:
    made = map_with()
    assert len(made.dots) == sum(group.nodes for group in made.groups) == 6
    assert [group.name for group in made.groups] == ["$x^2$ <i>", "lake", "north"]
    assert made.notes == ("1 without a vector left out",)  # letters make it, and one paragraph has none
    assert all(made.groups[dot.group].name == dot.document for dot in made.dots)
    assert all(0 <= place <= 1 for dot in made.dots for place in (dot.x, dot.y))
    assert len(map_with(level=Tier.DOCUMENT).dots) == 3
    assert made.star is None and not made.hits


def test_a_map_without_a_question_needs_no_embedder(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_letters(monkeypatch)
    with Searcher.open(db, embedder="another") as searcher:
        assert map_of(searcher).dots


def test_sections_have_groups_of_their_own_when_asked(map_with: MakeMap) -> None:
    names = [group.name for group in map_with(by="section").groups]
    assert "lake › Lake Site report" in names


def test_a_question_lies_where_its_words_are_with_its_evidence_numbered(map_with: MakeMap) -> None:
    made = map_with(question=QUESTION)
    assert made.star is not None
    assert [dot.rank for dot in made.hits] == sorted({dot.rank for dot in made.hits})
    assert made.hits[0].rank == 1 and "5.5 million litres" in made.hits[0].text
    same = map_with(question=made.hits[0].text)
    assert same.star is not None and (same.hits[0].x, same.hits[0].y) == pytest.approx(same.star, abs=0.01)


@pytest.mark.parametrize("level", list(Tier))
def test_evidence_is_found_on_every_level(map_with: MakeMap, level: Tier) -> None:
    assert "lake" in {dot.document for dot in map_with(question=QUESTION, level=level).hits}


def test_more_nodes_than_wanted_are_drawn_by_the_seed_and_that_is_said(map_with: MakeMap) -> None:
    made = map_with(most=4, seed=7)
    assert "4 of 7 paragraphs, drawn with seed 7" in made.notes
    assert made == map_with(most=4, seed=7)
    assert len({map_with(most=4, seed=seed).dots for seed in range(4)}) > 1
    assert len(map_with(most=3, question=QUESTION).hits) == len(map_with(question=QUESTION).hits)


def test_a_map_is_kept_to_documents_and_kinds(map_with: MakeMap) -> None:
    assert {dot.document for dot in map_with(scope=Scope.of(documents=["lake"]), level=Tier.SENTENCE).dots} == {"lake"}
    with pytest.raises(KohakuError, match="a map takes 3 nodes, and there are 0"):
        map_with(scope=Scope.of(kinds=["table"]))


def test_the_smallest_of_very_many_documents_share_a_group() -> None:
    names = [f"d{number:03}" for number in range(GROUPS + 10) for _ in range(1 + (number < 5))]
    groups, numbers, has_others = grouped(names)
    assert has_others and len(groups) == GROUPS
    assert groups[-1].name == "11 others" and numbers.count(GROUPS - 1) == groups[-1].nodes == 11
    assert [group.nodes for group in groups[:6]] == [2, 2, 2, 2, 2, 1]


def test_principal_components_keep_the_distances_of_what_lies_on_a_plane() -> None:
    plane = np.random.default_rng(1).normal(size=(40, 2))
    turned = plane @ np.linalg.qr(np.random.default_rng(2).normal(size=(9, 9)))[0][:2]
    places, axes = flat(turned.astype(np.float32), "pca", 0)
    shares = [float(part.split("%")[0].split()[-1]) for part in axes.split(" and ")]
    assert sum(shares) == pytest.approx(100, abs=1)
    restored = (places - places.mean(axis=0)) * np.ptp(_principal(plane), axis=0)
    assert np.linalg.norm(restored, axis=1) == pytest.approx(
        np.linalg.norm(plane - plane.mean(axis=0), axis=1), rel=1e-4
    )


def _principal(plane: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    centred = plane - plane.mean(axis=0)
    return np.asarray(centred @ np.linalg.svd(centred)[2].T)


def test_vectors_that_are_all_alike_have_a_place() -> None:
    places, _ = flat(np.ones((4, 5), np.float32), "pca", 0)
    assert np.isfinite(places).all()


def test_umap_lays_like_vectors_side_by_side() -> None:
    pytest.importorskip("umap", reason="umap-learn brings 65 MB of compiler, so it is no part of the lock")
    rows = np.repeat(np.eye(2, 8, dtype=np.float32), 10, axis=0) + np.random.default_rng(0).normal(0, 0.01, (20, 8))
    places, _ = flat(rows.astype(np.float32), "umap", 0)
    assert np.isfinite(places).all()


def test_a_missing_umap_is_said_with_what_to_install(map_with: MakeMap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "umap", None)
    with pytest.raises(KohakuError, match=r"pip install 'kohaku\[umap\]', or take --method pca"):
        map_with(method="umap")


# ---- what is written


def test_the_picture_shows_dots_in_the_colours_of_their_groups(map_with: MakeMap, tmp_path: Path) -> None:
    write(map_with(question=QUESTION), tmp_path / "map.png")
    picture = pymupdf.Pixmap(str(tmp_path / "map.png"))
    assert picture.width > 1000
    colours = {bytes(pixel) for pixel in np.frombuffer(picture.samples, np.uint8).reshape(-1, picture.n)[:, :3]}
    for colour in ("3b6fb6", "e1812c", "ffd21f"):  # two groups in the legend, and the star
        assert bytes.fromhex(colour) in colours


def test_a_picture_is_the_same_at_every_run(map_with: MakeMap, tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        write(map_with(question="$x^2$ costs?"), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert "<svg" in (tmp_path / "one.svg").read_text(encoding="utf-8")


def test_the_page_shows_what_documents_say_as_text(map_with: MakeMap, tmp_path: Path) -> None:
    write(map_with(question="What does <b>water</b> cost?"), tmp_path / "map.html")
    html = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert html.count("<script") == 1 and "<b>water" not in html and "<i>" not in html
    assert html.count('class="dot') == 6
    assert "http:" not in html.replace("http://www.w3.org", "") and "https:" not in html


def test_another_kind_of_file_is_refused(map_with: MakeMap, tmp_path: Path) -> None:
    with pytest.raises(KohakuError, match=r"a map is a \.png, \.svg or \.html file, not map\.pdf"):
        write(map_with(), tmp_path / "map.pdf")

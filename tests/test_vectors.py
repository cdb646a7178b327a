"""Vectors of nodes: the model's for leaves, means above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
import pytest
from conftest import LetterEmbedder, letters
from grown import grow, vectors
from hypothesis import given
from hypothesis import strategies as st

from indexer import rows as waiting
from indexer import vectors as module
from indexer.blocks import Block, Parsed
from kohaku.choices import ParagraphVectors
from kohaku.errors import EmbedderError
from kohaku.tree import Document, Kind, Tree, Vectors


def tree(*texts: str) -> Tree:
    """A section for each text, all under the first."""
    blocks = [
        block
        for number, text in enumerate(texts)
        for block in (Block(Kind.SECTION, f"h{number}", level=min(number + 1, 2)), Block(Kind.PARAGRAPH, text))
    ]
    parsed = Parsed("", tuple(blocks))
    return grow(parsed, Document("d", "", (), "", ""), count=lambda text: len(text.split()), max_tokens=50)


def unit(vector: Vectors) -> Vectors:
    return vector / np.linalg.norm(vector)


def test_a_parents_vector_is_the_mean_of_its_children_weighted_with_their_tokens(embedder: LetterEmbedder) -> None:
    grown = tree("Aa bb cc. Dd.")
    rows, direct = vectors(grown, embedder)
    one, two = letters(["Aa bb cc.", "Dd."])
    assert np.allclose(rows[2], unit(3 * one + 1 * two))
    assert np.allclose(rows[0], rows[2])
    assert direct == {}


def test_a_heading_is_not_embedded_and_weighs_nothing(embedder: LetterEmbedder) -> None:
    grown = tree("Zz yy.", "Xx.")
    vectors(grown, embedder)
    assert sorted(embedder.passages) == ["Xx.", "Zz yy."]


def test_each_text_is_embedded_once_and_short_ones_first(embedder: LetterEmbedder) -> None:
    grown = tree("Same here. A longer sentence it is. Same here.", "Same here.")
    vectors(grown, embedder)
    assert embedder.passages == ["Same here.", "A longer sentence it is."]


def test_a_node_without_text_has_no_vector_and_weighs_nothing(embedder: LetterEmbedder) -> None:
    blocks = (Block(Kind.FIGURE, "", image=b"x"), Block(Kind.PARAGRAPH, "Words."))
    grown = grow(Parsed("", blocks), Document("d", "", (), "", ""), count=lambda text: len(text.split()))
    rows, _ = vectors(grown, embedder)
    figure = next(node for node in grown.nodes if node.kind is Kind.FIGURE)
    assert not rows[figure.position].any()
    assert np.allclose(rows[0], letters(["Words."])[0])


def test_a_paragraph_may_have_its_own_vector_in_place_of_the_mean_or_beside_it(embedder: LetterEmbedder) -> None:
    grown = tree("Aa bb cc. Dd.")
    mean, _ = vectors(grown, embedder, "mean")
    direct, nothing = vectors(grown, embedder, "direct")
    both, beside = vectors(grown, embedder, "both")
    [own] = letters(["Aa bb cc. Dd."])
    assert np.allclose(direct[2], own) and not np.allclose(mean[2], own)
    assert np.allclose(direct[0], mean[0]) and nothing == {}
    assert np.allclose(both, mean) and np.allclose(beside[2], own) and list(beside) == [2]


def test_a_tree_of_nothing_asks_no_embedder(embedder: LetterEmbedder) -> None:
    rows, _ = vectors(tree(), embedder)
    assert rows.shape == (1, 26) and not rows.any()


@given(st.lists(st.text(st.characters(codec="ascii"), min_size=1, max_size=60), max_size=6))
def test_every_vector_has_length_one_or_none(texts: list[str]) -> None:
    rows, _ = vectors(tree(*texts), LetterEmbedder())
    lengths = np.linalg.norm(rows, axis=1)
    assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))


@given(st.lists(st.text("abcdef ", min_size=1, max_size=40).filter(str.strip), min_size=1, max_size=6))
def test_every_parents_vector_is_the_weighted_mean_of_its_childrens(texts: list[str]) -> None:
    grown = tree(*texts)
    rows, _ = vectors(grown, LetterEmbedder())
    for node in grown.nodes:
        children = [child for child in grown.nodes if child.parent == node.position]
        if children:
            total = sum((rows[child.position] * child.tokens for child in children), np.zeros(26, np.float32))
            assert np.allclose(rows[node.position], unit(total), atol=1e-5)


@given(st.lists(st.text("abcdef .", min_size=1, max_size=40).filter(str.strip), min_size=1, max_size=9))
def test_a_document_that_is_embedded_in_parts_gets_the_vectors_it_would_get_whole(texts: list[str]) -> None:
    whole = [vectors(tree(*texts), LetterEmbedder(), mode) for mode in get_args(ParagraphVectors)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AT_ONCE", 2)
        embedder = LetterEmbedder()
        parts = [vectors(tree(*texts), embedder, mode) for mode in get_args(ParagraphVectors)]
    for (rows, direct), (same, beside) in zip(whole, parts, strict=True):
        assert np.array_equal(rows, same) and direct.keys() == beside.keys()
        assert all(np.array_equal(direct[at], beside[at]) for at in direct)


def test_a_text_that_comes_again_much_later_is_not_embedded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 2)
    embedder = LetterEmbedder()
    grown = tree("Same here.", "Other words.", "Same here.")
    rows, _ = vectors(grown, embedder)
    assert sorted(embedder.passages) == ["Other words.", "Same here."]
    same = [rows[node.position] for node in grown.nodes if node.text == "Same here." and node.kind is Kind.SENTENCE]
    assert np.array_equal(*same)


@pytest.mark.parametrize("in_memory", [1, 1_000_000])
def test_vectors_wait_in_a_file_and_stand_where_they_were_put(in_memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "IN_MEMORY", in_memory)
    rows = waiting.Rows(3)
    rows[5] = np.array([1, 2, 3], np.float32)
    rows[2] = np.array([4, 5, 6], np.float32)
    assert [rows[at].tolist() for at in (2, 3, 5, 9)] == [[4, 5, 6], [0, 0, 0], [1, 2, 3], [0, 0, 0]]


class Broken(LetterEmbedder):
    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        return letters(passages)[:, :5]


def test_an_embedder_that_gives_the_wrong_shape_is_an_error() -> None:
    with pytest.raises(EmbedderError, match="letters/26"):
        vectors(tree("Words."), Broken())

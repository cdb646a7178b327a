"""An embedder's cosines are read by its own scale."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import LetterEmbedder, letters
from hypothesis import given
from hypothesis import strategies as st

from kohaku.doors.indexing import index
from kohaku.embedders import load
from kohaku.embedders.background import USUAL, background, levelled
from kohaku.errors import DamagedStore
from kohaku.settings import load as load_settings
from kohaku.store import Store
from kohaku.tree import Tier, Vectors
from retriever.search import Source, search

TEXTS = "# Lake\n\nThe lake is low.\n\n# Oven\n\nBread rises slowly.\n\n# Fox\n\nA fox jumps quickly.\n"


class Alike(LetterEmbedder):
    """Finds everything alike, as E5 does: a large share of each vector is the same."""

    fingerprint = "alike/1/27"
    dimensions = 27

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        return np.asarray(np.hstack([0.4 * letters(questions), np.full((len(questions), 1), 0.84**0.5)]), np.float32)

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        return self.embed_questions(passages)


def shares(db: Path, embedder: LetterEmbedder) -> list[float]:
    """How the last hits of a search stand to its best."""
    Path("lake.md").write_text(TEXTS)
    index(["lake.md"], load_settings({"db": db}), embedder=embedder)
    with Store.open(db) as store:
        [hits] = [
            ranking.hits
            for ranking in search(["The lake is low."], store, embedder, limit=9)
            if (ranking.source, ranking.tier) == (Source.MEANING, Tier.SENTENCE)
        ]
    return [hit.score / hits[0].score for hit in hits]


def test_the_default_embedder_s_background_is_the_usual_one_and_its_cosines_stay() -> None:
    assert background(load("default")) <= USUAL
    assert levelled(0.3, background(load("default"))) == 0.3


def test_a_model_that_finds_everything_alike_says_as_much_as_another(embedder: LetterEmbedder) -> None:
    plain, alike = shares(Path("plain.db"), embedder), shares(Path("alike.db"), Alike())
    assert background(Alike()) > background(embedder) + 0.1
    np.testing.assert_allclose(alike, plain, atol=0.1)  # backgrounds are kept to two places


def test_an_index_that_does_not_say_its_background_is_searched_as_it_was(embedder: LetterEmbedder) -> None:
    with Store.create(Path("old.db"), fingerprint=embedder.fingerprint, dimensions=26) as store:
        assert store.background == 0


def test_a_background_that_is_no_number_is_damage(embedder: LetterEmbedder) -> None:
    with Store.create(Path("odd.db"), fingerprint=embedder.fingerprint, dimensions=26) as store:
        store.remember("background", "much")
        with pytest.raises(DamagedStore, match="'much' is no cosine"):
            _ = store.background


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 0.99))
def test_the_order_of_hits_stays_and_the_same_text_stays_the_same(one: float, other: float, base: float) -> None:
    assert (one < other) <= (levelled(one, base) <= levelled(other, base))
    assert levelled(1.0, base) == 1.0

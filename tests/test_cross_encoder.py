"""A CrossEncoder of any folder as a reranker. Like test_sentence_transformer.py, this imports torch."""

from __future__ import annotations

import importlib
import math
import warnings
from pathlib import Path
from typing import Any

import pytest

from kohaku.cross_encoder import CrossEncoderReranker
from kohaku.errors import RerankerError

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "water", "lake", "power", "how", "much", "the", "was", "."]


def made(folder: Path, *, labels: int = 1) -> Path:
    """A folder with a BERT of a few hundred random weights that reads pairs of texts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch

        transformers: Any = importlib.import_module("transformers")  # its types don't know all that it has

    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    torch.manual_seed(7)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        num_labels=labels,
        initializer_range=1.0,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> CrossEncoderReranker:
    return CrossEncoderReranker(str(made(tmp_path_factory.mktemp("models") / "tiny")), device="cpu")


def test_passages_are_scored_beside_the_question_in_their_order_and_the_same_every_time(
    reranker: CrossEncoderReranker,
) -> None:
    passages = ["the lake was", "power power power", "water " * 500, ""]
    scores = reranker.scores("how much water", passages)
    assert len(scores) == 4 and all(map(math.isfinite, scores))
    assert len({round(score, 4) for score in scores}) == 4
    assert reranker.scores("how much water", passages) == scores
    assert reranker.scores("how much water", passages[::-1]) == pytest.approx(scores[::-1], abs=1e-5)
    assert reranker.scores("the power", passages) != scores
    assert reranker.scores("how much water", []) == []


def test_a_model_of_several_labels_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(RerankerError, match="has 3 labels, it needs to have one"):
        CrossEncoderReranker(str(made(tmp_path / "three", labels=3)), device="cpu")


@pytest.mark.parametrize("name", ["./nowhere", "empty"])
def test_a_folder_that_holds_none_is_one_line(tmp_path: Path, name: str) -> None:
    Path("empty").mkdir()
    with pytest.raises(RerankerError, match=r"leave --reranker out|can't be loaded") as told:
        CrossEncoderReranker(name, device="cpu")
    assert "\n" not in str(told.value)

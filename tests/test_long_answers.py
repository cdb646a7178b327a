"""Long answers by ROUGE-L and BERTScore. Like test_cross_encoder.py, this imports torch."""

from __future__ import annotations

import json
import math
import string
from pathlib import Path

import numpy as np
import pytest
from commanding import Run, plainly  # noqa: F401
from hypothesis import example, given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from test_cross_encoder import made

from answerer.long_answers import bert_scores, long_score, rouge_l
from kohaku.errors import EmbedderError, SettingsError
from kohaku.token_vectors import TokenVectors

ENGLISH = "In 2023, the site's PUE was 1.1 (best: 1.08), which isn't bad."
OTHER = "The PUE of the site was 1.1 in 2023; the best month had 1.08."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def tokens(model: Path) -> TokenVectors:
    return TokenVectors(str(model), device="cpu")


@given(st.text(string.printable, max_size=60), st.text(string.printable, max_size=60))
@example(ENGLISH, OTHER)
def test_english_is_scored_as_rouge_score_does_it(one: str, other: str) -> None:
    known = RougeScorer(["rougeL"]).score(one, other)["rougeL"].fmeasure
    assert rouge_l(one, other) == pytest.approx(known)


def test_other_scripts_are_scored_too() -> None:
    assert rouge_l("二〇二四年的電力量", "二〇二四年的用水量") == pytest.approx(7 / 9)
    assert rouge_l("Потребление воды выросло", "потребление воды упало") == pytest.approx(2 / 3)
    assert rouge_l("Größe", "große") == 0


def test_nothing_said_earns_nothing() -> None:
    assert rouge_l("a b", "") == rouge_l("", "") == rouge_l("…", "a") == 0


def test_a_text_is_most_like_itself_and_an_empty_one_like_nothing(tokens: TokenVectors) -> None:
    same, near, far, empty = bert_scores(
        [("the lake was .", text) for text in ("the lake was .", "the lake", "power power", " ")], tokens.of
    )
    assert same == pytest.approx(1, abs=1e-5)
    assert same > near > far > 0 == empty


def test_the_figure_is_that_of_greedy_matching_in_both_directions(tokens: TokenVectors) -> None:
    truth, answer = tokens.of(["how much water", "water power"])
    likes = answer.vectors @ truth.vectors.T
    precision = np.mean([likes[row].max() for row in range(len(answer.vectors)) if answer.is_word[row]])
    recall = np.mean([likes[:, at].max() for at in range(len(truth.vectors)) if truth.is_word[at]])
    [found] = bert_scores([("how much water", "water power")], tokens.of)
    assert found == pytest.approx(float(2 * precision * recall / (precision + recall)))
    assert [int(one.is_word.sum()) for one in (truth, answer)] == [3, 2]


def test_texts_longer_than_the_model_reads_are_cut_and_their_number_is_free(tokens: TokenVectors) -> None:
    found = tokens.of(["water " * 500, *["the lake"] * 40])
    assert len(found) == 41 and len(found[0].vectors) == 62
    assert np.allclose(found[1].vectors, found[40].vectors, atol=1e-5)


def test_a_layer_that_is_not_there_and_a_folder_without_a_model_are_one_line(model: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"layer 9: the model .* has 1"):
        TokenVectors(str(model), layer=9, device="cpu")
    with pytest.raises(EmbedderError, match="leave --bert-score out"):
        TokenVectors(str(tmp_path / "none" / "here"), device="cpu")


def test_only_questions_with_an_answer_count_and_an_abstention_earns_nothing() -> None:
    truth = [{"id": id, "answer": text} for id, text in [("1", "a b"), ("2", "is_blank"), ("3", "c"), ("4", "d")]]
    found = long_score(truth, [{"id": "1", "answer": "a b"}, {"id": "3", "answer": "Unable to answer that."}])
    assert [(one.id, one.rouge_l) for one in found.answers] == [("1", 1.0), ("3", 0.0), ("4", 0.0)]
    assert found.summary() == {"rouge_l": pytest.approx(1 / 3), "long_n": 3}


def test_a_truth_of_long_answers_only_is_scored_by_the_command(plainly: Run, model: Path) -> None:  # noqa: F811
    Path("truth.csv").write_text("id,question,answer\n1,Why?,the lake was water\n", encoding="utf-8")
    Path("pred.csv").write_text("id,answer\n1,the lake was power\n", encoding="utf-8")
    ran = plainly("score", "--truth", "truth.csv", "--pred", "pred.csv", "--bert-score", model, "--layer", 1, "--json")
    [found] = ran.objects
    assert found["rouge_l"] == 0.75 and found["long_n"] == 1
    assert 0 < found["bert_score"] < 1 and math.isclose(found["questions"][0]["bert_score"], found["bert_score"])
    assert "rouge_l\t0.7500" in plainly("score", "--truth", "truth.csv", "--pred", "pred.csv", "--rouge").out
    assert plainly("score", "--truth", "truth.csv", "--pred", "pred.csv").code == 1
    assert plainly("score", "--truth", "truth.csv", "--pred", "pred.csv", "--rouge", "--html", "x.html").code == 2
    assert json.dumps(found)

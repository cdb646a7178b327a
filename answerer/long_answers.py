"""Long answers against the truth's: by the longest common run of words (ROUGE-L), and by like meaning (BERTScore)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from answerer.score import Row
from answerer.values import is_blank
from kohaku.token_vectors import Tokens
from kohaku.words import CJK

_WORD = re.compile(rf"[{CJK}]|(?:(?![{CJK}])[^\W_])+")

Meanings = Callable[[Sequence[str]], Sequence[Tokens]]
"""The tokens of texts as vectors: see `kohaku.token_vectors`."""


@dataclass(frozen=True, slots=True)
class LongAnswer:
    """What the answer to a question earned, from 0 to 1; `bert_score` is None where no model was given."""

    id: str
    rouge_l: float
    bert_score: float | None = None


@dataclass(frozen=True, slots=True)
class LongScore:
    """What a submission's answers earned on the questions to which the truth has one."""

    answers: tuple[LongAnswer, ...]

    def summary(self) -> dict[str, float]:
        """The means: rouge_l and, where there was a model, bert_score; and long_n, how many answers there are."""
        count = len(self.answers)
        found: dict[str, float] = {"rouge_l": sum(one.rouge_l for one in self.answers) / max(1, count)}
        meanings = [one.bert_score for one in self.answers if one.bert_score is not None]
        if meanings:
            found["bert_score"] = sum(meanings) / len(meanings)
        return {**found, "long_n": count}


def long_score(truth: Iterable[Row], predicted: Iterable[Row], meanings: Meanings | None = None) -> LongScore:
    """What the column `answer` earned against the truth's; an abstention or a missing row earns nothing."""
    given = {row["id"].strip(): row["answer"] for row in predicted}
    asked = [row for row in truth if not is_blank(row["answer"])]
    pairs = [(row["answer"], given.get(row["id"].strip(), "")) for row in asked]
    pairs = [(right, "" if is_blank(answer) else answer) for right, answer in pairs]
    rouges = [rouge_l(*pair) for pair in pairs]
    likes: Sequence[float | None] = bert_scores(pairs, meanings) if meanings else [None] * len(pairs)
    return LongScore(
        tuple(LongAnswer(row["id"], rouge, like) for row, rouge, like in zip(asked, rouges, likes, strict=True))
    )


def rouge_l(truth: str, answer: str) -> float:
    """The F-measure of the longest common subsequence of words (Lin 2004), case and marks aside, words not stemmed.

    >>> round(rouge_l("The PUE was 1.1 in 2023.", "In 2023 the PUE was 1.1"), 3)
    0.714
    """
    words, given = _words(truth), _words(answer)
    if not words or not given:
        return 0.0
    return 2 * LCSseq.similarity(words, given) / (len(words) + len(given))


def _words(text: str) -> list[str]:
    """The words as rouge-score cuts them, and those of other scripts, which it leaves out."""
    return _WORD.findall(text.lower())


def bert_scores(pairs: Sequence[tuple[str, str]], meanings: Meanings) -> list[float]:
    """BERTScore's F of pairs of truth and answer (Zhang et al. 2020), neither weighted by rarity nor rescaled.

    0 where the answer is empty.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair if text.strip()))
    known = dict(zip(texts, meanings(texts), strict=True))
    return [_likeness(known[truth], known[answer]) if answer.strip() else 0.0 for truth, answer in pairs]


def _likeness(truth: Tokens, answer: Tokens) -> float:
    likes = answer.vectors @ truth.vectors.T
    if not truth.is_word.any() or not answer.is_word.any():
        return 0.0
    precision = float(likes.max(axis=1)[answer.is_word].mean())
    recall = float(likes.max(axis=0)[truth.is_word].mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0

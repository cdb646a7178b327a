"""What an embedder's cosine says of texts that have nothing to do with each other: hardly 0, with some models .8."""

from __future__ import annotations

import numpy as np

from kohaku.embedders.protocol import Embedder

USUAL = 0.05
"""The default embedder's, which all that goes by cosines was measured with."""
QUESTIONS = (
    "When did the committee decide?",
    "How much is a litre of olive oil?",
    "Who repaired the clock?",
    "What does the court say of the contract?",
    "Why were the cables of the bridge replaced?",
    "Which metal conducts heat best?",
    "How often do trains leave for the airport?",
    "Where did the painter live?",
)
PASSAGES = (
    "Rainfall in the valley was the lowest since records began.",
    "The patients were given the drug twice a day for six weeks.",
    "Net income rose to 4.2 million, mostly from services.",
    "Our method needs no labels and runs on a single processor.",
    "The goalkeeper saved two penalties in the second half.",
    "Whoever leases the flat must give three months' notice.",
    "Bees can tell the faces of people apart.",
    "The file is opened for reading, and closed when the block ends.",
)


def background(embedder: Embedder) -> float:
    """The mean cosine of questions and passages that are about other things, from 0 to below 1."""
    near = embedder.embed_questions(QUESTIONS) @ embedder.embed_passages(PASSAGES).T
    return round(float(np.clip(near.mean(), 0, 0.99)), 2)


def levelled(cosine: float, background: float) -> float:
    """A cosine on the scale of the default embedder's: 1 stays 1, the background becomes the usual one.

    Without this the best hit and the last one of a model that finds everything alike would count nearly the same.

    >>> levelled(1.0, 0.75), round(levelled(0.75, 0.75), 3), levelled(0.3, 0.05)
    (1.0, 0.05, 0.3)
    """
    return cosine if background <= USUAL else 1 - (1 - cosine) * (1 - USUAL) / (1 - background)

"""An answer, and what stands behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from answerer.values import BLANK, is_blank
from kohaku.shown import Shown
from kohaku.tree import Box
from retriever.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the unit its answer should have ("" where none is asked for).

    A row's id is kept as text, whatever it looks like.
    """

    id: str
    text: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote that was found in the evidence, with where it stands."""

    document: str
    node: str
    pages: tuple[int, int] | None
    quote: str
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another document's value for what was asked, with the words that say it."""

    value: str
    citation: Citation


class How(StrEnum):
    """How a value follows from the text that is cited for it, the surest first. What is seen does not."""

    STATED = "stated"
    CONVERTED = "converted"
    COMPUTED = "computed"
    SEEN = "seen"
    UNGROUNDED = "ungrounded"


@dataclass(frozen=True, slots=True)
class Span:
    """Words of the evidence that bear a value, with where they stand."""

    document: str
    node: str
    text: str


@dataclass(frozen=True, slots=True)
class Grounding:
    """How a value follows from the evidence, what bears it, and in `note` the conversion or the sum that led to it."""

    how: How
    spans: tuple[Span, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """The nodes that a model named as an answer's sources, and those with the words of the answer."""

    by_model: tuple[str, ...]
    by_alignment: tuple[str, ...]

    @property
    def agreed(self) -> tuple[str, ...]:
        """The nodes that both name, in the model's order."""
        return tuple(node for node in self.by_model if node in self.by_alignment)


@dataclass(frozen=True, slots=True)
class Check:
    """A model's grades for a draft, from 1 to 5, and the queries for what it found missing.

    `read_again`: they were searched for, and what was new was read; `replaced`: what was read then is the answer.
    """

    GOOD: ClassVar[int] = 4

    accuracy: int
    completeness: int
    structure: int
    queries: tuple[str, ...] = ()
    read_again: bool = False
    replaced: bool = False

    @property
    def is_good(self) -> bool:
        """Whether nothing is to be bettered by another search."""
        return min(self.accuracy, self.completeness) >= self.GOOD


@dataclass(frozen=True, slots=True)
class Answer(Shown):
    """An answer with its evidence, or an abstention (`is_blank`).

    `text` is the answer in words, `value` what the contest compares (a number, `[low,high]`, 1/0, a name),
    `references` the ids of documents that support it, always among those of the evidence; `citations` the quotes
    found there. `attempts` counts readings of the evidence, `dropped` the quotes and references that were not in it.
    `evidence` is what was read last, where it was to be explained; `grounding` how the value follows from what is
    cited, None for an abstention; `confidence` how likely it is to be right, from 0 to 1. In two passes, `compared` are
    the sources that were named and found, `refused` how many refined answers departed from the draft. `check` are a
    model's grades for it, where it was asked for them.
    """

    question: Question
    text: str
    value: str
    explanation: str
    references: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    is_blank: bool = False
    attempts: int = 1
    dropped: int = 0
    queries: tuple[str, ...] = ()
    evidence: Evidence | None = field(default=None, repr=False)
    grounding: Grounding | None = None
    confidence: float = 0.0
    compared: Compared | None = None
    refused: int = 0
    check: Check | None = None
    conflicts: tuple[Conflict, ...] = ()

    @property
    def is_grounded(self) -> bool:
        """Whether the value stands in what is cited, or follows from it."""
        return self.grounding is not None and self.grounding.how not in (How.SEEN, How.UNGROUNDED)


def abstention(question: Question, explanation: str) -> Answer:
    """The answer that there is none in the evidence."""
    said = "" if is_blank(explanation) else explanation.strip()
    return Answer(question, BLANK, BLANK, said, is_blank=True)

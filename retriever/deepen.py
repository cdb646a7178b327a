"""A part of a question whose evidence is thin: split further, or asked again in other words, to a bounded depth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from retriever.decompose import Aim, Part, names_in
from retriever.evidence import Evidence
from retriever.parts import gather
from retriever.plan import key_terms
from retriever.trust import BEST, UNCOVERED, coverage

Find = Callable[[str, Aim, Sequence[str]], Evidence]
"""The evidence for a text, searched for by its own queries and more."""


@dataclass(frozen=True, slots=True)
class Deepening:
    """How thin parts are looked for again.

    `find` searches, `rare` tells how rare the words of a text are, `split` gives a text's parts (none where it asks one
    thing), `reword` queries in other words, `answer` a part's answer that a later one needs; `budget` are the tokens of
    evidence a part may bring.
    """

    find: Find
    rare: Callable[[str], dict[str, float]]
    split: Callable[[str], Sequence[Part]]
    reword: Callable[[str], Sequence[str]]
    answer: Callable[[Part, Evidence], str]
    budget: int

    def __call__(self, text: str, aim: Aim, depth: int) -> Evidence:
        """The evidence for a part; where it is thin, that of its parts or of other words for it, so many times over."""
        found = self.find(text, aim, ())
        if depth == 0 or not is_thin(text, found, self.rare(text)):
            return found
        parts = self.split(text)
        if parts:
            deeper = gather(
                text,
                parts,
                lambda part, aim: found if part == text else self(part, aim, depth - 1),
                budget=self.budget,
                answer=self.answer,
            )
            return replace(
                deeper, contexts=tuple(replace(one, serves=(), parts=()) for one in deeper.contexts), parts=()
            )
        known = {query.casefold() for query in found.queries}
        queries = [query for query in self.reword(text) if query.strip() and query.casefold() not in known]
        return self.find(text, aim, queries) if queries else found


def is_thin(text: str, evidence: Evidence, rare: dict[str, float]) -> bool:
    """Whether the best of the evidence holds little of what the text asks for, by its rare words."""
    return coverage(text, [context.text for context in evidence.contexts[:BEST]], rare) < UNCOVERED


def in_context(part: str, question: str) -> str:
    """A part's key terms with the names of the whole question that it lacks: a split may have cut them off.

    >>> in_context("the water use in 2023", "What is the ratio between the PUE of Lake Site and the water use in 2023?")
    'water use 2023 PUE Lake Site'
    """
    missing = (name for name in names_in(question) if name.casefold() not in part.casefold())
    return " ".join([key_terms(part), *missing])

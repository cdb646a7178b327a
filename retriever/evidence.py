"""What the retriever hands to the answerer."""

from __future__ import annotations

from dataclasses import dataclass

from kohaku.tree import Box, Kind


@dataclass(frozen=True, slots=True)
class Context:
    """One piece of evidence: a node's text with what it takes to cite it.

    `node` is the node's id, `headings` the path of section titles above it, `title` its document's title,
    `tokens` what the piece costs in a prompt.
    """

    document: str
    title: str
    node: str
    kind: Kind
    pages: tuple[int, int] | None
    headings: tuple[str, ...]
    score: float
    text: str
    tokens: int
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The contexts for a question, best first, together within the token budget.

    `complete` is true when there was nothing more to find: asking for more brings nothing new.
    """

    question: str
    queries: tuple[str, ...]
    contexts: tuple[Context, ...]
    complete: bool = False

    @property
    def tokens(self) -> int:
        """What all contexts cost together."""
        return sum(context.tokens for context in self.contexts)

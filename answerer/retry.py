"""What to look for, and what to read, after a reading that found no answer: always something new."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from answerer.answer import Answer, Question
from answerer.asking import content_words
from answerer.prospects import able, is_spoken_of
from retriever.evidence import Context, Evidence, within

OLD_SHARE = 0.1
"""How much of a later reading's room goes to the best of what was read: an answer may need both."""
ENOUGH = 3000
"""Tokens read after which no wider search is made where they speak of the very thing that is asked for: where the
question's words were found, hardly an answer stood further down than 2,000.
"""
LONGEST = 16  # words of a query: more dilute each other
_CAPITALS = re.compile(r"[^\W\d_]*[A-Z\d][\w.-]*")


def further(question: Question, failed: Answer, known: Collection[str]) -> list[str]:
    """Queries not asked yet: the question's bare words, its names, and what the failed answer says is missing.

    >>> further(Question("q", "How much water did the Oslo site use?"), Answer(Question("", ""), "", "", ""), [])
    ['water Oslo site', 'Oslo']
    """
    own = content_words(question.text)
    missing = [word for word in content_words(failed.explanation) if word not in own] if failed.is_blank else []
    names = [word for word in own if _CAPITALS.fullmatch(word)]
    made = (own, names, [*names, *missing] if missing else [])
    queries = dict.fromkeys(" ".join(words[:LONGEST]) for words in made if words)
    return [query for query in queries if query not in known]


def fresh(found: Evidence, read: Sequence[Context], room: int) -> Evidence:
    """What of the evidence was not read yet, best first, within the room, after the best of what was.

    Without contexts where there is nothing new.
    """
    seen = {context.node for context in read}
    texts = {context.text for context in read}
    new = [one for one in found.contexts if one.node not in seen and one.text not in texts]
    if not new:
        return replace(found, contexts=())
    old = within(read, int(room * OLD_SHARE))
    kept = within(new, room - sum(context.tokens for context in old)) or (new[0],)
    return replace(found, contexts=(*old, *kept))


class Servings:
    """The evidence for a question as it is read, one serving after another for as long as no answer comes of it.

    First the best `share` of it, since most answers stand there (all of it where the question has parts: each has its
    own). Where that gives an answer that is not grounded, all of it; where it gives none, the rest, then the evidence
    of wider searches, `retries` of them at most, as far as it was not read yet and could hold the answer. What is read
    later comes after the best of what was, which gets OLD_SHARE of the room (tokens; those of the evidence where they
    are more). It ends where there is nothing more to find, nothing new came, or ENOUGH was read of the very thing.
    """

    def __init__(
        self,
        question: Question,
        retrieve: Callable[[int, Sequence[str]], Evidence],
        *,
        retries: int,
        room: int,
        share: float,
    ) -> None:
        self._question, self._retrieve, self._retries = question, retrieve, retries
        self._first = self._found = retrieve(1, ())
        self._room, self._share = max(room, self._found.tokens), share
        self._searches = 1
        self._read: list[Context] = []
        self.queries = list(self._found.queries)

    @property
    def known(self) -> Evidence:
        """All that was found so far, what was read first."""
        contexts = dict.fromkeys((*self._read, *self._found.contexts))
        return replace(self._found, contexts=tuple(contexts))

    def first(self) -> Evidence:
        """What to read first."""
        contexts = self._found.contexts
        if self._found.parts or self._share == 1:
            return self._served(contexts)
        return self._served(within(contexts, int(self._room * self._share)) or contexts[:1])

    def after(self, said: Answer, answer: Answer) -> Evidence | None:
        """What to read after a reading that said something, of which an answer came; None where that is the last.

        The answer is an abstention where what was said is withheld. What was said and is not grounded is asked for
        again in all of the evidence, withheld or not.
        """
        unread = [one for one in self._found.contexts if one not in self._read] if self._searches == 1 else []
        if unread and not said.is_blank and not said.is_grounded:
            return self._served(self._found.contexts)
        if not answer.is_blank:
            return None
        if unread := able(self._question, unread):
            return self._served([*within(self._read, int(self._room * OLD_SHARE)), *unread])
        if self._searches > self._retries or self._found.complete or self._is_enough():
            return None
        self._searches += 1
        queries = further(self._question, answer, self.queries)
        self.queries += queries
        self._found = self._retrieve(self._searches, queries)
        could = replace(self._found, contexts=tuple(able(self._question, self._found.contexts)))
        wider = fresh(could, self._read, self._room)
        return self._served(wider.contexts) if wider.contexts else None

    def _is_enough(self) -> bool:
        """Whether so much was read, and of the very thing that is asked for, that more would speak of it less."""
        if self._first.parts or any(filtered.removed for filtered in self._first.filters):
            return False
        return sum(one.tokens for one in self._read) >= ENOUGH and is_spoken_of(self._question, self._read)

    def _served(self, contexts: Sequence[Context]) -> Evidence:
        self._read += [one for one in contexts if one not in self._read]
        return replace(self._found, contexts=tuple(contexts))

"""What to look for, and what to read, after a reading that found no answer: always something new."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from answerer.answer import Answer, Question
from answerer.asking import content_words
from retriever.evidence import Context, Evidence, within

OLD_SHARE = 0.25
"""How much of a later reading's room goes to the best of what was read: an answer may need both."""
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

"""What to search for: the question itself and other ways of putting it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import ClassVar

from pydantic import BaseModel

from kohaku.chat import Chat, Message, attempt
from kohaku.errors import KohakuError
from kohaku.profile import DEFAULT, Profile
from kohaku.replies import BLANK
from kohaku.store import Store

# Words that ask rather than say: FTS5 weighs them by their rarity, an embedder doesn't.
_ASKING = frozenset(
    re.findall(
        r"\w+",
        """
        a about according an and any are as at be been being by can could did do does for from give given had has have
        how i if in into is it its list many me much name of on or over per please report reported state stated tell
        than that the their them there these they this those to under value was were what when where which who whom
        whose why will with would year
        """,
    )
)
_WRITTEN = re.compile(r"[\w&/+.-]+")
_TOKEN = re.compile(r"[^\s,;:?!()\[\]{}\"“”]+")


class QueryPlan(BaseModel):
    """A model's plan."""

    schema_name: ClassVar[str] = "query_plan"
    queries: list[str]


class Draft(BaseModel):
    """A passage that a model writes: what a document may say, or what the evidence does."""

    schema_name: ClassVar[str] = "draft"
    draft: str


def plan(
    question: str,
    store: Store,
    *,
    limit: int,
    chat: Chat | None = None,
    on_failure: Callable[[KohakuError], None] = lambda error: None,
    profile: Profile = DEFAULT,
) -> tuple[str, ...]:
    """At most `limit` distinct queries, the question itself first.

    Rules plan where no model is given, or where it fails: `on_failure` is told. NoAccess comes out. The `profile` says
    how, and what the field's terms are in other words.
    """
    if chat is not None and limit > 1:
        queries = attempt(partial(asked, question, chat, limit - 1, profile), on_failure)
        if queries is not None:
            return _first([question, *queries], limit)
    return _first(ruled(question, store, profile), limit)


def asked(question: str, chat: Chat, count: int, profile: Profile = DEFAULT) -> list[str]:
    """A model's queries for a question."""
    request = f"Question:\n{question}\n\nReply with at most {count} queries."
    return chat.ask([Message("system", profile.planning(question)), Message("user", request)], QueryPlan).queries


def imagined(
    question: str, chat: Chat, *, on_failure: Callable[[KohakuError], None], profile: Profile = DEFAULT
) -> str:
    """A passage that would answer the question if it stood in a document; "" where the model fails to write one.

    It is made up, and serves only to look for passages like it (HyDE: Gao et al. 2022). NoAccess comes out.
    """
    messages = [Message("system", profile.prompts.imagine), Message("user", f"Question:\n{question}")]
    reply = attempt(partial(chat.ask, messages, Draft), on_failure)
    draft = reply.draft.strip() if reply else ""
    return "" if draft == BLANK else draft


def ruled(question: str, store: Store, profile: Profile = DEFAULT) -> list[str]:
    """The question, its key terms, its acronyms spelt both ways where the corpus defines them, the field's terms."""
    written = {word.strip("&/+.-_") for word in _WRITTEN.findall(question) if word != word.lower()}
    long = store.spelt(written | {word.removesuffix("s") for word in written})
    acronyms = _respelt(question, long, store.shortened(question))
    return [question, key_terms(question), *acronyms, *profile.respelt(question)]


def key_terms(question: str) -> str:
    """A question without the words that only ask.

    >>> key_terms("What was the power usage effectiveness of Lake Site in 2023?")
    'power usage effectiveness Lake Site 2023'
    """
    tokens = (token.strip(".'’") for token in _TOKEN.findall(question))
    return " ".join(token for token in tokens if token and token.casefold() not in _ASKING)


def _respelt(question: str, long: Mapping[str, str], short: Mapping[str, str]) -> Iterable[str]:
    """The question with each acronym as its words and each of the words as their acronym, in one pass; plurals too."""
    other = {words.casefold(): acronym for words, acronym in short.items()}
    forms = [*map(re.escape, long), *(f"(?i:{re.escape(words)})" for words in sorted(short, key=len, reverse=True))]
    if not forms:
        return

    def respelt(found: re.Match[str]) -> str:
        form, plural = found.groups()
        return (long.get(form) or other.get(form.casefold(), form)) + plural

    text = re.sub(rf"(?<!\w)({'|'.join(forms)})(s?)(?!\w)", respelt, question)
    if text != question:
        yield text


def _first(queries: Iterable[str], limit: int) -> tuple[str, ...]:
    distinct: dict[str, str] = {}
    for query in queries:
        if query.strip():
            distinct.setdefault(" ".join(query.casefold().split()), query.strip())
    return tuple(list(distinct.values())[:limit]) or ("",)

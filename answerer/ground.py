"""Whether a value stands in the text that is cited for it, or follows from it: nothing is believed for being said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from answerer.aim import aim
from answerer.amounts import numeric
from answerer.answer import Citation, Grounding, How, Question, Span
from answerer.asking import claim
from answerer.attached import name_is_of_other
from answerer.figures import lines
from answerer.hostile import gives_orders
from answerer.quantities import quantities
from answerer.quotes import alike, exact
from answerer.statements import contradicts
from answerer.values import Form, asks_true_or_false, parse
from answerer.where import Where, held
from retriever.evidence import Context

SHORTEST_NAME = 5  # letters from which a name may stand in another form: Wednesday in "on Wednesdays"


def ground(
    question: Question, value: str, shown: str, contexts: Sequence[Context], citations: Sequence[Citation] = ()
) -> Grounding:
    """How a value follows from contexts, with the places that bear it: the best of each document.

    `shown` is what the answer says of how it was found; arithmetic in it counts as far as its numbers stand in the
    contexts or the question, and the result is recomputed. True or false, yes or no, stand on their citations, or
    without such on sentences that say, or deny, what the question states. A context that gives orders to its reader
    bears nothing, and a place that speaks of something else than what is asked bears no value.
    """
    sound = [context for context in contexts if not gives_orders(context.text)]
    quoted = [citation for citation in citations if any(one.node == citation.node for one in sound)]
    where = Where(question, sound, quoted)
    wanted = parse(value)
    if asks_true_or_false(question.text) or wanted.form is Form.BOOLEAN:
        spans = tuple(_cited(citation) for citation in quoted) or _judged(where, value)
        return Grounding(How.STATED if spans else How.UNGROUNDED, spans)
    if wanted.form in (Form.NUMBER, Form.RANGE):
        return numeric(where, wanted, shown)
    named = _named(where, value)
    if named is not None and named.how is not How.UNGROUNDED:
        return named
    return _listed(where, value, shown) or named or Grounding(How.UNGROUNDED)


def _cited(citation: Citation) -> Span:
    return Span(citation.document, citation.node, citation.quote)


# --- statements

SAID = 0.6  # of a statement's words: a sentence that has as many speaks of the same thing


def _judged(where: Where, value: str) -> tuple[Span, ...]:
    """The best sentence of each document that says what a statement does, or where it is called false denies it."""
    statement, wanted = claim(where.question.text), held(claim(where.question.text))
    is_true, given = parse(value).low != 0, {found.low for found in quantities(statement)}
    best: dict[str, tuple[int, Span]] = {}
    for context in where.contexts:
        for start, end in lines(context.text):
            sentence = context.text[start:end].strip()
            shared = len(wanted & held(sentence))
            if shared < SAID * len(wanted) or not shared or contradicts(statement, sentence) is is_true:
                continue
            if is_true and given - {found.low for found in quantities(sentence)}:
                continue
            if shared > best.get(context.document, (0,))[0]:
                best[context.document] = shared, Span(context.document, context.node, sentence)
    return tuple(span for _, span in sorted(best.values(), key=lambda one: -one[0]))


# --- names

_PARTS = re.compile(r"\s*[,;]\s*(?:and\s+|or\s+)?|\s+and\s+")


def _named(where: Where, value: str) -> Grounding | None:
    """A name by its words, nearly its words where it is long, or all its words in one sentence; None where it is not
    there. Where it stands only as the name of something else, it is ungrounded.
    """
    why = ""
    for find in (exact, alike, _all_words):
        found: dict[str, tuple[tuple[bool, int], int, Span]] = {}
        for rank, context in enumerate(where.contexts):
            for line, start, end in _places(find, value, context.text):
                other = name_is_of_other(aim(where.question), context.text[slice(*line)], start, end)
                one = (where.weight(context, *line), -rank, where.span(context, line))
                if other:
                    why = why or f"{value}: {other}"
                elif context.document not in found or one[:2] > found[context.document][:2]:
                    found[context.document] = one
        if found:
            spans = sorted(found.values(), key=lambda one: one[:2], reverse=True)
            return Grounding(How.STATED, tuple(span for _, _, span in spans))
        if why:
            return Grounding(How.UNGROUNDED, (), why)
    return None


def _places(
    find: Callable[[str, str], tuple[int, int] | None], value: str, text: str
) -> Iterator[tuple[tuple[int, int], int, int]]:
    """The lines that have a value, and where in each: the first in the text, then any other that has it whole."""
    first = find(value, text)
    if first is None:
        return
    all_lines = lines(text)
    line = next((line for line in all_lines if line[0] <= first[0] < line[1]), first)
    yield line, first[0] - line[0], first[1] - line[0]
    for other in all_lines:
        at = exact(value, text[slice(*other)]) if other != line else None
        if at is not None:
            yield other, *at


def _all_words(value: str, text: str) -> tuple[int, int] | None:
    """A sentence that has all the words of a value, in whatever form."""
    wanted = held(value)
    if not wanted or len(value) < SHORTEST_NAME:
        return None
    return next((line for line in lines(text) if wanted <= held(text[slice(*line)])), None)


def _listed(where: Where, value: str, shown: str) -> Grounding | None:
    """A list, each of its elements by itself; None where one is not found or the value is no list."""
    parts = [part.strip(" '\"[](){}") for part in _PARTS.split(value.strip(" []{}()"))]
    parts = [part for part in parts if part]
    if len(parts) < 2:
        return None
    found = [_element(where, part, shown) for part in parts]
    if any(one.how is How.UNGROUNDED for one in found):
        return None
    if stray := _stray(where, parts, found):
        return Grounding(How.UNGROUNDED, (), f"{stray} stands apart from the others, and from what is asked")
    how = max((one.how for one in found), key=list(How).index)
    return Grounding(how, tuple(_all(one.spans[:1] for one in found)), "; ".join(one.note for one in found if one.note))


def _stray(where: Where, parts: Sequence[str], found: Sequence[Grounding]) -> str:
    """An element of a list whose sentences have no word of the question, where two others share one that has."""
    told = [{span.text for span in one.spans} for one in found]
    wanted = held(where.question.text)
    shared = {text for text in set().union(*told) if sum(text in texts for texts in told) > 1 and wanted & held(text)}
    for part, texts in zip(parts, told, strict=True):
        if shared and not texts & shared and not any(wanted & held(text) or not text.endswith(".") for text in texts):
            return part
    return ""


def _element(where: Where, part: str, shown: str) -> Grounding:
    wanted = parse(part)
    if wanted.form in (Form.NUMBER, Form.RANGE):
        return numeric(where, wanted, shown)
    return _named(where, part) or Grounding(How.UNGROUNDED)


def _all(groups: Iterable[Iterable[Span]]) -> Iterator[Span]:
    yield from dict.fromkeys(span for group in groups for span in group)

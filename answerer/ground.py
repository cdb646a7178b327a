"""Whether a value stands in the text that is cited for it, or follows from it: nothing is believed for being said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from answerer.aim import aim, named_years
from answerer.amounts import amount
from answerer.answer import Citation, Grounding, How, Question, Span
from answerer.asking import claim, terms, years
from answerer.attached.checks import name_is_of_other
from answerer.attached.counted import counted
from answerer.computed import computed
from answerer.figures import line_at, lines
from answerer.hostile import gives_orders
from answerer.match import NEARBY, weights
from answerer.passages import Sentence, sentences
from answerer.quantities import Quantity, quantities
from answerer.quotes import SHORT, alike, exact
from answerer.statements import contradicts, follows, is_turned, wishes, without_bounds
from answerer.values import Form, Value, asks_true_or_false, parse
from answerer.where import Where, held
from kohaku.words import is_year
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
        statement = claim(question.text)
        spans = tuple(_cited(one) for one in quoted if _speaks(one, statement)) or _judged(where, value)
        return Grounding(How.STATED if spans else How.UNGROUNDED, spans)
    if wanted.form in (Form.NUMBER, Form.RANGE):
        return _numeric(where, wanted, shown)
    named = _named(where, value)
    if named is not None and named.how is not How.UNGROUNDED:
        return named
    return _listed(where, value, shown) or named or Grounding(How.UNGROUNDED)


_LATIN = re.compile(r"[a-z]{3}", re.IGNORECASE)


def _cited(citation: Citation) -> Span:
    return Span(citation.document, citation.node, citation.quote)


def _speaks(citation: Citation, statement: str) -> bool:
    """Whether a quote has a word of a statement; one in another script, whose words can't be the same, has some."""
    if bool(_LATIN.search(citation.quote)) != bool(_LATIN.search(statement)):
        return sum(map(str.isalpha, citation.quote)) >= SHORT // 2
    return not set(terms(citation.quote)).isdisjoint(terms(statement))


def _numeric(where: Where, wanted: Value, shown: str) -> Grounding:
    """A number or a range as it is stated or converted, else as it is computed.

    Where it stands only in places that speak of something else, the grounding says so in its note.
    """
    found = amount(where, wanted)
    return found if found.how is not How.UNGROUNDED else computed(where, wanted, shown) or found


# --- statements

OWN, WITH_AROUND = 0.4, 0.55
"""Of a statement's words, weighed by their rarity, how much a sentence must say itself, and with what is around it."""


def _judged(where: Where, value: str) -> tuple[Span, ...]:
    """The sentence that speaks most of a statement in each document, where the best of all says what the value does.

    Wishes, proposals and conditions say nothing of what is so. A number of the statement must stand in a sentence that
    bears it; a year may stand around it, where it names none itself.
    """
    statement = claim(where.question.text)
    found: list[tuple[float, bool, Span]] = []
    for one, told in _speaking(where, statement):
        if is_turned(statement, one.text):
            continue
        denies = contradicts(statement, one.text)
        if denies or _has_its_numbers(one, statement):
            found.append((told, not denies, Span(one.context.document, one.context.node, one.text)))
    found.sort(key=lambda one: -one[0])
    if not found or found[0][1] is (parse(value).low == 0):
        return ()
    best = {span.document: span for _, says, span in reversed(found) if says is found[0][1]}
    return tuple(best[document] for document in dict.fromkeys(one[2].document for one in found) if document in best)


def _has_its_numbers(one: Sentence, statement: str) -> bool:
    """Whether a sentence has a statement's numbers, but for a year that stands around it; a row must have one.

    A year by which the statement names a law or a work may stand anywhere in its document's evidence.
    """
    given = {number.low for number in quantities(statement)}
    missing = given - {number.low for number in quantities(one.text)}
    missing -= {number.low for number in quantities(statement) if follows(statement, number, one.text)}
    if not one.row.cells and any(_counts_another(one.text, statement, number) for number in quantities(statement)):
        return False
    around = frozenset[str]() if years(one.words) else one.held
    around |= named_years(statement) & one.spoken
    return all(f"{low:f}" in around and is_year(f"{low:f}") for low in missing) and (
        not one.row.cells or missing < given
    )


def _counts_another(text: str, statement: str, number: Quantity) -> bool:
    """Whether a number of a statement counts something else in a text, though the text speaks of the same thing too."""
    own = counted(statement, number)
    there = [counted(text, one) for one in quantities(text) if one.low == number.low]
    return bool(there and own & held(text)) and all(other and not other & own for other in there)


def _speaking(where: Where, statement: str) -> Iterator[tuple[Sentence, float]]:
    """The sentences that speak of a statement, each with how much of it they and what is around them say."""
    held_all = sentences(where.contexts)
    weighed = weights(frozenset(terms(without_bounds(statement))), held_all)
    may_wish = wishes(statement)
    for one in held_all:
        own = sum(weight for word, weight in weighed.items() if word in one.words)
        around = sum(weight for word, weight in weighed.items() if word in one.nearby - one.words)
        if own >= OWN and own + NEARBY * around >= WITH_AROUND and (may_wish or not wishes(one.text)):
            yield one, own + NEARBY * around


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
            for line, place in _places(find, value, context.text):
                other = name_is_of_other(aim(where.question), context.text, line, place)
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
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The lines that have a value, and where it stands: the first in the text, then any other that has it whole."""
    first = find(value, text)
    if first is None:
        return
    line = line_at(text, first[0]) or first
    yield line, first
    for other in lines(text):
        at = exact(value, text[slice(*other)]) if other != line else None
        if at is not None:
            yield other, (other[0] + at[0], other[0] + at[1])


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
    spans = dict.fromkeys(span for one in found for span in one.spans[:1])
    return Grounding(how, tuple(spans), "; ".join(one.note for one in found if one.note))


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
        return _numeric(where, wanted, shown)
    return _named(where, part) or Grounding(How.UNGROUNDED)

"""Whether a value stands in the text that is cited for it, or follows from it: nothing is believed for being said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from answerer.answer import Citation, Grounding, How, Question, Span
from answerer.arithmetic import Sum, agree, sums, told
from answerer.asking import asked, claim, terms
from answerer.cells import scale_of
from answerer.figures import Number, lines, numbers, row_unit
from answerer.hostile import gives_orders
from answerer.measures import converted
from answerer.quantities import Quantity, quantities, spelled
from answerer.quotes import alike, exact
from answerer.statements import contradicts
from answerer.units import Unit
from answerer.values import Form, Value, asks_true_or_false, parse
from kohaku.words import CJK
from retriever.evidence import GAP, Context

CLOSE = Decimal("1e-6")  # two spellings of one number; far below the difference of two years
SHORTEST_NAME = 5  # letters from which a name may stand in another form: Wednesday in "on Wednesdays"
PERCENT = Decimal(100)


def ground(
    question: Question, value: str, shown: str, contexts: Sequence[Context], citations: Sequence[Citation] = ()
) -> Grounding:
    """How a value follows from contexts, with the places that bear it: the best of each document.

    `shown` is what the answer says of how it was found; arithmetic in it counts as far as its numbers stand in the
    contexts or the question, and the result is recomputed. True or false, yes or no, stand on their citations, or
    without such on sentences that say, or deny, what the question states. A context that gives orders to its reader
    bears nothing.
    """
    sound = [context for context in contexts if not gives_orders(context.text)]
    quoted = [citation for citation in citations if any(one.node == citation.node for one in sound)]
    place = _Place(question, sound, quoted)
    wanted = parse(value)
    if asks_true_or_false(question.text) or wanted.form is Form.BOOLEAN:
        spans = tuple(_cited(citation) for citation in quoted) or _judged(place, value)
        return Grounding(How.STATED if spans else How.UNGROUNDED, spans)
    if wanted.form in (Form.NUMBER, Form.RANGE):
        return _numeric(place, wanted, shown)
    return _named(place, value) or _listed(place, value, shown) or Grounding(How.UNGROUNDED)


_FOREIGN = re.compile(f"[{CJK}]")  # no word of the question can stand there


@dataclass(frozen=True, slots=True)
class _Place:
    """Where values are looked for: what is asked, the contexts, and the quotes in them that were found."""

    question: Question
    contexts: Sequence[Context]
    citations: Sequence[Citation]

    @property
    def unit(self) -> Unit | None:
        return asked(self.question).unit

    def weight(self, context: Context, start: int, end: int) -> tuple[bool, int]:
        """How much speaks for a line: that it is quoted, then how many of the question's words it has."""
        line = context.text[start:end]
        quoted = any(citation.node == context.node and _overlap(citation.quote, line) for citation in self.citations)
        return quoted, len(_terms(self.question.text) & _terms(line))

    def bears(self, context: Context, start: int, end: int) -> bool:
        """Whether a line has a word of the question, itself or in what stands over it: any other holds by chance."""
        wanted = _terms(self.question.text)
        if _FOREIGN.search(line := context.text[start:end]) and not _FOREIGN.search(self.question.text):
            return bool(line)
        around = " ".join((context.text[max(0, start - 300) : end + 100], context.title, *context.headings))
        return not wanted or bool(wanted & _terms(around)) or self.weight(context, start, end)[0]


def _overlap(quote: str, line: str) -> bool:
    one, other = " ".join(quote.split()), " ".join(line.split())
    return other in one or any(part.strip() in other for part in one.split(GAP))


@lru_cache(maxsize=4096)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _cited(citation: Citation) -> Span:
    return Span(citation.document, citation.node, citation.quote)


# --- numbers


def _numeric(place: _Place, wanted: Value, shown: str) -> Grounding:
    """A number or a range as it is stated or converted, else as it is computed."""
    found = _amount(place, wanted)
    return found if found.how is not How.UNGROUNDED else _computed(place, wanted, shown) or found


def _amount(place: _Place, wanted: Value) -> Grounding:
    """A number or a range as the contexts state it, or as it is converted."""
    found: list[tuple[How, tuple[bool, int], int, Span, str]] = []
    for rank, context in enumerate(place.contexts):
        for hows, places, note in _matches(place, wanted, context):
            words = GAP.join(context.text[slice(*line)].strip() for line in dict.fromkeys(places))
            how = How.CONVERTED if How.CONVERTED in hows else How.STATED
            found.append(
                (how, place.weight(context, *places[0]), -rank, Span(context.document, context.node, words), note)
            )
    found.sort(key=lambda one: (one[1][0], one[0] is How.STATED, one[1][1], one[2]), reverse=True)
    best = {span.document: (how, span, note) for how, _, _, span, note in reversed(found)}
    if not best:
        return Grounding(How.UNGROUNDED)
    order = [one[3].document for one in found]
    kept = [best[document] for document in dict.fromkeys(order)]
    stated = any(how is How.STATED for how, _, _ in kept)
    return Grounding(
        How.STATED if stated else How.CONVERTED, tuple(span for _, span, _ in kept), "" if stated else kept[0][2]
    )


def _matches(place: _Place, wanted: Value, context: Context) -> Iterator[tuple[list[How], list[tuple[int, int]], str]]:
    """How, in which lines, and by what conversion a context has the number, or both ends of the range."""
    low, high = wanted.low, wanted.high
    if low is None or high is None:
        return
    ends: list[list[tuple[How, tuple[int, int], str]]] = [[], []]
    unit = _unit(place, wanted)
    for number in numbers(context.text):
        if _by_chance(wanted) and not (
            (unit is not None and number.quantity.names(unit)) or place.bears(context, *number.line)
        ):
            continue
        number = _in_row_unit(number, unit, context.text)
        readings = [*_readings(number, unit, place.question.unit), *_in_the_question_s_scale(number, place.question)]
        if wanted.form is Form.RANGE:
            for one, other, how, note in readings:
                if number.quantity.is_range and _same(one, low, number, how) and _same(other, high, number, how):
                    yield [how], [number.line], note
        for end, amount in enumerate((low, high)):
            match = next(
                (
                    (how, note)
                    for one, other, how, note in readings
                    for held in (one, other)
                    if _same(held, amount, number, how)
                ),
                None,
            )
            if match:
                ends[end].append((match[0], number.line, match[1]))
    if wanted.form is Form.NUMBER:
        yield from (([how], [line], note) for how, line, note in ends[0])
    elif ends[0] and ends[1]:
        # both ends in one line, if there is such a line
        pairs = [(first, last) for first in ends[0] for last in ends[1]]
        first, last = next((pair for pair in pairs if pair[0][1] == pair[1][1]), pairs[0])
        yield [first[0], last[0]], [first[1], last[1]], first[2] or last[2]


def _in_row_unit(number: Number, unit: Unit | None, text: str) -> Number:
    """A table's bare number in the unit that its row names: 4.3 under "Net tCO2e" is no 4.3 kg."""
    if unit is None or not unit.known or number.quantity.unit is not None:
        return number
    named = row_unit(text[slice(*number.line)], unit.dimension)
    return replace(number, quantity=replace(number.quantity, unit=named)) if named else number


def _by_chance(wanted: Value) -> bool:
    """Whether a number is so short that some other thing's may be the same: of one or two digits."""
    ends = (wanted.low, wanted.high)
    return wanted.form is Form.NUMBER and all(end is not None and len(end.as_tuple().digits) < 3 for end in ends)


def _unit(place: _Place, wanted: Value) -> Unit | None:
    return place.unit or (wanted.quantity.unit if wanted.quantity else None)


def _same(held: Decimal, amount: Decimal, number: Number, how: How) -> bool:
    """Whether two spellings are of one number, which a conversion may round; a negative one must be told as such."""
    if how is How.CONVERTED and not agree(abs(held), abs(amount)):
        return False
    if how is How.STATED and abs(abs(held) - abs(amount)) > CLOSE * abs(amount):
        return False
    return amount >= 0 or held < 0 or number.falls


def _readings(number: Number, unit: Unit | None, name: str) -> Iterator[tuple[Decimal, Decimal, How, str]]:
    """What a number of a text may be in the unit asked for: low, high, how, and what was done to it."""
    one = number.quantity
    own = f"{one.low.normalize():f}" + (f"-{one.high.normalize():f}" if one.is_range else "")
    share = one.unit is not None and one.unit.dimension == "share"
    if unit is None or not unit.known or one.unit is None or unit.dimension in _dimensions(one):
        amounts = one.amounts(unit) if unit is not None else (one.low, one.high)
        if amounts is not None:
            written = amounts in ((one.low, one.high), (one.low / one.scale, one.high / one.scale))
            stated = unit is None or one.unit is None or not unit.known or written
            yield *amounts, How.STATED if stated else How.CONVERTED, "" if stated else f"{own} converted"
        if one.scale > 1 and (one.unit is None or unit is None or not unit.known):
            yield one.low, one.high, How.STATED, ""  # the value may have the scale's zeros or leave them to the unit
            yield one.low / one.scale, one.high / one.scale, How.STATED, ""
    if number.scale > 1 and not share:
        scaled = one.low * number.scale, one.high * number.scale
        yield *scaled, How.CONVERTED, f"{own} × {number.scale} ({number.scale_words})"
        if unit is not None and unit.factor > 1 and not unit.known:
            yield scaled[0] / unit.factor, scaled[1] / unit.factor, How.CONVERTED, f"{own} ({number.scale_words})"
    if share and (unit is None or not unit.known or unit.dimension == "times"):
        yield one.low / PERCENT, one.high / PERCENT, How.CONVERTED, f"{own} % as a fraction"
    if unit is not None and unit.dimension == "share" and one.unit is None and abs(one.high) <= 1:
        yield one.low * PERCENT, one.high * PERCENT, How.CONVERTED, f"{own} in percent"
    yield from _measured(number, unit, name, own)


def _in_the_question_s_scale(number: Number, question: Question) -> Iterator[tuple[Decimal, Decimal, How, str]]:
    """A bare number where the question names the scale: "in million litres" for a value in litres."""
    one, scale = number.quantity, scale_of(question.text)
    if scale is not None and one.scale == 1:
        low, high = one.low * scale.factor, one.high * scale.factor
        yield low, high, How.CONVERTED, f"{one.low.normalize():f} ({scale.words})"


def _measured(number: Number, unit: Unit | None, name: str, own: str) -> Iterator[tuple[Decimal, Decimal, How, str]]:
    """The number in units that only pint knows."""
    one = number.quantity
    for beside in number.beside if unit is not None and name else ():
        low, high = converted(one.low, beside, name), converted(one.high, beside, name)
        if low is not None and high is not None:
            yield low, high, How.CONVERTED, f"{own} {beside} converted"
            return


def _dimensions(one: Quantity) -> set[str]:
    return {own.dimension for own in (one.unit, one.rate) if own is not None}


# --- arithmetic


def _computed(place: _Place, wanted: Value, shown: str) -> Grounding | None:
    """The value as the result of arithmetic that the answer shows, each of its numbers found; None where it is none."""
    if wanted.low is None or wanted.high is None:
        return None
    spans: list[Span] = []
    notes: list[str] = []
    derived: list[tuple[Decimal, tuple[Span, ...]]] = []
    ends = dict.fromkeys((wanted.low, wanted.high))
    for one in (*sums(shown), *told(shown)):
        held = _operands(place, one, derived)
        if not held:
            continue
        derived += [(result, held) for result in one.results] + [
            (stated.low, held) for stated in one.stated if any(agree(result, stated.low) for result in one.results)
        ]
        for end in ends:
            if any(operand.low == end for operand in one.operands) or not one.gives(end, place.unit):
                continue
            notes.append(f"{one.text} = {end:f}")
            spans += held
            ends = {other: None for other in ends if other != end}
        if not ends:
            return Grounding(How.COMPUTED, tuple(dict.fromkeys(spans)), "; ".join(notes))
    return None


def _operands(place: _Place, one: Sum, derived: Sequence[tuple[Decimal, tuple[Span, ...]]]) -> tuple[Span, ...]:
    """Where the numbers of a sum stand; nothing where one of them stands nowhere, or all of them in the question."""
    given = {found.low for found in (*quantities(place.question.text), *spelled(place.question.text))}
    spans: list[Span] = []
    for operand in one.needed():
        found = _operand(place, operand) or next((held for result, held in derived if result == operand.low), ())
        if not found and operand.low not in given:
            return ()
        spans += found
    return tuple(dict.fromkeys(spans))


def _operand(place: _Place, operand: Quantity) -> tuple[Span, ...]:
    best: list[tuple[tuple[bool, int], int, Span]] = []
    for rank, context in enumerate(place.contexts):
        for number in numbers(context.text):
            readings = _readings(number, operand.unit, "")
            if any(_same(held, operand.low, number, how) for low, high, how, _ in readings for held in (low, high)):
                span = Span(context.document, context.node, context.text[slice(*number.line)].strip())
                best.append((place.weight(context, *number.line), -rank, span))
    return (max(best, key=lambda one: one[:2])[2],) if best else ()


# --- statements

SAID = 0.6  # of a statement's words: a sentence that has as many speaks of the same thing


def _judged(place: _Place, value: str) -> tuple[Span, ...]:
    """The best sentence of each document that says what a statement does, or where it is called false denies it."""
    statement, wanted = claim(place.question.text), _terms(claim(place.question.text))
    is_true, given = parse(value).low != 0, {found.low for found in quantities(statement)}
    best: dict[str, tuple[int, Span]] = {}
    for context in place.contexts:
        for start, end in lines(context.text):
            sentence = context.text[start:end].strip()
            shared = len(wanted & _terms(sentence))
            if shared < SAID * len(wanted) or not shared or contradicts(statement, sentence) is is_true:
                continue
            if is_true and given - {found.low for found in quantities(sentence)}:
                continue
            if shared > best.get(context.document, (0,))[0]:
                best[context.document] = shared, Span(context.document, context.node, sentence)
    return tuple(span for _, span in sorted(best.values(), key=lambda one: -one[0]))


# --- names

_PARTS = re.compile(r"\s*[,;]\s*(?:and\s+|or\s+)?|\s+and\s+")


def _named(place: _Place, value: str) -> Grounding | None:
    """A name by its words, nearly its words where it is long, or all its words in one sentence."""
    for find in (exact, alike, _all_words):
        found: dict[str, tuple[tuple[bool, int], int, Span]] = {}
        for rank, context in enumerate(place.contexts):
            at = find(value, context.text)
            if at is None:
                continue
            line = next((line for line in lines(context.text) if line[0] <= at[0] < line[1]), at)
            span = Span(context.document, context.node, context.text[slice(*line)].strip())
            one = (place.weight(context, *line), -rank, span)
            if context.document not in found or one[:2] > found[context.document][:2]:
                found[context.document] = one
        if found:
            spans = sorted(found.values(), key=lambda one: one[:2], reverse=True)
            return Grounding(How.STATED, tuple(span for _, _, span in spans))
    return None


def _all_words(value: str, text: str) -> tuple[int, int] | None:
    """A sentence that has all the words of a value, in whatever form."""
    wanted = _terms(value)
    if not wanted or len(value) < SHORTEST_NAME:
        return None
    return next((line for line in lines(text) if wanted <= _terms(text[slice(*line)])), None)


def _listed(place: _Place, value: str, shown: str) -> Grounding | None:
    """A list, each of its elements by itself; None where one is not found or the value is no list."""
    parts = [part.strip(" '\"[](){}") for part in _PARTS.split(value.strip(" []{}()"))]
    parts = [part for part in parts if part]
    if len(parts) < 2:
        return None
    found = [_element(place, part, shown) for part in parts]
    if any(one.how is How.UNGROUNDED for one in found):
        return None
    how = max((one.how for one in found), key=list(How).index)
    return Grounding(how, tuple(_all(one.spans[:1] for one in found)), "; ".join(one.note for one in found if one.note))


def _element(place: _Place, part: str, shown: str) -> Grounding:
    wanted = parse(part)
    if wanted.form in (Form.NUMBER, Form.RANGE):
        return _numeric(place, wanted, shown)
    return _named(place, part) or Grounding(How.UNGROUNDED)


def _all(groups: Iterable[Iterable[Span]]) -> Iterator[Span]:
    yield from dict.fromkeys(span for group in groups for span in group)

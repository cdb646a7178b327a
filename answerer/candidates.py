"""What of the evidence may be an answer, by the kind of thing asked for, and how much speaks for each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from answerer import cells
from answerer.about import (
    BROKEN,
    UNASKED,
    akin,
    broken,
    holds,
    is_labelled,
    lacks_head,
    lacks_office,
    lacks_rate,
    narrowed,
)
from answerer.answer import Question
from answerer.asking import DATE, Asked, Kind, claim, terms, years
from answerer.cells import Row
from answerer.changes import State, asked_states, parted, tells_change
from answerer.match import closeness, is_of_another
from answerer.measured import Measure
from answerer.names import named
from answerer.others import is_of_classmate, is_whole
from answerer.passages import MONEY, Sentence
from answerer.periods import compared, is_paired_with_another
from answerer.periods import is_of_another as is_of_another_period
from answerer.quantities import Quantity, quantities, spelled, without_pointers
from answerer.statements import contradicts, wishes
from answerer.units import Unit, is_money
from answerer.values import written
from kohaku.words import stem

UNIT_BESIDE, WORD_CLOSE, RANK, AGREEMENT = 0.30, 0.50, 0.10, 0.10
"""What a value gains at most: its unit beside it, the question's words close by, an early context, a second source.

Coverage of the question's words by the sentence gives at most 1. Chosen by hand on two small question sets and
rounded; moving any by a half changes few answers.
"""
OTHER_CODE = -0.30
"""What a sentence loses that is about another of a series than the question: BX-40, not BX-60."""
LABEL = 0.30
"""What a table's row gains at most where its label is what the question names."""
WHOLE_LABEL = 0.20
"""What it gains besides where the question has the label word for word, and where it has the column's head."""
NO_LABEL = -0.30
"""What it loses where the question has none of the label's words: another row may be meant just as well."""
NO_NOUN = -0.35
"""What a number loses where what is to be counted stands neither in its sentence nor around it."""
UNHEARD_NOUN = -0.30
"""What it loses besides where all the evidence from its document never speaks of that."""
ABSTRACT = frozenset(
    map(stem, ("ratio", "number", "count", "score", "index", "rate", "level", "value", "unit", "times"))
)
"""Stems of units that no sentence names."""
OTHER_STATE = -0.40
"""What a number loses that is the other side of a change than the question's."""
NO_UNIT = -0.35
"""What a bare number loses where a unit of measurement was asked for."""


HALF_SAID, MOST_MISSING = -0.25, 0.45
"""What a verdict loses where more of its statement's words, weighed, than this are neither in its sentence nor near."""
REPETITION, MOST_REPETITIONS = 0.05, 3
"""What a value of a table gains for each further place in a document that has it, and how many count."""
OTHER_PERIOD = -0.30
"""What a number loses that is of a quarter where a year is asked for, of the first where the second is."""
NO_HEAD = -0.60
"""What a number loses of the sales where their cost is asked for."""
OLDER = -0.15
"""What it loses in a table's column of an older year, where the question names none."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that may be the answer, the sentence that it stands in, and how much speaks for it.

    `note` tells what was done to the words of the document to make the value, "" where nothing was; `unsaid` is how
    much of what is asked of the subject its sentence does not say.
    """

    value: str
    sentence: Sentence
    score: float
    note: str = ""
    unsaid: float = 0.0


def candidates(
    question: Question, wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]
) -> Iterator[Candidate]:
    """The values of a pool of sentences, each with how well it matches, that are of the kind asked for."""
    if wanted.kind is Kind.STATEMENT:
        return _verdicts(question, pool, weights)
    if wanted.kind is Kind.YES_OR_NO:
        return _yes_or_no(question, wanted, pool)
    if wanted.kind is Kind.NUMBER:
        return _numbers(question, wanted, pool, weights)
    if wanted.kind is Kind.YEAR:
        return _years(wanted, pool, weights)
    if wanted.kind is Kind.NAME:
        return chain(_entries(question, wanted, pool, weights), _names(question, wanted, pool, weights))
    return _names(question, wanted, pool, weights)


def _rank(sentence: Sentence) -> float:
    return RANK / (1 + sentence.rank / 5)


def _numbers(
    question: Question, wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]
) -> Iterator[Candidate]:
    given = {(found.low, found.high) for found in quantities(question.text)}
    states = asked_states(question.text)
    for sentence, coverage in pool:
        apart = broken(sentence.text, wanted)
        for found, side, note in _values(sentence, wanted, question.text, states):
            if (found.low, found.high) in given or (
                states == {State.DIFFERENCE} and side in (State.BEFORE, State.AFTER)
            ):
                continue
            if (wanted.wants_part and is_whole(sentence, found.start, found.end)) or is_of_classmate(
                sentence, found.start, wanted
            ):
                continue
            fit = _fit(found, wanted, sentence)
            value = written(found, wanted.unit) if fit is not None else ""
            if fit is None or not value:
                continue
            close = closeness(sentence, found.start, found.end, weights)
            fit += OTHER_STATE if side is not None and side not in states else 0.0
            fit += OTHER_STATE / 2 if sentence.row.cells and State.BEFORE in states else 0.0
            fit += NO_UNIT if lacks_rate(sentence, question.text) else 0.0
            fit += OTHER_STATE if _lacks_change(sentence, states) else 0.0
            fit += NO_HEAD if lacks_head(sentence, wanted) else 0.0
            fit += _of_row(sentence, found.start, question, wanted)
            fit += _of_period(sentence, found.start, question, wanted)
            fit += BROKEN * apart
            fit += UNASKED if narrowed(sentence, found.start, found.end, wanted) else 0.0
            score = coverage + fit + WORD_CLOSE * close + _rank(sentence)
            yield Candidate(value, sentence, score, f" {note} is read as {value}." if note else "")


def _entries(
    question: Question, wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]
) -> Iterator[Candidate]:
    """The numbers of the rows whose labels say what is asked for, where nothing tells that it is a name."""
    labelled = [(sentence, coverage) for sentence, coverage in pool if is_labelled(sentence, wanted)]
    return _numbers(question, replace(wanted, measure=Measure.OTHER), labelled, weights)


def _is_told_elsewhere(asked: Collection[str], said: str, other: str, *, is_against: bool) -> bool:
    """Whether what a sentence tells, or what it only compares that with, is of the question's years, and not this."""
    held, others = years(terms(said)), years(terms(other))
    if is_against:
        return not held & set(asked)
    return bool(others & set(asked)) and not held & set(asked)


def _lacks_change(sentence: Sentence, states: Collection[State]) -> bool:
    """Whether a table's row is asked for a difference, and has only what there was."""
    return bool(sentence.row.cells) and set(states) == {State.DIFFERENCE} and not tells_change(sentence.text)


def _values(
    sentence: Sentence, wanted: Asked, question: str, states: Collection[State]
) -> Iterator[tuple[Quantity, State | None, str]]:
    """The numbers of a sentence that may be values, with the side of a change and the words of a scale applied."""
    text = without_pointers(sentence.text)
    row = sentence.row
    if not row.cells:
        text = DATE.sub(_blanked, _MARK.sub(_blanked, text))
        for found, side in parted(text, quantities(text)):
            yield found, side, ""
        for found in _counted(text, wanted):
            yield found, None, ""
        return
    for cell in row.cells:
        if cells.is_reference(row, cell) or _is_of_other_years(row, cell, wanted) or _is_only_change(row, cell, states):
            continue
        start, end = cell.value
        for found in quantities(text[start:end]):
            there = replace(found, start=found.start + start, end=found.end + start)
            there = cells.signed(row, cell, there, question)
            there, words = cells.scaled(row, cell, there, wanted.unit, sentence.caption)
            said = sentence.text[there.start : there.end].strip()
            yield cells.with_unit(row, cell, there, sentence.caption), None, f"{said} ({words})" if words else ""


_MARK = re.compile(r"^\W*(?:\(\d{1,2}\)|\d{1,2}[.)])\s")  # of a list's item


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _is_of_other_years(row: Row, cell: cells.Cell, wanted: Asked) -> bool:
    """Whether a cell's label and head name years, and none that the question does."""
    held = years(terms(row.about(cell)))
    return bool(held and wanted.years) and not held & wanted.years


def _is_only_change(row: Row, cell: cells.Cell, states: Collection[State]) -> bool:
    """Whether a column tells but how much something changed, and the question does not ask for that."""
    return State.DIFFERENCE not in states and cells.is_of_change(row, cell)


def _of_row(sentence: Sentence, place: int, question: Question, wanted: Asked) -> float:
    """What a value gains by its row's label, and loses where it is of another than the question names."""
    cell = sentence.row.cell(place)
    if cell is None:
        return OTHER_CODE if is_of_another(sentence.text, question.text) else 0.0
    label = set(terms(sentence.row.own_label()))
    of_another = OTHER_CODE if is_of_another(sentence.row.about(cell), question.text) else 0.0
    if not label:
        return of_another
    share = len(label & wanted.terms) / len(label)
    if not share and cells.is_total(sentence.row):
        return of_another
    if not share:
        return of_another + NO_LABEL
    exact = _in_so_many_words(sentence.row, cell, question.text) if is_labelled(sentence, wanted) else 0
    return of_another + 2 * LABEL * (share - 0.5) + WHOLE_LABEL * exact


def _in_so_many_words(row: Row, cell: cells.Cell, question: str) -> int:
    """How many of a cell's label and head, which is no year, a question has word for word."""
    label, head = row.own_label().strip(" :").casefold(), cells.text_of(row, cell.head).casefold()
    asked = question.casefold()
    return (label in asked) + (len(head) > 1 and head in asked and not years(terms(head)))


def _of_period(sentence: Sentence, place: int, question: Question, wanted: Asked) -> float:
    """What a value loses that is of a shorter or a longer time, of an older one where none is asked for, or only told
    for comparison.
    """
    row, cell = sentence.row, sentence.row.cell(place)
    lost = 0.0
    if cell is None:
        start, end = compared(sentence.text)
        main, against = sentence.text[:start] + sentence.text[end:], sentence.text[start:end]
        said, other = (against, main) if start <= place < end else (main, against)
        if start < end and _is_told_elsewhere(wanted.years, said, other, is_against=said is against):
            lost += OTHER_STATE
        lost += OTHER_STATE if is_paired_with_another(sentence.text, place, question.text) else 0.0
    else:
        said = row.about(cell)
        latest = max((max(years(terms(row.about(one))), default="") for one in row.cells), default="")
        if not wanted.years and latest not in years(terms(said)) and years(terms(said)):
            lost += OLDER
    return lost + (OTHER_PERIOD if is_of_another_period(question.text, said, of_years=bool(wanted.years)) else 0.0)


def _counted(text: str, wanted: Asked) -> list[Quantity]:
    """Numbers in words that count what was asked for: "three papers", but no other "one"."""
    return [found for found in spelled(text) if _is_named(found, wanted)]


def _is_named(found: Quantity, wanted: Asked) -> bool:
    """Whether the unit asked for, or what is counted, stands beside the number."""
    if wanted.unit is not None and wanted.unit.known and found.names(wanted.unit):
        return True
    return any(stem(word) in wanted.nouns for word in _heads(found.words))


def _heads(words: str) -> list[str]:
    """The words behind a number that may be what it counts: "two employee groupings" are no employees.

    >>> _heads("employee groupings of"), _heads("full-time employees in")
    (['groupings', 'of'], ['full', 'employees', 'in'])
    """
    found = re.findall(r"\w+", words)
    follow = [*found[1:], ""]
    return [
        word
        for word, behind in zip(found, follow[: len(found)], strict=True)
        if word.endswith("s") or not (len(behind) > 3 and behind.endswith("s"))
    ]


def _fit(found: Quantity, wanted: Asked, sentence: Sentence) -> float | None:
    """How well a quantity's unit fits what was asked, None where it measures something else."""
    named = _is_named(found, wanted)
    if sentence.row.cells and wanted.noun and not named and _is_aside(sentence.row.own_label(), wanted.noun):
        return None
    if wanted.unit is not None and wanted.unit.known:
        if found.amounts(wanted.unit) is None:
            return None
        if found.unit is None and is_money(wanted.unit) and not _may_be_money(found, sentence):
            return None
        missing = NO_UNIT / 2 if sentence.row.cells else NO_UNIT  # a table's unit may stand in the text around it
        score = UNIT_BESIDE if found.names(wanted.unit) else missing
    elif wanted.measure is None and found.unit is not None and not named and _counted_nouns(wanted):
        return None  # megahertz are no stations
    elif wanted.measure is not None:
        if found.unit is None:
            is_bare = wanted.measure is not Measure.OTHER
            is_bare = is_bare and not (wanted.measure is Measure.MONEY and _may_be_money(found, sentence))
            score = NO_UNIT if is_bare else 0.0
        elif _is_of(found.unit, wanted.measure):
            score = UNIT_BESIDE
        else:
            return None
    else:
        score = UNIT_BESIDE if named else -UNIT_BESIDE if found.unit is not None else 0.0
        score += 0.0 if named else _of_other_things(sentence, wanted)
    if _is_year(found) and not (named and wanted.unit and not wanted.unit.known):
        score += NO_UNIT
    return score + (UNIT_BESIDE if wanted.wants_range and found.is_range else 0.0)


def _is_of(unit: Unit, measure: Measure) -> bool:
    """Whether a unit is one of what is to be measured."""
    if measure is Measure.OTHER:
        return True
    return is_money(unit) if measure is Measure.MONEY else unit.dimension == measure


def _may_be_money(found: Quantity, sentence: Sentence) -> bool:
    """Whether a bare number may be money: its context names a currency, or it is of a table in thousands, say, and its
    document does.
    """
    return MONEY.search(sentence.context.text) is not None or (found.scale > 1 and sentence.of_money)


def _of_other_things(sentence: Sentence, wanted: Asked) -> float:
    """What a number loses where what is to be counted stands neither beside it nor around it, or nowhere at all."""
    nouns = _counted_nouns(wanted)
    around = sentence.words | sentence.nearby | sentence.named
    if not nouns or any(holds(around, noun) for noun in nouns):
        return 0.0
    return NO_NOUN if nouns & sentence.spoken else NO_NOUN + UNHEARD_NOUN


def _counted_nouns(wanted: Asked) -> set[str]:
    """The stems of what is to be counted that evidence in English would name."""
    return {noun for noun in wanted.nouns if noun.isascii() and noun not in ABSTRACT}


def _is_aside(label: str, noun: str) -> bool:
    """Whether a label has what is to be counted, but is of something else: "employee contributions"."""
    held = terms(_QUALIFIED.split(_IN_BRACKETS.sub("", label))[0])
    return any(akin(noun, word) for word in held[:-1]) and not akin(noun, held[-1])


_IN_BRACKETS = re.compile(r"\([^()]*\)")
_QUALIFIED = re.compile(r",|\s(?:at|before|after|by|for|from|in|of|on|per|to|with)\s")


def _is_year(found: Quantity) -> bool:
    """Whether a number looks like a year: "in 2023", and "2023 USD" is no price."""
    is_plain = found.digits.isdigit() and 1900 <= int(found.digits) <= 2100
    return is_plain and (found.unit is None or is_money(found.unit))


_YEAR = re.compile(r"(?<![\w.,-])(?:1[5-9]|20)\d\d(?![\w,-]|\.\d)")


def _years(wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]) -> Iterator[Candidate]:
    for sentence, coverage in pool:
        dates = list(DATE.finditer(sentence.text)) if wanted.wants_date else []
        within = [match.span() for match in dates]
        for match in (*dates, *_YEAR.finditer(sentence.text)):
            is_part = match not in dates and any(start <= match.start() < end for start, end in within)
            if match[0] not in wanted.terms and not is_part:
                close = closeness(sentence, match.start(), match.end(), weights)
                yield Candidate(match[0], sentence, coverage + WORD_CLOSE * close + _rank(sentence))


def _names(
    question: Question, wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]
) -> Iterator[Candidate]:
    own = frozenset(terms(question.text))
    common = _written_small(pool) | set(re.findall(r"\b[a-z]+", question.text))
    for sentence, coverage in pool:
        is_no_label = (wanted.kind is Kind.NAME and not wanted.noun) or is_labelled(sentence, wanted)
        label = sentence.row.label if is_no_label else (0, 0)
        for name in named(sentence, wanted, common):
            if label[0] <= name.start < label[1]:
                continue  # what is asked for is in a row's cells, unless the question names a kind of thing
            held = frozenset(terms(name.text))
            is_free = wanted.choices or wanted.kind in (Kind.EXPANSION, Kind.DEFINITION)
            is_own = not is_free and len(held & own) * 2 > len(held)
            if not held or is_own:
                continue
            start, end = name.start, name.start + len(name.text)
            beside = sentence.text[max(0, start - 25) : end + 25]
            kind = UNIT_BESIDE if wanted.noun and wanted.noun in terms(beside) else 0.0
            close = closeness(sentence, start, end, weights)
            if wanted.kind is Kind.PERSON:
                kind += BROKEN * broken(sentence.text, wanted) + (NO_NOUN if lacks_office(sentence, wanted) else 0.0)
            score = coverage + kind + name.likeness + WORD_CLOSE * close + _rank(sentence)
            yield Candidate(name.text, sentence, score)


def _written_small(pool: Sequence[tuple[Sentence, float]]) -> frozenset[str]:
    """The words that the evidence writes without a capital: whatever they are elsewhere, they are hardly names."""
    texts = {sentence.context.node: sentence.context.text for sentence, _ in pool}
    return frozenset(word for text in texts.values() for word in _SMALL.findall(text))


_SMALL = re.compile(r"(?<![\w-])[a-z]{2,}(?![\w@.]\w)")


# --- statements


def _verdicts(
    question: Question, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]
) -> Iterator[Candidate]:
    statement = claim(question.text)
    judged = ((sentence, coverage, contradicts(statement, sentence.text)) for sentence, coverage in pool)
    said = [one for one in judged if one[2] or wishes(statement) or not wishes(one[0].text)]
    for sentence, coverage, is_denied in said[:3]:
        told = sentence.words | sentence.named | sentence.nearby
        missing = sum(weight for word, weight in weights.items() if word.isalpha() and not holds(told, word))
        score = coverage + _rank(sentence) + WORD_CLOSE * coverage + (HALF_SAID if missing > MOST_MISSING else 0.0)
        yield Candidate("0" if is_denied else "1", sentence, score)


def _yes_or_no(question: Question, wanted: Asked, pool: Sequence[tuple[Sentence, float]]) -> Iterator[Candidate]:
    for sentence, coverage in pool:
        if all(holds(sentence.words | sentence.named, word) for word in wanted.terms):
            value = "No" if contradicts(question.text, sentence.text) else "Yes"
            yield Candidate(value, sentence, coverage + _rank(sentence) + WORD_CLOSE * coverage)


def agreeing(found: Iterable[Candidate]) -> list[Candidate]:
    """The candidates, each with what other places that say the same add to it."""
    listed = list(found)
    places: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for one in listed:
        places[one.value.casefold()].add((one.sentence.context.document, one.sentence.context.node))
    return [replace(one, score=one.score + _agreement(one, places[one.value.casefold()])) for one in listed]


def _agreement(one: Candidate, places: Collection[tuple[str, str]]) -> float:
    """What a value gains by the documents that say the same, and in a table by the other places of its own."""
    documents = {document for document, _ in places}
    again = min(len(places) - len(documents), MOST_REPETITIONS) if one.sentence.row.cells else 0
    return AGREEMENT * (len(documents) > 1) + REPETITION * again

"""What of the evidence may be an answer, by the kind of thing asked for, and how much speaks for each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from answerer import cells
from answerer.answer import Question
from answerer.asking import DATE, Asked, Kind, claim, terms, years
from answerer.cells import Row
from answerer.changes import State, asked_states, parted
from answerer.match import closeness, is_of_another
from answerer.passages import Sentence
from answerer.quantities import Quantity, quantities, spelled, without_pointers
from answerer.statements import contradicts
from answerer.units import is_money, unit
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


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that may be the answer, the sentence that it stands in, and how much speaks for it.

    `note` tells what was done to the words of the document to make the value, "" where nothing was.
    """

    value: str
    sentence: Sentence
    score: float
    note: str = ""


def candidates(
    question: Question, wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]
) -> Iterator[Candidate]:
    """The values of a pool of sentences, each with how well it matches, that are of the kind asked for."""
    if wanted.kind is Kind.STATEMENT:
        return _verdicts(question, pool)
    if wanted.kind is Kind.NUMBER:
        return _numbers(question, wanted, pool, weights)
    if wanted.kind is Kind.YEAR:
        return _years(wanted, pool, weights)
    return _names(question, wanted, pool, weights)


def _rank(sentence: Sentence) -> float:
    return RANK / (1 + sentence.rank / 5)


def _numbers(
    question: Question, wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]
) -> Iterator[Candidate]:
    given = {(found.low, found.high) for found in quantities(question.text)}
    states = asked_states(question.text)
    for sentence, coverage in pool:
        for found, side, note in _values(sentence, wanted):
            if (found.low, found.high) in given or (
                states == {State.DIFFERENCE} and side in (State.BEFORE, State.AFTER)
            ):
                continue
            fit = _fit(found, wanted, sentence)
            value = written(found, wanted.unit) if fit is not None else ""
            if fit is None or not value:
                continue
            close = closeness(sentence, found.start, found.end, weights)
            fit += OTHER_STATE if side is not None and side not in states else 0.0
            fit += _of_row(sentence, found.start, question, wanted)
            score = coverage + fit + WORD_CLOSE * close + _rank(sentence)
            yield Candidate(value, sentence, score, f" {note} is read as {value}." if note else "")


def _values(sentence: Sentence, wanted: Asked) -> Iterator[tuple[Quantity, State | None, str]]:
    """The numbers of a sentence that may be values, with the side of a change and the words of a scale applied."""
    text = without_pointers(sentence.text)
    row = sentence.row
    if not row.cells:
        for found, side in parted(text, quantities(text)):
            yield found, side, ""
        for found in _counted(text, wanted):
            yield found, None, ""
        return
    for cell in row.cells:
        if cells.is_reference(row, cell) or _is_of_other_years(row, cell, wanted):
            continue
        start, end = cell.value
        for found in quantities(text[start:end]):
            there = replace(found, start=found.start + start, end=found.end + start)
            there = cells.signed(row, cell, there)
            there, words = cells.scaled(row, cell, there, wanted.unit, sentence.caption)
            said = sentence.text[there.start : there.end].strip()
            yield cells.with_unit(row, cell, there, sentence.caption), None, f"{said} ({words})" if words else ""


def _is_of_other_years(row: Row, cell: cells.Cell, wanted: Asked) -> bool:
    """Whether a cell's label and head name years, and none that the question does."""
    held = years(terms(row.about(cell)))
    return bool(held and wanted.years) and not held & wanted.years


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
    return of_another + (LABEL * (share - 0.5) if share else NO_LABEL)


def _counted(text: str, wanted: Asked) -> list[Quantity]:
    """Numbers in words that count what was asked for: "three papers", but no other "one"."""
    return [found for found in spelled(text) if _is_named(found, wanted)]


def _is_named(found: Quantity, wanted: Asked) -> bool:
    """Whether the unit asked for, or what is counted, stands beside the number."""
    if wanted.unit is not None and found.names(wanted.unit):
        return True
    return wanted.noun != "" and wanted.noun in {stem(word) for word in re.findall(r"\w+", found.words)}


def _fit(found: Quantity, wanted: Asked, sentence: Sentence) -> float | None:
    """How well a quantity's unit fits what was asked, None where it measures something else."""
    named = _is_named(found, wanted)
    if wanted.unit is not None and wanted.unit.known:
        if found.amounts(wanted.unit) is None:
            return None
        if found.unit is None and is_money(wanted.unit) and not _MONEY.search(sentence.context.text):
            return None
        missing = NO_UNIT / 2 if sentence.row.cells else NO_UNIT  # a table's unit may stand in the text around it
        score = UNIT_BESIDE if found.names(wanted.unit) else missing
    else:
        score = UNIT_BESIDE if named else -UNIT_BESIDE if found.unit is not None else 0.0
        score += 0.0 if named else _of_other_things(sentence, wanted)
    if _is_year(found) and not (named and wanted.unit and not wanted.unit.known):
        score += NO_UNIT
    return score + (UNIT_BESIDE if wanted.wants_range and found.is_range else 0.0)


def _of_other_things(sentence: Sentence, wanted: Asked) -> float:
    """What a number loses where what is to be counted stands neither beside it nor around it, or nowhere at all."""
    head = wanted.unit.dimension.split()[-1:] if wanted.unit is not None and not wanted.unit.known else []
    nouns = {noun for noun in (wanted.noun, *head) if noun and noun.isascii() and noun not in ABSTRACT}
    if not nouns or nouns & (sentence.words | sentence.nearby | sentence.named):
        return 0.0
    return NO_NOUN if nouns & sentence.spoken else NO_NOUN + UNHEARD_NOUN


def _is_year(found: Quantity) -> bool:
    """Whether a number looks like a year: "in 2023", and "2023 USD" is no price."""
    is_plain = found.digits.isdigit() and 1900 <= int(found.digits) <= 2100
    return is_plain and (found.unit is None or found.unit.dimension in ("USD", "EUR", "GBP"))


_MONEY = re.compile(r"[$€£¥]|\b(?:USD|EUR|GBP|JPY|CNY|RMB|dollars?|euros?|pounds?|yen|yuan)\b", re.IGNORECASE)


_YEAR = re.compile(r"(?<![\w.,-])(?:19|20)\d\d(?![\w,-]|\.\d)")


def _years(wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]) -> Iterator[Candidate]:
    for sentence, coverage in pool:
        dates = list(DATE.finditer(sentence.text)) if wanted.wants_date else []
        within = [match.span() for match in dates]
        for match in (*dates, *_YEAR.finditer(sentence.text)):
            is_part = match not in dates and any(start <= match.start() < end for start, end in within)
            if match[0] not in wanted.terms and not is_part:
                close = closeness(sentence, match.start(), match.end(), weights)
                yield Candidate(match[0], sentence, coverage + WORD_CLOSE * close + _rank(sentence))


_NAME = re.compile(
    r"[\"“‘']([^\"”’']{3,60})[\"”’']"
    r"|(?:(?:[A-Z][\w.&’'-]*|[a-z]+[A-Z][\w-]*|\d+[A-Z][\w-]*)(?:\s(?:of|the|for|and|de|&)(?=\s[A-Z]))?\s?)+"
)


def _names(
    question: Question, wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]
) -> Iterator[Candidate]:
    own = frozenset(terms(question.text))
    for sentence, coverage in pool:
        for name, start in _named(sentence, wanted):
            held = frozenset(terms(name))
            if not held or (not wanted.choices and len(held & own) * 2 > len(held)):
                continue
            beside = sentence.text[max(0, start - 25) : start + len(name) + 25]
            kind = UNIT_BESIDE if wanted.noun and wanted.noun in terms(beside) else 0.0
            opening = _FIRST_WORD if start == 0 and " " not in name and not sentence.row.cells else 0.0
            close = closeness(sentence, start, start + len(name), weights)
            yield Candidate(name, sentence, coverage + kind + opening + WORD_CLOSE * close + _rank(sentence))


def _named(sentence: Sentence, wanted: Asked) -> Iterator[tuple[str, int]]:
    if wanted.choices:
        lower = sentence.text.lower()
        for choice in wanted.choices:
            if (at := lower.find(choice.lower())) >= 0:
                yield choice, at
        return
    for match in _NAME.finditer(sentence.text):
        group = 1 if match[1] else 0
        name = match[group].strip().rstrip(".,;:'’-")
        if sentence.row.cells and not _is_in_cell(sentence.row, match.start(group)):
            continue
        if name.lower() in _NO_NAMES or len(name) < 2 or unit(name).known or _is_short_form(sentence.text, match):
            continue
        yield _DAYS.sub(r"\1", name), match.start(group)


def _is_in_cell(row: Row, place: int) -> bool:
    """Whether a place in a row is in a value or in the row's label, not in a head."""
    return row.cell(place) is not None or row.label[0] <= place < row.label[1]


def _is_short_form(text: str, match: re.Match[str]) -> bool:
    """Whether a name is capitals in brackets, short for the words before them: "the harbour wall (HW)"."""
    name = match[0].strip()
    return name.isupper() and " " not in name and text[: match.start()][-1:] == "(" and text[match.end() :][:1] == ")"


_DAYS = re.compile(r"^((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s$")
_FIRST_WORD = -0.15  # a single capital at a sentence's start is mostly no name
_NO_NAMES = frozenset(
    re.findall(
        r"[\w.]+",
        """
        january february march april may june july august september october november december the a an this that
        these those it its we our in on at for from by as and or but if when while however although they their he
        she there here table figure section fig. appendix to of with each all most many some such both not no yes
        more since because thus hence finally first second third also moreover furthermore additionally
        """,
    )
)


# --- statements


def _verdicts(question: Question, pool: Sequence[tuple[Sentence, float]]) -> Iterator[Candidate]:
    statement = claim(question.text)
    for sentence, coverage in pool[:3]:
        value = "0" if contradicts(statement, sentence.text) else "1"
        yield Candidate(value, sentence, coverage + _rank(sentence) + WORD_CLOSE * coverage)


def agreeing(found: Iterable[Candidate]) -> list[Candidate]:
    """The candidates, each with what other documents that say the same add to it."""
    listed = list(found)
    documents: dict[str, set[str]] = defaultdict(set)
    for candidate in listed:
        documents[candidate.value.casefold()].add(candidate.sentence.context.document)
    return [
        replace(candidate, score=candidate.score + AGREEMENT * (len(documents[candidate.value.casefold()]) > 1))
        for candidate in listed
    ]

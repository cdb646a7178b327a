"""The built-in reader: no model, the best sentence and the value in it, or an abstention."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from answerer import cells
from answerer.answer import Answer, Citation, Question
from answerer.asking import Asked, Kind, asked, claim, is_code, terms, years
from answerer.cells import Row
from answerer.changes import State, asked_states, parted
from answerer.ground import ground
from answerer.hostile import gives_orders
from answerer.quantities import Quantity, quantities, spelled, without_pointers
from answerer.statements import contradicts
from answerer.units import is_money, unit
from answerer.values import BLANK, written
from kohaku import rows
from kohaku.words import stem
from retriever.evidence import Context, Evidence

THRESHOLD = 0.25
"""Confidence below which the reader abstains: between 0.2 and 0.3 the contest's metric was flat on two question sets,
and below it nearly nothing was right when the questions stood in other words than their evidence.
"""

NEARBY = 0.5
"""What a question's word counts that stands in the headings, the title or the sentences around, not in this one."""
CLOSE = 50.0
"""Characters over which a word's closeness to a value falls to a third: about eight words."""
POOL = 40
"""Sentences that are looked into for values; the answer was never found further down."""

UNIT_BESIDE, WORD_CLOSE, RANK, AGREEMENT = 0.30, 0.50, 0.10, 0.10
"""What a value gains at most: its unit beside it, the question's words close by, an early context, a second source.

Coverage of the question's words by the sentence gives at most 1. Chosen by hand on two small question sets and
rounded; moving any by a half changes few answers.
"""
OTHER_YEAR = -0.30
"""What a sentence loses that is about another year than the question."""
OTHER_CODE = -0.30
"""What a sentence loses that is about another of a series than the question: BX-40, not BX-60."""
UNHEARD = -0.60
"""What a sentence loses where the question's year stands nowhere in its context, and where the names in the question
stand nowhere in its document's evidence; for some of them, their share.
"""
LABEL = 0.30
"""What a table's row gains at most where its label is what the question names."""
NO_LABEL = -0.30
"""What it loses where the question has none of the label's words: another row may be meant just as well."""
OTHER_STATE = -0.40
"""What a number loses that is the other side of a change than the question's."""
NO_UNIT = -0.35
"""What a bare number loses where a unit of measurement was asked for."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or a table's row, with what is around it.

    `words` are its own terms, `nearby` those of its headings, title and neighbours, `held` those of all its context,
    `spoken` those of all the evidence from its document,
    `named` those of that document's title and id: all of it is about them.
    A row of a table has its cells, and `caption`, the line before the table.
    """

    context: Context
    rank: int
    text: str
    words: frozenset[str]
    nearby: frozenset[str]
    held: frozenset[str]
    spoken: frozenset[str]
    named: frozenset[str]
    row: Row
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that may be the answer, the sentence that it stands in, and how much speaks for it.

    `note` tells what was done to the words of the document to make the value, "" where nothing was.
    """

    value: str
    sentence: Sentence
    score: float
    note: str = ""


def read(question: Question, evidence: Evidence) -> Answer:
    """The best sentence of the evidence with the value in it, by what is asked and its unit; else an abstention."""
    wanted = asked(question)
    best = _best(_considered(question, wanted, evidence))
    if best is None or confidence(best) < THRESHOLD:
        return Answer(question, "", BLANK, "No sentence of the evidence answers this.", is_blank=True)
    return _answer(question, best)


def _considered(question: Question, wanted: Asked, evidence: Evidence) -> list[Candidate]:
    """Every value of the best sentences that may be the answer."""
    sentences = _sentences([context for context in evidence.contexts if not gives_orders(context.text)])
    weights = _weights(wanted.terms, sentences)
    ranked = sorted(
        ((_coverage(sentence, wanted, weights), -sentence.rank, number) for number, sentence in enumerate(sentences)),
        reverse=True,
    )[:POOL]
    pool = [(sentences[number], coverage) for coverage, _, number in ranked if coverage > 0]
    return _agreeing(_candidates(question, wanted, pool, weights))


def confidence(candidate: Candidate) -> float:
    """How sure the reader is, from 0 to 1."""
    return max(0.0, min(1.0, candidate.score / 2))


def _answer(question: Question, best: Candidate) -> Answer:
    context = best.sentence.context
    citation = Citation(context.document, context.node, context.pages, best.sentence.text, context.boxes)
    grounding = ground(question, best.value, "", [context], [citation])
    return Answer(
        question,
        best.sentence.text,
        best.value,
        f"Found without a model: the sentence in {context.document} that best matches the question.{best.note}",
        (context.document,),
        (citation,),
        grounding=grounding,
    )


# --- sentences

_END = re.compile(r"(?<=[.!?])[\"”’)\]]*\s+(?=[\"“‘(\[]?[A-Z0-9])|(?<=[。！？])")
_NO_END = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|vs|cf|Fig|Figs|Eq|Tab|Sec|No|approx|Dr|Mr|Ms|St|U\.S|Inc|Ltd|ca)|\b[A-Z])\.\W*$"
)


def _sentences(contexts: Sequence[Context]) -> list[Sentence]:
    """Every distinct sentence of the contexts, with its surroundings."""
    found: list[Sentence] = []
    seen: set[str] = set()
    documents: dict[str, set[str]] = defaultdict(set)
    for context in contexts:
        documents[context.document].update(_heads(context), terms(context.text))
    for rank, context in enumerate(contexts):
        head = _heads(context)
        named = frozenset(terms(f"{context.title} {context.document}"))
        texts = list(_split(context.text))
        labels = _labels(context.text)
        held = head.union(*(terms(text) for text, _ in texts))
        spoken = frozenset(documents[context.document])
        caption = ""
        for number, (text, is_row) in enumerate(texts):
            around = texts[max(0, number - 1) : number] + texts[number + 1 : number + 2]
            caption = caption if is_row or text in labels else text
            if is_row and number:
                around += [texts[0], (caption, False)]
            nearby = head.union(*(terms(near) for near, _ in around))
            if text not in seen:
                row = cells.row(text) if is_row else Row(text)
                own = frozenset(terms(text[row.over()[1] :]))
                nearby = nearby.union(terms(text[slice(*row.over())]))
                found.append(
                    Sentence(context, rank, text, own, nearby, held, spoken, named, row, caption if is_row else "")
                )
            seen.add(text)
    return found


def _heads(context: Context) -> frozenset[str]:
    return frozenset(terms(" ".join((context.title, *context.headings, context.document))))


def _labels(text: str) -> frozenset[str]:
    """The labels that stand over rows of the tables in a text."""
    lines = (rows.cells_of(line)[1] for line in text.split("\n") if line.startswith("|"))
    return frozenset(held[0] for held in lines if rows.is_label(held))


def _split(text: str) -> Iterator[tuple[str, bool]]:
    """Sentences, and table rows as their sentences, with whether it is a row."""
    for line, is_row in rows.read(text):
        parts = [line] if is_row else _prose(line)
        yield from ((part.strip(), is_row) for part in parts if part.strip())


def _prose(line: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(line):
        if _NO_END.search(line, start, match.start()):
            continue
        yield line[start : match.end()]
        start = match.end()
    yield line[start:]


# --- how well a sentence matches


def _weights(wanted: Iterable[str], sentences: Sequence[Sentence]) -> dict[str, float]:
    """What each of the question's words says: the rarer among the sentences, the more; unheard of, the most."""
    holding = Counter(word for sentence in sentences for word in sentence.words)
    weights = {word: math.log(1 + len(sentences) / (1 + holding[word])) for word in sorted(wanted)}
    total = sum(weights.values())
    return {word: weight / total for word, weight in weights.items()} if total else {}


def _coverage(sentence: Sentence, wanted: Asked, weights: Mapping[str, float]) -> float:
    """How much of the question's words, weighed, a sentence and what is around it hold, less what speaks against it."""
    told = sentence.words | sentence.named
    own = sum(weight for word, weight in weights.items() if word in told)
    around = sum(weight for word, weight in weights.items() if word in sentence.nearby and word not in told)
    return own + NEARBY * around + _amiss(sentence, wanted)


def _amiss(sentence: Sentence, wanted: Asked) -> float:
    """What a sentence loses by years and names that it should speak of and does not."""
    lost = 0.0
    if wanted.years and not wanted.years & (sentence.words | sentence.nearby) and years(sentence.words):
        lost += OTHER_YEAR
    if wanted.years and not wanted.years & sentence.held:
        lost += UNHEARD
    unheard = sum(_missing(name, sentence.spoken) for name in wanted.names)
    return lost + (UNHEARD * unheard / len(wanted.names) if unheard else 0.0)


def _missing(name: frozenset[str], spoken: frozenset[str]) -> float:
    """The share of a name's words that are not spoken; of a code all or none."""
    if any(map(is_code, name)):
        return float(not name <= spoken)
    return len(name - spoken) / len(name)


_CODE = re.compile(r"(?<![\w-])([A-Za-z]+)[\s-]?(\d+)[A-Za-z]?(?![\w-])")


def _is_of_another(text: str, question: str) -> bool:
    """Whether a text speaks of others of a series that the question names, and of none that it does."""
    series: dict[str, set[str]] = defaultdict(set)
    for letters, digits in _CODE.findall(question):
        series[letters].add(digits)
    held = [(letters, digits) for letters, digits in _CODE.findall(text) if letters in series]
    return bool(held) and not any(digits in series[letters] for letters, digits in held)


def _closeness(sentence: Sentence, start: int, end: int, weights: Mapping[str, float]) -> float:
    """How close the question's words stand to a span, 0 to 1; in a table, its header and row name are beside it."""
    row = sentence.row
    cell = row.cell(start)
    beside = ((row.over()[1], row.label[1]), *((cell.head, cell.value) if cell else ()))
    total = 0.0
    nearest: dict[str, float] = defaultdict(float)
    for match in _WORD.finditer(sentence.text):
        distance = max(0, start - match.end(), match.start() - end)
        if row.cells:
            inside = any(first <= match.start() < last for first, last in beside)
            distance = 0 if inside else 4 * int(CLOSE)
        for word in terms(match[0]):
            nearest[word] = max(nearest[word], math.exp(-distance / CLOSE))
    for word, weight in weights.items():
        total += weight * nearest[word]
    return total


_WORD = re.compile(r"[^\s;:,()\[\]]+")


# --- candidates


def _candidates(
    question: Question, wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]
) -> Iterator[Candidate]:
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
            close = _closeness(sentence, found.start, found.end, weights)
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
        return OTHER_CODE if _is_of_another(sentence.text, question.text) else 0.0
    label = set(terms(sentence.row.own_label()))
    of_another = OTHER_CODE if _is_of_another(sentence.row.about(cell), question.text) else 0.0
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
    if _is_year(found) and not (named and wanted.unit and not wanted.unit.known):
        score += NO_UNIT
    return score + (UNIT_BESIDE if wanted.wants_range and found.is_range else 0.0)


def _is_year(found: Quantity) -> bool:
    """Whether a number looks like a year: "in 2023", and "2023 USD" is no price."""
    is_plain = found.digits.isdigit() and 1900 <= int(found.digits) <= 2100
    return is_plain and (found.unit is None or found.unit.dimension in ("USD", "EUR", "GBP"))


_MONEY = re.compile(r"[$€£¥]|\b(?:USD|EUR|GBP|JPY|CNY|RMB|dollars?|euros?|pounds?|yen|yuan)\b", re.IGNORECASE)


def _years(wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]) -> Iterator[Candidate]:
    for sentence, coverage in pool:
        for match in re.finditer(r"(?<![\w.,-])(?:19|20)\d\d(?![\w,-]|\.\d)", sentence.text):
            if match[0] not in wanted.terms:
                close = _closeness(sentence, match.start(), match.end(), weights)
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
            close = _closeness(sentence, start, start + len(name), weights)
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


# --- the choice


def _agreeing(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates, each with what other documents that say the same add to it."""
    listed = list(candidates)
    documents: dict[str, set[str]] = defaultdict(set)
    for candidate in listed:
        documents[candidate.value.casefold()].add(candidate.sentence.context.document)
    return [
        replace(candidate, score=candidate.score + AGREEMENT * (len(documents[candidate.value.casefold()]) > 1))
        for candidate in listed
    ]


def _best(candidates: Sequence[Candidate]) -> Candidate | None:
    """The candidate with the highest score, the first among equals."""
    return max(candidates, key=lambda candidate: candidate.score, default=None)

"""The built-in reader: no model, the best sentence and the value in it, or an abstention."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from answerer.answer import Answer, Citation, Question
from answerer.asking import Asked, Kind, asked, claim, terms
from answerer.quantities import Quantity, quantities, spelled
from answerer.units import unit
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
NO_UNIT = -0.35
"""What a bare number loses where a unit of measurement was asked for."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or a table's row, with what is around it.

    `words` are its own terms, `nearby` those of its headings, title and neighbours. A row of a table has its cells as
    spans of the text, each with its header's span at the front.
    """

    context: Context
    rank: int
    text: str
    words: frozenset[str]
    nearby: frozenset[str]
    cells: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that may be the answer, the sentence that it stands in, and how much speaks for it."""

    value: str
    sentence: Sentence
    score: float


def read(question: Question, evidence: Evidence) -> Answer:
    """The best sentence of the evidence with the value in it, by what is asked and its unit; else an abstention."""
    wanted = asked(question)
    sentences = _sentences(evidence.contexts)
    weights = _weights(wanted.terms, sentences)
    ranked = sorted(
        ((_coverage(sentence, weights), -sentence.rank, number) for number, sentence in enumerate(sentences)),
        reverse=True,
    )[:POOL]
    pool = [(sentences[number], coverage) for coverage, _, number in ranked if coverage > 0]
    best = _best(_agreeing(_candidates(question, wanted, pool, weights)))
    if best is None or confidence(best) < THRESHOLD:
        return Answer(question, "", BLANK, "No sentence of the evidence answers this.", is_blank=True)
    return _answer(question, best)


def confidence(candidate: Candidate) -> float:
    """How sure the reader is, from 0 to 1."""
    return max(0.0, min(1.0, candidate.score / 2))


def _answer(question: Question, best: Candidate) -> Answer:
    context = best.sentence.context
    citation = Citation(context.document, context.node, context.pages, best.sentence.text, context.boxes)
    return Answer(
        question,
        best.sentence.text,
        best.value,
        f"Found without a model: the sentence in {context.document} that best matches the question.",
        (context.document,),
        (citation,),
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
    for rank, context in enumerate(contexts):
        head = frozenset(terms(" ".join((context.title, *context.headings, context.document))))
        texts = list(_split(context.text))
        for number, (text, is_row) in enumerate(texts):
            around = texts[max(0, number - 1) : number] + texts[number + 1 : number + 2]
            if is_row and number:
                around.append(texts[0])
            nearby = head.union(*(terms(near) for near, _ in around))
            if text not in seen:
                cells = rows.spans(text) if is_row else ()
                found.append(Sentence(context, rank, text, frozenset(terms(text)), nearby, cells))
            seen.add(text)
    return found


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


def _coverage(sentence: Sentence, weights: Mapping[str, float]) -> float:
    own = sum(weight for word, weight in weights.items() if word in sentence.words)
    held = sentence.words | sentence.nearby
    years = {word for word in weights if _A_YEAR.fullmatch(word)}
    amiss = bool(years) and not years & held and any(map(_A_YEAR.fullmatch, sentence.words))
    around = sum(weight for word, weight in weights.items() if word in sentence.nearby and word not in sentence.words)
    return own + NEARBY * around + (OTHER_YEAR if amiss else 0.0)


_A_YEAR = re.compile(r"(?:19|20)\d\d")


def _closeness(sentence: Sentence, start: int, end: int, weights: Mapping[str, float]) -> float:
    """How close the question's words stand to a span, 0 to 1; in a table, its header and row name are beside it."""
    own = [(first, last) for first, last in sentence.cells if first <= start < last]
    total = 0.0
    nearest: dict[str, float] = defaultdict(float)
    for match in _WORD.finditer(sentence.text):
        distance = max(0, start - match.end(), match.start() - end)
        if sentence.cells:
            inside = any(first <= match.start() < last for first, last in (*own, sentence.cells[0]))
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


_CITED = re.compile(
    r"\[[\d,;\s–-]+\]|\b(?:Figures?|Fig\.|Tables?|Sections?|Sec\.|Eq\.|Appendix|§)\s?\d+(?:\.\d+)*"
    r"|\bet al\.,? \(?\d{4}\)?",
    re.I,
)


def _numbers(
    question: Question, wanted: Asked, pool: Sequence[tuple[Sentence, float]], weights: Mapping[str, float]
) -> Iterator[Candidate]:
    given = {(found.low, found.high) for found in quantities(question.text)}
    for sentence, coverage in pool:
        # same length, so that spans stay true
        text = _CITED.sub(lambda match: " " * len(match[0]), sentence.text)
        for found in (*quantities(text), *_counted(text, wanted)):
            found = _with_header_unit(sentence, found)
            if (found.low, found.high) in given or _is_header(sentence, found):
                continue
            fit = _fit(found, wanted)
            if fit is None:
                continue
            value = written(found, wanted.unit)
            if not value:
                continue
            close = _closeness(sentence, found.start, found.end, weights)
            fit = fit / 2 if fit < 0 and sentence.cells else fit  # a table's unit may stand in its caption
            yield Candidate(value, sentence, coverage + fit + WORD_CLOSE * close + _rank(sentence))


def _counted(text: str, wanted: Asked) -> list[Quantity]:
    """Numbers in words that count what was asked for: "three papers", but no other "one"."""
    return [found for found in spelled(text) if _is_named(found, wanted)]


def _is_named(found: Quantity, wanted: Asked) -> bool:
    """Whether the unit asked for, or what is counted, stands beside the number."""
    if wanted.unit is not None and found.names(wanted.unit):
        return True
    return wanted.noun != "" and wanted.noun in {stem(word) for word in re.findall(r"\w+", found.words)}


def _fit(found: Quantity, wanted: Asked) -> float | None:
    """How well a quantity's unit fits what was asked, None where it measures something else."""
    named = _is_named(found, wanted)
    if wanted.unit is not None and wanted.unit.known:
        if found.amounts(wanted.unit) is None:
            return None
        score = UNIT_BESIDE if found.names(wanted.unit) else NO_UNIT
    else:
        score = UNIT_BESIDE if named else -UNIT_BESIDE if found.unit is not None else 0.0
    if _is_year(found) and not (named and wanted.unit and not wanted.unit.known):
        score += NO_UNIT
    return score + (UNIT_BESIDE if wanted.wants_range and found.is_range else 0.0)


def _is_year(found: Quantity) -> bool:
    """Whether a number looks like a year: "in 2023", and "2023 USD" is no price."""
    is_plain = found.digits.isdigit() and 1900 <= int(found.digits) <= 2100
    return is_plain and (found.unit is None or found.unit.dimension in ("USD", "EUR", "GBP"))


def _with_header_unit(sentence: Sentence, found: Quantity) -> Quantity:
    """A bare number in a table's cell has the unit of its header: "Energy (Wh): 0.69"."""
    if found.unit is not None or not sentence.cells:
        return found
    for first, last in sentence.cells:
        if first <= found.start < last:
            header = sentence.text[first : found.start]
            named = re.findall(r"\(([^()]+)\)|,\s*(?:in\s)?([^,:]+):", header)
            for name in (part.strip() for pair in reversed(named) for part in pair if part.strip()):
                known = unit(name)
                if known.known:
                    return replace(found, unit=known)
    return found


def _is_header(sentence: Sentence, found: Quantity) -> bool:
    """Whether the number is a cell's header, such as a year over a column."""
    return bool(sentence.cells) and sentence.text[found.end : found.end + 2] == ": "


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
            opening = _FIRST_WORD if start == 0 and " " not in name and not sentence.cells else 0.0
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
        if name.lower() not in _NO_NAMES and len(name) > 1 and not unit(name).known:
            yield name, match.start(group)


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

_NEGATED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|without|cannot|lacks?|lacking|fails?|absent|unlike|rather than|instead of|"
    r"excludes?|leaves? out|omits?|contrary|only)\b|n[’']t\b",
    re.IGNORECASE,
)
_OPPOSITES = [
    frozenset(pair.split("/"))
    for pair in re.findall(
        r"\S+",
        """
        increase/decrease rise/fall higher/lower more/less more/fewer larger/smaller greater/less above/below
        over/under faster/slower better/worse outperform/underperform before/after air/liquid maximum/minimum
        most/least always/never all/none reduce/increase gain/loss first/last public/private open/closed
        voluntary/mandatory
        """,
    )
]


def _verdicts(question: Question, pool: Sequence[tuple[Sentence, float]]) -> Iterator[Candidate]:
    statement = claim(question.text)
    for sentence, coverage in pool[:3]:
        value = "0" if _contradicts(statement, sentence.text) else "1"
        yield Candidate(value, sentence, coverage + _rank(sentence) + WORD_CLOSE * coverage)


def _contradicts(statement: str, text: str) -> bool:
    """Whether a sentence about the same thing denies the statement: by a negation, an opposite, or another number."""
    negations = len(_NEGATED.findall(statement)) % 2 != len(_NEGATED.findall(text)) % 2
    return negations ^ _opposed(statement, text) or _other_numbers(statement, text)


def _opposed(statement: str, text: str) -> bool:
    one, other = (set(re.findall(r"[a-z]+", part.lower())) for part in (statement, text))
    return any(
        (pair & one and pair & other and not (pair & one & other) and len(pair & one) == 1) for pair in _OPPOSITES
    )


def _other_numbers(statement: str, text: str) -> bool:
    """Whether the text has a number of the same unit where the statement's is not among its numbers."""
    held = quantities(text)
    for said in quantities(statement):
        alike = [
            found for found in held if found.unit is not None and said.unit is not None and found.unit == said.unit
        ]
        if alike and not any(found.low <= said.high and said.low <= found.high for found in alike):
            return not _compared(statement, said, alike)
    return False


def _compared(statement: str, said: Quantity, alike: Sequence[Quantity]) -> bool:
    """Whether "more than" or "less than" before the statement's number holds of the text's."""
    before = statement[: said.start].lower()[-25:]
    if re.search(r"more than|over|above|at least|exceed\w*|greater than|higher than", before):
        return any(found.high >= said.low for found in alike)
    if re.search(r"less than|under|below|at most|fewer than|up to|lower than", before):
        return any(found.low <= said.high for found in alike)
    return False


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

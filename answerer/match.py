"""How well a sentence of the evidence, and a place in it, match a question."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from answerer.about import ALL_UNSAID, OTHER_ENTITY, UNSAID, is_of_longer_name, measures, unsaid
from answerer.asking import Asked, Kind, is_code, terms, years
from answerer.passages import Sentence
from answerer.periods import compared

NEARBY = 0.5
"""What a question's word counts that stands in the headings, the title or the sentences around, not in this one."""
CLOSE = 50.0
"""Characters over which a word's closeness to a value falls to a third: about eight words."""
OTHER_YEAR = -0.30
"""What a sentence loses that is about another year than the question."""
UNHEARD = -0.60
"""What a sentence loses where the question's year stands nowhere in its context, and where the names in the question
stand nowhere in its document's evidence; for some of them, their share.
"""

STRANGE = -0.60
"""What it loses besides where its document speaks of nothing that the question names: another firm's revenue."""


def weights(wanted: Iterable[str], sentences: Sequence[Sentence]) -> dict[str, float]:
    """What each of the question's words says: the rarer among the sentences, the more; unheard of, the most."""
    holding = Counter(word for sentence in sentences for word in sentence.words)
    weights = {word: math.log(1 + len(sentences) / (1 + holding[word])) for word in sorted(wanted)}
    total = sum(weights.values())
    return {word: weight / total for word, weight in weights.items()} if total else {}


def coverage(sentence: Sentence, wanted: Asked, weights: Mapping[str, float]) -> float:
    """How much of the question's words, weighed, a sentence and what is around it hold, less what speaks against it."""
    told = sentence.words | sentence.named
    own = sum(weight for word, weight in weights.items() if word in told)
    around = sum(weight for word, weight in weights.items() if word in sentence.nearby and word not in told)
    return own + NEARBY * around + _amiss(sentence, wanted)


def beside_the_point(sentence: Sentence, wanted: Asked) -> float:
    """What a sentence loses that says too little of what is asked of the subject, or speaks of another subject."""
    if wanted.kind is Kind.STATEMENT or wanted.choices:
        return 0.0
    missing = unsaid(sentence, wanted)
    lost = missing * (ALL_UNSAID if missing == 1 and not measures(wanted) else UNSAID)
    return lost + (OTHER_ENTITY if is_of_longer_name(sentence.text, wanted) else 0.0)


def _amiss(sentence: Sentence, wanted: Asked) -> float:
    """What a sentence loses by years and names that it should speak of and does not."""
    return _of_other_years(sentence, wanted) + _unheard(sentence, wanted)


def _of_other_years(sentence: Sentence, wanted: Asked) -> float:
    """What a sentence loses that is of another year than the question, as far as it and what is around it say."""
    around = sentence.words | sentence.nearby
    if not wanted.years or wanted.years & around:
        return 0.0
    told = years(_told(sentence))
    if not told and wanted.years & _next_years(sentence):
        return 0.0
    lost = OTHER_YEAR if told else OTHER_YEAR / 2 if years(sentence.nearby) else 0.0
    return lost + (0.0 if wanted.years & sentence.held else UNHEARD)


def _unheard(sentence: Sentence, wanted: Asked) -> float:
    lost = UNHEARD + STRANGE if wanted.opening and wanted.opening not in sentence.spoken else 0.0
    unheard = sum(_missing(name, sentence.spoken) for name in wanted.names)
    share = unheard / len(wanted.names) if unheard else 0.0
    return lost + UNHEARD * share + (STRANGE if share == 1 else 0.0)


def _told(sentence: Sentence) -> Iterable[str]:
    """The terms of a sentence without those of what it only compares with."""
    start, end = compared(sentence.text)
    if start == end or sentence.row.cells:
        return sentence.words
    return terms(sentence.text[:start] + sentence.text[end:])


def _next_years(sentence: Sentence) -> frozenset[str]:
    """The years after those that a sentence compares with: what is set against 2021 is mostly of 2022."""
    if sentence.row.cells:
        return frozenset()
    against = years(terms(sentence.text[slice(*compared(sentence.text))]))
    return frozenset(str(int(year) + 1) for year in against)


def _missing(name: frozenset[str], spoken: frozenset[str]) -> float:
    """The share of a name's words that are not spoken; of a code all or none."""
    if any(map(is_code, name)):
        return float(not name <= spoken)
    return len(name - spoken) / len(name)


_CODE = re.compile(r"(?<![\w-])([A-Za-z]+)[\s-]?(\d+)[A-Za-z]?(?![\w-])")


def is_of_another(text: str, question: str) -> bool:
    """Whether a text speaks of others of a series that the question names, and of none that it does."""
    series: dict[str, set[str]] = defaultdict(set)
    for letters, digits in _CODE.findall(question):
        series[letters].add(digits)
    held = [(letters, digits) for letters, digits in _CODE.findall(text) if letters in series]
    return bool(held) and not any(digits in series[letters] for letters, digits in held)


def closeness(sentence: Sentence, start: int, end: int, weights: Mapping[str, float]) -> float:
    """How close the question's words stand to a span, 0 to 1; in a table, its header and row name are beside it."""
    row = sentence.row
    cell = row.cell(start)
    beside = ((row.over()[1], row.label[1]), *((cell.head, cell.value) if cell else ()))
    if row.label[0] <= start < row.label[1]:  # all of a row is about what its label names
        beside = ((0, len(row.text)),)
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

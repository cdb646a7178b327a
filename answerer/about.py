"""Whether a sentence or a cell speaks of what was asked: of all of it, and of nothing narrower."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import chain, takewhile

from answerer.asking import Asked, Kind, adjacent, terms, years
from answerer.cells import Cell, Row, text_of
from answerer.passages import Sentence
from answerer.periods import MONTHS
from answerer.periods import WORDS as PERIOD_WORDS
from answerer.units import is_money, unit
from kohaku.words import stem

UNSAID, ALL_UNSAID = -0.30, -0.60
"""What a sentence loses at most that says little of what is asked of the subject, and one that says nothing of it."""
BROKEN = -0.30
"""What a value loses where words that stand together in the question stand apart in its sentence; by their share."""
UNASKED = -0.30
"""What a value loses that is of a part or a kind that the question does not name: a segment's revenue."""
OTHER_ENTITY = -0.45
"""What a sentence loses whose only names like the question's go on: a subsidiary's."""
SHORTEST, LONGEST_TAIL = 5, 4
"""Letters of a stem that another must begin with to be akin, and how many may follow: audit and auditor."""

_WHOLE = frozenset(
    stem(word)
    for word in re.findall(
        r"\w+",
        """
        total all overall sum consolidated whole combined company group reported amount value number figure
        average actual approximately about worldwide global annual full net
        """,
    )
)
"""Stems of words that narrow nothing down."""
_PARTS = frozenset(map(stem, ["segment", "division", "subsidiary", "region", "branch"]))
"""Stems of words for a part of a whole."""
_FORMS = frozenset(
    re.findall(
        r"\w+",
        """
        inc incorporated plc ltd limited llc llp co corp corporation company ag gmbh sa se nv group
        """,
    )
)
_TOKEN = re.compile(r"[^\W_]+(?:[-’'.&][^\W_]+)*|[^\w\s]")
_NAME = re.compile(r"(?:[A-Z][\w&’'-]*\.?,?\s?)+")
_OPENS = frozenset(
    re.findall(
        r"\w+",
        """
        the a an our its their his her this that these of in to from by for and or with on at as is was
        were are
        """,
    )
)


def akin(one: str, other: str) -> bool:
    """Whether two stems are forms of a word.

    >>> akin("audit", "auditor"), akin("found", "founder"), akin("sal", "salary")
    (True, True, False)
    """
    short, long = sorted((one, other), key=len)
    return short == long or (
        len(short) >= SHORTEST and long.startswith(short) and len(long) - len(short) <= LONGEST_TAIL
    )


def holds(words: Collection[str], word: str) -> bool:
    """Whether a stem is among others, in this or another form."""
    return word in words or any(akin(word, other) for other in words)


def attribute(wanted: Asked) -> frozenset[str]:
    """What is asked of the subject: the question's terms without names, years, periods and units."""
    names = frozenset().union(*wanted.names)
    found = wanted.terms - names - years(wanted.terms) - PERIOD_WORDS
    said = (word for word in found if word.isalpha() and len(word) > 1)
    return frozenset(word for word in said if not unit(word).known and not unit(f"{word}e").known)


def unsaid(sentence: Sentence, wanted: Asked) -> float:
    """How far a sentence says less than half of what is asked of the subject: 1 where it says nothing of it.

    What stands around it counts half, in a table, whose heads and captions are around every row, whole. Statements and
    choices say so much themselves that nothing can be missing.
    """
    asked = attribute(wanted) - sentence.named or attribute(wanted)
    if wanted.kind is Kind.STATEMENT or wanted.choices or not asked:
        return 0.0
    around = 1.0 if sentence.row.cells else 0.5
    return max(0.0, 1 - 2 * sum(_said(word, sentence, around) for word in asked) / len(asked))


def _said(word: str, sentence: Sentence, around: float) -> float:
    return 1.0 if holds(sentence.words, word) else around * holds(sentence.nearby, word)


def is_labelled(sentence: Sentence, wanted: Asked) -> bool:
    """Whether a table's row is the one asked for: its label says nothing else, and with what is around it all of it.

    Its document must speak of the question's names.
    """
    label = set(terms(sentence.row.own_label())) - sentence.named if sentence.row.cells else ()
    if not label or not all(holds(wanted.terms, word) for word in label):
        return False
    over = (sentence.row.text[slice(*sentence.row.over())], *sentence.context.headings)  # and no sentence beside it
    told = sentence.words.union(sentence.named, *map(terms, over))
    is_heard = all(not name.isdisjoint(sentence.spoken) for name in wanted.names)
    return is_heard and all(holds(told, word) for word in attribute(wanted))


def measures(wanted: Asked) -> bool:
    """Whether a unit is asked for that says by itself what is measured, as no currency or percent does."""
    unit = wanted.unit
    return unit is not None and unit.known and not is_money(unit) and unit.dimension not in ("share", "times")


def broken(text: str, wanted: Asked) -> float:
    """The share of the question's pairs of words about its subject that do not stand side by side in a text.

    Where a unit of measurement is asked for, that says what is measured in whatever words.
    """
    pairs = [pair for pair in wanted.pairs if attribute(wanted).issuperset(pair)]
    if not pairs or measures(wanted):
        return 0.0
    held = {frozenset(pair) for pair in adjacent(text)}
    return sum(not any(_is_pair(pair, other) for other in held) for pair in pairs) / len(pairs)


def _is_pair(pair: Collection[str], other: Collection[str]) -> bool:
    return all(any(akin(word, one) for one in other) for word in pair)


def lacks_head(sentence: Sentence, wanted: Asked) -> bool:
    """Whether the cost of something is asked for, and only that something is spoken of; of an amount is no matter."""
    heads = [word for word in wanted.heads if word in attribute(wanted) and word not in _WHOLE | _PARTS]
    if not heads or measures(wanted):
        return False
    over = " ".join((*sentence.context.headings, sentence.caption, sentence.row.text)) if sentence.row.cells else ""
    around = sentence.words | sentence.named | frozenset(terms(over))
    return not any(holds(around, word) for word in heads)


def lacks_rate(sentence: Sentence, question: str) -> bool:
    """Whether figures per something are asked for ("per share"), and neither a sentence nor a row says that."""
    found = _PER.search(question)
    if found is None:
        return False
    text = sentence.row.text[: sentence.row.end()] if sentence.row.cells else sentence.text
    return not any(akin(stem(found[1]), word) for word in terms(text))


_PER = re.compile(r"\bper\s(?:[a-z]+ed\s)?([A-Za-z]+)")


def narrowed(sentence: Sentence, place: int, end: int, wanted: Asked) -> bool:
    """Whether the value at a place is of something narrower than was asked for, by its column or the words around."""
    cell = sentence.row.cell(place)
    if cell is None:
        is_included = not wanted.wants_part and _INCLUDED.search(sentence.text[:place]) is not None
        is_part = is_included or _is_of_part(sentence, end, wanted)
        return is_part or bool(_modifiers(sentence, place, wanted))
    return bool(unasked(sentence.row, cell, wanted, sentence.named))


_INCLUDED = re.compile(
    r"\b(?:consist(?:s|ed|ing)?\s(?:primarily|mainly|mostly|largely)\sof|includ(?:es?|ed|ing)|of which)\s"
    r"(?:an?\s|about\s|around\s|some\s|approximately\s|roughly\s)*$",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\W?(?:[a-z-]+\s){0,3}?(?:(?:located|based|employed|working)\s)?(?:in|outside|from|within)\s(?:of\s)?(?:the\s)?"
    r"(?=[A-Z])((?:[A-Z][\w.]*\s?)+)"
)


def _is_of_part(sentence: Sentence, end: int, wanted: Asked) -> bool:
    """Whether what is counted is that of a place that the question does not name: "26,000 staff in the Arctic"."""
    found = _PART.match(sentence.text, end)
    known = wanted.terms | sentence.named
    return found is not None and any(_is_new(token, known) for token in found[1].split()[:1])


def lacks_office(sentence: Sentence, wanted: Asked) -> bool:
    """Whether who holds an office is asked for, and a sentence does not name all of that: another chief's."""
    offices = (name for name in wanted.names if not name.isdisjoint(_OFFICES))
    return any(not name <= sentence.words | sentence.named for name in offices)


_OFFICES = frozenset(
    map(stem, ["chief", "officer", "president", "director", "secretary", "treasurer", "chairman", "head"])
)


def unasked(row: Row, cell: Cell, wanted: Asked, named: Collection[str]) -> frozenset[str]:
    """The stems in a column's head that name neither what was asked for, nor a period, nor the whole."""
    held = frozenset(terms(_DATED.sub(" ", text_of(row, cell.head))))
    return frozenset(word for word in held if _narrows(word, wanted, named))


_DATED = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b|\([^()]*\)|\d+", re.IGNORECASE)


def is_of_longer_name(text: str, wanted: Asked) -> bool:
    """Whether the question's names stand in a text only at the front of longer ones: "Amberfield Finance"."""
    found = [[terms(word) for word in match[0].split()] for match in _NAME.finditer(text)]
    for name in wanted.names:
        holding = [words for words in found if name <= frozenset(chain.from_iterable(words))]
        if holding and all(_goes_on(words, name, wanted) for words in holding):
            return True
    return False


def _goes_on(words: Sequence[Collection[str]], name: Collection[str], wanted: Asked) -> bool:
    last = max(at for at, word in enumerate(words) if set(word) & set(name))
    behind = chain.from_iterable(words[last + 1 :])
    return any(len(word) > 2 and word not in _FORMS and word not in wanted.terms for word in behind)


def _narrows(word: str, wanted: Asked, named: Collection[str]) -> bool:
    if not word.isalpha() or len(word) < 3:
        return False
    if unit(word).known or word in _WHOLE or word in PERIOD_WORDS or word in named or word in _FORMS:
        return False
    return not holds(wanted.terms, word)


def _modifiers(sentence: Sentence, place: int, wanted: Asked) -> list[str]:
    """The words around the last naming of what was asked for, ahead of a place, that narrow it down.

    Before it ("online revenue"), as what it is but a part of ("the cost of revenue"), or behind it ("revenue from
    Canada").
    """
    tokens = [match[0] for match in _TOKEN.finditer(sentence.text) if match.start() < place]
    asked = attribute(wanted)
    last = next((at for at in range(len(tokens) - 1, -1, -1) if asked.intersection(terms(tokens[at]))), None)
    if last is None:
        return []
    first = last
    while first and asked.intersection(terms(tokens[first - 1])):
        first -= 1
    before = list(takewhile(_is_content, reversed(tokens[:first])))
    rest = list(reversed(tokens[: first - len(before)]))
    if len(rest) > 1 and rest[0] in _PART_OF:
        before += rest[1:2]
    elif len(rest) > 2 and rest[0] in _ARTICLES and rest[1] in _PART_OF:
        before += rest[2:3]
    narrow = [
        token
        for token in before
        if not token.endswith("ed") and any(_narrows(word, wanted, sentence.named) for word in terms(token))
    ]
    return narrow + _sources(tokens[last + 1 :], sentence, wanted)


def _sources(behind: Sequence[str], sentence: Sentence, wanted: Asked) -> list[str]:
    """The names that follow what was asked for after "from", "in" and the like, which the question does not have."""
    if not behind or behind[0] not in _FROM:
        return []
    names = takewhile(lambda token: token[0].isupper() or token in _ARTICLES, behind[1:])
    known = wanted.terms | sentence.named
    return [token for token in names if _is_new(token, known)]


def _is_new(token: str, known: Collection[str]) -> bool:
    return token[0].isupper() and token.lower() not in MONTHS and not set(terms(token)) & set(known)


def _is_content(token: str) -> bool:
    return token[0].isalpha() and token.lower() not in _OPENS


_PART_OF = ("of", "in", "on")
_ARTICLES = ("the", "our", "its", "their", "total")
_FROM = ("from", "in", "of", "for")

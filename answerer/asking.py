"""What a question asks for, by its words and its unit, without a model."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from answerer.answer import Question
from answerer.measured import Measure, is_phrase, measure
from answerer.periods import MONTHS
from answerer.periods import WORDS as PERIOD_WORDS
from answerer.units import Unit, unit, unit_asked
from answerer.values import asks_number, asks_true_or_false
from kohaku.words import is_year, stem, words


class Kind(StrEnum):
    """What kind of thing may be the answer."""

    NUMBER = "number"
    STATEMENT = "statement"
    YEAR = "year"
    YES_OR_NO = "yes or no"
    CHOICE = "choice"
    PERSON = "person"
    PLACE = "place"
    FIRM = "firm"
    EXPANSION = "expansion"
    DEFINITION = "definition"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the built-in reader sees it.

    `terms` are the stems of its content words, `unit` what a number should be in (None where nothing says), `noun` the
    stem of what is counted or named ("how many papers", "which fund"), `choices` the options that it lists. `years` and
    `names` are what the evidence must speak of: each name by the stems of its words. `wants_date` where a year alone
    would say too little, `short` is the short form whose long one is asked for, or what is to be defined, `pairs` are
    terms that stand side by side, `classed` names of which a class is named (a segment, a site), each with the terms of
    its class, `wants_part` where a part of something is asked for ("how many of the …"), `impossible` where the
    question names a day that no calendar has, `foreign` where it asks in another language than English, but for a
    number in letters that are not Latin, `measure` what kind of number its noun names where no unit says that,
    `opening` the stem of the first word of a phrase ("Acme sales 2022"), whose capital does not tell whether it is a
    name.
    """

    kind: Kind
    terms: frozenset[str]
    unit: Unit | None = None
    noun: str = ""
    wants_range: bool = False
    choices: tuple[str, ...] = ()
    years: frozenset[str] = frozenset()
    names: tuple[frozenset[str], ...] = ()
    wants_date: bool = False
    short: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    heads: tuple[str, ...] = ()
    classed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    wants_part: bool = False
    impossible: bool = False
    foreign: bool = False
    measure: Measure | None = None
    opening: str = ""

    @property
    def unit_noun(self) -> str:
        """What the unit counts, as a stem, where it is none of measurement: "full-time staff" counts staff."""
        words = self.unit.dimension.split() if self.unit is not None and not self.unit.known else []
        return words[-1] if words else ""

    @property
    def nouns(self) -> frozenset[str]:
        """The stems of what is to be counted, by the question and by the unit."""
        return frozenset(filter(None, (self.noun, self.unit_noun)))


_EMPTY = frozenset(
    re.findall(
        r"\w+",
        """
        a about according across all also although an and any approximately are as at be because been being between
        both but by can could did do does during each estimate estimated for found from given had has have having how i
        if in into is it its just like long many may might model more most much must name not of on one only or other
        our out over per recent reported roughly same should so some such than that the their them then there these
        they this those through to true false two under up upon use used using value was we were what when where
        which while who whom whose why will with within without would you your s unit answer following paper papers
        study
        """,
    )
)
# Those that other languages do not have.
_ENGLISH = _EMPTY - frozenset(re.findall(r"\w+", "a an as at had has in is not of on over so up was we"))
_ELSEWHERE = frozenset(  # what questions begin with in German, French, Spanish, Italian, Portuguese, Dutch
    re.findall(
        r"\w+",
        """
        wie wieviel wieviele wer wen wem wessen wann wo woher wohin womit was welche welcher welches welchen warum
        quel quelle quels quelles combien qui quand où pourquoi comment que cuánto cuánta cuántos cuántas qué quién
        quiénes cuándo dónde cuál cuáles quanto quanta quanti quante chi quando dove quale quali quantos quantas quem
        qual quais onde hoeveel welke wanneer waar waarom
        """,
    )
)
_STATEMENT = re.compile(r"^\W*(?:true or false|true ?/ ?false|t ?/ ?f|false or true)\W*", re.IGNORECASE)
_REPORTS = re.compile(  # what a firm is asked for that its own report tells
    r"\b(did(?:\s[A-Z0-9][\w&’'.-]*){1,5})\s(?:report|record|disclose|post|show|state)\b(?=\s(?:for|in|at|as)\b|\W*$)"
)
_YEAR = re.compile(
    r"\b(?:which|what) year\b|\bsince when\b|^\W*when\b|\b(?:which|what)\s(?:[\w-]+\s)?date\b"
    r"|\bwhat (?:is|was) the date\b",
    re.IGNORECASE,
)
_IS_DATE = re.compile(r"\s*(?:(?:calendar|fiscal)\s)?(?:year|date|day|month)s?\s*", re.IGNORECASE)
_COUNTED = re.compile(
    r"\bhow (?:many|much)\s+(?!(?:did|do|does|is|was|are|were|has|have|had|will|of)\b)((?:[\w.-]+\s){0,3}?[\w-]+?)"
    r"(?=\s(?:of|did|do|does|is|are|was|were|can|could|has|have|had|in|per|to|from|on|at|for|will|would|must|should|a|the|"
    r"that|widely|used)\b|[,?]|$)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:which|what)\s+(?!(?:is|was|are|were|did|do|does|has|had|would|of|the)\b)([\w-]+)"
    r"|\bname of the\s+(?:\w+\s)?([\w-]+)",
    re.IGNORECASE,
)
_IN_UNIT = re.compile(r"\bin ([\w/%$€£¥.² -]{1,30}?)\s*(?:\)|\?|$|,)", re.IGNORECASE)
_YES_OR_NO = re.compile(
    r"\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|must|may)\s(?!.*\bor\b)",
    re.IGNORECASE,
)
_EXPANSION = re.compile(
    r"\bwhat (?:does|do|is)\s(?:the\s(?:acronym|abbreviation|term|letters)\s)?[\"“‘']?"
    r"([A-Z][\w&-]*[A-Z]\w*)[\"”’']?\s(?:stand|short)\sfor\b",
    re.IGNORECASE,
)
_THING = (  # what may be defined: a few words, none of which says of what
    r"[“\"‘']?((?!(?:the|your|his|her|its|their|this|that|there|it|one)\b)[\w’'-]+"
    r"(?:\s(?!(?:of|in|for|at|on|by)\b)[\w’'-]+){0,4}?)[”\"’']?"
)
_DEFINITION = re.compile(
    rf"\W*(?:what (?:is|are)\s(?:an?\s)?{_THING}|what (?:does|do)\s{_THING}\smean|define\s{_THING})\W*", re.IGNORECASE
)
_KINDS = {
    Kind.PERSON: re.compile(
        r"^\W*who(?:m|se)?\b|\bwhich person\b|\bname of the\s(?:[\w-]+\s){0,3}(?:officer|director|president|chair\w*"
        r"|head|manager|author|founder|inventor|minister|chancellor|secretary|treasurer|professor|editor|captain|master)\b",
        re.IGNORECASE,
    ),
    Kind.PLACE: re.compile(
        r"^\W*(?:(?:from|to|near)\s)?where\b|\b(?:which|what)\s(?:city|country|state|town|village|place|county|region|"
        r"continent|jurisdiction|location)\b",
        re.IGNORECASE,
    ),
    Kind.FIRM: re.compile(
        r"\b(?:which|what)\s(?:[\w-]+\s)?(?:firm|company|corporation|organi[sz]ation|bank|agency|university|institut\w+)\b",
        re.IGNORECASE,
    ),
}
_CHOICES = re.compile(r":\s*([^:?]+?,? or [^:?]+?)\?", re.IGNORECASE)


_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
DATE = re.compile(
    rf"\b(?:the\s)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month>{_MONTH})(?:,?\s(?P<year>(?:19|20)\d\d)\b)?"
    rf"|\b(?P<first>{_MONTH})\s(?:(?P<second>\d{{1,2}})(?:st|nd|rd|th)?\b(?!,\d)(?:,?\s(?P<last>(?:19|20)\d\d)\b)?"
    rf"|(?:19|20)\d\d\b)"
)
"""A day or a month of a year, in words."""

_WORDS = re.compile(r"[^\W\d_]+")
_OF = re.compile(r"\b([a-z]{3,}) of (?:(?:the|its|their|our) )?[a-z]{3,}\b")


def _heads(text: str) -> tuple[str, ...]:
    """The stems of words that something small is of: "the cost of sales", but not "the revenue of Oslo".

    >>> _heads("What was the cost of sales of Lake Site?")
    ('cost',)
    """
    heads = dict.fromkeys(term for match in _OF.finditer(text) for term in terms(match[1]))
    return tuple(head for head in heads if head not in PERIOD_WORDS)


_TOKEN = re.compile(r"\w[\w&’'./-]*\w|\w")
_OPENING = re.compile(r"(?:^|[.?!:;])[\W_]*$")
_NOT_NAMES = frozenset(
    [*MONTHS, *re.findall(r"\w+", "true false monday tuesday wednesday thursday friday saturday sunday")]
)


def years(found: Iterable[str]) -> frozenset[str]:
    """The years among terms."""
    return frozenset(word for word in found if is_year(word))


def asked(question: Question) -> Asked:
    """What the question asks for."""
    wanted = _asked(question)
    if has_impossible_date(question.text) or asks_for_reasons(question):
        wanted = replace(wanted, impossible=True)
    if not wanted.choices and is_foreign(question.text):
        # digits are grouped otherwise, too, where letters are Latin: 1.850 is 1850 in German
        wanted = replace(wanted, foreign=wanted.kind is Kind.NAME or not _other_letters(question.text))
    names = () if wanted.choices else _names(question)  # a document that names one of them may do
    return replace(
        wanted,
        years=years(wanted.terms),
        names=names,
        pairs=tuple(adjacent(question.text)),
        heads=_heads(question.text),
        classed=() if wanted.choices else _classed(question.text),
        wants_part=_PART.search(question.text) is not None,
        opening=_opening(question.text),
    )


def _opening(text: str) -> str:
    first = _TOKEN.search(text) if is_phrase(text) else None
    return next(iter(terms(first[0])), "") if first and first[0][0].isupper() else ""


_PART = re.compile(r"\bhow (?:many|much) of\b", re.IGNORECASE)
_OF_CLASS = re.compile(
    r"(?<![^\s(])([A-Z][\w-]*[a-z])\s((?:[a-z][\w-]+\s)?(?:segment|division|region|site|plant|branch|unit|market|revenue)s?)\b"
)


def _classed(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The names in a question of which a class is named, each with the terms of that.

    >>> _classed("What was the margin of the Northern freight segment?")
    (('Northern', ('freight', 'segment')),)
    """
    found = (match for match in _OF_CLASS.finditer(text) if not _OPENING.search(text[: match.start()]))
    return tuple((match[1], terms(match[2])) for match in found if terms(match[1]) and terms(match[2]))


def _asked(question: Question) -> Asked:
    text = question.text
    found = frozenset(terms(_REPORTS.sub(r"\1", _STATEMENT.sub("", text))))
    if asks_true_or_false(text):
        return Asked(Kind.STATEMENT, found)
    if _YEAR.search(text) and _IS_DATE.fullmatch(question.unit or ""):
        return Asked(Kind.YEAR, found, wants_date="year" not in f"{text} {question.unit}".lower())
    measured = measure(text) if unit_asked(question.unit) is None else None
    if measured is not None or asks_number(text, question.unit) or _in_unit(text) is not None:
        wanted = _unit(question)
        of = measured if wanted is None else None
        return Asked(Kind.NUMBER, found, wanted, _noun(_COUNTED, text), "range" in text.lower(), measure=of)
    if expansion := _EXPANSION.search(text):
        return Asked(Kind.EXPANSION, found, short=expansion[1])
    if definition := _DEFINITION.fullmatch(text):
        return Asked(Kind.DEFINITION, found, short=next(filter(None, definition.groups())))
    if _YEAR.search(text):
        return Asked(Kind.YEAR, found, wants_date="year" not in text.lower())
    choices = _choices(text)
    if not choices and _YES_OR_NO.match(text):
        return Asked(Kind.YES_OR_NO, found)
    return Asked(Kind.CHOICE if choices else _kind_of_name(text), found, noun=_noun(_NAMED, text), choices=choices)


def is_foreign(text: str) -> bool:
    """Whether a question is asked in another language than English, as far as that can be told.

    >>> is_foreign("Wer leitet den Einkauf in Bremen?"), is_foreign("谁负责采购？"), is_foreign("CEO of Bremen AG")
    (True, True, False)
    """
    words = {word.lower() for word in _WORDS.findall(text)}
    if words & _ENGLISH:
        return False
    return _other_letters(text) or not words.isdisjoint(_ELSEWHERE)


def _other_letters(text: str) -> bool:
    """Whether a text has words in letters that are not Latin; one or two may be symbols."""
    return len([letter for letter in text if letter >= "\u0250" and letter.isalpha()]) > 2


def _kind_of_name(text: str) -> Kind:
    return next((kind for kind, opening in _KINDS.items() if opening.search(text)), Kind.NAME)


@lru_cache(maxsize=65536)
def terms(text: str) -> tuple[str, ...]:
    """The stems of a text's content words, each once, in order; compounds whole and in parts."""
    stems = (stem(word) for word in words(text) if word.lower() not in _EMPTY)
    return tuple(dict.fromkeys(stems))


def adjacent(text: str) -> list[tuple[str, str]]:
    """The pairs of terms of words that nothing but a blank or a hyphen parts.

    >>> adjacent("What was the net income of 2022, before tax?")
    [('net', 'incom'), ('befor', 'tax')]
    """
    found = [(match.span(), terms(match[0])) for match in _WORDS.finditer(text)]
    return [
        (one[0], other[0])
        for (span, one), (next_span, other) in pairwise(found)
        if len(one) == len(other) == 1 and text[span[1] : next_span[0]] in (" ", "-")
    ]


def has_impossible_date(text: str) -> bool:
    """Whether a text names a day that is in no calendar.

    >>> has_impossible_date("What opened on 31 February 2023?"), has_impossible_date("What opened on May 4?")
    (True, False)
    """
    return any(_is_no_day(match) for match in DATE.finditer(text))


def asks_for_reasons(question: Question) -> bool:
    """Whether a question wants to know why, and no value in a unit.

    >>> asks_for_reasons(Question("q", "What drove the margin in 2022?")), asks_for_reasons(Question("q", "Who drove?"))
    (True, False)
    """
    return unit_asked(question.unit) is None and _REASONS.search(claim(question.text)) is not None


_REASONS = re.compile(
    r"^\W*(?:[^,?]{0,60},\s)?(?:why\b|what (?:drove|drives|caused|causes|led to|explains?)\b)", re.IGNORECASE
)


def _is_no_day(match: re.Match[str]) -> bool:
    day = match["day"] or match["second"]
    if day is None:
        return False
    short = (match["month"] or match["first"])[:3].lower()
    month = next(number for number, name in enumerate(MONTHS, start=1) if name.startswith(short))
    year = int(match["year"] or match["last"] or 2000)  # a leap year, since none is named
    return not 1 <= int(day) <= monthrange(year, month)[1]


def content_words(text: str) -> list[str]:
    """The words of a text that say what it is about, as they are written, each once.

    >>> content_words("How much water did the Oslo site use in 2023?")
    ['water', 'Oslo', 'site', '2023']
    """
    found = (re.sub(r"[’']s?$", "", word) for word in _TOKEN.findall(_STATEMENT.sub("", text)))
    return list(dict.fromkeys(word for word in found if word.lower() not in _EMPTY))


def claim(question: str) -> str:
    """The statement that is to be called true or false."""
    return _STATEMENT.sub("", question).strip()


def _unit(question: Question) -> Unit | None:
    asked_for = unit_asked(question.unit)
    if asked_for is not None:
        return asked_for
    if re.search(r"\bpercent(?:age)?\b|\bwhat share\b|\bproportion of\b", question.text, re.IGNORECASE):
        return unit("percent")
    if (named := _in_unit(question.text)) is not None:
        return named
    counted = _COUNTED.search(question.text)
    return unit(counted[1]) if counted and unit(counted[1]).known else None


def _in_unit(text: str) -> Unit | None:
    """The unit that a question wants its answer in: "what is the depth, in metres"."""
    found = (unit(match[1]) for match in reversed(list(_IN_UNIT.finditer(text))) if len(match[1]) > 1)
    return next((one for one in found if one.known), None)


def _names(question: Question) -> tuple[frozenset[str], ...]:
    """The names in a question: words with capitals that open no sentence, and codes such as BX-60; units are none."""
    text = _IN_UNIT.sub(" ?", _STATEMENT.sub("", question.text)).replace(question.unit or "?", " ")
    found: list[list[str]] = []
    end = -1
    for match in _TOKEN.finditer(text):
        word = re.sub(r"[’']s?$", "", match[0])
        if not _is_name(word, opens=_OPENING.search(text[: match.start()]) is not None):
            continue
        if found and text[end : match.start()] == " ":
            found[-1].append(word)
        else:
            found.append([word])
        end = match.end() if word == match[0] else -1
    codes = [[word] for phrase in found for word in phrase if is_code(word)]
    plain = [[word for word in phrase if not is_code(word)] for phrase in found]
    # by their parts, since documents write LLaMA-7B and LLaMA 7B
    names = (
        frozenset(filter(str.isalnum, terms(" ".join(phrase))))
        for phrase in (*codes, *plain)
        if not _is_acronym(phrase)
    )
    return tuple(name for name in names if name)


def is_code(word: str) -> bool:
    """Whether a word is letters and digits, as names of models and parts are: BX-60, A100, T5."""
    return re.search(r"\d", word) is not None and re.search(r"[^\W\d_]", word) is not None


def _is_name(word: str, *, opens: bool) -> bool:
    if unit(word).known or unit(f"t {word}").known:  # kWh, CO2e
        return False
    if word.lower() in _EMPTY or word.lower() in _NOT_NAMES or years(terms(word)):
        return False
    if re.search(r"(?<=[^\W\d_])[A-Z]", word) or (is_code(word) and word[0].isupper()):
        return True
    return word[0].isupper() and not opens


def _is_acronym(phrase: list[str]) -> bool:
    """Whether nothing but short capitals is left, which documents often write out: AWS, NLP."""
    return all(re.fullmatch(r"[A-Z]{1,5}s?|(?:[A-Z]\.)+[A-Z]?", word) for word in phrase)


def _noun(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    phrase = next((group for group in match.groups() if group), "") if match else ""
    return stem(phrase.split()[-1]) if phrase else ""


def _choices(text: str) -> tuple[str, ...]:
    match = _CHOICES.search(text)
    if not match:
        return ()
    options = (option.strip() for option in re.split(r",\s*(?:or\s+)?|\s+or\s+", match[1]))
    return tuple(option for option in options if option)

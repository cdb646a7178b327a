"""Whether a value is said of another thing, where the same words are said of what is asked."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from answerer.aim import Aim
from answerer.asking import terms
from answerer.attached.names import NAMES
from answerer.attached.said import NEAR, Said, Span, neighbours
from answerer.figures import line_at, lines
from answerer.grid import is_row
from answerer.where import held
from kohaku.words import stem


def other_sentence(aim: Aim, said: Said) -> str | None:
    """Why a number is of another name or thing: another sentence says one of what is asked, in the same words."""
    return of_other_sentence(aim, said.passage, said.place) or None


def of_other_sentence(aim: Aim, text: str, own: Span) -> str:
    """Why a value is of another name: another sentence says one of the name asked for, in the same words.

    >>> from answerer.aim import aim
    >>> from answerer.answer import Question
    >>> of_other_sentence(aim(Question("", "Who founded Holm?")), "Ada Lund founded Rask. Bo Ek founded Holm.", (0, 8))
    'it is said of “Rask”, and another one of “Holm”'
    """
    line = line_at(text, own[0]) or own
    if why := _of_parallel(aim, text, line, own):
        return why
    asked = _asked_names(text, aim.terms)
    if not asked:
        return ""
    at = bisect_left(asked, own[0], key=lambda one: one[1].start())
    asked = asked[max(0, at - NEAR) : at + NEAR]
    if is_row(text[slice(*line)]) or aim.terms & _KIN:
        return ""
    for tie in _ties(text, line, own):
        mine = frozenset(terms(tie.name))
        for other, name, theirs in asked if mine else ():
            rival = _tied(text, other, name, tie) if other != line and mine & aim.terms < theirs else ""
            if rival and not _are_together(text, mine, theirs):
                alike = rival.strip() in text[slice(*own)]
                return "" if alike else f"it is said of “{tie.name}”, and another one of “{name[0]}”"
    return ""


def _of_parallel(aim: Aim, text: str, line: Span, own: Span) -> str:
    """Why a value is of another thing: a sentence beside says one, in the same words, of what is asked.

    The one has a word of the question where the other has one that is none: "the north wing has 12 rooms",
    "the south wing has 30 rooms". Names are told apart by `of_other_sentence`.
    """
    mine = text[slice(*line)]
    if is_row(mine) or len(mine) > LONGEST_PARALLEL:
        return ""
    at = _words_at(mine, own[0] - line[0], own[1] - line[0])
    for beside in neighbours(text, line):
        theirs = text[slice(*beside)]
        if len(theirs) <= LONGEST_PARALLEL and (rival := _traded(aim, mine, theirs, at)):
            return f"“{rival}” is what is said of that"
    return ""


LONGEST_PARALLEL = 300  # letters of sentences that are compared word by word


def _words_at(text: str, start: int, end: int) -> Span:
    """The numbers of the words that a part of a text covers."""
    covered = [at for at, word in enumerate(_WORDS.finditer(text)) if word.start() < end and start < word.end()]
    return (covered[0], covered[-1] + 1) if covered else (0, 0)


def _traded(aim: Aim, mine: str, theirs: str, at: Span) -> str:
    """The sentence that has another value where the one has the words `at`, and a word of the question for another."""
    own, other = _WORDS.findall(mine), _WORDS.findall(theirs)
    traded, is_other_value = False, False
    for kind, first, last, begin, end in SequenceMatcher(None, own, other, autojunk=False).get_opcodes():
        if first < at[1] and at[0] < last:
            is_other_value = is_other_value or (
                kind == "replace" and _is_alike_value(own[first:last], other[begin:end])
            )
        elif kind == "replace" and last - first == end - begin <= 2 and " ".join(own[first:last]).islower():
            lost, won = held(" ".join(own[first:last])), held(" ".join(other[begin:end]))
            traded = traded or bool(lost and not lost & aim.terms and won & aim.terms and not won & held(mine))
    return theirs.strip() if traded and is_other_value else ""


def _is_alike_value(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether words may be another value of the same form: a number for a number, a name for a name."""
    forms = [
        (any(map(str.isdigit, "".join(words))), any(word[:1].isupper() for word in words)) for words in (one, other)
    ]
    return bool(other) and forms[0] == forms[1]


_WORDS = re.compile(r"[\w.,’'-]*\w")


@lru_cache(maxsize=64)
def _asked_names(text: str, wanted: frozenset[str]) -> tuple[tuple[Span, re.Match[str], frozenset[str]], ...]:
    """The names of a text that have words of the question: the line of each, where it stands, and those words."""
    return tuple(
        (line, name, words)
        for line in lines(text)
        for name in NAMES.finditer(text, *line)
        if (words := held(name[0]) & wanted)
    )


@lru_cache(maxsize=1024)
def _are_together(text: str, one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a sentence speaks of both names: what is said of the one may then hold of the other."""
    return any(one | other <= held(text[slice(*line)]) for line in lines(text))


_KIN = frozenset(
    stem(word)
    for word in re.findall(
        r"\w+",
        """
        parent subsidiary owner successor predecessor competitor rival partner father mother wife husband son daughter
        brother sister
        """,
    )
)
"""What a question may name a thing by that is another's: whose name is in the question then is not what is asked."""


class _Tie(NamedTuple):
    """A name in the sentence of a value, the words between both, and whether it stands before that."""

    name: str
    words: str
    is_before: bool
    is_number: bool


def _ties(text: str, line: Span, own: Span) -> Iterator[_Tie]:
    """The names next to a value, with the words between."""
    is_number = any(map(str.isdigit, text[slice(*own)]))
    for name in NAMES.finditer(text, *line):
        before = name.end() <= own[0]
        words = text[name.end() : own[0]] if before else text[own[1] : name.start()]
        if 0 < len(words) <= LONGEST_TIE and _LETTERS.search(words) and not re.search(r"[A-Z\d;:.]", words):
            yield _Tie(name[0], words, before, is_number)


def _tied(text: str, line: Span, name: re.Match[str], tie: _Tie) -> str:
    """What stands in a line at the other end of the same words from another name, "" where nothing of the kind."""
    what = _DIGITS if tie.is_number else NAMES
    if tie.is_before:
        found = (
            what.match(text, name.end() + len(tie.words), line[1]) if text.startswith(tie.words, name.end()) else None
        )
        return found[0] if found else ""
    if not text.endswith(tie.words, line[0], name.start()):
        return ""
    end = name.start() - len(tie.words)
    return next((found[0] for found in what.finditer(text, line[0], end) if found.end() == end), "")


_DIGITS = re.compile(r"[$€£¥]?\s?\d(?:[\d.,]*\d)?")
LONGEST_TIE = 60  # letters between a value and the name that it is said of
_LETTERS = re.compile(r"[^\W\d_]")

"""Where a search looks: which documents, by what is known of them, and which kinds of parts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import TypeVar

from kohaku.errors import ScopeError
from kohaku.text import few, nearest
from kohaku.tree import Document, Kind

T = TypeVar("T", Decimal, date, str)

OPERATORS = ("!=", "<=", ">=", "=", "<", ">", "~")
_CONDITION = re.compile(rf"\s*([^=!<>~]*?)\s*({'|'.join(OPERATORS)})=?(.*)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_DATE = re.compile(r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[T ].*)?)?)?", re.DOTALL)
_GLOB = re.compile(r"[*?\[]")
_MARKS = re.compile(r"([*?\[])")
MOST_NAMED = 20  # keys that an error lists


@dataclass(frozen=True, slots=True)
class Condition:
    """What a document's metadata must say: a key, an operator of OPERATORS (~ is "contains"), a value.

    Numbers are compared as numbers, dates (2023, 2023-04, 2023-04-05) as the days that they span, all else as text
    whatever its case. A document without the key counts as one where it is empty, which is neither more nor less than
    anything.
    """

    key: str
    operator: str
    value: str

    @classmethod
    def of(cls, text: str) -> Condition:
        """A condition as it is written; ScopeError where it is none.

        >>> Condition.of("year >= 2023")
        Condition(key='year', operator='>=', value='2023')
        """
        found = _CONDITION.fullmatch(text)
        if not found or not found[1]:
            raise ScopeError(f"{text!r} is no condition: write KEY=VALUE, with one of {' '.join(OPERATORS)}")
        return cls(found[1], found[2], found[3].strip())

    def __str__(self) -> str:
        return f"{self.key}{self.operator}{self.value}"

    def holds(self, said: str) -> bool:
        """Whether it holds for what a document says under the key.

        >>> [Condition.of(text).holds("2023-04-05") for text in ("d=2023", "d>2023-04", "d<=2023-04-05", "d~-04")]
        [True, False, True, True]
        """
        if self.operator == "~":
            return _folded(self.value) in _folded(said)
        if self.operator == "!=":
            return not _compared(said, "=", self.value)
        return _compared(said, self.operator, self.value)


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of an index that a search is kept to; without arguments all of it.

    Documents must meet every condition of `where`, be named by `documents` (ids, * and ? allowed) where there are any,
    and by none of `without`. Where `kinds` are given, only parts of these kinds are evidence.
    """

    where: tuple[Condition, ...] = ()
    documents: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    kinds: frozenset[Kind] = frozenset()

    @classmethod
    def of(
        cls,
        where: Iterable[str] = (),
        documents: Iterable[str] = (),
        without: Iterable[str] = (),
        kinds: Iterable[str] = (),
    ) -> Scope:
        """A scope as it is written on a command line; ScopeError where a condition or a kind can't be read.

        >>> str(Scope.of(where=["year>=2023"], without=["draft*"], kinds=["table"]))
        'year>=2023, not draft*, kind table'
        """
        return cls(tuple(map(Condition.of, where)), tuple(documents), tuple(without), frozenset(map(_kind, kinds)))

    def __str__(self) -> str:
        said = [*map(str, self.where)]
        said += [" or ".join(self.documents)] if self.documents else []
        said += [f"not {name}" for name in self.without]
        said += [f"kind {' or '.join(sorted(self.kinds))}"] if self.kinds else []
        return ", ".join(said)

    @property
    def names_documents(self) -> bool:
        """Whether it leaves out documents."""
        return bool(self.where or self.documents or self.without)

    @property
    def searched(self) -> frozenset[Kind] | None:
        """The kinds of paragraphs to search, None for all of them: a section is found by whatever stands in it."""
        return None if not self.kinds or Kind.SECTION in self.kinds else self.kinds

    @property
    def has_figures(self) -> bool:
        """Whether figures are among what is read."""
        return not self.kinds or Kind.FIGURE in self.kinds

    def admits(self, document: Document) -> bool:
        """Whether a document is within."""
        said = _said(document)
        return (
            all(condition.holds(said.get(condition.key.casefold(), "")) for condition in self.where)
            and (not self.documents or any(_names(pattern, document.id) for pattern in self.documents))
            and not any(_names(pattern, document.id) for pattern in self.without)
        )


EVERYWHERE = Scope()


def admitted(scope: Scope, documents: Sequence[Document]) -> frozenset[str]:
    """The ids of the documents within a scope.

    ScopeError where there is none, where no document has a condition's key, or none the id that is named.
    """
    keys = {key: name for document in documents for key, name in _keys(document).items()}
    for condition in scope.where:
        if condition.key.casefold() not in keys:
            names = sorted(keys.values(), key=str.casefold)
            raise ScopeError(
                f"no document has {condition.key!r} in its metadata, but {few(names, MOST_NAMED)}: "
                "give one of these, or `kohaku index --metadata FILE.csv`, which adds columns"
            )
    ids = [document.id for document in documents]
    for name in (*scope.documents, *scope.without):
        if not _GLOB.search(name) and not any(_names(name, id) for id in ids):
            raise ScopeError(f"no document {name!r}{_nearest(name, dict(zip(ids, ids, strict=True)))}")
    wanted = replace(scope, documents=_exact(scope.documents, ids), without=_exact(scope.without, ids))
    found = frozenset(document.id for document in documents if wanted.admits(document))
    if not found:
        raise ScopeError(f"no document of {len(ids)} is within {scope}: `kohaku docs --json` shows what each says")
    return found


def _keys(document: Document) -> dict[str, str]:
    """The names under which a document says something, by their folded forms."""
    return {key.casefold(): key for key in ("id", "title", *document.metadata)}


def _said(document: Document) -> dict[str, str]:
    own = {"id": document.id, "title": document.title}
    return {key.casefold(): value for key, value in {**own, **document.metadata}.items()}


def _names(pattern: str, id: str) -> bool:
    return id == pattern or fnmatchcase(id.casefold(), pattern.casefold())


def _exact(names: Iterable[str], ids: Iterable[str]) -> tuple[str, ...]:
    """Patterns, of which those that are a document's id as they stand mean that document alone."""
    known = set(ids)
    return tuple(_MARKS.sub(r"[\1]", name) if name in known else name for name in names)


def _nearest(name: str, known: dict[str, str]) -> str:
    if not known:
        return ": `kohaku docs --json` shows what each says"
    return f": did you mean {known[nearest(name.casefold(), known)]!r}?"


def _kind(name: str) -> Kind:
    kinds = [kind.value for kind in Kind if kind not in (Kind.DOCUMENT, Kind.SENTENCE)]
    if name.casefold() not in kinds:
        raise ScopeError(f"there is no kind {name!r}: give one of {', '.join(kinds)}")
    return Kind(name.casefold())


def _compared(said: str, operator: str, wanted: str) -> bool:
    numbers = _number(said), _number(wanted)
    if numbers[0] is not None and numbers[1] is not None:
        return _ordered((numbers[0], numbers[0]), operator, (numbers[1], numbers[1]))
    days = _days(said), _days(wanted)
    if days[0] is not None and days[1] is not None:
        return _ordered(days[0], operator, days[1])
    texts = _folded(said), _folded(wanted)
    if operator == "=":
        return texts[0] == texts[1]
    mixed = any(value is not None for value in (*numbers, *days))  # a word is neither before nor after a number
    return bool(texts[0]) and not mixed and _ordered((texts[0], texts[0]), operator, (texts[1], texts[1]))


def _ordered(said: tuple[T, T], operator: str, wanted: tuple[T, T]) -> bool:
    """Whether what a span says holds for all of it: a year is after a month only where all its days are."""
    if operator == "=":
        return wanted[0] <= said[0] and said[1] <= wanted[1]
    if operator in ("<", "<="):
        return said[1] < wanted[0] if operator == "<" else said[1] <= wanted[1]
    return said[0] > wanted[1] if operator == ">" else said[0] >= wanted[0]


def _number(text: str) -> Decimal | None:
    text = text.strip()
    return Decimal(text.replace(",", "")) if _NUMBER.fullmatch(text) else None


def _days(text: str) -> tuple[date, date] | None:
    """The first and last day of a date; None where it is none.

    >>> _days("2023-04")
    (datetime.date(2023, 4, 1), datetime.date(2023, 4, 30))
    """
    found = _DATE.fullmatch(text.strip())
    if not found:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    assert year is not None
    try:
        if month is None:
            return date(year, 1, 1), date(year, 12, 31)
        if day is not None:
            return date(year, month, day), date(year, month, day)
        last = date(year, 12, 31) if month == 12 else date(year, month + 1, 1) - timedelta(days=1)
        return date(year, month, 1), last
    except ValueError:
        return None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())

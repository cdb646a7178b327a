"""Names in a sentence, by the kind of thing that is asked for: a person, a place, a firm, or any other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from answerer.asking import DATE, Asked, Kind, terms
from answerer.cells import Row
from answerer.passages import Sentence
from answerer.units import unit
from kohaku.words import stem

UNLIKE = -0.60
"""What a name loses that is hardly of the kind asked for."""
LONGEST_LABEL = 4  # words of a row's label that is a name as a whole
LIKE = 0.30
"""What it gains that clearly is."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it stands in a sentence, where it begins, and how far it is of the kind asked for."""

    text: str
    start: int
    likeness: float = 0.0


_NAME = re.compile(
    r"[\"“‘']([^\"”’']{3,60})[\"”’']"
    r"|(?:(?:[A-Z][\w.&’'-]*|[a-z]+[A-Z][\w-]*|\d+[A-Z][\w-]*)(?:\s(?:of|the|for|and|de|&)(?=\s[A-Z]))?\s?)+"
)
_PERSON = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof|Captain|Sir|Dame)\.?\s)?"
    r"[A-Z][\w’'-]+(?:\s(?:[A-Z]\.|de|van|von|der|del|la|bin|al))*(?:\s[A-Z][\w’'-]+){1,3}"
)
_TITLED = re.compile(r"(?:Mr|Mrs|Ms|Dr|Prof|Captain|Sir|Dame)\.?\s")
_PLACE = re.compile(r"[A-Z][\w’'-]+(?:\s(?:of\s(?:the\s)?)?[A-Z][\w’'-]+)*(?:,\s[A-Z][\w’'-]+(?:\s[A-Z][\w’'-]+)*)*")
_AT = re.compile(r"\b(?:in|at|near|outside|from|of)\s(?:the\s)?$")
_TITLES = frozenset(
    [
        "chief",
        "executive",
        "officer",
        "president",
        "vice",
        "senior",
        "chairman",
        "chair",
        "director",
        "manager",
        "secretary",
        "treasurer",
        "general",
        "board",
        "member",
        "head",
        "deputy",
        "assistant",
        "professor",
        "counsel",
        "controller",
        "partner",
        "principal",
        "department",
    ]
)
_FORM = re.compile(
    r"\b(?:Inc|Incorporated|PLC|plc|Ltd|Limited|LLC|LLP|Co|Corp|Corporation|Company|AG|GmbH|SA|Group|University|"
    r"Institute|Association|Bank|Agency|Foundation)\b"
)
_BY = re.compile(r"\bby\s(?:the\s)?$")


def named(sentence: Sentence, wanted: Asked, common: Collection[str]) -> Iterator[Name]:
    """The names of a sentence that may be the answer; `common` are words that the evidence writes small elsewhere."""
    if wanted.kind is Kind.EXPANSION:
        yield from _expansions(sentence, wanted.short)
    elif wanted.kind is Kind.DEFINITION:
        yield from _definitions(sentence, wanted.short)
    elif wanted.choices:
        lower = sentence.text.lower()
        for choice in wanted.choices:
            if (at := lower.find(choice.lower())) >= 0:
                yield Name(choice, at)
    elif wanted.kind is Kind.PERSON:
        yield from _persons(sentence, common)
        yield from (Name(name.text, name.start) for name in _any(sentence) if _FORM.search(name.text))
    elif wanted.kind is Kind.PLACE:
        yield from _places(sentence, common, town=wanted.noun in _TOWNS)
    else:
        for name in _any(sentence):
            yield _as_firm(sentence, name, wanted, common) if wanted.kind is Kind.FIRM else name


def _definitions(sentence: Sentence, subject: str) -> Iterator[Name]:
    """What a sentence says that the subject is: "a network of stations"."""
    if sentence.row.cells:
        return
    is_one = re.compile(
        rf"(?<![\w.-]){re.escape(subject)}s?[”\"’']?(?:\s\([^()]*\))?,?\s(?:is|are|means?|refers? to|denotes?)\s"
        r"(?:defined as\s)?(?=(?:an?|the|any|all|what|how|one|those|that)\b)",
        re.IGNORECASE,
    )
    for match in is_one.finditer(sentence.text):
        before = sentence.text[: match.start()]
        said = sentence.text[match.end() :].rstrip(" .;:")
        if said and _BEGINS.search(before) and not _WITHIN.search(before):
            yield Name(said, match.end(), LIKE)


_BEGINS = re.compile(r"(?:^|[.;:,—–(]\s?|\b(?:an?|the|term|that|where|while)\s)[“\"‘']?$", re.IGNORECASE)  # a phrase
_WITHIN = re.compile(r"\b(?:of|in|for|by|with|to|from)\s(?:an?\s|the\s)?[“\"‘']?$", re.IGNORECASE)  # another phrase


def _persons(sentence: Sentence, common: Collection[str]) -> Iterator[Name]:
    for match in _PERSON.finditer(sentence.text):
        bare = _TITLED.sub("", match[0])
        words = [word for word in re.findall(r"[^\W\d_]{2,}", bare) if word[0].isupper()]
        is_owner = match[0].endswith(("’s", "'s"))
        is_other = is_owner or 0 < sum(map(str.isupper, words)) < len(words) or _FORM.search(match[0])
        if (
            is_other
            or any(word.lower() in common or word.lower() in _TITLES for word in words)
            or not _may_stand(sentence, match.start())
        ):
            continue
        after = sentence.text[match.end() : match.end() + 6]
        is_place = _AT.search(sentence.text[: match.start()]) or re.match(r",?\s(?:Inc|LL[CP]|Ltd|plc|Corp)", after)
        yield Name(match[0], match.start(), UNLIKE if is_place else LIKE)


def _places(sentence: Sentence, common: Collection[str], *, town: bool) -> Iterator[Name]:
    """The places of a sentence; of a `town` without the state that it is in."""
    for match in _PLACE.finditer(sentence.text):
        start = match.start()
        if _FORM.search(sentence.text, start, min(len(sentence.text), match.end() + 6)):
            continue
        while (first := _FIRST_OF.match(sentence.text, start, match.end())) and first[1].lower() in common:
            start = first.end()  # "Laws of the Isle of Man"
        place = sentence.text[start : match.end()]
        is_word = all(word.lower() in common for word in re.findall(r"[^\W\d_]{2,}", place))
        is_name = not is_word and place.lower() not in _NO_NAMES and not DATE.match(place)
        if is_name and _AT.search(sentence.text[:start]) and _may_stand(sentence, start):
            yield Name(place.partition(",")[0] if town else place, start, LIKE)


_TOWNS = frozenset(map(stem, ["city", "town", "village"]))
_FIRST_OF = re.compile(r"(\w+)\sof\s(?:the\s)?")


def _as_firm(sentence: Sentence, name: Name, wanted: Asked, common: Collection[str]) -> Name:
    """A name with how like one of a firm it is: by its form, by who did it, and not by words that are no names."""
    words = [word for word in re.findall(r"[^\W\d_]{2,}", name.text) if word[0].isupper()]
    if all(word.lower() in common or wanted.terms.issuperset(terms(word)) for word in words):
        return Name(name.text, name.start, UNLIKE)
    is_doer = _BY.search(sentence.text[: name.start]) or _FORM.search(name.text)
    return Name(name.text, name.start, LIKE / 2 if is_doer else UNLIKE / 2)


def _expansions(sentence: Sentence, short: str) -> Iterator[Name]:
    """What a short form is short for: the words before it in brackets, or those in brackets behind it."""
    for match in re.finditer(rf"(?<!\w){re.escape(short)}(?!\w)", sentence.text):
        opened = re.search(r"[(\[]\s*[\"“‘']?$", sentence.text[: match.start()])
        if opened:
            words = re.findall(r"\S+", sentence.text[: opened.start()])[-2 * len(short) :]
            held = next((words[at:] for at in range(len(words)) if _abbreviates(short, words[at:])), [])
        else:
            behind = re.match(r"\s*[(:=–—-]\s*([^()]{4,80}?)\s*[),;.]", sentence.text[match.end() :])
            held = behind[1].split() if behind and _abbreviates(short, behind[1].split()) else []
        if held:
            said = " ".join(held).strip("“”\"'‘’,")
            yield Name(said, max(0, sentence.text.find(held[0])), LIKE)


def _abbreviates(short: str, words: list[str]) -> bool:
    """Whether a short form is the first letters of words, those that are written small or follow a hyphen optional."""
    letters = [letter.lower() for letter in short if letter.isalpha()]
    parts = [part for word in words for part in re.findall(r"[^\W\d_]+", word)]
    if not parts or not letters or parts[0][0].lower() != letters[0] or parts[-1][0].lower() not in letters:
        return False
    for part in parts:
        if letters and part[0].lower() == letters[0]:
            letters.pop(0)
        elif part.lower() not in _JOINTS:
            return False
    return not letters


_JOINTS = ("of", "the", "and", "for", "in", "to", "a", "on", "per")


def _may_stand(sentence: Sentence, place: int) -> bool:
    return not sentence.row.cells or _is_in_cell(sentence.row, place)


def _any(sentence: Sentence) -> Iterator[Name]:
    label = sentence.row.own_label().strip()
    labels = range(sentence.row.over()[1], sentence.row.label[1] if len(label.split()) <= LONGEST_LABEL else 0)
    for match in _NAME.finditer(sentence.text):
        group = 1 if match[1] else 0
        name = match[group].strip().rstrip(".,;:'’-")
        if not _may_stand(sentence, match.start(group)):
            continue
        if (
            name.lower() in _NO_NAMES
            or _FORM.fullmatch(name)
            or len(name) < 2
            or unit(name).known
            or _is_short_form(sentence.text, match)
        ):
            continue
        start = match.start(group)
        if start in labels:  # "West kiln" is one name, though half of it is written small
            if start == labels[0]:
                yield Name(label, start)
            continue
        yield Name(_DAYS.sub(r"\1", name), start, _opening(sentence, name, start))


def _opening(sentence: Sentence, name: str, start: int) -> float:
    return _FIRST_WORD if start == 0 and " " not in name and not sentence.row.cells else 0.0


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

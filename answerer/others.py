"""Which values a text gives to something else by its own words: the whole that a part is of, another of a class."""

from __future__ import annotations

import re

from answerer.asking import Asked, terms
from answerer.passages import Sentence

_THEM = r"of (?:which|whom|these|them|those)\b"
_PART_BEHIND = re.compile(rf"(?!\s*{_THEM})[^.;]*?(?:\b{_THEM}[^.;]*?\d|\d[^.;\d]*?\b{_THEM})")
_WHOLE_BEFORE = re.compile(
    r"\bof (?:a total of\s|(?:all|the|its|our|their|these|those|his|her)\s(?:\w+\s)?)$", re.IGNORECASE
)
_OF_THESE = re.compile(r"\W*of (?:these|them|those)\b[^.;]*?\d", re.IGNORECASE)
_MARKETS = ("domestic", "international", "foreign", "overseas", "abroad")
_TITLE = re.compile(r"\b([A-Z][\w-]*[a-z])\s([a-z][\w-]+(?:\s[a-z][\w-]+)?)")


def is_whole(sentence: Sentence, start: int, end: int) -> bool:
    """Whether a number is that of a whole of which the sentence, or the one behind it, gives a part.

    "73 species, of which 11 were new"; "11 of the 73 species"; "73 species. Of these, 11 were new".
    """
    text = sentence.text
    if _WHOLE_BEFORE.search(text[:start]) or _PART_BEHIND.match(text, end):
        return True
    whole = sentence.context.text
    at = whole.find(text)
    return at >= 0 and _OF_THESE.match(whole, at + len(text)) is not None and not _OF_THESE.match(text)


def is_of_classmate(sentence: Sentence, place: int, wanted: Asked) -> bool:
    """Whether a value is of another one of a class than the question's: of the Domestic segment, not the International.

    Told by the sentence, or of a table's cell by its label and head and what stands over the table.
    """
    cell = sentence.row.cell(place)
    if cell is None:
        return _names_classmate(sentence.text, wanted)
    over = " ; ".join((*sentence.context.headings[-1:], sentence.caption))
    own = sentence.row.about(cell)
    return _names_classmate(own, wanted) or (not _names_own(own, wanted) and _names_classmate(over, wanted))


def _names_own(text: str, wanted: Asked) -> bool:
    held = frozenset(terms(text))
    return any(terms(name)[0] in held for name, _ in wanted.classed)


def _names_classmate(text: str, wanted: Asked) -> bool:
    """Whether a text names another of the class of each of the question's names that have one, and not that name."""
    if not wanted.classed or _names_own(text, wanted):
        return False
    found = {(match[1].lower(), frozenset(terms(match[2]))) for match in _TITLE.finditer(text)}
    lower = set(re.findall(r"\w+", text.lower()))
    for name, kind in wanted.classed:
        others = {other for other, held in found if set(kind) <= held and terms(other)}
        if name.lower() in _MARKETS:
            others |= lower.intersection(_MARKETS)
        if not others - {name.lower()}:
            return False
    return True

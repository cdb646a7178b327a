"""A document's first page: whether it is a form's, and what the document is called there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from indexer.layout.numbering import numbering_depth
from indexer.layout.page import Line, Style
from indexer.layout.values import PERIOD
from kohaku.rows import says_scale

LARGER = 1.15  # times the body's size: a title's
LONGEST = 220  # characters of a title
LEAST_ASKED = 3  # things that a form's cover asks for
DEEPEST = 4  # lines that one thing fills in above what asks for it
ASKED = re.compile(r"\((?:[^\s\d]+\s+){2,}[^\s\d]+\)")  # "(Address of principal executive offices)"
ASKED_BESIDE = re.compile(r"[A-Z][^:.]{4,60}: ?\S.{0,60}")  # "State of Incorporation: Delaware"
FORM = re.compile(r"(?:form|formul\w*|formblatt|vordruck|modulo|modelo)\s+(?=\S*\d)[\w./-]{1,12}", re.IGNORECASE)


def asked(lines: Sequence[Line]) -> list[int]:
    """The places of the first page's lines that say what a form's cover asks for; none where it is no such cover."""
    page = lines[0].page if lines else 0
    first = list(takewhile(lambda line: line.page == page, lines))
    places = [
        place
        for place, line in enumerate(first)
        if asks(line) or (_is_centred(line) and ASKED_BESIDE.fullmatch(line.text))
    ]
    return places if len(places) >= LEAST_ASKED else []


def title(lines: Sequence[Line], body: Style) -> str:
    """What the first page calls the document: on a form's cover whose it is, which form and of when, else the largest.

    Empty where nothing there is larger than text and short enough.
    """
    places = asked(lines)
    return (_filled_in(lines, places) if places else "") or _largest(lines, body)


def asks(line: Line) -> bool:
    """Whether a line says in brackets what a form wants to know above it."""
    return ASKED.fullmatch(line.text) is not None and not says_scale(line.text)


def _is_centred(line: Line) -> bool:
    left, right = line.rect.x0 - line.column.x0, line.column.x1 - line.rect.x1
    return abs(left - right) < line.style.size and min(left, right) > 2 * line.style.size


def _filled_in(lines: Sequence[Line], places: Sequence[int]) -> str:
    """The largest name that a cover fills in, with the form's own and its period; empty where it names no form."""
    cover = lines[: places[-1] + 1]
    form = next((found[0] for line in cover if (found := FORM.fullmatch(line.text))), "")
    names = [lines[place - 1] for place in places if place and asks(lines[place]) and not asks(lines[place - 1])]
    if not form or not names:
        return ""
    name = max(names, key=lambda line: (line.style.size, line.style.bold))  # the first of the largest
    when = next((line.text for line in cover if PERIOD.fullmatch(line.text) and line.text[-1].isdigit()), "")
    return ", ".join(filter(None, (f"{name.text} {form}", when)))


def _largest(lines: Sequence[Line], body: Style) -> str:
    """The largest text of page 1, where it is larger than the body and short enough to be a title."""
    said = [line for line in lines if line.page == lines[0].page and sum(map(str.isalpha, line.text[:300])) > 2]
    first = [line for line, after in pairwise([*said, None]) if line and not _is_within_sentence(line, after)]
    if not first:
        return ""
    size = max(line.style.size for line in first)
    found: list[Line] = []
    for line in first:
        if line.style.size == size and (not found or line.base - found[-1].base < 2.5 * size):
            found.append(line)
        elif found:
            break
    text = " ".join(line.text for line in found)
    named = size >= LARGER * body.size and len(text) <= LONGEST and not numbering_depth(text)
    return text if named else ""


def _is_within_sentence(line: Line, after: Line | None) -> bool:
    """Whether a line of its own size is some words of a sentence, made large: it begins small, and so goes on."""
    goes_on = line.text.endswith((",", ";")) or (after is not None and after.text[:1].islower())
    return line.text[0].islower() and goes_on and (after is None or after.style.size < line.style.size)

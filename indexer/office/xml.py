"""Names in Office XML, and looking things up by them.

Elements are lxml's, as python-docx and python-pptx parse them (entities are never resolved); nothing here imports it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Element = Any  # lxml has no types of its own

SPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "v": "urn:schemas-microsoft-com:vml",
    "p14": "http://schemas.microsoft.com/office/powerpoint/2010/main",
}
SHORT = {space: prefix for prefix, space in SPACES.items()}


def whole(name: str) -> str:
    """A name with its namespace as lxml writes it.

    >>> whole("m:r")
    '{http://schemas.openxmlformats.org/officeDocument/2006/math}r'
    """
    prefix, _, local = name.partition(":")
    return f"{{{SPACES[prefix]}}}{local}"


def name_of(element: Element) -> str:
    """An element's name with its usual prefix; of a namespace not listed here, or of a comment: empty."""
    if not isinstance(element.tag, str):
        return ""
    space, _, local = element.tag[1:].rpartition("}")
    return f"{SHORT[space]}:{local}" if space in SHORT else ""


def child(element: Element, path: str) -> Element | None:
    """The first element at the end of a path such as "w:pPr/w:numPr"; None where there is none."""
    for name in path.split("/"):
        element = element.find(whole(name)) if element is not None else None
    return element


def children(element: Element, name: str) -> list[Element]:
    """The child elements of that name."""
    return list(element.findall(whole(name)))


def within(element: Element, name: str) -> Iterator[Element]:
    """The elements of that name anywhere below, in document order."""
    return iter(element.iter(whole(name)))


def value(element: Element | None, name: str = "w:val") -> str | None:
    """An attribute of an element that need not be there."""
    return None if element is None else element.get(whole(name) if ":" in name else name)


def number(text: str | None) -> int | None:
    """A whole number as attributes hold it; None for anything else.

    >>> number("12"), number("-1"), number("x"), number("9" * 5000), number(None)
    (12, -1, None, None, None)
    """
    if text is None or len(text) > 12 or not text.removeprefix("-").isdecimal():
        return None
    return int(text)


def is_on(element: Element | None) -> bool | None:
    """Whether a switch such as w:b is on; None where it is not there."""
    return None if element is None else value(element) not in ("0", "false", "off", "none")


def chosen(alternatives: Element) -> list[Element]:
    """Of what is there in several forms, the first: the others say the same in older words."""
    return (children(alternatives, "mc:Choice") or children(alternatives, "mc:Fallback"))[:1]

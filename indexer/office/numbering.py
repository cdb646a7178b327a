"""Word's automatic numbers, which stand in no text: what a reader sees before an item or a heading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from indexer.office.xml import Element, child, children, number, value

BULLET = "-"
PLACE = re.compile(r"%([1-9])")
ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
         (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list is numbered: w:numFmt, w:lvlText ("%1.%2"), the first number."""

    format: str = "bullet"
    text: str = ""
    start: int = 1


@dataclass(slots=True)
class Numbering:
    """A document's lists, and how far each is counted; labels are to be asked for in reading order."""

    lists: Mapping[str, tuple[str, Mapping[int, Level], bool]]  # number → (what counts it, its levels, counted anew)
    counts: dict[str, dict[int, int]] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)

    def label(self, list_: str, level: int) -> str:
        """The next label of a list's level: "2.1", "b)", "-" for a bullet, nothing where none is shown."""
        counter, levels, anew = self.lists.get(list_, (list_, {}, False))
        if anew and list_ not in self.begun:
            self.counts.pop(counter, None)
        self.begun.add(list_)
        shape = levels.get(level, Level())
        if shape.format == "bullet":
            return BULLET
        counts = self.counts.setdefault(counter, {})
        for deeper in [one for one in counts if one > level]:
            del counts[deeper]
        counts[level] = counts.get(level, shape.start - 1) + 1
        if shape.format == "none":
            return ""

        def written(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            of = levels.get(at, Level("decimal"))
            return spelled(counts.get(at, of.start), of.format)

        return PLACE.sub(written, shape.text).strip()


def numbering(root: Element | None) -> Numbering:
    """The lists of a numbering part (w:numbering)."""
    if root is None:
        return Numbering({})
    shapes = {value(one, "w:abstractNumId") or "": _levels(one) for one in children(root, "w:abstractNum")}
    lists = {}
    for one in children(root, "w:num"):
        shape = value(child(one, "w:abstractNumId")) or ""
        levels = dict(shapes.get(shape, {}))
        overrides = children(one, "w:lvlOverride")
        for override in overrides:
            levels.update(_levels(override))
            at, start = number(value(override, "w:ilvl")), number(value(child(override, "w:startOverride")))
            if at is not None and start is not None:
                found = levels.get(at, Level("decimal", f"%{at + 1}."))
                levels[at] = Level(found.format, found.text, start)
        lists[value(one, "w:numId") or ""] = (shape, levels, bool(overrides))
    return Numbering(lists)


def spelled(count: int, format: str) -> str:
    """A count in one of Word's number formats; Arabic digits for those not known here.

    >>> spelled(28, "lowerLetter"), spelled(4, "upperRoman"), spelled(7, "decimalZero"), spelled(3, "decimal")
    ('bb', 'IV', '07', '3')
    """
    if format.endswith("Letter") and 0 < count <= 26 * 50:
        text = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
    elif format.endswith("Roman") and 0 < count < 4000:
        text = ""
        for size, letters in ROMAN:
            text += letters * (count // size)
            count %= size
    else:
        return f"{count:02}" if format == "decimalZero" else str(count)
    return text.upper() if format.startswith("upper") else text


def _levels(element: Element) -> dict[int, Level]:
    found = {}
    for one in children(element, "w:lvl"):
        at = number(value(one, "w:ilvl"))
        if at is not None:
            start = number(value(child(one, "w:start")))
            text = value(child(one, "w:lvlText")) or ""
            found[at] = Level(value(child(one, "w:numFmt")) or "decimal", text, 1 if start is None else start)
    return found

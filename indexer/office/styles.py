"""Word's styles: what a paragraph of one is, whatever language its name is in and whatever it was derived from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from indexer.office.xml import Element, child, children, is_on, number, value
from kohaku.tree import Kind

DEEPEST = 30  # styles that a style may be derived from, one from the other: a circle ends there
# Word keeps the names of its own styles in English; other programs write them as their users see them.
HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|címsor|заголовок|başlık"
    r"|επικεφαλίδα|כותרת|عنوان|标题|標題|見出し|제목)\s*([1-9])",
    re.IGNORECASE,
)
TITLE = re.compile(r"(?:title|titel|document title|book title)", re.IGNORECASE)
CAPTION = re.compile(r"(?:caption|figure|illustration|table caption|figure caption|image caption|beschriftung)", re.I)
CONTENTS = re.compile(r"(?:toc|contents|table of figures|index)\s*(?:heading|\d*)", re.IGNORECASE)
KINDS = (
    (Kind.CODE, re.compile(r".*(?:code|preformatted|listing|macro\s?text).*", re.IGNORECASE)),
    (Kind.QUOTE, re.compile(r".*(?:quote|quotations?|block text|zitat)\b.*", re.IGNORECASE)),
    (Kind.REFERENCE, re.compile(r"(?:bibliography|references?|literaturverzeichnis)\s*\d*", re.IGNORECASE)),
)
MONOSPACED = re.compile(r"courier|consolas|\bmono|\bmono\b|menlo|monaco|lucida console|typewriter|cascadia", re.I)


@dataclass(frozen=True, slots=True)
class Style:
    """What a style, with all that it is derived from, makes of a paragraph.

    `level` is a heading's depth, 0 for other text; `kind` what the name says; `numbering` the list's number and level
    in it; `size` is in half points.
    """

    names: tuple[str, ...] = ()
    level: int = 0
    numbering: tuple[str, int] | None = None
    bold: bool = False
    hidden: bool = False
    size: int | None = None
    monospaced: bool = False

    @property
    def kind(self) -> Kind:
        """The kind of paragraph that the name speaks of."""
        return next((kind for kind, named in KINDS if self.says(named)), Kind.PARAGRAPH)

    def says(self, named: re.Pattern[str]) -> bool:
        """Whether its name, or that of a style it is derived from, is such a one."""
        return any(named.fullmatch(name) for name in self.names)


PLAIN = Style()


@dataclass(frozen=True, slots=True)
class Styles:
    """A document's styles by their ids, and the one that paragraphs have which name none."""

    by_id: Mapping[str, Style]
    usual: Style = PLAIN

    def of(self, id: str | None) -> Style:
        """The style of that id; the usual one where there is none."""
        return self.by_id.get(id or "", self.usual)


def styles(root: Element | None) -> Styles:
    """The styles of a styles part (w:styles)."""
    elements = {} if root is None else {value(one, "w:styleId") or "": one for one in children(root, "w:style")}
    size = None if root is None else _size(child(root, "w:docDefaults/w:rPrDefault/w:rPr"))
    found = {id: _style([*_chain(id, elements)], size) for id in elements}
    usual = next(
        (id for id, one in elements.items() if value(one, "w:default") in ("1", "true") and _type(one) == "paragraph"),
        "",
    )
    return Styles(found, found.get(usual, Style(size=size)))


def _type(style: Element) -> str | None:
    return value(style, "w:type")


def _chain(id: str, elements: Mapping[str, Element]) -> Iterator[Element]:
    """A style and those it is derived from, nearest first."""
    for _ in range(DEEPEST):
        if id not in elements:
            return
        yield elements[id]
        id = value(child(elements[id], "w:basedOn")) or ""


def _style(chain: list[Element], size: int | None) -> Style:
    names = tuple(name.strip() for one in chain if (name := value(child(one, "w:name"))))
    runs = [child(one, "w:rPr") for one in chain]
    fonts = (child(run, "w:rFonts") for run in runs if run is not None)
    font = next((name for one in fonts if (name := value(one, "w:ascii") or value(one, "w:hAnsi"))), "")
    return Style(
        names,
        level=_level(chain),
        numbering=_numbering(chain),
        bold=_switch(runs, "w:b"),
        hidden=_switch(runs, "w:vanish"),
        size=next((found for run in runs if (found := _size(run)) is not None), size),
        monospaced=MONOSPACED.search(font) is not None,
    )


def _level(chain: list[Element]) -> int:
    """The depth of a heading: by its outline level or its name, whichever stands nearer; contents have none."""
    for one in chain:
        name = value(child(one, "w:name")) or ""
        if CONTENTS.fullmatch(name):
            return 0
        outline = number(value(child(one, "w:pPr/w:outlineLvl")))
        if outline is not None:
            return outline + 1 if 0 <= outline < 9 else 0
        named = HEADING.fullmatch(name.strip())
        if named:
            return int(named[1])
    return 0


def _numbering(chain: list[Element]) -> tuple[str, int] | None:
    list_, level = None, None
    for one in chain:
        found = child(one, "w:pPr/w:numPr")
        list_ = list_ or value(child(found, "w:numId")) if found is not None else list_
        if level is None and found is not None:
            level = number(value(child(found, "w:ilvl")))
    return (list_, level or 0) if list_ and list_ != "0" else None


def _switch(runs: list[Element | None], name: str) -> bool:
    states = (is_on(child(run, name)) for run in runs if run is not None)
    return next((state for state in states if state is not None), False)


def _size(run: Element | None) -> int | None:
    return None if run is None else number(value(child(run, "w:sz")))

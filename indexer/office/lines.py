"""Word's paragraphs as lines: their text as a reader sees it, and what tells their kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from indexer.clean import clean
from indexer.office.formulas import formula
from indexer.office.numbering import BULLET, Numbering
from indexer.office.styles import MONOSPACED, PLAIN, Style, Styles
from indexer.office.xml import Element, child, chosen, is_on, name_of, number, value

# Deletions, codes of fields, properties: what stands in there is no text.
SKIPPED_NAMES = """
    w:del w:moveFrom w:delText w:instrText w:delInstrText w:pPr w:rPr w:rt w:sdtPr w:sdtEndPr w:tblPr w:tblGrid w:trPr
    w:tcPr w:sectPr w:fldData w:annotationRef w:footnoteRef w:endnoteRef
"""
SKIPPED = frozenset(SKIPPED_NAMES.split())
MARKS = {"w:tab": " ", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-", "w:ptab": " "}
NESTED = re.compile(r"list(?: bullet| number)? ([2-5])", re.IGNORECASE)
LONGEST_HEADING = 1000  # characters: an outline level may be set on running text


@dataclass(frozen=True, slots=True)
class Source:
    """What a paragraph refers to: styles, lists, notes by ("w:footnote", id), the part with pictures' relationships."""

    part: Any
    styles: Styles
    numbering: Numbering
    notes: Mapping[tuple[str, str], Element] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph of Word's: its text as it stands, and what tells its kind.

    `level` is a heading's depth or 0, `label` what an item begins with (None: it is no item), `depth` how deep its list
    is nested, `share` the share of its letters that are (bold, monospaced), `size` in half points.
    """

    text: str
    style: Style
    level: int = 0
    label: str | None = None
    depth: int = 0
    share: tuple[float, float] = (0.0, 0.0)
    size: int | None = None
    is_formula: bool = False


@dataclass(slots=True)
class Gathered:
    """A paragraph in the making."""

    parts: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    drawings: list[Element] = field(default_factory=list)
    letters: int = 0
    bold: int = 0
    monospaced: int = 0
    formulas: int = 0
    sizes: Counter[int] = field(default_factory=Counter)


def gathered(element: Element, source: Source) -> Gathered:
    """What stands in a paragraph (w:p)."""
    result = Gathered()
    _gather(element, source.styles.of(value(child(element, "w:pPr/w:pStyle"))), source, result)
    return result


def _gather(element: Element, style: Style, source: Source, result: Gathered) -> None:
    """Adds what stands in an element to a paragraph."""
    for one in element:
        name = name_of(one)
        if name == "w:t":
            _add(one.text or "", element, style, source, result)
        elif name in MARKS:
            result.parts.append(MARKS[name])
        elif name == "w:sym":
            code = value(one, "w:char") or ""
            result.parts.append(chr(int(code, 16)) if re.fullmatch(r"[0-9a-fA-F]{2,4}", code) else "")
        elif name in ("w:footnoteReference", "w:endnoteReference"):
            result.notes.append((name.removesuffix("Reference"), value(one, "w:id") or ""))
        elif name == "m:oMath":
            text = clean(formula(one))
            result.formulas += len(text)
            result.parts.append(text)
        elif name in ("w:drawing", "w:pict", "w:object"):
            result.drawings.append(one)
        elif name == "mc:AlternateContent":
            for choice in chosen(one):
                _gather(choice, style, source, result)
        elif name == "w:sdt":
            if not _is_contents(one):
                _gather(one, style, source, result)
        elif name not in SKIPPED and not (name == "w:r" and _is_hidden(one, style, source)):
            _gather(one, style, source, result)


def _add(text: str, run: Element, style: Style, source: Source, result: Gathered) -> None:
    """Adds a run's text, counting how it is set."""
    own = _run_style(run, source)
    letters = len(text.strip())
    bold = is_on(child(run, "w:rPr/w:b"))
    font = value(child(run, "w:rPr/w:rFonts"), "w:ascii") or ""
    size = number(value(child(run, "w:rPr/w:sz"))) or (own.size if own is not PLAIN else None) or style.size
    result.parts.append(text)
    result.letters += letters
    result.bold += letters * (bold if bold is not None else own.bold or style.bold)
    result.monospaced += letters * (
        MONOSPACED.search(font) is not None or own.monospaced or (style.monospaced and not font)
    )
    result.sizes[size or 0] += letters


def _run_style(run: Element, source: Source) -> Style:
    return source.styles.by_id.get(value(child(run, "w:rPr/w:rStyle")) or "", PLAIN)


def _is_hidden(run: Element, style: Style, source: Source) -> bool:
    hidden = is_on(child(run, "w:rPr/w:vanish"))
    return hidden if hidden is not None else style.hidden or _run_style(run, source).hidden


def line_of(element: Element, paragraph: Gathered, source: Source) -> Line:
    """A paragraph (w:p) of which is known what stands in it; to be asked in reading order, for numbers count on."""
    style = source.styles.of(value(child(element, "w:pPr/w:pStyle")))
    text = "".join(paragraph.parts)
    outline = number(value(child(element, "w:pPr/w:outlineLvl")))
    level = style.level if outline is None else outline + 1 if 0 <= outline < 9 else 0
    label, depth = _label(element, style, source)
    if level and label not in (None, BULLET, ""):
        text = f"{label} {text}" if text.strip() else text
    letters = max(paragraph.letters, 1)
    size = max(paragraph.sizes, key=lambda one: paragraph.sizes[one], default=0) or None
    squeezed = len(clean(text))
    return Line(
        text=text,
        style=style,
        level=level if squeezed <= LONGEST_HEADING else 0,
        label=None if level else label,
        depth=depth,
        share=(paragraph.bold / letters, paragraph.monospaced / letters),
        size=size,
        is_formula=paragraph.formulas > 0 and paragraph.formulas >= squeezed - 8,  # perhaps with its number
    )


def _label(element: Element, style: Style, source: Source) -> tuple[str | None, int]:
    """The label of a paragraph that is an item, and how deep it is nested."""
    own = child(element, "w:pPr/w:numPr")
    list_ = value(child(own, "w:numId")) if own is not None else None
    if list_ is None and style.numbering is None:
        return None, 0
    inherited, level = style.numbering or ("", 0)
    given = number(value(child(own, "w:ilvl"))) if own is not None else None
    list_, level = list_ or inherited, min(max(level if given is None else given, 0), 8)
    if list_ in ("0", ""):
        return None, 0
    # Word's own list styles are a list each, nested by their names.
    named = next((found for name in style.names if (found := NESTED.fullmatch(name))), None)
    return source.numbering.label(list_, level), level or (int(named[1]) - 1 if named else 0)


# ---- wrappers


def unwrapped(element: Element, wanted: Sequence[str]) -> Iterator[Element]:
    """The elements of those names, in order, also those in content controls, insertions and the like."""
    for one in element:
        name = name_of(one)
        if name in wanted:
            yield one
        elif name == "mc:AlternateContent":
            for choice in chosen(one):
                yield from unwrapped(choice, wanted)
        elif name == "w:sdt":
            content = child(one, "w:sdtContent")
            if content is not None and not _is_contents(one):
                yield from unwrapped(content, wanted)
        elif name not in SKIPPED and name != "w:tbl":
            yield from unwrapped(one, wanted)


def _is_contents(control: Element) -> bool:
    """Whether a content control holds a table of contents, or only asks for text."""
    gallery = value(child(control, "w:sdtPr/w:docPartObj/w:docPartGallery")) or ""
    return gallery.lower() == "table of contents" or is_on(child(control, "w:sdtPr/w:showingPlcHdr")) is True

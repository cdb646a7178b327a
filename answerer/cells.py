"""The cells of a table's row, read back from its sentence: what is a value, of what, in which unit and scale."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from answerer.quantities import Quantity, quantities
from answerer.units import CODES, CURRENCIES, DOLLARS, SCALES, SIGNS, Unit, is_money, unit
from kohaku import rows

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a value stands in its row's text, and the head over it (an empty span where it has none)."""

    head: Span
    value: Span


@dataclass(frozen=True, slots=True)
class Row:
    """A row's text with its cells; `label` is what names the row, with any labels over it. No cells: no row."""

    text: str
    label: Span = (0, 0)
    cells: tuple[Cell, ...] = ()

    def cell(self, place: int) -> Cell | None:
        """The cell whose value covers a place in the text."""
        return next((cell for cell in self.cells if cell.value[0] <= place < cell.value[1]), None)

    def end(self) -> int:
        """Where the cells end and the table's scale and caption begin."""
        return self.cells[-1].value[1] if self.cells else len(self.text)

    def over(self) -> Span:
        """Where the labels stand that are over the row's own."""
        start, end = self.label
        return start, start + self.text[start:end].rfind(rows.LEVEL) + len(rows.LEVEL) if self._is_under() else start

    def own_label(self) -> str:
        """What names the row, without the labels over it and its column's head."""
        return self.text[self.over()[1] : self.label[1]]

    def _is_under(self) -> bool:
        return rows.LEVEL in self.text[slice(*self.label)]

    def about(self, cell: Cell) -> str:
        """All that says what a value is: the row's label and the column's head."""
        return f"{self.text[slice(*self.label)]}; {self.text[slice(*cell.head)]}"


def row(text: str) -> Row:
    """A row's sentence as its cells; the first names the row, unless that has a head and is a measured value itself.

    >>> found = row("Costs › Rent; 2023: 5,100; 2022: 4,900 (in thousands)")
    >>> found.own_label(), [text_of(found, cell.head) for cell in found.cells]
    ('Rent', ['2023', '2022'])
    """
    first, *others = (_cell(text, *span) for span in rows.spans(text)) if rows.spans(text) else (Cell((0, 0), (0, 0)),)
    cells = [cell for cell in others if text[slice(*cell.value)].strip()]
    named = quantities(text[slice(*first.value)])
    if first.head[1] and any(found.unit is not None for found in named):
        return Row(text, (0, 0), (first, *cells))
    return Row(text, first.value, tuple(cells))


def text_of(row: Row, span: Span) -> str:
    """A part of a row's text."""
    return row.text[slice(*span)].strip()


def _cell(text: str, start: int, end: int) -> Cell:
    head, colon, _ = text[start:end].rpartition(": ")
    over = start + len(head)
    return Cell((start, over), (over + len(colon), end))


_NOTE = re.compile(r"\W*(?:notes?|refs?|references?|see)\W*(?:no\.?)?\W*", re.IGNORECASE)


def is_reference(row: Row, cell: Cell) -> bool:
    """Whether a column only points to notes elsewhere."""
    return bool(cell.head[1]) and _NOTE.fullmatch(text_of(row, cell.head)) is not None


_CHANGE = re.compile(
    r"(?:%|percent(?:age)?|\$|year[- ]over[- ]year|y/y|net)?\W{0,3}"
    r"(?:changes?|variances?|growth|increase\W{0,3}(?:or|and)?\W{0,3}decrease\)?|inc\W{1,3}dec)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(r"\b(?:vs\.?|versus)\s", re.IGNORECASE)


def is_of_change(row: Row, cell: Cell) -> bool:
    """Whether a column's head says that its values are changes: "Change", "2015 vs. 2014".

    >>> found = row("Rent; 2023: 5; Change › 2023 vs. 2022: 1; % change: 25")
    >>> [is_of_change(found, cell) for cell in found.cells]
    [False, True, True]
    """
    return any(
        _CHANGE.match(part.strip()) or _AGAINST.search(part) for part in text_of(row, cell.head).split(rows.LEVEL)
    )


def is_total(row: Row) -> bool:
    """Whether a row is that of the whole, by its label: "Total", "All sites"."""
    return re.match(r"\W*(?:grand |sub)?(?:total|all|overall|sum)\b", row.own_label(), re.IGNORECASE) is not None


# --- sign

_LOSS = re.compile(r"\s*[$€£¥]?\s?\(\s?[$€£¥]?\s?[\d,]*\.?\d+\s?%?\s?\)\s?%?\s*")
_OUTFLOW = re.compile(
    r"\b(?:expen[sd]|cost|loss|purchase|pa(?:id|y)|repa|outflow|deficit|decrease|decline|tax|dividend|charge|provision|"
    r"acquisition|reduction|less\b|depreciation|amorti[sz]ation|interest|buyback|repurchase|use)",
    re.IGNORECASE,
)


_SPENT = re.compile(
    r"\b(?:spen[dt]|pa(?:y|id)|invest(?:ed)?|repurchased?|bought|buy|purchased?|repaid|los[et]|returned|distributed)\b",
    re.IGNORECASE,
)


def signed(row: Row, cell: Cell, found: Quantity, question: str) -> Quantity:
    """The number of a cell with the sign that accounts give it: one in brackets is negative.

    Where the row's label itself says that money goes out or is lost ("Interest expense"), or the question does ("How
    much was spent"), brackets only repeat it.
    """
    label = _IN_BRACKETS.sub("", f"{text_of(row, row.label)} {text_of(row, cell.head)}")
    if found.low < 0 or not _LOSS.fullmatch(row.text, *cell.value):
        return found
    if _OUTFLOW.search(label) or _SPENT.search(question):
        return found
    digits = f"-{found.digits}" if found.digits else ""
    return replace(found, low=-found.high, high=-found.low, digits=digits)


# --- units

_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]")
_AFTER_COMMA = re.compile(r",\s*(?:in\s)?([^,:;]+)$|\bin\s+([^,:;]+)$")


def with_unit(row: Row, cell: Cell, found: Quantity, caption: str) -> Quantity:
    """A bare number with the unit of its head, its row's label, or its table's caption: "Energy (Wh): 0.69"."""
    if found.unit is not None:
        return found
    if _PERCENT_BEHIND.match(row.text, found.end):
        return replace(found, unit=unit("percent"))
    own = (text_of(row, cell.head), text_of(row, row.label))
    for said in own if _is_unscaled(row, cell) else (*own, _corner(row), _tail(row), caption):
        if (known := unit_in(said)) is not None:
            return replace(found, unit=known)
    scale = next(filter(None, map(scale_of, (_corner(row), _tail(row), caption))), None)
    return replace(found, unit=scale.currency) if scale and any(map(_PER.search, own)) else found


_PERCENT_BEHIND = re.compile(r"\s?\)\s?%")  # "(2.5)%"
_PER = re.compile(r"\bper\b", re.IGNORECASE)


def unit_in(text: str) -> Unit | None:
    """The known unit that a head or a caption has in brackets, after a comma, or after "in" at its end."""
    bracketed = reversed(_IN_BRACKETS.findall(text))
    after = _AFTER_COMMA.search(text)
    for name in (*bracketed, *(filter(None, after.groups()) if after else ())):
        known = unit(name.strip())
        if known.known:
            return known
    return None


def _corner(row: Row) -> str:
    """The head over the labels, which many tables have their scale in: "($ in millions)"."""
    return text_of(row, (0, row.label[0]))


def _tail(row: Row) -> str:
    """What follows a row's cells: its table's scale and caption."""
    spans = rows.spans(row.text)
    return row.text[spans[-1][1] :].strip() if spans else ""


# --- scale

_SIZES = r"hundreds?|thousands?|millions?|billions?|trillions?|bn|mn|000s?"
_SIZE = re.compile(
    rf"\([^()]*?\b(?P<one>{_SIZES})\b[^()]*\)"
    rf"|\bin\s(?:[A-Z.]*[$€£¥]\s?|(?:[A-Z]{{3}}|US|U\.S\.|dollars|euros)\s){{0,2}}(?P<two>{_SIZES})\b"
    r"(?:\sof\s[\w.$]+(?:\sdollars)?)?"
    r"|[$€£¥]\s?(?P<three>'?000s?|bn|[mk])\b\)?",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:except|unless|other than)\b.*", re.IGNORECASE)
_CURRENCY = re.compile(
    rf"(?P<sign>{DOLLARS}|[{SIGNS}])"
    rf"|\b(?P<name>(?:US|U\.S\.|Australian|Canadian) dollars?|dollars?|euros?|yen|yuan|RMB|{CODES})\b",
    re.IGNORECASE,
)
_UNSCALED = re.compile(
    r"%|\bper\b|\bpercent|\bpct\b|\bEPS\b"
    r"|\b(?:ratio|rate|margin|yield|multiple|turnover|bps|basis points|effectiveness)s?\W*$",
    re.IGNORECASE,
)
"""Heads and labels of what no table's scale holds for: shares, ratios, figures per share or any other unit."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What a table's values are to be multiplied by, the currency that it names, and its words.

    `excepts`: whether it says that it does not hold for all of them.
    """

    factor: int
    currency: Unit | None
    words: str
    excepts: bool = False


def scaled(row: Row, cell: Cell, found: Quantity, wanted: Unit | None, caption: str) -> tuple[Quantity, str]:
    """A number of a cell with its table's scale applied and the words that say it, "" where none holds for it.

    A scale holds for money and counts: never for percent, ratios and figures per share; one that names a currency
    not for what is asked for in another unit.
    """
    said = (text_of(row, cell.head), text_of(row, row.label), _corner(row), _tail(row), caption)
    scale = next(filter(None, map(scale_of, said)), None)
    if scale is None or found.scale != 1 or _is_unscaled(row, cell) or not _holds(scale, wanted):
        return found, ""
    units = (found.unit, *map(unit_in, said[:2]))
    if any(known is not None and not is_money(known) for known in units):
        return found, ""
    low, high = found.low * scale.factor, found.high * scale.factor
    return (
        replace(found, low=low, high=high, scale=scale.factor, unit=scale.currency or found.unit, digits=""),
        scale.words,
    )


def _holds(scale: Scale, wanted: Unit | None) -> bool:
    if wanted is None or is_money(wanted):
        return True
    return not wanted.known and scale.currency is None


def scale_of(text: str) -> Scale | None:
    """The scale that a head, a label or a caption names.

    >>> scale_of("(in thousands of US dollars, except per share)").factor, scale_of("Sales (£m)").factor
    (1000, 1000000)
    """
    match = _SIZE.search(_EXCEPT.sub(")", text))
    if match is None:
        return None
    size = (match["one"] or match["two"] or match["three"]).lower().lstrip("'").removesuffix("s")
    factor = 1000 if size == "000" else SCALES[size]
    sign = _CURRENCY.search(match[0])
    named = (CURRENCIES.get(sign["sign"] or "") or sign["name"]) if sign else ""
    currency = unit(re.sub(r"^U\.?S\.? ", "", named, flags=re.IGNORECASE)) if named else None
    return Scale(factor, currency, match[0].strip("(), "), _EXCEPT.search(text) is not None)


def _is_unscaled(row: Row, cell: Cell) -> bool:
    return is_unscaled(row.own_label(), text_of(row, cell.head))


def is_unscaled(label: str, head: str) -> bool:
    """Whether no table's scale holds for what a row's label and a column's head name: a share, a ratio, a rate.

    >>> is_unscaled("Margin (%)", "2023"), is_unscaled("Earnings per share", ""), is_unscaled("Sales", "2023")
    (True, True, False)
    """
    return any(_UNSCALED.search(_IN_BRACKETS.sub("", part).strip()) or _is_rate(part) for part in (label, head))


def _is_rate(text: str) -> bool:
    """Whether a head or a label has a percent sign or a unit over another: "USD/MWh", but not "as of/year ended"."""
    return "%" in text or any(unit(over).known or over in CURRENCIES for over in _OVER.findall(text))


_OVER = re.compile(r"([^\s/(]{1,40})\s?/\s?\w")  # no unit is longer

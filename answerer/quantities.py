"""Numbers and ranges in running text, with what stands beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from answerer.units import (
    CODES,
    CURRENCIES,
    DOLLARS,
    SCALES,
    SIGNS,
    Unit,
    convert,
    is_money,
    over,
    plain,
    unit,
    unit_at,
)
from kohaku.words import CJK, stem

LONGEST_EXPONENT = 30  # a number beyond it is noise, and 1e999999999 written out would fill the memory


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number (low equals high) or a range in a text, its scale word applied: "5 million" is 5000000.

    `start` and `end` span it with currency sign, scale and known unit; `scale` is what was applied, `unit` the known
    unit beside it, `words` the few words that follow, which may name an unknown one ("papers"); `digits` is a plain
    number as it was written, "" for any other; `rate` is what a sum of money is per something, "USD 2 per m³".
    """

    start: int
    end: int
    low: Decimal
    high: Decimal
    is_range: bool = False
    scale: int = 1
    unit: Unit | None = None
    words: str = ""
    digits: str = ""
    rate: Unit | None = None

    def amounts(self, wanted: Unit) -> tuple[Decimal, Decimal] | None:
        """Low and high in the wanted unit, None where this measures something else; a bare number fits any unit."""
        if self.unit is None or not wanted.known:
            if self.scale == 1:
                return self.low, self.high
            return plain(self.low / wanted.factor), plain(self.high / wanted.factor)
        own = self.rate if self.rate is not None and self.rate.dimension == wanted.dimension else self.unit
        low, high = convert(self.low, own, wanted), convert(self.high, own, wanted)
        return None if low is None or high is None else (low, high)

    def names(self, wanted: Unit) -> bool:
        """Whether the wanted unit stands beside the number, in this or another spelling or size."""
        if wanted.known:
            return wanted.dimension in {own.dimension for own in (self.unit, self.rate) if own is not None}
        head = wanted.dimension.split()[-1] if wanted.dimension else ""
        return bool(head) and head in {stem(word) for word in re.findall(r"\w+", self.words)}


_DIGITS = r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)|\d{1,3}(?:[\u00a0\u202f\u2009]\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_POWER = r"[eE][-+−]?\d{1,9}(?!\w)|\s?[x×·*]\s?10(?:\s?\^\s?[-−]?\d{1,2}|\s?[-−]\s?\d{1,2}|\s\d{2})(?![\d.])"
_SCALE = r"[\s-]?(?i:hundred|thousand|million|billion|trillion)s?\b|\s?(?:mn|bn)\b|[KkMBT](?![A-Za-z0-9/])"
_MONEY = rf"{DOLLARS}|[{SIGNS}]|(?:{CODES})(?=\s)"

# A number that is glued to a word before it belongs to a name: GPT-3, V100, A.3, ISO-9001, the 2 of CO2.
_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_.])(?<![A-Za-z_]-)(?<!\d,)(?<!CO\s)"
    rf"(?P<sign>(?<![\w.,)\]])[-+−])?(?:(?P<money>{_MONEY})\s?(?P<minus>[-−])?)?"
    rf"(?P<digits>{_DIGITS})(?P<power>{_POWER})?(?P<scale>{_SCALE})?(?!\.?\d)"
)
_DASH = r"[-‐‑‒–—−~]"
_BRIDGE = re.compile(rf"\s?(?:{_DASH}|\bto\b|\bthrough\b|\.\.\.?|…)\s?", re.IGNORECASE)
_AND = re.compile(r"\s?\band\b\s?", re.IGNORECASE)
_PLUS = re.compile(r"\s?(?:\band\b)?\s?", re.IGNORECASE)
_LETTER = re.compile(rf"(?![{CJK}])[^\W\d_]")  # of scripts that part words
_PER = re.compile(r"\s?(?:/|\bper\b|\ban?\b)\s?", re.IGNORECASE)
_ENDS_BETWEEN = re.compile(r"\bbetween\s(?:\w+\s)?$", re.IGNORECASE)
_OF_YEAR = re.compile(r"\b(?:in|for|of|fiscal|year)\s(?:19|20)\d\d$", re.IGNORECASE)
_GAP = re.compile(r"[\s-]?(?:(?:net|gross|total|metric|additional|short)\s)?")
_FOLLOWING = re.compile(r"(?:[\s-]?[A-Za-z][\w./’'-]{0,40}){1,4}")
LEAD = 60  # characters before a number that the words before it stand in

_ONES = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
SPELLED = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
}
_SPELLED_NUMBER = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[\s-](?P<unit>{'|'.join(_ONES[1:10])}))?|(?P<ones>{'|'.join(_ONES)}))\b"
    r"(?:[\s-](?P<scale>hundred|thousand|million|billion|trillion)\b)?",
    re.IGNORECASE,
)


def quantities(text: str) -> list[Quantity]:
    """All numbers and ranges of a text that are written in digits, in order."""
    found: list[Quantity] = []
    for quantity in _numbers(text):
        joined = (_compound(text, found[-1], quantity) or _join(text, found[-1], quantity)) if found else None
        if joined:
            found[-1] = joined
        else:
            found.append(quantity)
    return found


_POINTER = re.compile(
    r"\[[\d,;\s–-]+\]|\b(?:Figures?|Fig\.|Tables?|Sections?|Sec\.|Eq\.|Appendix|§)\s?\d+(?:\.\d+)*"
    r"|\bet al\.,? \(?\d{4}\)?",
    re.IGNORECASE,
)


def without_pointers(text: str) -> str:
    """The text with the numbers of figures, tables, sections and cited works blanked out, of the same length.

    >>> without_pointers("As Fig. 7 [12] shows, 5 kg.")
    'As             shows, 5 kg.'
    """
    return _POINTER.sub(lambda match: " " * len(match[0]), text)


def ends(text: str, found: Quantity) -> tuple[Quantity, ...]:
    """The numbers that a range was joined from, each as it stands in the text."""
    return tuple(part for part in _numbers(text, found.start, found.end) if part.end <= found.end)


def spelled(text: str) -> list[Quantity]:
    """All numbers of a text that are written in words, in order: "one million", "twenty-five papers"."""
    found = []
    for match in _SPELLED_NUMBER.finditer(text):
        scale = SCALES[match["scale"].lower()] if match["scale"] else 1
        value = sum(SPELLED[match[name].lower()] for name in ("tens", "unit", "ones") if match[name])
        found.append(_with_company(text, match.start(), match.end(), Decimal(value * scale), scale=scale))
    return found


def amount(digits: str, power: str = "") -> Decimal | None:
    """A number written as digits with an optional power of ten, None where it is out of all bounds.

    >>> amount("1,234.5"), amount("2.5", "×10^4"), amount("1", "e-3")
    (Decimal('1234.5'), Decimal('25000'), Decimal('0.001'))
    """
    bare = re.sub(r"[,\s]", "", digits)
    tail = re.sub(r"^(?:[eE]|\s?[x×·*]\s?10\s?\^?)|\s", "", power).replace("−", "-")
    exponent = int(tail) if tail else 0
    if len(bare) > 60 or abs(exponent) > LONGEST_EXPONENT:
        return None
    try:
        return plain(Decimal(bare).scaleb(exponent)) if power else Decimal(bare)
    except InvalidOperation:
        return None


def _numbers(text: str, start: int = 0, end: int | None = None) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text, start, len(text) if end is None else end):
        value = amount(match["digits"], match["power"] or "")
        if value is None:
            continue
        scale = SCALES[re.sub(r"[\s-]", "", match["scale"]).lower().removesuffix("s")] if match["scale"] else 1
        minus = "-" if {match["sign"], match["minus"]} & {"-", "−"} else ""
        value = plain(value * scale) if scale > 1 else value
        money = unit(CURRENCIES.get(match["money"], match["money"])) if match["money"] else None
        digits = "" if scale > 1 or match["power"] else minus + re.sub(r"[,\s]", "", match["digits"])
        found = _with_company(
            text, match.start(), match.end(), -value if minus else value, scale=scale, money=money, digits=digits
        )
        # "3D", "4th", "5G": what is glued to letters that are no unit is a name
        if found.end > match.end() or not _LETTER.match(text, match.end()):
            yield found


def _with_company(
    text: str, start: int, end: int, value: Decimal, *, scale: int, money: Unit | None = None, digits: str = ""
) -> Quantity:
    """The quantity with the unit or the words that stand beside it."""
    following = _FOLLOWING.match(text, end)
    words = following[0].strip(" -") if following else ""
    gap = _GAP.match(text, end)
    beside = unit_at(text, gap.end() if gap else end) if money is None else None
    known, end = beside or (money, end)
    rate = _rate(text, end, known) if known is not None else None
    return Quantity(start, end, value, value, scale=scale, unit=known, words=words, digits=digits, rate=rate)


def _rate(text: str, end: int, money: Unit) -> Unit | None:
    """What a sum of money is per: the unit after "per", "a" or a slash, None where there is none."""
    per = _PER.match(text, end) if is_money(money) else None
    under = unit_at(text, per.end()) if per else None
    return over(money, under[0]) if under else None


def _compound(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    """A time told in two units, as one in the smaller: "3 hours and 20 minutes" is 200 minutes."""
    if left.is_range or left.unit is None or right.unit is None or not _PLUS.fullmatch(text, left.end, right.start):
        return None
    if left.unit.dimension != "time" or right.unit.dimension != "time" or right.low < 0:
        return None
    whole = convert(left.low, left.unit, right.unit)
    if whole is None or right.low * right.unit.factor >= left.unit.factor:  # "2 days and 40 hours" are two times
        return None
    total = plain(whole + right.low)
    return replace(right, start=left.start, low=total, high=total, digits="")


def _join(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    """The range from one number to the next, where what stands between says so."""
    if left.is_range:
        return None
    bridge = text[left.end : right.start]
    if bridge == " " and right.low < 0 and left.low >= 0:  # "80 -90": the minus is a dash
        right, bridge = replace(right, low=-right.low, high=-right.high, digits=right.digits.lstrip("-")), "-"
    between = _AND.fullmatch(bridge) and _ENDS_BETWEEN.search(text, max(0, left.start - LEAD), left.start)
    if not (between or _BRIDGE.fullmatch(bridge)):
        return None
    if (left.low > right.high or right.scale > 1) and _OF_YEAR.search(text, max(0, left.end - LEAD), left.end):
        return None  # "the dividend for fiscal 2023 to 49 cents"
    if "to" in bridge.lower() and right.unit is None and left.unit is not None and not is_money(left.unit):
        return None  # "fell by 8% to 410"
    low, known = left.low, right.unit or left.unit
    if left.unit and right.unit:
        # in the unit of the high end: "300 Watts to 1 Kilowatt"
        converted = convert(left.low, left.unit, right.unit)
        if converted is None:
            return None
        low = converted
    elif left.scale == 1 < right.scale and left.low * right.scale < right.low:  # "10-20 million"
        low = plain(left.low * right.scale)
    if low > right.low and "to" not in bridge.lower():
        return None
    scale = max(left.scale, right.scale)
    return Quantity(left.start, right.end, min(low, right.low), max(low, right.low), True, scale, known, right.words)

"""What the contest compares: an answer's value as a number, a range, 1/0, a name, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from answerer.quantities import LONGEST_EXPONENT, Quantity, quantities, spelled
from answerer.units import Unit, unit_asked

BLANK = "is_blank"
"""The word in a field that has nothing in it."""


class Form(StrEnum):
    """What a value is."""

    NUMBER = "number"
    RANGE = "range"
    BOOLEAN = "boolean"
    TEXT = "text"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Value:
    """A value as read: `low` and `high` are set for numbers (equal), ranges and booleans (1 or 0).

    `quantity` is what a number or a range was read from, with its unit and the words that followed.
    """

    form: Form
    text: str
    low: Decimal | None = None
    high: Decimal | None = None
    quantity: Quantity | None = None


_BLANKS = re.compile(
    r"(?:is[_\s-]?blank|n\.?/?a\.?|none|null|nil|nan|unknown|blank|-+|–|—|\?+|not (?:available|applicable|found|"
    r"specified|stated|mentioned|provided|reported|given)|no answer|(?:i )?(?:am )?(?:unable|can(?:no|')t|could not|"
    r"insufficient (?:evidence|information)).*)?\.?",
    re.IGNORECASE | re.DOTALL,
)
_TRUE = re.compile(r"(?:true|yes|correct)(?:[\s.,;:!–—-].*)?|t|y|1(?:\.0+)?", re.IGNORECASE | re.DOTALL)
_FALSE = re.compile(
    r"(?:false|incorrect|not true|untrue)(?:[\s.,;:!–—-].*)?|no(?:[.,;:!–—-].*)?|f|n|0(?:\.0+)?", re.I | re.S
)
_TRUE_OR_FALSE = re.compile(
    r"^\W*(?:true or false|true ?/ ?false|t ?/ ?f|false or true)\b|\((?:true(?: or |/)false|t/f)\)"
    r"|\bis (?:it|this|that|the (?:following )?(?:statement|claim)) (?:true|false|correct)\b|\btrue or false\W*$",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|often|long|large|big|old|far|fast|high|tall|heavy)\b"
    r"|\b(?:percentage|percent|number|amount|proportion|fraction|ratio|factor|range) of\b"
    r"|\bwhat (?:percentage|percent|range)\b"
    r"|\bby what (?:factor|percentage)\b"
    r"|\bwhat (?:do|does|did|will|would)\b.{1,80}\bcost\b"
    r"|\bwhat (?:is|was|are|were) the (?:price|fare|fee|cost|charge)s?\b",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(r"\W*(?:who|what (?:is|was|are|were) the (?:term|name|title|word)s?)\b", re.IGNORECASE)
_ASKS_RANGE = re.compile(r"\brange\b|\bbetween\b", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:(?:(?:~|≈|≃|∼|[<>≤≥]=?|about|approximately|approx\.?|around|roughly|circa|ca?\.|some|nearly|almost|over|under|"
    r"up to|as (?:many|much|high|low) as|at (?:least|most)|more than|less than|fewer than|just (?:over|under)|"
    r"an estimated|estimated|from|between|the range|an average of)\s*)+)",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"^(?:the )?(?:(?:final|short|correct) )?answer(?: to (?:the|this) question)?(?: is|:| is:) (?=\S)", re.IGNORECASE
)
_TAIL = re.compile(r"\s*(?:\(.*\)|[±].*|or (?:more|less|so)|[.,;:])?\s*", re.DOTALL)
_BRACKETS = re.compile(r"[\[(]\s*(.+?)\s*[\])]", re.DOTALL)
# A number in brackets is negative in accounts; "(80, 90)" is a range, and "(3)" a mark or a mere number.
_LOSS = re.compile(
    r"[$€£¥]\s?\([\d,]*\.?\d+\)|\(\s?[$€£¥]\s?[\d,]*\.?\d+\)|\(\d{1,3}(?:,\d{3})+(?:\.\d+)?\)|\([\d.,]+(?:\)\s?%|\s?%\))"
)
_QUOTES = "\"'“”‘’`"


def is_blank(text: str) -> bool:
    """Whether a field says that there is nothing: is_blank, n/a, unable to answer, or no text at all."""
    return _BLANKS.fullmatch(_squeeze(text)) is not None


def asks_true_or_false(question: str) -> bool:
    """Whether the question is a statement to be called true or false."""
    return _TRUE_OR_FALSE.search(question) is not None


def asks_number(question: str, unit_name: str = "") -> bool:
    """Whether the answer must be a number or a range, by the unit asked for or the question's words."""
    if unit_asked(unit_name) is not None:
        return True
    return _ASKS_NUMBER.search(question) is not None and _ASKS_NAME.match(question) is None


def number(text: str) -> Decimal | None:
    """The number that a whole field is, and nothing but that: "1,234", "-5", "1e-3"; None for any other text."""
    bare = text.strip().replace("−", "-")
    if not _PLAIN.fullmatch(bare):
        return None
    value = Decimal(bare.replace(",", ""))
    return value if not value or abs(value.adjusted()) <= 2 * LONGEST_EXPONENT else None


_PLAIN = re.compile(
    r"[-+]?(?:\d{1,3}(?:,\d{2,3})*,\d{3}|\d{1,60})?(?<=\d)(?:\.\d{0,60})?(?:[eE][-+]?\d{1,3})?|[-+]?\.\d{1,60}",
    re.ASCII,
)


def pair(text: str) -> tuple[Decimal, Decimal] | None:
    """The two ends of a range in brackets, lower first; thousands may have commas: "[0.06,3,426]" ends at 3426."""
    match = _BRACKETS.fullmatch(text.strip())
    if not match:
        return None
    parts = match[1].split(",")
    splits = []
    for cut in range(1, len(parts)):
        low, high = number(",".join(parts[:cut])), number(",".join(parts[cut:]))
        if low is not None and high is not None:
            splits.append((min(low, high), max(low, high)))
    # "[1,234,567]" may be read in two ways: no range
    return splits[0] if len(splits) == 1 else None


def parse(text: str) -> Value:
    """What a text says as a value, without knowing what was asked.

    >>> parse("80-90%").form.value, parse("GPT-3 175B").form.value, parse("true").low
    ('range', 'text', Decimal('1'))
    """
    text = _spelt(_squeeze(text))
    if is_blank(text):
        return Value(Form.BLANK, text)
    if text.lower() in ("true", "yes"):
        return Value(Form.BOOLEAN, text, Decimal(1), Decimal(1))
    if text.lower() in ("false", "no"):
        return Value(Form.BOOLEAN, text, Decimal(0), Decimal(0))
    found = _whole(text)
    if found is None or (_is_year_span(found) and found.is_range and _BRACKETS.fullmatch(text) is None):
        return Value(Form.TEXT, text)
    return Value(Form.RANGE if found.is_range else Form.NUMBER, text, found.low, found.high, found)


def normalise(value: str, unit: str = "", question: str = "") -> str:
    """The value as a submission has it: "1234", "[80,90]", "1", a text, or "is_blank"; the unit asked for decides.

    >>> normalise("5.439 million liters", "liters"), normalise("80–90%", "percent"), normalise("GPT-3 175B")
    ('5439000', '[80,90]', 'GPT-3 175B')
    """
    text = _SAYS.sub("", _spelt(_squeeze(value)))
    if is_blank(text):
        return BLANK
    if asks_true_or_false(question):
        if _TRUE.fullmatch(text):
            return "1"
        return "0" if _FALSE.fullmatch(text) else text
    numeric = asks_number(question, unit)
    found = _whole(text) or (_only(text) if numeric else None)
    if found is None:
        return text
    asked = unit_asked(unit)
    if not numeric and not _is_bare(found, text):
        return text
    if (
        found.is_range
        and not numeric
        and not _ASKS_RANGE.search(question)
        and (_is_year_span(found) or _is_tally(text))
    ):
        return text
    return written(found, asked) or text


def _is_tally(text: str) -> bool:
    """Whether two plain numbers fall, as votes and goals are told: "11 to 4" is no range."""
    match = _TALLY.fullmatch(text)
    return match is not None and int(match[1]) > int(match[2])


_TALLY = re.compile(r"(\d{1,9})\s?(?:to|-|–)\s?(\d{1,9})")


def written(found: Quantity, asked: Unit | None) -> str:
    """The quantity in the unit asked for, "" where it measures something else."""
    amounts = found.amounts(asked) if asked else (found.low, found.high)
    if amounts is None:
        return ""
    low, high = amounts
    if found.is_range:
        return f"[{shown(low)},{shown(high)}]"
    # digits as they were written, unless a scale or a unit changed them: 3.10 may be a version
    return found.digits if found.digits and low == found.low else shown(low)


def shown(number: Decimal) -> str:
    """The number in plain digits, never with an exponent."""
    return format(number, "f")


def _whole(text: str) -> Quantity | None:
    """The quantity that a text is as a whole, hedges before it and its unit after it allowed."""
    if _LOSS.fullmatch(text) and len(held := quantities(text)) == 1:
        loss = held[0]
        digits = f"-{loss.digits}" if loss.digits else ""
        return replace(loss, start=0, end=len(text), low=-loss.low, high=-loss.high, digits=digits)
    brackets = pair(text)
    if brackets:
        return Quantity(0, len(text), *brackets, is_range=True)
    inner = _BRACKETS.fullmatch(text)
    if inner:
        text = inner[1]
        ends = quantities(text)
        if (
            len(ends) == 2
            and text[: ends[0].start] == ""
            and re.fullmatch(r"\s?[,;]\s?", text[ends[0].end : ends[1].start])
        ):
            low, high = sorted((ends[0].low, ends[1].low))
            return replace(ends[1], start=0, end=len(text), low=low, high=high, is_range=True, digits="", words="")
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    for found in (*quantities(text)[:1], *_scaled(text)[:1]):
        if found.start <= start and _TAIL.fullmatch(text, _end(text, found)):
            return found
    return None


def _scaled(text: str) -> list[Quantity]:
    """Numbers in words: "one million" is a number by itself, "one" may be a name."""
    return [found for found in spelled(text) if found.scale > 1]


def _only(text: str) -> Quantity | None:
    """The only number of a short answer in words, for a question that asks for a number."""
    if len(text.split()) > 12:
        return None
    digits = quantities(text)
    found = digits or spelled(text)
    if len(found) != 1 or _GOES_ON.match(text, found[0].end):
        return None
    return found[0]


_GOES_ON = re.compile(r"[_.,’'\u00b7]+\d")
"""What shows that a number is only the beginning of what is meant: 1,2,3 or 12,5 or 1__0."""


def _end(text: str, found: Quantity) -> int:
    """Where the quantity ends with the words after it, if these are few and hold no further number."""
    if found.unit is not None or not found.words:
        return found.end
    return text.index(found.words, found.end) + len(found.words)


def _is_bare(found: Quantity, text: str) -> bool:
    """Whether the text holds the number with its scale at most: with a unit that nobody asked for it stays a text."""
    glued = found.scale > 1 and found.unit is None and re.search(r"\d[KkMBT]\b", text)  # 175B may be a model
    money = found.unit is not None and found.unit.dimension in ("USD", "EUR", "GBP") and not found.words
    leading_zero = re.match(r"\s*-?0\d", text)
    return not glued and not leading_zero and (money or (found.unit is None and not found.words))


def _is_year_span(found: Quantity) -> bool:
    return all(1500 <= end <= 2200 and end == int(end) for end in (found.low, found.high)) and found.scale == 1


_GROUPED = re.compile(r"[-+]?\d{1,3}(?:_\d{3})+(?:\.\d+)?")
_DOTTED = re.compile(r"(?<![\d,])([-+]?\d[\d,]*(?:\.\d+)?)\s?(?:\.{2,3}|…)\s?([-+]?\d[\d,]*(?:\.\d+)?)(?=\s?[^\d.,]|$)")


def _spelt(text: str) -> str:
    """Numbers as programs write them in the usual spelling: 1_000 is 1000, and 1..5 is 1-5."""
    if _GROUPED.fullmatch(text):
        return text.replace("_", "")
    return _DOTTED.sub(r"\1–\2", text) if _DOTTED.match(text) else text


def _squeeze(text: str) -> str:
    """Without quotation marks around it, white space runs as one blank, minus signs as hyphens before digits."""
    text = " ".join(text.split())
    while len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        text = text[1:-1].strip()
    return text

"""Arithmetic that an explanation shows, worked out again: "12 / 48 = 25 %"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from itertools import dropwhile

from answerer.quantities import Quantity, quantities
from answerer.units import Unit

LONGEST_UNIT = 30  # characters after a result in which its unit stands
LONGEST_SUM = 60  # numbers and signs: what is longer is a table or an attack
MOST_STATED = 3  # equals signs after a sum behind which its result may stand
CLOSE = Decimal("0.001")
"""How far a result may be from the value, as a share: as far as the contest's metric looks."""
CONSTANTS = frozenset(map(Decimal, (1, 7, 10, 12, 24, 30, 52, 60, 100, 365, 366, 1000, 3600, 8760, 10**6, 10**9)))
"""What a sum may multiply or divide by without evidence: percent, sizes, hours and days."""


@dataclass(frozen=True, slots=True)
class Sum:
    """An operation on numbers with its result as recomputed; several `results` where % can be read in two ways.

    `constants` may be left out of the evidence where they only scale; `stated` is what the explanation says comes out.
    """

    text: str
    operands: tuple[Quantity, ...]
    results: tuple[Decimal, ...]
    stated: tuple[Quantity, ...] = ()
    scales: bool = False

    @property
    def is_addition(self) -> bool:
        """Whether the numbers are added and nothing else.

        >>> [sums(text)[0].is_addition for text in ("10 + 20 = 30", "20 - 10 = 10", "10 + 20 - 5 = 25")]
        [True, False, False]
        """
        return not self.scales and _ADDED.search(self.text) is not None and _TAKEN.search(self.text) is None

    @property
    def is_subtraction(self) -> bool:
        """Whether numbers are taken from others, and none added."""
        return _TAKEN.search(self.text) is not None and _ADDED.search(self.text) is None

    @property
    def is_mean(self) -> bool:
        """Whether it is a sum over how many numbers that has."""
        return _MEAN_OF.fullmatch(self.text) is not None and self.operands[-1].low == len(self.operands) - 1

    @property
    def change(self) -> tuple[Decimal, Decimal, Decimal] | None:
        """Of a change over what was: the two numbers and what their difference is divided by; None for other sums.

        >>> [[str(number) for number in one.change or ()] for one in sums("(75 - 60) / 60 = 25 %, 75 / 60 = 1.25")]
        [['75', '60', '60'], []]
        """
        numbers = [one.low for one in self.operands]
        if _CHANGE_OF.fullmatch(self.text) is None or len(numbers) not in (2, 3):
            return None
        return numbers[0], numbers[1], numbers[-1]

    def needed(self) -> tuple[Quantity, ...]:
        """The operands that must stand in the evidence: not what scales, nor by how many numbers a mean is divided."""
        if not self.scales:
            return self.operands
        added = self.operands[:-1] if _MEAN_OF.fullmatch(self.text) else ()
        many = {Decimal(len(added))} if added else set()
        return tuple(one for one in self.operands if one.low not in CONSTANTS | many) or self.operands

    def gives(self, value: Decimal, asked: Unit | None) -> bool:
        """Whether the value comes out: as it is, in percent, or converted from the unit that the explanation gives."""
        return any(agree(result, value) for result in self._readings(asked))

    def is_wrong(self, asked: Unit | None) -> bool:
        """Whether something else comes out than what the explanation says does.

        >>> sums("(150 - 120) / 150 = 25 %")[0].is_wrong(None), sums("12 / 48 = 25 %")[0].is_wrong(None)
        (True, False)
        """
        said = [end for one in self.stated[:1] for end in (one.low, one.low / one.scale)]
        return bool(said) and not any(self.gives(end, asked) for end in said)

    def _readings(self, asked: Unit | None) -> Iterator[Decimal]:
        percent = asked is not None and asked.dimension == "share"
        for result in self.results:
            yield result
            if percent or any(one.unit is not None and one.unit.dimension == "share" for one in self.stated):
                yield result * 100
            for one in self.stated:
                digits = one.low / one.scale
                if not one.is_range and (agree(result, digits) or agree(result, one.low)):
                    yield from (one.amounts(asked) or ())[:1] if asked else (one.low,)


_ADDED = re.compile(r"\+|\bplus\b", re.IGNORECASE)
_TAKEN = re.compile(r"(?<=[\s\d)])[-–—−]|\bminus\b", re.IGNORECASE)
_CHANGE_OF = re.compile(r"\([^()*/×÷+]*[-–—−][^()*/×÷+]*\)\s?[/÷][^()/÷]*", re.IGNORECASE)
_MEAN_OF = re.compile(r"\([^()*/×÷]*\)\s?[/÷]\s?\d+")


def agree(result: Decimal, value: Decimal) -> bool:
    """Whether a value is the result, as far as its own digits go.

    >>> agree(Decimal(2) / 3, Decimal("0.67")), agree(Decimal("3.6"), Decimal(4))
    (True, False)
    """
    if abs(result - value) <= CLOSE * abs(value):
        return True
    last = Decimal(1).scaleb(int(value.normalize().as_tuple().exponent))
    return len(value.normalize().as_tuple().digits) > 1 and abs(result - value) * 2 <= last


# --- written with signs

_NUMBER = (
    r"(?:US\$|[$€£¥])?\s?(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+−]?\d{1,2}(?![\w.]))?"
    r"(?:\s?(?i:thousand|million|billion|trillion)\b|[KkMB](?![\w/]))?(?:\s?%)?|\.\d+"
)
_SIGNS = {
    "+": "+",
    "plus": "+",
    "-": "-",
    "–": "-",
    "—": "-",
    "−": "-",
    "minus": "-",
    "*": "*",
    "×": "*",
    "·": "*",
    "x": "*",
    "times": "*",
    "multiplied by": "*",
    "/": "/",
    "÷": "/",
    ":": "/",
    "divided by": "/",
    "over": "/",
}
_SIGN = r"[-+–—−*×·/÷:]|\b(?:plus|minus|times|multiplied\sby|divided\sby|over)\b|(?<=\s)x(?=\s)|(?<=\d)x(?=\d)"
_EQUAL = r"[=≈≃]|~=|\b(?:equals|yields|gives|is(?:\s(?:about|approximately|roughly|around))?)\b"
_WORD = (
    rf"(?!(?:{_EQUAL}|x|plus|minus|times|multiplied|divided|over)\b)[A-Za-z°µ](?:[\w²³₂]|[.-](?=[A-Za-z]))*(?![\w²³₂])"
)
_TAIL = rf"(?:\s*{_WORD}(?:\s?/\s?{_WORD})?){{1,4}}(?=\s*(?:{_SIGN}|{_EQUAL}|\)))"
_TOKEN = re.compile(rf"(?P<number>{_NUMBER})(?:{_TAIL})?|(?P<sign>{_SIGN})|(?P<equal>{_EQUAL})|(?P<bracket>[()])", re.I)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def sums(text: str) -> list[Sum]:
    """The sums that a text writes out with signs, recomputed, in order.

    >>> [(found.text, str(found.results[0])) for found in sums("It fell by (48 - 36) / 48 = 25 % of the year's use.")]
    [('(48 - 36) / 48', '0.25')]
    """
    found = []
    tokens = [_Token(str(one.lastgroup), one[str(one.lastgroup)], *one.span()) for one in _TOKEN.finditer(text)]
    for run in _runs(text, tokens):
        parts = _split(run)
        for number, part in enumerate(parts):
            made = _sum(text, part, parts[number + 1 : number + 1 + MOST_STATED])
            if made:
                found.append(made)
    return found


def _runs(text: str, tokens: Sequence[_Token]) -> Iterator[list[_Token]]:
    """Tokens with nothing but white space between them."""
    run: list[_Token] = []
    for token in tokens:
        if run and text[run[-1].end : token.start].strip():
            yield run
            run = []
        run.append(token)
    if run:
        yield run


def _split(run: Sequence[_Token]) -> list[list[_Token]]:
    """What stands between equals signs."""
    parts: list[list[_Token]] = [[]]
    for token in run:
        if token.kind == "equal":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _sum(text: str, tokens: Sequence[_Token], after: Sequence[Sequence[_Token]]) -> Sum | None:
    tokens = _trimmed(tokens)
    numbers = [token for token in tokens if token.kind == "number"]
    if len(numbers) < 2 or len(tokens) > LONGEST_SUM:
        return None
    operands = [_quantity(text, token) for token in numbers]
    results = {_worked_out(tokens, operands, percent=percent) for percent in (False, True)} - {None}
    if not results or None in operands:
        return None
    stated = [next(iter(quantities(text[part[0].start : part[0].end + LONGEST_UNIT])), None) for part in after if part]
    return Sum(
        text[tokens[0].start : tokens[-1].end].strip(),
        tuple(one for one in operands if one),
        tuple(sorted(one for one in results if one is not None)),
        tuple(one for one in stated if one),
        any(_SIGNS.get(_squeezed(token.text)) in ("*", "/") for token in tokens),
    )


def _trimmed(tokens: Sequence[_Token]) -> list[_Token]:
    """Without signs before and after, and without a bracket that the sum stands in: "calculated (75 - 20)"."""
    kept = list(dropwhile(lambda one: one.kind == "sign" or one.text == ")", tokens))
    while kept and (kept[-1].kind == "sign" or kept[-1].text == "("):
        kept.pop()
    opened = sum(token.text == "(" for token in kept) - sum(token.text == ")" for token in kept)
    outer = next((at for at, one in enumerate(kept) if at == opened or one.text != "("), 0) if opened > 0 else 0
    kept, opened = kept[outer:], opened - outer
    while kept and opened < 0 and kept[-1].text == ")":
        kept.pop()
        opened += 1
    return kept


def _quantity(text: str, token: _Token) -> Quantity | None:
    """A number with its unit; a hyphen before it is no sign, since it stands between two numbers."""
    found = quantities(token.text)
    if not found:
        return None
    one = found[0]
    beside = quantities(text[token.start : token.end])
    return beside[0] if beside and beside[0].low == one.low else one


def _squeezed(text: str) -> str:
    return " ".join(text.lower().split())


def _worked_out(tokens: Sequence[_Token], operands: Sequence[Quantity | None], *, percent: bool) -> Decimal | None:
    """The result of a sum, None where it is none; `percent` reads 15% as 0.15."""
    values = iter(operands)
    shares: list[Decimal | str] = []
    for token in tokens:
        if token.kind == "number":
            one = next(values)
            if one is None:
                return None
            shares.append(one.low / 100 if percent and "%" in token.text else one.low)
        else:
            shares.append(_SIGNS.get(_squeezed(token.text), token.text))
    try:
        with localcontext(prec=28):
            result, rest = _level(shares, 0, 0)
    except (InvalidOperation, DivisionByZero, Overflow, IndexError):
        return None
    return result if rest == len(shares) and result.is_finite() else None


def _level(parts: Sequence[Decimal | str], at: int, depth: int) -> tuple[Decimal, int]:
    """Sums and differences of products, to the end or to a closing bracket."""
    total, at = _product(parts, at, depth)
    while at < len(parts) and parts[at] in ("+", "-"):
        right, after = _product(parts, at + 1, depth)
        total, at = (total + right if parts[at] == "+" else total - right), after
    return total, at


def _product(parts: Sequence[Decimal | str], at: int, depth: int) -> tuple[Decimal, int]:
    total, at = _atom(parts, at, depth)
    while at < len(parts) and parts[at] in ("*", "/"):
        right, after = _atom(parts, at + 1, depth)
        total, at = (total * right if parts[at] == "*" else total / right), after
    return total, at


def _atom(parts: Sequence[Decimal | str], at: int, depth: int) -> tuple[Decimal, int]:
    part = parts[at]
    if isinstance(part, Decimal):
        return part, at + 1
    if part == "(" and depth < LONGEST_SUM:
        inside, at = _level(parts, at + 1, depth + 1)
        if parts[at] == ")":
            return inside, at + 1
    raise InvalidOperation

"""Units of measurement: what is the same in other words, and what can be converted into what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext
from functools import lru_cache

from kohaku.words import stem

BLANK_UNITS = frozenset({"", "is_blank", "none", "n/a", "na", "-", "unitless", "text", "name", "string", "boolean"})

SCALES = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "mn": 10**6,
    "bn": 10**9,
    "k": 10**3,
    "m": 10**6,
    "b": 10**9,
    "t": 10**12,
}
"""What a word or letter after a number multiplies it by."""

# dimension: (names and symbols, factor to the dimension's base). Symbols are told apart by case where that matters
# (MW and mW); anything is looked up in lower case too where no other unit claims it.
_TABLE: dict[str, list[tuple[str, str]]] = {
    "energy": [  # joules
        ("J joule", "1"),
        ("kJ kilojoule", "1e3"),
        ("MJ megajoule", "1e6"),
        ("GJ gigajoule", "1e9"),
        ("TJ terajoule", "1e12"),
        ("mWh milliwatt-hour", "3.6"),
        ("Wh watt-hour", "3600"),
        ("kWh kilowatt-hour", "3.6e6"),
        ("MWh megawatt-hour", "3.6e9"),
        ("GWh gigawatt-hour", "3.6e12"),
        ("TWh terawatt-hour", "3.6e15"),
    ],
    "power": [  # watts
        ("mW milliwatt", "1e-3"),
        ("W watt", "1"),
        ("kW kilowatt", "1e3"),
        ("MW megawatt", "1e6"),
        ("GW gigawatt", "1e9"),
        ("TW terawatt", "1e12"),
    ],
    "mass": [  # grams
        ("mg milligram", "1e-3"),
        ("g gram", "1"),
        ("kg kilogram", "1e3"),
        ("t tonne ton metric-ton metric-tonne MT mt", "1e6"),
        ("kt kiloton kilotonne", "1e9"),
        ("Mt megaton megatonne", "1e12"),
        ("Gt gigaton gigatonne", "1e15"),
        ("lb lbs pound", "453.59237"),
        ("oz ounce", "28.349523125"),
    ],
    "data": [  # bytes
        ("B byte", "1"),
        ("KB kB kilobyte", "1e3"),
        ("MB megabyte", "1e6"),
        ("GB gigabyte", "1e9"),
        ("TB terabyte", "1e12"),
        ("PB petabyte", "1e15"),
        ("KiB kibibyte", "1024"),
        ("MiB mebibyte", "1048576"),
        ("GiB gibibyte", "1073741824"),
        ("TiB tebibyte", "1099511627776"),
    ],
    "time": [  # seconds
        ("ns nanosecond", "1e-9"),
        ("µs us microsecond", "1e-6"),
        ("ms millisecond", "1e-3"),
        ("s sec second", "1"),
        ("min minute", "60"),
        ("h hr hrs hour", "3600"),
        ("d day", "86400"),
        ("wk week", "604800"),
        ("yr yrs year", "31536000"),
    ],
    "month": [("month mo", "1")],  # not a number of days
    "length": [  # metres
        ("nm nanometer nanometre", "1e-9"),
        ("µm micrometer micrometre", "1e-6"),
        ("mm millimeter millimetre", "1e-3"),
        ("cm centimeter centimetre", "1e-2"),
        ("m meter metre", "1"),
        ("km kilometer kilometre", "1e3"),
        ("mi mile", "1609.344"),
        ("ft foot feet", "0.3048"),
        ("inch inches", "0.0254"),
    ],
    "area": [  # square metres
        ("m2 m² sqm square-meter square-metre", "1"),
        ("km2 km² square-kilometer square-kilometre", "1e6"),
        ("ha hectare", "1e4"),
        ("acre", "4046.8564224"),
        ("sqft square-foot square-feet", "0.09290304"),
    ],
    "volume": [  # litres
        ("mL ml milliliter millilitre", "1e-3"),
        ("L l liter litre", "1"),
        ("kL kl kiloliter kilolitre m3 m³ cubic-meter cubic-metre", "1e3"),
        ("ML megaliter megalitre", "1e6"),
        ("gal gallon", "3.785411784"),
    ],
    "frequency": [
        ("Hz hertz", "1"),
        ("kHz kilohertz", "1e3"),
        ("MHz megahertz", "1e6"),
        ("GHz gigahertz", "1e9"),
    ],
    "operations": [
        ("FLOPs FLOP flop flops", "1"),
        ("GFLOPs GFLOP", "1e9"),
        ("TFLOPs TFLOP", "1e12"),
        ("PFLOPs PFLOP", "1e15"),
        ("EFLOPs EFLOP", "1e18"),
    ],
    "temperature": [("°C celsius", "1")],
    "share": [
        ("% percent pct percentage percentage-point pp", "1"),
        ("‰ per-mille per-mil permille permil", "0.1"),
        ("bp bps basis-point ‱", "0.01"),
    ],
    "times": [("x × times fold multiplier factor multiple", "1")],
    "USD": [("$ USD US$ dollar dollars US-dollar U.S.-dollar", "1"), ("¢ cent", "0.01")],
    "EUR": [("€ EUR euro", "1")],
    "GBP": [("£ GBP", "1")],
    "JPY": [("¥ JPY yen", "1")],
    "CNY": [("CNY RMB yuan", "1")],
    "AUD": [("A$ AU$ AUD Australian-dollar", "1")],
    "CAD": [("C$ CA$ CAD Canadian-dollar", "1")],
    "HKD": [("HK$ HKD", "1")],
    "NZD": [("NZ$ NZD", "1")],
    "SGD": [("S$ SGD", "1")],
    "TWD": [("NT$ TWD", "1")],
    "BRL": [("R$ BRL", "1")],
    "CHF": [("CHF Swiss-franc", "1")],
    "INR": [("₹ INR rupee", "1")],
    "KRW": [("₩ KRW", "1")],
    "RUB": [("₽ RUB rouble ruble", "1")],
    "ILS": [("₪ ILS", "1")],
    **{code: [(code, "1")] for code in ("SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "MXN", "ZAR")},
}

MONEY = tuple(code for code in _TABLE if re.fullmatch("[A-Z]{3}", code))
DOLLARS = r"(?:US|AU|A|CA|C|HK|NZ|NT|S|R)?\$"
"""A dollar sign with the letters that say whose dollar it is, in a regular expression."""
SIGNS = "€£¥₹₩₽₪"
CODES = "|".join(MONEY)
CURRENCIES = {"$": "USD", **{name: code for code in MONEY for name in _TABLE[code][0][0].split() if not name.isalpha()}}


@dataclass(frozen=True, slots=True)
class Unit:
    """What is measured, and how many of the dimension's base units one of this is.

    A unit the table does not know ("papers") is a dimension of its own, named by its words' stems.
    """

    dimension: str
    factor: Decimal
    known: bool = True


def convert(amount: Decimal, unit: Unit, wanted: Unit) -> Decimal | None:
    """The amount in another unit, None where the two measure different things.

    >>> convert(Decimal("1.3"), unit("MWh"), unit("kWh"))
    Decimal('1300')
    """
    if unit.dimension != wanted.dimension:
        return None
    if unit.factor == wanted.factor:
        return amount
    try:
        with localcontext(prec=15):  # 1/3 stops somewhere, and 0.1 % is all that a score looks at
            return plain(amount * unit.factor / wanted.factor)
    except (InvalidOperation, DivisionByZero):
        return None


def within_dimension(unit: Unit) -> tuple[Decimal, ...]:
    """By what an amount in a unit is multiplied to be in each other unit of its dimension; none of one that has none.

    >>> Decimal(24) in within_dimension(unit_asked("days"))
    True
    """
    others = dict.fromkeys(Decimal(factor) for _, factor in _TABLE.get(unit.dimension, ()))
    return tuple(unit.factor / factor for factor in others if factor != unit.factor)


def over(one: Unit, other: Unit) -> Unit:
    """The unit of one thing per another: USD per m³."""
    return Unit(f"{one.dimension}/{other.dimension}", one.factor / other.factor, one.known)


def is_money(unit: Unit) -> bool:
    """Whether the unit is a currency, not a price per something."""
    return unit.dimension in MONEY


def plain(amount: Decimal) -> Decimal:
    """The same number without trailing zeros or an exponent that hides whole digits."""
    short = amount.normalize()
    return short.quantize(Decimal(1)) if 0 < int(short.as_tuple().exponent) <= 30 else short


@lru_cache(maxsize=1024)
def unit(name: str) -> Unit:
    """The unit of a name such as "kWh", "tCO2e", "million liters", "L/kWh", "papers".

    >>> unit("metric tons of CO2e") == unit("tCO2e"), unit("millions").factor
    (True, Decimal('1000000'))
    """
    name = " ".join(name.split()).strip(" .()[]")
    if scale := _SCALE_ALONE.fullmatch(name):
        return Unit("", Decimal(SCALES[scale["scale"].lower().rstrip("s")]), known=False)
    for pattern in (_SCALE_WORD, _SCALE_AFTER):
        if scale := pattern.match(name):
            inner = unit(scale["unit"])
            return Unit(inner.dimension, inner.factor * SCALES[scale["scale"].lower().rstrip("s")], inner.known)
    found = unit_at(name, 0)
    if found and found[1] == len(name):
        return found[0]
    return Unit(" ".join(stem(word) for word in re.findall(r"\w+", name)), Decimal(1), known=False)


def unit_asked(name: str) -> Unit | None:
    """The unit that a question's field asks for, None where it is empty or says that there is none.

    >>> unit_asked("is_blank"), unit_asked("kWh") == unit("kWh")
    (None, True)
    """
    return None if name.strip().lower() in BLANK_UNITS else unit(name)


_SIZES = r"(?P<scale>thousands?|millions?|billions?|trillions?)"
_SCALE_ALONE = re.compile(rf"(?:in\s+)?{_SIZES}", re.IGNORECASE)
_SCALE_WORD = re.compile(rf"{_SIZES}(?:\s+of)?\s+(?P<unit>.+)$", re.IGNORECASE)
_SCALE_AFTER = re.compile(rf"(?P<unit>[$€£¥]|\S.*\S),?\s+(?:in\s+)?{_SIZES}$", re.IGNORECASE)  # "USD millions"


def unit_at(text: str, position: int) -> tuple[Unit, int] | None:
    """The known unit that begins at a place in a text and where it ends, None where none does."""
    found = _UNIT.match(text, position)
    if not found:
        return None
    above = _look_up(found["over"])
    if above is None:
        return None
    if found["under"] is None:
        return above, found.end()
    under = _look_up(found["under"])
    if under is None:  # "per query": a dimension of its own
        under = Unit(stem(found["under"]), Decimal(1))
    return over(above, under), found.end()


def _look_up(name: str) -> Unit | None:
    name = re.sub(r"\s+|(?<=\w)-(?=\w)", "-", name.strip())
    lower = name.lower() if len(name) > 1 else name  # 3D is no number of days
    for key in (name, lower, lower.removesuffix("s"), lower.removesuffix("es")):
        if key in _UNITS:
            return _UNITS[key]
    return None


def _units() -> dict[str, Unit]:
    exact: dict[str, Unit] = {}
    folded: dict[str, Unit] = {}
    for dimension, entries in _TABLE.items():
        for names, factor in entries:
            for name in names.split():
                exact[name] = Unit(dimension, Decimal(factor))
    for name, value in exact.items():
        # "mwh" and "mw" are careless ways to write the big ones: nothing in documents is counted in milliwatt-hours
        if name in ("Gt", "Mt", "kt", "MT"):  # GT is a ship's gross tonnage
            continue
        if name.lower() not in folded or value.factor > folded[name.lower()].factor:
            folded[name.lower()] = value
    return {**folded, **exact}


_UNITS = _units()
_NAMES = "|".join(
    re.escape(name).replace(r"\-", r"[\s-]?") + ("(?:e?s)?" if len(name) > 2 and name.isascii() else "")
    for name in sorted(_UNITS, key=len, reverse=True)
)
_GAS = r"(?:\s?(?:of\s)?-?(?:CO\s?[2₂]|carbon\sdioxide|carbon)(?:\s?-?(?:equivalents?|eq|e)\b\.?)?)?"
_UNIT = re.compile(
    rf"(?P<over>(?i:{_NAMES})){_GAS}(?![A-Za-z0-9])"
    rf"(?:(?:\sof\s\w+)?\s?(?:/|\bper\b)\s?(?P<under>(?i:{_NAMES})(?![A-Za-z0-9])|[A-Za-z]+))?"
)

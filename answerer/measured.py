"""What a question without a unit would have measured: "What was the net income in 2022?" wants an amount of money."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache


class Measure(StrEnum):
    """What kind of number a noun names: of a dimension of `answerer.units`, of money in any currency, or of any."""

    MONEY = "money"
    SHARE = "share"
    LENGTH = "length"
    MASS = "mass"
    TIME = "time"
    AREA = "area"
    TEMPERATURE = "temperature"
    OTHER = "other"


_NOUNS = {
    noun: measure
    for measure, nouns in {
        Measure.MONEY: """
            revenue revenues sales turnover income profit profits earnings loss losses ebit ebitda eps cost costs
            expense expenses expenditure expenditures spend spending outlay outlays capex opex price prices fee fees
            fare fares salary salaries wage wages compensation dividend dividends budget debt debts borrowings assets
            liabilities equity cash proceeds gain gains impairment depreciation amortization amortisation tax taxes
            funding grant valuation capitalization capitalisation charge charges rent fine penalty receivables payables
            inventories goodwill repayment repurchases subsidy deficit surplus endowment wealth gdp premium premiums
            backlog capital
            """,
        Measure.SHARE: """
            percentage percent return proportion fraction share stake margin margins accuracy precision recall
            utilization utilisation occupancy probability likelihood turnout humidity prevalence
            """,
        Measure.LENGTH: "height width depth thickness radius diameter altitude elevation wavelength wingspan draught",
        Measure.MASS: "weight mass emissions tonnage",
        Measure.TIME: "duration lifetime lifespan latency delay half-life",
        Measure.AREA: "area",
        Measure.TEMPERATURE: "temperature",
        Measure.OTHER: """
            number count total sum average mean median amount quantity value size length distance volume speed velocity
            acceleration pressure power energy consumption usage use capacity output production throughput bandwidth
            efficiency effectiveness footprint intensity score frequency density dose dosage population headcount
            workforce growth increase decrease decline reduction rise drop difference gap age ratio factor rate rates
            pue wue voltage resistance limit threshold minimum maximum peak concentration yield attendance enrolment
            enrollment circulation shipments deliveries rainfall mileage speedup range odds error flow flows deviation
            variance
            """,
    }.items()
    for noun in nouns.split()
}


def _nouns(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RATE_OF_SHARES = _nouns(
    "tax interest growth unemployment employment inflation error success failure response mortality survival occupancy "
    "utilization utilisation discount fixed coupon conversion churn vacancy attrition retention turnover default "
    "acceptance completion participation recovery recycling renewal literacy poverty"
)
_NAMELESS = _nouns("largest biggest main primary major key principal smallest most least")

_ASKS = re.compile(
    r"\b(?:what(?P<verb>['’]s|\s(?:is|was|are|were|would be|will be))?|(?P<how>how (?:much|large|big|high|low)) "
    r"(?:is|was|are|were)|(?P<much>how much))\s(?P<rest>[^?]+)",
    re.IGNORECASE,
)
_DID = re.compile(r"(?:\S+\s){1,5}(?:did|do|does|is|was|are|were|has|have|had|will|would)\b")
_PAID = re.compile(
    r"(?:did|does|do|has|have|had|will)\b[^?]{1,80}?\b(?:spen[dt]|pay|paid|earn(?:ed)?|cost|ow(?:e|ed)|borrow(?:ed)?)\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?!.*\b(?:wh\w+|how|is|was|are|were|do|does|did|has|have|had|can|could|will|would|true|false|list|name)\b)"
    r"[^,;:.?!\n]{3,80}\??\s*",
    re.IGNORECASE,
)
_DETERMINED = re.compile(r"^(?:the|its|their|his|her|our|your|my)\b|['’]s?\s", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:FY\s?)?(?:19|20)\d\d\b")
_TOKEN = re.compile(r"[^\W_]+(?:[&’'./-][^\W_]+)*")
_ENDS = _nouns(
    "of in for at by on from to with during between per after before as under over among against within since until "
    "across through that which who when where while did do does is was are were has have had can could will "
    "would should must may might if than about around not compared relative"
)


@lru_cache(maxsize=256)
def measure(question: str) -> Measure | None:
    """What the question wants measured, by the noun it asks after; None where that is no measure, or a thing is meant.

    >>> measure("What was Amcor's adjusted EBITDA in 2023?"), measure("What is the effective tax rate?")
    (<Measure.MONEY: 'money'>, <Measure.SHARE: 'share'>)
    >>> measure("What is the main source of revenue?"), measure("What is revenue?"), measure("What did sales do?")
    (None, None, None)
    >>> measure("Electricity prices?"), measure("Hotel prices in Oslo, who sets them?")
    (<Measure.MONEY: 'money'>, None)
    """
    for match in _ASKS.finditer(question):
        rest = match["rest"]
        if (match["much"] or not (match["how"] or match["verb"])) and _PAID.match(rest):
            return Measure.MONEY
        found = _of(rest)
        if found is not None and _is_asked(match, found):
            return found
        if match["much"]:
            return Measure.OTHER  # what can't be counted has a unit
    return _of(question) if is_phrase(question) else None


def is_phrase(question: str) -> bool:
    """Whether a question is but a phrase: "Electricity prices 2023?", without a word that asks or tells."""
    return _BARE.fullmatch(question) is not None


def _is_asked(match: re.Match[str], found: Measure) -> bool:
    """Whether what was found is asked for as a number, not what it is or does."""
    rest = match["rest"]
    if match["how"] or match["much"]:
        return True
    if match["verb"] is None:
        return _DID.match(rest) is not None or (found is Measure.SHARE and " of " in rest)
    if "w" in match["verb"].lower():
        return True
    return _DETERMINED.search(_phrase(rest)) is not None or _YEAR.search(rest) is not None


def _phrase(text: str) -> str:
    """The words of a text up to what ends the phrase that it begins with."""
    for match in _TOKEN.finditer(text):
        if match[0].lower() in _ENDS or text[: match.start()].rstrip().endswith((",", "(", ";", ":")):
            return text[: match.start()]
    return text


def _of(text: str) -> Measure | None:
    """What the last noun of the phrase that a text begins with measures, or what that is an amount of."""
    words = _TOKEN.findall(_phrase(text))
    held = [re.sub(r"['’]s?$", "", word).lower() for word in words]
    while len(held) > 1 and held[-1] not in _NOUNS and (held[-1].endswith("ed") or held[-1].isdigit()):
        held.pop()  # "the revenue reported"
    if not held or held[-1] not in _NOUNS or not _NAMELESS.isdisjoint(held) or words[len(held) - 1].lower() != held[-1]:
        return None
    if held[-1] in _AMOUNTS and (whole := _AMOUNT_OF.match(text)):
        return _of(text[whole.end() :]) or Measure.OTHER
    if held[-1] in ("flow", "flows") and "cash" in held:
        return Measure.MONEY
    if held[-1] in ("rate", "rates"):
        return Measure.OTHER if _RATE_OF_SHARES.isdisjoint(held) else Measure.SHARE
    return _NOUNS[held[-1]]


_AMOUNTS = _nouns(
    "amount total sum value size average increase decrease decline growth rise drop fall reduction change"
)
_AMOUNT_OF = re.compile(r"[^?]*?\b(?:of|in)\s(?:the\s)?", re.IGNORECASE)

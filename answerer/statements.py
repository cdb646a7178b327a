"""Whether a sentence denies a statement."""

from __future__ import annotations

import re
from decimal import Decimal

from answerer.asking import terms
from answerer.attached.counted import counted
from answerer.quantities import Quantity, quantities

_NEGATED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|without|cannot|lacks?|lacking|fails?|absent|unlike|rather than|instead of|"
    r"excludes?|leaves? out|omits?|contrary|only|hardly|scarcely|nobody|no one|(?:stopped|ceased|quit)(?=\s\w+ing\b)|"
    r"(?:false|untrue) that)\b|n[’']t\b",
    re.IGNORECASE,
)
_NO_NEGATION = re.compile(
    r"\bnot\s(?:be\s)?(?:only|just|merely|solely|simply|(?:limited|restricted|confined)\sto)\b|\bnot\sleast\b"
    r"|\bwhether\sor\snot\b|\bno\sdoubt\b|\b(?:nobody|no\sone)\s(?:doubts|denies|disputes|questions)\b"
    r"|\b(?:no|not)\s(?:more|less|fewer)\sthan\b|\bhardly\s(?:surpris|any\sdoubt)\w*",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[;:,.]")
REACH = 8
"""Words behind a negation that it may deny."""
LONGEST_REACH = 200  # characters that they stand in
_OPPOSITES = [
    frozenset(pair.split("/"))
    for pair in re.findall(
        r"\S+",
        """
        increase/decrease rise/fall higher/lower more/less more/fewer larger/smaller greater/less above/below
        over/under faster/slower better/worse outperform/underperform before/after air/liquid maximum/minimum
        most/least always/never all/none reduce/increase gain/loss first/last public/private open/closed
        voluntary/mandatory
        """,
    )
]


_WISH = re.compile(
    r"\b(?:propos\w+|recommend\w*|suggest\w*|would|should|might|ought|hypothe\w+|if)\b"
    r"|\b(?:nobody|no one)\s(?:says|said|claims|claimed|knows|thinks|believes)\b",
    re.IGNORECASE,
)


def wishes(text: str) -> bool:
    """Whether a text is a proposal, a wish or a condition, which says nothing of what is so.

    >>> wishes("Owners would need to count their kilns."), wishes("Owners count their kilns.")
    (True, False)
    """
    return _WISH.search(text) is not None


def contradicts(statement: str, text: str) -> bool:
    """Whether a sentence about the same thing denies the statement: by a negation, an opposite, or another number.

    >>> contradicts("The kiln is heated at night.", "The kiln is heated at night without harm to the roof.")
    False
    """
    said, told = _NO_NEGATION.sub(" ", statement), _NO_NEGATION.sub(" ", text)
    negated = (_NEGATED.search(said) is not None) is not _is_negated(told, frozenset(terms(said)))
    return negated ^ _opposed(said, told) or _other_numbers(statement, text)


def _is_negated(text: str, about: frozenset[str]) -> bool:
    """Whether a negation of a text reaches any of some terms, or ends the text."""
    for match in _NEGATED.finditer(text):
        behind = " ".join(_CLAUSE_ENDS.split(text[match.end() : match.end() + LONGEST_REACH])[0].split()[:REACH])
        if not behind or about & frozenset(terms(behind)):
            return True
    left_out = (frozenset(terms(match[1])) for match in _EXCEPT.finditer(text))
    return any(named and named <= about for named in left_out)


_EXCEPT = re.compile(
    r"\b(?:except|excepting|apart from|other than|but not|save)\s(?:for\s)?([^,;:.]{1,80})", re.IGNORECASE
)


def _opposed(statement: str, text: str) -> bool:
    one, other = (set(re.findall(r"[a-z]+", part.lower())) for part in (statement, text))
    return any(
        (pair & one and pair & other and not (pair & one & other) and len(pair & one) == 1) for pair in _OPPOSITES
    )


def _other_numbers(statement: str, text: str) -> bool:
    """Whether the text has a number of the same unit, or thing, where the statement's is not among its numbers."""
    held = quantities(text)
    for said in quantities(statement):
        alike = [found for found in held if found.unit is not None and found.unit == said.unit]
        if _is_bound(statement, said):
            if follows(statement, said, text) is False:
                return True
        elif alike and not any(found.low <= said.high and said.low <= found.high for found in alike):
            return True
    return False


def follows(statement: str, said: Quantity, text: str) -> bool | None:
    """Whether what a statement says by a bound is so by a text's numbers of the same; None where that isn't told.

    >>> statement = "It has more than 3 pumps."
    >>> texts = [f"It has {many} pumps." for many in ("at least 5", "2", "up to 9")]
    >>> [follows(statement, quantities(statement)[0], text) for text in texts]
    [True, False, None]
    """
    if not _is_bound(statement, said):
        return None
    low, high = _reach(statement, said)
    told = [_reach(text, one) for one in quantities(text) if _measures_same(statement, said, text, one)]
    if any(low <= first and last <= high for first, last in told):
        return True
    return False if told and all(last < low or high < first for first, last in told) else None


def without_bounds(statement: str) -> str:
    """A statement without the numbers that it gives as bounds: what bears those has other ones.

    >>> without_bounds("It has more than 3 pumps.")
    'It has  pumps.'
    """
    for one in reversed(quantities(statement)):
        led = statement[max(0, one.start - LONGEST_LEAD) : one.start]
        if found := _LOWER.search(led) or _UPPER.search(led):
            statement = statement[: one.start - len(led) + found.start()] + statement[one.end :]
    return statement


def _measures_same(statement: str, said: Quantity, text: str, one: Quantity) -> bool:
    if said.unit is not None or one.unit is not None:
        return said.unit == one.unit
    return bool(counted(statement, said) & counted(text, one))


_Edge = tuple[Decimal, int]  # a number, and -1 or 1 for just below or above it


def _reach(text: str, one: Quantity) -> tuple[_Edge, _Edge]:
    """From where to where what a text says of a number may lie: "more than 3" has no end."""
    led = text[max(0, one.start - LONGEST_LEAD) : one.start]
    if _LOWER.search(led):
        return (one.high, 0 if _INCLUSIVE.search(led) else 1), (Decimal("Infinity"), 0)
    if _UPPER.search(led):
        return (Decimal("-Infinity"), 0), (one.low, 0 if _INCLUSIVE.search(led) else -1)
    return (one.low, 0), (one.high, 0)


def _is_bound(text: str, one: Quantity) -> bool:
    return len({edge[0] for edge in _reach(text, one)} - {one.low, one.high}) > 0


LONGEST_LEAD = 40  # characters before a number that say it is a bound
_LED = r"\s(?:the\s|about\s|around\s|a\s)?$"
_LOWER = re.compile(
    r"\b(?:(?<!no\s)(?<!not\s)(?:more|greater|higher) than|over|above|at least|exceed\w*|"
    rf"(?:no|not) (?:less|fewer) than){_LED}",
    re.IGNORECASE,
)
_UPPER = re.compile(
    rf"\b(?:(?<!no\s)(?<!not\s)(?:less|fewer|lower) than|under|below|at most|up to|(?:no|not) more than){_LED}",
    re.IGNORECASE,
)
_INCLUSIVE = re.compile(rf"\b(?:at least|at most|up to|(?:no|not) (?:more|less|fewer) than){_LED}", re.IGNORECASE)


_NAME = r"[A-Z][\w&’'-]{0,40}(?:\s[A-Z][\w&’'-]{0,40}){0,6}"
_DOES = re.compile(rf"({_NAME})\s((?:[a-z][\w-]{{0,40}}\s){{1,3}})(?:the\s)?(?=({_NAME}))")
_MUTUAL = re.compile(r"\b(?:marri|marry|met|meet|border|resembl|equal|adjoin|match|and\b|or\b|with\b|from\b)")


def is_turned(statement: str, text: str) -> bool:
    """Whether a text says of two names, by the same verb, the reverse of what a statement says.

    >>> is_turned("Holm bought Rask.", "Rask bought Holm."), is_turned("Holm bought Rask.", "Rask was bought by Holm.")
    (True, False)
    """
    told = {deed for match in _DOES.finditer(text) if (deed := _deed(match))}
    return any(
        (other, verb, one) in told and (one, verb, other) not in told
        for match in _DOES.finditer(statement)
        if (deed := _deed(match))
        for one, verb, other in [deed]
    )


def _deed(match: re.Match[str]) -> tuple[str, str, str] | None:
    """Who did what to whom; None where it is mutual, or no verb is told."""
    one, between, other = match.groups()
    words = between.split()
    verbs = terms(" ".join(word for word in words if word != "by"))
    if len(verbs) != 1 or _MUTUAL.search(between):
        return None
    return (other, verbs[0], one) if words[-1] == "by" else (one, verbs[0], other)

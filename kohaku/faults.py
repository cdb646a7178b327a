"""What an error of a chat server means, and what to do about it."""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

SHOWN = 240  # characters of a server's own words that an error repeats


class Remedy(Enum):
    """What to do about a fault."""

    AGAIN = "call again later"
    LESS = "call with less evidence"
    OTHER_FORMAT = "ask for the reply in another format"
    WITHOUT = "call without the parameter"
    STREAM = "ask for the reply as it is written"
    GIVE_UP = "report it"


@dataclass(frozen=True, slots=True)
class Fault:
    """A server's error: its HTTP status, its code, the parameter it names, its words and its headers (lower case)."""

    status: int
    words: str
    code: str = ""
    parameter: str = ""
    headers: Mapping[str, str] | None = None


TOO_LONG = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum context|max_model_len|prompt is too long|input is too long"
    r"|too many (?:input )?tokens|request too large|reduce the length|input token count",
    re.I,
)
FORMAT = re.compile(
    r"response_?format|json[ _-]?(?:schema|object|mode)|structured[ _-]output|grammar|requested parameters", re.I
)
_PICTURE = r"(?:\bimages?\b|image_url|\bvision\b|multi-?modal|mmproj)"
_NO = r"(?:\bnot\b|n't\b|\bno\b|\bonly\b|unsupported|unknown|invalid|unexpected|cannot)"
NO_PICTURES = re.compile(
    rf"{_PICTURE}.{{0,80}}{_NO}|{_NO}.{{0,80}}{_PICTURE}|content.{{0,60}}\bstring\b|expected (?:a )?string", re.I | re.S
)
REFUSAL = re.compile(
    r"not (?:support|permit|allow)|unsupported|unrecogni[sz]ed|unknown|unexpected|extra|forbid|invalid|does not"
    r"|only the default|too large|cannot|can't",
    re.I,
)
NO_QUOTA = re.compile(r"insufficient[ _]quota|exceeded your current quota|billing", re.I)
AGAIN_LATER = frozenset({408, 409, 425, 429})
REFUSED = frozenset({400, 404, 415, 422, 500, 501})  # llama.cpp answers 500 to a schema it can't turn into a grammar
WAIT = re.compile(r"(?:try again|retry)\D{0,20}?((?:\d+(?:\.\d+)?\s*(?:ms|[a-z]+)\s*)+)", re.I)
SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|milli\w*|h|hours?|m|minutes?|mins?|s|seconds?|secs?)(?![a-z])", re.I)
SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0}


def remedy(fault: Fault, sent: Collection[str] = ()) -> tuple[Remedy, str]:
    """What to do, and the parameter it concerns; `sent` are the optional parameters the request held.

    Only the status tells a server's fault, never digits in its words: "128500 tokens" is no 500.
    """
    if fault.status in (401, 403) or (fault.status == 429 and NO_QUOTA.search(f"{fault.code} {fault.words}")):
        return Remedy.GIVE_UP, ""
    if fault.code == "context_length_exceeded" or fault.status == 413 or TOO_LONG.search(fault.words):
        return Remedy.LESS, ""
    if "images" in sent and fault.status in REFUSED and NO_PICTURES.search(fault.words):
        return Remedy.WITHOUT, "images"
    if fault.status in REFUSED:
        if "response_format" in sent and (fault.parameter.startswith("response_format") or FORMAT.search(fault.words)):
            return Remedy.OTHER_FORMAT, "response_format"
        for name in sent:
            if fault.parameter == name or (named(name, fault.words) and REFUSAL.search(fault.words)):
                return Remedy.WITHOUT, name
    return (Remedy.AGAIN if fault.status in AGAIN_LATER or fault.status >= 500 else Remedy.GIVE_UP), ""


def named(parameter: str, words: str) -> bool:
    """Whether an error is about a parameter: in "'max_tokens' … use 'max_completion_tokens'" about the first named."""
    if parameter == "system":
        return re.search(r"system (?:role|message|prompt)|role[^.]{0,20}system", words, re.I) is not None
    if parameter == "stream":
        return re.search(r"\bstream(?:ing|ed)?\b", words, re.I) is not None
    found = re.search(r"\b(temperature|seed|max_tokens|max_completion_tokens|stream_options)\b", words)
    return found is not None and found[1] == parameter


def wanted_wait(fault: Fault, *, now: float | None = None) -> float | None:
    """The seconds a server asks to wait, by its headers or its words; None where it says nothing.

    >>> wanted_wait(Fault(429, "Please try again in 200ms.")), wanted_wait(Fault(429, "", headers={"retry-after": "3"}))
    (0.2, 3.0)
    """
    headers = fault.headers or {}
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name, ""))
        if seconds is not None:
            return seconds * scale
    date = _date(headers.get("retry-after", ""))
    if date is not None:
        return max(0.0, date - (time.time() if now is None else now))
    spoken = WAIT.search(fault.words)
    spans = SPAN.findall(spoken[1]) if spoken else []
    return sum(float(number) * _seconds(unit) for number, unit in spans) if spans else None


def scrub(words: str, secret: str | None) -> str:
    """One line of a server's words, without the key, not even the half of it that some servers echo."""
    if secret and len(secret) >= 4:
        words = words.replace(secret, "***")
    words = re.sub(r"\b(?:sk|key|gsk|hf)[-_][\w*.-]{6,}", "***", words)
    words = re.sub(r"(?i)\b(bearer|basic)\s+\S+", r"\1 ***", words)
    line = " ".join(words.split())
    return line if len(line) <= SHOWN else line[:SHOWN] + "…"


def _date(text: str) -> float | None:
    try:
        found = email.utils.parsedate_tz(text)
        return None if found is None else float(email.utils.mktime_tz(found))
    except (ValueError, OverflowError):  # the year 99999
        return None


def _number(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return max(0.0, seconds) if seconds < float("inf") else None


def _seconds(unit: str) -> float:
    unit = unit.lower()
    return 0.001 if unit.startswith(("ms", "milli")) else SECONDS[unit[0]]

"""Text as a reader would type it: no ligatures, no invisible characters, no word cut by a line's end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence

LIGATURES = {
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "st",
    "ﬆ": "st",
    "ﬓ": "մն",
    "ﬔ": "մե",
    "ﬕ": "մի",
    "ﬖ": "վն",
    "ﬗ": "մխ",
}
# Word and Symbol fonts keep their bullets in the private use area.
SYMBOL_BULLETS = dict.fromkeys("\uf0a7\uf0a8\uf0b7\uf0d8\uf0fc\uf076\uf06e\uf071", "•")
NAMED = str.maketrans({**LIGATURES, **SYMBOL_BULLETS, "\u2028": " ", "\u2029": " ", "\x85": " "})

ARABIC_FORMS = re.compile("[\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]+")
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls; white space among them is dealt with as such
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"  # soft hyphen, zero width, direction marks, variation selectors
    "\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff"  # lone surrogates, private use, noncharacters
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
    + "".join(chr(plane << 16 | 0xFFFE) + chr(plane << 16 | 0xFFFF) for plane in range(1, 15))
    + "]"
)
# Persian and Indic scripts spell words with joiners; anywhere else they are noise.
LOOSE_JOINERS = re.compile("(?<![\u0600-\u0dff])[\u200c\u200d]+|[\u200c\u200d]+(?![\u0600-\u0dff\u200c\u200d])")
# Anything that has to be looked at more closely: most text holds none of it.
ODD = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\uf8ff\ufb00-\uffff\U00010000-\U0010ffff]"
)

CUT = re.compile(r"(\w+(?:[-‐]\w+)*)[-‐]")
HYPHENS = ("-", "‐")
LONGEST_WORD = 80  # characters before a line's end that may be the head of a cut word
WORD = re.compile(r"\w+(?:[-‐'’]\w+)*")


def clean(text: str) -> str:
    """The text in one line, composed (NFC), of visible characters only; clean(clean(text)) == clean(text).

    >>> clean("e\u0301co\u00adnomic  e\ufb03ciency,\\nm²")
    'économic efficiency, m²'
    """
    if not text.isprintable():
        return " ".join(_visible(text).split())
    text = (text if text.isascii() else _visible(text)).strip()
    return " ".join(text.split()) if "  " in text else text


def clean_lines(text: str) -> str:
    """Like clean, but line ends and indentation stay, as code needs them."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ").split("\n")
    return "\n".join(_visible(line).replace("\n", " ").rstrip() for line in lines)


def dehyphenate(lines: Sequence[str], vocabulary: Collection[str]) -> str:
    """The lines as one text, words cut at a line's end made whole where the document's own words say so.

    >>> dehyphenate(["the cli-", "mate of GPT-", "4 and state-of-", "the-art"], {"climate"})
    'the climate of GPT-4 and state-of-the-art'
    """
    return "".join(joints(lines, vocabulary))


def joints(lines: Sequence[str], vocabulary: Collection[str]) -> list[str]:
    """What each line adds to the joined text: no hyphen that only cut a word, and the space it needs after it."""
    parts: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        cut = _cut(line) if following and line[-1:] in HYPHENS else ""
        if cut and following[0].isalnum():
            parts.append(line[:-1] if _only_cut(cut, following, vocabulary) else line)
        elif not following or _runs_on(line, following):
            parts.append(line)
        else:
            parts.append(line + " ")
    return parts


def words(lines: Iterable[str]) -> set[str]:
    """The whole words of the lines, in lower case: not the halves around a hyphen at a line's end."""
    found: set[str] = set()
    stretches: set[str] = set()  # between white space: each is looked into once, however often it is written
    after_cut = False
    for line in lines:
        is_cut = line[-1:] in HYPHENS and bool(_cut(line))
        if is_cut or after_cut:
            tokens = WORD.findall(line.lower())
            found.update(tokens[after_cut : len(tokens) - is_cut])
        else:
            stretches.update(line.split())
        after_cut = is_cut
    found.update(WORD.findall("\n".join(stretches).lower()))
    return found


def _cut(line: str) -> str:
    """The head of the word that the line's end may have cut, empty where it did not."""
    if line[-1:] not in HYPHENS:
        return ""
    last = line[-LONGEST_WORD:].split()[-1]
    start = max((place + 1 for place, character in enumerate(last[:-1]) if not _in_word(character)), default=0)
    found = CUT.fullmatch(last, start)
    return found[1] if found else ""


def _in_word(character: str) -> bool:
    return character.isalnum() or character in "_-‐"


def _only_cut(head: str, following: str, vocabulary: Collection[str]) -> bool:
    """Whether the hyphen after `head` was put there by the line's end alone."""
    tail_word = WORD.match(following)
    tail = tail_word[0] if tail_word else following[:1]
    if f"{head}{tail}".lower() in vocabulary:
        return True
    if f"{head}-{tail}".lower() in vocabulary or "-" in head or "-" in tail:
        return False
    first = re.split(r"['’]", tail)[0]
    if not (first.isalpha() and first.islower() and head[-1].isalpha() and not head.isupper()):
        return False  # GPT-4, Smith-Jones, CO2-neutral
    # Both halves known as words and the whole not: a compound such as fine-tuned.
    return not (len(head) > 3 and len(first) > 3 and head.lower() in vocabulary and first.lower() in vocabulary)


def _runs_on(line: str, following: str) -> bool:
    """Whether no space belongs between two lines: Chinese and Japanese write none."""
    return not line or line[-1].isspace() or (_wide(line[-1]) and _wide(following[0]))


def _wide(character: str) -> bool:
    return "\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff" or "\uff00" <= character <= "\uffef"


def _visible(text: str) -> str:
    if not ODD.search(text):
        return unicodedata.normalize("NFC", text)
    text = INVISIBLE.sub("", text.translate(NAMED))
    text = ARABIC_FORMS.sub(lambda forms: unicodedata.normalize("NFKC", forms[0]), text)
    return unicodedata.normalize("NFC", LOOSE_JOINERS.sub("", text))

"""The words of a text: one folding for passages and for questions, as the full-text index knows them, and stems.

FTS5's tokenizer does case, accents and stems; what it can't is done here: scripts without spaces, digit grouping,
compatibility forms.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Han, kana, hangul and their extensions: written without spaces, indexed as overlapping pairs of characters.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(f"[{_CJK}]+")
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
# What typesetting and parsers glue together: "V100x64", "16GB", "BERTbase" (a subscript), "LLaMA-65Bmodel".
_GLUED = re.compile(r"(?<=\d)[x×](?=\d)|(?<=\d)(?=[^\W\d_]{2})|(?<=[A-Z]{2})(?=[a-z]{3})")
_WORD = re.compile(r"\w+(?:[^\w\s]\w+)*")
_PART = re.compile(r"\w+")
_JOINED = re.compile(r"[^\w\s]")
_BARE_YEAR = re.compile(r"(?:19|20)\d\d")
_LETTERS = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(r"https?://\S+")
# Where a name such as "AnnualReport_2023Q4" has its seams.
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=(?:19|20)\d\d(?!\d))|(?<=(?<!\d)(?:19|20)\d\d)(?=[A-Za-z])")
# "FY2022", "Q32023", "2023Q4", "FY22": documents write the year alone.
_YEAR = re.compile(r"(?:[a-z]{1,2}[1-4]?)?((?:19|20)\d\d)(?:[a-z]{1,2}[1-4]?)?|[cf]y(\d\d)", re.IGNORECASE)


def fold(text: str) -> str:
    """Text as it goes into the full-text index.

    >>> fold("1,234 t CO₂e")
    '1234 t CO2e'
    >>> fold("BERTbase on V100x64 with 16GB")
    'BERT base on V100 64 with 16 GB'
    >>> fold("電力量は")
    '電力 力量 量は'
    """
    text = unicodedata.normalize("NFKC", text).replace("\u00ad", "").replace("\x00", " ")
    text = _GLUED.sub(" ", _GROUPED.sub("", text))
    return _RUN.sub(lambda run: f" {_pairs(run[0])} ", text).strip()


def _pairs(run: str) -> str:
    return " ".join(run[i : i + 2] for i in range(len(run) - 1)) or run


def words(text: str) -> list[str]:
    """The distinct words of a question, in order; a compound is there whole and in its parts, a year also alone.

    >>> words("Was GPT-3 larger than GPT-2?")
    ['Was', 'GPT-3', 'GPT', '3', 'larger', 'than', 'GPT-2', '2']
    >>> words("FY2022 or FY21")
    ['FY2022', 'or', 'FY21', '2022', '2021']
    """
    found: dict[str, None] = {}
    for word in _WORD.findall(fold(text)):
        found[word] = None
        if _JOINED.search(word):
            found.update(dict.fromkeys(_PART.findall(word)))
    for word in list(found):
        if year := _YEAR.fullmatch(word):
            found[year[1] or f"20{year[2]}"] = None
    return list(found)


def is_year(word: str) -> bool:
    """Whether a word is a year of the last century or this one."""
    return _BARE_YEAR.fullmatch(word) is not None


def parts(text: str) -> list[str]:
    """The distinct words of a text without marks in or between them, in lower case, addresses left out.

    Each is one token of the full-text index. Names of files come apart at their seams.

    >>> parts("AnnualReport_2023Q4-final")
    ['annual', 'report', '2023', 'q4', 'final']
    """
    text = _SEAM.sub(" ", _ADDRESS.sub(" ", text))
    return list(dict.fromkeys(_LETTERS.findall(fold(text).lower())))


def expression(terms: list[str]) -> str:
    """An FTS5 expression that matches any of the words; every word is quoted, so any text is legal.

    >>> expression(["GPT-3", 'NEAR("'])
    '"GPT-3" OR "NEAR("'
    """
    return " OR ".join(_quoted(term) for term in terms)


def _quoted(term: str) -> str:
    bare = term.replace('"', " ").strip()
    # A single CJK character never stands alone in the index: it begins a pair.
    return f'"{bare}"*' if len(bare) == 1 and _RUN.fullmatch(bare) else f'"{bare}"'


_ENDINGS = ("ations", "ation", "ings", "ing", "ions", "ion", "edly", "ed", "ely", "ly", "es", "s", "e")
SHORTEST_STEM = 3  # "ring" keeps its ending, "rating" loses it


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """What a word shares with its other forms, in lower case: rough, since both sides are folded alike.

    >>> stem("Papers"), stem("emissions") == stem("emitted"), stem("training") == stem("trained")
    ('paper', False, True)
    """
    word = word.lower().removesuffix("'s").removesuffix("’s")
    if not word.isalpha() or word.endswith("ss"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            base = word[: -len(ending)]
            doubled = (
                ending in ("ing", "ed") and len(base) > SHORTEST_STEM and base[-1] == base[-2] and base[-1] not in "lsz"
            )
            return base[:-1] if doubled else base
    return word

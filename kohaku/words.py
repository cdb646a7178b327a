"""The words of a text: one folding for passages and for questions, as the full-text index knows them, and stems.

FTS5's tokenizer does case and stems; what it can't is done here: accents, scripts without spaces, vowel signs, digits
of other scripts and their grouping, compatibility forms, letters that are no letter with an accent, spellings of CO2e.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from kohaku.spelling import american

CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Kana, Han and hangul in a class of a regular expression: scripts that put no spaces between words, or not all."""

# Written without spaces, indexed as overlapping pairs of characters: Han, kana, hangul and their extensions; Thai, Lao,
# Myanmar, Khmer.
_UNSPACED = (
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_RUN = re.compile(f"[{_UNSPACED}]+")
# Vowel points of Hebrew and Arabic, vowel signs of South and Southeast Asia's scripts: FTS5 would part words there.
_SIGNS = re.compile("[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u109f\u1780-\u17ff]")
_JOINERS = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_DIGIT = re.compile(r"(?![0-9])\d")
_BASE = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ł": "l", "Ł": "L"}
    | {"đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "ı": "i", "ё": "е", "Ё": "Е"}
)
_ACCENTS = re.compile("(?<=[A-Za-z\u0370-\u03ff])[\u0300-\u036f]+")
_ACCENTED = re.compile("[\u00c0-\u03ff\u0401\u0451\u1e00-\u1fff]")
_OTHER_SCRIPTS = re.compile("[\u0590-\u1dff\u2e80-\U0010ffff]")
_KANJI_YEAR = re.compile("[〇零一二三四五六七八九]{4}(?=年)")
_KANJI = str.maketrans("〇零一二三四五六七八九", "00123456789")
_GROUPED = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")  # a pattern that begins with a letter or a set of them is quick
_SPACED_GROUPS = re.compile("(?<![0-9])[0-9]{1,3}(?:[\u00a0\u2009\u202f'’][0-9]{3})+(?![0-9])")
_MASS = re.compile(r"(?<![^\W_])([kKmMgG]?[tTgG]|lbs?|tons?|tonnes?)(?=CO ?2(?!\d))")
_CARBON = re.compile(r"(?<![^\W_])CO ?2(?![\d.,]*\d)(?P<e>[- ]?e(?:q(?:uiv(?:alents?)?)?)?(?![^\W_]))?")
# What typesetting and parsers glue together: "V100x64", "16GB", "BERTbase" (a subscript), "LLaMA-65Bmodel".
_GLUED = re.compile(r"(?<=\d)[x×](?=\d)|(?<=\d)(?=[^\W\d_]{2})|(?<=[A-Z]{2})(?=[a-z]{3})")
_MAY_BE_GLUED = re.compile(r"[\dA-Z](?:(?<=\d)(?:[^\W\d_]|×)|(?<=[A-Z])[A-Z][a-z])")
_WORD = re.compile(r"\w+(?:[^\w\s]\w+)*")
_PART = re.compile(r"\w+")
_JOINED = re.compile(r"[^\w\s]")
_BARE_YEAR = re.compile(r"(?:19|20)\d\d")
_LETTERS = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(r"https?://\S+")
# Where a name such as "AnnualReport_2023Q4" has its seams.
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=(?:19|20)\d\d(?!\d))|(?<=(?<!\d)(?:19|20)\d\d)(?=[A-Za-z])")
_MAY_HAVE_SEAMS = re.compile(r"[0-9A-Z](?:(?<=[a-z][A-Z])|(?<=[A-Za-z][0-9])|(?<=[0-9])(?=[A-Za-z]))")
# "FY2022", "Q32023", "2023Q4", "FY22": documents write the year alone.
_YEAR = re.compile(r"(?:[a-z]{1,2}[1-4]?)?((?:19|20)\d\d)(?:[a-z]{1,2}[1-4]?)?|[cf]y(\d\d)", re.IGNORECASE)


def fold(text: str) -> str:
    """Text as it goes into the full-text index.

    >>> fold("1,234 tCO₂e"), fold("1'234 t CO2-eq.")
    ('1234 t CO2 CO2e', '1234 t CO2 CO2e.')
    >>> fold("BERTbase on V100x64 with 16GB")
    'BERT base on V100 64 with 16 GB'
    >>> fold("電力量は")
    '電力 力量 量は'
    """
    if not text.isascii() or "'" in text:
        text = _SPACED_GROUPS.sub(lambda number: re.sub("[^0-9]", "", number[0]), text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _JOINERS.sub("", text))
        if _ACCENTED.search(text):
            text = _plain_letters(text)
        if _OTHER_SCRIPTS.search(text):
            text = _DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)
            text = _SIGNS.sub(_without_sign, _KANJI_YEAR.sub(lambda year: year[0].translate(_KANJI) + " ", text))
    text = _GROUPED.sub("", text.replace("\x00", " "))
    if _MAY_BE_GLUED.search(text):
        text = _GLUED.sub(" ", text)
    if "CO" in text:
        text = _CARBON.sub(lambda gas: "CO2 CO2e" if gas["e"] else "CO2", _MASS.sub(r"\1 ", text))
    return text.strip() if text.isascii() else _RUN.sub(lambda run: f" {_pairs(run[0])} ", text).strip()


def _plain_letters(text: str) -> str:
    """Latin and Greek letters without their accents; those of other scripts are letters of their own.

    >>> _plain_letters("Élève, ế, ά, й, ё")
    'Eleve, e, α, й, е'
    """
    parted = unicodedata.normalize("NFD", text.translate(_BASE))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", parted))


def _without_sign(letter: re.Match[str]) -> str:
    return "" if unicodedata.category(letter[0])[0] == "M" or letter[0] == "\u0640" else letter[0]


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
    text = _ADDRESS.sub(" ", text)
    if _MAY_HAVE_SEAMS.search(text):
        text = _SEAM.sub(" ", text)
    return list(dict.fromkeys(_LETTERS.findall(fold(text).lower())))


def expression(terms: list[str]) -> str:
    """An FTS5 expression that matches any of the words; every word is quoted, so any text is legal.

    >>> expression(["GPT-3", 'NEAR("'])
    '"GPT-3" OR "NEAR("'
    """
    return " OR ".join(_quoted(term) for term in terms)


def is_beginning(term: str) -> bool:
    """Whether a term stands for all words that begin with it, as a single character of a script without spaces does."""
    return _quoted(term).endswith("*")


def _quoted(term: str) -> str:
    bare = term.replace('"', " ").strip()
    # A single CJK character never stands alone in the index: it begins a pair.
    return f'"{bare}"*' if len(bare) == 1 and _RUN.fullmatch(bare) else f'"{bare}"'


_ENDINGS = ("ations", "ation", "ings", "ing", "ions", "ion", "edly", "ed", "ely", "ly", "es", "s", "e")
SHORTEST_STEM = 3  # "ring" keeps its ending, "rating" loses it


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """What a word shares with its other forms and spellings, in lower case: rough, since both sides are folded alike.

    >>> stem("Papers"), stem("emissions") == stem("emitted"), stem("training") == stem("trained")
    ('paper', False, True)
    >>> stem("litres") == stem("liter")
    True
    """
    word = word.lower().removesuffix("'s").removesuffix("’s")
    if not word.isalpha() or word.endswith("ss"):
        return word
    word = american(word)
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

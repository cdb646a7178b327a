"""Text layers that say other letters than the page shows: fonts without a map to Unicode, or with a wrong one.

No list of words or of a language's letters is needed: rubbish breaks what all writing has in common.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

MOST_JUDGED = 4_000  # characters of a page: they tell enough
UNREADABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
NOTHING = 0.3  # of the letters that stand for nothing
FEWEST = 20  # letters to judge by whether they stand for anything
FEW = 40  # letters to judge scripts by
MIXED = 0.3  # of the letters in words of several scripts: writing has none, lists of names 0.11
ACCENTED = 0.3  # of the letters from Latin-1's upper half: Irish, Vietnamese and Slovak have 0.08
SIGNS = 0.5  # of what stands on a page are ASCII's marks: listings of code have 0.25
KINDS_OF_SIGNS = 10  # or they are rules, frames, leaders
# In every language written with vowels these alternate with consonants: of the pairs of neighbours in English, German
# or Russian words 0.69 to 0.75 do, in Irish 0.60, in Vietnamese 0.57 (pages: 0.53 at least), in letters that stand for
# others 0.1 to 0.5.
ALTERNATING = 0.5
ALTERNATING_AT_ALL = 0.56  # of all pairs of letters on a page, in abbreviations and numbers' units as well
ENOUGH = 250  # letters in such words: pages differ by 0.03 then
FEW_IN_WORDS, HARDLY = 100, 0.4  # so few differ by 0.05
LEAST_WORD = 4  # letters, small but for the first: no abbreviation, no name of a variable
SEQUENCE = 0.9  # of the letters are of four kinds: bases of a gene, not words
FEW_BEYOND = 0.1  # bytes beyond ASCII a letter: quotation marks and dashes, hardly a word
VOWELS = frozenset("aeiouyаеёиоуыэюяіїєαεηιουω")
BASES = {"æ": "a", "ø": "o", "œ": "o", "ı": "i", "ə": "a", "ł": "l"}
VOWELLED = ("LATIN", "CYRILLIC", "GREEK")
EAST_ASIAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "HALFWIDTH", "FULLWIDTH", "KANGXI"))
SCRIPTS = EAST_ASIAN | {
    *("LATIN", "GREEK", "CYRILLIC", "ARABIC", "HEBREW", "ARMENIAN", "GEORGIAN", "SYRIAC", "THAANA", "DEVANAGARI"),
    *("BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "THAI", "LAO"),
    *("TIBETAN", "MYANMAR", "ETHIOPIC", "CHEROKEE", "KHMER", "MONGOLIAN", "NKO", "TIFINAGH", "COPTIC", "YI"),
}
WORD = re.compile(r"[^\W\d_]{2,}")
CLASSES = re.compile(rf"\b[VCvc][vc]{{{LEAST_WORD - 1},}}\b")
REPEATED = re.compile(r"(\S)(?:\s*\1)+")
ASCII_SIGN = re.compile(r"[!-/:-@\[-`{-~]")
BLANK = re.compile(r"\s+")


class _Classes(dict[int, str]):
    """For str.translate: v and c for vowels and consonants, V and C for capitals, 0 and blanks for anything else."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _class(chr(code))
        return found


def _class(letter: str) -> str:
    if not letter.isalpha():
        return "0" if letter.isalnum() or letter == "_" or unicodedata.combining(letter) else " "
    if not unicodedata.name(letter, "").startswith(VOWELLED):
        return "0"
    base = unicodedata.normalize("NFD", letter.lower())[0]
    kind = "v" if BASES.get(base, base) in VOWELS else "c"
    return kind.upper() if letter.isupper() else kind


def _kind(letter: str) -> str:
    """A letter's class, whatever its case; ! for ASCII's marks, x for controls."""
    if UNREADABLE.match(letter):
        return "x"
    return "!" if ASCII_SIGN.match(letter) else _class(letter).lower()


CLASS_OF = _Classes()
KIND_OF = "".join(_kind(chr(code)) for code in range(256)).encode()


def is_garbled(text: str) -> bool:
    """Whether a page's text layer is none that anyone could read.

    >>> is_garbled("\\ue001\\ue002\\ue003\\ufffd" * 9), is_garbled("plain words, and a bullet \\uf0b7 among them")
    (True, False)
    >>> is_garbled("the quick brown fox jumps over lazy dogs, " * 9)
    False
    >>> is_garbled("wkh txlfn eurzq ira mxpsv ryhu odcb grjv, " * 9)
    True
    """
    text = text[:MOST_JUDGED]
    # What most pages show at a glance, a tenth of what looking closely costs; letters beyond Latin-1 count as marks.
    kinds = text.encode("latin-1", "replace").translate(KIND_OF)
    beyond = len(text.encode("utf-8", "replace")) - len(text)  # bytes of what is not ASCII
    if b"x" in kinds and _stands_for_nothing(text):
        return True
    if beyond > FEW_BEYOND * len(text) and (_stands_for_nothing(text) or _mixes_scripts(text) or _is_accented(text)):
        return True
    if 3 * kinds.count(b"!") > len(kinds) and _is_soup(text):
        return True
    words = kinds.replace(b"!", b" ").replace(b"0", b" ").split()  # faster than to count their beginnings
    pairs = kinds.count(b"v") + kinds.count(b"c") - len(words)
    return kinds.count(b"vc") + kinds.count(b"cv") < ALTERNATING_AT_ALL * pairs and not _alternates(text)


def _stands_for_nothing(text: str) -> bool:
    """Whether much of it are controls, replacement characters and private use."""
    unreadable = len(UNREADABLE.findall(text))
    if not unreadable:
        return False
    letters = len("".join(text.split()))
    return letters >= FEWEST and unreadable > NOTHING * letters


def _is_soup(text: str) -> bool:
    """Whether it is mostly ASCII's marks, of many kinds: a font whose letters are numbered from 33."""
    signs = ASCII_SIGN.findall(text)
    if len(signs) < FEW or len(set(signs)) < KINDS_OF_SIGNS:
        return False
    told = BLANK.sub("", REPEATED.sub(r"\1", text))
    return len(ASCII_SIGN.findall(told)) > SIGNS * len(told)


def _alternates(text: str) -> bool:
    """Whether vowels and consonants take turns as they do in words; True where too few words are there to tell."""
    words = CLASSES.findall(text.translate(CLASS_OF))
    classes = " ".join(words).lower()
    letters = len(classes) - len(words) + 1
    if letters < FEW_IN_WORDS:
        return True
    turns = classes.count("vc") + classes.count("cv")
    least = ALTERNATING if letters >= ENOUGH else HARDLY
    return turns >= least * (letters - len(words)) or _are_sequences(text)


def _are_sequences(text: str) -> bool:
    """Whether most words are made of the same four letters."""
    letters = Counter("".join(word for word in WORD.findall(text.lower()) if len(word) >= LEAST_WORD))
    return sum(count for _, count in letters.most_common(4)) > SEQUENCE * letters.total()


def _mixes_scripts(text: str) -> bool:
    """Whether many words are made of several scripts' letters."""
    there = {_script(letter) for letter in set(text)} - {""}  # a hundred, where a page has thousands
    if len(there) < 2 or _belong_together(there):
        return False
    letters = mixed = 0
    for word in WORD.findall(text):
        scripts = {_script(letter) for letter in word} - {""}
        letters += len(word)
        mixed += len(word) if len(scripts) > 1 and not _belong_together(scripts) else 0
    return letters >= FEW and mixed > MIXED * letters


def _belong_together(scripts: set[str]) -> bool:
    """Whether a word may hold them: names of variables are Greek and Latin, Japanese is written in three scripts."""
    return scripts <= {"LATIN", "GREEK"} or scripts <= EAST_ASIAN | {"LATIN"}


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """The script of a letter, "" for what is none or belongs to several."""
    if not letter.isalpha():
        return ""
    name = unicodedata.name(letter, "").partition(" ")[0].partition("-")[0]
    return name if name in SCRIPTS else ""


def _is_accented(text: str) -> bool:
    """Whether many letters are of Latin-1's upper half: another code page's, read as that."""
    letters = [letter for letter in text if letter.isalpha()]
    upper = sum("\xc0" <= letter <= "\xff" for letter in letters)
    return len(letters) >= FEW and upper > ACCENTED * len(letters)

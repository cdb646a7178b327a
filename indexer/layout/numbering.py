"""The numbers and names that headings bear."""

from __future__ import annotations

import re
from functools import lru_cache

from indexer.layout.contents import TITLE

NUMBER = re.compile(
    r"(?:(?P<keyword>chapter|section|appendix|part|item|annex|article|chapitre|annexe|partie|kapitel|anhang|teil"
    r"|cap[ií]tulo|anexo|第|附录)\s*)?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})+|[IVX]{1,5}(?=[.:)\s]|$)|[A-H](?=[.:)]\s|$)"
    r"|(?<=附录)\s*[A-Z]|[一二三四五六七八九十]{1,3})"
    r"(?P<end>\s*[a-z]?[.:)章节節篇部]?)(?=\s|$|[^\W\d])",
    re.IGNORECASE,
)
QUANTITY = re.compile(r"\d{3,}|0.*")  # or a year
LARGE_NUMBER = re.compile(r"[4-9]\d(?:\.\d+)*")  # "99.1" is an exhibit's
ENDS = tuple(".:)章节節篇部")
NAME = r"(?:chapter|appendix|part|annex|chapitre|annexe|kapitel|anhang|teil|cap[ií]tulo)"
NUMERAL = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif)ty(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)"
)
LABEL = re.compile(rf"{NAME}\s+(?:{NUMERAL}|\w{{1,5}})[.:]?", re.IGNORECASE)
LABEL_NAME = re.compile(NAME, re.IGNORECASE)
COUNT = re.compile(rf"{NUMERAL}|\d{{1,2}}|[IVX]{{1,5}}|[A-H]", re.IGNORECASE)
SPELT = re.compile(rf"(?:^|\s){NUMERAL}[.:]?$", re.IGNORECASE)
LABELLED = re.compile(r"(?:item|article|chapter|section|part|note|kapitel|chapitre)\s+\d", re.IGNORECASE)
PART = re.compile(r"(?:part|partie|teil|parte)\s+(?:\d{1,2}|[IVX]{1,5})\b", re.IGNORECASE)
CHAPTER = re.compile(r"(?:chapter|chapitre|kapitel|cap[ií]tulo|titre|title)\s+(?:\d{1,2}|[IVX]{1,5})\b", re.IGNORECASE)
KEYWORDS = """
abstract acknowledgements acknowledgments acknowledgement acknowledgment appendix appendices bibliography
conclusion conclusions contents declaration dedication discussion foreword glossary index introduction methods
preface references results summary nomenclature 摘要 参考文献 目录 致谢 引言 结论 résumé sommaire remerciements
bibliographie références annexes zusammenfassung einleitung literatur literaturverzeichnis anhang vorwort danksagung
resumen introducción conclusiones bibliografía referencias agradecimientos
"""
# What stands before and behind a document's sections, and in none of them.
MATTER = """
abstract acknowledgements acknowledgments acknowledgement acknowledgment bibliography contents foreword index preface
references 摘要 参考文献 目录 致谢 résumé sommaire remerciements bibliographie références zusammenfassung literatur
literaturverzeichnis vorwort danksagung resumen bibliografía referencias agradecimientos
"""
MATTER_HEADS = frozenset(MATTER.split())

KEYWORD_HEADS = frozenset(KEYWORDS.split())


@lru_cache(maxsize=4096)  # a line's text is asked about some five times
def numbering_depth(text: str) -> int:
    """How deep the number at a heading's start is: 1 for "3 Methods", 2 for "A.1 Proofs", 0 for none."""
    found = NUMBER.match(text)
    if not found or not any(character.isalpha() for character in text[found.end() :]):
        return 1 if found and found["keyword"] else 0
    number = found["number"]
    if not number[0].isdigit() and not number[0].isupper():
        return 0
    if not found["keyword"] and (
        QUANTITY.fullmatch(number) or (LARGE_NUMBER.fullmatch(number) and not found["end"].endswith(ENDS))
    ):
        return 0
    return number.removesuffix(".0").count(".") + 1  # 5.0 is the fifth chapter


def is_matter(text: str) -> bool:
    """Whether the text heads what stands before or behind a document's own sections: "Abstract", "References"."""
    return text.strip(" .:").casefold() in MATTER_HEADS


@lru_cache(maxsize=4096)
def is_keyword(text: str) -> bool:
    """Whether the text is one that heads a section wherever it stands alone: "References", "Table of contents"."""
    return text.strip(" .:").casefold() in KEYWORD_HEADS or TITLE.fullmatch(text) is not None

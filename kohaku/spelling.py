"""British and American spellings of English words: whoever asks in the one finds what is written in the other."""

from __future__ import annotations


def american(word: str) -> str:
    """A word as Americans spell it, in lower case where that is another spelling; any other word as it is.

    >>> american("Litres"), american("GPT-3")
    ('liters', 'GPT-3')
    """
    from breame.data.spelling_constants import BRITISH_ENGLISH_SPELLINGS as british  # loaded by the first question

    found: str = british.get(word.lower(), word)
    return found


def spellings(word: str) -> tuple[str, ...]:
    """A word and how it is spelt on the other side of the Atlantic, where that differs.

    >>> spellings("litres"), spellings("Color"), spellings("2021")
    (('litres', 'liters'), ('Color', 'colour'), ('2021',))
    """
    from breame.data.spelling_constants import AMERICAN_ENGLISH_SPELLINGS, BRITISH_ENGLISH_SPELLINGS

    lower = word.lower()
    other = BRITISH_ENGLISH_SPELLINGS.get(lower) or AMERICAN_ENGLISH_SPELLINGS.get(lower)
    return (word, other) if other else (word,)

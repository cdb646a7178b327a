"""How files are to be read: what one may cost, which passwords to try, whether pictures of text are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from kohaku.choices import OcrMode


@dataclass(frozen=True, slots=True)
class FileLimits:
    """What reading one file may take; books of 2,000 pages take a tenth of it.

    Seconds and memory end the file's process, which costs the file; of one with more pages or characters the part
    within is read, and a note says so.
    """

    seconds: float = 600.0
    memory_mb: int = 2048
    pages: int = 10_000
    characters: int = 30_000_000


@dataclass(frozen=True, slots=True)
class Tesseract:
    """The program that reads pictures of text, and the languages it is to expect ("eng", "eng+deu")."""

    program: str
    language: str
    turns: bool
    """Whether it can tell how a page is turned (its "osd" data are there)."""


def _unheard(seconds: float) -> None:
    """Nobody keeps the time."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are to be read; `without` says why there is no Tesseract, where one was wanted."""

    limits: FileLimits = FileLimits()
    ocr: OcrMode = "off"
    tesseract: Tesseract | None = None
    without: str = ""
    passwords: tuple[str, ...] = field(default=(), repr=False)
    grant: Callable[[float], None] = field(default=_unheard, repr=False, compare=False)
    """Called with seconds that a file may take beyond its limit: for a page that Tesseract reads, which is slow."""

    def fingerprint(self, met: Collection[str] = ()) -> str:
        """What a tree depends on beside its file: `met` are what its reading came up against.

        >>> Reading().fingerprint(), Reading().fingerprint(["ocr", "cut"])
        ('', '+cut:10000-30000000+ocr:off')
        """
        forced = f"+force:{self._engine}" if self.ocr == "force" else ""
        return forced + "".join(f"+{name}:{now}" for name, now in sorted(self._state.items()) if name in met)

    def again(self, stored: str) -> str:
        """What a document that was stored with this fingerprint would be stored with if it were read now.

        >>> Reading().again("+ocr:eng")
        '+ocr:off'
        """
        return self.fingerprint([part.partition(":")[0] for part in stored.split("+")])

    @property
    def _state(self) -> Mapping[str, str]:
        return {"cut": f"{self.limits.pages}-{self.limits.characters}", "ocr": self._engine}

    @property
    def _engine(self) -> str:
        if self.ocr == "off":
            return "off"
        return self.tesseract.language.replace("+", ",") if self.tesseract else "none"


AS_EVER = Reading()
"""By the default limits, without OCR or passwords."""

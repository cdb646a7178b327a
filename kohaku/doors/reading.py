"""How files are to be read, by the settings."""

from __future__ import annotations

from indexer import ocr
from indexer.reading import FileLimits, Reading, Tesseract
from kohaku.errors import SettingsError
from kohaku.settings import Settings


def reading_of(settings: Settings) -> Reading:
    """How files are to be read; raises SettingsError where all are to be read by a Tesseract that is not there."""
    tesseract = None if settings.ocr == "off" else ocr.find(settings.ocr_language)
    lack = tesseract if isinstance(tesseract, str) else ""
    if lack and settings.ocr == "force":
        raise SettingsError(lack)
    return Reading(
        limits_of(settings),
        settings.ocr,
        tesseract if isinstance(tesseract, Tesseract) else None,
        lack,
        settings.passwords,
    )


def drawing_of(settings: Settings) -> Reading:
    """How pages are to be drawn: no Tesseract is looked for."""
    return Reading(limits_of(settings), passwords=settings.passwords)


def limits_of(settings: Settings) -> FileLimits:
    """What a file may cost."""
    return FileLimits(settings.file_seconds, settings.file_memory_mb, settings.file_pages, settings.file_characters)

"""Votes on submission CSVs, as the settings have it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from answerer.ensemble import Ensemble, vote_files
from answerer.vote import Rules
from kohaku.settings import Settings


def rules(settings: Settings) -> Rules:
    """How votes are counted, by the settings."""
    return Rules(settings.vote, settings.blanks, settings.tiebreak)


def vote(
    runs: Sequence[str | Path], out: str | Path, settings: Settings, *, confidence: str | Path | None = None
) -> Ensemble:
    """Writes the submission that several make together; raises TableError where a file can't be used."""
    return vote_files(runs, out, rules(settings), confidence=confidence)

"""What an error is over HTTP."""

from __future__ import annotations

from kohaku.errors import (
    KohakuError,
    ModelError,
    ReadError,
    ReplacedStore,
    ReplyError,
    ScopeError,
    SettingsError,
    StoreBusy,
)


class Busy(KohakuError):
    """More waits than the server lets wait."""


class TooLarge(KohakuError):
    """A file is larger than the server takes."""


STATUS: tuple[tuple[type[KohakuError], int], ...] = (
    (Busy, 503),
    (StoreBusy, 503),
    (ReplacedStore, 503),
    (TooLarge, 413),
    (ScopeError, 422),
    (SettingsError, 422),
    (ReadError, 422),
    (ModelError, 502),
    (ReplyError, 502),
)
FAULT = "the question failed by a fault of kohaku: its log tells more"


def status_of(error: KohakuError) -> int:
    """The status of an error; 500 where the index or the program is at fault."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)

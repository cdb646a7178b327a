"""What can go wrong, as one tree; every message says what to do next.

KohakuError
├── SettingsError            a setting is unknown, missing or out of range
├── ProfileError             a profile can't be read, or breaks its schema
├── ScopeError               a search is kept to what can't be read, or is not there
├── StoreError               the index file
│   ├── NoSuchStore          there is none at that path
│   ├── NotAStore            the file belongs to another program, or is no database
│   ├── DamagedStore         truncated or malformed
│   ├── ForeignLog           what is beside it is another file's
│   ├── ReplacedStore        another file has taken its place since it was opened
│   ├── NewerStore           written by a newer version of this program
│   ├── WrongEmbedder        the vectors came from another embedder
│   └── StoreBusy            another process is writing
├── ReadError                a document can't be read
├── EmbedderError            an embedder can't be loaded, or failed
├── RerankerError            a reranker can't be loaded, or failed
├── ModelError               a chat model failed for good
│   ├── ContextTooLong       the prompt does not fit the model
│   ├── NoPictures           the model takes no pictures
│   └── NoAccess             the server will serve no call: a wrong key, no such model, no quota
│       └── CostLimit        what models may cost is spent
├── ReplyError               a model's reply can't be read, or breaks its schema
├── Abandoned                nobody waits for the answer any more
└── TableError               a questions, metadata or submission CSV can't be used
"""

from __future__ import annotations


class KohakuError(Exception):
    """Anything this program reports as one line."""


class SettingsError(KohakuError):
    """A setting is unknown, missing or out of range."""


class ProfileError(KohakuError):
    """A profile can't be read, or breaks its schema."""


class ScopeError(KohakuError):
    """A scope can't be read, or nothing is within it."""


class StoreError(KohakuError):
    """The index file can't be used."""


class NoSuchStore(StoreError):
    """There is no index file at a path."""

    def __init__(self, path: object) -> None:
        super().__init__(f"no index at {path}: make one with `kohaku index FOLDER --db {path}`")


class NotAStore(StoreError):
    """The file is not one of ours."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{path} is not a kohaku index (another program's file?): give another path to --db")


class DamagedStore(StoreError):
    """The file is truncated or malformed."""

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(
            f"{path} is damaged ({reason}): delete it, with {path}-wal and {path}-shm, and index again, "
            "or restore a copy"
        )


class ForeignLog(StoreError):
    """Changes that wait beside the file are of another one, which had its name before."""

    def __init__(self, path: object) -> None:
        super().__init__(
            f"{path}-wal holds changes of another index, which was {path} before: end what still reads or writes that "
            f"one; then put it back, or give up those changes and delete {path}-wal and {path}-shm"
        )


class ReplacedStore(StoreError):
    """Another file has taken the place of the one that is open."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{path} was replaced or removed while it was open: run the same again, on what is there now")


class NewerStore(StoreError):
    """The file was written by a newer version."""

    def __init__(self, path: object, found: int, known: int) -> None:
        super().__init__(f"{path} has schema {found}, this version knows up to {known}: upgrade kohaku")


class WrongEmbedder(StoreError):
    """The store's vectors came from another embedder."""

    def __init__(self, stored: str, asked: str) -> None:
        super().__init__(
            f"the index was built with embedder {stored}, not {asked}: "
            "use that one, or index again into another file with --db"
        )


class StoreBusy(StoreError):
    """Another process holds the write lock."""

    def __init__(self, path: object, writer: str) -> None:
        super().__init__(f"{path} is being written by {writer or 'another process'}: wait for it, then run again")


class ReadError(KohakuError):
    """A document can't be read."""


class EmbedderError(KohakuError):
    """An embedder can't be loaded, or failed."""


class RerankerError(KohakuError):
    """A reranker can't be loaded, or failed."""


class ModelError(KohakuError):
    """A chat model failed for good."""


class ContextTooLong(ModelError):
    """The prompt is longer than the model takes."""


class NoPictures(ModelError):
    """The model takes no pictures: ask without, or ask another."""


class NoAccess(ModelError):
    """The server will serve no call of ours: a wrong key, no such model, no quota. What follows would fail alike."""


class CostLimit(NoAccess):
    """The next call could cost more than is allowed."""


class ReplyError(KohakuError):
    """A model's reply can't be read, or breaks its schema."""


class Abandoned(KohakuError):
    """Nobody waits for the answer any more."""


class TableError(KohakuError):
    """A questions, metadata or submission CSV can't be used."""

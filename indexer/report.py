"""What an indexing run tells: how far it is, and what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: documents done of those that have to be read, and the one in hand."""

    done: int
    total: int
    current: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did: counts of documents (added, replaced, removed) and of files (skipped, duplicates).

    `gone` are files that are not there any more, whose documents stay without `prune`. `foreign` are ids of documents
    that are not in English, where the embedder knows no other language. `failed` and `notes` are (path, line) pairs,
    `readerless` counts the files of folders that no reader is for by suffix, `nodes` what the index holds now by kind.
    `captions` are pictures that a model has described, `uncaptioned` (figure, line) pairs of those where it failed.
    """

    added: int = 0
    replaced: int = 0
    skipped: int = 0
    removed: int = 0
    duplicates: int = 0
    gone: int = 0
    foreign: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    readerless: Mapping[str, int] = field(default_factory=dict)
    nodes: Mapping[str, int] = field(default_factory=dict)
    captions: int = 0
    uncaptioned: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0

    def __add__(self, later: Report) -> Report:
        """Both in one; what the index holds is said by the later, where it says it.

        >>> (Report(added=1, failed=(("a", "is empty"),)) + Report(added=1, skipped=2)).failed
        (('a', 'is empty'),)
        """
        return Report(
            added=self.added + later.added,
            replaced=self.replaced + later.replaced,
            skipped=self.skipped + later.skipped,
            removed=self.removed + later.removed,
            duplicates=self.duplicates + later.duplicates,
            gone=self.gone + later.gone,
            foreign=self.foreign + later.foreign,
            failed=self.failed + later.failed,
            notes=self.notes + later.notes,
            readerless=dict(Counter(self.readerless) + Counter(later.readerless)),
            nodes=later.nodes or self.nodes,
            captions=self.captions + later.captions,
            uncaptioned=self.uncaptioned + later.uncaptioned,
            seconds=self.seconds + later.seconds,
        )

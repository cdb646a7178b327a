"""What calls to models cost, by stage, and the limit that they stop before."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields

from kohaku.errors import CostLimit

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost: of the prompt, and of the reply."""

    prompt: float
    reply: float

    def of(self, prompt_tokens: float, reply_tokens: float) -> float:
        """The cost of so many tokens."""
        return (self.prompt * prompt_tokens + self.reply * reply_tokens) / MILLION


@dataclass(slots=True)
class Usage:
    """What was spent so far, in all and by stage: each is named as the schema that is asked for.

    `failures` are questions to the model that got no usable reply, `cached` those whose reply was known, `waited`
    seconds.
    """

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failures: int = 0
    waited: float = 0.0
    stages: dict[str, Usage] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def add(self, stage: str, **counts: float) -> None:
        """Adds to the counts named; safe from several threads."""
        with self._lock:
            for usage in (self, self.stages.setdefault(stage, Usage())):
                for name, count in counts.items():
                    setattr(usage, name, getattr(usage, name) + count)

    def join(self, other: Usage) -> None:
        """Adds another's counts, stage by stage."""
        for stage, spent in dict(other.stages).items():
            self.add(stage, **spent.counts)

    @property
    def counts(self) -> dict[str, float]:
        """The counts by name, without the stages."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("stages", "_lock")}

    def cost(self, price: Price | None) -> float | None:
        """What the tokens cost; None where the price is not known."""
        return price.of(self.prompt_tokens, self.completion_tokens) if price else None


class Purse:
    """What all models together may cost; any number of threads and clients pay from it. No limit: None."""

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._spent = 0.0
        self._held: list[float] = []  # what calls under way may cost at most
        self._changed = threading.Condition()

    @contextmanager
    def at_most(self, most: float) -> Iterator[list[float]]:
        """Room for a call that costs `most` at most: what it did cost is put into the list.

        Waits for calls under way where these may leave room: they mostly cost less than they could. Raises CostLimit
        where there is none.
        """
        with self._changed:
            while self._limit is not None and self._spent + sum(self._held) + most > self._limit:
                if not self._held or self._spent + most > self._limit:
                    raise CostLimit(
                        f"the next call could cost {most:.4g} and pass the limit of {self._limit:g}: "
                        "raise --max-cost and run the same command again, which goes on from here"
                    )
                self._changed.wait()
            self._held.append(most)
        paid: list[float] = []
        try:
            yield paid
        finally:
            with self._changed:
                self._spent += sum(paid)
                self._held.remove(most)
                self._changed.notify_all()

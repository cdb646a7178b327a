"""The course of one question: what the stages tell, as events for whoever waits, and kept as the answer's trace."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from answerer.answer import Answer
from kohaku.doors.searcher import Plan
from kohaku.doors.web.shapes import CallOut, DraftOut, EvidenceOut, PlanOut, Shape, TextOut, TraceOut, WaitOut
from kohaku.doors.web.telling import evidence_out, found_out, usage_out
from kohaku.replies import so_far
from kohaku.streaming import Called, Waiting, Written
from retriever.evidence import Evidence

SHOWN = frozenset({"answer", "draft", "refined"})
"""The schemas whose words are an answer in the making."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name, and what it says; an error has a status too."""

    name: str
    data: Shape
    status: int = 200


class Course:
    """A watcher (`kohaku.watch`) that turns steps into events; steps may come from several threads."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._turn = threading.Lock()
        self._plan: PlanOut | None = None
        self._rounds: list[EvidenceOut] = []
        self._calls: list[CallOut] = []
        self._written: dict[tuple[int, str], str] = {}
        self._leading: int | None = None  # of several calls that write at once one is shown

    def __call__(self, step: object) -> None:
        """One step of the stages; raises what `emit` raises."""
        with self._turn:
            match step:
                case Plan():
                    self._plan = PlanOut.model_validate(step, from_attributes=True)
                    self._emit(Event("planned", self._plan))
                case Evidence():
                    self._found(step)
                case Written():
                    self._wrote(step)
                case Called():
                    self._leave(step.call)
                    self._calls.append(CallOut.model_validate(step))
                    self._emit(Event("called", self._calls[-1]))
                case Waiting():
                    self._leading = None  # it may be the one that broke off
                    why = f"{step.model} is busy or was not reached ({step.stage})"
                    self._emit(Event("waiting", WaitOut(seconds=round(step.seconds, 2), why=why)))
                case Answer():
                    self._emit(Event("draft", DraftOut(text=step.text, value=step.value, is_blank=step.is_blank)))

    @property
    def trace(self) -> TraceOut:
        """What was told so far."""
        with self._turn:
            rounds, calls = list(self._rounds), list(self._calls)
            return TraceOut(plan=self._plan, rounds=rounds, calls=calls, usage=usage_out(calls))

    def _found(self, evidence: Evidence) -> None:
        self._rounds.append(evidence_out(evidence))
        if found := found_out(evidence):
            self._emit(Event("searched", found))
        self._emit(Event("evidence", self._rounds[-1]))

    def _leave(self, call: int) -> None:
        if call == self._leading:
            self._leading = None

    def _wrote(self, written: Written) -> None:
        """Tells what is new of each text in the reply; what is written before there is evidence is no answer."""
        if written.stage not in SHOWN or not self._rounds or self._leading not in (None, written.call):
            return
        self._leading = written.call
        for field, text in so_far(written.text).items():
            known = self._written.get((written.call, field), "")
            if text != known:
                self._written[written.call, field] = text
                goes_on = text.startswith(known)
                self._emit(
                    Event(
                        "text",
                        TextOut(
                            call=written.call,
                            stage=written.stage,
                            field=field,
                            text=text[len(known) :] if goes_on else text,
                            replace=not goes_on,
                        ),
                    )
                )

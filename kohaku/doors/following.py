"""A question followed on a terminal: its stages, and what a model writes, before the checked answer."""

from __future__ import annotations

from typing import TextIO

from kohaku.doors.display import one_line, plain
from kohaku.doors.web.course import Course, Event
from kohaku.doors.web.shapes import DraftOut, EvidenceOut, PlanOut, TextOut, WaitOut


class Follower(Course):
    """A watcher that writes to a stream; all of it is provisional."""

    def __init__(self, out: TextIO) -> None:
        super().__init__(self._show)
        self._out = out
        self._field: tuple[int, str] | None = None  # what the last words were part of

    def _show(self, event: Event) -> None:
        match event.data:
            case PlanOut(queries=queries):
                self._line(f"searching for {'; '.join(queries)}")
            case EvidenceOut(contexts=contexts):
                documents = len({context.document for context in contexts})
                self._line(f"reading {len(contexts)} pieces of {documents} documents")
            case TextOut():
                self._write(event.data)
            case WaitOut(seconds=seconds, why=why):
                self._line(f"{why}: again in {seconds:.1f} s")
            case DraftOut():
                self._line("checking")

    def _write(self, words: TextOut) -> None:
        if (words.call, words.field) != self._field or words.replace:
            self._line("")
            self._out.write(f"{words.field}: ")
            self._field = words.call, words.field
        self._out.write(plain(words.text))
        self._out.flush()

    def _line(self, line: str) -> None:
        """A line of its own, after whatever is being written."""
        if self._field is not None:
            self._out.write("\n")
            self._field = None
        if line:
            self._out.write(f"{one_line(line)}\n")
            self._out.flush()

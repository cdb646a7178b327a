"""A CSV's questions asked until all are answered, or asking again helps no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from answerer.answer import Answer, Question
from answerer.respond import Outcome, Sought, respond_several
from answerer.runs import Runs
from answerer.submission import Submission, row, sure
from kohaku.doors.display import Advance
from kohaku.doors.respondent import Respondent
from kohaku.doors.searcher import Plan
from kohaku.scope import Scope

PASSES = 4  # over the questions of a submission: a fault that one call in five meets is gone by then


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked: the questions' scope, the documents' metadata by id, and who is told of each outcome."""

    scope: Scope
    documents: Mapping[str, Mapping[str, str]]
    on_done: Callable[[Outcome], None]
    progress: Advance | None

    def tell(self, outcome: Outcome, left: int, total: int) -> None:
        """Tells of an outcome, after which so many questions are left."""
        if self.progress:
            self.progress(total - left, total, outcome.question.id)
        self.on_done(outcome)


def submit_once(respondent: Respondent, submission: Submission, asked: Asked) -> list[Outcome]:
    """Answers what a submission waits for; the outcomes that failed."""
    failed: dict[str, Outcome] = {}
    total = len(submission.waiting)

    def done(outcome: Outcome) -> None:
        if outcome.answer is None:
            failed[outcome.question.id] = outcome
        else:
            failed.pop(outcome.question.id, None)
            submission.add(row(outcome.answer, asked.documents), sure(outcome.answer))
        asked.tell(outcome, len(submission.waiting), total)

    def once() -> int:
        respondent.ask_all(submission.waiting, on_done=done, scope=asked.scope)
        return len(failed)

    _repeat(once, before=total)
    return list(failed.values())


def submit_several(respondent: Respondent, runs: Runs, asked: Asked) -> list[Outcome]:
    """Makes what readings are due of each question; the outcomes that failed and are still due."""
    respondent.prepare(asked.scope)
    sought: dict[str, Sought[Plan]] = {}
    failed: dict[tuple[str, int], Outcome] = {}
    waiting = {question.id: question for question in runs.questions if runs.due(question)}
    total = len(waiting)

    def read(question: Question, number: int) -> Answer:
        return respondent.read(question, sought[question.id], number)

    def done(outcome: Outcome) -> None:
        question, number = outcome.question, outcome.take or 0
        if outcome.answer is None:
            failed[question.id, number] = outcome
            runs.fail(question, number)
        else:
            failed.pop((question.id, number), None)
            runs.add(number, row(outcome.answer, asked.documents))
        if not runs.due(question):
            waiting.pop(question.id, None)
            sought.pop(question.id, None)
        asked.tell(outcome, len(waiting), total)

    def once() -> int:
        due = [question for question in runs.questions if runs.due(question)]
        for question in due:
            sought[question.id] = sought.get(question.id) or respondent.seek(question, asked.scope)
        respond_several(due, runs.due, read, concurrency=respondent.settings.concurrency, on_done=done)
        runs.forgive()
        for reading in [reading for reading, outcome in failed.items() if not runs.due(outcome.question)]:
            del failed[reading]
        return len(failed)

    _repeat(once, before=0)
    return list(failed.values())


def _repeat(once: Callable[[], int], *, before: int) -> None:
    """Asks again while something failed, and as much of it as before no more; `once` says how much did."""
    for _ in range(PASSES):
        failed = once()
        if failed in (0, before):
            return
        before = failed

"""The engine behind `kohaku.open(path)`: an index, the settings, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from answerer import extract, reader
from answerer.answer import Answer, Citation, Question
from answerer.pinpoint import pinpointed
from answerer.respond import Outcome, respond, respond_all
from answerer.submission import Submission, read_questions, row
from indexer.metadata import read_metadata
from kohaku import deadline
from kohaku.doors.display import Advance, evidence_object, json_line
from kohaku.doors.searcher import Searcher
from kohaku.scope import EVERYWHERE, Scope, admitted
from kohaku.tables import write_lines
from retriever.decompose import Part
from retriever.evidence import Evidence

PASSES = 4  # over the questions of a submission: a fault that one call in five meets is gone by then


class Engine(Searcher):
    """An index opened for questions; use it as a context manager, or call `close`."""

    def ask(
        self, question: str | Question, *, unit: str = "", scope: Scope = EVERYWHERE, explain: bool = False
    ) -> Answer:
        """An answer with its citations, or an abstention; from what is in the scope.

        With `explain` it brings the evidence that was read last, which says how it came about.
        """
        asked = question if isinstance(question, Question) else Question("", question, unit)
        with deadline.within(self.settings.deadline):
            planned = self.plan(asked.text)
            answer = respond(
                asked,
                lambda times: self._retrieve(asked.text, planned, times, scope=scope, explain=explain),
                self._read,
                retries=self.settings.retries,
                strict=self.settings.strict,
            )
        return replace(answer, citations=tuple(map(self._pinpointed, answer.citations)))

    def ask_all(
        self, questions: Sequence[Question], *, on_done: Callable[[Outcome], None], scope: Scope = EVERYWHERE
    ) -> None:
        """Answers many questions at once; a failed one is an outcome with an error, and stops no other."""
        _ = self.embedder, self.chat, self.planner, self.reranker  # made once, before threads want them
        if scope.names_documents:
            admitted(scope, self.store.documents())  # what is wrong with it is said once, and not for each question
        respond_all(questions, partial(self.ask, scope=scope), concurrency=self.settings.concurrency, on_done=on_done)

    def retrieve_to(
        self, questions: str | Path, out: str | Path, *, scope: Scope = EVERYWHERE, explain: bool = False
    ) -> None:
        """Writes the evidence for every question of a CSV, one JSON object a line; the file appears whole."""
        asked = read_questions(questions)
        found = ((one.id, self.retrieve(one.text, scope=scope, explain=explain)) for one in asked)
        write_lines(out, (json_line(evidence_object(id, evidence)) for id, evidence in found))

    def submit(
        self,
        questions: str | Path,
        out: str | Path,
        *,
        metadata: str | Path | None = None,
        restart: bool = False,
        scope: Scope = EVERYWHERE,
        on_done: Callable[[Outcome], None] = lambda outcome: None,
        progress: Advance | None = None,
    ) -> list[Outcome]:
        """Answers a CSV's questions into a submission CSV; the outcomes that failed, which the next run tries again.

        Rows that an earlier run finished are kept, unless `restart`. A killed run goes on where it was. What failed is
        asked again at the end, a few times, as long as that helps: faults of a busy server pass. Raises NoAccess, with
        the finished rows written, where the model's server takes no call at all.
        """
        documents = {document.id: document.metadata for document in self.store.documents()}
        if metadata is not None:
            documents |= read_metadata(metadata)
        failed: dict[str, Outcome] = {}
        with Submission(out, read_questions(questions), restart=restart) as submission:
            total = len(submission.waiting)

            def done(outcome: Outcome) -> None:
                if outcome.answer is None:
                    failed[outcome.question.id] = outcome
                else:
                    failed.pop(outcome.question.id, None)
                    submission.add(row(outcome.answer, documents))
                if progress:
                    progress(total - len(submission.waiting), total, outcome.question.id)
                on_done(outcome)

            for _ in range(PASSES):
                waiting = submission.waiting
                self.ask_all(waiting, on_done=done, scope=scope)
                if len(submission.waiting) in (0, len(waiting)):
                    break
        return list(failed.values())

    def _pinpointed(self, citation: Citation) -> Citation:
        return pinpointed(citation, self.store.subtree(citation.node))

    def _read(self, question: Question, evidence: Evidence) -> Answer:
        if self.chat is None:
            return extract.read(question, evidence)
        return reader.read(question, evidence, self.chat, order=self.settings.order)

    def _answer_part(self, part: Part, evidence: Evidence) -> str:
        answer = self._read(Question("", part.text), evidence)
        return "" if answer.is_blank else answer.value

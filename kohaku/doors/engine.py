"""The engine behind `kohaku.open(path)`: an index, the settings, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from answerer import check
from answerer.answer import Question
from answerer.respond import Outcome
from answerer.runs import Runs
from answerer.submission import Submission, read_questions
from answerer.synthesize import Report, Section, report, section
from indexer.metadata import read_metadata
from kohaku import deadline
from kohaku.doors.display import Advance, evidence_object, json_line
from kohaku.doors.notebook import Documents
from kohaku.doors.respondent import Respondent
from kohaku.doors.submitting import Asked, submit_once, submit_several
from kohaku.scope import EVERYWHERE, Scope
from kohaku.tables import write_lines
from retriever.decompose import Part


class Engine(Respondent):
    """An index opened for questions; use it as a context manager, or call `close`."""

    def documents(self) -> Documents:
        """The documents of the index, by id."""
        return Documents(self.store.documents())

    def report(self, question: str, *, scope: Scope = EVERYWHERE) -> Report:
        """The question's parts answered one by one, with conflicts, what is lacking, and a summary.

        A part may be split again in its turn, as any question is; one that needs an earlier answer gets it.
        """
        with deadline.within(self.settings.deadline):
            answers: dict[int, str] = {}
            sections: list[Section] = []
            for part in self.plan(question).parts or (Part(1, question),):
                found = self._section(part.filled(answers).text, scope)
                answers[part.id] = "" if found.answer.is_blank else found.answer.value
                sections.append(found)
            whole = sections[0].answer if len(sections) == 1 else self.ask(question, scope=scope)
            return self._checked(report(question, whole, sections, self.chat, self.profile), scope)

    def _checked(self, written: Report, scope: Scope) -> Report:
        """The report with a model's grades, and where these ask for it with one more section, on what is missing."""
        if self.checking is None:
            return written
        found = check.graded_report(
            written.question,
            written.findings,
            self.checking,
            profile=self.profile,
            on_failure=self._tell("self-check"),
        )
        if found is None or found.is_good or not found.queries:
            return replace(written, check=found)
        more = self._section(found.queries[0], scope)
        found = replace(found, read_again=True, replaced=not more.answer.is_blank)
        if more.answer.is_blank:
            return replace(written, check=found)
        sections = [*written.sections, more]
        return replace(report(written.question, written.answer, sections, self.chat, self.profile), check=found)

    def _section(self, question: str, scope: Scope) -> Section:
        """What a report says of one part of its question."""
        asked = Question("", question)
        sought = self.seek(asked, scope)
        answer = self._answer(asked, sought, concurrency=self.settings.concurrency)
        return section(answer, sought(1), self._rated)

    def retrieve_to(
        self,
        questions: str | Path,
        out: str | Path,
        *,
        scope: Scope = EVERYWHERE,
        explain: bool = False,
        progress: Advance | None = None,
    ) -> int:
        """Writes the evidence for every question of a CSV, one JSON object a line; how many there are.

        The file appears whole.
        """
        asked = read_questions(questions)

        def lines() -> Iterator[str]:
            for done, one in enumerate(asked, start=1):
                yield json_line(evidence_object(one.id, self.retrieve(one.text, scope=scope, explain=explain)))
                if progress:
                    progress(done, len(asked), one.id)

        write_lines(out, lines())
        return len(asked)

    def submit(
        self,
        questions: str | Path,
        out: str | Path,
        *,
        metadata: str | Path | Mapping[str, Mapping[str, str]] | None = None,
        restart: bool = False,
        confidence: str | Path | None = None,
        scope: Scope = EVERYWHERE,
        on_done: Callable[[Outcome], None] = lambda outcome: None,
        progress: Advance | None = None,
    ) -> list[Outcome]:
        """Answers a CSV's questions into a submission CSV; the outcomes that failed, which the next run tries again.

        Rows that an earlier run finished are kept, unless `restart`. A killed run goes on where it was. What failed is
        asked again at the end, a few times, as long as that helps: faults of a busy server pass. Raises NoAccess, with
        the finished rows written, where the model's server takes no call at all.

        Of several readings each is kept (see `answerer.runs`), and their vote is what is written. `metadata` is a CSV,
        or what one holds. `confidence` is a second CSV: how sure each answer is, or how far several readings agree.
        """
        documents = {document.id: document.metadata for document in self.store.documents()}
        if metadata is not None:
            documents |= metadata if isinstance(metadata, Mapping) else read_metadata(metadata)
        asked = Asked(scope, documents, on_done, progress)
        rows = read_questions(questions)
        if len(self.takes) > 1:
            with Runs(out, rows, self.takes, self.rules, restart=restart, confidence=confidence) as runs:
                return submit_several(self, runs, asked)
        with Submission(out, rows, restart=restart, confidence=confidence) as submission:
            return submit_once(self, submission, asked)

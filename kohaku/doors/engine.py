"""The engine behind `kohaku.open(path)`: an index, the settings, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

from answerer import check, extract, reader, refine
from answerer.answer import Answer, Citation, Question
from answerer.confidence import rated
from answerer.pictures import Picture
from answerer.pinpoint import pinpointed
from answerer.respond import Better, Outcome, Sought, respond, respond_all, respond_several
from answerer.runs import Runs
from answerer.submission import Submission, read_questions, row, sure
from answerer.synthesize import Report, Section, report, section
from answerer.takes import Take, cast, next_takes, takes, together
from answerer.vote import Rules
from indexer.metadata import read_metadata
from kohaku import deadline, watch
from kohaku.chat import OpenAIChat
from kohaku.doors.display import Advance, evidence_object, json_line
from kohaku.doors.notebook import Documents
from kohaku.doors.searcher import Plan, Searcher, log
from kohaku.errors import KohakuError
from kohaku.images import shown
from kohaku.scope import EVERYWHERE, Scope, admitted
from kohaku.tables import write_lines
from retriever.decompose import Part
from retriever.evidence import Context, Evidence
from retriever.retrieve import Limits

PICTURES = 0.5  # of the budget: with more of it for pictures too little is left for words
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
        return self._ask(asked, scope, explain=explain, concurrency=self.settings.concurrency)

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
        sought = self._seek(asked, scope)
        answer = self._answer(asked, sought, concurrency=self.settings.concurrency)
        return section(answer, sought(1), self._rated)

    def ask_all(
        self, questions: Sequence[Question], *, on_done: Callable[[Outcome], None], scope: Scope = EVERYWHERE
    ) -> None:
        """Answers many questions at once; a failed one is an outcome with an error, and stops no other."""
        self._prepare(scope)
        ask = partial(self._ask, scope=scope, concurrency=1)  # threads enough: the questions have one each
        respond_all(questions, ask, concurrency=self.settings.concurrency, on_done=on_done)

    def retrieve_to(
        self,
        questions: str | Path,
        out: str | Path,
        *,
        scope: Scope = EVERYWHERE,
        explain: bool = False,
        progress: Advance | None = None,
    ) -> None:
        """Writes the evidence for every question of a CSV, one JSON object a line; the file appears whole."""
        asked = read_questions(questions)

        def lines() -> Iterator[str]:
            for done, one in enumerate(asked, start=1):
                yield json_line(evidence_object(one.id, self.retrieve(one.text, scope=scope, explain=explain)))
                if progress:
                    progress(done, len(asked), one.id)

        write_lines(out, lines())

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
        if len(self.takes) > 1:
            asked = read_questions(questions)
            with Runs(out, asked, self.takes, self.rules, restart=restart, confidence=confidence) as runs:
                return self._submit_several(runs, documents, scope, on_done, progress)
        failed: dict[str, Outcome] = {}
        with Submission(out, read_questions(questions), restart=restart, confidence=confidence) as submission:
            total = len(submission.waiting)

            def done(outcome: Outcome) -> None:
                if outcome.answer is None:
                    failed[outcome.question.id] = outcome
                else:
                    failed.pop(outcome.question.id, None)
                    submission.add(row(outcome.answer, documents), sure(outcome.answer))
                if progress:
                    progress(total - len(submission.waiting), total, outcome.question.id)
                on_done(outcome)

            for _ in range(PASSES):
                waiting = submission.waiting
                self.ask_all(waiting, on_done=done, scope=scope)
                if len(submission.waiting) in (0, len(waiting)):
                    break
        return list(failed.values())

    @cached_property
    def takes(self) -> tuple[Take, ...]:
        """The readings by models that a question gets; none where another reader makes the only one."""
        settings = self.settings
        if self.own.reader is not None or not settings.readers:
            if settings.readings > 1:
                who = "the reader that was given" if self.own.reader else "the built-in reader"
                log.warning("%d readings by %s would be the same: it makes one", settings.readings, who)
            return ()
        return takes(
            settings.readings,
            settings.readers,
            temperature=settings.temperature,
            others_temperature=settings.runs_temperature,
            seed=settings.seed,
            order=settings.order,
        )

    @property
    def rules(self) -> Rules:
        """How the readings vote: of equal votes the first reading's is the most careful one."""
        return Rules(self.settings.vote, self.settings.blanks, self.settings.tiebreak or "first")

    @cached_property
    def readers(self) -> dict[str, OpenAIChat]:
        """The models that read, by name."""
        return {name: self.models.chat(name) for name in self.settings.readers}

    def _clients(self) -> list[OpenAIChat]:
        readers: dict[str, OpenAIChat] = self.__dict__.get("readers", {})
        checking = self.__dict__.get("checking")
        mine = (*readers.values(), *([checking] if checking else ()))
        return list({id(client): client for client in (*super()._clients(), *mine)}.values())

    def _load(self) -> None:
        """Makes what threads will want, before they do."""
        _ = (
            self.embedder,
            self.chat,
            self.planner,
            self.filtering,
            self.reranker,
            self.takes,
            self.readers,
            self._examples,
        )

    def _prepare(self, scope: Scope) -> None:
        """Makes what threads will want; raises ScopeError here where the scope is wrong, and not for each question."""
        self._load()
        if scope.names_documents:
            admitted(scope, self.store.documents())

    def _ask(self, asked: Question, scope: Scope, *, concurrency: int, explain: bool = False) -> Answer:
        return self._answer(asked, self._seek(asked, scope, explain=explain), concurrency=concurrency)

    def _answer(self, asked: Question, sought: Sought[Plan], *, concurrency: int) -> Answer:
        """The answer from what is sought: of several readings that of their vote."""
        if len(self.takes) < 2:
            return self._respond(asked, sought, 0)
        self._load()
        answers: dict[int, Answer] = {}
        failures: dict[int, KohakuError] = {}

        def done(outcome: Outcome) -> None:
            number = outcome.take or 0
            if outcome.answer is not None:
                answers[number] = outcome.answer
            elif outcome.error is not None:
                failures[number] = outcome.error

        def due(question: Question) -> list[int]:
            return next_takes(cast(answers), answers.keys() | failures.keys(), len(self.takes), self.rules)

        with deadline.within(self.settings.deadline):
            respond_several(
                [asked],
                due,
                lambda question, number: self._respond(question, sought, number),
                concurrency=concurrency,
                on_done=done,
            )
        if not answers:
            raise failures[min(failures)]
        return together(asked, answers, self.rules)

    def _submit_several(
        self,
        runs: Runs,
        documents: Mapping[str, Mapping[str, str]],
        scope: Scope,
        on_done: Callable[[Outcome], None],
        progress: Advance | None,
    ) -> list[Outcome]:
        self._prepare(scope)
        sought: dict[str, Sought[Plan]] = {}
        failed: dict[tuple[str, int], Outcome] = {}
        waiting = {question.id: question for question in runs.questions if runs.due(question)}
        total = len(waiting)

        def respond_one(question: Question, number: int) -> Answer:
            return self._respond(question, sought[question.id], number)

        def done(outcome: Outcome) -> None:
            question, number = outcome.question, outcome.take or 0
            if outcome.answer is None:
                failed[question.id, number] = outcome
                runs.fail(question, number)
            else:
                failed.pop((question.id, number), None)
                runs.add(number, row(outcome.answer, documents))
            if not runs.due(question):
                waiting.pop(question.id, None)
                sought.pop(question.id, None)
            if progress:
                progress(total - len(waiting), total, question.id)
            on_done(outcome)

        for _ in range(PASSES):
            before = len(failed)
            asked = [question for question in runs.questions if runs.due(question)]
            sought = {question.id: sought.get(question.id) or self._seek(question, scope) for question in asked}
            respond_several(asked, runs.due, respond_one, concurrency=self.settings.concurrency, on_done=done)
            runs.forgive()
            failed = {reading: outcome for reading, outcome in failed.items() if runs.due(outcome.question)}
            if len(failed) in (0, before):
                break
        return list(failed.values())

    def _seek(self, asked: Question, scope: Scope, *, explain: bool = False) -> Sought[Plan]:
        return Sought(
            lambda: self.plan(asked.text),
            lambda planned, times, more: self._retrieve(
                asked.text, planned.further(more), times, scope=scope, explain=explain
            ),
            lambda queries: self._find(queries[0], Plan(tuple(queries)), self._narrow, scope=scope),
        )

    def _respond(self, asked: Question, sought: Sought[Plan], number: int) -> Answer:
        settings = self.settings
        with deadline.within(settings.deadline):
            answer = respond(
                asked,
                sought,
                self._told(self._reader(number)),
                retries=settings.retries,
                strict=settings.strict,
                rate=rated,
                least=self._least,
                room=settings.budget,
                share=settings.first_share if self.takes else 1.0,
                better=self._better(asked, sought),
            )
        return replace(answer, citations=tuple(map(self._pinpointed, answer.citations)))

    @cached_property
    def checking(self) -> OpenAIChat | None:
        """The model that grades drafts; None where none does."""
        settings = self.settings
        return self._chat(settings.check_model or settings.first_model) if settings.self_check else None

    def _better(self, asked: Question, sought: Sought[Plan]) -> Better:
        """What has an answer graded, and read once more after a narrower search where the grades ask for it."""
        chat = self.checking
        if chat is None:
            return lambda answer, evidence, read: answer
        tell, profile = self._tell("self-check"), self.profile
        return lambda answer, evidence, read: check.bettered(
            answer,
            evidence,
            lambda draft, contexts: check.graded(
                asked,
                draft,
                contexts,
                chat,
                profile=profile,
                pictures=self._pictures(contexts) if chat.takes_images else (),
                room=self.settings.budget,
                on_failure=tell,
            ),
            sought.narrowly,
            read,
        )

    @property
    def _narrow(self) -> Limits:
        """How far to look for the little that is missing."""
        return Limits(self.settings.top_k, max(1, self.settings.budget // 2))

    @staticmethod
    def _told(read: Callable[[Question, Evidence], Answer]) -> Callable[[Question, Evidence], Answer]:
        """The reader, whose every reading a watcher sees before it is rated."""

        def reading(question: Question, evidence: Evidence) -> Answer:
            answer = read(question, evidence)
            watch.tell(answer)
            return answer

        return reading

    @property
    def _least(self) -> float:
        """The confidence below which an answer is not given."""
        if self.settings.min_confidence is not None:
            return self.settings.min_confidence
        return 0.0 if self.takes or self.own.reader else extract.LEAST

    def _pinpointed(self, citation: Citation) -> Citation:
        return pinpointed(citation, self.store.subtree(citation.node))

    @cached_property
    def _examples(self) -> tuple[refine.Example, ...]:
        """The user's examples of the form of answers."""
        return refine.read_examples(self.settings.examples) if self.settings.examples else ()

    def _reader(self, number: int) -> Callable[[Question, Evidence], Answer]:
        """What makes a reading of a question."""
        if self.own.reader is not None:
            return self.own.reader
        if not self.takes:
            return extract.read
        take = self.takes[number]
        chat = self.readers[take.model].varied(temperature=take.temperature, seed=take.seed)
        read = partial(reader.read, chat=chat, order=take.order, profile=self.profile, room=self.settings.budget)
        if self.settings.passes == 2:
            twice = partial(refine.read_twice, examples=self._examples, citing=self.planner)
            read = partial(twice, chat=chat, order=take.order, profile=self.profile, room=self.settings.budget)
        return lambda question, evidence: read(
            question, evidence, pictures=self._pictures(evidence.contexts) if chat.takes_images else ()
        )

    def _pictures(self, contexts: Sequence[Context]) -> tuple[Picture, ...]:
        """The figures among contexts with their pictures, the best first, none twice, as many as are wanted."""
        found: dict[str, Picture] = {}
        for context in contexts if self.settings.images else ():
            for node in self.store.subtree(context.node):
                spent = sum(one.tokens for one in found.values())
                if len(found) == self.settings.images or spent > self.settings.budget * PICTURES:
                    return tuple(found.values())
                if node.image and node.image not in found and (held := shown(self.store.image(node.image) or b"")):
                    found[node.image] = Picture(
                        node.document,
                        node.id,
                        context.node,
                        node.pages,
                        node.text,
                        held.image,
                        held.tokens,
                        node.boxes,
                    )
        return tuple(found.values())

    def _rated(self, question: Question, evidence: Evidence) -> Answer:
        return rated(self._reader(0)(question, evidence), evidence)

    def _answer_part(self, part: Part, evidence: Evidence) -> str:
        answer = self._reader(0)(Question("", part.text), evidence)
        return "" if answer.is_blank else answer.value

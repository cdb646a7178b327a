"""An index opened for answering: one question, read as often and as closely as the settings say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial

from answerer import check, extract, reader, refine
from answerer.answer import Answer, Citation, Question
from answerer.confidence import rated
from answerer.conflicts import contested
from answerer.pictures import Picture
from answerer.pinpoint import pinpointed
from answerer.respond import Better, Outcome, Sought, respond, respond_all, respond_several
from answerer.takes import Take, cast, next_takes, takes, together
from answerer.vote import Rules
from kohaku import deadline, watch
from kohaku.chat import OpenAIChat
from kohaku.doors.searcher import Plan, Searcher, log
from kohaku.errors import KohakuError
from kohaku.images import shown
from kohaku.scope import EVERYWHERE, Scope, admitted
from retriever.decompose import Part
from retriever.evidence import Context, Evidence
from retriever.retrieve import Limits

PICTURES = 0.5  # of the budget: with more of it for pictures too little is left for words


class Respondent(Searcher):
    """A searcher that answers what it is asked; use it as a context manager, or call `close`."""

    def ask(
        self, question: str | Question, *, unit: str | None = None, scope: Scope = EVERYWHERE, explain: bool = False
    ) -> Answer:
        """An answer with its citations, or an abstention; from what is in the scope.

        With `explain` it brings the evidence that was read last, which says how it came about.
        """
        asked = question if isinstance(question, Question) else Question("", question, unit or "")
        return self._ask(asked, scope, explain=explain, concurrency=self.settings.concurrency)

    def ask_all(
        self, questions: Sequence[Question], *, on_done: Callable[[Outcome], None], scope: Scope = EVERYWHERE
    ) -> None:
        """Answers many questions at once; a failed one is an outcome with an error, and stops no other."""
        self.prepare(scope)
        ask = partial(self._ask, scope=scope, concurrency=1)  # threads enough: the questions have one each
        respond_all(questions, ask, concurrency=self.settings.concurrency, on_done=on_done)

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

    def prepare(self, scope: Scope) -> None:
        """Makes what threads will want; raises ScopeError here where the scope is wrong, and not for each question."""
        self._load()
        if scope.names_documents:
            admitted(scope, self.store.documents())

    def _ask(self, asked: Question, scope: Scope, *, concurrency: int, explain: bool = False) -> Answer:
        return self._answer(asked, self.seek(asked, scope, explain=explain), concurrency=concurrency)

    def _answer(self, asked: Question, sought: Sought[Plan], *, concurrency: int) -> Answer:
        """The answer from what is sought: of several readings that of their vote."""
        if len(self.takes) < 2:
            return self.read(asked, sought, 0)
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
                lambda question, number: self.read(question, sought, number),
                concurrency=concurrency,
                on_done=done,
            )
        if not answers:
            raise failures[min(failures)]
        return together(asked, answers, self.rules)

    def seek(self, asked: Question, scope: Scope, *, explain: bool = False) -> Sought[Plan]:
        """What will be found for a question, once a reading wants it."""
        return Sought(
            lambda: self.plan(asked.text),
            lambda planned, times, more: self._retrieve(
                asked.text, planned.further(more), times, scope=scope, explain=explain
            ),
            lambda queries: self._find(queries[0], Plan(tuple(queries)), self._narrow, scope=scope),
        )

    def read(self, asked: Question, sought: Sought[Plan], number: int) -> Answer:
        """One reading of a question."""
        settings = self.settings
        with deadline.within(settings.deadline):
            answer = respond(
                asked,
                sought,
                self._told(self._reader(number)),
                retries=settings.retries,
                strict=settings.strict,
                rate=self._rate,
                doubt=contested,
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

        def better(answer: Answer, evidence: Evidence, read: Callable[[Evidence], Answer]) -> Answer:
            pictures = () if answer.is_blank else self._pictures(evidence.contexts)
            grade = partial(
                check.graded,
                chat=chat,
                profile=profile,
                pictures=pictures if chat.takes_images else (),
                room=self.settings.budget,
                on_failure=tell,
            )
            return check.bettered(answer, evidence, partial(grade, asked), sought.narrowly, read, pictures)

        return better

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
        return self._rate(self._reader(0)(question, evidence), evidence)

    def _rate(self, answer: Answer, evidence: Evidence) -> Answer:
        return rated(answer, evidence, by_model=bool(self.takes) or self.own.reader is not None)

    def _answer_part(self, part: Part, evidence: Evidence) -> str:
        answer = self._reader(0)(Question("", part.text), evidence)
        return "" if answer.is_blank else answer.value

"""The command line: each command reads its options, makes one call, prints."""

from __future__ import annotations

import logging
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kohaku.choices import Blanks, Condense, Decompose, Fusion, OcrMode, Order, ParagraphVectors, Tiebreak, VoteMode
from kohaku.errors import KohakuError, ReadError, ScopeError

if TYPE_CHECKING:
    from kohaku.scope import Scope
    from kohaku.settings import Settings
    from retriever.evidence import Evidence

app = typer.Typer(
    name="kohaku",
    help="Questions over your documents, answered with evidence that can be checked, or not at all.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    rich_markup_mode=None,  # rich takes longer to load than all else that help and a wrong option need
    pretty_exceptions_enable=False,
)

Db = Annotated[Path | None, typer.Option("--db", help="The index file.", show_default="KOHAKU_DB, else kohaku.db")]
Config = Annotated[Path | None, typer.Option("--config", help="A settings file.", show_default="kohaku.toml here")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]
EmbedderName = Annotated[
    str | None,
    typer.Option("--embedder", help="default, a sentence-transformers name or path, or openai:MODEL."),
]
Budget = Annotated[int | None, typer.Option("--budget", min=1, help="Tokens of evidence.")]
TopK = Annotated[int | None, typer.Option("--top-k", min=1, help="Hits a query and list.")]
Queries = Annotated[int | None, typer.Option("--queries", min=1, help="Queries a question.")]
FusionName = Annotated[Fusion | None, typer.Option("--fusion", help="How rankings become one.")]
DecomposeHow = Annotated[
    Decompose | None,
    typer.Option("--decompose", help="Questions in parts: where they show some, wherever a model finds some, never."),
]
CondenseHow = Annotated[
    Condense | None,
    typer.Option("--condense", help="Long paragraphs in their best sentences: for questions in other words, always."),
]
Hyde = Annotated[
    bool | None,
    typer.Option("--hyde/--no-hyde", help="A model imagines a passage to search by.", show_default="no-hyde"),
]
SourceFilter = Annotated[
    bool | None,
    typer.Option("--source-filter/--no-source-filter", help="A model chooses documents.", show_default="no"),
]
SectionFilter = Annotated[
    bool | None,
    typer.Option("--section-filter/--no-section-filter", help="A model chooses sections.", show_default="no"),
]
Model = Annotated[str | None, typer.Option("--model", help="Chat model; without one the built-in reader answers.")]
PlannerModel = Annotated[
    str | None,
    typer.Option("--planner-model", help="Chat model that plans, splits and filters.", show_default="the model"),
]
BaseUrl = Annotated[str | None, typer.Option("--base-url", help="OpenAI-compatible server.")]
Concurrency = Annotated[int | None, typer.Option("--concurrency", min=1, help="Questions, or figures, at once.")]
ReplyCache = Annotated[
    bool | None,
    typer.Option("--reply-cache/--no-cache", help="Ask a model nothing twice.", show_default="reply-cache"),
]
Retries = Annotated[int | None, typer.Option("--retries", min=0, help="Readings with more evidence after a blank.")]
MinConfidence = Annotated[
    float | None, typer.Option("--min-confidence", min=0, max=1, help="Abstain below it.", show_default="0")
]
Strict = Annotated[
    bool | None,
    typer.Option(
        "--strict/--no-strict", help="Abstain where the value follows from no evidence.", show_default="no-strict"
    ),
]
Password = Annotated[
    list[str] | None, typer.Option("--password", help="Of files that need one; repeat it to try several.")
]
Ocr = Annotated[
    OcrMode | None,
    typer.Option("--ocr", help="Tesseract reads pages without text (auto), all (force), none.", show_default="auto"),
]
OcrLanguage = Annotated[
    str | None, typer.Option("--ocr-language", help="Tesseract's name of it: eng, eng+deu.", show_default="eng")
]
Metadata = Annotated[Path | None, typer.Option("--metadata", help="CSV: id,title,type,year,citation,url.")]
Runs = Annotated[
    int | None, typer.Option("--runs", min=1, help="Readings a question, then a vote.", show_default="one a model")
]
Models = Annotated[
    str | None, typer.Option("--models", help="Chat models that read by turns, between commas.", show_default="--model")
]
VoteName = Annotated[VoteMode | None, typer.Option("--vote", help="How readings become one.", show_default="weighted")]
VoteBlanks = Annotated[
    Blanks | None,
    typer.Option(
        "--blanks", help="When abstentions win: as most of all, as a value like any, never.", show_default="by mode"
    ),
]
VoteTiebreak = Annotated[
    Tiebreak | None,
    typer.Option("--tiebreak", help="What a tie gives: the first run's value, or a blank.", show_default="by mode"),
]
Confidence = Annotated[
    Path | None, typer.Option("--confidence", help="CSV to write: id, confidence, and what that rests on.")
]
Questions = Annotated[Path | None, typer.Option("--questions", help="CSV with id,question (and answer_unit).")]
RerankerName = Annotated[
    str | None, typer.Option("--reranker", help="A CrossEncoder's name or path, llm, or llm:MODEL.")
]
RerankTop = Annotated[int | None, typer.Option("--rerank-top", min=1, help="Finds that a reranker looks at.")]
PromptOrder = Annotated[Order | None, typer.Option("--order", help="How evidence stands in a model's prompt.")]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", help="Only documents whose metadata says so: year>=2023, type=paper, title~water; repeat."),
]
Docs = Annotated[list[str] | None, typer.Option("--doc", help="Only documents of these ids; * and ? allowed; repeat.")]
NotDocs = Annotated[list[str] | None, typer.Option("--not-doc", help="No documents of these ids; repeat.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", help="Only evidence of these kinds: table, section, figure, list, …; repeat."),
]
Explain = Annotated[bool, typer.Option("--explain", help="Say why each piece of evidence is there, and what is not.")]


INTERRUPTED = 130


def main() -> None:
    """Runs the command line; an expected error is one line on stderr and exit status 1."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    _speak_utf8()
    # pydantic would look for plugins, of which we use none, in the metadata of every installed package
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # here a full disk is an error of ours, at Python's end a riddle
    except KohakuError as error:
        _fail(str(error))
    except BrokenPipeError:  # the reader of our output left: nothing more to say to it
        _stop_writing()
        sys.exit(1)
    except OSError as error:  # of the machine: no room on the disk, a folder that can't be made
        _stop_writing()
        _fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))
    except (KeyboardInterrupt, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != INTERRUPTED:
            raise
        # mostly typer has caught the interrupt, and said nothing
        _say("stopped: what is finished is kept; run the same command again to go on")
        sys.exit(INTERRUPTED)


class _OneLine(logging.Formatter):
    """Warnings as lines that act on no terminal."""

    def format(self, record: logging.LogRecord) -> str:
        from kohaku.doors.display import one_line

        return one_line(super().format(record))


def _say(line: str) -> None:
    """One line for the user on stderr, where all goes that is no result."""
    from kohaku.doors.display import one_line

    typer.echo(one_line(line), err=True)


def _fail(line: str) -> None:
    _say(f"error: {line}")
    sys.exit(1)


def _speak_utf8() -> None:
    """Output is UTF-8 whatever the locale; what it can't hold is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _stop_writing() -> None:
    """What still waits to be written goes nowhere: at its end Python would try once more, and complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(version("kohaku"))
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command()
def index(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders: pdf, docx, pptx, html, md, txt, json.")],
    db: Db = None,
    metadata: Metadata = None,
    embedder: EmbedderName = None,
    dimensions: Annotated[int | None, typer.Option(min=1, help="Keep this many dimensions (Matryoshka).")] = None,
    device: Annotated[str | None, typer.Option(help="auto, cpu, cuda or mps.")] = None,
    paragraph_vectors: Annotated[ParagraphVectors | None, typer.Option(help="How a paragraph gets its vector.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=0, help="Processes that read files.", show_default="one a core")
    ] = None,
    ocr: Ocr = None,
    ocr_language: OcrLanguage = None,
    password: Password = None,
    captions: Annotated[
        bool | None,
        typer.Option("--captions/--no-captions", help="A model describes figures.", show_default="no-captions"),
    ] = None,
    caption_model: Annotated[
        str | None, typer.Option("--caption-model", help="Chat model that sees pictures.", show_default="the model")
    ] = None,
    base_url: BaseUrl = None,
    reply_cache: ReplyCache = None,
    concurrency: Concurrency = None,
    prune: Annotated[bool, typer.Option("--prune", help="Drop documents whose files are gone.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Read unchanged files again too.")] = False,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Index files and folders; unchanged files are skipped.

    Example: kohaku index papers --db papers.db --metadata papers/metadata.csv
    """
    from kohaku.doors.display import outcomes, progress_bar, report_lines
    from kohaku.doors.indexing import index as run

    settings = _settings(
        config,
        db=db,
        embedder=embedder,
        dimensions=dimensions,
        device=device,
        paragraph_vectors=paragraph_vectors,
        workers=workers,
        ocr=ocr,
        ocr_language=ocr_language,
        password=password or None,
        captions=captions,
        caption_model=caption_model,
        base_url=base_url,
        reply_cache=reply_cache,
        concurrency=concurrency,
    )
    _refuse(caption_model and not settings.captions, "--caption-model goes with --captions")
    with progress_bar() as advance:
        report = run(
            paths,
            settings,
            metadata=metadata,
            prune=prune,
            force=force,
            progress=(lambda at: advance(at.done, at.total, at.current)) if advance else None,
        )
    for line in report_lines(report, settings.db):
        _say(line)
    if as_json:
        _print_json(asdict(report))
    if not sum(outcomes(report).values()):
        raise KohakuError(f"no file to read in {', '.join(map(str, paths))}: `kohaku index -h` names the formats")
    if report.failed or report.uncaptioned:
        raise typer.Exit(1)


@app.command()
def parse(
    file: Annotated[Path, typer.Argument(help="A document.")],
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write the tree beside its pages' pictures as one HTML file; - prints it."),
    ] = None,
    pages: Annotated[
        str | None, typer.Option("--pages", help="For --html: 1-20, 3 or 1-4,9-.", show_default="the first 50")
    ] = None,
    ocr: Ocr = None,
    ocr_language: OcrLanguage = None,
    password: Password = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show the tree of one file; nothing is stored.

    Example: kohaku parse paper.pdf --html paper.html
    """
    from kohaku.doors.display import tree_lines, tree_objects
    from kohaku.doors.indexing import page_of, tree_of

    if html is None:
        _refuse(pages, "--pages goes with --html: it says of which pages pictures are drawn")
    else:
        _refuse(as_json, "--json and --html are two forms of one tree: give one of them")
        _spare(html, file)
    if file.is_dir():
        raise KohakuError(f"{file} is a folder: give one file, or `kohaku index {file}`")
    settings = _settings(config, ocr=ocr, ocr_language=ocr_language, password=password or None)
    try:
        tree, notes = tree_of(file, settings)
    except ReadError as error:
        raise ReadError(f"{file}: {error}") from None
    for note in notes:
        _say(f"{file}: {note}")
    if html is not None:
        page = page_of(file, tree, notes, settings, pages)
        if str(html) == "-":
            typer.echo(page)
        else:
            html.write_text(page, encoding="utf-8")
            _say(f"wrote {html}")
    elif as_json:
        for part in tree_objects(tree.nodes):
            _print_json(part)
    else:
        for line in tree_lines(tree.nodes):
            typer.echo(line)


@app.command()
def retrieve(
    question: Annotated[str | None, typer.Argument(help="A question.")] = None,
    db: Db = None,
    questions: Questions = None,
    out: Annotated[Path | None, typer.Option("--out", help="JSONL file, one object a question.")] = None,
    budget: Budget = None,
    top_k: TopK = None,
    queries: Queries = None,
    fusion: FusionName = None,
    reranker: RerankerName = None,
    rerank_top: RerankTop = None,
    decompose: DecomposeHow = None,
    condense: CondenseHow = None,
    hyde: Hyde = None,
    source_filter: SourceFilter = None,
    section_filter: SectionFilter = None,
    where: Where = None,
    doc: Docs = None,
    not_doc: NotDocs = None,
    kind: Kinds = None,
    embedder: EmbedderName = None,
    planner_model: PlannerModel = None,
    base_url: BaseUrl = None,
    reply_cache: ReplyCache = None,
    explain: Explain = False,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show the evidence for a question, best first, or write it for all questions of a CSV.

    Example: kohaku retrieve "How much water did the site use?" --db papers.db --budget 2000
    """
    settings = _settings(
        config,
        db=db,
        budget=budget,
        top_k=top_k,
        queries=queries,
        fusion=fusion,
        reranker=reranker,
        rerank_top=rerank_top,
        decompose=decompose,
        condense=condense,
        hyde=hyde,
        source_filter=source_filter,
        section_filter=section_filter,
        embedder=embedder,
        planner_model=planner_model,
        base_url=base_url,
        reply_cache=reply_cache,
    )
    if (question is None) == (questions is None) or (questions is None) != (out is None):
        raise typer.BadParameter("give a QUESTION, or --questions CSV with --out FILE.jsonl")
    _refuse_empty(question)
    _refuse(rerank_top and settings.reranker is None, "--rerank-top goes with --reranker")
    if questions is not None:
        _refuse(as_json, "--json is for one QUESTION: --questions writes JSON lines to --out")
    scope = _scope(where, doc, not_doc, kind)
    _spare(out, settings.db, questions)
    from kohaku.store import Store

    if question is not None:
        from kohaku.doors.display import context_lines, evidence_object
        from kohaku.doors.searcher import Searcher

        with Searcher(Store.open(settings.db), settings) as searcher:
            evidence = searcher.retrieve(_typed(question), scope=scope, explain=explain)
        if not evidence.contexts:
            _say(f"nothing was found within {scope}" if str(scope) else "nothing was found")
        if as_json:
            _print_json(evidence_object("", evidence))
        elif explain:
            _explain(evidence)
        else:
            for line in context_lines(evidence):
                typer.echo(line)
    elif questions is not None and out is not None:
        from kohaku.doors.engine import Engine

        with Engine(Store.open(settings.db), settings) as engine:
            engine.retrieve_to(questions, out, scope=scope, explain=explain)
        _say(f"wrote {out}")


@app.command()
def answer(
    question: Annotated[str | None, typer.Argument(help="A question.")] = None,
    db: Db = None,
    questions: Questions = None,
    out: Annotated[Path | None, typer.Option("--out", help="The submission CSV.")] = None,
    unit: Annotated[str, typer.Option("--unit", help="The unit the answer should have.")] = "",
    metadata: Metadata = None,
    resume: Annotated[bool, typer.Option("--resume/--restart", help="Go on with missing rows, or begin anew.")] = True,
    model: Model = None,
    planner_model: PlannerModel = None,
    base_url: BaseUrl = None,
    reply_cache: ReplyCache = None,
    concurrency: Concurrency = None,
    retries: Retries = None,
    passes: Annotated[
        int | None,
        typer.Option("--passes", help="2: a draft, then the form asked for, then its sources.", min=1, max=2),
    ] = None,
    examples: Annotated[
        Path | None, typer.Option("--examples", help="CSV with question,answer: the form of a second pass.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", help="What models may cost, by `prices` in kohaku.toml.", min=0)
    ] = None,
    deadline: Annotated[float | None, typer.Option("--deadline", help="Seconds a question may take.", min=0)] = None,
    strict: Strict = None,
    min_confidence: MinConfidence = None,
    budget: Budget = None,
    top_k: TopK = None,
    queries: Queries = None,
    fusion: FusionName = None,
    reranker: RerankerName = None,
    rerank_top: RerankTop = None,
    order: PromptOrder = None,
    decompose: DecomposeHow = None,
    condense: CondenseHow = None,
    hyde: Hyde = None,
    source_filter: SourceFilter = None,
    section_filter: SectionFilter = None,
    where: Where = None,
    doc: Docs = None,
    not_doc: NotDocs = None,
    kind: Kinds = None,
    runs: Runs = None,
    models: Models = None,
    vote: VoteName = None,
    blanks: VoteBlanks = None,
    tiebreak: VoteTiebreak = None,
    confidence: Confidence = None,
    embedder: EmbedderName = None,
    explain: Explain = False,
    report: Annotated[
        bool, typer.Option("--report", help="A report in Markdown: a section for each part of the QUESTION.")
    ] = False,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question with quotes and pages, or all questions of a CSV as a submission.

    Example: kohaku answer --questions questions.csv --db papers.db --out submission.csv
    """
    settings = _settings(
        config,
        db=db,
        model=model,
        planner_model=planner_model,
        base_url=base_url,
        reply_cache=reply_cache,
        concurrency=concurrency,
        retries=retries,
        passes=passes,
        examples=examples,
        max_cost=max_cost,
        deadline=deadline,
        strict=strict,
        min_confidence=min_confidence,
        budget=budget,
        top_k=top_k,
        queries=queries,
        fusion=fusion,
        reranker=reranker,
        rerank_top=rerank_top,
        order=order,
        decompose=decompose,
        condense=condense,
        hyde=hyde,
        source_filter=source_filter,
        section_filter=section_filter,
        embedder=embedder,
        runs=runs,
        models=models,
        vote=vote,
        blanks=blanks,
        tiebreak=tiebreak,
    )
    if (question is None) == (questions is None) or (questions is None) != (out is None):
        raise typer.BadParameter("give a QUESTION, or --questions CSV with --out CSV")
    _refuse_empty(question)
    _refuse(rerank_top and settings.reranker is None, "--rerank-top goes with --reranker")
    _refuse(order and settings.first_model is None, "--order goes with --model: the built-in reader has no prompt")
    _refuse(
        (passes or 1) > 1 and settings.first_model is None, "--passes goes with --model: the built-in reader has one"
    )
    _refuse(examples and settings.passes < 2, "--examples goes with --passes 2, which gives their form")
    _refuse((vote or blanks or tiebreak) and settings.readings < 2, "a vote takes several readings: --runs or --models")
    _refuse(report and explain, "--explain is for one answer: a --report has several")
    _refuse(report and unit, "--unit is for one answer: a --report has several")
    if questions is not None:
        _refuse(explain, "--explain is for one QUESTION: `kohaku retrieve --questions` explains many")
        _refuse(report, "--report is for one QUESTION")
        _refuse(unit, "--unit is for one QUESTION: --questions takes units from its column answer_unit")
        _refuse(as_json, "--json is for one QUESTION: --questions writes the submission CSV to --out")
    else:
        _refuse(confidence, "--confidence goes with --questions: --json tells how sure one answer is")
        _refuse(metadata, "--metadata goes with --questions: it names the sources in a submission")
        _refuse(not resume, "--restart goes with --questions: one QUESTION is always answered anew")
    scope = _scope(where, doc, not_doc, kind)
    _spare(out, settings.db, questions, metadata)
    _spare(confidence, settings.db, questions, metadata)
    _refuse_twice(out, confidence)
    from kohaku.doors.display import answer_lines, answer_object, progress_bar, usage_lines, usage_object
    from kohaku.doors.engine import Engine
    from kohaku.store import Store

    with Engine(Store.open(settings.db), settings) as engine:
        if not settings.readers:
            _say("no model is configured: the built-in extractive reader answers")
        if question is not None:
            if report:
                from kohaku.doors.report import markdown, report_object

                written = engine.report(_typed(question), scope=scope)
                if as_json:
                    _print_json(
                        {**report_object(written), "usage": usage_object(engine.usage(), settings.known_prices)}
                    )
                else:
                    typer.echo(markdown(written))
                return
            found = engine.ask(_typed(question), unit=unit, scope=scope, explain=explain)
            if as_json:
                _print_json({**answer_object(found), "usage": usage_object(engine.usage(), settings.known_prices)})
            else:
                for line in answer_lines(found):
                    typer.echo(line)
                if found.evidence is not None:
                    _explain(found.evidence)
        elif questions is not None and out is not None:
            from kohaku.tables import read_rows

            made: Counter[str] = Counter()
            with progress_bar() as advance:
                failed = engine.submit(
                    questions,
                    out,
                    metadata=metadata,
                    restart=not resume,
                    confidence=confidence,
                    scope=scope,
                    on_done=lambda outcome: made.update([outcome.question.id] if outcome.answer else []),
                    progress=advance,
                )
            kept = len(read_rows(out)) - len(made)
            if resume and kept > 0:
                _say(f"{kept} rows of an earlier run were kept: --restart asks all anew")
            if len(engine.takes) > 1:
                _say(f"{made.total()} readings of {len(made)} questions, {len(engine.takes)} at most of each")
            for line in usage_lines(engine.usage(), settings.known_prices):
                _say(line)
            for outcome in failed:
                _say(f"{outcome.question.id}: {outcome.reason}")
            if failed and len(engine.takes) > 1:
                raise KohakuError(f"{len(failed)} readings are missing in {out}: run the same command again for them")
            if failed:
                raise KohakuError(f"{len(failed)} rows are missing in {out}: run the same command again for them")
            _say(f"wrote {out}")


@app.command()
def vote(
    runs: Annotated[list[Path], typer.Argument(help="Submission CSVs of the same questions.", metavar="RUN.csv")],
    out: Annotated[Path, typer.Option("--out", help="The submission CSV that they make together.")],
    mode: Annotated[
        VoteMode | None, typer.Option("--mode", help="How rows become one.", show_default="weighted")
    ] = None,
    blanks: VoteBlanks = None,
    tiebreak: VoteTiebreak = None,
    confidence: Confidence = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Make one submission of several by a vote, whoever made them.

    Example: kohaku vote run1.csv run2.csv run3.csv --out voted.csv --confidence agreement.csv
    """
    for path in (out, confidence):
        _spare(path, *runs)
    _refuse_twice(out, confidence)
    from kohaku.doors.display import vote_lines, voted_object
    from kohaku.doors.voting import vote as run

    settings = _settings(config, vote=mode, blanks=blanks, tiebreak=tiebreak)
    made = run(runs, out, settings, confidence=confidence)
    for line in vote_lines(made):
        _say(line)
    if as_json:
        for one in made.voted:
            _print_json(voted_object(one, made.names))
    _say(f"wrote {out}")


@app.command()
def score(
    truth: Annotated[Path, typer.Option("--truth", help="CSV with the right answers.")],
    pred: Annotated[Path, typer.Option("--pred", help="A submission CSV.")],
    calibrate: Annotated[
        bool, typer.Option("--calibration", help="What the confidences were worth: risk by coverage, AURC, ECE.")
    ] = False,
    confidence: Annotated[
        Path | None, typer.Option("--confidence", help="For --calibration: the CSV that answer or vote wrote.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score a submission by the contest's metric.

    Example: kohaku score --truth truth.csv --pred submission.csv
    """
    from answerer.score import score_files
    from kohaku.doors.display import calibration_lines, score_lines

    _refuse(calibrate != (confidence is not None), "--calibration and --confidence CSV go together")
    result = score_files(truth, pred)
    if confidence is None:
        if as_json:
            _print_json(result.summary())
        else:
            for line in score_lines(result):
                typer.echo(line)
        return
    from answerer.calibration import calibration_of_files

    worth = calibration_of_files(truth, pred, confidence)
    if as_json:
        _print_json({**result.summary(), "calibration": asdict(worth)})
    else:
        for line in (*score_lines(result), *calibration_lines(worth)):
            typer.echo(line)


@app.command()
def docs(db: Db = None, config: Config = None, as_json: AsJson = False) -> None:
    """List the documents of an index.

    Example: kohaku docs --db papers.db
    """
    from kohaku.doors.display import document_line

    with _store(_settings(config, db=db)) as store:
        for document in store.documents():
            if as_json:
                _print_json(asdict(document))
            else:
                typer.echo(document_line(document))


@app.command()
def show(
    node: Annotated[str, typer.Argument(help="A node's id, as other commands print it.")],
    db: Db = None,
    picture: Annotated[Path | None, typer.Option("--picture", help="Write its page as PNG, the node marked.")] = None,
    password: Password = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show a node with its headings and neighbours, or its page as a picture.

    Example: kohaku show "report:s2:p4" --db papers.db --picture page.png
    """
    from kohaku.doors.display import links_of, node_lines, node_object
    from kohaku.doors.picture import page_picture
    from kohaku.doors.reading import drawing_of

    if picture is not None:
        _refuse(as_json, "--json shows a node's text, --picture its page: give one of them")
    settings = _settings(config, db=db, password=password or None)
    _spare(picture, settings.db)
    with _store(settings) as store:
        found = store.node(_typed(node))
        if found is None:
            raise KohakuError(f"no node {node!r}: `kohaku retrieve` and `kohaku parse --json` print ids")
        if picture is not None:
            picture.write_bytes(page_picture(store, found, drawing_of(settings)))
            _say(f"wrote {picture}")
        elif as_json:
            _print_json(node_object(found, links_of(store, found)))
        else:
            for line in node_lines(found, store.ancestors(found), store.siblings(found), links_of(store, found)):
                typer.echo(line)


@app.command()
def info(db: Db = None, config: Config = None, as_json: AsJson = False) -> None:
    """Show an index's figures: documents, nodes by kind, embedder, size.

    Example: kohaku info --db papers.db
    """
    with _store(_settings(config, db=db)) as store:
        facts: dict[str, Any] = {
            "path": str(store.path),
            "bytes": store.path.stat().st_size,
            "embedder": store.fingerprint,
            "dimensions": store.dimensions,
            "documents": len(store.documents()),
            "nodes": store.counts(),
        }
    if as_json:
        _print_json(facts)
    else:
        from kohaku.doors.display import one_line

        for name, value in _flat(facts):
            typer.echo(one_line(f"{name}\t{value}"))


@app.command()
def remove(
    document: Annotated[str, typer.Argument(help="A document's id, as `kohaku docs` lists it.")],
    db: Db = None,
    config: Config = None,
) -> None:
    """Remove a document from an index; its file stays.

    Example: kohaku remove report --db papers.db
    """
    from kohaku.store import Store

    with Store.edit(_settings(config, db=db).db) as store:
        if not store.remove(_typed(document)):
            raise KohakuError(f"no document {document!r}: `kohaku docs` lists them")
    _say(f"removed {document}")


@app.command()
def check(db: Db = None, config: Config = None) -> None:
    """Verify an index file: its pages, and that nodes, vectors and full text agree.

    Example: kohaku check --db papers.db
    """
    from kohaku.doors.display import one_line

    with _store(_settings(config, db=db)) as store:
        faults = store.check()
    for fault in faults:
        typer.echo(one_line(fault))
    if faults:
        raise KohakuError("the index is damaged: delete it and index again, or restore a copy")
    _say("all is well")


def _settings(config: Path | None, **flags: object) -> Settings:
    from kohaku.settings import load

    return load(flags, config=config)


def _scope(
    where: list[str] | None, documents: list[str] | None, without: list[str] | None, kinds: list[str] | None
) -> Scope:
    """The scope that flags name; raises BadParameter for a condition or a kind that can't be read."""
    from kohaku.scope import Scope

    typed = ([_typed(text) for text in texts or ()] for texts in (where, documents, without, kinds))
    try:
        return Scope.of(*typed)
    except ScopeError as error:
        raise typer.BadParameter(str(error)) from None


def _explain(evidence: Evidence) -> None:
    from kohaku.doors.display import explained, print_styled

    print_styled(explained(evidence))


@contextmanager
def _store(settings: Settings) -> Iterator[Any]:
    from kohaku.store import Store

    with Store.open(settings.db) as store:
        yield store


def _refuse(option: object, why: str) -> None:
    """Raises BadParameter where an option was given that nothing would come of."""
    if option:
        raise typer.BadParameter(why)


def _refuse_empty(question: str | None) -> None:
    """Raises BadParameter for a question that asks nothing."""
    if question is not None and not question.strip():
        raise typer.BadParameter("the QUESTION is empty")


def _refuse_twice(out: Path | None, other: Path | None) -> None:
    """Raises BadParameter where two files to be written are one."""
    if out is not None and other is not None:
        _refuse(out.absolute() == other.absolute(), f"{out} is to be two files: give another path to one of them")


def _typed(argument: str) -> str:
    """An argument as the UTF-8 that was typed, also where the locale made Python take it for ASCII.

    >>> _typed("caf\\udcc3\\udca9")
    'café'
    """
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _spare(out: Path | None, *inputs: Path | None) -> None:
    """Raises KohakuError where what is to be written would take the place of what is read."""
    if out is not None and out.exists():
        for path in inputs:
            if path is not None and path.exists() and out.samefile(path):
                raise KohakuError(f"{out} would be overwritten, and it is read: give another path to write to")


def _print_json(value: object) -> None:
    from kohaku.doors.display import json_line

    typer.echo(json_line(value))


def _flat(facts: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{key}", inner) for key, inner in value.items())
        else:
            yield name, value

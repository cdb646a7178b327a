"""`kohaku answer`: a question answered, or a submission made."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kohaku.doors.commands.options import (
    ANSWERING,
    FINDING,
    AsJson,
    Confidence,
    Explain,
    Metadata,
    Questions,
    configured,
    refuse_idle,
)
from kohaku.doors.commands.terminal import one_or_many, print_json, refuse, refuse_twice, say, spare, typed
from kohaku.errors import CostLimit, KohakuError

if TYPE_CHECKING:
    from answerer.answer import Answer
    from kohaku.doors.engine import Engine
    from kohaku.scope import Scope
    from kohaku.settings import Settings


MISPLACED = {
    "report": "is for one QUESTION",
    "explain": "is for one QUESTION: `kohaku retrieve --questions` explains many",
    "unit": "is for one QUESTION: --questions takes units from its column answer_unit",
    "stream": "is for one QUESTION",
    "pictures": "is for one QUESTION",
    "confidence": "goes with --questions: --json tells how sure one answer is",
    "metadata": "goes with --questions: it names the sources in a submission",
    "restart": "goes with --questions: one QUESTION is always answered anew",
}


@configured("db", *ANSWERING, *FINDING)
def answer(
    *,
    settings: Settings,
    given: Mapping[str, Any],
    scope: Scope,
    question: Annotated[str | None, typer.Argument(help="A question.")] = None,
    questions: Questions = None,
    out: Annotated[Path | None, typer.Option("--out", help="The submission CSV.")] = None,
    unit: Annotated[str, typer.Option("--unit", help="The unit the answer should have.")] = "",
    metadata: Metadata = None,
    resume: Annotated[bool, typer.Option("--resume/--restart", help="Go on with missing rows, or begin anew.")] = True,
    confidence: Confidence = None,
    explain: Explain = False,
    report: Annotated[
        bool, typer.Option("--report", help="A report in Markdown: a section for each part of the QUESTION.")
    ] = False,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="A folder for the cited pages as PNG, the quotes marked.")
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Show on stderr how it goes, and what the model writes, unchecked.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Answer a question with quotes and pages, or all questions of a CSV as a submission.

    Example: kohaku answer --questions questions.csv --db papers.db --out submission.csv
    """
    one_or_many(question, questions, out, "CSV")
    refuse_idle(settings, given)
    one = {"report": report, "explain": explain, "unit": unit, "stream": stream, "pictures": pictures}
    many = {"confidence": confidence, "metadata": metadata, "restart": not resume}
    _refuse_misplaced(one if questions is not None else many)
    for name in ("explain", "unit", "stream", "pictures"):
        refuse(report and one[name], f"--{name} is for one answer: a --report has several")
    spare(out, settings.db, questions, metadata)
    spare(confidence, settings.db, questions, metadata)
    refuse_twice(out, confidence)
    from kohaku.doors.engine import Engine

    with Engine.within(settings) as engine:
        if not settings.readers:
            say("no model is configured: the built-in extractive reader answers")
        if questions is not None and out is not None:
            _submit(
                engine,
                questions,
                out,
                metadata=metadata,
                resume=resume,
                confidence=confidence,
                scope=scope,
                as_json=as_json,
            )
        elif report:
            _report(engine, typed(question or ""), scope=scope, as_json=as_json)
        else:
            with _followed() if stream else nullcontext():
                found = engine.ask(typed(question or ""), unit=unit, scope=scope, explain=explain)
            _print(engine, found, as_json=as_json)
            if pictures is not None:
                _draw(engine, found, pictures)


def _refuse_misplaced(given: Mapping[str, object]) -> None:
    """Refuses the first of these options that is given: they go with the other way to ask."""
    for name, value in given.items():
        refuse(value, f"--{name} {MISPLACED[name]}")


def _followed() -> AbstractContextManager[None]:
    """What is done inside is shown on stderr."""
    from kohaku.doors.following import Follower
    from kohaku.watch import watched_by

    return watched_by(Follower(sys.stderr))


def _draw(engine: Engine, answer: Answer, folder: Path) -> None:
    """Writes the pages that an answer quotes."""
    from kohaku.doors.picture import cited_pages
    from kohaku.doors.reading import drawing_of

    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for page in cited_pages(engine.store, answer, drawing_of(engine.settings)):
        (folder / page.name).write_bytes(page.data)
        names.append(page.name)
    if names:
        say(f"wrote {', '.join(names)} in {folder}")
    else:
        say("no quote has a place on a page: only those in PDFs have" if answer.citations else "nothing is quoted")


def _print(engine: Engine, found: Answer, *, as_json: bool) -> None:
    from kohaku.doors.display import answer_lines, answer_object, explained, print_styled, usage_object

    if as_json:
        print_json({**answer_object(found), "usage": usage_object(engine.usage(), engine.settings.known_prices)})
        return
    for line in answer_lines(found):
        typer.echo(line)
    if found.evidence is not None:
        print_styled(explained(found.evidence))


def _report(engine: Engine, question: str, *, scope: Scope, as_json: bool) -> None:
    from kohaku.doors.display import usage_object
    from kohaku.doors.report import markdown, report_object

    written = engine.report(question, scope=scope)
    if as_json:
        print_json({**report_object(written), "usage": usage_object(engine.usage(), engine.settings.known_prices)})
    else:
        typer.echo(markdown(written))


def _submit(
    engine: Engine,
    questions: Path,
    out: Path,
    *,
    metadata: Path | None,
    resume: bool,
    confidence: Path | None,
    scope: Scope,
    as_json: bool,
) -> None:
    """Writes a submission and says what came of it; raises KohakuError where rows are missing."""
    from kohaku.doors.display import progress_bar, usage_lines, usage_object
    from kohaku.replies import BLANK
    from kohaku.tables import read_rows

    made: Counter[str] = Counter()
    try:
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
    except CostLimit:
        if out.is_file():
            done, asked = len(read_rows(out)), len(read_rows(questions))
            say(f"{done} of {asked} questions are answered in {out}, {len(made)} of them now; {asked - done} are left")
        for line in usage_lines(engine.usage(), engine.settings.known_prices):
            say(line)
        raise
    kept = len(read_rows(out)) - len(made)
    if resume and kept > 0:
        say(f"{kept} rows of an earlier run were kept, whatever settings answered them: --restart asks all anew")
    if len(engine.takes) > 1:
        say(f"{made.total()} readings of {len(made)} questions, {len(engine.takes)} at most of each")
    for line in usage_lines(engine.usage(), engine.settings.known_prices):
        say(line)
    for outcome in failed:
        say(f"{outcome.question.id}: {outcome.reason}")
    rows = read_rows(out)
    blank = sum(row["answer_value"] == BLANK for row in rows)
    if as_json:
        print_json(
            {
                "out": str(out),
                "rows": len(rows),
                "blank": blank,
                "kept": max(kept, 0) if resume else 0,
                "failed": {outcome.question.id: outcome.reason for outcome in failed},
                "usage": usage_object(engine.usage(), engine.settings.known_prices),
            }
        )
    if failed:
        what = "readings" if len(engine.takes) > 1 else "rows"
        raise KohakuError(f"{len(failed)} {what} are missing in {out}: run the same command again for them")
    say(f"wrote {out}: {len(rows)} rows, {blank} of them blank")

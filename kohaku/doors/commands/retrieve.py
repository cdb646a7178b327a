"""`kohaku retrieve`: the evidence for questions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kohaku.doors.commands.options import FINDING, AsJson, Explain, Questions, configured
from kohaku.doors.commands.terminal import one_or_many, print_json, refuse, say, spare, typed

if TYPE_CHECKING:
    from kohaku.scope import Scope
    from kohaku.settings import Settings


@configured("db", *FINDING)
def retrieve(
    *,
    settings: Settings,
    given: Mapping[str, Any],
    scope: Scope,
    question: Annotated[str | None, typer.Argument(help="A question.")] = None,
    questions: Questions = None,
    out: Annotated[Path | None, typer.Option("--out", help="JSONL file, one object a question.")] = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Show the evidence for a question, best first, or write it for all questions of a CSV.

    Example: kohaku retrieve "How much water did the site use?" --db papers.db --budget 2000
    """
    one_or_many(question, questions, out, "FILE.jsonl")
    refuse(given["rerank_top"] and settings.reranker is None, "--rerank-top goes with --reranker")
    spare(out, settings.db, questions)

    if question is not None:
        from kohaku.doors.display import context_lines, evidence_object, explained, print_styled
        from kohaku.doors.searcher import Searcher

        with Searcher.within(settings) as searcher:
            evidence = searcher.retrieve(typed(question), scope=scope, explain=explain)
        if not evidence.contexts and not evidence.complete:
            say(f"nothing of what was found fits in {settings.budget} tokens: give a larger --budget")
        elif not evidence.contexts:
            say(f"nothing was found within {scope}" if str(scope) else "nothing was found")
        if as_json:
            print_json(evidence_object("", evidence))
        elif explain:
            print_styled(explained(evidence))
        else:
            for line in context_lines(evidence):
                typer.echo(line)
    elif questions is not None and out is not None:
        from kohaku.doors.display import progress_bar
        from kohaku.doors.engine import Engine

        with Engine.within(settings) as engine, progress_bar() as advance:
            count = engine.retrieve_to(questions, out, scope=scope, explain=explain, progress=advance)
        say(f"wrote {out}")
        if as_json:
            print_json({"out": str(out), "questions": count})

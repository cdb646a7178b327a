"""The options that commands share, and how a command gets those of settings and of a scope."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from kohaku.choices import (
    Blanks,
    Condense,
    Decompose,
    Fusion,
    Level,
    OcrMode,
    Order,
    ParagraphVectors,
    Tiebreak,
    VoteMode,
)
from kohaku.doors.commands.terminal import refuse, typed
from kohaku.errors import ScopeError

if TYPE_CHECKING:
    from kohaku.settings import Settings

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]
Metadata = Annotated[Path | None, typer.Option("--metadata", help="CSV: id,title,type,year,citation,url.")]
Questions = Annotated[Path | None, typer.Option("--questions", help="CSV with id,question (and answer_unit).")]
Confidence = Annotated[
    Path | None, typer.Option("--confidence", help="CSV to write: id, confidence, and what that rests on.")
]
Explain = Annotated[bool, typer.Option("--explain", help="Say why each piece of evidence is there, and what is not.")]

CONFIG = Annotated[Path | None, typer.Option("--config", help="A settings file.", show_default="kohaku.toml here")]
SETTINGS: dict[str, Any] = {
    "db": Annotated[
        Path | None, typer.Option("--db", help="The index file.", show_default="KOHAKU_DB, else kohaku.db")
    ],
    "embedder": Annotated[
        str | None,
        typer.Option(
            "--embedder", help="default, multilingual, a sentence-transformers name or path, or openai:MODEL."
        ),
    ],
    "dimensions": Annotated[int | None, typer.Option(min=1, help="Keep this many dimensions (Matryoshka).")],
    "device": Annotated[str | None, typer.Option(help="auto, cpu, cuda or mps.", show_default="auto")],
    "paragraph_vectors": Annotated[
        ParagraphVectors | None, typer.Option(help="How a paragraph gets its vector.", show_default="mean")
    ],
    "workers": Annotated[int | None, typer.Option(min=0, help="Processes that read files.", show_default="one a core")],
    "password": Annotated[
        list[str] | None, typer.Option("--password", help="Of files that need one; repeat it to try several.")
    ],
    "ocr": Annotated[
        OcrMode | None,
        typer.Option(
            "--ocr", help="Tesseract reads pages without text (auto), all (force), none.", show_default="auto"
        ),
    ],
    "ocr_language": Annotated[
        str | None, typer.Option("--ocr-language", help="Tesseract's name of it: eng, eng+deu.", show_default="eng")
    ],
    "captions": Annotated[
        bool | None,
        typer.Option("--captions/--no-captions", help="A model describes figures.", show_default="no-captions"),
    ],
    "caption_model": Annotated[
        str | None, typer.Option("--caption-model", help="Chat model that sees pictures.", show_default="the model")
    ],
    "profile": Annotated[
        str | None,
        typer.Option(
            "--profile", help="A field's prompts, axes, terms: its name, or your TOML file.", show_default="default"
        ),
    ],
    "budget": Annotated[int | None, typer.Option("--budget", min=1, help="Tokens of evidence.", show_default="6000")],
    "top_k": Annotated[int | None, typer.Option("--top-k", min=1, help="Hits a query and list.", show_default="150")],
    "queries": Annotated[int | None, typer.Option("--queries", min=1, help="Queries a question.", show_default="4")],
    "fusion": Annotated[Fusion | None, typer.Option("--fusion", help="How rankings become one.", show_default="score")],
    "reranker": Annotated[
        str | None,
        typer.Option("--reranker", help="A CrossEncoder's name or path, llm, or llm:MODEL.", show_default="none"),
    ],
    "rerank_top": Annotated[
        int | None, typer.Option("--rerank-top", min=1, help="Finds that a reranker looks at.", show_default="50")
    ],
    "order": Annotated[
        Order | None,
        typer.Option("--order", help="How evidence stands in a model's prompt.", show_default="best_first"),
    ],
    "decompose": Annotated[
        Decompose | None,
        typer.Option(
            "--decompose",
            help="Questions in parts: where they show some, wherever a model finds some, never.",
            show_default="auto",
        ),
    ],
    "level": Annotated[
        Level | None,
        typer.Option("--level", help="Evidence of documents, sections, paragraphs, sentences.", show_default="auto"),
    ],
    "images": Annotated[
        int | None,
        typer.Option(
            "--images",
            min=0,
            help="Figures that get a place in the evidence, and are shown to a model.",
            show_default="0",
        ),
    ],
    "condense": Annotated[
        Condense | None,
        typer.Option(
            "--condense",
            help="Long paragraphs in their best sentences: in other words or small budgets, always, never.",
            show_default="auto",
        ),
    ],
    "hyde": Annotated[
        bool | None,
        typer.Option("--hyde/--no-hyde", help="A model imagines a passage to search by.", show_default="no-hyde"),
    ],
    "source_filter": Annotated[
        bool | None,
        typer.Option("--source-filter/--no-source-filter", help="A model chooses documents.", show_default="no"),
    ],
    "section_filter": Annotated[
        bool | None,
        typer.Option("--section-filter/--no-section-filter", help="A model chooses sections.", show_default="no"),
    ],
    "model": Annotated[
        str | None, typer.Option("--model", help="Chat model; without one the built-in reader answers.")
    ],
    "planner_model": Annotated[
        str | None,
        typer.Option("--planner-model", help="Chat model that plans, splits and filters.", show_default="the model"),
    ],
    "filter_model": Annotated[
        str | None,
        typer.Option(
            "--filter-model", help="Chat model that chooses documents and sections.", show_default="the planner's"
        ),
    ],
    "base_url": Annotated[str | None, typer.Option("--base-url", help="OpenAI-compatible server.")],
    "reply_cache": Annotated[
        bool | None,
        typer.Option("--reply-cache/--no-cache", help="Ask a model nothing twice.", show_default="reply-cache"),
    ],
    "concurrency": Annotated[
        int | None, typer.Option("--concurrency", min=1, help="Questions, or figures, at once.", show_default="8")
    ],
    "retries": Annotated[
        int | None,
        typer.Option("--retries", min=0, help="Readings with more evidence after a blank.", show_default="2"),
    ],
    "self_check": Annotated[
        bool | None,
        typer.Option(
            "--self-check/--no-self-check",
            help="A model grades each draft; it may search once more.",
            show_default="no",
        ),
    ],
    "check_model": Annotated[
        str | None, typer.Option("--check-model", help="Chat model that grades drafts.", show_default="the model")
    ],
    "passes": Annotated[
        int | None,
        typer.Option(
            "--passes", help="2: a draft, then the form asked for, then its sources.", show_default="1", min=1, max=2
        ),
    ],
    "examples": Annotated[
        Path | None, typer.Option("--examples", help="CSV with question,answer: the form of a second pass.")
    ],
    "max_cost": Annotated[
        float | None,
        typer.Option(
            "--max-cost", help="What models may cost, by `prices` in kohaku.toml.", show_default="no limit", min=0
        ),
    ],
    "deadline": Annotated[
        float | None, typer.Option("--deadline", help="Seconds a question may take.", show_default="no limit", min=0)
    ],
    "strict": Annotated[
        bool | None,
        typer.Option(
            "--strict/--no-strict", help="Abstain where the value follows from no evidence.", show_default="no-strict"
        ),
    ],
    "min_confidence": Annotated[
        float | None, typer.Option("--min-confidence", min=0, max=1, help="Abstain below it.", show_default="0")
    ],
    "runs": Annotated[
        int | None, typer.Option("--runs", min=1, help="Readings a question, then a vote.", show_default="one a model")
    ],
    "models": Annotated[
        str | None,
        typer.Option("--models", help="Chat models that read by turns, between commas.", show_default="--model"),
    ],
    "vote": Annotated[
        VoteMode | None, typer.Option("--vote", help="How readings become one.", show_default="weighted")
    ],
    "blanks": Annotated[
        Blanks | None,
        typer.Option(
            "--blanks", help="When abstentions win: as most of all, as a value like any, never.", show_default="by mode"
        ),
    ],
    "tiebreak": Annotated[
        Tiebreak | None,
        typer.Option("--tiebreak", help="What a tie gives: the first run's value, or a blank.", show_default="by mode"),
    ],
    "token": Annotated[
        str | None, typer.Option("--token", help="What requests must bear.", show_default="KOHAKU_TOKEN")
    ],
}
"""The option of each setting that has one, by the setting's name."""

FINDING = (
    "budget",
    "top_k",
    "queries",
    "profile",
    "fusion",
    "reranker",
    "rerank_top",
    "decompose",
    "level",
    "images",
    "condense",
    "hyde",
    "source_filter",
    "section_filter",
    "embedder",
    "planner_model",
    "filter_model",
    "base_url",
    "reply_cache",
)
"""The settings by which evidence is found."""

ANSWERING = (
    "model",
    "concurrency",
    "retries",
    "passes",
    "self_check",
    "check_model",
    "examples",
    "max_cost",
    "deadline",
    "strict",
    "min_confidence",
    "order",
    "runs",
    "models",
    "vote",
    "blanks",
    "tiebreak",
)
"""The settings by which evidence becomes an answer."""

SCOPE: dict[str, Any] = {
    "where": Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            help="Only documents whose metadata says so: year>=2023, type=paper, title~water; repeat.",
        ),
    ],
    "doc": Annotated[
        list[str] | None, typer.Option("--doc", help="Only documents of these ids; * and ? allowed; repeat.")
    ],
    "not_doc": Annotated[list[str] | None, typer.Option("--not-doc", help="No documents of these ids; repeat.")],
    "kind": Annotated[
        list[str] | None,
        typer.Option("--kind", help="Only evidence of these kinds: table, section, figure, list, …; repeat."),
    ],
}
"""The options that make a scope, in the order that `Scope.of` takes them."""


def configured(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator that gives a command the options of these settings, and --config.

    The command is called with `settings`, read from all their sources, in place of them; where it takes `given`, with
    what was typed of them by name; where it takes `scope`, it has the options of a scope too.
    """
    options = {name: SETTINGS[name] for name in names}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        taken = inspect.signature(command).parameters
        typed_in = {name: one.annotation for name, one in taken.items() if name not in ("settings", "given", "scope")}
        scoped = SCOPE if "scope" in taken else {}
        offered = _resolved(typed_in, command) | options | scoped | {"config": CONFIG}

        @functools.wraps(command)
        def run(config: Path | None, **values: Any) -> None:
            from kohaku.settings import load

            given = {name: values.pop(name) or None if name == "password" else values.pop(name) for name in options}
            if scoped:
                values["scope"] = _scope(*(values.pop(name) for name in scoped))
            if "given" in taken:
                values["given"] = given
            command(settings=load(given, config=config), **values)

        run.__annotations__ = offered
        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=taken[name].default if name in taken else None,
                    annotation=hint,
                )
                for name, hint in offered.items()
            ]
        )
        return run

    return decorate


def refuse_idle(settings: Settings, given: Mapping[str, Any]) -> None:
    """Raises BadParameter where one of FINDING or ANSWERING was typed that changes nothing: another is missing."""
    asks, votes = settings.first_model is not None, settings.readings > 1
    costs = settings.asks_models
    for name, used, why in (
        ("rerank_top", settings.reranker is not None, "goes with --reranker"),
        ("order", asks, "goes with --model: the built-in reader has no prompt"),
        ("passes", asks or given["passes"] != 2, "goes with --model: the built-in reader has one"),
        ("self_check", asks, "goes with --model: the built-in reader only quotes"),
        ("check_model", settings.self_check, "goes with --self-check"),
        ("examples", settings.passes == 2, "goes with --passes 2, which gives their form"),
        ("vote", votes, "takes several readings: --runs or --models"),
        ("blanks", votes, "takes several readings: --runs or --models"),
        ("tiebreak", votes, "takes several readings: --runs or --models"),
        ("deadline", costs, "goes with --model: the built-in reader takes a moment"),
        ("max_cost", costs, "goes with --model: the built-in reader costs nothing"),
    ):
        refuse(given[name] and not used, f"--{name.replace('_', '-')} {why}")


def _resolved(annotations: dict[str, str], command: Callable[..., None]) -> dict[str, Any]:
    """What a command's annotations stand for; those that only a type checker knows are not among them."""
    holder = SimpleNamespace(__annotations__=annotations)
    return get_type_hints(holder, globalns=inspect.unwrap(command).__globals__, include_extras=True)


def _scope(*flags: list[str] | None) -> Any:
    """The scope that flags name; raises BadParameter for a condition or a kind that can't be read."""
    from kohaku.scope import Scope

    try:
        return Scope.of(*([typed(text) for text in texts or ()] for texts in flags))
    except ScopeError as error:
        raise typer.BadParameter(str(error)) from None

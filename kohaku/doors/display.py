"""Results as lines for a terminal and as objects for JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from answerer.answer import Answer
from answerer.score import Score
from indexer.build import Progress, Report
from kohaku.tree import Node, Tier
from retriever.evidence import Context, Evidence

WORST = 10  # questions listed under a score
WIDTH = 100  # characters of a node's text in a listing


@contextmanager
def progress_bar() -> Iterator[Callable[[Progress], None] | None]:
    """A function that shows an indexing run's progress on stderr; None where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("")

        def advance(progress: Progress) -> None:
            from rich.markup import escape

            bar.update(task, completed=progress.done, total=progress.total, description=escape(progress.current))

        yield advance


def report_lines(report: Report, db: Path) -> Iterator[str]:
    """An indexing run's summary, what went wrong first."""
    for path, reason in report.failed:
        yield f"skipped {path}: {reason}"
    for path, note in report.notes:
        yield f"note {path}: {note}"
    parts = {
        "added": report.added,
        "replaced": report.replaced,
        "unchanged": report.skipped,
        "same content": report.duplicates,
        "removed": report.removed,
        "failed": len(report.failed),
    }
    counts = ", ".join(f"{number} {name}" for name, number in parts.items() if number) or "nothing to do"
    yield f"{db}: {counts} in {report.seconds:.1f} s"
    if report.nodes:
        yield "nodes: " + ", ".join(f"{number} {kind}" for kind, number in report.nodes.items())


def tree_lines(nodes: Sequence[Node]) -> Iterator[str]:
    """A document's tree, a line a node, indented by its depth."""
    depth: dict[int, int] = {}
    for node in nodes:
        depth[node.position] = 0 if node.parent is None else depth[node.parent] + 1
        label = node.title if node.tier in (Tier.DOCUMENT, Tier.SECTION) else _short(node.text or node.title)
        yield f"{'  ' * depth[node.position]}{node.kind}{_on(node.pages)}: {label}"


def context_lines(evidence: Evidence) -> Iterator[str]:
    """The evidence, a head line and the text each, best first."""
    for context in evidence.contexts:
        yield f"[{context.score:.3f}] {context.node}{_on(context.pages)}  {' › '.join(context.headings)}"
        yield context.text
        yield ""


def evidence_object(id: str, evidence: Evidence) -> dict[str, Any]:
    """The evidence for a question in the form of `kohaku retrieve`'s JSON."""
    return {
        "id": id,
        "question": evidence.question,
        "queries": list(evidence.queries),
        "contexts": [_context_object(context) for context in evidence.contexts],
    }


def _context_object(context: Context) -> dict[str, Any]:
    return {
        "doc": context.document,
        "node": context.node,
        "kind": context.kind.value,
        "pages": list(context.pages) if context.pages else None,
        "headings": list(context.headings),
        "score": context.score,
        "text": context.text,
    }


def answer_lines(answer: Answer) -> Iterator[str]:
    """An answer, then each quote with where it stands."""
    yield answer.text
    if not answer.is_blank:
        yield f"value: {answer.value}" + (f" {answer.question.unit}" if answer.question.unit else "")
    if answer.explanation:
        yield f"why: {answer.explanation}"
    for citation in answer.citations:
        yield f"  “{citation.quote}”"
        yield f"    {citation.document}{_on(citation.pages)}  {citation.node}"


def answer_object(answer: Answer) -> dict[str, Any]:
    """An answer as JSON."""
    return asdict(answer)


def score_lines(score: Score) -> Iterator[str]:
    """A score by its parts, then the questions that lost most."""
    for name, figure in score.summary().items():
        yield f"{name}\t{figure:.4f}" if isinstance(figure, float) else f"{name}\t{figure}"
    worst = sorted((one for one in score.questions if one.score < 1), key=lambda one: one.score)
    for one in worst[:WORST]:
        yield f"{one.id}\t{one.score:.2f}\tvalue {one.value:.0f}, references {one.ref:.2f}, blank {one.na:.0f}"


def node_lines(node: Node, ancestors: Sequence[Node], siblings: Sequence[Node]) -> Iterator[str]:
    """A node with the path above it, its text, and the nodes beside it."""
    yield f"{node.kind} {node.id}{_on(node.pages)}"
    for above in ancestors:
        yield f"in {above.kind} {above.id}: {above.title}"
    yield ""
    yield node.text
    yield ""
    place = next((index for index, sibling in enumerate(siblings) if sibling.key == node.key), 0)
    for name, index in (("before", place - 1), ("after", place + 1)):
        if 0 <= index < len(siblings):
            yield f"{name} {siblings[index].id}: {_short(siblings[index].text)}"


def node_object(node: Node) -> dict[str, Any]:
    """A node as JSON."""
    return asdict(node)


def _on(pages: tuple[int, int] | None) -> str:
    if pages is None:
        return ""
    return f" p. {pages[0]}" if pages[0] == pages[1] else f" pp. {pages[0]}–{pages[1]}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"

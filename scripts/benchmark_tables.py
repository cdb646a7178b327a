"""How many of the rows that answer known questions stand in one row sentence, with their heads and their scale.

python scripts/benchmark_tables.py questions.jsonl pdfs/

Each line of the first file is an object with "evidence": [{"doc": a PDF's name without ending, "text"}], the text as it
was copied from a page of financial statements: a label on its line, its values on the next ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from indexer.single import tree_of
from kohaku.tree import Kind, Tree

app = typer.Typer(add_completion=False, rich_markup_mode=None)

VALUE = re.compile(r"\(?[\d][\d,]*(?:\.\d+)?\)?%?|[—–]")
VALUES = re.compile(r"(?:[\s$€£%()\d,.—–-])+")
YEAR = re.compile(r"(?:19|20)\d\d")
SCALE = re.compile(r"(?:\(|\bin )[^()\n]{0,40}?\b(million|thousand|billion)s\b", re.IGNORECASE)
CAPTION = re.compile(r" \[[^\[\]]*\]$")
DIGITS = re.compile(r"[\d.]+")


@dataclass(frozen=True)
class Wanted:
    """A row of a text: its label's letters, its numbers, the scale that its text names ("" for none)."""

    label: str
    numbers: tuple[str, ...]
    scale: str


def letters(text: str) -> str:
    """The text's letters alone, in lower case."""
    return re.sub(r"[\W\d_]+", "", text.casefold())


def wanted(text: str) -> Iterator[Wanted]:
    """The rows of two values and more in a text."""
    scale = SCALE.search(text[:400])
    label, values = "", list[str]()
    for line in (*text.splitlines(), "end"):
        if VALUES.fullmatch(line) and not YEAR.fullmatch(line.strip()):
            values += VALUE.findall(line)
            continue
        numbers = tuple(found[0] for value in values if (found := DIGITS.findall(value.replace(",", ""))))
        if letters(label) and len(numbers) > 1 and not all(map(YEAR.fullmatch, numbers)):
            yield Wanted(letters(label), numbers, scale[1].casefold() if scale else "")
        label, values = line, []


def parts(sentence: str) -> list[tuple[str, str]]:
    """The parts of a row's sentence: (head, value)."""
    found = [part.rpartition(": ") for part in CAPTION.sub("", sentence).split("; ")]
    return [(head, value) for head, _, value in found]


def stands(row: Wanted, sentence: str) -> tuple[bool, bool, bool]:
    """Whether a sentence holds the row, and if so with a head over each value, and with its scale."""
    if row.label not in letters(sentence):
        return False, False, False
    cells = [
        (head, number)
        for head, value in parts(sentence)
        if (number := (DIGITS.findall(value.replace(",", "")) or [""])[0])
    ]
    held = [number for _, number in cells]
    if not all(number in held for number in row.numbers):
        return False, False, False
    headed = all(head for head, number in cells if number in row.numbers)
    return True, headed, not row.scale or row.scale in sentence.casefold()


def sentences(tree: Tree) -> Sequence[str]:
    """The row sentences of a document's tables."""
    tables = [node for node in tree.nodes if node.kind is Kind.TABLE]
    spans = [(table.position, table.last) for table in tables]
    return [
        node.text for first, last in spans for node in tree.nodes[first + 1 : last + 1] if node.kind is Kind.SENTENCE
    ]


@app.command()
def main(
    questions: Annotated[Path, typer.Argument(help="Questions with their evidence, an object a line.")],
    folder: Annotated[Path, typer.Argument(help="The PDFs.")],
    missed: Annotated[bool, typer.Option("--missed", help="Name the rows that were not found.")] = False,
) -> None:
    """Print the shares."""
    rows: dict[str, set[Wanted]] = {}
    for line in questions.read_text(encoding="utf-8").splitlines():
        for evidence in json.loads(line)["evidence"]:
            rows.setdefault(evidence["doc"], set()).update(wanted(evidence["text"]))
    whole = found = headed = scaled = 0
    for name, expected in sorted(rows.items()):
        made = sentences(tree_of(folder / f"{name}.pdf")[0])
        for row in sorted(expected, key=lambda row: row.label):
            near = [sentence for sentence in made if row.numbers[0] in sentence.replace(",", "")]
            best = max((stands(row, sentence) for sentence in near), default=(False, False, False))
            whole += 1
            found += best[0]
            headed += best[0] and best[1]
            scaled += all(best)
            if missed and not all(best):
                typer.echo(f"{name}: {row.label[:60]} {row.numbers} {row.scale} {best}")
    typer.echo(
        f"{whole} rows: {found} in one sentence, {headed} of them with their heads, {scaled} with their scale too"
    )


if __name__ == "__main__":
    app()

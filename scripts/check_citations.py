"""How far citations point to what they quote: the words inside the cited boxes, on the cited pages, against the quote.

    python scripts/check_citations.py INDEX.db QUESTIONS.csv [--model M --base-url URL] [--show]

Answers the questions, and reads in each PDF what stands in the boxes of every citation. A citation's page is right
where its quote's words stand on its pages, its boxes are right where they stand in them, and tight where these hold
at most twice the quote's letters. Of a table's row its label and its values are looked for: the heads stand elsewhere.
Without a model the built-in reader answers.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

import kohaku
from answerer import cells
from answerer.answer import Citation
from answerer.quotes import key
from answerer.submission import read_questions
from kohaku import mupdf

app = typer.Typer(add_completion=False, rich_markup_mode=None)

HELD = 0.9  # of a quote's words: hyphens at line ends cost some
TIGHT = 2.0  # letters in the boxes for each of the quote
MARGIN = 1.0  # points around a box: letters lean out of it


def own(quote: str) -> str:
    """The words of a quote that stand in one place: of a table's row the label's and the values'."""
    row = cells.row(quote)
    if not row.cells:
        return quote
    return " ".join([row.own_label(), *(cells.text_of(row, cell.value) for cell in row.cells)])


def held(quote: str, text: str) -> bool:
    """Whether a text has a quote's words."""
    wanted, known = (Counter(key(word).text for word in re.findall(r"\w+", one)) for one in (quote, text))
    return sum((wanted & known).values()) >= HELD * sum(wanted.values())


def judged(citation: Citation, path: Path) -> dict[str, bool]:
    """Whether a citation's pages, and its boxes, hold its quote, and whether these are tight."""
    quote, pages = own(citation.quote), citation.pages or (1, 1)
    pymupdf = mupdf.load()
    with pymupdf.open(path) as file:
        whole = "\n".join(file[number - 1].get_text() for number in range(pages[0], pages[1] + 1))
        rects = [(box.page, pymupdf.Rect(box.x0, box.y0, box.x1, box.y1)) for box in citation.boxes]
        around = (-MARGIN, -MARGIN, MARGIN, MARGIN)
        clipped = "\n".join(file[page - 1].get_text(clip=rect + around) for page, rect in rects)
    is_held = held(quote, clipped)
    is_tight = is_held and len(key(clipped).text) <= TIGHT * len(key(quote).text)
    return {"page": held(quote, whole), "boxes": is_held, "tight": is_tight}


@app.command()
def main(
    index: Path,
    questions: Path,
    model: Annotated[str | None, typer.Option()] = None,
    base_url: Annotated[str | None, typer.Option()] = None,
    show: Annotated[bool, typer.Option(help="Print what is not right.")] = False,
) -> None:
    """Check the pages and boxes of the citations that a file's questions get."""
    found = Counter[str]()
    with kohaku.open(index, model=model, base_url=base_url) as engine:
        paths = {document.id: Path(next(iter(document.sources), "")) for document in engine.store.documents()}
        for question in read_questions(questions):
            for citation in engine.ask(question).citations:
                if paths[citation.document].suffix.lower() != ".pdf":
                    continue
                right = judged(citation, paths[citation.document])
                found.update(["all", *(name for name, is_right in right.items() if is_right)])
                if show and not all(right.values()):
                    said = " ".join(name for name, is_right in right.items() if not is_right)
                    typer.echo(f"{question.id} {citation.node} p. {citation.pages} not {said}: {citation.quote[:200]}")
    typer.echo(f"{found['all']} citations in PDFs")
    for name in ("page", "boxes", "tight"):
        typer.echo(f"{name}: {found[name]} ({found[name] / max(1, found['all']):.3f})")


if __name__ == "__main__":
    app()

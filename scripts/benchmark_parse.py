"""How fast PDFs are read and laid out, beside PyMuPDF's own get_text("dict") on the same pages, in one process.

python scripts/benchmark_parse.py data/sample --rounds 2

With --memory, how much of it two processes need, the one that reads a book of 2,000 pages and the one that puts it into
an index, and again when it has changed, beside one of 200.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from indexer.build import build
from indexer.readers.pdf import read
from kohaku import mupdf
from kohaku.store import Store
from kohaku.tree import Vectors

app = typer.Typer(add_completion=False, rich_markup_mode=None)

MANY_PAGES = 2000
LINES_A_PAGE = 46


def texts(path: Path) -> int:
    """Every page's text as PyMuPDF gives it, without the images."""
    pymupdf = mupdf.load()
    return _pages(path, pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES)


def texts_and_images(path: Path) -> int:
    """The same as it comes by default, each image unpacked."""
    return _pages(path, mupdf.load().TEXTFLAGS_DICT)


def _pages(path: Path, flags: int) -> int:
    with mupdf.load().open(path) as file:
        for page in file:
            page.get_text("dict", flags=flags)
        return int(file.page_count)


def seconds(action: Callable[[Path], object], path: Path) -> float:
    """Processor time, which other programs on the machine disturb least."""
    start = time.process_time()
    action(path)
    return time.process_time() - start


def write_book(path: Path, pages: int) -> None:
    """A PDF of so many full pages of prose: a heading and a running foot on each, a table on every tenth."""
    numbers = random.Random(pages)
    words = ["".join(numbers.choices("abcdefghilmnoprstuv", k=numbers.randint(2, 9))) for _ in range(3000)]
    with mupdf.load().open() as file:
        for number in range(1, pages + 1):
            page = file.new_page()
            page.insert_text((72, 60), f"{number}. {' '.join(numbers.choices(words, k=3)).title()}", fontsize=14)
            prose = [" ".join(numbers.choices(words, k=11)) for _ in range(LINES_A_PAGE)]
            page.insert_text((72, 90), prose, fontsize=10)
            if number % 10 == 0:
                for row in range(5):
                    for column in range(4):
                        text = f"{numbers.randint(100, 9999):,}" if row and column else numbers.choice(words).title()
                        page.insert_text((72 + 110 * column, 690 + 12 * row), text, fontsize=10)
            page.insert_text((300, 800), str(number), fontsize=9)
        file.save(path, deflate=True)


class Unlearned:
    """An embedder that takes no memory: the same vector for all."""

    fingerprint, dimensions, max_tokens = "unlearned", 384, 256

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        """A vector of length 1 for each."""
        return np.full((len(passages), self.dimensions), self.dimensions**-0.5, np.float32)

    embed_questions = embed_passages


def peaks(path: Path) -> tuple[float, float]:
    """The megabytes at most of the process that reads a file and of this one, a fresh one, which indexes it twice."""
    with Store.create(path.with_suffix(".db"), fingerprint="unlearned", dimensions=384) as store:
        for change in (b"", b"\n"):
            with path.open("ab") as file:
                file.write(change)
            build([path], store, Unlearned())
    return most(resource.RUSAGE_CHILDREN), own_most()


def own_most() -> float:
    """The megabytes that this process had at most: Linux counts with them what the one had that started it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return most(resource.RUSAGE_SELF)
    [kilobytes] = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM")]
    return int(kilobytes) / 1024


def most(whose: int) -> float:
    """The megabytes that processes had at most, as the system counts them."""
    return resource.getrusage(whose).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)


def memory(few: int, many: int) -> Iterator[str]:
    """What a long book takes beside a short one."""
    with tempfile.TemporaryDirectory() as folder:
        for pages in (few, many):
            path = Path(folder) / f"{pages}.pdf"
            write_book(path, pages)
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
                reads, indexes = fresh.submit(peaks, path).result()
            yield f"{pages} pages: at most {reads:.0f} MB in the process that reads, {indexes:.0f} MB in the other"


@app.command()
def main(
    paths: list[Path],
    rounds: int = 2,
    each: bool = False,
    with_memory: Annotated[bool, typer.Option("--memory", help="Also the memory that long files take.")] = False,
    pages_of_book: Annotated[int, typer.Option(help="Pages of the long file; the short one has a tenth.")] = MANY_PAGES,
) -> None:
    """Print pages a second and their ratios, over all PDFs and, with --each, for every one; the best of some rounds."""
    files = [file for path in paths for file in (sorted(path.rglob("*.pdf")) if path.is_dir() else [path])]
    pages, totals = 0, [0.0, 0.0, 0.0]
    for file in files:
        count = texts(file)
        times = [[seconds(action, file) for action in (read, texts, texts_and_images)] for _ in range(rounds)]
        best = [min(column) for column in zip(*times, strict=True)]
        pages, totals = pages + count, [total + spent for total, spent in zip(totals, best, strict=True)]
        if each:
            typer.echo(f"{file.name[:48]:48} {_compared(count, best)}")
    typer.echo(_compared(pages, totals))
    if with_memory:
        for line in memory(max(pages_of_book // 10, 1), pages_of_book):
            typer.echo(line)


def _compared(pages: int, spent: Sequence[float]) -> str:
    ours, plain, whole = spent
    return (
        f"{pages} pages: {pages / ours:.1f} a second; get_text alone {pages / plain:.1f}, ratio {ours / plain:.2f}; "
        f"with images {pages / whole:.1f}, ratio {ours / whole:.2f}"
    )


if __name__ == "__main__":
    app()

"""How fast PDFs are read and laid out, beside PyMuPDF's own get_text("dict") on the same pages, in one process.

python scripts/benchmark_parse.py data/sample --rounds 2
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from indexer.readers.pdf import read
from kohaku import mupdf


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


def main(paths: list[Path], rounds: int = 2, each: bool = False) -> None:
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


def _compared(pages: int, spent: Sequence[float]) -> str:
    ours, plain, whole = spent
    return (
        f"{pages} pages: {pages / ours:.1f} a second; get_text alone {pages / plain:.1f}, ratio {ours / plain:.2f}; "
        f"with images {pages / whole:.1f}, ratio {ours / whole:.2f}"
    )


if __name__ == "__main__":
    typer.run(main)

"""Make the PDFs of the sample corpus: python data/make_sample.py [--out FOLDER]."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from sample_pdfs import accounts, chinese, datasheet, deck, handbook, memo, paper, report

FOLDER = Path(__file__).parent / "sample"
MAKERS: dict[str, Callable[[Path], None]] = {
    "aldenkamp2024": paper.make,
    "brantwell2022": datasheet.make_a,
    "brantwell2023": datasheet.make_b,
    "fennmark2023": accounts.make,
    "fennmark2024": report.make,
    "isbrook2023": deck.make,
    "littoral2022": handbook.make,
    "ostler2024": memo.make,
    "songdeli2024": chinese.make,
}


def make_all(folder: Path) -> None:
    """Write every PDF of the sample into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem, make in MAKERS.items():
        make(folder / f"{stem}.pdf")


def main() -> None:
    """Read the one option and make the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="where the PDFs go (default: data/sample)")
    make_all(parser.parse_args().out)


if __name__ == "__main__":
    main()

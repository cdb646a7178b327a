"""`kohaku vote`: one submission of several."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kohaku.doors.commands.options import AsJson, Confidence, configured
from kohaku.doors.commands.terminal import print_json, refuse_twice, say, spare

if TYPE_CHECKING:
    from kohaku.settings import Settings


@configured("vote", "blanks", "tiebreak")
def vote(
    *,
    settings: Settings,
    runs: Annotated[list[Path], typer.Argument(help="Submission CSVs of the same questions.", metavar="RUN.csv")],
    out: Annotated[Path, typer.Option("--out", help="The submission CSV that they make together.")],
    confidence: Confidence = None,
    as_json: AsJson = False,
) -> None:
    """Make one submission of several by a vote, whoever made them.

    Example: kohaku vote run1.csv run2.csv run3.csv --out voted.csv --confidence agreement.csv
    """
    for path in (out, confidence):
        spare(path, *runs)
    refuse_twice(out, confidence)
    from kohaku.doors.display import vote_lines, voted_object
    from kohaku.doors.voting import vote as run

    made = run(runs, out, settings, confidence=confidence)
    for line in vote_lines(made):
        say(line)
    if as_json:
        for one in made.voted:
            print_json(voted_object(one, made.names))
    say(f"wrote {out}")

"""How long commands take to start, beside Python itself and `import numpy`, in one run.

python scripts/benchmark_start.py --db papers.db --runs 10

Each figure is the least of all runs. The commands take turns, so that what else a machine does meets all alike.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

app = typer.Typer(add_completion=False, rich_markup_mode=None)

KOHAKU = (sys.executable, "-c", "from kohaku.doors.cli import main; main()")


@app.command()
def main(db: Path | None = None, question: str = "How much water was used?", runs: int = 10) -> None:
    """Measures `kohaku --help`, and with an index `kohaku docs` and `kohaku retrieve`."""
    commands: dict[str, Sequence[str]] = {
        "python": (sys.executable, "-c", "pass"),
        "numpy": (sys.executable, "-c", "import numpy"),
        "help": (*KOHAKU, "--help"),
    }
    if db:
        commands["docs"] = (*KOHAKU, "docs", "--db", str(db))
        commands["retrieve"] = (*KOHAKU, "retrieve", question, "--db", str(db))
    least = measured(commands, runs)
    typer.echo(f"{'':10}{'wall s':>8}{'cpu s':>8}{'wall in pythons':>17}{'in numpys':>11}")
    for name, (wall, cpu) in least.items():
        ratios = f"{wall / least['python'][0]:17.1f}{wall / least['numpy'][0]:11.1f}"
        typer.echo(f"{name:10}{wall:8.3f}{cpu:8.3f}{ratios}")


def measured(commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, tuple[float, float]]:
    """The least wall and processor seconds of each command, after a first run that fills the machine's caches."""
    seconds = [{name: once(command) for name, command in commands.items()} for _ in range(runs + 1)][1:]
    return {name: (min(turn[name][0] for turn in seconds), min(turn[name][1] for turn in seconds)) for name in commands}


def once(command: Sequence[str]) -> tuple[float, float]:
    """The wall and processor seconds of one run; raises CalledProcessError where it fails."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    app()

"""A sweep told: lines for a terminal, Markdown, and one HTML file with all pictures in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from answerer.bootstrap import Interval
from kohaku.doors.display import one_line
from kohaku.doors.page import page
from kohaku.doors.sweep.plots import NAMES, Picture
from kohaku.doors.sweep.results import Results, Standing
from kohaku.doors.sweep.running import Run, Spent
from kohaku.images import data_url
from kohaku.text import few

SURE = 0.05  # p below which a difference is called one
LISTED = 20  # points in a terminal
COSTS = ("calls", "cached", "tokens a question", "cost", "s a question")


@dataclass(frozen=True, slots=True)
class Row:
    """A point in a table: its place on the axes, what is said of it, and its interval for a bar."""

    place: tuple[str, ...]
    cells: tuple[str, ...]
    is_best: bool
    is_sure: bool
    interval: Interval


@dataclass(frozen=True, slots=True)
class Story:
    """All that a report tells of a sweep; `unfinished` runs say why they are, and count for nothing."""

    title: str
    found: Results
    pictures: tuple[Picture, ...]
    unfinished: tuple[Run, ...]
    questions: int
    truth: Path
    folder: Path

    @property
    def runs(self) -> int:
        """How many runs are finished."""
        return sum(len(standing.runs) for standing in self.found.standings)

    @property
    def spent(self) -> Spent:
        """What all runs have cost."""
        total = Spent()
        for standing in self.found.standings:
            total = total.plus(standing.spent)
        return total


def lines(story: Story) -> Iterator[str]:
    """The points, the best first, with what a comparison says, and what all of it cost."""
    found = story.found
    head = [found.metrics[0], "sd", "95 %", "difference", "p", *found.metrics[1:], "settings"]
    if found.standings:
        yield "\t".join(head)
    for standing in found.standings[:LISTED]:
        yield one_line("\t".join([*_cells(standing, found), standing.point.name]))
    if len(found.standings) > LISTED:
        yield f"and {len(found.standings) - LISTED} more: {story.folder / 'report.html'} has them all"
    yield spent_line(story)


def problems(story: Story) -> dict[str, list[str]]:
    """Why runs are not finished, with their names."""
    found: dict[str, list[str]] = {}
    for run in story.unfinished:
        found.setdefault(run.problem, []).append(run.trial.name)
    return found


def spent_line(story: Story) -> str:
    """What the finished runs cost together."""
    spent = story.spent
    cost = "" if not spent.cost else f", cost {spent.cost:.4g}"
    return (
        f"{story.runs} runs of {story.questions} questions: {spent.seconds:.0f} s of work, "
        f"{spent.total('calls'):.0f} calls and {spent.total('cached'):.0f} replies from the cache, "
        f"{spent.total('prompt_tokens'):,.0f} prompt and {spent.total('completion_tokens'):,.0f} reply tokens{cost}"
    )


def markdown(story: Story) -> str:
    """The report in Markdown; pictures are links into the folder plots/."""
    found = story.found
    parts = [f"# {_mark(story.title)}", *_unfinished(story)]
    if found.best is not None:
        parts.append(f"Best: **{_mark(found.best.point.name)}**, {_told(found.best, found.metrics[0])}.")
        parts.append(_mark(compared(story)))
        names, heads, rows = _table(found, story.questions)
        table = [[*names, *heads], ["---"] * len([*names, *heads])]
        table += [[*map(_mark, row.place), *row.cells] for row in rows]
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in table))
        if why := why_table(found):
            why.insert(1, ["---"] * len(why[0]))
            told = [" | ".join(cell if cell == "---" else _mark(cell) for cell in row) for row in why]
            parts.append("Mean score by type of question, and points lost in a run by kind of error:")
            parts.append("\n".join(f"| {row} |" for row in told))
        parts += [f"![{_mark(picture.title)}](plots/{file_of(picture)})" for picture in story.pictures]
    parts += [_mark(spent_line(story)), f"```\n{command(story)}\n```" if command(story) else ""]
    return "\n\n".join(part for part in parts if part) + "\n"


def html(story: Story) -> str:
    """The report as one file that loads nothing; what settings and files say is shown as text."""
    found = story.found
    names, heads, rows = _table(found, story.questions)
    return page(
        "sweep_page",
        title=story.title,
        best=found.best,
        told=_told(found.best, found.metrics[0]) if found.best else "",
        compared=compared(story) if found.best else "",
        spent=spent_line(story),
        names=names,
        heads=heads,
        rows=rows,
        bounds=_bounds(found.standings),
        pictures=[(picture, data_url(picture.png)) for picture in story.pictures],
        unfinished=[(few(names), problem) for problem, names in problems(story).items()],
        why=why_table(found),
        command=command(story),
    )


def compared(story: Story) -> str:
    """How the table's comparison was made, in a sentence or two."""
    found = story.found
    if found.base is None or len(found.standings) < 2:
        return ""
    other = "the best" if found.best and found.base is found.best.point else f"the baseline ({found.base.name})"
    return (
        f"Differences are to {other}, by draws of the same questions and of each setting's runs (10,000, with "
        f"replacement; 95 % of them lie between the bounds); p is two-sided, held to {len(found.standings) - 1} "
        "comparisons (Holm). What is best of many is partly so by luck: try it on other questions."
    )


def command(story: Story) -> str:
    """The command that shows what changed between the best and the base, or the second best; "" where none can."""
    best, other = story.found.best, story.found.other
    if best is None or other is None or best.why is None:
        return ""
    first, second = (one.runs[0].run.submission for one in (best, other))
    return f"kohaku score --truth {_quoted(story.truth)} --pred {_quoted(first)} --against {_quoted(second)}"


def why_table(found: Results) -> list[list[str]]:
    """Where the best and the one beside it lost points, as rows of text under a head; none of long answers alone."""
    shown = [(one.point.name, one.why) for one in (found.best, found.other) if one is not None]
    known = [(name, why) for name, why in shown if why is not None]
    if not known:
        return []
    types = [
        [name, str(count), *(f"{why.types[name][1]:.3f}" for _, why in known)]
        for name, (count, _) in known[0][1].types.items()
    ]
    errors = dict.fromkeys(name for _, why in known for name in why.errors)
    lost = [[f"lost by: {name}", "", *(_lost(why.errors.get(name, 0.0)) for _, why in known)] for name in errors]
    return [["", "n", *(name for name, _ in known)], *types, *lost]


def _lost(points: float) -> str:
    return f"−{points:.2f}" if points else "0"


def file_of(picture: Picture) -> str:
    """The name of a picture's file."""
    return re.sub(r"[^\w.+-]+", "_", picture.name) + ".png"


def _table(found: Results, questions: int) -> tuple[list[str], list[str], list[Row]]:
    """The names of the axes, the heads of the other columns, and the rows; without columns in which nothing stands."""
    first, *others = (NAMES[metric] for metric in found.metrics)
    heads = [first, "sd", "95 %", "difference", "p", *others, *COSTS]
    cells = [[*_cells(standing, found), *_costs(standing, questions)] for standing in found.standings]
    kept = [at for at in range(len(heads)) if any(row[at] not in ("", "0") for row in cells)]
    rows = [
        Row(
            tuple(standing.point.place.values()) or (standing.point.name,),
            tuple(row[at] for at in kept),
            standing is found.best,
            standing.p is not None and standing.p < SURE,
            standing.interval,
        )
        for standing, row in zip(found.standings, cells, strict=True)
    ]
    names = list(found.best.point.place) if found.best else []
    return names or ["settings"], [heads[at] for at in kept], rows


def _cells(standing: Standing, found: Results) -> list[str]:
    interval, apart = standing.interval, standing.difference
    first, *others = found.metrics
    return [
        f"{interval.mean:.4f}",
        f"{standing.spread(first):.4f}" if len(standing.runs) > 1 else "",
        f"{interval.low:.3f} to {interval.high:.3f}",
        "" if apart is None else f"{apart.mean:+.4f} ({apart.low:+.3f} to {apart.high:+.3f})",
        "" if standing.p is None else f"{standing.p:.3f}",
        *(f"{standing.mean(metric):.4f}" for metric in others),
    ]


def _costs(standing: Standing, questions: int) -> list[str]:
    spent, asked = standing.spent, max(1, questions * len(standing.runs))
    tokens = (spent.total("prompt_tokens") + spent.total("completion_tokens")) / asked
    return [
        f"{spent.total('calls'):.0f}",
        f"{spent.total('cached'):.0f}",
        f"{tokens:,.0f}",
        "" if spent.cost is None else f"{spent.cost:.4g}",
        f"{spent.seconds / asked:.2f}",
    ]


def _told(standing: Standing, metric: str) -> str:
    low, high = standing.interval.low, standing.interval.high
    runs = f" over {len(standing.runs)} runs" if len(standing.runs) > 1 else ""
    return f"{NAMES[metric]} {standing.interval.mean:.4f}{runs} (95 %: {low:.3f} to {high:.3f})"


def _bounds(standings: Sequence[Standing]) -> tuple[float, float]:
    """Between what all intervals lie, for bars."""
    if not standings:
        return 0.0, 1.0
    low, high = min(one.interval.low for one in standings), max(one.interval.high for one in standings)
    return low, high if high > low else low + 1


def _unfinished(story: Story) -> list[str]:
    if not story.unfinished:
        return []
    rows = [f"- {_mark(few(names))}: {_mark(problem)}" for problem, names in problems(story).items()]
    return ["Not finished, and left out below; the same command goes on with them:\n\n" + "\n".join(rows)]


def _mark(text: str) -> str:
    """Text that Markdown takes as text."""
    return re.sub(r"([\\`*_{}\[\]<>#|!~&])", r"\\\1", one_line(text))


def _quoted(path: Path) -> str:
    from shlex import quote

    return quote(str(path))

"""Pictures of a sweep: for one setting or a pair of settings the means with their spread, the best marked."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from kohaku.doors.sweep.results import Results
from kohaku.doors.sweep.spec import Axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#999933")
"""Okabe and Ito's, told apart by colour-blind people too."""
MARKERS = "osD^vPX*"
DOTS = 110  # an inch
WIDE = 8  # as often as the smallest, the largest value makes an axis logarithmic
LONGEST_LABEL = 28
NAMES = {
    "score": "score",
    "value": "value score",
    "ref": "reference score",
    "na": "blank handling",
    "rouge_l": "ROUGE-L",
    "bert_score": "BERTScore",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG, with what is on it in words; `is_wide` where it has two parts."""

    name: str
    title: str
    png: bytes
    is_wide: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """A mean over runs, with their standard deviation and number."""

    mean: float
    spread: float
    runs: int


Cells = Mapping[tuple[str, ...], Dot]
"""By labels on the axes, what the runs there earned."""


def pictures(found: Results, axes: Sequence[Axis]) -> Iterator[Picture]:
    """A picture a metric for each pair of settings, or for the only one; none where nothing is varied.

    Where more is varied than a picture shows, its dots are means over that.
    """
    for metric in found.metrics:
        if len(axes) == 1:
            yield _single(found, axes[0], metric)
        for one, other in combinations(axes, 2):
            across, lines = (one, other) if _is_across(one, other) else (other, one)
            yield _pair(found, across, lines, metric)


def _is_across(one: Axis, other: Axis) -> bool:
    """Whether the first of two lies along the x axis: numbers do before names, then the longer one."""
    return (one.numbers is not None, len(one.labels)) >= (other.numbers is not None, len(other.labels))


def cells(found: Results, names: Sequence[str], metric: str) -> Cells:
    """What the runs earned by their places on some axes."""
    by_place: dict[tuple[str, ...], list[float]] = {}
    for standing in found.standings:
        place = tuple(standing.point.place[name] for name in names)
        by_place.setdefault(place, []).extend(run.mean(metric) for run in standing.runs)
    return {
        place: Dot(fmean(means), stdev(means) if len(means) > 1 else 0.0, len(means))
        for place, means in by_place.items()
    }


def _single(found: Results, axis: Axis, metric: str) -> Picture:
    dots = cells(found, [axis.name], metric)
    with _drawing(6.4, 4.0) as (figure, [plot]):
        if axis.numbers is None:
            _bars(plot, axis, dots)
        else:
            _line(plot, axis, [dots.get((label,)) for label in axis.labels], COLOURS[0], MARKERS[0], "")
            _ticks(plot, axis)
            _star(plot, axis, {place[0]: dot for place, dot in dots.items()})
            plot.set_ylabel(NAMES[metric])
            plot.set_xlabel(axis.name)
        title = f"{NAMES[metric]} by {axis.name}"
        plot.set_title(title)
        return Picture(f"{metric}-{axis.name}", title, _png(figure))


def _bars(plot: Axes, axis: Axis, dots: Cells) -> None:
    """Names down the side, a dot with its spread beside each: names are long."""
    shown = [(label, dots[label,]) for label in axis.labels if (label,) in dots]
    best = max(range(len(shown)), key=lambda at: shown[at][1].mean)
    for at, (_, dot) in enumerate(shown):
        plot.errorbar(dot.mean, at, xerr=dot.spread, fmt="o", color=COLOURS[0], capsize=3, markersize=6)
    plot.plot(shown[best][1].mean, best, "*", color=COLOURS[5], markersize=17, markeredgecolor="black", zorder=5)
    plot.set_yticks(range(len(shown)), [_short(label) for label, _ in shown])
    plot.invert_yaxis()
    plot.set_ylim(len(shown) - 0.5, -0.5)
    plot.set_xlabel("mean, ± 1 standard deviation of the runs")


def _pair(found: Results, across: Axis, lines: Axis, metric: str) -> Picture:
    dots = cells(found, [across.name, lines.name], metric)
    has_map = across.numbers is not None and lines.numbers is not None
    with _drawing(11.0 if has_map else 7.2, 4.4, panels=2 if has_map else 1) as (figure, panels):
        plot = panels[0]
        for number, label in enumerate(lines.labels):
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            _line(plot, across, [dots.get((x, label)) for x in across.labels], colour, marker, _short(label))
        _ticks(plot, across)
        best = max(dots.items(), key=lambda item: item[1].mean)
        _star(plot, across, {best[0][0]: best[1]})
        plot.set_xlabel(across.name)
        plot.set_ylabel(NAMES[metric])
        plot.legend(title=lines.name, frameon=False, fontsize="small", loc="best")
        if has_map:
            _heat(figure, panels[1], across, lines, dots)
        title = f"{NAMES[metric]} by {across.name} and {lines.name}"
        figure.suptitle(title)
        return Picture(f"{metric}-{across.name}-{lines.name}", title, _png(figure), has_map)


def _line(plot: Axes, axis: Axis, dots: Sequence[Dot | None], colour: str, marker: str, label: str) -> None:
    """A mean a place, the band its spread over repeats."""
    places = _places(axis)
    there = [(places[at], dot) for at, dot in enumerate(dots) if dot is not None]
    xs = [x for x, _ in there]
    means = [dot.mean for _, dot in there]
    plot.plot(xs, means, color=colour, marker=marker, label=label, linewidth=1.8, markersize=6)
    low, high = ([dot.mean + sign * dot.spread for _, dot in there] for sign in (-1, 1))
    plot.fill_between(xs, low, high, color=colour, alpha=0.15, linewidth=0)


def _star(plot: Axes, axis: Axis, dots: Mapping[str, Dot]) -> None:
    label, best = max(dots.items(), key=lambda item: item[1].mean)
    x = _places(axis)[axis.labels.index(label)]
    plot.plot(x, best.mean, "*", color=COLOURS[5], markersize=17, markeredgecolor="black", zorder=5)
    plot.annotate(
        f"{best.mean:.3f}", (x, best.mean), xytext=(0, 11), textcoords="offset points", ha="center", fontsize="small"
    )
    plot.margins(y=0.18)


def _heat(figure: Figure, plot: Axes, across: Axis, lines: Axis, dots: Cells) -> None:
    grid = [[dots[x, y].mean if (x, y) in dots else math.nan for x in across.labels] for y in lines.labels]
    picture = plot.imshow(grid, cmap="cividis", aspect="auto", origin="lower")
    figure.colorbar(picture, ax=plot, shrink=0.85)
    plot.set_xticks(range(len(across.labels)), [_short(label) for label in across.labels])
    plot.set_yticks(range(len(lines.labels)), [_short(label) for label in lines.labels])
    plot.set_xlabel(across.name)
    plot.set_ylabel(lines.name)
    shown = [value for row in grid for value in row if not math.isnan(value)]
    middle = (min(shown) + max(shown)) / 2
    for row, values in enumerate(grid):
        for column, value in enumerate(values):
            if not math.isnan(value):
                best = " ★" if value == max(shown) else ""
                colour = "black" if value > middle else "white"
                plot.text(column, row, f"{value:.3f}{best}", ha="center", va="center", color=colour, fontsize="small")
    plot.grid(visible=False)


def _places(axis: Axis) -> list[float]:
    """Where the labels stand: numbers at themselves, names one beside the other."""
    return list(axis.numbers) if axis.numbers is not None else [float(at) for at in range(len(axis.labels))]


def _ticks(plot: Axes, axis: Axis) -> None:
    places = _places(axis)
    if axis.numbers is not None and min(places) > 0 and max(places) >= WIDE * min(places):
        plot.set_xscale("log")
    plot.minorticks_off()
    tilted = axis.numbers is None and sum(map(len, axis.labels)) > 50
    plot.set_xticks(places, [_short(label) for label in axis.labels], rotation=25 if tilted else 0)


def _short(label: str) -> str:
    line = " ".join(label.split())
    return line if len(line) <= LONGEST_LABEL else f"{line[: LONGEST_LABEL - 1]}…"


@contextmanager
def _drawing(width: float, height: float, *, panels: int = 1) -> Iterator[tuple[Figure, Sequence[Axes]]]:
    """A figure that no window shows; text is taken as it is, a dollar starts no formula."""
    import matplotlib
    from matplotlib.figure import Figure

    look: dict[Any, Any] = {"text.parse_math": False, "axes.grid": True, "grid.alpha": 0.25, "font.size": 10}
    look |= {"axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": "medium"}
    look |= {"figure.titlesize": "medium"}
    with matplotlib.rc_context(look), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph")  # letters that the font lacks become boxes
        figure = Figure(figsize=(width, height), layout="constrained", dpi=DOTS)
        yield figure, [figure.add_subplot(1, panels, number + 1) for number in range(panels)]


def _png(figure: Figure) -> bytes:
    held = io.BytesIO()
    figure.savefig(held, format="png", metadata={"Software": None})
    return held.getvalue()

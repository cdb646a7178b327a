"""A map as a picture, drawn by matplotlib; the look of groups, which the page shares."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kohaku.doors.map import Map, shortened

COLOURS = ("#3b6fb6", "#e1812c", "#3a923a", "#c03d3e", "#8661c1", "#845b53", "#d684bd", "#1f9e9e", "#a9a11f", "#4c566a")
SHAPES = ("o", "s", "^", "D", "v")  # matplotlib's names; with each shape the colours begin anew
OTHERS = "#b8b8b3"
QUESTION = "#111111"
COLUMN = 27  # groups in a column of the legend
RESOLUTION = 150  # dots an inch
HEIGHT = 7.2  # inches
INK, DIM = "#222222", "#6b6b66"


def look(number: int, made: Map) -> tuple[str, str]:
    """The colour and the shape of a group."""
    if made.has_others and number == len(made.groups) - 1:
        return OTHERS, SHAPES[0]
    return COLOURS[number % len(COLOURS)], SHAPES[number // len(COLOURS) % len(SHAPES)]


def heading(made: Map) -> str:
    """What the map shows, in a line."""
    count, level = len(made.dots), made.level.value
    return f"{count:,} {level}{'' if count == 1 else 's'} of {made.name}"


def picture(made: Map, kind: str) -> bytes:
    """The map as bytes of a kind (png, svg); text of documents is drawn as it stands."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # A dollar sign in a text is no formula; what the font lacks is drawn as a box, without a warning a letter.
    with matplotlib.rc_context({"text.parse_math": False, "svg.hashsalt": "kohaku", "svg.fonttype": "path"}), _quiet():
        columns = math.ceil(len(made.groups) / COLUMN)
        figure = Figure(figsize=(HEIGHT + 0.6 + 2.9 * columns, HEIGHT), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        _draw(made, axes)
        figure.legend(
            *zip(*_entries(made), strict=True),
            loc="outside right upper",
            ncols=columns,
            frameon=False,
            fontsize=8.5,
            labelcolor=INK,
            handletextpad=0.3,
            columnspacing=1.2,
            labelspacing=0.45,
        )
        data = io.BytesIO()
        figure.savefig(data, format=kind, dpi=RESOLUTION, metadata={"Date": None} if kind == "svg" else None)
    return data.getvalue()


def _draw(made: Map, axes: Any) -> None:
    faint = 0.45 if made.question else 0.8
    size = max(7.0, min(42.0, 12_000 / len(made.dots)))
    for number in reversed(range(len(made.groups))):  # the others lie below
        colour, shape = look(number, made)
        dots = [dot for dot in made.dots if dot.group == number]
        axes.scatter(
            [dot.x for dot in dots], [dot.y for dot in dots], s=size, c=colour, marker=shape, alpha=faint, linewidths=0
        )
    if made.star is not None:
        _draw_question(made, made.star, axes, size)
    axes.set_title(heading(made), loc="left", fontsize=12, color=INK, pad=22 if made.question else 10)
    if made.question:
        axes.text(0, 1.012, f"★ {_clipped(made.question)}", transform=axes.transAxes, fontsize=9.5, color=INK)
    axes.set_xlabel(" · ".join((made.axes, *made.notes)), fontsize=8.5, color=DIM, loc="left")
    axes.set(xticks=[], yticks=[], xlim=(-0.04, 1.04), ylim=(-0.04, 1.04))
    for side in axes.spines.values():
        side.set_color("#d8d8d3")


def _draw_question(made: Map, star: tuple[float, float], axes: Any, size: float) -> None:
    """The question as a star, with lines to its evidence, which is numbered."""
    for dot in reversed(made.hits):
        colour, shape = look(dot.group, made)
        axes.plot([star[0], dot.x], [star[1], dot.y], color=QUESTION, linewidth=0.6, alpha=0.25, zorder=2)
        axes.scatter(
            [dot.x], [dot.y], s=size * 2.4, c=colour, marker=shape, edgecolors=QUESTION, linewidths=1.1, zorder=3
        )
        axes.annotate(
            str(dot.rank),
            (dot.x, dot.y),
            xytext=(5, 4),
            textcoords="offset points",
            fontsize=8.5,
            weight="bold",
            color=QUESTION,
            zorder=5,
        )
    axes.scatter(*star, s=260, c="#ffd21f", marker="*", edgecolors=QUESTION, linewidths=1.1, zorder=4)


def _entries(made: Map) -> list[tuple[Any, str]]:
    """The legend: a mark and a name for each group."""
    from matplotlib.lines import Line2D

    entries = []
    for number, group in enumerate(made.groups):
        colour, shape = look(number, made)
        mark = Line2D([], [], linestyle="", marker=shape, color=colour, markersize=6.5, markeredgewidth=0)
        entries.append((mark, f"{shortened(group.name)} ({group.nodes:,})"))
    return entries


def _clipped(question: str) -> str:
    line = " ".join(question.split())
    return line if len(line) <= 110 else f"{line[:109]}…"


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what matplotlib says of letters that its font lacks."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield

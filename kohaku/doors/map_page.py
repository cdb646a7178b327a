"""A map as one HTML file: dots that say what they are, groups that can be hidden, nothing loaded from elsewhere."""

from __future__ import annotations

from typing import Any

from kohaku.doors.map import Dot, Map, shortened
from kohaku.doors.map_picture import heading, look
from kohaku.doors.page import page

PATHS = {
    "o": "M-.8 0a.8.8 0 1 0 1.6 0a.8.8 0 1 0-1.6 0",
    "s": "M-.72-.72H.72V.72H-.72Z",
    "^": "M0-.9.9.7H-.9Z",
    "D": "M0-1 1 0 0 1-1 0Z",
    "v": "M0 .9.9-.7H-.9Z",
}
"""The shapes of map_picture as SVG paths, about a dot's place."""
NAMES = {"o": "round", "s": "square", "^": "up", "D": "diamond", "v": "down"}


def map_page(made: Map) -> str:
    """The HTML of a map; what stands in documents is shown as text whatever it holds."""
    star = None if made.star is None else _place(*made.star)
    hits = made.hits
    return page(
        "map_page",
        has_script=True,
        heading=heading(made),
        axes=(made.axes, *made.notes),
        question=made.question,
        shapes=[(NAMES[shape], path) for shape, path in PATHS.items()],
        dots=[_dot(dot, made) for dot in (*(dot for dot in made.dots if not dot.rank), *hits[::-1])],  # hits on top
        hits=[_dot(dot, made) for dot in hits],
        lines=[(*star, *_place(dot.x, dot.y)) for dot in hits] if star else [],
        star=star,
        groups=[
            {"name": shortened(group.name), "nodes": group.nodes, **_look(number, made)}
            for number, group in enumerate(made.groups)
        ],
    )


def _dot(dot: Dot, made: Map) -> dict[str, Any]:
    x, y = _place(dot.x, dot.y)
    said = " › ".join((dot.document, *dot.headings))
    return {
        "node": dot.node,
        "said": f"{said}: {dot.text}",
        "x": x,
        "y": y,
        "group": dot.group,
        "rank": dot.rank,
        **_look(dot.group, made),
    }


def _look(number: int, made: Map) -> dict[str, str]:
    colour, shape = look(number, made)
    return {"colour": colour, "shape": NAMES[shape]}


def _place(x: float, y: float) -> tuple[float, float]:
    """A place on the page, where y counts from the top."""
    return round(100 * x, 2), round(100 - 100 * y, 2)

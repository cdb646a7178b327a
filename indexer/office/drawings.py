"""What Office files draw: pictures, charts' data, diagrams' words."""

from __future__ import annotations

import re

from indexer.blocks import Block
from indexer.clean import clean
from indexer.office.xml import Element, child, number, value, within
from indexer.tables import table
from kohaku.tree import Kind

SMALLEST = 228_600  # EMU, a quarter of an inch: what is no larger either way is an icon or a bullet
MOST_POINTS = 10_000  # of a chart: more is a measurement's raw data
# What programs write as alternative text without being asked.
MACHINE_MADE = re.compile(r"\s*(?:AI-generated content may be incorrect|Description automatically generated)[^.]*\.?")
NO_WORDS = re.compile(
    r"[\w .-]+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg)|(?:picture|image|grafik|graphic|bild)\s?\d*", re.IGNORECASE
)


def description(alternative: str | None) -> str:
    """A picture's alternative text, where somebody wrote one.

    >>> description("A plant. Description automatically generated"), description("image12.png")
    ('A plant.', '')
    """
    text = MACHINE_MADE.sub("", clean(alternative or ""))
    return "" if NO_WORDS.fullmatch(text) else text


def figure(words: str, image: bytes | None) -> Block | None:
    """A figure of what is said of it and its picture, whatever kind that is of; None where there is neither."""
    return Block(Kind.FIGURE, words, title=words, image=image) if words or image else None


def chart(space: Element) -> Block | None:
    """A chart (c:chartSpace) as a table: a row a category, a column a series; None where it holds no numbers.

    The numbers are those that the file keeps for drawing it.
    """
    title = clean(_words(child(space, "c:chart/c:title")))
    series = [(_words(child(one, "c:tx")), *_points(one)) for one in within(space, "c:ser")]
    kept = [(clean(name), across, along) for name, across, along in series if along]
    if not kept:
        return None
    labels: dict[int, str] = {}
    for _, across, along in kept:
        for index in (*across, *along):
            labels[index] = labels.get(index) or across.get(index, "")
    numbered = any(labels.values())
    axis = clean(_words(child(space, "c:chart/c:plotArea/c:catAx/c:title"))) if numbered else ""
    head = ([axis] if numbered else []) + [name for name, _, _ in kept]
    rows = [
        ([labels[index]] if numbered else []) + [along.get(index, "") for _, _, along in kept]
        for index in sorted(labels)[:MOST_POINTS]
    ]
    unit = clean(_words(child(space, "c:chart/c:plotArea/c:valAx/c:title")))
    caption = f"{title} ({unit})" if title and unit else title or unit
    return table([head, *rows], title=caption)


def diagram(data: Element) -> Block | None:
    """A diagram's (dgm:dataModel) words as a list, a point an item; None where it has none."""
    points = [clean(_words(child(point, "dgm:t"))) for point in within(data, "dgm:pt")]
    items = tuple(filter(None, points))
    text = "\n".join(f"- {item}" for item in items)
    return Block(Kind.LIST, text, sentences=items) if items else None


def _points(series: Element) -> tuple[dict[int, str], dict[int, str]]:
    """A series' labels and its numbers, both by place."""
    across = next((found for name in ("c:cat", "c:xVal") if (found := child(series, name)) is not None), None)
    along = next((found for name in ("c:val", "c:yVal") if (found := child(series, name)) is not None), None)
    return _cached(across), _cached(along)


def _cached(values: Element | None) -> dict[int, str]:
    if values is None:
        return {}
    usual = next((one.text or "" for one in within(values, "c:formatCode")), "")
    levels = list(within(values, "c:lvl"))  # of labels in groups, the innermost first
    holders = levels or [values]
    found: dict[int, str] = {}
    for level, holder in enumerate(holders):
        group = ""
        points = {
            number(value(point, "idx")): _shown(_words(child(point, "c:v")), value(point, "formatCode") or usual)
            for point in within(holder, "c:pt")
        }
        if level == 0:
            found = {index: text for index, text in points.items() if index is not None}
            continue
        for index in sorted(found):
            group = points.get(index) or group
            found[index] = f"{group} {found[index]}".strip()
    return found


def _shown(text: str, format: str) -> str:
    """A number as the chart shows it: of a percentage the hundredfold, of a float not all the digits it is kept with.

    >>> _shown("0.30000000000000004", "General"), _shown("0.255", "0.0%"), _shown("North", "")
    ('0.3', '25.5%', 'North')
    """
    text = clean(text)
    if not re.fullmatch(r"-?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,2})?", text):
        return text
    if format.partition(";")[0].rstrip().endswith("%"):
        return f"{float(text) * 100:.10g}%"
    return f"{float(text):.10g}" if len(text) > 12 else text


def _words(element: Element | None) -> str:
    """The text below an element, its paragraphs parted."""
    if element is None:
        return ""
    paragraphs = list(within(element, "a:p"))
    if paragraphs:
        return "\n".join("".join(run.text or "" for run in within(part, "a:t")) for part in paragraphs)
    texts = within(element, "c:v") if next(within(element, "c:v"), None) is not None else within(element, "a:t")
    return " ".join(part.text or "" for part in texts)


def chart_parts(element: Element) -> list[str]:
    """The relationship ids of the charts in a drawing."""
    return [id for part in within(element, "c:chart") if (id := value(part, "r:id"))]


def diagram_parts(element: Element) -> list[str]:
    """The relationship ids of the diagrams' data in a drawing."""
    return [id for part in within(element, "dgm:relIds") if (id := value(part, "r:dm"))]


def picture_parts(element: Element) -> list[str]:
    """The relationship ids of the pictures in a drawing, new and old."""
    new = [value(part, "r:embed") for part in within(element, "a:blip")]
    old = [value(part, "r:id") for part in within(element, "v:imagedata")]
    return [id for id in (*new, *old) if id]

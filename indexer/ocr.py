"""Pages that are pictures of text, read by Tesseract."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from xml.etree import ElementTree

from indexer.layout.page import Rect
from indexer.reading import Tesseract
from kohaku import mupdf

RESOLUTION = 300  # dots an inch, as Tesseract's models are made for
GLANCE = 36  # dots an inch that tell whether there is anything to see: some damaged pages take long to be drawn blank
LOWEST = 70  # dots an inch: below, letters have too few
MOST_PIXELS = 40_000_000  # of a page's picture: A3 has 17
PAGE_SECONDS = 120.0
SURE = 30  # per cent of confidence that a word must have
LIKELY = 50  # and a line on average: in photographs Tesseract sees letters
ALIKE = 0.12  # sizes on a page that differ by less are one: they are measured on single lines' letters
INSTALL = "`apt install tesseract-ocr` or `brew install tesseract`"


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it was seen, in points from the page's top left corner as shown; `base` is its baseline's height."""

    text: str
    rect: Rect
    base: float


@dataclass(frozen=True, slots=True)
class Seen:
    """A line of words; `quarters` are the turns that its text needs to run from left to right."""

    words: tuple[Word, ...]
    rect: Rect
    size: float
    quarters: int


def find(language: str) -> Tesseract | str:
    """The installed Tesseract, or what to install for that language ("eng", "eng+deu")."""
    program = shutil.which("tesseract")
    if program is None:
        return f"Tesseract is not installed: {INSTALL}"
    try:
        listed = subprocess.run([program, "--list-langs"], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return f"Tesseract does not run ({type(error).__name__}): install it again"
    there = set(listed.stdout.splitlines()[1:])
    lacking = [name for name in language.split("+") if name not in there]
    if lacking:
        packages = " ".join(f"tesseract-ocr-{name.replace('_', '-')}" for name in lacking)
        return (
            f"Tesseract has no language {', '.join(lacking)}: `apt install {packages}` or `brew install tesseract-lang`"
        )
    return Tesseract(program, language, "osd" in there)


def see(page: Any, tesseract: Tesseract, grant: Callable[[float], None]) -> tuple[Seen, ...]:
    """The lines that Tesseract sees on a PyMuPDF page; none on a blank one.

    `grant` is told of seconds that the file may take in addition. Raises ValueError where a page can't be seen.
    """
    if _picture(page, GLANCE)[0].is_unicolor:
        return ()
    picture, resolution = _picture(page, RESOLUTION)
    grant(PAGE_SECONDS)
    started = time.monotonic()
    try:
        hocr = _run(tesseract, picture.tobytes("pgm"), resolution)
    finally:
        grant(time.monotonic() - started - PAGE_SECONDS)  # what it did not take
    return seen(hocr, 72 / resolution)


def seen(hocr: bytes, scale: float) -> tuple[Seen, ...]:
    """The lines of Tesseract's hOCR, pixels times scale as points; sizes that are nearly the page's main one are it."""
    try:
        lines = list(_lines(ElementTree.fromstring(hocr), scale))
    except ElementTree.ParseError as error:
        raise ValueError(f"Tesseract's output can't be read: {error}") from None
    if not lines:
        return ()
    main = _median([(line.size, sum(len(word.text) for word in line.words)) for line in lines])
    return tuple(replace(line, size=_snapped(line.size, main)) for line in lines)


def _snapped(size: float, main: float) -> float:
    return round(main * 2) / 2 if abs(size - main) <= ALIKE * main else float(round(size))


def _picture(page: Any, most: int) -> tuple[Any, int]:
    """The page in grey and its resolution, so many dots an inch at most."""
    pymupdf = mupdf.load()

    inches = max(page.rect.width, 1) * max(page.rect.height, 1) / 72**2
    resolution = min(most, int((MOST_PIXELS / inches) ** 0.5))
    if resolution < min(LOWEST, most):
        raise ValueError("a page of many square metres")
    return page.get_pixmap(dpi=resolution, colorspace=pymupdf.csGRAY, alpha=False), resolution


def _run(tesseract: Tesseract, picture: bytes, resolution: float) -> bytes:
    """Tesseract's hOCR for a picture."""
    mode = "1" if tesseract.turns else "3"
    options = ["-l", tesseract.language, "--psm", mode, "--dpi", f"{resolution:.0f}"]
    # A process a core reads files already: more threads would only wait for each other.
    with subprocess.Popen(
        [tesseract.program, "-", "-", *options, "hocr"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
    ) as process:
        _limit(process.pid)
        try:
            hocr, _ = process.communicate(picture, timeout=PAGE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise ValueError(f"took Tesseract more than {PAGE_SECONDS:.0f} s") from None
    if process.returncode:
        raise ValueError(f"Tesseract failed (status {process.returncode})")
    return hocr


def _limit(pid: int) -> None:
    """The kernel ends a Tesseract whose parent did not live to do so."""
    if sys.platform == "linux":
        import resource

        try:
            resource.prlimit(pid, resource.RLIMIT_CPU, (int(PAGE_SECONDS), int(PAGE_SECONDS)))
        except (ProcessLookupError, PermissionError, ValueError):  # it is done; or a lower limit is in force
            return


def _lines(root: ElementTree.Element, scale: float) -> Iterator[Seen]:
    for element in root.iter():
        title = _properties(element)
        if "x_size" not in title:
            continue
        found = [(word, _properties(word)) for word in element.iter() if word.get("class") == "ocrx_word"]
        words = [
            ("".join(word.itertext()).strip(), _rect(said["bbox"], scale), float(said.get("x_wconf", "0")))
            for word, said in found
        ]
        words = [(text, rect, sure) for text, rect, sure in words if text and sure >= SURE]
        if not words or sum(sure for *_, sure in words) < LIKELY * len(words):
            continue
        line = _rect(title["bbox"], scale)
        slope, offset = map(float, title["baseline"].split()) if "baseline" in title else (0.0, 0.0)
        yield Seen(
            tuple(Word(text, rect, line.y1 + offset * scale + slope * (rect.x0 - line.x0)) for text, rect, _ in words),
            line,
            float(title["x_size"]) * scale,
            round(float(title.get("textangle", "0")) / 90) % 4,
        )


def _properties(element: ElementTree.Element) -> dict[str, str]:
    """What hOCR writes into an element's title: "bbox 1 2 3 4; x_wconf 95"."""
    parts = (part.strip().partition(" ") for part in element.get("title", "").split(";"))
    return {name: value for name, _, value in parts}


def _rect(numbers: str, scale: float) -> Rect:
    x0, y0, x1, y1 = (float(number) * scale for number in numbers.split()[:4])
    return Rect(x0, y0, x1, y1)


def _median(weighted: Sequence[tuple[float, int]]) -> float:
    """The value in the middle of the weights."""
    half, reached = sum(weight for _, weight in weighted) / 2, 0
    for value, weight in sorted(weighted):
        reached += weight
        if reached >= half:
            return value
    raise ValueError("nothing was weighed")

"""A vendor's product brief in two revisions that differ in their figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Frame, PageTemplate, Paragraph, Spacer

from sample_pdfs.page import NOTICE, Sheet, style, table

WIDTH, HEIGHT = A4
MARGIN = 56
RED = colors.HexColor("#8c2f39")
HEAD = style("head", "Helvetica-Bold", 12.5, 16, spaceBefore=12, spaceAfter=5, textColor=RED)
BODY = style("body", "Helvetica", 9.6, 13.2, spaceAfter=6)
BULLET = style("bullet", "Helvetica", 9.6, 13.2, leftIndent=14, bulletIndent=3, spaceAfter=2)
CELL = style("cell", "Helvetica", 9, 12)
CELL_HEAD = style("cell-head", "Helvetica-Bold", 9, 12)
SMALL = style("small", "Helvetica-Oblique", 8, 10.4, spaceBefore=4)


@dataclass(frozen=True, slots=True)
class Revision:
    """What one edition of the brief says."""

    letter: str
    date: str
    lead: str
    points: tuple[str, ...]
    rows: tuple[tuple[str, str], ...]
    thermal: str
    orders: tuple[tuple[str, str], ...]
    closing: tuple[str, str]


A = Revision(
    "A",
    "March 2022",
    "The BX-40 is a passively cooled board for serving language and vision models. It follows the BX-20 and fits the "
    "same slot, so a server can be upgraded in place. One board holds a 34-billion-parameter model in 8-bit weights.",
    (
        "Twice the throughput of the BX-20 at 24% more board power",
        "Sparse mode for mixtures of experts",
        "Secure boot and signed firmware",
    ),
    (
        ("Memory", "48 GB"),
        ("Memory bandwidth", "1.6 TB/s"),
        ("Peak throughput, FP16", "198 TFLOPS"),
        ("Peak throughput, INT8", "396 TOPS"),
        ("Board power, maximum", "340 W"),
        ("Board power, idle", "62 W"),
        ("Inlet air temperature", "5 to 35 °C"),
        ("Weight", "1.42 kg"),
        ("Mean time between failures", "310,000 h"),
    ),
    "The board needs an airflow of 18 litres per second at an inlet of 30 °C. Above that it lowers its clock in steps "
    "of 75 MHz and reports the event to the host. Liquid cooling is not offered for this revision.",
    (("BX40-A-STD", "full-height bracket"), ("BX40-A-LP", "low-profile bracket")),
    ("Known limits",
     "Firmware before 1.8 may report board power as much as 12% too low at small batch sizes. Sparse mode is limited "
     "to 16 experts. These limits will be lifted by a later revision."),
)  # fmt: skip
B = Revision(
    "B",
    "June 2023",
    "Revision B moves the BX-40 to a denser memory and a more efficient voltage regulator. Boards of both revisions "
    "can be mixed in one server, which then runs all of them at the limits of revision A.",
    (
        "More memory at a lower board power",
        "Sparse mode for up to 64 experts",
        "Optional cold plate for liquid cooling",
    ),
    (
        ("Memory", "64 GB"),
        ("Memory bandwidth", "2.0 TB/s"),
        ("Peak throughput, FP16", "212 TFLOPS"),
        ("Peak throughput, INT8", "424 TOPS"),
        ("Board power, maximum", "310 W"),
        ("Board power, idle", "55 W"),
        ("Inlet air temperature", "5 to 40 °C"),
        ("Weight", "1.38 kg"),
        ("Mean time between failures", "365,000 h"),
    ),
    "The board needs an airflow of 15 litres per second at an inlet of 30 °C. With the cold plate it accepts water of "
    "17 to 45 °C at 0.9 litres per minute, and the inlet limit for air no longer applies.",
    (("BX40-B-STD", "full-height bracket"), ("BX40-B-LP", "low-profile bracket"), ("BX40-B-CP", "cold plate")),
    ("Changes since revision A",
     "Power readings now come from a calibrated shunt with an error below 2%. The auxiliary connector has moved to the "
     "rear edge. The warranty has been extended from three years to four."),
)  # fmt: skip


def story(revision: Revision) -> list[Flowable]:
    """The brief in reading order."""
    widths = [250, WIDTH - 2 * MARGIN - 262]
    stripes = [("BACKGROUND", (0, i), (-1, i), colors.HexColor("#f4ecec")) for i in range(2, 10, 2)]
    return [
        Paragraph("Overview", HEAD),
        Paragraph(revision.lead, BODY),
        *(Paragraph(point, BULLET, bulletText="\u2022") for point in revision.points),
        Paragraph("Specifications", HEAD),
        table([("Property", "Value"), *revision.rows], CELL, widths, head=CELL_HEAD, words=[1], more=stripes),
        Paragraph("Measured on engineering samples at 25 °C. Values may change without notice.", SMALL),
        Paragraph("Cooling", HEAD),
        Paragraph(revision.thermal, BODY),
        Paragraph("Ordering codes", HEAD),
        table([("Code", "Form"), *revision.orders], CELL, widths, head=CELL_HEAD, words=[1]),
        Spacer(1, 4),
        Paragraph(revision.closing[0], HEAD),
        Paragraph(revision.closing[1], BODY),
    ]


def make(path: Path, revision: Revision) -> None:
    """Write one revision of the brief."""

    def banner(canvas: Canvas, _: object) -> None:
        canvas.setFillColor(RED)
        canvas.rect(0, HEIGHT - 92, WIDTH, 92, stroke=0, fill=1)
        canvas.setFillColor(colors.white)
        canvas.setFont("Helvetica-Bold", 24)
        canvas.drawString(MARGIN, HEIGHT - 52, "BX-40")
        canvas.setFont("Helvetica", 13)
        canvas.drawString(MARGIN, HEIGHT - 74, "Inference accelerator · product brief")
        canvas.setFont("Helvetica", 9)
        canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 46, "Brantwell Semiconductor")
        canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 74, f"Revision {revision.letter} · {revision.date}")
        canvas.setFillColor(colors.black)
        canvas.setFont("Helvetica", 7.5)
        canvas.drawString(MARGIN, 34, NOTICE)
        canvas.drawRightString(WIDTH - MARGIN, 34, f"BX40-PB-{revision.letter}")

    sheet = Sheet(path, f"BX-40 product brief, revision {revision.letter}", "Brantwell Semiconductor")
    frame = Frame(MARGIN, 56, WIDTH - 2 * MARGIN, HEIGHT - 160, leftPadding=0, rightPadding=0)
    sheet.addPageTemplates([PageTemplate("page", [frame], onPage=banner)])
    sheet.build(story(revision))


def make_a(path: Path) -> None:
    """Write revision A."""
    make(path, A)


def make_b(path: Path) -> None:
    """Write revision B."""
    make(path, B)

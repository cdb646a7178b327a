"""A landscape slide deck: big titles, bullets, a table, a chart that is a picture."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib import colors
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, Table, TableStyle

from sample_pdfs.page import NOTICE, style

WIDTH, HEIGHT = 720, 405
BLUE = colors.HexColor("#12466b")
TITLE = style("title", "Helvetica-Bold", 27, 32, textColor=BLUE)
COVER = style("cover", "Helvetica-Bold", 36, 43, textColor=colors.white)
COVER_SUB = style("cover-sub", "Helvetica", 17, 23, textColor=colors.white)
BULLET = style("bullet", "Helvetica", 17, 22, leftIndent=20, bulletIndent=2, bulletFontSize=17)
SMALL = style("small", "Helvetica", 11, 14)
LEVELS = {
    2023: [88, 90, 91, 87, 79, 66, 52, 40, 35, 41, 55, 68],
    2022: [90, 92, 93, 91, 88, 83, 77, 73, 71, 74, 80, 85],
}
MONTHS = "JFMAMJJASOND"


def hydrograph() -> Image.Image:
    """The level of the reservoir by month, as a scanned-in picture."""
    picture = Image.new("RGB", (900, 560), "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(22)
    left, top, right, bottom = 80, 40, 870, 490
    for percent in range(0, 101, 20):
        y = bottom - (bottom - top) * percent / 100
        draw.line([(left, y), (right, y)], fill="#d0d0d0", width=2)
        draw.text((left - 12, y), f"{percent}", fill="black", font=font, anchor="rm")
    step = (right - left) / 11
    for year, colour in [(2022, "#9aa7b0"), (2023, "#12466b")]:
        points = [(left + step * m, bottom - (bottom - top) * level / 100) for m, level in enumerate(LEVELS[year])]
        draw.line(points, fill=colour, width=6, joint="curve")
        draw.text((points[6][0] + 14, points[6][1] - 30), str(year), fill=colour, font=font)
    for month, letter in enumerate(MONTHS):
        draw.text((left + step * month, bottom + 18), letter, fill="black", font=font, anchor="mm")
    draw.text((left, 14), "Level (% of capacity)", fill="black", font=font)
    return picture


def bullets(*texts: str) -> list[Flowable]:
    """The bullets of a slide."""
    return [Paragraph(text, BULLET, bulletText="•") for text in texts]


def place(canvas: Canvas, parts: list[Flowable], x: float, y: float, width: float, gap: float = 9) -> float:
    """Draw the parts below each other and tell where they end."""
    for part in parts:
        _, high = part.wrapOn(canvas, width, HEIGHT)
        y -= high
        part.drawOn(canvas, x, y)
        y -= gap
    return y


def slide(canvas: Canvas, title: str, parts: list[Flowable], width: float = WIDTH - 96) -> None:
    """A slide up to its bullets; the caller adds pictures and turns the page."""
    canvas.setFillColor(BLUE)
    canvas.rect(0, HEIGHT - 12, WIDTH, 12, stroke=0, fill=1)
    y = place(canvas, [Paragraph(title, TITLE)], 48, HEIGHT - 34, WIDTH - 96)
    place(canvas, parts, 48, y - 14, width)
    canvas.setFont("Helvetica", 9)
    canvas.setFillColor(colors.HexColor("#666666"))
    canvas.drawString(48, 18, "Isbrook Water Board · members' meeting, 16 November 2023")
    canvas.drawRightString(WIDTH - 48, 18, str(canvas.getPageNumber()))


def stages() -> Table:
    """The drought stages."""
    rows = [
        ["", "Reservoir below", "What applies"],
        ["Stage 1", "60%", "Appeal to save; no car washing"],
        ["Stage 2", "45%", "No garden watering; large users cut by a fifth"],
        ["Stage 3", "30%", "Standpipes at night; large users cut by a half"],
    ]
    grid = TableStyle(
        [
            ("FONT", (0, 0), (-1, -1), "Helvetica", 14),
            ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 14),
            ("TEXTCOLOR", (0, 0), (-1, 0), colors.white),
            ("BACKGROUND", (0, 0), (-1, 0), BLUE),
            ("GRID", (0, 0), (-1, -1), 0.6, colors.HexColor("#8aa0b0")),
            ("TOPPADDING", (0, 0), (-1, -1), 6),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 8),
        ]
    )
    return Table(rows, colWidths=[90, 140, 394], style=grid)


def cover(canvas: Canvas) -> None:
    """The first slide, white on blue."""
    canvas.setFillColor(BLUE)
    canvas.rect(0, 0, WIDTH, HEIGHT, stroke=0, fill=1)
    parts: list[Flowable] = [
        Paragraph("Isbrook Reservoir after the dry summer of 2023", COVER),
        Paragraph("What happened, what it cost, what comes next", COVER_SUB),
        Paragraph("Isbrook Water Board · Dagny Thorsrud, chief hydrologist", COVER_SUB),
    ]
    place(canvas, parts, 60, HEIGHT - 110, WIDTH - 120, gap=14)
    canvas.setFillColor(colors.white)
    canvas.setFont("Helvetica", 10)
    canvas.drawString(60, 36, NOTICE)
    canvas.showPage()


def make(path: Path) -> None:
    """Write the deck."""
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT), invariant=1)
    canvas.setTitle("Isbrook Reservoir after the dry summer of 2023")
    canvas.setAuthor("Isbrook Water Board")
    cover(canvas)
    slide(canvas, "The reservoir in four numbers", bullets(
        "18.6 million m³ when full, half of it below the old intake",
        "1.81 million m³ withdrawn by all users in 2023",
        "1.1 million m³ lost to evaporation, more than the farms took",
        "Inflow from April to September was 46% below the mean of ten years",
    ))  # fmt: skip
    canvas.showPage()
    slide(canvas, "How low did it go?", bullets(
        "34% of capacity on 9 September",
        "71% is usual for that day",
        "Stage 2 from 14 July to 22 October",
        "Stage 3 was never declared",
    ), width=270)  # fmt: skip
    stream = BytesIO()
    hydrograph().save(stream, "PNG")
    canvas.drawImage(ImageReader(stream), 338, 74, 344, 214)
    place(canvas, [Paragraph("Fig. 1: Level at the end of each month, 2022 and 2023", SMALL)], 340, 68, 340)
    canvas.showPage()
    slide(canvas, "Who uses the water", [*bullets(
        "Households and small trade: 61%",
        "Farms: 24%",
        "The data centre at Isbrook Campus: 7%",
        "Others, leaks included: 8%",
    ), Paragraph("Shares of withdrawals in 2023. In 2018, before its second tower, the campus took "
                 "4%.", SMALL)])  # fmt: skip
    canvas.showPage()
    slide(canvas, "Drought stages", [stages(), Paragraph(
        "A stage is lifted when the level has been above its mark for 14 days. “Large users” are those above 20,000 m³ "
        "a year: the campus, the dairy and the cannery.", SMALL)])  # fmt: skip
    canvas.showPage()
    slide(canvas, "What we did in 2023", bullets(
        "Repaired 131 leaks, which saves 52,000 m³ a year",
        "Lowered the intake by six metres, for USD 2.4 million",
        "Carried water to 83 farms by lorry for 27 days",
        "Paid the cannery USD 310,000 to stop early",
    ))  # fmt: skip
    canvas.showPage()
    slide(canvas, "Two ways to more water", bullets(
        "Reclaimed water pipeline (RWP): 9.4 km from the sewage works to the campus and the dairy, USD 0.62 per m³, "
        "ready in April 2025",
        "Desalination at the coast: USD 1.95 per m³, not before 2029",
        "The board voted for the RWP and against desalination, by 11 to 2",
        "A third reservoir was not studied: no valley is left",
    ))  # fmt: skip
    canvas.showPage()
    canvas.save()

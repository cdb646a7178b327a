"""A numbered annual report with a title page, running heads, page numbers, footnotes and tables."""

from __future__ import annotations

from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Frame, NextPageTemplate, PageBreak, PageTemplate, Paragraph, Spacer

from sample_pdfs.page import NOTICE, Sheet, style, table

WIDTH, HEIGHT = A4
MARGIN = 70
GREEN = colors.HexColor("#1f5a4c")

COVER = style("cover", "Helvetica-Bold", 28, 34, textColor=GREEN)
COVER_SUB = style("cover-sub", "Helvetica", 14, 20)
HEAD = style("head", "Helvetica-Bold", 15, 19, spaceBefore=16, spaceAfter=7, textColor=GREEN, keepWithNext=1)
SUBHEAD = style("subhead", "Helvetica-Bold", 11.5, 15, spaceBefore=10, spaceAfter=4, keepWithNext=1)
BODY = style("body", "Times-Roman", 11, 14.5, spaceAfter=7)
BULLET = style("bullet", "Times-Roman", 11, 14.5, leftIndent=16, bulletIndent=4, spaceAfter=3)
CAPTION = style("caption", "Helvetica-Bold", 9, 12, spaceBefore=4, spaceAfter=4, keepWithNext=1)
CELL = style("cell", "Helvetica", 9, 11.5)
CELL_HEAD = style("cell-head", "Helvetica-Bold", 9, 11.5)
NOTE = style("note", "Times-Roman", 8.5, 10.2)


class Footnote(Flowable):
    """Nothing in the text; a note at the foot of the page on which it stands."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def wrap(self, *_: float) -> tuple[float, float]:
        """No room in the text."""
        return 0, 0

    def draw(self) -> None:
        """Leave the text for the end of the page."""
        vars(self.canv).setdefault("notes", []).append(self.text)


def page_end(canvas: Canvas, _: object) -> None:
    """Running head, notes, page number."""
    canvas.setFont("Helvetica", 8)
    canvas.setFillColor(colors.HexColor("#555555"))
    canvas.drawString(MARGIN, HEIGHT - 42, "Fennmark Compute Cooperative")
    canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 42, "Resource Use Report 2024")
    canvas.line(MARGIN, HEIGHT - 47, WIDTH - MARGIN, HEIGHT - 47)
    canvas.drawCentredString(WIDTH / 2, 36, f"Page {canvas.getPageNumber()} of 4")
    canvas.setFillColor(colors.black)
    notes = [Paragraph(text, NOTE) for text in vars(canvas).pop("notes", [])]
    y = 56 + sum(note.wrapOn(canvas, WIDTH - 2 * MARGIN, 100)[1] for note in notes)
    if notes:
        canvas.line(MARGIN, y + 4, MARGIN + 110, y + 4)
    for note in notes:
        y -= note.height
        note.drawOn(canvas, MARGIN, y)


def cover_end(canvas: Canvas, _: object) -> None:
    """A coloured band and the notice."""
    canvas.setFillColor(GREEN)
    canvas.rect(0, HEIGHT - 120, WIDTH, 120, stroke=0, fill=1)
    canvas.setFillColor(colors.white)
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(MARGIN, HEIGHT - 70, "Fennmark Compute Cooperative")
    canvas.setFillColor(colors.black)
    canvas.setFont("Helvetica", 9)
    canvas.drawString(MARGIN, 60, NOTICE)


ELECTRICITY = [
    ["Site", "2022", "2023", "2024"],
    ["Sundrey Quay", "41,200", "44,900", "52,640"],
    ["Isbrook Campus", "67,850", "71,300", "69,480"],
    ["Merrow Hill", "22,400", "23,150", "24,310"],
    ["All sites", "131,450", "139,350", "146,430"],
]
PUE = [
    ["Site", "2022", "2023", "2024"],
    ["Sundrey Quay", "1.19", "1.17", "1.14"],
    ["Isbrook Campus", "1.28", "1.26", "1.24"],
    ["Merrow Hill", "1.34", "1.33", "1.31"],
]
WATER = [
    ["Site", "2022", "2023", "2024", "WUE 2024 (L/kWh)"],
    ["Sundrey Quay", "9,800", "9,300", "8,700", "0.19"],
    ["Isbrook Campus", "118,400", "126,900", "97,300", "1.74"],
    ["Merrow Hill", "4,100", "4,200", "4,350", "0.23"],
    ["All sites", "132,300", "140,400", "110,350", ""],
]
EMISSIONS = [
    ["", "2023", "2024"],
    ["Scope 1, diesel and refrigerants", "455", "412"],
    ["Scope 2, location-based", "19,840", "18,930"],
    ["Scope 2, market-based", "7,150", "6,210"],
    ["Scope 3, central estimate", "29,600", "31,700"],
]


def bullets(*items: str) -> list[Flowable]:
    """A bulleted list."""
    return [Paragraph(item, BULLET, bulletText="•") for item in items]


def figures(rows: list[list[str]], widths: list[float], total: bool = False) -> Flowable:
    """A table, its last row set off when it is the total."""
    rule = [("LINEABOVE", (0, -1), (-1, -1), 0.5, colors.black)] if total else []
    return table(rows, CELL, widths, head=CELL_HEAD, more=rule)


def story() -> list[Flowable]:
    """The report in reading order."""
    return [
        Spacer(1, 190),
        Paragraph("Resource Use Report 2024", COVER),
        Spacer(1, 10),
        Paragraph("Electricity, water, emissions and equipment at Sundrey Quay, Isbrook Campus and Merrow Hill",
                  COVER_SUB),
        Spacer(1, 30),
        Paragraph("Published on 14 March 2025. Approved by the members' assembly on 27 March 2025.", COVER_SUB),
        NextPageTemplate("body"), PageBreak(),
        Paragraph("1 About this report", HEAD),
        Paragraph("Fennmark Compute Cooperative was founded in 2011 by nine town councils on the Sundrey coast. It now "
                  "runs three data-centre sites for 212 member organisations and employed 312 people at the end of "
                  "2024, eleven more than a year before. This report covers the calendar year 2024 and replaces the "
                  "short summaries that were printed in earlier annual accounts.", BODY),
        Paragraph("1.1 Boundaries", SUBHEAD),
        Paragraph("All figures are for whole sites, offices and workshops included, and come from the utilities' "
                  "meters unless a note says otherwise. The warm-water line, which carries heat from Sundrey Quay into "
                  "the town, belongs to a joint company and is left out except where heat leaves our fence.", BODY),
        Paragraph("1.2 Terms", SUBHEAD),
        Paragraph("Power usage effectiveness (PUE) is the electricity of a site divided by that of its IT equipment. "
                  "Water usage effectiveness (WUE) is fresh water withdrawn, in litres, for each kilowatt-hour of IT "
                  "electricity. Emissions are given in tonnes of carbon dioxide equivalent (tCO2e).", BODY),
        Paragraph("2 Electricity", HEAD),
        Paragraph("2.1 Consumption", SUBHEAD),
        Paragraph("Our sites drew 146,430 MWh in 2024, 5.1% more than in the year before. Growth was confined to "
                  "Sundrey Quay, where the second hall opened in April, and to Merrow Hill. At Isbrook Campus "
                  "consumption fell for the first time, because 1,100 of the oldest servers were moved to the "
                  "quay.<super>1</super>", BODY),
        Footnote("1. The move took place between 6 May and 21 June 2024. Electricity used by the machines in transit "
                 "and in testing, about 60 MWh, is counted at the receiving site."),
        Paragraph("Table 1. Electricity drawn from the grid (MWh)", CAPTION),
        figures(ELECTRICITY, [150, 80, 80, 80], total=True),
        Spacer(1, 10),
        Paragraph("2.2 Efficiency", SUBHEAD),
        Paragraph("The best PUE was again that of Sundrey Quay, whose pumps need less than a third of the power of the "
                  "towers at Isbrook. Merrow Hill remains the worst of the three, as its halls were built for "
                  "colocation in 2012 and their floors leak air. A renovation is planned for 2026.", BODY),
        Paragraph("Table 2. Power usage effectiveness", CAPTION),
        figures(PUE, [150, 80, 80, 80]),
        Spacer(1, 10),
        Paragraph("2.3 Origin", SUBHEAD),
        Paragraph("Contracts with two wind farms and our own 4.6 MW of solar panels covered 71% of consumption in "
                  "2024, after 64% in 2023 and 58% in 2022. The remainder is bought on the day-ahead market. We do not "
                  "buy certificates that are not tied to a plant.<super>2</super>", BODY),
        Footnote("2. A certificate for 3,000 MWh that came with the lease of an office was retired without being "
                 "counted."),
        Paragraph("3 Water", HEAD),
        Paragraph("3.1 Withdrawals", SUBHEAD),
        Paragraph("We withdrew 110,350 m³ of fresh water, of which Isbrook Campus took 88%. The campus used 97,300 m³, "
                  "almost a quarter less than in the dry year 2023, thanks to a warmer supply-air setting and a mild "
                  "August. Sea water that passes through the heat exchangers at the quay, some 21 million m³, returns "
                  "to the harbour and is not counted.<super>3</super>", BODY),
        Footnote("3. The 2022 figure for Merrow Hill has been restated from 3,600 m³ to 4,100 m³ after a faulty meter "
                 "was found and replaced in November 2023."),
        Paragraph("Table 3. Fresh water withdrawn (m³), and WUE", CAPTION),
        figures(WATER, [130, 70, 70, 70, 110], total=True),
        Spacer(1, 10),
        Paragraph("3.2 Target", SUBHEAD),
        Paragraph("By 2027 Isbrook Campus shall withdraw less than 80,000 m³ of drinking water a year. The main step "
                  "is the connection to the water board's pipeline for reclaimed water, which our members approved in "
                  "June with 187 votes to 14. From the second half of 2025 it should replace 30% to 45% of what the "
                  "towers take from the reservoir today.", BODY),
        Paragraph("3.3 Discharge", SUBHEAD),
        Paragraph("The permit for Sundrey Quay allows returned sea water to be at most 3 °C warmer than the harbour. "
                  "The limit was exceeded on four days in July, each time for less than five hours, when a jellyfish "
                  "bloom blocked two of the six intake screens. The harbour authority was informed and imposed no "
                  "fine. The screens have since been fitted with an air curtain, and no further excess has been "
                  "recorded up to the date of this report.", BODY),
        Paragraph("4 Emissions", HEAD),
        Paragraph("Table 4. Greenhouse-gas emissions (tCO2e)", CAPTION),
        figures(EMISSIONS, [220, 80, 80]),
        Spacer(1, 8),
        Paragraph("Our own emissions come from testing the 14 backup generators and from two leaks of refrigerant. "
                  "Scope 3 is the least certain figure. Two thirds of it is the making of servers, for which few "
                  "suppliers give data, so we estimate a range of 28,000 to 35,500 tCO2e around the central value. "
                  "Emissions of the members' own offices are not included.<super>4</super>", BODY),
        Footnote("4. The method follows the cooperative's accounting manual, fourth edition. Flights of staff, 61 "
                 "tCO2e, are part of Scope 3."),
        Paragraph("4.1 Backup generators", SUBHEAD),
        Paragraph("Each generator is tested once a month for 30 minutes. Since October 2024 the seven at Sundrey Quay "
                  "run on hydrotreated vegetable oil; those at the other two sites still burn diesel. In the only real "
                  "outage of the year, on 2 December, the generators at Merrow Hill carried the site for 3 hours and "
                  "20 minutes without loss of service.", BODY),
        Paragraph("5 Equipment", HEAD),
        Paragraph("5.1 Purchases and retirements", SUBHEAD),
        Paragraph("The cooperative bought 420 servers and retired 655. The average server was 5.4 years old when it "
                  "left service. Accelerators are now all of the BX line; the last BX-20 boards were switched off on "
                  "30 September.", BODY),
        Paragraph("5.2 What became of the old servers", SUBHEAD),
        *bullets("388 were refurbished and given to schools of the region;",
                 "203 were sold for parts;",
                 "64 were recycled as scrap, of which 11 because their disks could not be wiped."),
        Paragraph("6 Outlook", HEAD),
        Paragraph("We expect to draw between 150,000 and 158,000 MWh in 2025, as the second hall at the quay fills up. "
                  "A decision on a fourth site has been put off until the members' assembly of 2026. The report for "
                  "2025 will be the first to be assured by an outside auditor.", BODY),
        Paragraph("Questions about this report go to Lise Marchetti, resource analyst, at "
                  "resources@example.org.", BODY),
    ]  # fmt: skip


def make(path: Path) -> None:
    """Write the report."""
    sheet = Sheet(path, "Resource Use Report 2024", "Fennmark Compute Cooperative")

    def frame() -> Frame:
        return Frame(MARGIN, 110, WIDTH - 2 * MARGIN, HEIGHT - 172, leftPadding=0, rightPadding=0)

    sheet.addPageTemplates(
        [
            PageTemplate("cover", [frame()], onPage=cover_end),
            PageTemplate("body", [frame()], onPageEnd=page_end),
        ]
    )
    sheet.build(story())

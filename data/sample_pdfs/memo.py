"""A memo in one font size whose heads are only bold."""

from __future__ import annotations

from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Frame, PageTemplate, Paragraph, Spacer

from sample_pdfs.page import NOTICE, Sheet, style

SIZE = 11
BODY = style("body", "Helvetica", SIZE, 14.5, spaceAfter=8)
HEAD = style("head", "Helvetica-Bold", SIZE, 14.5, spaceBefore=6, spaceAfter=2)
ITEM = style("item", "Helvetica", SIZE, 14.5, leftIndent=20, bulletIndent=6, spaceAfter=3)


def foot(canvas: Canvas, _: object) -> None:
    """The notice, in the size of all else."""
    canvas.setFont("Helvetica", SIZE)
    canvas.drawString(72, 44, NOTICE)
    canvas.drawRightString(A4[0] - 72, 44, f"- {canvas.getPageNumber()} -")


def items(*texts: str) -> list[Flowable]:
    """A numbered list."""
    return [Paragraph(text, ITEM, bulletText=f"{i}.") for i, text in enumerate(texts, start=1)]


def story() -> list[Flowable]:
    """The memo in reading order."""
    return [
        Paragraph("MEMORANDUM", HEAD),
        Spacer(1, 6),
        Paragraph("<b>To:</b> Site leads and shift leaders<br/><b>From:</b> Priya Ostler, Head of Facilities<br/>"
                  "<b>Date:</b> 18 January 2024<br/><b>Subject:</b> Cooling at Isbrook Campus from this spring", BODY),
        Spacer(1, 6),
        Paragraph("Why things change", HEAD),
        Paragraph("Last summer we were closer to a shutdown at the campus than most of you know. On two evenings in "
                  "September the towers had water for nine hours, and the tankers that I had ordered were stuck behind "
                  "a landslide on the valley road. We must need less water before the next dry summer, and we must "
                  "know beforehand what we do when there is none.", BODY),
        Paragraph("Warmer supply air", HEAD),
        Paragraph("From 1 March the supply air in halls 1 to 4 is raised from 22 °C to 26 °C, one degree a week. Hall "
                  "5 stays at 22 °C until its tape library has moved out. I expect the warmer setting to save between "
                  "21,000 and 26,000 m3 a year. Server fans will turn faster and eat about 400 MWh of what we gain on "
                  "the electricity side, so do not promise anyone lower bills.", BODY),
        Paragraph("The makers of our servers allow inlet air of up to 35 °C for most boards. We stay well below that, "
                  "and alarms remain at 29 °C.", BODY),
        Paragraph("What to do when the reservoir falls", HEAD),
        Paragraph("The water board announces drought stages by text message. These rules apply from now on, without a "
                  "call to me first:", BODY),
        *items("At Stage 1, the shift leader checks the storage tank twice a day and stops washing the solar panels.",
               "At Stage 2, the towers are switched to dry mode and the campus sheds load to 80% of its capacity. "
               "Batch work goes to Sundrey Quay.",
               "At Stage 3, load is cut to 55%, and the members' service desk tells the schools and libraries. Clinics "
               "are never cut."),
        Spacer(1, 6),
        Paragraph("Dry mode costs us in electricity: expect a PUE of about 1.41 at the campus on a hot day, against an "
                  "average of 1.26 last year.", BODY),
        Paragraph("Spare parts", HEAD),
        Paragraph("The stock of tower fans goes up from 24 to 36, kept in the blue container behind hall 3. Nozzles "
                  "and drift plates are ordered twice a year as before. The budget for all of this is USD 185,000, of "
                  "which USD 62,000 has been spent on the fans.", BODY),
        Paragraph("Generator tests", HEAD),
        Paragraph("Neighbours complained about the noise on Monday mornings, when the school bus stops at our gate. "
                  "Tests move to Wednesdays at 14:00. The length stays the same.", BODY),
        Paragraph("The RWP", HEAD),
        Paragraph("Several of you asked whether the RWP makes all this needless. It does not. It will not carry a drop "
                  "before next year, its water has more salts than our nozzles like, and in its first season we get it "
                  "only at night. Henrik Solbakken prepares the connection and answers questions about it.", BODY),
        Paragraph("Training", HEAD),
        Paragraph("Everyone on shift at the campus takes the half-day course on dry mode before 31 May. Dates are on "
                  "the board in the canteen. Sessions hold eight people; sign up with Nadia Brekke. Whoever has not "
                  "taken the course by then is not to work the towers alone.", BODY),
        Paragraph("P. Ostler", BODY),
    ]  # fmt: skip


def make(path: Path) -> None:
    """Write the memo."""
    sheet = Sheet(path, "Cooling at Isbrook Campus from this spring", "Priya Ostler")
    frame = Frame(72, 70, A4[0] - 144, A4[1] - 140, leftPadding=0, rightPadding=0)
    sheet.addPageTemplates([PageTemplate("memo", [frame], onPage=foot)])
    sheet.build(story())

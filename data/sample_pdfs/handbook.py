"""A field handbook with bookmarks, unnumbered heads, an embedded font and ligatures."""

from __future__ import annotations

from pathlib import Path

import reportlab
from reportlab.lib import colors
from reportlab.lib.pagesizes import A5
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Frame, PageBreak, PageTemplate, Paragraph, Spacer

from sample_pdfs.page import NOTICE, Sheet, style, table

FONTS = Path(reportlab.__file__).parent / "fonts"
WIDTH, HEIGHT = A5
MARGIN = 46


def fonts() -> None:
    """Make reportlab's own Vera fonts known."""
    for name, file in [("Vera", "Vera.ttf"), ("Vera-Bold", "VeraBd.ttf"), ("Vera-Italic", "VeraIt.ttf")]:
        pdfmetrics.registerFont(TTFont(name, FONTS / file))
    pdfmetrics.registerFontFamily("Vera", normal="Vera", bold="Vera-Bold", italic="Vera-Italic")


def ligated(text: str) -> str:
    """The text with fi and fl as one letter each, as typesetting programs write them."""
    return text.replace("fi", "\N{LATIN SMALL LIGATURE FI}").replace("fl", "\N{LATIN SMALL LIGATURE FL}")


class Handbook(Sheet):
    """A sheet that bookmarks its heads."""

    def afterFlowable(self, flowable: Flowable) -> None:
        """Add an outline entry for a head."""
        level = {"part": 0, "head": 1, "subhead": 2}.get(getattr(getattr(flowable, "style", None), "name", ""))
        if level is not None and isinstance(flowable, Paragraph):
            title = flowable.getPlainText()
            key = f"{self.page}-{title}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(title, key, level)


def foot(canvas: Canvas, _: object) -> None:
    """Page number and title, or the notice on the first page."""
    canvas.setFont("Vera", 7)
    number = canvas.getPageNumber()
    canvas.drawString(MARGIN, 26, NOTICE if number == 1 else "LITTORAL Field Handbook · third edition")
    canvas.drawRightString(WIDTH - MARGIN, 26, str(number))


STATIONS = [
    ["Group", "Stations", "Tide", "Oxygen", "Rain"],
    ["Sundrey harbour", "12", "yes", "yes", "no"],
    ["Mud flats", "19", "yes", "yes", "no"],
    ["River Isbrook", "16", "no", "yes", "yes"],
    ["Isbrook Reservoir", "4", "no", "yes", "yes"],
    ["Uplands", "7", "no", "no", "yes"],
]
FAULTS = [
    ["Code", "Meaning", "What to do"],
    ["E02", "No clock", "Leave it in view of a gateway for ten minutes"],
    ["E07", "Optode drifting", "Clean the window, then calibrate in air"],
    ["E11", "Tide tube blocked", "Flush the tube; look for barnacles"],
    ["E15", "Low voltage", "Replace the cell within a week"],
]


def story() -> list[Flowable]:
    """The handbook in reading order."""
    title = style("title", "Vera-Bold", 22, 27)
    part = style("part", "Vera-Bold", 15, 19, spaceBefore=12, spaceAfter=6)
    head = style("head", "Vera-Bold", 10.5, 14, spaceBefore=9, spaceAfter=3)
    subhead = style("subhead", "Vera-Italic", 9, 12, spaceBefore=6, spaceAfter=2)
    body = style("body", "Vera", 8.6, 12.4, spaceAfter=5)
    cell, cell_head = style("cell", "Vera", 7.8, 10), style("cell-head", "Vera-Bold", 7.8, 10)

    def text(words: str) -> Flowable:
        return Paragraph(ligated(words), body)

    faults = table(FAULTS, cell, [36, 90, WIDTH - 2 * MARGIN - 138], head=cell_head, words=[1, 2],
                   more=[("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#e4edf2"))])  # fmt: skip
    return [
        Spacer(1, 110),
        Paragraph("LITTORAL Field Handbook", title),
        Spacer(1, 8),
        Paragraph("Third edition, October 2022", body),
        Paragraph("Coast and River Observatory, Sundrey", body),
        PageBreak(),
        Paragraph("The network", part),
        Paragraph("What LITTORAL is", head),
        text("LITTORAL stands for Linked Instruments for Tide, Temperature, Oxygen, Rain And Levels. It is a network "
             "of 58 small stations between the uplands and the outer mole, built since 2016 with parts that a "
             "fisherman can carry in a rucksack. Jonas Etterby coordinates it; the five area wardens look after the "
             "stations. All measurements are open from the moment they arrive, and are kept for 25 years."),
        Paragraph("Where the stations are", head),
        table(STATIONS, cell, [104, 50, 44, 50, 44], head=cell_head),
        Spacer(1, 6),
        text("Every station measures temperature as well. Only those on the river and the reservoir report the level "
             "of still or flowing water; those in the harbour and on the flats report tide."),
        Paragraph("How data travel", head),
        Paragraph("Radio", subhead),
        text("Stations send by radio at 868 MHz to one of five gateways. In normal weather they report every 15 "
             "minutes. When the wind at the mole passes 17 m/s, the network goes into storm mode and they report every "
             "2 minutes until the wind has stayed below that mark for three hours."),
        Paragraph("Gateways", subhead),
        text("Four gateways hang on the mains. The one on Gull Rock has only the sun and may fall silent in December; "
             "do not row out for that. What a station could not send it keeps for 40 days and sends later, so a gap on "
             "the map is not yet a gap in the record."),
        PageBreak(),
        Paragraph("Care of a station", part),
        Paragraph("Power", head),
        text("A station uses about 0.9 Wh a day, most of it for the radio. Its lithium cell of 19 Ah lasts between 4 "
             "and 6 years, less on the flats, where reports are often repeated. Replace the cell when its voltage "
             "under load falls below 3.1 V, and take the old one back to the depot. It must not go into household "
             "waste."),
        Paragraph("Calibration", head),
        text("Check temperature and level every six months against the reference kit. The oxygen optode needs it more "
             "often: every three months, and after each storm that has thrown sand. Write the date inside the lid with "
             "a paint pen, since labels do not survive a winter."),
        Paragraph("Accuracy to be reached", subhead),
        text("Temperature shall agree with the reference within 0.1 °C, tide and level within 4 mm, dissolved oxygen "
             "within 0.2 mg/L, and rain within 5% of the amount poured. A station that fails twice goes to the "
             "workshop."),
        Paragraph("Fault codes", head),
        faults,
        Spacer(1, 6),
        text("The code blinks on the lid in groups. Count twice before you write it down; beginners often read E11 as "
             "two separate ones."),
        PageBreak(),
        Paragraph("Safety and permission", part),
        Paragraph("On the flats", head),
        text("Nobody goes out alone. Leave the shore no earlier than two hours before low water and be back one hour "
             "after it. In fog turn round at once: the flats have no marks, and the channel behind Gull Rock fills "
             "first. Each pair carries a whistle, a compass and a radio set to the harbour's working channel."),
        Paragraph("In the harbour", head),
        text("Tell the harbour office before you climb down a quay ladder. Poles must not stand higher than 3.2 m "
             "above the quay, and nothing may be fixed to the fenders. The two stations beside the intake of the data "
             "centre belong to us, though its operator pays for them."),
        Paragraph("What the data are used for", part),
        Paragraph("Warnings", head),
        text("The harbour's flood warning needs three stations that agree within 5 cm. The water board uses the four "
             "stations on the reservoir as a check of its own gauge. The observatory itself gives no forecasts."),
        Paragraph("Discharge of warm water", head),
        text("Since 2019 the network has watched the temperature around the sea-water outlet at the quay. The "
             "difference between the stations upstream and downstream is published every hour. In the first three "
             "years its mean was 1.7 °C."),
    ]  # fmt: skip


def make(path: Path) -> None:
    """Write the handbook."""
    fonts()
    sheet = Handbook(path, "LITTORAL Field Handbook", "Coast and River Observatory", pagesize=A5)
    frame = Frame(MARGIN, 44, WIDTH - 2 * MARGIN, HEIGHT - 84, leftPadding=0, rightPadding=0)
    sheet.addPageTemplates([PageTemplate("page", [frame], onPage=foot)])
    sheet.build(story())

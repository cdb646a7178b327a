"""A two-column research paper with tables, charts, a footnote and references."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from reportlab.graphics.charts.barcharts import HorizontalBarChart
from reportlab.graphics.charts.lineplots import LinePlot
from reportlab.graphics.shapes import Drawing, String
from reportlab.graphics.widgets.markers import makeMarker
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    Flowable,
    Frame,
    FrameBreak,
    KeepTogether,
    NextPageTemplate,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

from sample_pdfs.page import NOTICE, Sheet, style, table

WIDTH, HEIGHT = A4
MARGIN, GUTTER, TOP, BOTTOM = 50.0, 20.0, 58.0, 58.0
COLUMN = (WIDTH - 2 * MARGIN - GUTTER) / 2
TITLE_ROOM, FOOTNOTE_ROOM, WIDE_TABLE_ROOM = 100, 46, 116

TITLE = style("title", "Times-Bold", 16.5, 20, alignment=1, spaceAfter=7)
AUTHORS = style("authors", "Times-Roman", 11, 14, alignment=1)
AFFILIATION = style("affiliation", "Times-Italic", 9.5, 12, alignment=1)
HYPHENS = {"hyphenationLang": "en_US", "hyphenationMinWordLength": 6, "embeddedHyphenation": 1}
BODY = style("body", "Times-Roman", 9.6, 11.4, alignment=4, firstLineIndent=10, **HYPHENS)
FIRST = style("first", "Times-Roman", 9.6, 11.4, alignment=4, **HYPHENS)
ABSTRACT = style("abstract", "Times-Bold", 8.8, 10.4, alignment=4, spaceAfter=4, **HYPHENS)
HEAD = style("head", "Times-Bold", 11.5, 14, spaceBefore=9, spaceAfter=3)
SUBHEAD = style("subhead", "Times-BoldItalic", 9.8, 12, spaceBefore=6, spaceAfter=2)
CAPTION = style("caption", "Times-Roman", 8.4, 10, spaceBefore=3, spaceAfter=8)
CELL = style("cell", "Times-Roman", 8.4, 10)
CELL_HEAD = style("cell-head", "Times-Bold", 8.4, 10)
NOTE = style("note", "Times-Roman", 7.6, 9)
REFERENCE = style("reference", "Times-Roman", 8, 9.4, leftIndent=12, firstLineIndent=-12, spaceAfter=2)

ABSTRACT_TEXT = """<i>Abstract</i>—Most published figures for the energy of a language-model request come from
counters on the accelerator itself, which leave out the host, the network and the cooling. We put revenue-grade meters
between the wall and 96 servers of a cooperative operator and recorded eleven months of production traffic. We report
the energy per request (EPR) of three models on three generations of one accelerator line, the fresh water that goes
with it, and the point at which serving a model has cost as much electricity as training it. Replacing a BX-20 by a
BX-60 divides the EPR of our largest model by about three, while the choice of site changes its water by a factor of
ten."""

INTRODUCTION = [
    """How much electricity does one question to a language model use? The public answers differ by two orders of
    magnitude, and much of the spread has nothing to do with the models. It comes from where the measuring instrument
    is put. A counter on the accelerator sees its own chips and memory. It does not see the host processor that
    tokenises the prompt, the switch that carries it, the fans, or the losses in the power supply.""",
    """We had the chance to measure at the socket. Fennmark Compute Cooperative let us fit meters of accuracy class
    0.5 to every rack in one hall at each of its three sites, Sundrey Quay, Isbrook Campus and Merrow Hill, from
    February to December 2023. The hall at Isbrook is cooled by evaporation, the one at the quay by sea water through
    a heat exchanger, and the one on the hill by outside air. This gives us something that earlier work lacks: the
    same software and the same hardware under three cooling systems.""",
    """We define the <i>energy per request</i> (EPR) as all electricity drawn at the rack during a request, divided by
    the number of requests that share the machine, and the <i>water usage effectiveness</i> (WUE) as litres of fresh
    water evaporated or discharged per kilowatt-hour of IT electricity. Sea water that is returned to the harbour does
    not count.""",
]
RELATED = [
    """Brandvold and Sayeh [1] were the first to share out idle power among tenants of one machine, and we follow
    their rule. Corvane et al. [2] estimate the electricity of 41 models from chip specifications and find 0.3 Wh to
    4.4 Wh for a prompt; they measure nothing themselves and assume a host share of 10%. On water, Ostrander [4]
    separates evaporation, drift and blow-down in small towers, and finds that drift, which is what visitors see, is
    less than 0.02% of the circulating flow. A regional view of withdrawals is given by the water board [3], for which
    one campus is only one user among farms and households.""",
    """None of these follows a request from the prompt to the cooling tower. Closest to our aim is the vendor's own
    product brief [5], whose figure of 0.9 Wh for an unnamed 30-billion-parameter model covers the board alone and a
    batch of 32.""",
]
HARDWARE = [
    """Table 1 lists the accelerators, all from Brantwell Semiconductor. The BX-40 boards are of revision A; the
    vendor has since announced a revision with a lower board power, which we could not obtain in time. Every server
    holds eight boards and two host processors.""",
    """We serve three models. Heron-7B and Heron-34B are dense; Plover-180B is a mixture of experts that activates 22
    billion parameters for a token. All run in 8-bit weights unless stated, with continuous batching and a median
    batch of 16.""",
]
METERING = [
    """The meters report every second over a separate network. We align their clocks with the request log to within 20
    ms and attribute the power of a server to the requests in flight in proportion to the tokens that they generate.
    Idle power is shared equally. An idle BX-40 board draws 62 W, an idle BX-60 board 48 W, and at night up to a third
    of a server's electricity is of this kind.""",
    """As a check we read the on-board counters as well. Compared with the socket, the counters under-report by 9% to
    14% even after we add the documented overhead of the host, and the gap widens at small batch sizes. We therefore
    discard them in what follows.""",
]
PER_REQUEST = [
    """Table 2 gives the median EPR. For every model the step from one generation to the next saves between a third
    and a half. The step matters most for Plover-180B, whose expert weights no longer fit in the memory of one BX-20
    server and have to travel over the network. The same model needs 6.30 Wh on the oldest board and 2.05 Wh on the
    newest.""",
    """Fig. 1 shows where the electricity goes for Heron-34B on the BX-40. The accelerators take 61%, so a figure that
    counts only them must be multiplied by about 1.6 to reach the socket. The share of the host is larger than the 10%
    that Corvane et al. [2] assume.""",
    """Batching is the strongest lever that an operator has. Going from single requests to a batch of 16 on the BX-60
    lowers the EPR of Plover-180B from 9.80 Wh to 2.05 Wh (Fig. 2); a further fourfold batch brings only 1.62 Wh and
    doubles the median latency. Reducing weights from 8 to 4 bits cuts the EPR of Heron-34B by 38% at a loss of 1.2
    points on our answer-quality test, i.e. less than the difference between two training seeds for the 7B model but
    more than users in our survey accepted.""",
]
WATER = [
    """Table 3 converts energy to water. At Isbrook Campus a thousand requests to Heron-34B evaporate 2.3 litres on a
    summer afternoon but only 0.9 litres in winter, when the towers run dry for two hours in three. At Sundrey Quay
    the only fresh water is the make-up of the closed loop, 0.2 litres in every season. Moving summer afternoons from
    the campus to the quay would save about 90% of that water at the cost of 6 ms of extra latency.""",
    """The quay is not free of harm. The returned sea water is warmer than the harbour, and the permit limits the
    difference. We did not study the effect on the mud flats.""",
]
TRAINING = [
    """Plover-180B was trained at Merrow Hill on 1,536 BX-40 boards in 47 days and used 1,040 MWh, measured at the
    socket. At the 0.258 kg CO<sub rise="1.5" size="6.5">2</sub>e per kWh of the regional grid in those weeks this is
    268 tCO<sub rise="1.5" size="6.5">2</sub>e. An earlier run that diverged after nine days added 190 MWh, which we
    list apart because most papers would not mention it.""",
    """Serving catches up quickly. At 3.42 Wh a request, the electricity of the training run equals that of 304
    million requests. The cooperative's members sent 2.1 million requests to the model on an average day of March, so
    the break-even came after 145 days. Claims that training dominates the footprint of a model, common in the
    literature until lately, do not hold for a model in steady use.""",
]
DISCUSSION = [
    """What should an operator do first? In our halls the order is clear. Filling batches is free and saves most, as
    long as users accept the wait: in a survey of 640 of them, 72% did not notice a delay of half a second, and 9%
    said that they would leave over it. Replacing boards comes second. A BX-60 that replaces a BX-40 under steady load
    saves its own price in electricity after 3.1 years at the prices of 2023, which is shorter than the five years for
    which the cooperative depreciates its servers but longer than the two years that some commercial operators plan
    for.""",
    """Moving load between sites saves water but hardly any electricity. The PUE of the halls lies between 1.12 and
    1.30, so even a complete move from the hill to the quay would save only about 14% of the facility's electricity.
    In a dry summer the water matters more. The two aims can be at odds: outside air costs fan power, evaporation
    saves it.""",
    """A word on averages. The mean EPR of Heron-34B on the BX-40 is 1.41 Wh, well above the median of 1.08 Wh,
    because a few requests with very long answers weigh heavily. One request in a hundred uses more than 7.5 Wh.
    Reports that divide a monthly bill by a number of requests give the mean, and should say so.""",
]
LIMITS = [
    """Our traffic comes from one operator with 212 member organisations, most of them schools, clinics and town
    halls. The median user sent 11 requests on a working day, with 340 prompt tokens and 190 generated tokens. Long
    documents and code are rare, so the EPR of other services may well be higher. We measured no embodied carbon.
    Finally, the meters were fitted to one hall at each site; the whole-site figures in the operator's own reports
    include offices, lighting and older halls, and should not be compared with ours without care.""",
]
CONCLUSION = [
    """Energy claims for language models should state where the meter was. On our machines, moving it from the chip to
    the socket changes the answer more than a generation of hardware does for the smallest model. The data, without
    the request texts, are available from the authors.""",
]
THANKS = """We thank the night shift at Merrow Hill, who found the reversed current clamp in rack 17. Ines Carrow was
supported by the Lindqvist-Amory Fund under grant LA-2207."""
REFERENCES = [
    "[1] H. Brandvold and E. Sayeh. Accounting for idle power in shared inference. Journal of Invented Systems, 12(3), "
    "2022.",
    "[2] P. Corvane, L. Ito and S. Marsh. What a prompt costs: chip-level estimates for 41 models. Proc. Imaginary "
    "Conference on Efficient Computing, 2023.",
    "[3] Isbrook Water Board. Isbrook Reservoir after the dry summer of 2023. Presentation to members, 2023.",
    "[4] R. Ostrander. Evaporation, drift and blow-down in small cooling towers. Invented Engineering Letters, 7, "
    "2021.",
    "[5] Brantwell Semiconductor. BX-40 inference accelerator, product brief, revision A. 2022.",
]

HARDWARE_ROWS = [
    ["", "BX-20", "BX-40", "BX-60"],
    ["Year of release", "2019", "2022", "2023"],
    ["Memory (GB)", "32", "48", "96"],
    ["Board power (W)", "275", "340", "390"],
    ["Boards in the study", "192", "384", "192"],
]
ENERGY_ROWS = [
    ["Model", "BX-20", "BX-40", "BX-60"],
    ["Heron-7B", "0.41", "0.23", "0.15"],
    ["Heron-34B", "1.96", "1.08", "0.69"],
    ["Plover-180B", "6.30", "3.42", "2.05"],
]
WATER_ROWS = [
    ["Site", "Cooling", "WUE, winter (L/kWh)", "WUE, summer (L/kWh)", "Winter (L)", "Summer (L)", "PUE of the hall"],
    ["Isbrook Campus", "evaporative towers", "0.83", "2.13", "0.9", "2.3", "1.22"],
    ["Sundrey Quay", "sea water, closed loop", "0.19", "0.19", "0.2", "0.2", "1.12"],
    ["Merrow Hill", "outside air, adiabatic assist", "0.16", "0.37", "0.17", "0.4", "1.30"],
]


def lettering(
    x: float, y: float, text: str, colour: str = "#000000", anchor: Literal["start", "middle"] = "start"
) -> String:
    """A word in a chart."""
    return String(x, y, text, fontName="Helvetica", fontSize=7, fillColor=colors.HexColor(colour), textAnchor=anchor)


def breakdown() -> Drawing:
    """Figure 1: bars with their values."""
    drawing = Drawing(COLUMN, 126)
    chart = HorizontalBarChart()
    chart.x, chart.y, chart.width, chart.height = 88, 26, int(COLUMN) - 112, 94
    chart.data = [(5, 5, 12, 17, 61)]
    chart.categoryAxis.categoryNames = ["Network", "Power supply", "Cooling fans", "Host and memory", "Accelerators"]
    chart.valueAxis.valueMin, chart.valueAxis.valueMax, chart.valueAxis.valueStep = 0, 70, 10
    for labels in (chart.categoryAxis.labels, chart.valueAxis.labels):
        labels.fontName, labels.fontSize = "Helvetica", 7
    chart.bars[0].fillColor = colors.HexColor("#4878a8")
    chart.barLabelFormat, chart.barLabels.nudge = "%d%%", 9
    chart.barLabels.fontName, chart.barLabels.fontSize = "Helvetica", 7
    drawing.add(chart)
    drawing.add(lettering(88 + (COLUMN - 112) / 2, 1, "Share of electricity (%)", anchor="middle"))
    return drawing


def batching() -> Drawing:
    """Figure 2: two lines over the batch size."""
    drawing = Drawing(COLUMN, 138)
    chart = LinePlot()
    chart.x, chart.y, chart.width, chart.height = 34, 28, int(COLUMN) - 50, 100
    chart.data = [[(0, 9.80), (1, 4.71), (2, 2.05), (3, 1.62)], [(0, 14.6), (1, 7.6), (2, 3.42), (3, 2.9)]]
    chart.xValueAxis.valueMin, chart.xValueAxis.valueMax, chart.xValueAxis.valueSteps = 0, 3, [0, 1, 2, 3]
    chart.xValueAxis.labelTextFormat = lambda step: str(4 ** int(step))
    chart.yValueAxis.valueMin, chart.yValueAxis.valueMax, chart.yValueAxis.valueStep = 0, 16, 4
    for labels in (chart.xValueAxis.labels, chart.yValueAxis.labels):
        labels.fontName, labels.fontSize = "Helvetica", 7
    for line, (colour, marker) in enumerate([("#b04a3a", "FilledCircle"), ("#4878a8", "FilledSquare")]):
        chart.lines[line].strokeColor = colors.HexColor(colour)
        chart.lines[line].strokeWidth = 1.2
        chart.lines[line].symbol = makeMarker(marker, size=4)  # type: ignore[no-untyped-call]
    drawing.add(chart)
    drawing.add(lettering(34 + (COLUMN - 50) / 2, 4, "Batch size", anchor="middle"))
    drawing.add(lettering(40, 131, "EPR (Wh)"))
    drawing.add(lettering(110, 96, "BX-40", "#4878a8"))
    drawing.add(lettering(58, 54, "BX-60", "#b04a3a"))
    return drawing


def wide_table() -> list[Flowable]:
    """Table 3, over both columns."""
    widths = [82, 120, 62, 62, 52, 52, WIDTH - 2 * MARGIN - 430]
    caption = (
        "Table 3. Fresh water by site and season: water usage effectiveness, litres for a thousand requests to "
        "Heron-34B on the BX-40, and power usage effectiveness (PUE) of the metered hall. Winter is December to "
        "February, summer is the hours from noon to six in June to August."
    )
    return [Paragraph(caption, CAPTION), table(WATER_ROWS, CELL, widths, head=CELL_HEAD, words=[1])]


def first_page(canvas: Canvas, _: object) -> None:
    """The footnote under the left column, the notice and the page number."""
    canvas.setLineWidth(0.4)
    canvas.line(MARGIN, BOTTOM + FOOTNOTE_ROOM - 6, MARGIN + 80, BOTTOM + FOOTNOTE_ROOM - 6)
    note = Paragraph(
        "Correspondence: m.aldenkamp@example.org. Tobias Ferrow is an employee of Fennmark Compute Cooperative; the "
        "operator saw the manuscript before submission and asked for no changes.",
        NOTE,
    )
    note.wrapOn(canvas, COLUMN, FOOTNOTE_ROOM)
    note.drawOn(canvas, MARGIN, BOTTOM + 8)
    page_foot(canvas, _)


def page_foot(canvas: Canvas, _: object) -> None:
    """The notice and the page number."""
    canvas.setFont("Times-Roman", 8)
    canvas.drawString(MARGIN, 34, NOTICE)
    canvas.drawRightString(WIDTH - MARGIN, 34, str(canvas.getPageNumber()))


def later_page(canvas: Canvas, document: object) -> None:
    """As page_foot, with a running head."""
    canvas.setFont("Times-Italic", 8)
    canvas.drawCentredString(WIDTH / 2, HEIGHT - 40, "Aldenkamp et al. — Counting Joules at the Socket")
    page_foot(canvas, document)


def wide_page(canvas: Canvas, document: object) -> None:
    """As later_page, with the wide table above the columns."""
    later_page(canvas, document)
    y = HEIGHT - TOP
    for part in wide_table():
        _, high = part.wrapOn(canvas, WIDTH - 2 * MARGIN, WIDE_TABLE_ROOM)
        y -= high
        part.drawOn(canvas, MARGIN, y)
        y -= 4


def templates() -> list[PageTemplate]:
    """First page with room for the title, then one with the wide table, then plain ones."""

    def columns(top: float, left_bottom: float = BOTTOM) -> list[Frame]:
        nothing: dict[str, Any] = {"leftPadding": 0, "rightPadding": 0, "topPadding": 0, "bottomPadding": 0}
        right = MARGIN + COLUMN + GUTTER
        return [
            Frame(MARGIN, left_bottom, COLUMN, HEIGHT - top - left_bottom, **nothing),
            Frame(right, BOTTOM, COLUMN, HEIGHT - top - BOTTOM, **nothing),
        ]

    title = Frame(MARGIN, HEIGHT - TOP - TITLE_ROOM, WIDTH - 2 * MARGIN, TITLE_ROOM)
    first = [title, *columns(TOP + TITLE_ROOM, BOTTOM + FOOTNOTE_ROOM)]
    return [
        PageTemplate("first", first, onPage=first_page),
        PageTemplate("second", columns(TOP + WIDE_TABLE_ROOM), onPage=wide_page),
        PageTemplate("last", columns(TOP), onPage=later_page),
    ]


def prose(paragraphs: list[str]) -> list[Flowable]:
    """A section's paragraphs, the first without an indent."""
    return [Paragraph(text, BODY if i else FIRST) for i, text in enumerate(paragraphs)]


def floating(*parts: Flowable) -> Flowable:
    """A table or figure with its caption, never split."""
    return KeepTogether([Spacer(1, 6), *parts, Spacer(1, 6)])


def story() -> list[Flowable]:
    """The paper in reading order."""
    widths = [COLUMN - 3 * 46, 46, 46, 46]
    hardware: Table = table(HARDWARE_ROWS, CELL, widths, head=CELL_HEAD)
    energy: Table = table(ENERGY_ROWS, CELL, widths, head=CELL_HEAD)
    return [
        NextPageTemplate("second"),
        Paragraph("Counting Joules at the Socket: Energy and Water per Request on Three Generations of BX "
                  "Accelerators", TITLE),
        Paragraph("Marit Aldenkamp, Tobias Ferrow, Suda Wenlock and Ines Carrow", AUTHORS),
        Paragraph("Institute for Measured Computing, Sundrey · Fennmark Compute Cooperative", AFFILIATION),
        FrameBreak(),
        Paragraph(ABSTRACT_TEXT, ABSTRACT),
        Paragraph("1 Introduction", HEAD), *prose(INTRODUCTION),
        Paragraph("2 Related work", HEAD), *prose(RELATED),
        Paragraph("3 Method", HEAD),
        Paragraph("3.1 Machines and models", SUBHEAD), *prose(HARDWARE),
        floating(Paragraph("Table 1. The accelerators.", CAPTION), hardware),
        Paragraph("3.2 Metering", SUBHEAD), *prose(METERING),
        Paragraph("4 Results", HEAD),
        Paragraph("4.1 Energy per request", SUBHEAD), *prose(PER_REQUEST[:1]),
        floating(Paragraph("Table 2. Median energy per request (Wh) at a batch of 16.", CAPTION), energy),
        Paragraph(PER_REQUEST[1], BODY),
        floating(
            breakdown(),
            Paragraph("Figure 1. Where the electricity of a request to Heron-34B goes on a BX-40 server.", CAPTION),
        ),
        NextPageTemplate("last"),
        Paragraph(PER_REQUEST[2], BODY),
        floating(
            batching(),
            Paragraph("Figure 2. Energy per request of Plover-180B over the batch size (logarithmic axis).", CAPTION),
        ),
        Paragraph("4.2 Water per request", SUBHEAD), *prose(WATER),
        Paragraph("4.3 Training against serving", SUBHEAD), *prose(TRAINING),
        Paragraph("5 Discussion", HEAD), *prose(DISCUSSION),
        Paragraph("6 Limitations", HEAD), *prose(LIMITS),
        Paragraph("7 Conclusion", HEAD), *prose(CONCLUSION),
        Paragraph("Acknowledgements", HEAD), *prose([THANKS]),
        Paragraph("References", HEAD), *(Paragraph(text, REFERENCE) for text in REFERENCES),
    ]  # fmt: skip


def make(path: Path) -> None:
    """Write the paper."""
    sheet = Sheet(path, "Counting Joules at the Socket", "Marit Aldenkamp et al.")
    sheet.addPageTemplates(templates())
    sheet.build(story())

"""Financial statements in thousands, one table running over a page end, and notes."""

from __future__ import annotations

from pathlib import Path

from reportlab.lib.pagesizes import LETTER
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Frame, PageBreak, PageTemplate, Paragraph, Spacer

from sample_pdfs.page import NOTICE, Sheet, style, table

WIDTH, HEIGHT = LETTER
MARGIN = 66
COMPANY = style("company", "Times-Bold", 12, 15, alignment=1)
STATEMENT = style("statement", "Times-Bold", 11, 14, alignment=1)
SCALE = style("scale", "Times-Italic", 10, 13, alignment=1, spaceAfter=8)
HEAD = style("head", "Times-Bold", 10.5, 14, spaceBefore=10, spaceAfter=3)
BODY = style("body", "Times-Roman", 10, 13, spaceAfter=6, alignment=4)
CELL = style("cell", "Times-Roman", 9.5, 12)
CELL_HEAD = style("cell-head", "Times-Bold", 9.5, 12)

INDENT = "&nbsp;&nbsp;&nbsp;"
OPERATIONS = """
||Year ended 31 December
|Notes|2023|2022
<b>Revenue</b>|||
.Compute services|2|84,210|76,480
.Colocation|2|21,365|19,940
.Heat sales|2|1,118|642
Total revenue||106,693|97,062
<b>Operating expenses</b>|||
.Electricity|3|31,874|27,310
.Water and cooling||1,946|1,702
.Staff||24,630|22,915
.Depreciation and amortisation|5|19,480|17,260
.Maintenance||6,215|5,980
.Administration and other||7,302|6,811
Total operating expenses||91,447|81,978
Operating surplus||15,246|15,084
Finance costs|6|(3,412)|(2,655)
Share of result of joint company|4|284|—
Surplus before tax||12,118|12,429
Tax||(2,424)|(2,486)
<b>Surplus for the year</b>||<b>9,694</b>|<b>9,943</b>
"""
POSITION = """
||At 31 December
|Notes|2023|2022
<b>Assets</b>|||
Current assets|||
.Cash and cash equivalents||14,806|18,233
.Trade and other receivables||17,940|16,105
.Spare parts||3,275|2,860
.Prepaid expenses||1,402|1,290
Total current assets||37,423|38,488
Non-current assets|||
.Property, plant and equipment|5|148,520|131,275
.Right-of-use assets|5|9,610|10,480
.Intangible assets|5|2,215|2,640
.Interest in joint company|4|1,784|1,500
Total non-current assets||162,129|145,895
<b>Total assets</b>||<b>199,552</b>|<b>184,383</b>
<b>Liabilities and members' funds</b>|||
Current liabilities|||
.Trade and other payables||12,480|11,215
.Borrowings|6|8,500|7,000
.Lease liabilities||1,240|1,205
.Accrued expenses||5,960|5,488
Total current liabilities||28,180|24,908
Non-current liabilities|||
.Borrowings|6|71,500|68,750
.Lease liabilities||8,730|9,540
.Provision for decommissioning|7|4,310|4,047
Total non-current liabilities||84,540|82,337
Total liabilities||112,720|107,245
Members' funds|||
.Members' capital||40,000|40,000
.Reserves||46,832|37,138
Total members' funds||86,832|77,138
<b>Total liabilities and members' funds</b>||<b>199,552</b>|<b>184,383</b>
"""
CASH = """
||Year ended 31 December
||2023|2022
Surplus before tax||12,118|12,429
Depreciation and amortisation||19,480|17,260
Finance costs||3,412|2,655
Share of result of joint company||(284)|—
Change in working capital and provisions||(362)|(1,107)
Tax paid||(2,424)|(2,486)
<b>Cash from operating activities</b>||<b>31,940</b>|<b>28,751</b>
Purchase of property, plant and equipment||(35,430)|(29,870)
Interest in joint company||—|(1,500)
<b>Cash used in investing activities</b>||<b>(35,430)</b>|<b>(31,370)</b>
Proceeds from borrowings||11,250|14,000
Repayment of borrowings||(7,000)|(6,500)
Repayment of lease liabilities||(775)|(741)
Interest paid||(3,412)|(2,655)
<b>Cash from financing activities</b>||<b>63</b>|<b>4,104</b>
<b>Change in cash</b>||<b>(3,427)</b>|<b>1,485</b>
Cash at the beginning of the year||18,233|16,748
Cash at the end of the year||14,806|18,233
"""
NOTES = [
    ("1. Basis of preparation",
     "These statements cover Fennmark Compute Cooperative and its wholly owned subsidiary Merrow Hill Hosting. They "
     "are presented in United States dollars, rounded to the nearest thousand except where stated. Amounts in brackets "
     "are deductions."),
    ("2. Revenue",
     "Compute services are billed monthly by use. The largest single member, the Sundrey hospital group, accounted for "
     "13% of revenue from compute services (2022: 15%). Heat is sold to the joint company at cost plus 4%."),
    ("3. Electricity",
     "About two thirds of consumption is bought under contracts with fixed prices that end between 2027 and 2033. A "
     "change of 10% in the day-ahead price would have changed the surplus before tax by 1,050 (2022: 1,190)."),
    ("4. Joint company",
     "The cooperative holds 40% of Warmline Sundrey Ltd, which distributes heat from the data centre at the quay. It "
     "is accounted for by the equity method. No dividend was received in either year."),
    ("5. Property, plant and equipment, right-of-use and intangible assets",
     "Depreciation is straight-line: buildings over 40 years, cooling plant over 15, and servers over five. In 2023 "
     "the useful life of network switches was extended from five to seven years, which lowered the charge by 610. "
     "Additions of 35,430 were mostly for the second hall at Sundrey Quay."),
    ("6. Borrowings",
     "In May 2023 the cooperative drew 11,250 from a green loan of up to 25,000 at a fixed rate of 4.35%, repayable in "
     "2030. The older bank loans bear interest between 3.6% and 5.1%. The covenant requires members' funds of at least "
     "35% of total assets; the ratio was 43.5% at the end of the year (2022: 41.8%)."),
    ("7. Provision for decommissioning",
     "The lease of the quay requires the removal of the sea-water pipes when it ends in 2046. The expected cost is "
     "discounted at 3.1%."),
    ("8. Events after the reporting date",
     "On 9 February 2024 a storm damaged the roof of the workshop at the quay. The loss, about 240, is insured."),
]  # fmt: skip


def foot(canvas: Canvas, _: object) -> None:
    """The notice and a page number of the form F-1."""
    canvas.setFont("Times-Roman", 8.5)
    canvas.drawString(MARGIN, 36, NOTICE)
    canvas.drawCentredString(WIDTH - MARGIN - 10, 36, f"F-{canvas.getPageNumber()}")


def statement(lines: str) -> Flowable:
    """A table of notes and two years from lines of cells; a leading dot indents."""
    rows = [line.split("|") for line in lines.strip().splitlines()]
    rows[0] = ["", "", rows[0][2], ""]
    rows = [[INDENT + row[0][1:] if row[0].startswith(".") else row[0], *row[1:]] for row in rows]
    return table(rows, CELL, [290, 46, 72, 72], head=CELL_HEAD, head_rows=2, more=[("SPAN", (2, 0), (3, 0))])


def title(name: str) -> list[Flowable]:
    """The three centred lines above a statement."""
    return [
        Paragraph("FENNMARK COMPUTE COOPERATIVE", COMPANY),
        Paragraph(name.upper(), STATEMENT),
        Paragraph("(in thousands of US dollars)", SCALE),
    ]


def story() -> list[Flowable]:
    """The statements and their notes."""
    notes = [part for head, text in NOTES for part in (Paragraph(head, HEAD), Paragraph(text, BODY))]
    return [
        *title("Consolidated statement of operations"),
        statement(OPERATIONS),
        Spacer(1, 26),
        *title("Consolidated statement of financial position"),
        statement(POSITION),
        Spacer(1, 6),
        Paragraph("The notes are part of these statements. Audited by Harrow &amp; Pell LLP, whose report of 22 March "
                  "2024 is unqualified.", BODY),
        PageBreak(),
        *title("Consolidated statement of cash flows"),
        statement(CASH),
        Spacer(1, 14),
        Paragraph("NOTES TO THE CONSOLIDATED FINANCIAL STATEMENTS", STATEMENT),
        *notes,
    ]  # fmt: skip


def make(path: Path) -> None:
    """Write the statements."""
    sheet = Sheet(path, "Consolidated financial statements 2023", "Fennmark Compute Cooperative", pagesize=LETTER)
    frame = Frame(MARGIN, 58, WIDTH - 2 * MARGIN, HEIGHT - 112, leftPadding=0, rightPadding=0)
    sheet.addPageTemplates([PageTemplate("page", [frame], onPage=foot)])
    sheet.build(story())

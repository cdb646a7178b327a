"""What all sample PDFs share: the notice, paragraph styles, plain tables, a document that has no clock in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import BaseDocTemplate, Paragraph, Table, TableStyle

NOTICE = "Sample document. All names and figures are invented."


class Sheet(BaseDocTemplate):
    """A PDF whose bytes depend on its content only (`invariant` leaves out the date and the random id)."""

    def __init__(self, path: Path, title: str, author: str, pagesize: tuple[float, float] = A4) -> None:
        super().__init__(str(path), pagesize=pagesize, invariant=1, title=title, author=author, subject=NOTICE)


def style(name: str, font: str, size: float, lead: float | None = None, **more: Any) -> ParagraphStyle:
    """A paragraph style; the line height is 1.2 times the size unless told."""
    return ParagraphStyle(name, fontName=font, fontSize=size, leading=lead or size * 1.2, **more)


def table(
    rows: Sequence[Sequence[str]],
    cell: ParagraphStyle,
    widths: Sequence[float] | None = None,
    *,
    head: ParagraphStyle | None = None,
    head_rows: int = 1,
    words: Collection[int] = (),
    more: Sequence[tuple[Any, ...]] = (),
) -> Table:
    """A ruled table without vertical lines: header rows are repeated on a new page.

    The first column and those in `words` stand left, the others right.
    """
    right = ParagraphStyle(cell.name + "-right", parent=cell, alignment=2)
    head = head or cell
    head_right = ParagraphStyle(head.name + "-right", parent=head, alignment=2)

    def one(text: str, row: int, column: int) -> Paragraph:
        stands_left = column == 0 or column in words
        if row < head_rows:
            return Paragraph(text, head if stands_left else head_right)
        return Paragraph(text, cell if stands_left else right)

    body = [[one(text, r, c) for c, text in enumerate(row)] for r, row in enumerate(rows)]
    made = Table(body, colWidths=list(widths) if widths else None, repeatRows=head_rows, hAlign="LEFT")
    ruled: list[Any] = [
        ("LINEABOVE", (0, 0), (-1, 0), 0.9, colors.black),
        ("LINEBELOW", (0, head_rows - 1), (-1, head_rows - 1), 0.5, colors.black),
        ("LINEBELOW", (0, -1), (-1, -1), 0.9, colors.black),
        ("TOPPADDING", (0, 0), (-1, -1), 1.6),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1.6),
        ("LEFTPADDING", (0, 0), (-1, -1), 2),
        ("RIGHTPADDING", (0, 0), (-1, -1), 2),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]
    made.setStyle(TableStyle([*ruled, *more]))
    return made

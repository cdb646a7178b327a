"""The choices that settings offer by name, for the command line, the settings and the stages alike."""

from __future__ import annotations

from typing import Literal

Fusion = Literal["score", "rrf", "combined", "frequency"]
"""How rankings become one."""

ParagraphVectors = Literal["mean", "direct", "both"]
"""How a paragraph gets its vector: the mean of its sentences', its own, or both of them."""

OcrMode = Literal["auto", "off", "force"]
"""Which pages Tesseract reads as pictures: those without text, none, or all."""

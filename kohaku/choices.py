"""The choices that settings offer by name, for the command line, the settings and the stages alike."""

from __future__ import annotations

from typing import Literal

Fusion = Literal["score", "rrf", "combined", "frequency", "append"]
"""How rankings become one."""

Order = Literal["best_first", "best_last", "ends"]
"""How evidence stands in a prompt: best first, best last, or the best at both ends and the rest between."""

Condense = Literal["auto", "on", "off"]
"""Whether long paragraphs are cut to their best sentences: where the question's words are not found, always, never."""

Level = Literal["auto", "document", "section", "paragraph", "sentence"]
"""The level of the tree that evidence is of: as the question's words say, or always that."""

Decompose = Literal["auto", "on", "off"]
"""Whether a question is split into parts: where it shows that it has some, wherever a model finds some, never."""

ParagraphVectors = Literal["mean", "direct", "both"]
"""How a paragraph gets its vector: the mean of its sentences', its own, or both of them."""

OcrMode = Literal["auto", "off", "force"]
"""Which pages Tesseract reads as pictures: those without text, none, or all."""

VoteMode = Literal["weighted", "independent", "ref_priority", "answer_priority", "union", "intersection"]
"""How runs' rows become one: by learned weights, or by the counts of values and of lists of references."""

Blanks = Literal["most", "count", "filter"]
"""When abstentions win a vote: as most of all, as a value like any other, or only where nothing else was said."""

Tiebreak = Literal["first", "blank"]
"""What a tie between values gives: the run named first, or an abstention."""

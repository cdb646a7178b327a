"""How much it says that something holds a word."""

from __future__ import annotations

import math


def rarity(held: int, total: int) -> float:
    """The weight of a word that `held` of `total` texts hold: BM25's inverse document frequency, never negative.

    Robertson & Zaragoza 2009, with 1 added under the logarithm.
    """
    return math.log(1 + (total - held + 0.5) / (held + 0.5))

"""Acronyms as a text defines them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.acronyms import acronyms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("its power usage effectiveness (PUE) fell", {"PUE": "power usage effectiveness"}),
        ("its PUE (power usage effectiveness) fell", {"PUE": "power usage effectiveness"}),
        ("We use large language models (LLMs) here", {"LLMs": "large language models"}),
        ("the graphics processing unit (GPU; here an A100)", {"GPU": "graphics processing unit"}),
        ("Life-cycle assessment (LCA) and heat", {"LCA": "Life-cycle assessment"}),
        ("life\ncycle   assessment (LCA)", {"LCA": "life cycle assessment"}),
        ("It fell (see Table 3). In 2021 (the year) it rose (TI).", {}),
        ("unrelated words here (XQZ)", {}),
        ("a note (for example) and a name (Smith)", {}),
        ("It ended. Power use (PU) grew", {"PU": "Power use"}),
    ],
)
def test_a_definition_is_found_either_way_round(text: str, expected: dict[str, str]) -> None:
    assert acronyms(text) == expected


def test_the_most_common_definition_wins() -> None:
    text = "market price (MP) and mean power (MP), again mean power (MP)"
    assert acronyms(text) == {"MP": "mean power"}


@given(st.text("Aab (P)."))
def test_any_text_will_do(text: str) -> None:
    assert all(short and len(long) > len(short) for short, long in acronyms(text).items())

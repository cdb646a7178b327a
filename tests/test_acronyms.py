"""Acronyms as a text defines them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import acronyms as module
from indexer.acronyms import Acronyms


def acronyms(*pieces: str) -> dict[str, str]:
    found = Acronyms()
    for piece in pieces:
        found.read(piece)
    return found.defined()


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


@given(st.lists(st.text("Aab (P)."), max_size=20), st.integers(0, 30))
def test_a_text_that_comes_in_pieces_defines_what_it_does_as_one(pieces: list[str], at_once: int) -> None:
    whole = acronyms("\n\n".join(filter(None, pieces)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AT_ONCE", at_once)
        assert acronyms(*pieces) == whole


def test_a_definition_over_the_end_of_a_piece_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 500)
    words = "It rained. " * 100
    assert acronyms(words + "Power usage", "effectiveness", "(PUE) fell." + words) == {
        "PUE": "Power usage effectiveness"
    }

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.letters import has_letters, has_small_letters

ANY = st.text(st.characters() | st.sampled_from("aZéß№3. \ud835"), max_size=30)


@given(ANY, st.integers(0, 12))
def test_letters_are_counted_as_python_has_them(text: str, more_than: int) -> None:
    assert has_letters(text, more_than) == (sum(map(str.isalpha, text)) > more_than)
    assert has_small_letters(text, more_than) == (sum(map(str.islower, text)) > more_than)


@pytest.mark.parametrize("text, many", [("Größe", 4), ("данные", 5), ("数据", 1)])
def test_letters_of_any_script_count(text: str, many: int) -> None:
    assert has_letters(text, many)
    assert not has_letters(text, many + 1)

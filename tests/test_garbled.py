from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from indexer.garbled import is_garbled
from indexer.readers.pdf import read
from indexer.reading import Reading

ENGLISH = (
    "Energy use of data centres has grown for years, although the machines in them have become more frugal with "
    "every generation. What they draw from the grid is only a part of it: cooling, conversion and lighting follow, "
    "and the share of these differs between sites. We measured forty of them over a year and a half. "
)
RUSSIAN = (
    "Потребление энергии центрами обработки данных растёт уже много лет, хотя сами машины становятся всё экономнее. "
    "То, что они берут из сети, лишь часть целого: охлаждение, преобразование и освещение добавляют своё. "
)
CODE = "for (int i = 0; i < n; ++i) { sum += x[i] * w[i]; if (!ok(sum)) return -1; } /* strncpy(dst, src, len) */\n" * 8
TABLE = "Net sales  $ 12,345  (3.2)%  FY23 Q4 EBITDA adj. mgmt. incl. excl. 1,204  1,377  n/m  bps\n" * 12
VIETNAMESE = "Những trung tâm dữ liệu này dùng nhiều điện hơn mỗi năm, và không phải nơi nào cũng đo được phần ấy. " * 4
POLISH = "Zużycie energii przez ośrodki przetwarzania danych wzrasta, choć urządzenia są coraz oszczędniejsze. " * 4
JAPANESE = "データセンターのエネルギー消費は年々増えている。GPUサーバの消費電力を測定した。" * 5
GENE = "gatcctccatatacaacggtatctccacctcaggtttagatctcaacaacggaaccattgccgacatgagacagttaggta " * 6
FORMULAS = "Let ∥x∥2 ≤ 1 and σ(x) = Σi wi xi + b; then E[f(x)] ≥ α‖w‖ − ε/2, where α, ε > 0 (see Lemma 3.1). " * 5


def shifted(text: str, by: int) -> str:
    """The text as a font says it whose map to Unicode is wrong by so many letters."""
    letters = str.maketrans({chr(97 + n): chr(97 + (n + by) % 26) for n in range(26)})
    return text.lower().translate(letters)


@pytest.mark.parametrize(
    "text", [ENGLISH, RUSSIAN, CODE, TABLE, VIETNAMESE, POLISH, JAPANESE, GENE, FORMULAS, "", "1 2 3", "VIII"]
)
def test_what_can_be_read_is_not_garbled(text: str) -> None:
    assert not is_garbled(text)


@pytest.mark.parametrize(
    "text",
    [
        *(shifted(ENGLISH, by) * 2 for by in (1, 3, 5, 7, 25)),
        "".join(chr(ord(letter) - 64) if letter.isalpha() else letter for letter in ENGLISH),  # below the space
        "".join(chr(33 + ord(letter) % 15) for letter in ENGLISH),
        RUSSIAN.encode("cp1251", "ignore").decode("latin-1"),
        RUSSIAN.encode("utf-8").decode("latin-1"),
        "مسğرĵوع ٮĵحٮğى عںĕواں المسğروع الٮĵحٮğى " * 4,
        "ΰԔϸЇ Ψߙϣ ϙķϢʆi Ĭۉࠒī ۉīۈĪ ۉࠌ˺ " * 6,
    ],
)
def test_rubbish_is_told_whatever_it_looks_like(text: str) -> None:
    assert is_garbled(text)


def test_a_page_of_rubbish_is_said_with_what_can_be_done(tmp_path: Path) -> None:
    file = pymupdf.open()
    file.new_page().insert_textbox((50, 50, 500, 700), shifted(ENGLISH, 3))
    file.new_page().insert_textbox((50, 50, 500, 700), ENGLISH)
    file.save(tmp_path / "a.pdf")
    [note] = read(tmp_path / "a.pdf", Reading(ocr="auto", without="Tesseract is not installed: install it")).notes
    assert note.startswith("1 of 2 pages hold text whose fonts don't say its letters")
    assert "Tesseract is not installed" in note

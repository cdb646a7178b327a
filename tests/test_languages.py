"""A question in any script finds the passage that is written in it, end to end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import LetterEmbedder
from corpus import indexed

from kohaku.store import Store
from kohaku.tokens import count
from retriever.plan import plan
from retriever.retrieve import Limits, Method, retrieve

FILES = {
    "japanese.md": "# 報告書\n\n二〇二三年の電力使用量は四百度だった。\n\n冷却水は少ない。\n",
    "chinese.md": "# 年度报告\n\n数据中心的冷却用水量为三百吨。\n\n员工很多。\n",
    "korean.md": "# 보고서\n\n데이터센터의 전력사용량은 사백이다.\n\n직원이 많다.\n",
    "thai.md": "# รายงาน\n\nศูนย์ข้อมูลใช้น้ำสามร้อยตัน\n\nพนักงานมีมาก\n",
    "hindi.md": "# रिपोर्ट\n\nकेंद्र ने तीन सौ टन पानी लिया।\n\nकर्मचारी बहुत हैं।\n",
    "arabic.md": "# تقرير\n\nاستهلك المركز ٣٠٠ طن من المياه.\n\nالموظفون كثيرون.\n",
    "german.md": "# Bericht\n\nDie Kühlung auf der Straße verbrauchte 1’234 Liter.\n\nEs gibt viele Leute.\n",
    "english.md": "# Report\n\nThe site emitted 4.3 t CO₂e in May.\n\nMany people work there.\n",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with indexed(tmp_path_factory.mktemp("languages"), FILES) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "document", "words"),
    [
        ("2023年の電力使用量は？", "japanese", "四百度"),
        ("冷却用水量是多少？", "chinese", "三百吨"),
        ("전력사용량은 얼마인가?", "korean", "사백"),
        ("ใช้น้ำเท่าไร", "thai", "สามร้อย"),
        ("कितना पानी लिया?", "hindi", "तीन सौ"),
        ("كم استهلك المركز؟ 300", "arabic", "٣٠٠"),
        ("Verbrauch der Kuehlung, Strasse, 1234?", "german", "1’234"),
        ("How much is 4.3 tCO2e?", "english", "4.3 t"),
    ],
)
def test_a_question_finds_its_answer_in_its_own_script(store: Store, question: str, document: str, words: str) -> None:
    queries = plan(question, store, limit=4)
    best, *_ = retrieve(
        question, queries, store, LetterEmbedder(), Limits(20, 60), Method("score"), count=count
    ).contexts
    assert (best.document, words in best.text) == (document, True)

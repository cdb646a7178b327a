"""What programs of this kind get wrong, each as the behaviour that is wanted here."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pymupdf
from conftest import LetterEmbedder
from corpus import indexed, write

from indexer.build import build
from kohaku.store import Store
from kohaku.tokens import count
from kohaku.tree import Tier, Vectors
from retriever.evidence import Evidence
from retriever.plan import plan
from retriever.retrieve import Limits, Method, retrieve
from retriever.search import Ranking, Source, search

WIDE = Limits(100, 100_000)
PLACEHOLDER = "[Image page=1 name=Im0 1200x800 34567 bytes]"


class Blind(LetterEmbedder):
    """An embedder that sees no meaning: what is found is found by words."""

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        return np.zeros((len(questions), self.dimensions), np.float32)


def ask(question: str, store: Store, limits: Limits = WIDE, *queries: str) -> Evidence:
    planned = queries or plan(question, store, limit=4)
    return retrieve(question, planned, store, Blind(), limits, Method("score"), count=count)


def facts(number: int) -> str:
    """A text of as many paragraphs, each with a fact of its own."""
    return "\n\n".join(f"Engine {n} is in hall {n * 7 % number} and ran for {n + 40} hours." for n in range(number))


def by_words(rankings: list[Ranking], tier: Tier) -> list[Ranking]:
    return [ranking for ranking in rankings if ranking.source is Source.WORDS and ranking.tier is tier]


def test_a_whole_question_finds_its_document_by_words_alone(tmp_path: Path) -> None:
    with indexed(tmp_path) as store:
        for question, document in [
            ("How much of the water, in litres, did Lake Site draw?", "lake"),
            ("What was it that North Hall used a day (kWh)?", "north"),
            ("冷卻用水多嗎？", "songdeli"),
        ]:
            assert ask(question, store).contexts[0].document == document


def test_hits_by_words_have_scores_that_tell_them_apart_the_better_the_greater(tmp_path: Path) -> None:
    text = "Water, water and water.\n\nSome water is in the other tank as well."
    with indexed(tmp_path, {"a.txt": f"{text}\n\n{facts(30)}"}) as store:
        for ranking in by_words(search(["water"], store, Blind(), limit=9), Tier.PARAGRAPH):
            scores = [hit.score for hit in ranking.hits]
            assert len(set(scores)) == 2
            assert scores == sorted(scores, reverse=True)
            assert min(scores) > 0


def test_two_finds_of_a_section_are_two_pieces_of_evidence_or_the_section_with_both(tmp_path: Path) -> None:
    filler = "This sentence is about nothing at all and is here to be read over. " * 12
    files = {"a.md": f"# Page 1\n\nThe needle is 7.\n\n{filler}\n\nThe needle was 8 before.\n"}
    with indexed(tmp_path, files) as store:
        for budget in (60, 120, 2000):
            text = "\n".join(context.text for context in ask("needle", store, Limits(100, budget)).contexts)
            assert "needle is 7" in text
            assert "needle was 8" in text


def test_what_several_queries_find_comes_before_what_one_finds(tmp_path: Path) -> None:
    text = "Alpha alone.\n\nBeta alone.\n\nAlpha meets beta here among some other words."
    with indexed(tmp_path, {"a.txt": f"{text}\n\n{facts(30)}"}) as store:
        for fusion in ("rrf", "combined", "frequency", "score"):
            evidence = retrieve("?", ("alpha", "beta"), store, Blind(), WIDE, Method(fusion), count=count)
            assert evidence.contexts[0].text.startswith("Alpha meets beta")


def test_questions_asked_at_once_get_what_each_gets_alone(tmp_path: Path) -> None:
    questions = [f"How long did engine {number} run?" for number in range(12)]
    with indexed(tmp_path, {"a.txt": facts(40)}) as store:
        limits = [Limits(5 + number, 100 + 20 * number) for number in range(len(questions))]
        alone = list(map(ask, questions, [store] * len(questions), limits))
        together: dict[int, Evidence] = {}

        def work(number: int) -> None:
            together[number] = ask(questions[number], store, limits[number])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(len(questions))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [together[number] for number in range(len(questions))] == alone


def test_a_page_given_as_one_paragraph_is_found_by_the_piece_that_answers(tmp_path: Path) -> None:
    page = " ".join(
        f"Station {number} lies at a height of {number + 300} metres above the sea." for number in range(80)
    )
    document = {"document_id": "d", "title": "D", "sections": [{"title": "Page 1", "paragraphs": [{"text": page}]}]}
    with indexed(tmp_path, {"d.json": json.dumps(document)}) as store:
        best = ask("How high lies station 57?", store).contexts[0]
        assert "357 metres" in best.text
        assert len(best.text) < len(page) / 3


def test_a_page_of_a_pdf_is_no_paragraph(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for place in range(6):
            text = (
                f"Paragraph {place} speaks of engine {place} at length, so that it is a text of its own and no heading."
            )
            page.insert_textbox((72, 72 + 90 * place, 523, 140 + 90 * place), text, fontsize=11)
        (tmp_path / "files").mkdir()
        pdf.save(tmp_path / "files" / "a.pdf")
    with indexed(tmp_path, {}) as store:
        assert store.counts()["paragraph"] == 6


def test_opening_and_asking_change_no_byte_of_an_index(tmp_path: Path) -> None:
    indexed(tmp_path).close()
    path = tmp_path / "corpus.db"
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    with Store.open(path) as store:
        ask("water", store)
        store.counts(), store.documents(), store.check()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_a_document_weighs_its_sections_by_how_much_stands_in_them(tmp_path: Path) -> None:
    """Beside a long section about one thing, a short one about another hardly turns the whole."""
    files = {"a.md": "# A\n\n" + "aaaa aaaa aaaa aaaa. " * 30 + "\n\n# B\n\nzzzz zzzz.\n"}
    with indexed(tmp_path, files) as store:
        document = store.node("a")
        assert document is not None
        vector = store.vectors([document.key])[document.key]
        assert vector[0] > 0.99


def test_a_picture_s_placeholder_is_neither_found_nor_evidence(tmp_path: Path) -> None:
    image = {"text": PLACEHOLDER, "metadata": {"page": 1, "attachment_type": "image"}}
    text = {"text": "The hall is shown from the north.", "metadata": {"page": 1}}
    document = {"document_id": "d", "title": "D", "sections": [{"title": "Page 1", "paragraphs": [image, text]}]}
    with indexed(tmp_path, {"d.json": json.dumps(document)}) as store:
        assert "bytes" not in "".join(context.text for context in ask("image page name bytes hall", store).contexts)
        for ranking in search(["bytes Im0"], store, LetterEmbedder(), limit=9):
            found = store.nodes(hit.key for hit in ranking.hits)
            assert not [node for node in found.values() if "Im0" in node.text]


def test_passages_are_embedded_as_passages_and_questions_as_questions(tmp_path: Path) -> None:
    model = LetterEmbedder()
    with indexed(tmp_path, {"a.txt": "One sentence. Another one."}, embedder=model) as store:
        assert set(model.passages) >= {"One sentence.", "Another one."}
        model.passages.clear()
        retrieve("one?", ("one?",), store, model, WIDE, Method("score"), count=count)
        assert model.passages == []


def test_as_many_hits_come_back_as_were_asked_for_whatever_else_is_near(tmp_path: Path) -> None:
    with indexed(tmp_path, {"a.txt": facts(30)}) as store:
        for ranking in search(["engine ran in hall"], store, LetterEmbedder(), limit=7):
            assert len(ranking.hits) == 7
            found = store.nodes(hit.key for hit in ranking.hits)
            assert {node.tier for node in found.values()} == {ranking.tier}


def test_what_is_read_from_the_index_does_not_grow_with_what_is_found(tmp_path: Path) -> None:
    def statements(paragraphs: int) -> int:
        folder = tmp_path / str(paragraphs)
        folder.mkdir()
        with indexed(folder, {"a.txt": facts(paragraphs)}) as store:
            ask("engine", store)  # whatever is read once is read
            seen: list[str] = []
            store._db.set_trace_callback(seen.append)
            assert len(ask("engine", store).contexts) == paragraphs
            store._db.set_trace_callback(None)
            return len([line for line in seen if not line.startswith("--")])  # FTS5's and vec0's own

    assert statements(60) == statements(10)


def test_a_document_that_shrinks_leaves_nothing_behind(tmp_path: Path) -> None:
    indexed(tmp_path, {"a.txt": "The needle is 7.\n\nThe hay is 9."}).close()
    write(tmp_path / "files", {"a.txt": "The hay is 9."})
    model = LetterEmbedder()
    path = tmp_path / "corpus.db"
    with Store.create(path, fingerprint=model.fingerprint, dimensions=model.dimensions) as store:
        build([tmp_path / "files"], store, model, workers=1)
        assert "needle" not in "".join(context.text for context in ask("needle hay", store).contexts)


def test_what_the_last_query_finds_by_words_competes_with_what_the_first_finds(tmp_path: Path) -> None:
    files = {"a.txt": facts(60), "b.txt": "The zebra eats grass."}
    with indexed(tmp_path, files) as store:
        evidence = ask("engine", store, Limits(10, 400), "engine", "hall", "zebra")
        assert "zebra" in "".join(context.text for context in evidence.contexts)
        assert evidence.tokens <= 400

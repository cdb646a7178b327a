"""Figures are found by their pictures, by their words and by what speaks of them, and get places when asked for."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from conftest import LetterEmbedder
from grown import pictures, vectors
from PIL import Image

from kohaku.embedders import load
from kohaku.embedders.protocol import takes_images
from kohaku.scope import Scope
from kohaku.store import Store
from kohaku.tokens import count
from kohaku.tree import Document, Kind, Node, Tree, Vectors
from retriever.evidence import Evidence
from retriever.retrieve import Limits, Method, retrieve

WORDS = ["red", "green", "blue", "picture", "of", "a", "the", "chart"]


def picture(colour: str) -> bytes:
    out = BytesIO()
    Image.new("RGB", (20, 30), colour).save(out, "PNG")
    return out.getvalue()


class ColourEmbedder(LetterEmbedder):
    """Letters for texts; a picture is beside the text that names its colour."""

    takes_images = True

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[bytes] = []

    def embed_images(self, images: list[bytes]) -> Vectors:
        self.seen.extend(images)
        names = {picture(colour): colour for colour in ("red", "green", "blue")}
        return np.array([self.embed_questions([names.get(image, "")])[0] for image in images], np.float32)


IMAGES = {colour: picture(colour) for colour in ("red", "green")} | {"none": b"no picture"}
# (kind, text, picture); a figure without words is known by its picture alone
PARTS = [
    (Kind.PARAGRAPH, "Pumps ran all year, as Figure 2 shows.", None),
    (Kind.FIGURE, "Figure 1: Wheels of the mill.", "red"),
    (Kind.FIGURE, "", "green"),
    (Kind.FIGURE, "Figure 3: Hours of work.", "none"),
    (Kind.PARAGRAPH, "Zinc was not used.", None),
]


def tree(id: str = "d") -> Tree:
    """A document of paragraphs and figures; the first paragraph speaks of the second figure."""
    nodes = [
        Node(id, 0, 2 * len(PARTS) + 1, None, Kind.DOCUMENT, id, "", 9, title=id),
        Node(id, 1, 2 * len(PARTS) + 1, 0, Kind.SECTION, f"{id}:s1", "", 400, title="S", level=1, headings=("S",)),
    ]
    for number, (kind, text, image) in enumerate(PARTS, start=1):
        place = 2 * number
        name = f"{id}:s1:p{number}"
        nodes.append(Node(id, place, place + 1, 1, kind, name, text, 8, headings=("S",), image=image))
        nodes.append(Node(id, place + 1, place + 1, place, Kind.SENTENCE, f"{name}:s1", text, 8, headings=("S",)))
    return Tree(Document(id, id, (f"/{id}",), id, "f"), tuple(nodes), dict(IMAGES), {}, ((6, 3),))


def fill(store: Store, embedder: LetterEmbedder, id: str = "d") -> None:
    made = tree(id)
    shown = pictures(made, made.images, embedder, lambda hashes: store.picture_vectors(id, hashes))
    store.put(made, *vectors(made, embedder), shown)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "figures.db", fingerprint="letters/26", dimensions=26)


def ask(store: Store, embedder: LetterEmbedder, question: str, images: int = 0, budget: int = 100) -> Evidence:
    return retrieve(
        question,
        (question,),
        store,
        embedder,
        Limits(50, budget),
        Method("score", images=images),
        count=count,
        explain=True,
    )


def found(evidence: Evidence) -> list[str]:
    return [context.node for context in evidence.contexts if context.kind is Kind.FIGURE]


def test_a_text_question_finds_pictures_by_their_vectors(store: Store) -> None:
    embedder = ColourEmbedder()
    fill(store, embedder)
    fill(store, embedder, "other")
    [hits] = store.nearest_pictures(embedder.embed_questions(["green"]), 5)
    nodes = store.nodes(hit.key for hit in hits)
    assert [nodes[hit.key].image for hit in hits] == ["green", "green", "red", "red"]
    assert hits[0].score == pytest.approx(1, abs=1e-5)
    [bound] = store.nearest_pictures(embedder.embed_questions(["green"]), 5, documents=["other"])
    assert {node.document for node in store.nodes(hit.key for hit in bound).values()} == {"other"}
    evidence = ask(store, embedder, "green", images=3)
    assert "green" in [context.image for context in evidence.contexts]
    lists = {finding.by for context in evidence.contexts if context.why for finding in context.why.findings}
    assert "pictures" in lists


def test_picture_vectors_go_with_their_document_and_are_made_once(store: Store) -> None:
    embedder = ColourEmbedder()
    fill(store, embedder)
    fill(store, embedder)
    assert sorted(embedder.seen) == sorted([*IMAGES.values(), IMAGES["none"]])
    assert store.check() == []
    store.remove("d")
    assert store.nearest_pictures(embedder.embed_questions(["green"]), 5) == [[]]
    assert store.check() == []


def test_without_picture_vectors_words_find_figures(store: Store, embedder: LetterEmbedder) -> None:
    fill(store, embedder)
    assert store.nearest_pictures(embedder.embed_questions(["green"]), 5) == [[]]
    assert found(ask(store, embedder, "zinc", images=0, budget=30)) == []
    with_places = ask(store, embedder, "wheels of the mill", images=1, budget=40)
    assert found(with_places) == ["d:s1:p2"]
    assert with_places.tokens <= 40


def test_a_figure_that_the_best_text_speaks_of_gets_a_place(store: Store, embedder: LetterEmbedder) -> None:
    fill(store, embedder)
    evidence = ask(store, embedder, "Did the pumps run all year?", images=1)
    assert "d:s1:p3" in found(evidence)
    assert evidence.contexts[0].node == "d:s1:p1"  # the text that scores more stands before it


def test_no_more_figures_get_places_than_asked_for_and_none_where_the_scope_has_none(store: Store) -> None:
    embedder = ColourEmbedder()
    fill(store, embedder)
    assert len(found(ask(store, embedder, "zinc", images=2, budget=60))) == 2
    scoped = retrieve(
        "zinc",
        ("zinc",),
        store,
        embedder,
        Limits(50, 60),
        Method("score", images=2),
        count=count,
        scope=Scope.of(kinds=["paragraph"]),
    )
    assert found(scoped) == []


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model in the manner of CLIP, tiny and untrained, as sentence-transformers loads it."""
    target = tmp_path_factory.mktemp("models") / "clip"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        from tokenizers import Tokenizer, models, pre_tokenizers, processors
        from transformers import CLIPConfig, CLIPModel, CLIPProcessor, PreTrainedTokenizerFast
        from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil as Processor

        torch.manual_seed(0)
        known = {"<unk>": 0, "<s>": 1, "</s>": 2} | {word: place for place, word in enumerate(WORDS, start=3)}
        words = Tokenizer(models.WordLevel(known, unk_token="<unk>"))
        words.pre_tokenizer = pre_tokenizers.Whitespace()
        words.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
        )
        tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
            tokenizer_object=words, unk_token="<unk>", bos_token="<s>", eos_token="</s>", pad_token="</s>"
        )
        tokenizer.model_max_length = 16
        small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
        text = small | {"vocab_size": len(known), "max_position_embeddings": 16}
        text |= {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
        config = CLIPConfig(
            text_config=text, vision_config=small | {"image_size": 16, "patch_size": 8}, projection_dim=16
        )
        CLIPModel(config).save_pretrained(target)
        processor = Processor(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})
        CLIPProcessor(processor, tokenizer).save_pretrained(target)  # type: ignore[no-untyped-call]
    return target


def test_a_multimodal_model_embeds_pictures_beside_texts_and_takes_no_harm_from_what_is_none(clip: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        embedder = load(str(clip), device="cpu")
        assert takes_images(embedder)
        rows = embedder.embed_images([picture("red"), b"no picture", picture("blue"), picture("red")[:40]])
    assert rows.shape == (4, 16) == (4, embedder.embed_questions(["the red chart"]).shape[1])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1, 0], abs=1e-5)
    assert not np.allclose(rows[0], rows[2])


def test_a_model_of_texts_takes_no_pictures(embedder: LetterEmbedder) -> None:
    assert not takes_images(embedder)
    assert pictures(tree(), IMAGES, embedder) == {}

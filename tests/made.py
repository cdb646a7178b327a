"""Made documents: many nodes with words and vectors, of no meaning."""

from __future__ import annotations

import numpy as np

from kohaku.tree import Document, Kind, Node, Tree, Vectors

COUNT = 600
WORDS = ("water", "steam", "turbine", "valve", "ledger", "harbour")


def large(id: str, count: int, seed: int = 0) -> tuple[Tree, Vectors]:
    """A document of many sentences, each with "the", with a word in so many of them, and with its own number."""
    made = np.random.default_rng(seed)
    texts = [
        " ".join(["the", *(word for place, word in enumerate(WORDS, start=2) if number % place == 0), f"n{number}"])
        for number in range(count)
    ]
    nodes = [
        Node(id, 0, 2 * count + 1, None, Kind.DOCUMENT, id, "", 0, title=id),
        Node(id, 1, 2 * count + 1, 0, Kind.SECTION, f"{id}:s1", "", 0, title="S", level=1, headings=("S",)),
    ]
    for number, text in enumerate(texts):
        place = 2 + 2 * number
        name = f"{id}:s1:p{number + 1}"
        nodes.append(Node(id, place, place + 1, 1, Kind.PARAGRAPH, name, text, 3, headings=("S",)))
        nodes.append(Node(id, place + 1, place + 1, place, Kind.SENTENCE, f"{name}:s1", text, 3, headings=("S",)))
    rows = made.normal(size=(len(nodes), 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Tree(Document(id, id, (f"/{id}",), id, "f", 0, {}), tuple(nodes), {}, {}, ()), rows
